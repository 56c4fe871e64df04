"""An output folder: one kind, one writer, and a manifest that lists its files, written last.

An `OutputKind` declares the type of its manifest and its own files. `OutputFolder` does the rest:
it rejects another or a damaged output and names the differences, clears one for `--overwrite` with
the manifest first, so that no kill leaves it beside anything new, and finds what is missing,
changed, or not listed.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import Any, Generic, TypeVar

from boilersweep.errors import BoilersweepError, OutputError, UsageError, reason_of
from boilersweep.outputs.atomic import (
    output_errors,
    remove_empty,
    remove_folder,
    sync_files,
    write_text,
)
from boilersweep.outputs.identity import differences, some_of
from boilersweep.outputs.manifest_file import (
    Listing,
    faults,
    listing,
    read_manifest,
    write_manifest,
)
from boilersweep.outputs.parts import NotChecked, Output
from boilersweep.outputs.plan import unfinished_kind
from boilersweep.outputs.typed_files import as_builtins, as_type

MANIFEST = "manifest.json"
INDEX_MANIFEST = "boilersweep.json"
MANIFESTS = (MANIFEST, INDEX_MANIFEST)
KIND = "kind"
ADVICE = "choose another --output, or pass --overwrite to rebuild it"

# The type of a kind's manifest.
Manifest = TypeVar("Manifest")

# The shards of a block store; beside a damaged manifest they say that it was one.
SHARDS = "shard-*.parquet"

# Suffixes, before that of a compression, of what our commands write.
_ANSWERS = frozenset(
    ".csv .html .json .jsonl .npz .parquet .png .svg .tex .trec".split()
)

_PACKED = frozenset((".gz", ".bz2", ".xz", ".zst"))


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputKind(Generic[Manifest]):
    """The declaration of one kind of output.

    Attributes:
        name: The name in messages and in the manifest.
        command: The command that finishes such an output.
        manifest_type: The type of the manifest, usually an `OutputManifest`.
        own: Patterns of the files that belong to this kind wherever they come from, in the order
            in which they are removed; a pattern that matches a folder covers everything in it.
        strict: A function from the manifest to the folders in which every file must be listed;
            "" is the output itself.
        unlisted: Patterns of files that need not be listed.
        begun: Patterns of files that a run that has not ended leaves beside a finished output.
        follows: Keys of the identity whose change is no difference: the output is brought up to
            date.
        manifest: The name of the manifest's file.
        listed: A function from the manifest to the files that it lists.
        error: The error for an output that cannot be used.
        is_exact: Reject a manifest with unknown keys, or without one that has a default.
    """

    name: str
    command: str
    manifest_type: type[Manifest]
    own: tuple[str, ...] = ()
    strict: Callable[[Manifest], Iterable[str]] = lambda _: ()
    unlisted: tuple[str, ...] = ()
    begun: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    manifest: str = MANIFEST
    listed: Callable[[Manifest], Listing] = attrgetter("files")
    is_exact: bool = False
    error: type[BoilersweepError] = OutputError

    def __str__(self) -> str:
        return f"{'an' if self.name[0] in 'aeio' else 'a'} {self.name}"

    def another(self, changes: Sequence[str]) -> str:
        """Return the clause for an output whose identity differs from the requested one."""
        return f"contains another {self.name} than requested: {some_of(changes)}"

    def typed(self, manifest: Mapping[str, Any]) -> Manifest:
        """Return a decoded manifest as its type.

        Raises:
            ValueError: A value is missing or has another type, or the listing names a file outside
                of the folder.
        """
        typed = as_type(manifest, self.manifest_type)
        known = {KIND: self.name, **as_builtins(typed)} if self.is_exact else manifest
        if changes := differences(manifest, known):
            raise ValueError(f"expected the keys of {self}: {some_of(changes)}")
        for name in self.listed(typed):
            if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
                raise ValueError(f"expected files below the folder, got {name}")
        return typed


@dataclass(slots=True)
class Checked:
    """The result of checking one output.

    Attributes:
        kind: The kind of the output.
        path: Its place.
        faults: A sentence for each fault.
        unseen: Clauses about what could not be checked, and why.
    """

    kind: str
    path: Path
    faults: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)

    def collect(self, faults: Iterable[str]) -> None:
        """Add faults; an error that ends the search is the last of them."""
        try:
            self.faults.extend(faults)
        except BoilersweepError as error:
            self.faults.append(str(error))
        except (LookupError, TypeError, ValueError, AttributeError, OSError) as error:
            # A manifest can be forged beyond what its type tells.
            self.faults.append(
                f"it cannot be checked any further ({error!r}); make it again"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """What a check needs to know beside the path.

    Attributes:
        store: The block store that the output was made from, if it is known. Its type belongs to a
            higher layer.
        beside: Whether the store only has the usual name in a folder around the output, which may
            be another one's.
        has_input: Whether the input of a block store is checked, too.
    """

    store: Any = None
    beside: bool = False
    has_input: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputCheck:
    """The declaration of how `boilersweep check` recognises and verifies one kind of output.

    The module of each kind declares one named CHECK; the command has a table of these modules.

    Attributes:
        check: A function that checks the output at a path.
        manifest: The kind's name in `manifest.json`; "" for a kind without that file.
        marks: Patterns of files that show such an output where `manifest.json` is damaged or gone.
        recognises: A function that recognises an output without `manifest.json`.
        parts: Names of the folders that belong to such an output, and are checked with it.
        store_of: A function that opens the block store of an output, if that can be found.
    """

    check: Callable[[Path, CheckRequest], Iterable[Checked]]
    manifest: str = ""
    marks: tuple[str, ...] = ()
    recognises: Callable[[Path], bool] = lambda _: False
    parts: tuple[str, ...] = ()
    store_of: Callable[[Path], Any] = lambda _: None

    def is_marked(self, folder: Path) -> bool:
        """Return whether a folder has a file of this kind."""
        return any(any(folder.glob(pattern)) for pattern in self.marks)


def check_of(output: Output[Any]) -> OutputCheck:
    """Return the check of an output of parts, until all outputs are."""

    def check(path: Path, request: CheckRequest) -> Iterator[Checked]:
        checked = Checked(output.name, path)
        for found in output.check(path, request.store):
            is_fault = not isinstance(found, NotChecked)
            (checked.faults if is_fault else checked.unseen).append(found)
        yield checked

    return OutputCheck(
        check=check,
        manifest=output.name,
        recognises=lambda path: (
            unfinished_kind(path) == output.name and not (path / MANIFEST).exists()
        ),
    )


@dataclass(frozen=True, slots=True)
class OutputFolder(Generic[Manifest]):
    """A folder that holds, or is to hold, an output of one kind."""

    path: Path
    kind: OutputKind[Manifest]

    @property
    def manifest(self) -> Path:
        """The file of the manifest."""
        return self.path / self.kind.manifest

    def names(self, files: Iterable[Path]) -> list[str]:
        """Return files below the folder, as a manifest names them."""
        return [path.relative_to(self.path).as_posix() for path in files]

    def read(self, *, overwrite: bool = False) -> Manifest | None:
        """Read the manifest.

        Args:
            overwrite: Treat a damaged manifest as missing.

        Returns:
            The manifest, or None if there is none.

        Raises:
            BoilersweepError: The kind's error: the manifest is damaged or of another kind.
        """
        values = self._values(overwrite=overwrite)
        return None if values is None else self.kind.typed(values)

    def _values(self, *, overwrite: bool) -> dict[str, Any] | None:
        """Return the manifest's JSON, which `OutputKind.typed` accepts; see `read`."""
        try:
            values = read_manifest(self.manifest)
            if (kind := values.get(KIND)) == self.kind.name:
                self.kind.typed(values)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, UsageError) as error:
            if overwrite and (
                SHARDS in self.kind.own or not any(self.path.glob(SHARDS))
            ):
                return None
            raise self.kind.error(
                f"{self.manifest} is not the manifest of {self.kind} ({reason_of(error)}); "
                "rebuild it with --overwrite, or choose another folder"
            ) from error
        if kind != self.kind.name:
            raise self.kind.error(
                f"{self.manifest} belongs to another output, not to {self.kind}; choose another "
                "folder"
            )
        return values

    def require(self) -> Manifest:
        """Return the manifest; raises the kind's error also if the output is not finished."""
        manifest = self.read()
        if manifest is None:
            raise self.kind.error(
                f"{self.path} is missing or not finished: it has no {self.kind.manifest}; run "
                f"`boilersweep {self.kind.command}` again"
            )
        return manifest

    def finished(
        self, identity: Mapping[str, Any], *, overwrite: bool = False
    ) -> Manifest | None:
        """Return the manifest of a whole output with an identity.

        Args:
            identity: What the output is to depend on.
            overwrite: Treat another or a damaged output as missing; the caller clears it.

        Returns:
            The manifest, or None if the output must be made or brought up to date.

        Raises:
            BoilersweepError: The kind's error, with the differences.
        """
        values = self._values(overwrite=overwrite)
        if values is None:
            return None
        made = values["identity"]
        followed = {key: made[key] for key in self.kind.follows if key in made}
        wrong = self._mismatch(values, {**identity, **followed})
        if wrong is None and followed.items() <= identity.items():
            return self.kind.typed(values)
        if wrong is None or overwrite:
            return None
        raise self.rejection(wrong)

    def mismatch(self, identity: Mapping[str, Any]) -> str | None:
        """Return why this is no whole output with an identity, to follow its name; None if it is.

        Raises:
            BoilersweepError: The kind's error, for a manifest that cannot be read.
        """
        values = self._values(overwrite=False)
        if values is None:
            return f"has no {self.kind.manifest}"
        return self._mismatch(values, identity)

    def _mismatch(
        self, values: dict[str, Any], identity: Mapping[str, Any]
    ) -> str | None:
        if changes := differences(values["identity"], identity):
            # A sweep may differ by a hundred variants: their clauses come last.
            changes.sort(key=lambda change: change.startswith("variants "))
            return self.kind.another(changes)
        if damage := self.damage(self.kind.typed(values)):
            return f"is not as it was written: {some_of(damage)}"
        return None

    def rejection(self, wrong: str, advice: str = ADVICE) -> BoilersweepError:
        """Return the error that rejects the folder.

        Args:
            wrong: See `mismatch`.
            advice: What to do.
        """
        return self.kind.error(f"{self.path} {wrong}; {advice}")

    def damage(self, manifest: Manifest) -> list[str]:
        """Return a sentence for each of its own files that is missing, changed or not listed."""
        listed = self.kind.listed(manifest)
        own = {name: entry for name, entry in listed.items() if not is_output(name)}
        begun = self.names(chain.from_iterable(map(self.path.glob, self.kind.begun)))
        strays = [n for n in self._unlisted(manifest).strict if n not in begun]
        return [*faults(self.path, own), *self._sentences(strays)]

    def clear(self, own: Collection[str] = ()) -> None:
        """Remove the output, the manifest first. Further outputs in the folder stay.

        Args:
            own: Patterns beside those of the kind.
        """
        manifest = self.read(overwrite=True)
        listed = self.kind.listed(manifest) if manifest else ()
        with output_errors(self.path):
            self.manifest.unlink(missing_ok=True)
            found = [self.path / name for name in listed if not is_output(name)]
            for pattern in (*self.kind.own, *own):
                found += sorted(self.path.glob(pattern))
            for path in found:
                if path.is_dir() and not path.is_symlink():
                    remove_folder(path)
                else:
                    path.unlink(missing_ok=True)
            for path in sorted({path.parent for path in found}, reverse=True):
                while path != self.path and self.path in path.parents:
                    remove_empty(path)
                    path = path.parent

    def seal(
        self,
        said: Mapping[str, Any],
        identity: Mapping[str, Any],
        files: Iterable[str] | Listing,
    ) -> Manifest:
        """Write the manifest, and return it.

        Args:
            said: What the manifest says besides identity and files.
            identity: What the output depends on.
            files: The names of the files below the folder, or their listing.

        Raises:
            OutputError: A file cannot be read, or the manifest cannot be written.
        """
        if not isinstance(files, Mapping):
            with output_errors(self.path):
                names = list(files)
                sync_files([self.path / name for name in names if not is_output(name)])
                files = listing(self.path, names)
        values = {
            KIND: self.kind.name,
            **said,
            "identity": dict(identity),
            "files": dict(files),
        }
        write_manifest(self.manifest, values)
        return self.kind.typed(values)

    def replace_file(self, name: str, text: str) -> None:
        """Write a file of a finished output again; the caller holds the folder.

        At no time does the manifest list what the file is not: it is listed last.
        """
        self.require()
        values = read_manifest(self.manifest)
        files = values["files"]
        others = {other: entry for other, entry in files.items() if other != name}
        write_manifest(self.manifest, {**values, "files": others})
        write_text(self.path / name, text)
        with output_errors(self.path):
            files |= listing(self.path, [name])
        write_manifest(self.manifest, {**values, "files": files})

    def check(
        self,
        verify: Callable[[Manifest], Iterable[str]] = lambda _: (),
        *,
        apart: Callable[[str], bool] = lambda _: False,
    ) -> Checked:
        """Compare the folder with its manifest.

        Args:
            verify: What else is wrong with it.
            apart: Whether a listed file is checked elsewhere.
        """
        checked = Checked(self.kind.name, self.path)

        def found() -> Iterator[str]:
            manifest = self.require()
            listed = self.kind.listed(manifest)
            yield from faults(
                self.path, {n: entry for n, entry in listed.items() if not apart(n)}
            )
            unlisted = self._unlisted(manifest)
            yield from self._sentences([*unlisted.strict, *unlisted.plain])
            checked.unseen += [
                f"{n}, which is not of this output" for n in unlisted.others
            ]
            yield from verify(manifest)

        checked.collect(found())
        return checked

    def _unlisted(self, manifest: Manifest) -> "_Unlisted":
        listed = self.kind.listed(manifest)
        own = {path for pattern in self.kind.own for path in self.path.glob(pattern)}
        left = {
            path for pattern in self.kind.unlisted for path in self.path.glob(pattern)
        }
        known = {*listed, self.kind.manifest, *self.names(left)}
        folders = {
            above.as_posix() for name in listed for above in PurePosixPath(name).parents
        }
        strict = set(self.kind.strict(manifest))
        found = _Unlisted()
        for path in visible(self.path):
            name = path.name
            if name in known:
                continue
            if name in strict or "" in strict:
                found.strict += self._unlisted_below(path, known, folders)
            elif not path.is_dir():
                (
                    found.plain if path in own or _is_answer(path) else found.others
                ).append(name)
            elif name not in folders and any(visible(path)) and not holds_output(path):
                found.plain.append(f"{name}/")
        return found

    def _unlisted_below(
        self, path: Path, known: Collection[str], folders: Collection[str]
    ) -> Iterator[str]:
        name = path.relative_to(self.path).as_posix()
        if name in known or f"{name}/{INDEX_MANIFEST}" in known:
            return
        if path.is_dir() and (name in folders or path.parent == self.path):
            for below in visible(path):
                yield from self._unlisted_below(below, known, folders)
        else:
            yield name

    def _sentences(self, names: Iterable[str]) -> list[str]:
        return [
            f"{name} is not listed in {self.kind.manifest}; move it elsewhere"
            for name in names
        ]


@dataclass(slots=True)
class _Unlisted:
    """Names of what a manifest does not list.

    Attributes:
        strict: Strays in the folders in which a kind lists every file (`OutputKind.strict`); they
            damage the output.
        plain: Other strays that could be taken for answers of the output; `check` names them.
        others: Notes and logs.
    """

    strict: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def is_output(name: str) -> bool:
    """Return whether a listed file is the manifest of a further output in the folder."""
    return "/" in name and PurePosixPath(name).name in MANIFESTS


def holds_output(folder: Path) -> bool:
    """Return whether a folder has a manifest of its own, and is checked by that."""
    return any((folder / name).is_file() for name in MANIFESTS)


def visible(folder: Path) -> list[Path]:
    """Return what is in a folder, by name, without hidden files, such as locks."""
    return [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]


def _is_answer(path: Path) -> bool:
    suffixes = [suffix for suffix in path.suffixes if suffix not in _PACKED]
    return bool(suffixes) and suffixes[-1] in _ANSWERS
