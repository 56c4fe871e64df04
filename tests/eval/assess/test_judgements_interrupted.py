"""Judgements whose writing is interrupted: by short writes, full disks and kills at each step."""

import contextlib
import os
import pkgutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from boilersweep.eval.assess.checked_judgements import CHECKED
from boilersweep.eval.assess.judgements import Judgements, judgements_in
from boilersweep.eval.assess.output import Judgement
from boilersweep.topics import Topic
from tests.running import python
from tests.stores import faults_of


def test_a_write_that_takes_less_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = Judgements(tmp_path)
    write = os.write
    monkeypatch.setattr(
        os, "write", lambda descriptor, data: write(descriptor, data[:5])
    )
    judged.add("people", "anna", Judgement("t", "d", 2))
    assert Judgements(tmp_path).records == judged.records


_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from boilersweep.errors import OutputError
from boilersweep.eval.assess.judgements import Judgements
from boilersweep.eval.assess.output import Judgement
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
judged = Judgements(Path(sys.argv[1]))
full = 0
for number in range(60):
    most = 3000 if number < 30 else resource.RLIM_INFINITY  # bytes of a file
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    try:
        judged.add("people", "anna", Judgement("t", f"d{number}", 1))
        print(number)
    except OutputError as error:
        full += 1
assert 5 < full < 30
"""


def test_no_judgement_is_lost_on_a_full_disk(tmp_path: Path) -> None:
    done = python("-c", _FULL_DISK, tmp_path)
    judged = Judgements(tmp_path)
    acknowledged = [f"d{number}" for number in done.stdout.split()]
    assert [docid for _, docid in judged.grades_of("people", "anna")] == acknowledged
    assert judged.notes == []


_KILLED = """
import sys
from pathlib import Path
from boilersweep.eval.assess.judgements import Judgements
from boilersweep.eval.assess.output import Judgement
judged = Judgements(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), 100000):
    judged.add("people", "anna", Judgement("t", f"d{number}", 1))
    print(number, flush=True)
"""


def test_no_judgement_is_lost_in_kills(tmp_path: Path) -> None:
    acknowledged = -1
    for kill in range(4):
        command = [sys.executable, "-c", _KILLED, str(tmp_path), str(acknowledged + 1)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            for _ in range(5 + kill):
                acknowledged = int(process.stdout.readline())
            os.kill(process.pid, signal.SIGKILL)
        judged = Judgements(tmp_path).grades_of("people", "anna")
        assert {
            ("t", f"d{number}") for number in range(acknowledged + 1)
        } <= judged.keys()
        acknowledged = len(judged) - 1


# Steps of a judgement and of the end, at each of which the command may be killed.
STEPS = (
    "boilersweep.outputs.plan.Plan.append",
    "boilersweep.outputs.plan.write_text",
    "boilersweep.outputs.writer.write_text",
    "boilersweep.outputs.writer.sync_files",
    "boilersweep.outputs.plan.Plan.close",
    "boilersweep.eval.people.folder.whole_file",
    "boilersweep.eval.assess.judgements.write_text",
    "boilersweep.eval.people.log.append_line",
)


@pytest.mark.parametrize("times", [1, 2, 4])
@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_kills_at_each_step_lose_nothing(
    tmp_path: Path, step: str, is_after: bool, times: int
) -> None:
    """After a kill the next session goes on, and ends as an uninterrupted one."""
    wanted = [Judgement("t", f"d{number}", number % 3) for number in range(4)]

    def judge(folder: Path, acknowledged: list[str]) -> None:
        with judgements_in(folder) as judged:
            judged.keep_topics([Topic("t", "bread")])
            known = {docid for _, docid in judged.grades_of("people", "anna")}
            assert known.issuperset(acknowledged)
            for one in wanted:
                if one.docid not in known:
                    judged.add("people", "anna", one)
                    acknowledged.append(one.docid)
                    judged.write_merged()

    left = times
    module, _, name = step.rpartition(".")
    owner = pkgutil.resolve_name(module)
    function = getattr(owner, name)

    def killed(*args: Any, **options: Any) -> Any:
        nonlocal left
        left -= 1
        if left > 0:
            return function(*args, **options)
        if is_after and name != "whole_file" and left == 0:
            function(*args, **options)
        raise KeyboardInterrupt

    folder = tmp_path / "judged"
    acknowledged: list[str] = []
    with mock.patch.object(owner, name, killed), contextlib.suppress(KeyboardInterrupt):
        judge(folder, acknowledged)
    judge(folder, acknowledged)
    assert faults_of(CHECKED, folder) == []
    assert Judgements(folder).merged() == {
        ("t", one.docid): one.grade for one in wanted
    }
    assert not (folder / ".boilersweep-plan").exists()
