"""`--dataset NAME=DIR`, again and again, or `--dataset NAME --input DIR`."""

import argparse
from pathlib import Path

import pytest

from boilersweep.cli.dataset_arguments import add_datasets, named_datasets
from boilersweep.errors import UsageError


def parsed(line: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_datasets(parser)
    return parser.parse_args(line.split())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--dataset wcxb --input a", [("wcxb", Path("a"))]),
        ("--dataset wcxb=a", [("wcxb", Path("a"))]),
        (
            "--dataset wcxb=a --dataset folder=b=c",
            [("wcxb", Path("a")), ("folder", Path("b=c"))],
        ),
    ],
)
def test_both_forms(line: str, expected: list[tuple[str, Path]]) -> None:
    assert named_datasets(parsed(line)) == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--dataset wcxb=a --input b", "got both"),
        ("--dataset wcxb --dataset folder=b --input c", "got both"),
        ("--dataset wcxb", "expected the folder of wcxb: --dataset wcxb=DIR"),
        ("--dataset wcxb=a --dataset folder", "expected the folder of folder"),
    ],
)
def test_what_is_missing_or_said_twice(line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        named_datasets(parsed(line))


@pytest.mark.parametrize("text", ["news=a", "wcxb=", "=a"])
def test_what_is_no_dataset(text: str) -> None:
    with pytest.raises(argparse.ArgumentError, match="NAME one of l3s-gn1, cleaneval"):
        parsed(f"--dataset {text}")
