"""An output folder: one kind, one writer, and a manifest that lists its files, written last.

A `Kind` declares what its manifest says and which files are its own. `OutputFolder` does the rest:
it rejects another or a damaged output and names the differences, clears one for `--overwrite` with
the manifest first, so that no kill leaves it beside anything new, and finds what is missing,
changed, or not listed.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from boilersweep.errors import BoilersweepError, OutputError, reason_of
from boilersweep.outputs.files import (
    only_writer,
    output_errors,
    remove_folder,
    remove_leftovers,
    sync_files,
    write_text,
)
from boilersweep.outputs.identity import differences, some_of
from boilersweep.outputs.manifest_file import (
    LISTING,
    Listing,
    faults,
    listing,
    read_manifest,
    require_shape,
    write_manifest,
)

MANIFEST = "manifest.json"
INDEX_MANIFEST = "boilersweep.json"
MANIFESTS = (MANIFEST, INDEX_MANIFEST)
KIND = "kind"
ADVICE = "choose another --output, or pass --overwrite to rebuild it"

Manifest = dict[str, Any]

SHARDS = "shard-*.parquet"
"""The shards of a block store; beside a damaged manifest they say that it was one."""

_ANSWERS = frozenset(".csv .html .json .jsonl .npz .parquet .png .svg .tex .trec".split())
"""Suffixes, before that of a compression, of what our commands write."""

_PACKED = frozenset((".gz", ".bz2", ".xz", ".zst"))


def _files_of(manifest: Mapping[str, Any]) -> Listing:
    listed: Listing = manifest.get("files", ())  # which is no listing: see `Kind.checked`
    return listed


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What one kind of output declares.

    name: as messages call it. command: what finishes it. shape: of its manifest, see
    `require_shape`. own: patterns of the files that belong to this kind wherever they come from,
    in the order in which they are removed; one that matches a folder covers all in it. strict: the
    folders, by a manifest, in which every file must be listed, "" for the output. unlisted:
    patterns of what is neither listed nor stray. manifest: its file. listed: the files that a
    manifest lists. error: for an output that cannot be used.
    """

    name: str
    command: str
    shape: Mapping[str, Any] = field(default_factory=dict)
    own: tuple[str, ...] = ()
    strict: Callable[[Mapping[str, Any]], Iterable[str]] = lambda _: ()
    unlisted: tuple[str, ...] = ()
    manifest: str = MANIFEST
    listed: Callable[[Mapping[str, Any]], Listing] = _files_of
    error: type[BoilersweepError] = OutputError

    def __str__(self) -> str:
        return f"{'an' if self.name[0] in 'aeio' else 'a'} {self.name}"

    def another(self, changes: Sequence[str]) -> str:
        """The clause for an output whose identity differs from the requested one."""
        return f"contains another {self.name} than requested: {some_of(changes)}"

    def checked(self, manifest: Manifest) -> Manifest:
        """The manifest; raises ValueError for a missing key or a value of another type."""
        require_shape(manifest, self.shape)
        require_shape(self.listed(manifest), LISTING)
        for name in self.listed(manifest):
            if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
                raise ValueError(f"expected files below the folder, got {name}")
        return manifest


