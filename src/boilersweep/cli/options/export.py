"""Which files an export writes, and which near-duplicates are left out."""

import argparse

from boilersweep.cli.parser import Group, Options, number
from boilersweep.errors import UsageError
from boilersweep.export.options import FORMATS, ExportOptions, Passages
from boilersweep.store.near_duplicates import METHODS, Dedup


def near_duplicates(which: str = "") -> Group:
    """Return --dedup, with the condition under which near-duplicates can be left out."""
    text = f"""
        --dedup {{{",".join(METHODS)}}}
            leave out documents whose kept text equals that of an earlier document; with minhash,
            whose shingles of five words are similar enough
        --dedup-threshold S
            with minhash: the minimum Jaccard similarity, from 0.5 to 1 (default: 0.8)
        """
    return Group(
        Options(text, types={"dedup_threshold": number}),
        dedup,
        title="near-duplicates",
        about=f"{which}The first document stays; duplicates.csv lists those left out.",
    )


def options(args: argparse.Namespace) -> ExportOptions:
    """Return how documents are exported; raise UsageError."""
    if args.overlap is not None and args.passages is None:
        raise UsageError("--overlap requires --passages")
    return ExportOptions(
        **({"format": args.format} if args.format else {}),
        blocks=args.blocks,
        classes=args.classes,
        passages=Passages(args.passages, args.overlap or 0) if args.passages else None,
        dedup=dedup(args),
        languages=args.languages,
        fields=args.fields,
    )


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split(",")))


def dedup(args: argparse.Namespace) -> Dedup | None:
    """Return how near-duplicates are found, None to keep them; raise UsageError."""
    if args.dedup_threshold is not None and args.dedup != "minhash":
        raise UsageError("--dedup-threshold requires --dedup minhash")
    if args.dedup is None:
        return None

    threshold = args.dedup_threshold
    return Dedup(args.dedup) if threshold is None else Dedup(args.dedup, threshold)


FILES = Group(
    Options(
        f"""
        --format {{{",".join(FORMATS)}}}
            JSON lines with id and contents, as pyserini and Hugging Face datasets read them;
            Parquet; requests to OpenSearch's bulk API; TREC web; or texts alone (default: jsonl)
        --fields LIST
            what pages state, of a store made with --metadata: some of headline, author, published,
            modified, site_name, image and canonical_url; not in trecweb and text
        --blocks      include the position of every kept block in the text; not in trecweb and text
        --classes     include the page's kind and, with --blocks, the classes of every kept block,
                      such as code, and the shipped model's probabilities; not in trecweb and text
        --passages N  write passages of N words, DOCID#0, DOCID#1 and so on, instead of whole
                      documents
        --overlap N   with --passages: number of words that neighbouring passages share (default:
                      none)
        """,
        types={"fields": _names},
        defaults={"fields": ()},
    ),
    options,
    title="files",
)
