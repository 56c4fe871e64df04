"""From a collection to a whole block store.

Every file of a store is named by what it is made of, so what exists need not be made.
"""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from boilersweep.collection.format import Reason
from boilersweep.collection.formats import open_collection
from boilersweep.collection.inputs import Input, Inputs, as_input, paths_of
from boilersweep.errors import BoilersweepError, UsageError
from boilersweep.extractors.registry import extractor_identity, find_extractor
from boilersweep.outputs.identity import differences, file_digest, some_of
from boilersweep.outputs.locations import (
    output_location,
    refuse_inputs,
)
from boilersweep.outputs.parts import MANIFEST, Entry, Manifest, Part
from boilersweep.outputs.plan import PLAN
from boilersweep.outputs.typed_files import as_type
from boilersweep.outputs.writer import Writer, writing
from boilersweep.pages.limits import Limits
from boilersweep.segmenting.input_file import (
    Changes,
    InputDigests,
    input_changes,
    readable,
)
from boilersweep.segmenting.manifest import StoreContents, facts_of
from boilersweep.segmenting.shards import AnyTask, make_files
from boilersweep.segmenting.tasks import (
    Made,
    Segmentation,
    Task,
    TextSource,
    TextTask,
    group_size,
    grouped,
    input_text,
    is_final,
    is_here,
    named_files,
    reading_in,
    recipe_of,
    with_sample,
    without,
)
from boilersweep.segmenting.texts import read_texts
from boilersweep.store.manifest import STORE, StoreManifest
from boilersweep.store.shard import SET_ASIDE, InputFile, ShardFacts, TextFacts
from boilersweep.store.store import BlockStore, open_store
from boilersweep.work.progress import say_if_asked

__all__ = [
    "Segmentation",
    "check_input",
    "segment_collection",
]

_GIVEN = "sha256:"  # begins the identity of given texts


def segment_collection(
    root: Input | str | Sequence[Path | str],
    output: Path | str,
    options: Segmentation | None = None,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    overwrite: bool = False,
    verify_input: bool = False,
) -> BlockStore:
    """Cut every page of a collection into blocks; completed work is skipped.

    A store that exists is brought to the state of the input, and keeps texts that it has beside the
    blocks. It stays whole until the new one replaces it.

    Args:
        root: A folder, one file, or `irds:ID` for a dataset of ir_datasets; `-` for standard input.
            As text, it may be a URL, a pattern or `@LIST`. Or several of these.
        output: The folder of the store.
        options: How the collection becomes a store.
        workers: The number of processes; None for one per processor.
        executor: Does the work instead of processes of this machine. Its workers see the input and
            the store at the same paths.
        overwrite: Rebuild a store that was made with other options or by other code.
        verify_input: Compare input files by SHA-256 even if size, times of change and inode are
            unchanged.

    Raises:
        CollectionError: The collection cannot be read, has no document or a duplicate docid.
        OutputError: The store cannot be written.
        StoreError: The folder has another store.
        UsageError: The options contradict each other or the collection.
    """
    output = output_location(output)
    root = as_input(root)
    given = (options or Segmentation()).given.values()
    refuse_inputs(output, [MANIFEST, PLAN], inputs=given, closed=paths_of(root))
    if executor:  # its workers run in other folders
        output = output.absolute()
        if not isinstance(root, Inputs) and is_here(root):
            root = root.absolute()
    with readable(root, output) as pages:
        request = _request(root, pages, output, options or Segmentation())
        before = STORE.read(output, overwrite=overwrite)
        if before and not overwrite:
            request = _extended(request, before)
        with writing(STORE, output, request.whole, (), overwrite=overwrite) as writer:
            making = _Making(request, writer, verify=verify_input)
            making.announce(overwrite=overwrite)
            making.make(executor or workers)
            writer.finish(*making.result())
    return open_store(output)


@dataclass(frozen=True, slots=True)
class _Request:
    """A store as it is asked for.

    Attributes:
        root: The input, as text.
        output: The folder of the store.
        recipe: See `recipe_of`.
        tasks: The tasks of the shards in the order of the store.
        sources: The texts beside the blocks, by their names.
        reading: How the input was listed and what of it is not read.
        options: The options.
    """

    root: str
    output: Path
    recipe: Mapping[str, Any]
    tasks: Sequence[Task]
    sources: Mapping[str, TextSource]
    reading: Mapping[str, Any]
    options: Segmentation

    @property
    def texts(self) -> dict[str, str]:
        """What the texts depend on beside the pages, by their names."""
        return {name: source.identity for name, source in self.sources.items()}

    @property
    def whole(self) -> dict[str, Any]:
        """The recipe of the store."""
        return {**self.recipe, "texts": self.texts}


