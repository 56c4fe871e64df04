"""Write an output as its one writer: refuse, plan, make what is missing, write the manifest."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic

import msgspec

from boilersweep.errors import OutputError
from boilersweep.outputs.atomic import (
    make_folder,
    output_errors,
    place_file,
    remove_empty,
    remove_folder,
    remove_leftovers,
    remove_made,
    sync_files,
    write_text,
)
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.locations import is_remote, refuse_inputs
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.manifest_file import (
    FileEntry,
    faults,
    faulty_files,
    state_of,
)
from boilersweep.outputs.parts import (
    DAMAGED,
    Entry,
    Facts,
    Listed,
    Manifest,
    Output,
    Part,
    files_of,
    write_manifest,
)
from boilersweep.outputs.plan import PLAN, Plan, Planned
from boilersweep.outputs.typed_files import as_builtins


@contextlib.contextmanager
def writing(
    output: Output[Facts],
    folder: Path,
    recipe: Mapping[str, Any],
    parts: Sequence[Part],
    *,
    inputs: Iterable[Path] = (),
    closed: Iterable[Path] = (),
    overwrite: bool = False,
) -> Iterator["Writer[Facts]"]:
    """Hold a folder as its one writer, with the plan of a request.

    The caller makes `missing`, adds each part, and calls `finish`.

    Args:
        output: The kind of output.
        folder: The folder.
        recipe: What the output as a whole is asked for, as nested JSON.
        parts: The parts that it may have, in their order; `Writer.want` adds others.
        inputs: What the command reads, which no part may replace.
        closed: What it reads that the output may not lie in; see `refuse_inputs`.
        overwrite: Replace parts that have other recipes or are damaged.

    Raises:
        BoilersweepError: The kind's error: the folder has another or a damaged output.
        OutputError: Something else is in the way, or the folder cannot be written.
        UsageError: A part would replace an input.
        BusyError: Another process writes the folder.
    """
    written = [*(part.name for part in parts), output.manifest, PLAN]
    refuse_inputs(folder, written, inputs=inputs, closed=closed)
    with only_writer(folder):
        listed = output.listed(folder, recipe, overwrite=overwrite)
        writer = Writer(output, folder, recipe, parts, listed, overwrite=overwrite)
        try:
            yield writer
        finally:
            writer.close()
            remove_made(folder)


def _line(name: str, entry: Entry) -> Planned:
    return Planned(name=name, key=entry.key, files=entry.files, facts=entry.facts)


class Writer(Generic[Facts]):
    """The one writer of an output: what is missing, what was added, and the manifest.

    Attributes:
        folder: The folder.
        listed: All parts of ours in the folder when the run began, requested or not, by name.
        entries: The requested parts that exist, by name.
        missing: The parts to make of those requested at first.
        before: The manifest at the beginning; None if there was none.
    """

    def __init__(
        self,
        output: Output[Facts],
        folder: Path,
        recipe: Mapping[str, Any],
        parts: Iterable[Part],
        listed: Listed[Facts],
        *,
        overwrite: bool,
    ) -> None:
        self.folder = folder
        self.before = listed.manifest
        self.listed = listed.entries
        self.entries: dict[str, Entry] = {}
        self._output = output
        self._recipe = output.grown(listed.manifest, recipe)
        self._stay: Mapping[str, Entry] = {}
        before = listed.manifest
        grows = output.grows and before and not output.differences(before, recipe)
        if before and (output.keeps or grows):
            self._stay = before.parts
        self._overwrite = overwrite
        self._parts: dict[str, Part] = {}
        self._known = listed
        self._plan = Plan(folder, output.name)
        self._has_manifest = before is not None
        self._is_finished = False
        self.missing = self.want(parts)

    def want(self, parts: Iterable[Part]) -> list[Part]:
        """Add parts to the request, and return those to make, optional ones among them.

        Raises:
            BoilersweepError: As `writing`; nothing has changed then.
        """
        wanted = {part.name: part for part in parts}
        known = {**self.listed, **self.entries}
        same = {
            name: entry
            for name, part in wanted.items()
            if (entry := known.get(name)) and entry.key == part.key
            if part.serves(entry.facts)
        }
        damage = _damage(self.folder, same)
        is_whole = self.before is not None and self.before.recipe == self._recipe
        missing = [
            part
            for name, part in wanted.items()
            if name in damage or (name not in same and not (part.optional and is_whole))
        ]
        self._refuse_damage(damage)
        self.require_free(one.name for one in missing if one.name not in self._parts)
        self._parts |= wanted
        self.entries |= {
            name: _fresh(self.folder, entry)
            for name, entry in same.items()
            if name not in damage
        }
        self._note(missing)
        return missing

    def require_free(self, names: Iterable[str]) -> None:
        """Raise OutputError if files that are not ours are where parts are to be."""
        self._known.require_free(self.folder, names)

    def _refuse_damage(self, damage: Mapping[str, Sequence[str]]) -> None:
        wrong = [
            one for name in damage if name in self._finished for one in damage[name]
        ]
        if wrong and not self._overwrite:
            raise self._output.rejection(self.folder, f"{DAMAGED}{some_of(wrong)}")

    def adopt(self, names: Iterable[str]) -> None:
        """Take files for ours that no manifest lists, as something else proves that they are."""
        self.listed |= {name: Entry(key="", files={}) for name in names}

    def _note(self, missing: Sequence[Part]) -> None:
        """Write into the plan which parts are about to be made."""
        lines = [Planned(name=part.name, key=part.key) for part in missing]
        if not self._plan.is_written and (missing or self._leaving()):
            lines = [*self._ours(), *lines]
        self._plan.append(lines)
        if any(part.name in self._finished for part in missing):
            # The manifest lists what a kill from now on may leave replaced.
            self._has_manifest = False
            with output_errors(self.folder):
                (self.folder / self._output.manifest).unlink(missing_ok=True)
        for folder in {(self.folder / part.name).parent for part in missing}:
            if folder != self.folder and folder.is_dir():
                remove_leftovers(folder)

    @property
    def _finished(self) -> Mapping[str, Entry]:
        return self.before.parts if self.before else {}

    def _leaving(self) -> list[str]:
        """Return the names of what is ours and not asked for."""
        known = {**self._known.planned, **self.listed}
        stay = {*self._parts, *self._stay}
        return [name for name in known if name not in stay]

    def _ours(self) -> Iterator[Planned]:
        for name, key in self._known.planned.items():
            yield Planned(name=name, key=key)
        for name, entry in self.listed.items():
            yield _line(name, entry)

    def add(
        self, name: str, facts: Any = None, files: Mapping[str, FileEntry] | None = None
    ) -> None:
        """Note that a part exists under its name.

        Args:
            name: The name.
            facts: What its maker counted, a JSON-able value, a dataclass or a struct.
            files: Its files, as `files_of` lists them; None to list them here.

        Raises:
            OutputError: The part is missing, or the plan cannot be written.
        """
        if files is None:
            with output_errors(self.folder / name):
                files = files_of(self.folder, name)
        elif unseen := faults(self.folder, files):
            raise OutputError(
                f"{self.folder}: {unseen[0]}, as this process sees it; workers need `output` in a "
                "folder that all machines share under the same path"
            )
        entry = Entry(
            key=self._parts[name].key, files=dict(files), facts=as_builtins(facts)
        )
        self.entries[name] = entry
        self._plan.append([_line(name, entry)])

    def place(
        self, part: Part, hidden: Path, entry: FileEntry, facts: Any = None
    ) -> None:
        """Give a file that was made its name, which was not known before, and add it.

        Args:
            part: The part, which becomes one of those requested.
            hidden: The file, see `atomic.hidden_file`.
            entry: Its size and digest.
            facts: As `add` takes them.

        Raises:
            OutputError: The file is not seen here, another one is in its way, or it cannot be
                written.
        """
        if not hidden.exists():
            raise OutputError(
                f"a worker wrote {hidden}, which this process does not see; workers need `output` "
                "in a folder that all machines share under the same path"
            )
        if part.name not in self._parts:
            self.require_free([part.name])
        self._parts[part.name] = part
        facts = as_builtins(facts)
        planned = Entry(key=part.key, files={part.name: entry}, facts=facts)
        ours = [] if self._plan.is_written else [*self._ours()]
        self._plan.append([*ours, _line(part.name, planned)])
        place_file(hidden, self.folder / part.name)
        listed: FileEntry = {**entry, "state": state_of(self.folder / part.name)}
        self.entries[part.name] = Entry(
            key=part.key, files={part.name: listed}, facts=facts
        )

    def discard_missing(self) -> None:
        """Remove what is to be made anew now, so that no kill leaves it beside anything new."""
        names = [part.name for part in self.missing if part.name in self.listed]
        self._remove(names)

    def text(self, name: str, text: str) -> Path:
        """Write a part that is a text file, add it, and return its path."""
        path = self.folder / name
        make_folder(path.parent)
        write_text(path, text)
        self.add(name)
        return path

    def finish(
        self, facts: Facts, order: Iterable[str] | None = None
    ) -> Manifest[Facts]:
        """Write the manifest if it differs, then remove what it no longer lists.

        Args:
            facts: What it says of the whole.
            order: The names of the parts in their order; by default that of the request.

        Raises:
            OutputError: A part is missing, or the manifest cannot be written.
        """
        lacking = [
            n
            for n, one in self._parts.items()
            if n not in self.entries and not one.optional
        ]
        if lacking:
            raise OutputError(
                f"{self.folder} lacks {some_of(lacking)}; run the command again"
            )
        made = {n: self.entries[n] for n in order or self._parts if n in self.entries}
        parts = {**self._stay, **made}
        if self._output.grows:  # by name, whatever the requests were that made it
            parts = dict(sorted(parts.items()))
        new = [
            file
            for name, one in parts.items()
            if name not in self._finished
            for file in one.files
        ]
        if not is_remote(self.folder):
            with output_errors(self.folder):
                sync_files([self.folder / name for name in new])
        for key in self._output.grows:
            named = self._recipe[key]
            self._recipe[key] = {name: named[name] for name in parts if name in named}
        manifest = write_manifest(self._output, self.folder, facts, self._recipe, parts)
        ours = {**self._known.planned, **self.listed}
        self._remove([name for name in ours if name not in parts])
        self._is_finished = True
        return manifest

    def _remove(self, names: Iterable[str]) -> None:
        with output_errors(self.folder):
            for name in names:
                entry = self.listed.get(name)
                if self._known.stranger(self.folder, name) is None:
                    _remove_part(self.folder / name)
                else:  # a folder with somebody's files
                    for file in entry.files if entry else ():
                        (self.folder / file).unlink(missing_ok=True)
                for above in (self.folder / name).relative_to(self.folder).parents:
                    if above != Path():
                        remove_empty(self.folder / above)

    def withdraw(self, names: Iterable[str]) -> None:
        """Remove parts that are wrong and the manifest, so that the next run makes them again."""
        wrong = [*names]
        self._note([self._parts[name] for name in wrong])
        with output_errors(self.folder):
            for name in wrong:
                del self.entries[name]
                _remove_part(self.folder / name)

    def remove_all(self) -> None:
        """Remove the whole output, the manifest last."""
        self._remove([*self.listed])
        with output_errors(self.folder):
            (self.folder / self._output.manifest).unlink(missing_ok=True)
        self._is_finished = True

    def close(self) -> None:
        """Close the plan, which stays if it says what no manifest does; raises OutputError."""
        self._plan.close(finished=self._is_finished or not self._is_needed())

    def _is_needed(self) -> bool:
        """Return whether the plan of an unfinished run tells what is ours."""
        listed = self._finished if self._has_manifest else {}
        names = {*self._known.planned, *self.listed, *self._parts} - listed.keys()
        return any(name in self.listed or self._exists(name) for name in names)

    def _exists(self, name: str) -> bool:
        path = self.folder / name
        return path.exists() if is_remote(path) else os.path.lexists(path)


def _damage(folder: Path, entries: Mapping[str, Entry]) -> dict[str, list[str]]:
    """Map the names of damaged parts to a sentence for each file."""
    part_of = {file: name for name, entry in entries.items() for file in entry.files}
    listed = {f: one for entry in entries.values() for f, one in entry.files.items()}
    damage: dict[str, list[str]] = {}
    for file, what in faulty_files(folder, listed).items():
        damage.setdefault(part_of[file], []).append(f"{file} {what}")
    return damage


def _fresh(folder: Path, entry: Entry) -> Entry:
    """Return the entry of an unchanged part with the present states of its files."""
    files: dict[str, FileEntry] = {
        name: {**file, "state": state_of(folder / name)}
        for name, file in entry.files.items()
    }
    return msgspec.structs.replace(entry, files=files)


def remove_output(output: Output[Any], folder: Path) -> None:
    """Remove an output, if there is one: all its parts, then its manifest.

    Raises:
        OutputError: It cannot be removed.
    """
    if output.read(folder, overwrite=True) is None:
        return
    with writing(output, folder, {}, [], overwrite=True) as writer:
        writer.remove_all()
    remove_empty(folder)


def _remove_part(path: Path) -> None:
    if not is_remote(path) and path.is_dir() and not path.is_symlink():
        remove_folder(path)
    else:
        path.unlink(missing_ok=True)
