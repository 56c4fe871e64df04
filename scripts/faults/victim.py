"""One run of a command in a process group of its own, and ways to kill it."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

GROUP, PARENT, CHILD = (
    "SIGKILL, whole group",
    "SIGKILL, parent alone",
    "SIGKILL, one child",
)
TERM, INTERRUPT = "SIGTERM, parent", "SIGINT, parent"
KINDS = (GROUP, PARENT, CHILD, TERM, INTERRUPT)

_SIGNALS = {TERM: signal.SIGTERM, INTERRUPT: signal.SIGINT}
_TOO_LONG = 300.0
_LOOK_EVERY = 0.02
_ORPHANS_END_WITHIN = 10.0


class Victim:
    """One run of the command in a process group of its own."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self._log = log.open("ab")
        self.started = time.monotonic()
        self._process = subprocess.Popen(
            command, stdout=self._log, stderr=self._log, start_new_session=True
        )
        self.group = self._process.pid

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def children(self) -> list[int]:
        """Return the other living processes of the group."""
        return [pid for pid in members(self.group) if pid != self.group]

    def kill(self, kind: str, chance: np.random.Generator) -> bool:
        """Kill what the kind says; False if there is no such process."""
        try:
            if kind == GROUP:
                os.killpg(self.group, signal.SIGKILL)
            elif kind == CHILD:
                children = self.children()
                if not children:
                    return False
                os.kill(int(chance.choice(children)), signal.SIGKILL)
            else:
                os.kill(self.group, _SIGNALS.get(kind, signal.SIGKILL))
        except ProcessLookupError:
            return False
        return True

    def wait(self) -> int:
        """Its exit status; a run that never ends is killed, and counts as failed."""
        try:
            return self._process.wait(_TOO_LONG)
        except subprocess.TimeoutExpired:
            os.killpg(self.group, signal.SIGKILL)
            return self._process.wait()
        finally:
            self._log.close()


def run_to_end(command: Sequence[str], groups: list[int], log: Path) -> tuple[int, str]:
    """Run a command to its end: its status, and the last it said.

    Args:
        command: the argument list.
        groups: gets its group.
        log: a file for the output.
    """
    victim = Victim(command, log)
    groups.append(victim.group)
    status = victim.wait()
    return status, log.read_text(errors="replace").splitlines()[-1]


def orphans(groups: Sequence[int]) -> list[str]:
    """Return what is wrong where processes of groups do not end by themselves; these are killed."""
    deadline = time.monotonic() + _ORPHANS_END_WITHIN
    while left := [pid for group in groups for pid in members(group)]:
        if time.monotonic() > deadline:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            return [f"{len(left)} processes did not end"]
        time.sleep(_LOOK_EVERY)
    return []


def members(group: int) -> list[int]:
    """Return the living processes of a process group."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[2]) == group and fields[0] not in "ZX":
            found.append(int(path.parent.name))
    return found
