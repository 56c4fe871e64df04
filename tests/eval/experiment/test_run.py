"""What no kind of experiment does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boilersweep import BlockStore, UsageError
from boilersweep.eval import OutputOptions, run_grid, run_study, run_sweep
from boilersweep.topics import read_qrels


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Return the qrels of a folder that `assess` wrote."""
    (tmp_path / "assessed" / "people").mkdir(parents=True)
    (tmp_path / "assessed" / "topics.tsv").write_text("1\tpony\n")
    qrels = tmp_path / "assessed" / "qrels.txt"
    qrels.write_text("1 0 d01 1\n")
    return qrels


@pytest.mark.java
@pytest.mark.parametrize(
    ("run", "swept"),
    [(run_sweep, "words=1:2"), (run_grid, ("words=1:2", "density=1:2"))],
)
def test_judgements_that_support_no_means_are_refused(
    run: Callable[..., Any], swept: Any, store: BlockStore, judged: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    given = (store, swept, {"1": "pony"})
    with pytest.raises(UsageError, match="give no mean of a threshold"):
        run(*given, judged, output)
    read, sources = read_qrels(judged), OutputOptions(sources={"qrels": judged})
    with pytest.raises(UsageError, match="give no mean of a threshold"):
        run(*given, read, output, output_options=sources)
    assert not output.exists()


@pytest.mark.java
@pytest.mark.application("report")
@pytest.mark.application("assess")
def test_a_study_shows_of_them_what_they_support(
    store: BlockStore, judged: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    found = run_study(store, "words>=2", {"1": "pony"}, judged, output).study
    assert found.statistics.are_sequential
    assert found.choice is None
    assert found.tested == ["P@10"]
