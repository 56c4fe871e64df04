"""`--dataset NAME=DIR`, again and again, or `--dataset NAME --input DIR`."""

from pathlib import Path

import pytest

from boilersweep.cli import options
from boilersweep.cli.parser import Parser


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--dataset wcxb --input a", [("wcxb", Path("a"))]),
        ("--dataset wcxb=a", [("wcxb", Path("a"))]),
        ("--dataset wcxb=a --dataset folder=b=c", [("wcxb", Path("a")), ("folder", Path("b=c"))]),
    ],
)
def test_both_forms(line: str, expected: list[tuple[str, Path]]) -> None:
    parser = Parser()
    parser.take(options.datasets.ANNOTATED)
    assert options.datasets.folders(parser.parse_args(line.split())) == expected
