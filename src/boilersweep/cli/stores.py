"""The block stores that commands make of the collection that their options describe."""

import argparse
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from boilersweep.cli.messages import note, note_losses, note_store
from boilersweep.cli.options.collection import (
    CDX,
    FETCHING,
    LIMITS,
    READING,
    SEGMENTATION,
)
from boilersweep.outputs.folder import MANIFEST, OutputFolder, OutputKind
from boilersweep.pages import compiled
from boilersweep.segmenting.chosen import Chosen, read_docids
from boilersweep.segmenting.segment import Segmentation, segment_collection
from boilersweep.segmenting.texts import describe_texts
from boilersweep.store.store import BlockStore


def segmentation(args: argparse.Namespace) -> Segmentation:
    """Return how the collection is segmented; print a note if that is slow."""
    if why := compiled.why_missing():
        note(f"the segmenter in pure Python cuts the pages, a third as fast: {why}")
    plain = getattr(args, "contents", None)
    return SEGMENTATION.build(
        args,
        collection=args.collection,
        reading=READING.build(args, plain=plain and plain == "text"),
        limits=LIMITS.build(args),
        extractors=requested_extractors(args),
        given=dict(_texts(args)),
        chosen=chosen_documents(args),
    )


def _texts(args: argparse.Namespace) -> Sequence[tuple[str, Path]]:
    """Return the names and files of texts from elsewhere; `segment` alone takes some."""
    return getattr(args, "texts", ())


def requested_extractors(args: argparse.Namespace) -> list[str]:
    """Return the requested extractors, with those whose texts are cleaners; raise UsageError."""
    given = dict(_texts(args))
    wanted = list(args.extractors)
    if cleaners := getattr(args, "cleaners", []):
        # `segment` has no cleaners, and starts faster without these.
        from boilersweep.cleaners.registry import find_text_cleaner
        from boilersweep.cleaners.selection import page_texts_of

        names = page_texts_of(cleaners)
        for name in names:
            if name not in given:
                find_text_cleaner(name)
        wanted += names
    return [name for name in dict.fromkeys(wanted) if name not in given]


def fetch(args: argparse.Namespace) -> None:
    """Fetch the pages that an index names; the call's input is then their WARC file."""
    if getattr(args, "collection", None) != CDX:
        return
    from boilersweep.collection.common_crawl import fetch_pages

    report = fetch_pages(args.input, args.save, FETCHING.build(args))
    note(f"{report.pages:,} of {report.lines:,} pages of the index are in {args.save}")
    for reason, count in report.failed.items():
        note(
            f"not fetched: {count:,} x {reason}, such as {report.samples[reason][0][:200]}"
        )
    args.input, args.collection = args.save, "warc"


def chosen_documents(args: argparse.Namespace) -> Chosen | None:
    """Return the documents that the arguments name, None for all; print what that means."""
    docids: frozenset[str] = frozenset()
    if getattr(args, "only_docids", None):
        docids |= read_docids(args.only_docids)
    if getattr(args, "only_judged", None):
        from boilersweep.topics.read import read_qrels

        judged = read_qrels(args.only_judged).grades.values()
        docids |= {docid for grades in judged for docid in grades}
    if not docids:
        return None
    note(
        f"only {len(docids):,} chosen documents and {args.sample:,} others are segmented: all "
        "others are missing from every ranking, so scores are higher than on the whole collection"
    )
    return Chosen(docids, args.sample, args.seed)


def segmented(
    args: argparse.Namespace,
    output: Path,
    executor: Executor | None = None,
) -> BlockStore:
    """Segment the collection and describe the store on stderr.

    Args:
        args: The options.
        output: The folder of the store.
        executor: Does the work instead of processes of this machine.

    Returns:
        The store.
    """
    fetch(args)
    store = segment_collection(
        args.input,
        output,
        segmentation(args),
        workers=args.threads,
        executor=executor,
        overwrite=args.overwrite,
        verify_input=getattr(args, "verify_input", False),
    )
    note_store(store)
    note_texts(args, store)
    return store


def note_texts(args: argparse.Namespace, store: BlockStore) -> None:
    """Print how the given texts and the documents of a store match."""
    docids = set(store.docids()) if _texts(args) else set()
    for name, path in _texts(args):
        note(describe_texts(name, path, docids))


def own_store(
    args: argparse.Namespace, kind: OutputKind[Any], executor: Executor | None = None
) -> BlockStore:
    """Segment the collection into a folder of the command's own output.

    Results that are there stay, though they are those of the store as it was.

    Args:
        args: The parsed call.
        kind: The kind of output.
        executor: See `segmented`.

    Raises:
        BoilersweepError: The kind's error: the folder has an output of another kind.
    """
    OutputFolder(args.output, kind).read(overwrite=args.overwrite)
    return segmented(args, args.output / "store", executor)


def report_losses(args: argparse.Namespace, store: BlockStore) -> int:
    """Print what the store lost of its input; return 1 if --strict forbids losses, else 0."""
    note_losses(store.lost, str(store.path / MANIFEST))
    return int(getattr(args, "strict", False) and store.lost.total() > 0)
