"""Arguments of the commands that read annotated pages."""

import argparse
from pathlib import Path

DATASETS = ("l3s-gn1", "cleaneval", "wcxb", "folder")


def add_dataset(parser: argparse.ArgumentParser) -> None:
    """--dataset and --input."""
    parser.add_argument(
        "--dataset",
        choices=DATASETS,
        required=True,
        help="L3S-GN1 (original/, annotated/), CleanEval (input/, GoldStandard/), WCXB (html/, "
        "ground-truth/), or a folder with NAME.html beside NAME.txt or in html/ and text/",
    )
    parser.add_argument(
        "--input", type=Path, required=True, metavar="DIR", help="the dataset, unpacked"
    )
