"""Programs that fail, never end, or answer something else."""

import sys
import time
from pathlib import Path

import pytest

from boilersweep import UsageError
from boilersweep.eval.assess import program
from boilersweep.eval.assess.program import judge_by_program
from tests.conftest import ended
from tests.eval.assess.conftest import Make

PYTHON = f"{sys.executable} -c"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (f"{PYTHON} 'print(4)'", "expected a grade from 0 to 3, or ?, got '4'"),
        (f"{PYTHON} 'print(-1)'", "got '-1'"),
        (f"{PYTHON} 'print(1.5)'", "got '1.5'"),
        ("true", "got ''"),
        ("printf 't01 r2 2'", "got 't01'"),
        ("false", "it ended with status 1"),
        (f"{PYTHON} 'raise SystemExit(\"no key\")'", "no key"),
        ("no-such-program", "No such file"),
        ("yes", "it wrote more than 1,000,000 bytes"),
        ("sh -c 'yes >&2'", "status -9|y\ny"),
        ("sleep 100", "timed out after 1 seconds"),
        ("sh -c 'sleep 100 & sleep 100'", "timed out after 1 seconds"),
        ("cat", "got '{'|got '{\"topic"),
    ],
)
@pytest.mark.parametrize("every", [False, True])
def test_hostile_programs_are_named_and_end(
    make: Make,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    reason: str,
    *,
    every: bool,
) -> None:
    if reason.startswith("timed out"):
        monkeypatch.setattr(program, "_PROGRAM_SECONDS", 1)
    with pytest.raises(UsageError, match=r"--assessor: .* failed on topic") as found:
        list(judge_by_program(make(), command, "model", None, every=every))
    assert any(one in str(found.value) for one in reason.split("|"))
    assert make().judgements.records["programs"].get("model", []) == []


def test_what_a_program_leaves_behind_is_ended(make: Make, tmp_path: Path) -> None:
    group = tmp_path / "group"
    command = f"sh -c 'echo $$ >{group}; sleep 1000 & echo 2'"
    assert len(list(judge_by_program(make(), command, "model", 1))) == 1
    deadline = time.monotonic() + 120
    while not ended(int(group.read_text())) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert ended(int(group.read_text()))


def test_a_program_that_reads_nothing(make: Make) -> None:
    assessment = make()
    found = list(judge_by_program(assessment, "echo 1", "model", 3, every=True))
    assert [one for _, one in found] == [1, 1, 1]
    assert len(assessment.to_predict("model")) == 157
    # Again after a kill it goes on
    assert len(list(judge_by_program(make(), "echo 1", "model", 4, every=True))) == 1
