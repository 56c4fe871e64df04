"""`site(CLEANER)` on the command line: over a store everywhere, over a page alone nowhere."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs

SITE = "site(words>=2, 5)"


@pytest.mark.java
def test_exact_runs_are_those_of_indexes_in_shares_too(
    call: Call, store: Path, inputs: Inputs, tmp_path: Path
) -> None:
    cleaners = f"{SITE},weighted({SITE}, 3),ancestor(!site(link_words<1))"
    arguments = (
        "sweep",
        "--store",
        store,
        *inputs.judged,
        "--cleaners",
        cleaners,
        "--sweep",
        "words=1",
        "--sweep",
        "site(words>=1, {2,30,31})",
        "--engine",
        "exact",
        "--verify",
        7,
    )
    call(*arguments, "--output", tmp_path / "whole").ok().noted("hits of 7 runs")
    for share in ("1/2", "2/2", "1/2", "2/2"):
        call(*arguments, "--output", tmp_path / "shares", "--share", share).ok()
    call(*arguments, "--output", tmp_path / "shares").ok()
    for name in ("scores.csv", "topics.csv"):
        assert (tmp_path / "shares" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    runs = tmp_path / "whole" / "runs"
    # Of five animals four stand in the menu of each of 30 pages, a fifth of them on 24.
    assert len((runs / "site-words-ge-1-2.trec").read_text().splitlines()) == 30
    everything = (runs / "words-001.trec").read_text()
    left = (runs / "site-words-ge-1-31.trec").read_text()
    assert left.replace("site-words-ge-1-31", "words-001") == everything
