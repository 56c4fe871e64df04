"""Finding the files of a collection, and naming what of its folder is not read."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from enum import StrEnum
from operator import itemgetter
from pathlib import Path
from typing import Any

from boilersweep.collection.inputs import Input, as_inputs
from boilersweep.outputs.locations import for_each, is_remote, remote_names

_SAMPLES_PER_REASON = 10


class NotRead(StrEnum):
    """Why something below the input is not read."""

    HIDDEN = "hidden"
    OTHER_KIND = "file of another kind"
    SPECIAL = "neither file nor folder"
    DANGLING = "dangling link"
    LINK_OUT = "link out of the input"
    LINKED_FOLDER = "link to a folder"
    READ_ALREADY = "link to what is read already"
    PART = "part of a saved page"


# What is read where links are followed.
WITH_LINKS = frozenset({NotRead.LINK_OUT, NotRead.LINKED_FOLDER})


@dataclass(slots=True)
class LeftOut:
    """The files below the input that are not read: for each reason, their number and some names."""

    counts: Counter[str] = field(default_factory=Counter)
    samples: defaultdict[str, list[dict[str, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, reason: str, place: str, target: Path | None = None) -> None:
        """Count a file or folder that is not read.

        Args:
            reason: Why it is not read: NotRead, or what it is.
            place: Relative to the input.
            target: Where a link leads.
        """
        self.counts[reason] += 1
        if self.counts[reason] <= _SAMPLES_PER_REASON:
            detail = f"to {_text(str(target))}" if target else ""
            self.samples[reason].append({"place": _text(place), "detail": detail})

    def as_json(self) -> dict[str, Any]:
        """As a store's manifest has it."""
        return {"left_out": dict(self.counts), "left_out_samples": dict(self.samples)}


class Tree:
    """The files below a folder, or of several inputs; a named file stands for itself.

    Hidden files and folders are left out. A link to a file within the folder is read, unless that
    file is read under its own name. A link to a file elsewhere and a linked folder are read where
    links are followed, each folder once, so that cycles end.
    """

    def __init__(self, root: Input, *, follow_links: bool = False) -> None:
        """List a tree; raises OSError for a folder that cannot be listed."""
        self._inputs = as_inputs(root)
        self._follow_links = follow_links
        self._named: list[Path] = []
        self._files: list[Path] = []
        self._links: list[tuple[Path, Path]] = []  # to files, and where they lead
        self._linked_folders: list[tuple[Path, Path]] = []
        # Where every folder that was listed really is
        self._real: dict[Path, Path] = {}
        self._listed: set[Path] = set()  # the same places
        self._left_out: list[tuple[str, str, Path | None]] = []
        paths = self._inputs.paths
        for path, is_file in zip(paths, for_each(_is_file, paths), strict=True):
            if is_file:
                self._named.append(path)
            elif is_remote(path):
                self._list_remote(path)
            else:
                self._list(path)
        self._list_linked()

    def chosen(
        self,
        wanted: Callable[[str], object],
        kind: Callable[[Path], str] = lambda _: NotRead.OTHER_KIND,
    ) -> tuple[list[Path], LeftOut]:
        """Return the wanted files, sorted by relative posix path, and what is left out.

        A file that is named is wanted, whatever its name.

        Args:
            wanted: Whether a name is that of a wanted file.
            kind: Tells of a file of another name what it is; "" if it is wanted. May raise OSError.
        """
        kinds = {p: "" if wanted(p.name) else kind(p) for p in self._files}
        kinds |= {p: "" if wanted(p.name) else kind(p) for p, _ in self._links}
        files = [path for path in self._files if not kinds[path]]
        left_out = [*self._left_out]
        left_out += [
            (kinds[path], self.place(path), None) for path in self._files if kinds[path]
        ]
        read = {self._real[path.parent] / path.name for path in files if self._links}
        for path, target in self._links:
            if reason := kinds[path] or self._why_not(target, read):
                left_out.append((reason, self.place(path), target))
            else:
                files.append(path)
        counted = LeftOut()
        for reason, place, leads_to in sorted(left_out, key=itemgetter(1)):
            counted.add(reason, place, leads_to)
        files = [*dict.fromkeys([*self._named, *files])]
        return sorted(files, key=self.place), counted

    def _why_not(self, target: Path, read: Set[Path]) -> NotRead | None:
        """Why what a link leads to is not read under the link's name; None if it is."""
        if target in read:
            return NotRead.READ_ALREADY
        roots = (self._real.get(path) for path in self._inputs.paths)
        within = any(root and target.is_relative_to(root) for root in roots)
        return None if within or self._follow_links else NotRead.LINK_OUT

    def place(self, path: Path) -> str:
        """Return the name of a file relative to the folder of all."""
        return self._inputs.name(path)

    def _list_remote(self, root: Any) -> None:
        """Take in all objects below a URL; hidden ones count as a folder's do."""
        hidden = set()
        for name in remote_names(root):
            parts = name.split("/")
            dots = [n for n, part in enumerate(parts) if part.startswith(".")]
            if dots:
                hidden.add("/".join(parts[: dots[0] + 1]))
            else:
                self._files.append(root / name)
        for name in sorted(hidden):
            self._leave_out(NotRead.HIDDEN, root / name)

    def _list_linked(self) -> None:
        while self._linked_folders:
            links, self._linked_folders = sorted(self._linked_folders), []
            for path, target in links:
                if self._follow_links or target in self._listed:
                    self._list(path)
                else:
                    self._leave_out(NotRead.LINKED_FOLDER, path, target)

    def _list(self, start: Path) -> None:
        """Take in all below a folder, but what links lead to and what was listed before."""
        waiting = [start]
        while waiting:
            folder = waiting.pop()
            real = _real(folder)
            if real in self._listed:
                self._leave_out(NotRead.READ_ALREADY, folder, real)
                continue
            self._real[folder] = real
            self._listed.add(real)
            with os.scandir(folder) as entries:
                waiting += [
                    Path(entry.path) for entry in entries if self._is_folder(entry)
                ]

    def _is_folder(self, entry: os.DirEntry[str]) -> bool:
        """Whether it is a folder to be listed; anything else is noted."""
        path = Path(entry.path)
        if entry.name.startswith("."):
            self._leave_out(NotRead.HIDDEN, path)
        elif entry.is_symlink():
            self._note_link(path)
        elif entry.is_dir():
            return True
        elif entry.is_file():
            self._files.append(path)
        else:
            self._leave_out(NotRead.SPECIAL, path)
        return False

    def _note_link(self, path: Path) -> None:
        target = _real(path)
        if target.is_file():
            self._links.append((path, target))
        elif target.is_dir():
            self._linked_folders.append((path, target))
        else:
            self._leave_out(
                NotRead.SPECIAL if path.exists() else NotRead.DANGLING, path, target
            )

    def _leave_out(
        self, reason: NotRead, path: Path, target: Path | None = None
    ) -> None:
        self._left_out.append((reason, self.place(path), target))


def _is_file(path: Path) -> bool:
    return path.is_file()


def _real(path: Path) -> Path:
    # Path.resolve raises where links lead round in a circle.
    return Path(os.path.realpath(path))


def _text(name: str) -> str:
    """Return a file's name as UTF-8 can hold it."""
    return os.fsencode(name).decode("utf-8", "replace")
