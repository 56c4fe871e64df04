"""Damage one file of finished work, ask `boilersweep check`, and run the command again."""

import difflib
import faulthandler
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from boilersweep.outputs.folder import MANIFESTS
from boilersweep.outputs.manifest_file import DIGEST, manifest_text
from robustness.calling import called
from robustness.comparing import Found, comparable, differences

FLIP, CUT, ZERO, DELETE = "flip", "cut", "zero", "delete"

FORGE = "forge"
"""A manifest without a key, or with a value of another type, and with the digest of all that."""

REPLACEMENTS: dict[str, Callable[[Path], None]] = {
    "fifo": os.mkfifo,
    "link": lambda path: path.symlink_to("nowhere"),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
}
"""What takes the place of a file."""

STRAY = "stray"
"""A copy of a numbered file, such as a shard, under a number that the work has not."""

TWIN = "twin"
"""A copy of a folder, such as that of a cleaner, under a name that the work has not."""

KINDS = (FLIP, CUT, ZERO, DELETE, FORGE, *REPLACEMENTS, STRAY, TWIN)

IDENTICAL, REFUSED, WRONG, NOT_RUN = "identical", "refused", "silently wrong", "not run"

_PAGE = 4096
_HANGS = 120  # seconds that a check and a command may take
_SEEDS = 2**32
_LOCK = "write.lock"  # Lucene's, empty, of whoever wrote last: it is no part of an index


