"""Have the pages of a finished block store drawn, and keep beside its shards where everything is.

The blocks are not touched. A file of boxes is made whole or not at all, so a kill costs the shard
that was at work; the same call goes on from there.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from boilersweep.collection.format import Format
from boilersweep.collection.record import Record, as_token
from boilersweep.errors import StoreError, UsageError
from boilersweep.outputs.atomic import whole_file
from boilersweep.outputs.folder import OutputFolder
from boilersweep.outputs.identity import Stage, code_identity, differences, digest_of, some_of
from boilersweep.outputs.locations import as_location, is_remote
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.manifest_file import fault
from boilersweep.pages.encoding import to_utf8
from boilersweep.rendering.browser import RenderLimits
from boilersweep.rendering.chromium import HEIGHT, WIDTH, chromium_version, find_chromium
from boilersweep.rendering.drawing import BrowserPool, DrawnPage, OtherBlocksError, collecting
from boilersweep.segmenting.input_file import InputFile, readable
from boilersweep.segmenting.reuse import require_same_code, require_same_input
from boilersweep.segmenting.tasks import input_of, segment_identity
from boilersweep.store.box_files import (
    BOXES,
    COUNTED,
    VERSION,
    BoxFacts,
    blocks_digest,
    boxes_name,
    read_box_facts,
    things,
    write_boxes,
)
from boilersweep.store.layout import Row
from boilersweep.store.manifest import ShardEntry
from boilersweep.store.shard import ShardFacts, read_facts, read_rows
from boilersweep.store.store import BlockStore, open_store
from boilersweep.work.progress import steps
from boilersweep.work.shares import Share

_AHEAD = 4  # pages that wait for each browser
_MOST_PLACES = 20  # of pages that were not drawn, for each shard


def render_store(
    root: Path | str,
    store: Path | str,
    *,
    workers: int | None = None,
    share: Share | None = None,
    limits: RenderLimits | None = None,
    overwrite: bool = False,
    verify_input: bool = False,
) -> BlockStore | None:
    """Keep beside a block store where its blocks and elements are on the pages as drawn.

    Args:
        root: the input of the store, wherever it is now.
        store: a block store.
        workers: browsers, None for one per processor.
        share: of the shards; None is returned if other shares are unfinished.
        limits: on a page.
        overwrite: replace boxes by another browser or by other code.
        verify_input: know files by their digests even if size, times of change and inode are
            unchanged.

    Raises:
        UsageError: there is no Chromium.
        StoreError: the store is incomplete, or from other input or by other code.
        CollectionError: the input cannot be read.
        OutputError: a file cannot be written.
    """
    root, output = as_location(root), as_location(store)
    if is_remote(output):
        raise UsageError(f"{output}: boxes are added to a store of this machine; copy it first")
    identity = render_identity(limits or RenderLimits())
    open_store(output)  # before a lock is made where there is no store
    with readable(root, output) as pages, _only_writer(output, share):
        opened = open_store(output)
        opened.require_shards()
        shards = opened.manifest.shards
        to_do = [
            one
            for one in (share.take(shards) if share else shards)
            if not _is_there(opened, one["file"], identity, overwrite=overwrite)
        ]
        if to_do:
            _draw(opened, pages, to_do, identity, limits, workers, verify=verify_input)
        completed = _completed(opened, identity)
    if completed is None and share is None:
        raise StoreError(
            f"{output} changed while its pages were drawn; run `boilersweep render` again"
        )
    return completed


@contextmanager
def _only_writer(store: Path, share: Share | None) -> Iterator[None]:
    """Keep other commands from changing a store; other shares may write boxes meanwhile."""
    with ExitStack() as stack:
        stack.enter_context(only_writer(store, shared=share is not None))
        if share:
            stack.enter_context(only_writer(store, f".boxes-share-{share.name}.lock"))
        yield


_CODE = Stage(
    "render",
    (
        "boilersweep.pages.boxes",
        "boilersweep.rendering.browser",
        "boilersweep.rendering.chromium",
        "boilersweep.rendering.drawing",
        "boilersweep.rendering.marking",
        "boilersweep.store.box_files",
    ),
)


def render_identity(limits: RenderLimits) -> dict[str, Any]:
    """Return the options, code and browser that boxes depend on, or fail without Chromium.

    Fonts do too, and are not known.
    """
    return {
        "boxes_version": VERSION,
        "code": code_identity(_CODE),
        "script": digest_of(collecting()),
        "browser": chromium_version(find_chromium()),
        "window": [WIDTH, HEIGHT],
        "limits": asdict(limits),
    }


def _is_there(
    store: BlockStore, shard: str, identity: Mapping[str, Any], *, overwrite: bool
) -> bool:
    """Return whether a shard's boxes are there; raises StoreError for those of another browser."""
    path = store.path / boxes_name(shard)
    listed = store.boxes.files if store.boxes else {}
    if path.name in listed and fault(path, listed[path.name]):
        return False
    facts = read_box_facts(path)
    if facts is None or facts.of != blocks_digest(read_facts(store.path / shard)):
        return False
    changes = differences(facts.identity, identity)
    if changes and not overwrite:
        raise StoreError(
            f"{path} was rendered differently: {some_of(changes)}; pass --overwrite to rebuild it"
        )
    return not changes


