"""Annotated pages: any number of --dataset, and --input."""

import argparse
from pathlib import Path

from boilersweep.cli.parser import Parser, declare
from boilersweep.errors import UsageError, did_you_mean

DATASETS = ("l3s-gn1", "cleaneval", "wcxb", "snippets", "folder")

Named = tuple[str, Path | None]
"""A dataset's name, and its folder if that is given with it."""


def add(parser: Parser) -> None:
    """--dataset and --input."""
    declare(
        parser,
        """
        --dataset NAME=DIR ...  annotated pages, unpacked; repeat for more. NAME is l3s-gn1
            (original/, annotated/), cleaneval (input/, GoldStandard/), wcxb (html/,
            ground-truth/), snippets (html/, snippets.jsonl), or folder (NAME.html beside NAME.txt,
            or in html/ and text/)
        """,
        types={"dataset": _named},
        required=True,
    )
    declare(parser, "--input DIR  the folder of a single --dataset NAME")
    parser.check(folders)


def folders(args: argparse.Namespace) -> list[tuple[str, Path]]:
    """Names and folders. Raises UsageError if a folder is missing or given twice."""
    given: list[Named] = args.dataset
    if args.input is not None:
        name, folder = given[0]
        if len(given) > 1 or folder is not None:
            raise UsageError(
                "expected any number of --dataset NAME=DIR, or one --dataset NAME with "
                "--input DIR, got both"
            )
        return [(name, args.input)]
    found = [(name, folder) for name, folder in given if folder is not None]
    if len(found) < len(given):
        bare = next(name for name, folder in given if folder is None)
        raise UsageError(f"expected the folder of {bare}: --dataset {bare}=DIR")
    return found


def _named(text: str) -> Named:
    name, equals, folder = text.partition("=")
    if name not in DATASETS or (equals and not folder):
        raise UsageError(
            f"expected NAME=DIR, NAME one of {', '.join(DATASETS)}, got {text!r}"
            f"{did_you_mean(name, DATASETS) if name not in DATASETS else ''}"
        )
    return name, Path(folder) if equals else None
