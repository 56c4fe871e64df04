"""Outputs: folders of parts, which a manifest lists under the keys of their recipes.

A part is a file or a folder. Its recipe is a plain value, all that it depends on. A part exists if
the manifest lists it under its recipe's key; a run makes the others:

    read manifest and plan --refuse--> write plan --make, add to the plan--> write manifest
                                                                         --> remove what left

The plan names every part before it is made, so that after a kill the next run knows what is ours.
What neither manifest nor plan lists is somebody else's, and is never removed or replaced.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from boilersweep.errors import (
    BoilersweepError,
    OutputError,
    raise_exhausted,
    reason_of,
)
from boilersweep.outputs.atomic import output_errors, write_text
from boilersweep.outputs.identity import differences, digest_of, some_of
from boilersweep.outputs.locations import is_remote, read_regular
from boilersweep.outputs.manifest_file import (
    DIGEST,
    FileEntry,
    faults,
    kind_of,
    listing,
    manifest_text,
    require_below,
    state_of,
    unchanged,
)
from boilersweep.outputs.plan import read_plan, unfinished_kind
from boilersweep.outputs.typed_files import (
    as_builtins,
    as_type,
    decode_json,
    json_text,
    parse_json,
)

MANIFEST = "manifest.json"
INDEX_MANIFEST = "boilersweep.json"
MANIFESTS = (MANIFEST, INDEX_MANIFEST)
ADVICE = "choose another `output`, or pass `overwrite` to rebuild it"

_KEY_LETTERS = 24
DAMAGED = "is not as it was written: "

# The type of what a manifest says of an output beside recipe and parts.
Facts = TypeVar("Facts")


def key_of(recipe: Any) -> str:
    """Return the key of a recipe, a JSON-able value."""
    return digest_of(recipe)[:_KEY_LETTERS]


# Parts are sent to workers: they have no lambdas.
def _always(_: Any) -> bool:
    return True


def _never(_: Any) -> bool:
    return False


@dataclass(frozen=True)
class Part:
    """A file or a folder of an output.

    Attributes:
        name: Its path below the output, with slashes; "." for the output itself.
        recipe: A JSON-able value of all that it depends on.
        optional: Whether the output is whole without it.
        serves: Whether a part of this recipe with these facts will do; else it is made again.
    """

    name: str
    recipe: Any
    optional: bool = False
    serves: Callable[[Any], bool] = _always

    @cached_property
    def key(self) -> str:
        """The digest of the recipe."""
        return key_of(self.recipe)


def view(name: str, recipe: Any) -> Part:
    """Return a file that every run draws again, if its output has it."""
    return Part(name, recipe, optional=True, serves=_never)


class Entry(msgspec.Struct, kw_only=True):
    """A part that exists, in a manifest or a plan.

    Attributes:
        key: The key of its recipe.
        files: Its files, by their paths below the output.
        facts: What its maker counted.
    """

    key: str
    files: dict[str, FileEntry]
    facts: Any = None


class Manifest(msgspec.Struct, Generic[Facts], kw_only=True):
    """The manifest of a finished output.

    Attributes:
        kind: The name of the kind of output.
        facts: What it says of the whole.
        recipe: What the output as a whole was asked for.
        parts: The parts by name, in their order.
    """

    kind: str
    facts: Facts
    recipe: dict[str, Any]
    parts: dict[str, Entry]

    @property
    def files(self) -> dict[str, FileEntry]:
        """All files of the parts, by their paths below the output."""
        return {
            name: file
            for part in self.parts.values()
            for name, file in part.files.items()
        }


class NotChecked(str):
    """A clause about what `boilersweep check` could not look at, and why."""

    __slots__ = ()


def _no_more(folder: Path, manifest: Any, store: Any) -> Iterable[str]:  # noqa: ARG001
    return ()


def _nothing(_: Path) -> Any:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(Generic[Facts]):
    """The declaration of one kind of output.

    Attributes:
        name: The name in messages and in manifests.
        command: The command that finishes such an output.
        facts: The type of what the manifest says of the whole.
        recipe: The type of the recipe, as its readers need it.
        follows: Keys of the recipe whose change is no other request: the output is brought up to
            date.
        grows: Keys of the recipe that map names of parts to values: a request for other names is
            no other request, and the parts that it leaves out stay.
        keeps: Whether parts that a request leaves out stay in any case.
        manifest: The name of the manifest's file.
        error: The error for an output that cannot be used.
        verify: Yields what is wrong with a finished output beside its files, and `NotChecked`; its
            arguments are the folder, the manifest and the block store, None if that is unknown.
        remedy: What to do about a damaged manifest.
        is_log: Whether an output is also verified while it has no manifest.
        marks: Whether a path without a manifest is such an output all the same.
        unmarked: What is wrong with that; "" to say that it is not finished.
        within: The folders of an output that are checked with it.
        store_of: Opens the block store of the output at a path, None if it has none.
    """

    name: str
    command: str
    facts: type[Facts]
    recipe: Any = dict[str, Any]
    follows: tuple[str, ...] = ()
    grows: tuple[str, ...] = ()
    keeps: bool = False
    manifest: str = MANIFEST
    error: type[BoilersweepError] = OutputError
    verify: Callable[[Path, Any, Any], Iterable[str]] = _no_more
    remedy: str = "pass `overwrite` to rebuild what it lists"
    is_log: bool = False
    marks: Callable[[Path], bool] = _never
    unmarked: str = ""
    within: tuple[str, ...] = ()
    store_of: Callable[[Path], Any] = _nothing

    def __str__(self) -> str:
        return f"{'an' if self.name[0] in 'aeio' else 'a'} {self.name}"

    def read(self, folder: Path, *, overwrite: bool = False) -> Manifest[Facts] | None:
        """Read the manifest in a folder.

        Args:
            folder: The folder.
            overwrite: Accept a manifest that was edited, to know which files are ours.

        Returns:
            The manifest, or None if there is none.

        Raises:
            BoilersweepError: The kind's error: the manifest is damaged, or of something else.
        """
        path = folder / self.manifest
        try:
            content = read_regular(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise_exhausted(error)
            raise self.error(f"cannot read {path}: {reason_of(error)}") from error
        return self._manifest(path, content, overwrite=overwrite)

    def _manifest(
        self, path: Path, content: bytes, *, overwrite: bool
    ) -> Manifest[Facts]:
        if (kind := kind_of(content)) != self.name:
            owner = f"{kind or 'another program'}, not to {self}"
            raise self.error(f"{path} belongs to {owner}; choose another folder")
        try:
            value = decode_json(content, dict)
            if "parts" not in value and value.keys() & {"identity", "shards"}:
                raise self.error(
                    f"{path.parent} was written by an earlier boilersweep, whose outputs this one "
                    "does not read; make it again in another folder"
                )
            rest = (
                {key: one for key, one in value.items() if key != DIGEST}
                if overwrite
                else unchanged(value)
            )
            manifest: Manifest[Facts] = as_type(rest, Manifest[self.facts])  # type: ignore[name-defined]
            as_type(manifest.recipe, self.recipe)
            require_below([*manifest.parts, *manifest.files])
        except ValueError as error:
            raise self.error(
                f"{path} is damaged ({reason_of(error)}); restore it from a copy, {self.remedy}, "
                "or choose another folder"
            ) from error
        return manifest

    def require(self, folder: Path) -> Manifest[Facts]:
        """Return the manifest; raises the kind's error also if the output is not finished."""
        manifest = self.read(folder)
        if manifest is None:
            raise self.error(
                f"{folder} is missing or not finished: it has no {self.manifest}; run "
                f"`boilersweep {self.command}` again"
            )
        return manifest

    def is_at(self, path: Path) -> bool:
        """Return whether a path is such an output, finished, unfinished or damaged."""
        try:
            kind = kind_of(read_regular(path / self.manifest))
        except OSError:
            kind = unfinished_kind(path)
        return kind == self.name or (kind is None and self.marks(path))

    def check(self, folder: Path, store: Any = None) -> Iterator[str]:
        """Yield what is wrong with an output, all files read, and `NotChecked`.

        Args:
            folder: The folder.
            store: The block store that it was made from, if that is known.
        """
        try:
            if self.unmarked and self.read(folder) is None and self.marks(folder):
                yield f"{folder} {self.unmarked}"
                return
            manifest = self.read(folder) if self.is_log else self.require(folder)
            if manifest:
                yield from faults(folder, manifest.files, read=True)
            yield from self.verify(folder, manifest, store)
        except BoilersweepError as error:
            yield str(error)

    def differences(
        self, manifest: Manifest[Facts], recipe: Mapping[str, Any]
    ) -> list[str]:
        """Return a clause for each value in which a request differs, but for what it follows."""
        wanted = {key: one for key, one in recipe.items() if key not in self.follows}
        made = {k: v for k, v in manifest.recipe.items() if k not in self.follows}
        for key in self.grows:
            both = wanted[key].keys() & made.get(key, {}).keys()
            wanted[key] = {name: wanted[key][name] for name in both}
            made[key] = {name: made[key][name] for name in both}
        changes = differences(made, wanted)
        # A sweep may differ by a hundred variants: their clauses come last.
        return sorted(changes, key=lambda change: change.startswith("variants "))

    def grown(
        self, manifest: Manifest[Facts] | None, recipe: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return a request with what stays of the output, to be recorded as its recipe."""
        wanted: dict[str, Any] = parse_json(json_text(recipe))
        if manifest is None or self.differences(manifest, wanted):
            return wanted
        more = {key: {**manifest.recipe[key], **wanted[key]} for key in self.grows}
        return {**wanted, **more}

    def rejection(
        self, folder: Path, wrong: str, advice: str = ADVICE
    ) -> BoilersweepError:
        """Return the error that rejects a folder.

        Args:
            folder: The folder.
            wrong: What is wrong, as the rest of a sentence about the folder.
            advice: What to do.
        """
        return self.error(f"{folder} {wrong}; {advice}")

    def listed(
        self, folder: Path, recipe: Mapping[str, Any], *, overwrite: bool = False
    ) -> "Listed[Facts]":
        """Return what manifest and plan list in a folder; raises the kind's error.

        Args:
            folder: The folder.
            recipe: The request.
            overwrite: Accept another request, and an edited manifest.
        """
        manifest = self.read(folder, overwrite=overwrite)
        if (
            manifest
            and not overwrite
            and (changes := self.differences(manifest, recipe))
        ):
            wrong = f"contains another {self.name} than requested: {some_of(changes)}"
            raise self.rejection(folder, wrong)
        entries: dict[str, Entry] = {}
        planned = {}
        for line in read_plan(folder, self.name):
            planned[line.name] = line.key
            if line.files is not None:
                entries[line.name] = Entry(
                    key=line.key, files=line.files, facts=line.facts
                )
        return Listed(manifest, entries | (manifest.parts if manifest else {}), planned)

    def finished(
        self, folder: Path, recipe: Mapping[str, Any], *, overwrite: bool = False
    ) -> Manifest[Facts] | None:
        """Return the manifest of a whole output that is as requested; None if there is work.

        Args:
            folder: The folder.
            recipe: The request.
            overwrite: Take another or a damaged output for unfinished.

        Raises:
            BoilersweepError: The kind's error: there is another or a damaged output.
        """
        listed = self.listed(folder, recipe, overwrite=overwrite)
        manifest = listed.manifest
        if manifest is None or listed.planned:
            return None
        if manifest.recipe != self.grown(manifest, recipe):
            return None
        damage = faults(folder, manifest.files)
        if damage and not overwrite:
            raise self.rejection(folder, f"{DAMAGED}{some_of(damage)}")
        return None if damage else manifest


@dataclass(frozen=True, slots=True)
class Listed(Generic[Facts]):
    """What is ours in a folder.

    Attributes:
        manifest: The manifest; None for an output that is not finished.
        entries: The parts that exist, by name.
        planned: The keys of the parts that the plan names.
    """

    manifest: Manifest[Facts] | None
    entries: dict[str, Entry]
    planned: Mapping[str, str]

    def stranger(
        self, folder: Path, name: str, unlisted: Collection[str] = ()
    ) -> str | None:
        """Return a file that is in a part's way and not ours; None if there is none.

        Args:
            folder: The folder.
            name: The name of the part.
            unlisted: Names of files of ours that no manifest lists.
        """
        path = folder / name
        entry = self.entries.get(name)
        if name in self.planned and (entry is None or entry.key != self.planned[name]):
            return None  # a run was about to replace it
        known = entry.files if entry else {}
        if not is_remote(path) and path.is_dir() and not path.is_symlink():
            inner = (one.relative_to(folder).as_posix() for one in _all_below(path))
            strangers = (
                one for one in inner if one not in known and one not in unlisted
            )
            return next(strangers, None)
        exists = path.exists() if is_remote(path) else os.path.lexists(path)
        return name if exists and entry is None else None

    def require_free(
        self, folder: Path, names: Iterable[str], unlisted: Collection[str] = ()
    ) -> None:
        """Raise OutputError if files that are not ours are where parts are to be."""
        strangers = (self.stranger(folder, name, unlisted) for name in names)
        if strange := [name for name in strangers if name]:
            raise OutputError(
                f"{folder} has files in the way that boilersweep did not write, or that it no "
                f"longer lists: {some_of(strange)}; move them, or choose another `output`"
            )


def write_manifest(
    output: Output[Facts],
    folder: Path,
    facts: Facts,
    recipe: dict[str, Any],
    parts: dict[str, Entry],
) -> Manifest[Facts]:
    """Write the manifest of a finished output unless it is as it would be; raises OutputError."""
    manifest = Manifest(kind=output.name, facts=facts, recipe=recipe, parts=parts)
    path = folder / output.manifest
    text = manifest_text(as_builtins(manifest))
    with output_errors(path):
        is_same = path.exists() and read_regular(path) == text.encode()
    if not is_same:
        write_text(path, text)
    return manifest


def portable_text(manifest: Manifest[Any]) -> str:
    """Return the text of a manifest without the states of files, which a copy does not have."""
    value = as_builtins(manifest)
    for part in value["parts"].values():
        for file in part["files"].values():
            file.pop("state", None)
    return manifest_text(value)


def files_of(folder: Path, name: str) -> dict[str, FileEntry]:
    """Return the entries of a part's files, hidden ones left out; raises OSError.

    Args:
        folder: The output.
        name: The name of the part.
    """
    path = folder / name
    names = [name]
    if not is_remote(path) and path.is_dir():
        below = {one: one.relative_to(path).parts for one in _all_below(path)}
        names = [
            one.relative_to(folder).as_posix()
            for one, parts in below.items()
            if not any(part.startswith(".") for part in parts)
        ]
    states = {one: state_of(folder / one) for one in names}
    return {
        one: {**entry, "state": states[one]}
        for one, entry in listing(folder, names).items()
    }


def _all_below(folder: Path) -> list[Path]:
    return sorted(
        path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()
    )
