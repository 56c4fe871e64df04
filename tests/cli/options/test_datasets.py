"""`--dataset NAME=DIR`, again and again, or `--dataset NAME --input DIR`."""

from pathlib import Path

import pytest

from boilersweep.cli import options
from boilersweep.cli.parser import Parser
from tests.cli.conftest import Call


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
    options.datasets.add(parser)
    assert options.datasets.folders(parser.parse_args(line.split())) == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--dataset wcxb=a --input b", "got both"),
        ("--dataset wcxb --dataset folder=b --input c", "got both"),
        ("--dataset wcxb", "expected the folder of wcxb: --dataset wcxb=DIR"),
        ("--dataset wcxb=a --dataset folder", "expected the folder of folder"),
        ("--dataset news=a", "NAME one of l3s-gn1, cleaneval"),
        ("--dataset wcxb=", "NAME one of l3s-gn1, cleaneval"),
        ("--dataset wcbx=a", "did you mean wcxb?"),
    ],
)
def test_missing_duplicate_or_unknown_datasets(call: Call, line: str, message: str) -> None:
    outcome = call("judge", "--output", "out", *line.split())
    assert outcome.status == 2
    assert message in outcome.err