def _draw(
    store: BlockStore,
    root: Path,
    shards: Sequence[ShardEntry],
    identity: dict[str, Any],
    limits: RenderLimits | None,
    workers: int | None,
    *,
    verify: bool,
) -> None:
    pages = input_of(store, root)
    require_same_code(store, segment_identity(pages.options))
    require_same_input(store, root, pages.files, verify=verify)
    documents = sum(one["documents"] for one in shards)
    with (
        BrowserPool(workers, limits, borders=pages.options.borders) as browsers,
        steps("render", documents, "pages") as bar,
    ):
        for one in shards:
            name = one["file"]
            made = read_facts(store.path / name)
            boxes = BoxFacts(blocks_digest(made), identity)
            drawn = _ShardBoxes(
                store.path / name, made, pages.files, pages.format, browsers, boxes, bar.update
            )
            with whole_file(store.path / boxes_name(name)) as temporary:
                write_boxes(temporary, drawn.rows(), boxes)


@dataclass(frozen=True, slots=True)
class _ShardBoxes:
    """Draws the documents of one shard, in its order."""

    shard: Path
    made: ShardFacts
    files: Mapping[str, Path]
    format: Format
    browsers: BrowserPool
    facts: BoxFacts
    told: Callable[[], object]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each of the shard's; raises StoreError for another input."""
        waiting: deque[tuple[Row, Future[DrawnPage]]] = deque()
        for row, record in self._documents():
            utf8 = to_utf8(record.body, record.charset).utf8
            waiting.append((row, self.browsers.draw(utf8, row["texts"], plain=record.plain)))
            if len(waiting) > _AHEAD * self.browsers.workers:
                yield self._boxes(*waiting.popleft())
        while waiting:
            yield self._boxes(*waiting.popleft())

    def _documents(self) -> Iterator[tuple[Row, Record]]:
        """Every row of the shard with its record; what was skipped then is now."""
        rows = read_rows(self.shard)
        row = next(rows, None)
        for one in self.made.files:
            if one["sha256"] is None:
                continue  # set aside
            with InputFile(self.files[one["path"]]) as raw:
                for item in self.format.read(raw, one["path"]):  # type: ignore[arg-type]
                    if isinstance(item, Record) and row and _is_of(row, item):
                        yield row, item
                        row = next(rows, None)
                digest = raw.finish()
            if digest != one["sha256"]:
                raise self._unlike(f"{one['path']} has changed")
        if row:
            raise self._unlike(f"{row['docid']} of {row['source']} is gone")

    def _boxes(self, row: Row, drawing: Future[DrawnPage]) -> dict[str, Any]:
        place = f"{row['docid']} of {row['source']}"
        try:
            page = drawing.result()
        except OtherBlocksError:
            raise self._unlike(f"{place} has other blocks") from None
        _count(self.facts, page, place)
        self.told()
        return {
            "docid": row["docid"],
            "outcome": page.outcome,
            "width": page.width,
            "height": page.height,
            **things("blocks", page.blocks),
            **things("elements", page.elements),
            **things("rules", page.rules),
            "rules:element": list(page.rule_elements),
        }

    def _unlike(self, what: str) -> StoreError:
        return StoreError(f"the input is not what {self.shard} was made of: {what}")


def _is_of(row: Row, record: Record) -> bool:
    place = record.place.source, record.place.offset, as_token(record.docid)
    return (row["source"], row["offset"], row["docid"]) == place


def _count(facts: BoxFacts, page: DrawnPage, place: str) -> None:
    facts.documents += 1
    if page.outcome:
        facts.undrawn[page.outcome] = facts.undrawn.get(page.outcome, 0) + 1
        if len(facts.places) < _MOST_PLACES:
            facts.places.append(f"{place}: {page.outcome}")
        return
    facts.drawn += 1
    facts.blocks += len(page.blocks)
    facts.elements += len(page.elements)
    facts.unmatched_blocks += int((~page.blocks.matched).sum())
    facts.unmatched_elements += int((~page.elements.matched).sum())
    facts.hidden_blocks += int((page.blocks.matched & ~page.blocks.shown).sum())


def _completed(store: BlockStore, identity: dict[str, Any]) -> BlockStore | None:
    """Return the store with its boxes, where those of all shards are there."""
    totals: Counter[str] = Counter(dict.fromkeys(COUNTED, 0))
    undrawn: Counter[str] = Counter()
    places: list[str] = []
    names = []
    for one in store.manifest.shards:
        name = boxes_name(one["file"])
        facts = read_box_facts(store.path / name)
        of = blocks_digest(read_facts(store.path / one["file"]))
        if facts is None or facts.of != of or differences(facts.identity, identity):
            return None
        names.append(name)
        totals.update({name: getattr(facts, name) for name in COUNTED})
        undrawn.update(facts.undrawn)
        places += facts.places
    said = {
        **totals,
        "undrawn": dict(undrawn),
        "places": places[:_MOST_PLACES],
        "shards": {one["file"]: one["blocks_sha256"] for one in store.manifest.shards},
    }
    OutputFolder(store.path, BOXES).seal(said, identity, names)
    for path in store.path.glob("boxes-*.parquet"):
        if path.name not in names:  # of a shard that is gone
            path.unlink()
    return open_store(store.path)
