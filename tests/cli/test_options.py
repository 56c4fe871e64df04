"""Options: those of dataclasses, defaults in help texts, forms of --dataset, rules between them."""

import re
from argparse import Namespace
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from boilersweep import ExportOptions, Segmentation, UsageError
from boilersweep.cli import options
from boilersweep.cli.options.collection import resolve_dataset
from boilersweep.cli.parser import Fields, Options, Parser, apart, needs
from boilersweep.eval.ranking.formulas import Range
from boilersweep.eval.ranking.search import HITS
from boilersweep.pages.limits import Limits
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


@dataclass(frozen=True)
class Recipe:
    """How bread is made; not all fields are options."""

    loaves: int = field(default=2, metadata={"option": "--loaves N  how many"})
    flour: str = field(
        default="rye", metadata={"option": "--flour {rye,wheat}  what of"}
    )
    rise: float = field(
        default=1.5,
        metadata={"option": "--rise N  hours", "range": Range(high=9)},
    )
    seconds: float = field(default=60.0, metadata={"option": "--bake-for N  seconds"})
    oven: int = field(
        default=4 * 1024, metadata={"option": "--oven N  kilowatts", "unit": 1024}
    )
    salt: bool = field(default=True, metadata={"option": "--no-salt  without salt"})
    seeds: tuple[str, ...] = field(
        default=(),
        metadata={
            "option": "--seeds LIST  which",
            "parse": lambda text: tuple(text.split(",")),
        },
    )
    baker: str = "nobody"


RECIPE = Fields(Recipe)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", Recipe()),
        ("--loaves 3 --flour wheat", Recipe(loaves=3, flour="wheat")),
        ("--rise 2.5 --bake-for 90", Recipe(rise=2.5, seconds=90.0)),
        ("--oven 2 --no-salt", Recipe(oven=2048, salt=False)),
        ("--seeds oat,flax", Recipe(seeds=("oat", "flax"))),
    ],
)
def test_the_fields_of_a_dataclass_are_options(line: str, expected: Recipe) -> None:
    parser = Parser()
    parser.take(RECIPE.options())
    assert RECIPE.build(parser.parse_args(line.split())) == expected
    shown = " ".join(parser.format_help().split())
    for default in ("how many (default: 2)", "kilowatts (default: 4)", "rye"):
        assert default in shown
    assert "without salt (default" not in shown


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("--loaves 0", "--loaves"),
        ("--flour oat", "--flour"),
        ("--rise 10", "--rise"),
        ("--bake-for 1.5", "--bake-for"),
        ("--baker me", "--baker"),
    ],
)
def test_values_that_a_field_does_not_have(line: str, option: str) -> None:
    parser = Parser()
    parser.take(RECIPE.options())
    with pytest.raises(UsageError, match=option):
        parser.parse_args(line.split())


def test_fields_without_an_option_in_the_command_have_their_defaults() -> None:
    parser = Parser()
    parser.take(RECIPE.options("loaves"))
    args = parser.parse_args(["--loaves", "5"])
    assert RECIPE.build(args, baker="anna") == Recipe(loaves=5, baker="anna")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", None),
        ("--jam plum", None),
        ("--bread rye --jam plum", None),
        ("--bread rye --butter", None),
        ("--butter", "--butter requires --bread or --roll"),
        ("--jam plum --honey --roll", "--jam cannot be used with --honey"),
    ],
)
def test_rules_between_options(line: str, message: str | None) -> None:
    parser = Parser()
    parser.take(
        Options(
            "--bread KIND  a\n--roll  b\n--butter  c\n--jam KIND  d\n--honey  e\n--no-tea  f"
        ),
        needs("--butter", "--bread", "--roll"),
        apart("--jam", "--honey", "--no-tea"),
    )
    if message is None:
        parser.parse_args(line.split())
        return
    with pytest.raises(UsageError, match=re.escape(message)):
        parser.parse_args(line.split())