def _request(
    root: Input, pages: Input, output: Path, options: Segmentation
) -> _Request:
    """Plan a store of `pages`, which are a copy of the root if that is a pipe."""
    opened = open_collection(
        pages,
        options.collection,
        reading=options.reading,
        follow_links=options.follow_links,
    )
    if both := [name for name in options.extractors if name in options.given]:
        raise UsageError(
            f"{both[0]} names an extractor and given texts; rename the texts"
        )
    names = dict.fromkeys(find_extractor(name).name for name in options.extractors)
    sources = {name: TextSource(name, extractor_identity(name)) for name in names}
    sources |= {name: _given(name, path) for name, path in options.given.items()}
    chosen = options.chosen and with_sample(options.chosen, opened.format, opened.files)
    options = replace(options, collection=opened.format.name, chosen=chosen)
    recipe = recipe_of(options)
    size = group_size(len(opened.files), opened.format.files_per_task)
    groups = grouped(named_files(pages, opened.files), size)
    tasks = [Task(output, files, options, recipe) for files in groups]
    reading = {"follow_links": options.follow_links, **opened.left_out.as_json()}
    return _Request(input_text(root), output, recipe, tasks, sources, reading, options)


def _given(name: str, path: Path) -> TextSource:
    read_texts(path)  # raises where the workers would
    return TextSource(name, f"{_GIVEN}{file_digest(path)}", path.resolve())


def _extended(request: _Request, before: Manifest[StoreManifest]) -> _Request:
    """Return the request with the texts that the store has; raise StoreError if one is another."""
    had: dict[str, str] = before.recipe["texts"]
    both = {name: text for name, text in request.texts.items() if name in had}
    made = {name: had[name] for name in both}
    if changes := differences({"texts": made}, {"texts": both}):
        raise _rejection(request.output, changes)
    kept = {name: TextSource(name, had[name]) for name in had if name not in both}
    return replace(request, sources={**kept, **request.sources})


def _rejection(output: Path, changes: Sequence[str]) -> BoilersweepError:
    wrong = f"contains another store than requested: {some_of(changes)}"
    return STORE.rejection(output, wrong)


# What a shard, or a file of texts, says of itself.
_Facts = TypeVar("_Facts", ShardFacts, TextFacts)


class _Files(Generic[_Facts]):
    """The files of one kind that a store has, by what they are made of.

    Args:
        listed: The files of a store by name, and other files.
        prefix: The beginning of their names.
        kind: The type of what they say of themselves.
        source: Returns what they are made of.
    """

    def __init__(
        self,
        listed: Mapping[str, Entry],
        prefix: str,
        kind: type[_Facts],
        source: Callable[[_Facts], Hashable],
    ) -> None:
        self._of: defaultdict[Hashable, list[_Facts]] = defaultdict(list)
        self._names = frozenset(listed)
        for name, entry in listed.items():
            if name.startswith(prefix):
                with contextlib.suppress(ValueError):  # damaged: made again
                    facts = as_type(entry.facts, kind)
                    self._of[source(facts)].append(facts)

    def __iter__(self) -> Iterator[_Facts]:
        return chain.from_iterable(self._of.values())

    def part(
        self,
        source: Hashable,
        part: Callable[[Mapping[str, Any]], Part],
        limits: Limits,
    ) -> Part | None:
        """Return a file that has lost nothing which it may not lose now; None if there is none.

        Args:
            source: What it is made of.
            part: Returns the part without what is lost, see `without`.
            limits: What a page may cost now.
        """
        for facts in sorted(self._of[source], key=lambda one: bool(one.allowed)):
            known_part = part(without(facts))
            if known_part.name in self._names and is_final(facts, limits):
                return known_part
        return None


