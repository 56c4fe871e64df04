"""`boilersweep index`."""

from dataclasses import replace
from pathlib import Path

from boilersweep.cleaners.selection import AlignmentCounts, Cleaner
from boilersweep.cleaners.stored import require_for
from boilersweep.cleaners.syntax.variants import collect_variants
from boilersweep.cli.call import Call, ThisCall
from boilersweep.cli.messages import describe_index, note, report_alignment
from boilersweep.cli.options.cleaners import OneCleaner, Variants
from boilersweep.cli.options.index import Analyzer, Layout, note_languages
from boilersweep.cli.options.left_out import LeftOut
from boilersweep.cli.options.output import Cluster, Existing, JavaWorkers
from boilersweep.cli.options.values import OutputFolder, Store
from boilersweep.errors import UsageError
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.options import IndexOptions, ParallelOptions
from boilersweep.indexer.parallel_indexes import build_parallel_indexes
from boilersweep.indexer.single import ALL_BLOCKS, build_index
from boilersweep.store.store import BlockStore, open_store

_SEVERAL = ("--sweep", "--cleaners")


def run(
    *,
    store: Store,
    output: OutputFolder,
    keep: OneCleaner | None = None,
    variants: Variants = Variants(),
    layout: Layout = Layout(),
    left_out: LeftOut = LeftOut(),
    analyzer: Analyzer = Analyzer(),
    existing: Existing = Existing(),
    update: bool = False,
    workers: JavaWorkers = JavaWorkers(),
    cluster: Cluster = Cluster(),
    call: ThisCall,
) -> int:
    """Build parallel Lucene indexes, or one index to deploy: cleaned, or searched under any rule.

    With --sweep and --cleaners: an index for every threshold and cleaner, all in one pass over the
    block store, in DIR/words-011 and so on. With --keep: one index of what a cleaner keeps, with
    positions, in DIR itself. With --blocks: one index of all blocks, which `search --keep` searches
    as any rule leaves it; --cleaners names cleaners that then need no block store. pyserini opens
    the indexes.

    Args:
        store: A block store from `boilersweep segment`, or its URL.
        output: The folder for the indexes.
        keep: What to keep, such as 'words>=11', 'density>=10.5' or bte.
        update: Bring --output up to date with its input: with --keep, add documents of new and
            changed shards, remove those of deleted and changed shards, and keep all others.
    """
    _check(call, layout.options())
    opened = open_store(store)
    note_languages(analyzer.options(), left_out.languages, opened)
    with_blocks = layout.layout.blocks
    if cleaner := ALL_BLOCKS if with_blocks else keep:
        single = IndexOptions(
            analyzer=analyzer.options(),
            layout=layout.options(),
            cleaners=tuple(variants.cleaners) if with_blocks else (),
            dedup=left_out.dedup,
            languages=tuple(left_out.languages),
            threads=workers.count,
            overwrite=existing.overwrite,
            update=update,
        )
        start_jvm(workers.heap)
        return _build_one(opened, cleaner, output, single)
    with cluster.executor() as executor:
        parallel = ParallelOptions(
            analyzer=analyzer.options(),
            docvectors=layout.layout.docvectors,
            threads=(workers.threads or 1) if executor else workers.count,
            overwrite=existing.overwrite,
            executor=executor,
            heap=workers.heap,
        )
        if not executor:
            start_jvm(workers.heap)
        return _build_parallel(opened, variants, output, parallel)


def _check(call: Call, layout: IndexLayout) -> None:
    """Raise UsageError unless the call asks for either one index or several."""
    with_blocks = bool(call.given("--blocks"))
    several = bool(call.given(*(("--sweep",) if with_blocks else _SEVERAL)))
    if several + bool(call.given("--keep")) + with_blocks != 1:
        raise UsageError(
            "expected either --sweep and --cleaners (parallel indexes), --keep (one index), or "
            "--blocks (one index for all rules)"
        )
    if several and layout != replace(IndexLayout(), docvectors=layout.docvectors):
        raise UsageError(
            "--storeContents, --storeRaw, --fields and --optimize require --keep"
        )
    call.needs("--update", "--keep", "--blocks")
    call.needs("--dedup", "--keep")
    call.needs("--languages", "--keep", "--blocks")
    call.needs("--cluster", *_SEVERAL)
    call.apart("--blocks", "--cluster")
    call.apart("--update", "--overwrite")


def _build_one(
    store: BlockStore, keep: Cleaner, output: Path, options: IndexOptions
) -> int:
    """Build the index to deploy; return 1 if it has no documents."""
    require_for(store, [keep, *options.cleaners])
    manifest = build_index(store, keep, output, options)
    print(f"{describe_index(output, manifest)} by {keep}")
    report_alignment(dict(manifest.placed))
    if not manifest.documents:
        note(f"the index has no documents: {keep} keeps no text of any; check it")
    return int(not manifest.documents)


def _build_parallel(
    store: BlockStore, variants: Variants, output: Path, options: ParallelOptions
) -> int:
    """Build an index for every variant."""
    collected = collect_variants(variants.sweep, variants.cleaners)
    require_for(store, [variant.cleaner for variant in collected])
    placed: dict[str, AlignmentCounts] = {}
    for index in build_parallel_indexes(store, collected, output, options):
        print(describe_index(index.path, index.manifest))
        placed |= index.manifest.placed
    report_alignment(placed)
    return 0