@dataclass(slots=True)
class Checked:
    """What `check` found of one output. unseen: what it could not look at, and why."""

    kind: str
    path: Path
    faults: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)

    def collect(self, found: Iterable[str]) -> None:
        """Add faults; an error that ends the search is the last of them."""
        try:
            self.faults.extend(found)
        except BoilersweepError as error:
            self.faults.append(str(error))
        except (LookupError, TypeError, ValueError, AttributeError, OSError) as error:
            # A manifest can be forged beyond what its shape tells.
            self.faults.append(f"it cannot be checked any further ({error!r}); make it again")


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """A folder that holds, or is to hold, an output of one kind."""

    path: Path
    kind: Kind

    @property
    def manifest(self) -> Path:
        """The file of the manifest."""
        return self.path / self.kind.manifest

    def names(self, files: Iterable[Path]) -> list[str]:
        """Files below the folder, as a manifest names them."""
        return [path.relative_to(self.path).as_posix() for path in files]

    @contextlib.contextmanager
    def held(self, lock_name: str = ".lock") -> Iterator[None]:
        """Hold the folder as its one writer, without leftovers of killed runs; raises BusyError."""
        with only_writer(self.path, lock_name):
            remove_leftovers(self.path)
            yield

    def read(self, *, overwrite: bool = False) -> Manifest | None:
        """The manifest, None where there is none.

        overwrite: a damaged one counts as none. Raises the kind's error for a damaged manifest,
        and for that of another kind.
        """
        try:
            manifest = read_manifest(self.manifest)
            if manifest.get(KIND) != self.kind.name:
                raise self.kind.error(
                    f"{self.manifest} belongs to another output, not to {self.kind}; choose "
                    "another folder"
                )
            return self.kind.checked(manifest)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            if overwrite and (SHARDS in self.kind.own or not any(self.path.glob(SHARDS))):
                return None
            raise self.kind.error(
                f"{self.manifest} is not the manifest of {self.kind} ({reason_of(error)}); "
                "rebuild it with --overwrite, or choose another folder"
            ) from error

    def require(self) -> Manifest:
        """The manifest; raises the kind's error also where the output is not finished."""
        manifest = self.read()
        if manifest is None:
            raise self.kind.error(
                f"{self.path} is not finished: it has no {self.kind.manifest}; run "
                f"`boilersweep {self.kind.command}` again"
            )
        return manifest

    def finished(self, identity: Mapping[str, Any], *, overwrite: bool = False) -> Manifest | None:
        """The manifest of the output with this identity, None where it must be made.

        overwrite: another or a damaged output is None, too; the caller clears it. Otherwise raises
        the kind's error with the differences.
        """
        manifest = self.read(overwrite=overwrite)
        if manifest is None:
            return None
        wrong = self.mismatch(manifest, identity)
        if wrong is None:
            return manifest
        if overwrite:
            return None
        raise self.rejection(wrong)

    def mismatch(
        self, manifest: Mapping[str, Any] | None, identity: Mapping[str, Any]
    ) -> str | None:
        """Why this is no whole output with this identity, to follow its name; None if it is."""
        if manifest is None:
            return f"has no {self.kind.manifest}"
        if changes := differences(manifest["identity"], identity):
            changes.sort(key=lambda change: change.startswith("variants "))  # may be a hundred
            return self.kind.another(changes)
        if found := self.damage(manifest):
            return f"is not as it was written: {some_of(found)}"
        return None

    def rejection(self, wrong: str, advice: str = ADVICE) -> BoilersweepError:
        """The error that rejects the folder. wrong: see `mismatch`. advice: what to do."""
        return self.kind.error(f"{self.path} {wrong}; {advice}")

    def damage(self, manifest: Mapping[str, Any]) -> list[str]:
        """A sentence for each of its own files that is missing, changed or not listed."""
        listed = self.kind.listed(manifest)
        own = {name: entry for name, entry in listed.items() if not is_output(name)}
        return [*faults(self.path, own), *self._sentences(self._unlisted(manifest).strict)]

    def make_way(self, *, overwrite: bool = False) -> Manifest | None:
        """The manifest of what must go before the store in the folder changes.

        Raises the kind's error where the output is finished and is to stay.
        """
        manifest = self.read(overwrite=overwrite)
        if manifest is not None and not overwrite:
            raise self.kind.error(
                f"{self.path} contains a finished {self.kind.name}, but its block store is not "
                f"whole; {ADVICE}"
            )
        return manifest

    def clear(self, own: Collection[str] = ()) -> None:
        """Remove the output, the manifest first. Further outputs in the folder stay.

        own: patterns beside those of the kind.
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
                    with contextlib.suppress(OSError):  # something of somebody else's is in it
                        path.rmdir()
                    path = path.parent

    def seal(
        self, said: Mapping[str, Any], identity: Mapping[str, Any], files: Iterable[str] | Listing
    ) -> Manifest:
        """Write the manifest, and return it. said: what it says beside.

        files: below the folder; a listing is taken as it is. Raises OutputError.
        """
        if not isinstance(files, Mapping):
            with output_errors(self.path):
                names = list(files)
                sync_files([self.path / name for name in names if not is_output(name)])
                files = listing(self.path, names)
        manifest = {KIND: self.kind.name, **said, "identity": dict(identity), "files": dict(files)}
        write_manifest(self.manifest, manifest)
        return manifest

    def replace_file(self, name: str, text: str) -> None:
        """Write a file of a finished output again; the caller holds the folder.

        At no time does the manifest list what the file is not: it is listed last.
        """
        manifest = self.require()
        files = manifest["files"]
        others = {other: entry for other, entry in files.items() if other != name}
        write_manifest(self.manifest, {**manifest, "files": others})
        write_text(self.path / name, text)
        with output_errors(self.path):
            files |= listing(self.path, [name])
        write_manifest(self.manifest, {**manifest, "files": files})

    def check(
        self,
        verify: Callable[[Manifest], Iterable[str]] = lambda _: (),
        *,
        apart: Callable[[str], bool] = lambda _: False,
        beside: Collection[str] = (),
    ) -> Checked:
        """Compare the folder with its manifest.

        verify: what else is wrong with it. apart: whether a listed file is checked elsewhere.
        beside: files that another manifest in the folder lists.
        """
        checked = Checked(self.kind.name, self.path)

        def found() -> Iterator[str]:
            manifest = self.require()
            listed = self.kind.listed(manifest)
            yield from faults(self.path, {n: entry for n, entry in listed.items() if not apart(n)})
            unlisted = self._unlisted(manifest, beside)
            yield from self._sentences([*unlisted.strict, *unlisted.plain])
            checked.unseen += [f"{n}, which is not of this output" for n in unlisted.others]
            yield from verify(manifest)

        checked.collect(found())
        return checked

    def _unlisted(self, manifest: Mapping[str, Any], beside: Collection[str] = ()) -> "_Unlisted":
        listed = self.kind.listed(manifest)
        own = {path for pattern in self.kind.own for path in self.path.glob(pattern)}
        left = {path for pattern in self.kind.unlisted for path in self.path.glob(pattern)}
        known = {*listed, *beside, self.kind.manifest, *self.names(left)}
        folders = {above.as_posix() for name in listed for above in PurePosixPath(name).parents}
        strict = set(self.kind.strict(manifest))
        found = _Unlisted()
        for path in visible(self.path):
            name = path.name
            if name in known:
                continue
            if name in strict or "" in strict:
                found.strict += self._unlisted_below(path, known, folders)
            elif not path.is_dir():
                (found.plain if path in own or _is_answer(path) else found.others).append(name)
            elif name not in folders and any(visible(path)) and not holds_output(path):
                found.plain.append(f"{name}/")
        return found

    def _unlisted_below(
        self, path: Path, known: Collection[str], folders: Collection[str]
    ) -> Iterator[str]:
        """What is not listed at a path in a strict folder."""
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
            f"{name} is not listed in {self.kind.manifest}; move it elsewhere" for name in names
        ]


@dataclass(slots=True)
class _Unlisted:
    """Names of what a manifest does not list.

    strict, plain: strays, which could be taken for answers of the output. others: notes and logs.
    """

    strict: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def is_output(name: str) -> bool:
    """Whether a listed file is the manifest of a further output in the folder."""
    return "/" in name and PurePosixPath(name).name in MANIFESTS


def holds_output(folder: Path) -> bool:
    """Whether a folder has a manifest of its own, and is checked by that."""
    return any((folder / name).is_file() for name in MANIFESTS)


def visible(folder: Path) -> list[Path]:
    """What is in a folder, by name, without hidden files: those of the system and of locks."""
    return [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]


def _is_answer(path: Path) -> bool:
    suffixes = [suffix for suffix in path.suffixes if suffix not in _PACKED]
    return bool(suffixes) and suffixes[-1] in _ANSWERS