class _Making:
    """The files of a store: which exist, and which are made.

    Args:
        request: The store.
        writer: Its folder.
        verify: Read all input files that shards may have been made from.
    """

    def __init__(
        self, request: _Request, writer: Writer[StoreManifest], *, verify: bool
    ) -> None:
        self._request = request
        self._writer = writer
        listed = writer.listed
        shards = _Files(listed, "shard-", ShardFacts, lambda one: _read_by(one.files))
        known = (file for facts in shards for file in facts.files)
        self._digests = InputDigests(known, verify=verify)
        files = [path for task in request.tasks for path, _ in task.files]
        self._digests.look_at(files)
        # The files by the names of their tasks.
        self._made: dict[Hashable, Part] = {}
        for task in request.tasks:
            digests = [self._digests.of(path, name) or "" for path, name in task.files]
            read = tuple(zip([name for _, name in task.files], digests, strict=True))
            of_task = partial(task.part, digests)
            if found := shards.part(read, of_task, task.options.limits):
                self._made[task.name] = found
        texts = _Files(listed, "texts-", TextFacts, lambda one: (one.name, one.shard))
        for text in self._text_tasks():
            if found := texts.part(text.name, text.part, text.options.limits):
                self._made[text.name] = found
        damaged = {part.name for part in writer.want(self._made.values())}
        for name, part in [*self._made.items()]:
            if part.name in damaged:
                del self._made[name]
        self._missing = [one for one in request.tasks if one.name not in self._made]

    def announce(self, *, overwrite: bool) -> None:
        """Say what has changed since the store before.

        Raises:
            StoreError: The input has none of the store's files.
            UsageError: Given texts are needed again.
        """
        read = list(self._read_before())
        changes = self._changes(read)
        clauses = changes.clauses()
        if not (self._missing or clauses):
            return
        unknown = [
            name
            for name, source in self._request.sources.items()
            if source.identity.startswith(_GIVEN) and not source.given
        ]
        if unknown and self._missing:
            raise UsageError(
                f"the store has given texts, which pages that are new need, too: repeat `texts` "
                f"{' '.join(f'{name}=FILE' for name in unknown)}"
            )
        if read and len(changes.gone) == len(read) and not overwrite:
            raise _rejection(self._request.output, clauses)
        if self._writer.before:
            of = len(self._request.tasks)
            say_if_asked(f"{len(self._missing):,} of {of:,} shards to make: {changes}")

    def _changes(self, read: Sequence[InputFile]) -> Changes:
        digests = {
            name: self._digests.of(path, name)
            for task in self._request.tasks
            for path, name in task.files
        }
        return input_changes(read, digests)

    def _read_before(self) -> Iterator[InputFile]:
        before = self._writer.before
        for shard in before.facts.shards if before else ():
            yield from shard["input"]

    def make(self, workers: int | Executor | None) -> None:
        """Make what is missing, first the shards, then the texts beside them."""

        def place(task: AnyTask, made: Made) -> None:
            self._writer.place(made.part, made.hidden, made.entry, made.facts)
            self._made[task.name] = made.part

        if self._missing:
            make_files(self._missing, workers, place)
        if texts := [one for one in self._text_tasks() if one.name not in self._made]:
            make_files(texts, workers, place)

    def _text_tasks(self) -> Iterator[TextTask]:
        """Yield the tasks of texts beside the shards that exist, in the order of the store."""
        for source in self._request.sources.values():
            for task in self._request.tasks:
                if made := self._made.get(task.name):
                    shard = self._request.output / made.name
                    yield TextTask(shard, task.files, task.options, source)

    def result(self) -> tuple[StoreManifest, list[str]]:
        """Return what the manifest says of the whole, and the files in their order.

        Raises:
            CollectionError: There is no document, or a duplicate docid if that is an error.
            StoreError: A file is damaged.
        """
        request, entries = self._request, self._writer.entries
        for task in request.tasks:
            self._note_states(task)
        shards = [self._made[task.name].name for task in request.tasks]
        texts: dict[str, list[str]] = {name: [] for name in request.sources}
        for text in self._text_tasks():
            texts[text.source.name].append(self._made[text.name].name)
        view = StoreContents(
            folder=request.output,
            shards=[
                (name, as_type(entries[name].facts, ShardFacts)) for name in shards
            ],
            texts={
                name: [
                    (file, as_type(entries[file].facts, TextFacts)) for file in files
                ]
                for name, files in texts.items()
            },
            files={name: entry.files[name] for name, entry in entries.items()},
            sources=request.texts,
            root=request.root,
            reading=request.reading,
            on_duplicate=request.options.on_duplicate,
            is_unique=self._is_unique(shards),
        )
        return facts_of(view), [*shards, *chain.from_iterable(texts.values())]

    def _is_unique(self, shards: Sequence[str]) -> bool:
        """Return whether the store before had these shards, and no duplicate docid in them."""
        if self._writer.before is None:
            return False
        before = self._writer.before.facts
        had = [shard["file"] for shard in before.shards]
        return had == shards and Reason.DUPLICATE not in before.skipped

    def _note_states(self, task: Task) -> None:
        """Note the states that a shard's input files have now, which may have been touched."""
        name = self._made[task.name].name
        entry = self._writer.entries[name]
        files = [
            {**file, "state": self._digests.facts(path)[1] if file["state"] else ""}
            for file, (path, _) in zip(entry.facts["files"], task.files, strict=True)
        ]
        facts = {**entry.facts, "files": files}
        self._writer.entries[name] = msgspec.structs.replace(entry, facts=facts)


def _read_by(files: Iterable[InputFile]) -> tuple[tuple[str, str], ...]:
    """Return the names and digests of the files that a shard was made from."""
    return tuple((file["path"], file["sha256"]) for file in files)


def check_input(store: BlockStore, root: Input) -> Iterator[str]:
    """Yield what has changed in the input of a block store, a sentence for each file.

    Args:
        store: The store.
        root: Where the input is now.

    Raises:
        CollectionError: No file there has the store's format.
        StoreError: The store's manifest has an unknown option.
    """
    opened = open_collection(
        root,
        store.manifest.options["collection"],
        reading=reading_in(store),
        follow_links=store.manifest.follow_links,
    )
    read = [file for shard in store.manifest.shards for file in shard["input"]]
    digests = InputDigests(read, verify=True)
    # Of a file that was set aside, the store knows the size alone
    aside = {
        file["path"]: file["bytes"] for file in read if file["sha256"] == SET_ASIDE
    }
    digests.look_at(opened.files)
    files = {
        name: SET_ASIDE
        if aside.get(name) == digests.facts(path)[0]
        else digests.of(path, name)
        for path, name in named_files(root, opened.files)
    }
    changes = input_changes(read, files)
    yield from (f"{name} is missing" for name in changes.gone)
    yield from (f"{name} was changed after it was read" for name in changes.changed)
    yield from (f"{name} is new" for name in changes.new)
