"""From a collection to a whole block store, in one process or in several that share a folder."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from boilersweep.collection.format import USUAL, Reading
from boilersweep.collection.formats import FORMATS, open_collection
from boilersweep.errors import UsageError
from boilersweep.extractors.registry import find_extractor
from boilersweep.outputs.locations import as_location, output_path, require_outside
from boilersweep.outputs.locks import only_writer
from boilersweep.pages.elements import Borders
from boilersweep.segmenting.chosen import Chosen, with_sample
from boilersweep.segmenting.input_file import Changes, input_changes, is_piped, readable
from boilersweep.segmenting.limits import Limits
from boilersweep.segmenting.manifest import complete_store, whole_store, withdraw
from boilersweep.segmenting.reuse import (
    NOTHING,
    Dependents,
    files_read,
    is_done,
    keep_what_fits,
    plan_update,
    require_no_others,
    shards_in,
)
from boilersweep.segmenting.share_plan import agree, forget
from boilersweep.segmenting.tasks import (
    Plan,
    SegmentOptions,
    Stated,
    Task,
    input_text,
    options_of,
    plan_tasks,
)
from boilersweep.segmenting.texts import GivenTexts, read_texts
from boilersweep.segmenting.workers import make_shards
from boilersweep.store.manifest import OnDuplicate
from boilersweep.store.shard import read_facts
from boilersweep.store.store import BlockStore
from boilersweep.work.shares import Share

UNKNOWN_FILE = Path()


@dataclass(frozen=True, slots=True)
class Segmentation:
    """How a collection becomes a store.

    Attributes:
        collection: A format's name, None to recognise it.
        reading: What users say of its records.
        follow_links: Read linked folders, and files outside of the root that links lead to.
        borders: See `Segmenter`.
        metadata: Store what pages state of themselves, such as their authors and dates.
        limits: What one page may cost.
        extractors: Names of those to run over every page.
        given: Name -> file of texts by docid (see `read_texts`), to stand where an extractor's
            would.
        on_duplicate: "error" rejects a duplicate docid, "first" keeps its first document, "latest"
            that with the latest date, the last of several.
        chosen: The documents to keep, None for all.
    """

    collection: str | None = None
    reading: Reading = USUAL
    follow_links: bool = False
    borders: Borders = "block"
    metadata: bool = False
    limits: Limits = field(default_factory=Limits)
    extractors: Sequence[str] = ()
    given: Mapping[str, Path] = field(default_factory=dict)
    on_duplicate: OnDuplicate = "error"
    chosen: Chosen | None = None


def segment_collection(
    root: Path | str,
    output: Path | str,
    options: Segmentation | None = None,
    *,
    workers: int | None = None,
    overwrite: bool = False,
    verify_input: bool = False,
    dependents: Dependents = NOTHING,
) -> BlockStore:
    """Cut every page of a collection into blocks; completed work is skipped.

    Args:
        root: A folder, one file, or `irds:ID` for a dataset of ir_datasets; `-` for standard input.
            As text, it may be a URL.
        output: The folder of the store.
        options: How the collection becomes a store.
        workers: The number of processes; None for one per processor.
        overwrite: Rebuild what was made from other input, with other options or by other code.
        verify_input: Compare input files by SHA-256 even if size, times of change and inode are
            unchanged.
        dependents: Results that were made from the store.

    Raises:
        CollectionError: The collection cannot be read, has no document or a duplicate docid.
        OutputError: The store cannot be written.
        StoreError: The folder has another store.
        UsageError: The options contradict each other or the collection.
    """
    output = output_path(output)
    with _writing(root, output, options or Segmentation()) as (planned, before):
        to_do = keep_what_fits(
            output,
            planned.tasks,
            before,
            overwrite=overwrite,
            verify_input=verify_input,
            dependents=dependents,
        )
        if to_do:
            dependents.make_way()
            withdraw(output)
            make_shards(to_do, workers)
        return _completed(output, planned, to_do, before)


@dataclass(frozen=True, slots=True)
class Updated:
    """A store that was brought to the state of its input.

    Attributes:
        store: The store.
        changes: How its input has changed.
        made: The number of shards that were made for that.
    """

    store: BlockStore
    changes: Changes
    made: int


def update_collection(
    root: Path | str,
    output: Path | str,
    options: Segmentation | None = None,
    *,
    workers: int | None = None,
    verify_input: bool = False,
) -> Updated:
    """Bring a block store to the state of its input; shards of unchanged files stay as they are.

    The old store stays whole until the new one is. Without a store, one is made.

    Args:
        root: As `segment_collection` takes it.
        output: The folder of the store.
        options: The options that the store was made with; None to read them from it.
        workers: The number of processes; None for one per processor.
        verify_input: As `segment_collection` takes it.

    Raises:
        BoilersweepError: As `segment_collection` raises it.
    """
    output = output_path(output)
    options = options or segmentation_of(output) or Segmentation()
    if unknown := [
        name for name, path in options.given.items() if path == UNKNOWN_FILE
    ]:
        raise UsageError(
            f"the store has given texts, whose pages an update may have to read again: repeat "
            f"--texts {' --texts '.join(f'{name}=FILE' for name in unknown)}"
        )
    with _writing(root, output, options) as (planned, before):
        plan = plan_update(
            output,
            planned.tasks,
            FORMATS[planned.tasks[0].options.collection].files_per_task,
            verify_input=verify_input,
        )
        files = {name: path for task in planned.tasks for path, name in task.files}
        changes = input_changes(files_read(before, output), files, verify=verify_input)
        make_shards(plan.to_do, workers)
        store = _completed(
            output, replace(planned, tasks=plan.tasks), plan.to_do, before
        )
        for path in plan.outdated:
            path.unlink()
    return Updated(store, changes, len(plan.to_do))


@contextmanager
def _writing(
    root: Path | str, output: Path, options: Segmentation, lock: str = ".lock"
) -> Iterator[tuple[Plan, BlockStore | None]]:
    """Plan a store and lock its folder; yield the plan and the whole store that is there."""
    root = as_location(root)
    require_outside(root, output)
    with readable(root, output) as pages:
        planned = _planned(root, pages, output, options)
        with only_writer(output, lock):
            yield planned, whole_store(output)


def segmentation_of(output: Path) -> Segmentation | None:
    """Return how the block store in a folder was segmented, None without a complete one.

    A manifest does not name the files of given texts: each is UNKNOWN_FILE.
    """
    if (store := whole_store(output)) is None:
        return None
    made = options_of(store)
    return Segmentation(
        made.collection,
        made.reading,
        store.manifest.follow_links,
        made.borders,
        made.metadata,
        made.limits,
        made.extractors,
        {one.name: UNKNOWN_FILE for one in made.given},
        store.manifest.on_duplicate,
    )


def segment_share(
    root: Path,
    output: Path,
    share: Share,
    options: Segmentation | None = None,
    *,
    workers: int | None = None,
    verify_input: bool = False,
) -> BlockStore | None:
    """Make a share of a block store's shards; return the store if no shard is missing.

    Other processes that see the same folders may make other shares at the same time, in any order,
    with the same arguments; these, and the errors, are those of `segment_collection`.
    """
    if is_piped(root):
        raise UsageError(
            "--input - cannot be used with --share: only one process can read a pipe"
        )
    lock = f".share-{share.name}.lock"
    with _writing(root, output, options or Segmentation(), lock) as (planned, before):
        tasks = planned.tasks
        require_no_others(output, [task.shard.name for task in tasks])
        agree(output, planned)
        mine = share.take(tasks)
        to_do = [task for task in mine if not is_done(task, verify_input=verify_input)]
        if to_do:
            withdraw(output)
            make_shards(to_do, workers)
        if not all(task.shard.exists() for task in tasks) or not all(
            map(is_done, tasks)
        ):
            return None
        return _completed(output, planned, to_do, before)


def _completed(
    output: Path, planned: Plan, made: Sequence[Task], before: BlockStore | None
) -> BlockStore:
    """Return the store of all shards that were planned, of which some were made for it."""
    shards = [task.shard for task in planned.tasks]
    store = complete_store(
        output, shards, planned.stated, before, {task.shard for task in made}
    )
    forget(output)
    return store


def lost_so_far(output: Path) -> Counter[str]:
    """Return what `BlockStore.lost` will count, of the shards made so far; raise StoreError."""
    lost: Counter[str] = Counter()
    for shard in shards_in(output):
        for one in read_facts(shard).lost:
            lost[one.reason] += one.records
    return lost


def _planned(root: Path, pages: Path, output: Path, options: Segmentation) -> Plan:
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
    resolved = SegmentOptions(
        opened.format.name,
        options.reading,
        options.borders,
        options.metadata,
        options.limits,
        tuple(dict.fromkeys(find_extractor(name).name for name in options.extractors)),
        tuple(_given(name, path) for name, path in options.given.items()),
        options.chosen and with_sample(options.chosen, opened.format, opened.files),
    )
    tasks = plan_tasks(pages, opened.files, opened.format, output, resolved)
    reading = {"follow_links": options.follow_links, **opened.left_out.as_json()}
    return Plan(tasks, Stated(input_text(root), options.on_duplicate, reading))


def _given(name: str, path: Path) -> GivenTexts:
    read_texts(path)  # raises where the workers would
    return GivenTexts(
        name, str(path.resolve()), hashlib.sha256(path.read_bytes()).hexdigest()
    )
