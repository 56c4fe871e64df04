"""From a collection to a whole block store.

Every file of a store is named by what it is made of, so what exists need not be made.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boilersweep.collection.formats import open_collection
from boilersweep.errors import (
    BoilersweepError,
    StoreError,
    UsageError,
)
from boilersweep.extractors.registry import extractor_identity, find_extractor
from boilersweep.outputs.folder import SHARDS, OutputFolder
from boilersweep.outputs.identity import differences, file_digest
from boilersweep.outputs.locations import (
    as_location,
    output_location,
    require_outside,
)
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.manifest_file import fault
from boilersweep.segmenting.input_file import (
    Changes,
    InputDigests,
    input_changes,
    input_stat,
    notes_folder,
    readable,
)
from boilersweep.segmenting.manifest import View, complete_store, store_before
from boilersweep.segmenting.shards import make_files
from boilersweep.segmenting.tasks import (
    Segmentation,
    Task,
    TextSource,
    TextTask,
    allowance,
    grouped,
    input_text,
    is_here,
    named_files,
    reading_in,
    recipe_in,
    recipe_of,
    with_sample,
)
from boilersweep.segmenting.texts import read_texts
from boilersweep.store.shard import (
    SET_ASIDE,
    InputFile,
    read_facts,
    read_text_facts,
)
from boilersweep.store.store import STORE, BlockStore
from boilersweep.work.progress import say_if_asked

__all__ = [
    "Segmentation",
    "check_input",
    "segment_collection",
]

_GIVEN = "sha256:"  # begins the identity of given texts


def segment_collection(
    root: Path | str,
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
            As text, it may be a URL.
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
    root = as_location(root)
    require_outside(root, output)
    if executor:  # its workers run in other folders
        output = output.absolute()
        root = root.absolute() if is_here(root) else root
    with readable(root, output) as pages:
        request = _request(root, pages, output, options or Segmentation())
        with only_writer(output):
            before = store_before(output, overwrite=overwrite)
            if before and not overwrite:
                request = _extended(request, before)
            notes_folder(output)
            making = _Making(request, before, overwrite=overwrite)
            making.find(InputDigests(output, making.read(), verify=verify_input))
            making.announce()
            making.make(workers, executor)
            return making.complete()


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


def _request(root: Path, pages: Path, output: Path, options: Segmentation) -> _Request:
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
    groups = grouped(named_files(pages, opened.files), opened.format.files_per_task)
    tasks = [Task(output, files, options, recipe) for files in groups]
    reading = {"follow_links": options.follow_links, **opened.left_out.as_json()}
    return _Request(input_text(root), output, recipe, tasks, sources, reading, options)


def _given(name: str, path: Path) -> TextSource:
    read_texts(path)  # raises where the workers would
    return TextSource(name, f"{_GIVEN}{file_digest(path)}", path.resolve())


def _extended(request: _Request, before: BlockStore) -> _Request:
    """Return the request with the texts that the store has; raise StoreError if it is another."""
    had = before.manifest.texts
    wanted = {name: one.identity for name, one in request.sources.items()}
    both = {name: wanted[name] for name in wanted if name in had}
    made = {**recipe_in(before.manifest), "texts": {name: had[name] for name in both}}
    if changes := differences(made, {**request.recipe, "texts": both}):
        raise _rejection(request.output, changes)
    kept = {name: TextSource(name, had[name]) for name in had if name not in wanted}
    return replace(request, sources={**kept, **request.sources})


def _rejection(output: Path, changes: Sequence[str]) -> BoilersweepError:
    return OutputFolder(output, STORE).rejection(
        STORE.another(changes),
        "choose another --output, or pass --overwrite to rebuild it",
    )


class _Making:
    """The files of a store: which exist, which are made, and the manifest at the end."""

    def __init__(
        self,
        request: _Request,
        before: BlockStore | None,
        *,
        overwrite: bool,
    ) -> None:
        self._request = request
        self._before = before
        self._overwrite = overwrite
        self._listed = before.manifest.listing if before else {}
        self._allowed = allowance(request.options.limits)
        self._shards: dict[str, Path] = {}  # by the names of tasks

    def read(self) -> Iterator[InputFile]:
        """Yield the files that shards in the folder were made from."""
        yield from self._files_before()
        for path in self._request.output.glob(SHARDS):
            if path.name not in self._listed:
                with contextlib.suppress(StoreError):  # damaged: it will be made again
                    yield from read_facts(path).files

    def find(self, digests: InputDigests) -> None:
        """Find the shards that exist, by what is known of the input."""
        self._digests = digests
        self._missing = [task for task in self._request.tasks if not self._has(task)]

    def announce(self) -> None:
        """Say what has changed since the store before.

        Raises:
            StoreError: The input has none of the store's files.
            UsageError: Given texts are needed again.
        """
        changes = self._changes()
        clauses = changes.clauses()
        if not (self._missing or clauses):
            return
        unknown = [
            name
            for name, one in self._request.sources.items()
            if one.identity.startswith(_GIVEN) and not one.given
        ]
        if unknown and self._missing:
            raise UsageError(
                f"the store has given texts, which pages that are new need, too: repeat --texts "
                f"{' --texts '.join(f'{name}=FILE' for name in unknown)}"
            )
        read = list(self._files_before())
        if read and len(changes.gone) == len(read) and not self._overwrite:
            raise _rejection(self._request.output, clauses)
        if self._before:
            of = len(self._request.tasks)
            say_if_asked(f"{len(self._missing):,} of {of:,} shards to make: {changes}")

    def _changes(self) -> Changes:
        digests = {
            name: self._digests.of(path, name)
            for task in self._request.tasks
            for path, name in task.files
        }
        return input_changes(self._files_before(), digests)

    def _files_before(self) -> Iterator[InputFile]:
        for shard in self._before.manifest.shards if self._before else ():
            yield from shard["input"]

    def make(self, workers: int | None, executor: Executor | None) -> None:
        """Make what is missing, first the shards, then the texts beside them."""

        def note(task: Task, shard: Path) -> None:
            self._shards[task.name] = shard
            self._digests.look_at(task.name)

        if self._missing:
            make_files(self._missing, executor or workers, note)
        if texts := [one for one in self._text_tasks() if not self._has_texts(one)]:
            make_files(texts, executor or workers)

    def _has(self, task: Task) -> bool:
        """Return whether a task's shard exists; raise StoreError if it is damaged."""
        if task.name in self._shards:
            return True
        digests = self._known_digests(task)
        if len(digests) < len(task.files):
            self._digests.look_at(task.name)
            digests = self._known_digests(task)
        if len(digests) < len(task.files):
            return False
        shard = task.shard(digests)
        if self._is_whole(shard, lambda: read_facts(shard).allowed):
            self._shards[task.name] = shard
        return task.name in self._shards

    def _known_digests(self, task: Task) -> list[str]:
        found = (self._digests.of(path, name) for path, name in task.files)
        return [digest for digest in found if digest]

    def _text_tasks(self) -> list[TextTask]:
        """Return the tasks of texts beside the shards that exist, in the order of the store."""
        return [
            TextTask(self._shards[task.name], task.files, task.options, source)
            for source in self._request.sources.values()
            for task in self._request.tasks
            if task.name in self._shards
        ]

    def _has_texts(self, task: TextTask) -> bool:
        return self._is_whole(task.file, lambda: read_text_facts(task.file).allowed)

    def _is_whole(self, file: Path, allowed: Callable[[], Mapping[str, float]]) -> bool:
        """Return whether a file exists that has lost nothing for which there is more now.

        Args:
            file: The file.
            allowed: What a page could cost if one was lost, else nothing.

        Raises:
            StoreError: The file is not as it was written, and is not to be replaced.
        """
        if not file.exists():
            return False
        if file.name in self._listed and (what := fault(file, self._listed[file.name])):
            if self._overwrite:
                return False
            raise _rejection(self._request.output, [f"{file.name} {what}"])
        try:
            return all(self._allowed[n] <= most for n, most in allowed().items())
        except StoreError:
            return False

    def complete(self) -> BlockStore:
        """Write the manifest."""
        request = self._request
        texts: dict[str, list[Path]] = {name: [] for name in request.sources}
        for task in self._text_tasks():
            texts[task.source.name].append(task.file)
        view = View(
            [self._shards[task.name] for task in request.tasks],
            texts,
            {name: one.identity for name, one in request.sources.items()},
            request.root,
            request.reading,
            request.options.on_duplicate,
        )
        store = complete_store(request.output, view, self._before)
        self._digests.keep({one.name: one.files for one in request.tasks})
        return store


def check_input(store: BlockStore, root: Path) -> Iterator[str]:
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
    read = [one for shard in store.manifest.shards for one in shard["input"]]
    digests = InputDigests(store.path, read, verify=True)
    # Of a file that was set aside, the store knows the size alone
    aside = {one["path"]: one["bytes"] for one in read if one["sha256"] == SET_ASIDE}
    files = {
        name: SET_ASIDE
        if aside.get(name) == input_stat(path).st_size
        else digests.of(path, name)
        for path, name in named_files(root, opened.files)
    }
    changes = input_changes(read, files)
    yield from (f"{name} is missing" for name in changes.gone)
    yield from (f"{name} was changed after it was read" for name in changes.changed)
    yield from (f"{name} is new" for name in changes.new)
