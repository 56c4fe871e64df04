"""What is nested deeply, below a running Java: a counted reason or one clear line.

Java forbids most of the stack of the thread that starts it, so a parser that recurses ends the
process unless somebody stops it before.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.running import QUICK_JAVA
from tests.system import deep

pytestmark = pytest.mark.java

NESTED = "it is nested too deeply"
# What the outcome of each reader has in it.
EXPECTED = {
    "page": "('t', 'one two three four')",
    "line": "malformed",
    "manifest": "StoreError: store/manifest.json belongs to another program",
    "qrels": "QrelsError: qrels.txt:2: expected 4 columns",
    "topics": "TopicsError: topics.jsonl:1: expected",
    "query log": f"TopicsError: log.jsonl:2: expected a JSON object.*{NESTED}",
    "texts": f"InputError: texts.jsonl, line 1: expected JSON lines.*{NESTED}",
    "index line": "index line without filename",
    "study": f"InputError: study.json: expected.*{NESTED}",
    "judgements": f"InputError: log/me.jsonl:1: expected a judgement.*{NESTED}",
    "model's answer": f"BoilersweepError: http.*no usable answer.*{NESTED}",
    "model's text": "None",
    "measure": "UsageError: measures: expected those",
}


@pytest.fixture(scope="module", params=["ours", "host"])
def outcomes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[dict[str, str]]:
    """Return what came of reading, in the thread that started Java and in another one."""
    folder = tmp_path_factory.mktemp("deep")
    read = subprocess.run(
        [sys.executable, "-m", "tests.system.deep", request.param, folder],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | QUICK_JAVA,
        check=False,
    )
    assert read.returncode == 0, (read.returncode, read.stderr[-3000:])
    found: list[dict[str, Any]] = json.loads(read.stdout)
    return found


@pytest.mark.application("learned")
@pytest.mark.parametrize("name", deep.NESTED)
def test_it_is_counted_or_one_clear_line(
    outcomes: list[dict[str, str]], name: str
) -> None:
    for found in outcomes:
        for form in ("deep", "skipped"):
            outcome = found[f"{name} {form}"]
            assert all(part in outcome for part in EXPECTED[name].split(".*")), outcome
            assert "\n" not in outcome


@pytest.mark.application("learned")
def test_elements_of_any_depth_are_cleaned(outcomes: list[dict[str, str]]) -> None:
    for found in outcomes:
        assert found["elements"].count("one two three") == 6


def test_whatever_else_recurses_has_the_whole_stack(
    outcomes: list[dict[str, str]],
) -> None:
    for found in outcomes:
        assert "\n" not in found["others"]
