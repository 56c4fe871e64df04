"""Arguments of the commands that read annotated pages."""

import argparse
from pathlib import Path

from boilersweep.errors import UsageError

DATASETS = ("l3s-gn1", "cleaneval", "wcxb", "snippets", "folder")

Named = tuple[str, Path | None]
"""A dataset's name, and its folder where that is said with it."""


def add_datasets(parser: argparse.ArgumentParser) -> None:
    """--dataset, any number of them, and --input."""
    parser.add_argument(
        "--dataset",
        type=_named,
        action="append",
        required=True,
        metavar="NAME=DIR",
        help="annotated pages, unpacked; again for more of them. NAME is l3s-gn1 (original/, "
        "annotated/), cleaneval (input/, GoldStandard/), wcxb (html/, ground-truth/), snippets "
        "(html/, snippets.jsonl), or folder (NAME.html beside NAME.txt, or in html/ and text/)",
    )
    parser.add_argument(
        "--input",
        type=Path,
        metavar="DIR",
        help="the folder of one --dataset that is a NAME alone",
    )


def named_datasets(options: argparse.Namespace) -> list[tuple[str, Path]]:
    """Names and folders. Raises UsageError where a folder is missing or said twice."""
    given: list[Named] = options.dataset
    if options.input is not None:
        name, folder = given[0]
        if len(given) > 1 or folder is not None:
            raise UsageError(
                "expected --dataset NAME=DIR as often as wanted, or one --dataset NAME with "
                "--input DIR, got both"
            )
        return [(name, options.input)]
    found = [(name, folder) for name, folder in given if folder is not None]
    if len(found) < len(given):
        bare = next(name for name, folder in given if folder is None)
        raise UsageError(f"expected the folder of {bare}: --dataset {bare}=DIR")
    return found


def _named(text: str) -> Named:
    name, equals, folder = text.partition("=")
    if name not in DATASETS or (equals and not folder):
        raise argparse.ArgumentTypeError(
            f"expected NAME=DIR, NAME one of {', '.join(DATASETS)}, got {text!r}"
        )
    return name, Path(folder) if equals else None