@dataclass(frozen=True, slots=True)
class Damage:
    """What is done to a file. place: the bit, the length that is left, the byte, or a seed."""

    kind: str
    file: str
    place: int = 0

    def of(self, body: bytes) -> bytes | None:
        """The damaged content, None for no regular file. Of a stray file, what it is a copy of."""
        if self.kind == DELETE or self.kind in REPLACEMENTS:
            return None
        if self.kind in (STRAY, TWIN):
            return body
        if self.kind == FORGE:
            return _forged(body, self.place)
        if self.kind == CUT:
            return body[: self.place]
        damaged = bytearray(body)
        if self.kind == FLIP:
            damaged[self.place // 8] ^= 1 << self.place % 8
        else:
            end = min(self.place + _PAGE, len(body))
            damaged[self.place : end] = bytes(end - self.place)
        return bytes(damaged)

    def __str__(self) -> str:
        where = {FLIP: f", bit {self.place:,}", CUT: f", byte {self.place:,}"}
        where |= {ZERO: where[CUT], FORGE: f", seed {self.place}"}
        return f"{self.kind} {self.file}{where.get(self.kind, '')}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a damage. said: by `check`. again: what running again came to, and why."""

    damage: Damage
    seen: bool
    said: str
    again: str
    why: str

    @property
    def is_right(self) -> bool:
        """No one can see that a forged manifest has another value which no command reads."""
        unseen = self.damage.kind == FORGE and "Traceback" not in self.said
        return (self.seen or unseen) and self.again != WRONG


def _forged(body: bytes, seed: int) -> bytes:
    chance = np.random.default_rng(seed)
    manifest = json.loads(body)
    del manifest[DIGEST]
    places: list[tuple[Any, Any]] = []
    containers = [manifest]
    for value in containers:
        keys = value if isinstance(value, dict) else range(len(value))
        places += [(value, key) for key in keys]
        containers += [value[key] for key in keys if isinstance(value[key], dict | list)]
    value, key = places[chance.integers(len(places))]
    others = [one for one in (None, 7, "x", [7], {"x": 7}) if type(one) is not type(value[key])]
    if chance.random() < 0.5:
        del value[key]
    else:
        value[key] = others[chance.integers(len(others))]
    return manifest_text(manifest).encode()


def _changed_lines(body: bytes, damaged: bytes) -> str:
    lines = difflib.unified_diff(
        body.decode().splitlines(), damaged.decode().splitlines(), n=0, lineterm=""
    )
    return " ".join(line for line in lines if f'"{DIGEST}"' not in line)


def kind_of(file: str) -> str:
    """What a file is, for totals: many shards, runs and indexes are each one kind."""
    path = PurePosixPath(file)
    if "indexes" in path.parts and len(path.parts) > 2:
        return f"indexes/*/{path.name if path.suffix in ('', '.json') else '*' + path.suffix}"
    if path.parent.name == "runs" or path.suffix == ".parquet":
        return str(path.with_name("*" + path.suffix))
    return file


@dataclass(slots=True)
class Finished:
    """A folder of finished work.

    again: the command that made it, if it is to run again. checked: what `check` is asked about,
    by default the folder.
    """

    folder: Path
    again: tuple[str, ...] | None
    checked: Path | None = None
    _bodies: dict[str, tuple[bytes, int]] = field(init=False)
    _result: Found = field(init=False)

    def __post_init__(self) -> None:
        """Raises RuntimeError where the work is not whole to begin with."""
        self._bodies = {
            path.relative_to(self.folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and path.name != _LOCK
        }
        self._result = comparable(self.folder) if self.again else {}
        failed, said = self._check()
        if failed is not None:
            raise RuntimeError(f"{self.folder} is not whole: {said}")

    def _check(self) -> tuple[int | None, str]:
        return called([("check", str(self.checked or self.folder))])

    def draw(self, kind: str, chance: np.random.Generator) -> Damage:
        """A damage at any place of a file, each kind of file with the same chance."""
        of_kind: dict[str, list[str]] = {}
        for name, (body, _) in self._bodies.items():
            if kind == STRAY and not Path(name).stem[-1].isdecimal():
                continue
            folder, _, last = name.rpartition("/")
            if kind == FORGE and last not in MANIFESTS:
                continue
            if kind == TWIN and (not folder or f"{folder}/manifest.json" in self._bodies):
                continue  # a copy of a whole output is an output of its own
            if body or kind not in (FLIP, CUT, ZERO):
                of_kind.setdefault(kind_of(name), []).append(name)
        if not of_kind:  # there is no numbered file, no folder, or no manifest
            return self.draw(DELETE, chance)
        file = str(chance.choice(of_kind[str(chance.choice(list(of_kind)))]))
        size = len(self._bodies[file][0])
        if kind == FORGE:
            return Damage(kind, file, int(chance.integers(_SEEDS)))
        if kind not in (FLIP, CUT, ZERO):
            return Damage(kind, file)
        if kind == ZERO:
            # Of text that is all there is, as a rule; of zeros there is nothing to change.
            return Damage(kind, file, int(chance.integers(-(-size // _PAGE))) * _PAGE)
        return Damage(kind, file, int(chance.integers(size * 8 if kind == FLIP else size)))

    def trial(self, damage: Damage, *, again: bool) -> Outcome | None:
        """Damage, check, run again, and put everything back; None where nothing would change.

        again: whether the command runs again. One that hangs ends the process, with the stack of
        each thread.
        """
        body = self._bodies[damage.file][0]
        damaged = damage.of(body)
        if damaged == body and damage.kind not in (STRAY, TWIN):
            return None
        file = damage.file
        path = PurePosixPath(file)
        if damage.kind == STRAY:
            file = str(path.with_stem(path.stem + "9"))
        elif damage.kind == TWIN:
            file = str(path.parent.with_name(path.parent.name + "-9") / path.name)
        faulthandler.dump_traceback_later(_HANGS, exit=True)
        try:
            if damage.kind == TWIN:
                shutil.copytree((self.folder / damage.file).parent, (self.folder / file).parent)
            else:
                self._put(file, damaged)
            if replace := REPLACEMENTS.get(damage.kind):
                replace(self.folder / file)
            failed, said = self._check()
            came, why = self._again(damage.kind, file, damaged) if again else (NOT_RUN, "")
            seen = failed is not None and "Traceback" not in said
            if damage.kind == FORGE and not seen:
                said += _changed_lines(body, damaged or b"")
            return Outcome(damage, seen, said, came, why)
        finally:
            faulthandler.cancel_dump_traceback_later()
            self._restore()

    def _again(self, kind: str, file: str, damaged: bytes | None) -> tuple[str, str]:
        if self.again is None:
            return NOT_RUN, ""
        failed, said = called([self.again])
        if failed is not None:
            return (WRONG if "Traceback" in said else REFUSED), said
        path = self.folder / file
        if path.exists() and not path.is_file():
            return WRONG, f"{file} is still no regular file"
        if file not in self._bodies:
            if path.parent.name.endswith("-9"):
                shutil.rmtree(path.parent, ignore_errors=True)
            path.unlink(missing_ok=True)
        differing = differences(comparable(self.folder), self._result)
        if kind == FORGE:
            differing = [one for one in differing if not one.startswith(f"{file} ")]
            return (WRONG, "; ".join(differing)) if differing else (IDENTICAL, "")
        left = (path.read_bytes() if path.is_file() else None) == damaged
        # Of a shard some bytes are read by no one; all others are compared.
        if not differing and left and path.suffix != ".parquet":
            differing = [f"{file} is as damaged as it was"]
        return (WRONG, "; ".join(differing)) if differing else (IDENTICAL, "")

    def _put(self, file: str, body: bytes | None) -> None:
        # A new file: a JVM may have the old one in its memory still.
        path = self.folder / file
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        if body is not None:
            path.write_bytes(body)

    def _restore(self) -> None:
        kept = {self.folder / name for name in self._bodies}
        folders = {parent for path in kept for parent in path.parents}
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path.is_dir() and path not in folders:
                shutil.rmtree(path)
            elif path.is_file() and path not in kept and path.name != _LOCK:
                path.unlink()
        for name, (body, changed) in self._bodies.items():
            path = self.folder / name
            if path.exists() and path.stat().st_mtime_ns == changed:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            self._put(name, body)
            os.utime(path, ns=(changed, changed))
