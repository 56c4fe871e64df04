"""Which files an export writes, and which near-duplicates are left out."""

import argparse

from boilersweep.cli.parser import Fields, Group, Options, needs, number
from boilersweep.errors import UsageError
from boilersweep.export.options import ExportOptions, Passages
from boilersweep.store.duplicates import Dedup

_EXPORT = Fields(ExportOptions)


def near_duplicates(which: str = "") -> Group:
    """Return --dedup, with the condition under which near-duplicates can be left out."""
    text = """
        --dedup METHOD
            exact: leave out documents whose kept text equals that of an earlier document; minhash:
            also those whose shingles of five words are similar enough: their Jaccard similarity is
            at least 0.8, with minhash:0.9 at least 0.9
        """
    return Group(
        Options(text, types={"dedup": _dedup}),
        title="near-duplicates",
        about=f"{which}The first document stays; duplicates.csv lists those left out.",
    )


def _dedup(text: str) -> Dedup:
    """Parse `exact`, `minhash` or `minhash:0.9`; raise UsageError."""
    method, colon, threshold = text.partition(":")
    if colon and method == "exact":
        raise UsageError(f"expected a threshold with minhash alone, got {text!r}")
    return Dedup(method, number(threshold)) if colon else Dedup(method)


def options(args: argparse.Namespace) -> ExportOptions:
    """Return how documents are exported; raise UsageError."""
    return _EXPORT.build(
        args,
        passages=Passages(args.passages, args.overlap or 0) if args.passages else None,
        dedup=args.dedup,
        languages=args.languages,
    )


FILES = Group(
    _EXPORT.options(),
    Options(
        """
        --passages N  write passages of N words, DOCID#0, DOCID#1 and so on, instead of whole
                      documents
        --overlap N   with --passages: number of words that neighbouring passages share (default:
                      none)
        """
    ),
    needs("--overlap", "--passages"),
    options,
    title="files",
)
