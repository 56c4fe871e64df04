"""Options: defaults in help texts equal those of the package; forms of --dataset."""

from argparse import Namespace
from pathlib import Path

import pytest

from boilersweep.cli import options
from boilersweep.cli.options.collection import resolve_dataset
from boilersweep.cli.parser import Parser
from boilersweep.errors import UsageError
from boilersweep.eval.ranking.search import HITS
from boilersweep.export.options import ExportOptions
from boilersweep.segmenting.limits import Limits
from boilersweep.segmenting.segment import Segmentation
from tests.cli.conftest import Call


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
    parser = Parser()
    parser.take(options.datasets.ANNOTATED)
    assert options.datasets.folders(parser.parse_args(line.split())) == expected


GOV = "irds:gov/trec-web-2002"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (
            {"input": None, "store": None, "topics": None, "qrels": None},
            {"input": GOV, "store": None, "topics": GOV, "qrels": GOV},
        ),
        (
            {"input": None, "store": "s", "topics": "t", "qrels": None},
            {"input": None, "store": "s", "topics": "t", "qrels": GOV},
        ),
        ({"topics": None, "qrels": "q"}, {"topics": GOV, "qrels": "q"}),
        ({"input": "x"}, {"input": "x"}),
    ],
)
def test_a_dataset_stands_for_what_is_not_named_otherwise(
    given: dict[str, str | None], found: dict[str, str | None]
) -> None:
    args = Namespace(dataset=GOV, **given)
    resolve_dataset(args)
    values = {name: getattr(args, name) for name in given}
    assert values == found | {
        n: Path(GOV) for n, value in found.items() if value == GOV
    }


def test_without_a_dataset_nothing_is_filled_in() -> None:
    with pytest.raises(UsageError):
        resolve_dataset(Namespace(dataset=None, topics=None))


@pytest.mark.parametrize(
    ("command", "option", "default"),
    [
        ("compare", "--hits", HITS),
        ("export", "--format", ExportOptions().format),
        ("segment", "--on-duplicate", Segmentation().on_duplicate),
        ("segment", "--max-page-bytes", f"{Limits().page_bytes // 2**20} MiB"),
        ("segment", "--max-page-blocks", f"{Limits().page_blocks:,}"),
    ],
)
def test_shown_defaults_are_those_of_the_package(
    call: Call, command: str, option: str, default: object
) -> None:
    text = " ".join(call(command, "--help").out.partition("\noptions:\n")[2].split())
    about = text.partition(f" {option} ")[2]
    assert about.partition("(default: ")[2].startswith(f"{default})")
