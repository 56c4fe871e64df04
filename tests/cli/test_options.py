"""Options: parts of dataclasses, defaults in help texts, forms of --dataset, rules, `call`."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest
from cyclopts import App, CycloptsError, Parameter

from boilersweep import (
    BoilersweepError,
    ExportOptions,
    InputError,
    Segmentation,
    UsageError,
)
from boilersweep.cli.call import Call, spell
from boilersweep.cli.options.collection import from_dataset
from boilersweep.cli.options.datasets import MarkedPages
from boilersweep.cli.options.values import (
    Count,
    File,
    listed,
    parsed_each,
    part,
    positive,
)
from boilersweep.eval import BM25
from boilersweep.pages.limits import Limits
from tests.cli import conftest


@dataclass(frozen=True)
class Recipe:
    """How bread is made.

    Attributes:
        loaves: How many.
        flour: What of.
        hours: How long it rises.
        salt: Use salt.
        baker: No option.
    """

    loaves: int = 2
    flour: Literal["rye", "wheat"] = "rye"
    hours: float = 1.5
    salt: bool = False
    baker: str = "nobody"


def bake(
    *,
    recipe: Annotated[
        Recipe, part(Recipe, but=("baker",), hours="max-rise")
    ] = Recipe(),
    few: Annotated[Recipe, part(Recipe, "salt")] = Recipe(),
    seeds: Annotated[tuple[str, ...], listed(lambda text: tuple(text.split(",")))] = (),
    times: Annotated[tuple[int, ...], parsed_each(positive, "N")] = (),
    oven: Count | None = None,
    shelf: File | None = None,
    note: Annotated[list[str] | None, Parameter(consume_multiple=(0, 1))] = None,
) -> dict[str, object]:
    """Bake bread."""
    return {name: value for name, value in locals().items() if value}


def baked(line: str) -> dict[str, object]:
    app = App(default_parameter=Parameter(negative=()))
    app.default(bake)
    given: dict[str, object] = app(
        line.split(),
        print_error=False,
        exit_on_error=False,
        result_action="return_value",
    )
    return given


USUAL = {"recipe": Recipe(), "few": Recipe()}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", {}),
        (
            "--loaves 3 --flour wheat",
            {"recipe": Recipe(loaves=3, flour="wheat")},
        ),
        ("--max-rise 2.5", {"recipe": Recipe(hours=2.5)}),
        ("--seeds oat,flax", {"seeds": ("oat", "flax")}),
        ("--times 1 --times 2", {"times": (1, 2)}),
        ("--oven 2", {"oven": 2}),
        ("--shelf -", {"shelf": Path("-")}),
        ("--shelf=./-x", {"shelf": Path("./-x")}),
        ("--note warm --oven 1", {"note": ["warm"], "oven": 1}),
    ],
)
def test_words_become_values(line: str, expected: dict[str, object]) -> None:
    assert baked(line) == USUAL | expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--loaves much", "--loaves"),
        ("--flour oat", '--flour. Choose from: "rye", "wheat"'),
        ("--max-rise long", "--max-rise"),
        ("--hours 2", "Unknown option: --hours"),
        ("--baker me", "Unknown option: --baker"),
        ("--no-salt", "Unknown option: --no-salt"),
        ("--empty-seeds", "Unknown option: --empty-seeds"),
        ("--seeds a --seeds b", "--seeds specified multiple times"),
        ("--oven none", "--oven: expected a whole number of at least 1, got 'none'"),
        ("--oven 1.5", "--oven: expected a whole number of at least 1, got '1.5'"),
        ("--times 1 --times x", "--times: expected a whole number"),
        ("--shelf --oven 3", "--shelf: expected a path, got --oven"),
        ("--shelf=", "--shelf: expected a path, got an empty text"),
    ],
)
def test_values_that_an_option_does_not_have(line: str, message: str) -> None:
    with pytest.raises((CycloptsError, UsageError), match=re.escape(message)):
        baked(line)


def test_an_option_may_stand_without_its_value() -> None:
    app = App()

    @app.default
    def search(
        rm3: Annotated[list[str] | None, Parameter(consume_multiple=(0, 1))] = None,
    ) -> object:
        return rm3

    for line, found in (("", None), ("--rm3", []), ("--rm3 fbTerms=5", ["fbTerms=5"])):
        assert app(line.split(), result_action="return_value") == found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (MarkedPages([("wcxb", None)], Path("a")), [("wcxb", Path("a"))]),
        (MarkedPages([("wcxb", Path("a"))]), [("wcxb", Path("a"))]),
        (
            MarkedPages([("wcxb", Path("a")), ("folder", Path("b=c"))]),
            [("wcxb", Path("a")), ("folder", Path("b=c"))],
        ),
    ],
)
def test_both_forms(given: MarkedPages, expected: list[tuple[str, Path]]) -> None:
    assert given.folders() == expected


GOV = "irds:gov/trec-web-2002"


def test_a_dataset_stands_for_what_is_not_named_otherwise() -> None:
    given = {"input": None, "topics": Path("t"), "qrels": None}
    found = {"input": Path(GOV), "topics": Path("t"), "qrels": Path(GOV)}
    assert from_dataset(GOV, given) == found
    assert from_dataset(None, {"topics": Path("t")}) == {"topics": Path("t")}
    with pytest.raises(UsageError, match="expected --input or --store and --qrels; or"):
        from_dataset(None, given, or_store=True)


@pytest.mark.parametrize(
    ("command", "option", "shown"),
    [
        ("compare", "--hits", "(default: 1000)"),
        ("compare", "--k1", f"(default: {BM25().k1}; several"),
        ("sweep", "--k1", f"[default: {BM25().k1}]"),
        ("export", "--format", f"[default: {ExportOptions().format}]"),
        ("segment", "--on-duplicate", f"[default: {Segmentation().on_duplicate}]"),
        ("segment", "--max-page-bytes", f"({Limits().page_bytes // 2**20} MiB)"),
        ("segment", "--max-page-blocks", f"[default: {Limits().page_blocks}]"),
        ("segment", "--max-worker-memory", f"[default: {Limits().worker_bytes >> 30}]"),
    ],
)
def test_shown_defaults_are_those_of_the_package(
    call: conftest.Call, command: str, option: str, shown: str
) -> None:
    text = " ".join(call(command, "--help").out.replace("│", " ").split())
    about = text.partition(f" {option} ")[2].partition(" --")[0]
    assert shown in about


CALL = Call(
    {"--butter": ["--butter"], "--jam": ["--jam", "plum"]},
    {"page_bytes": "--max-page-bytes", "overwrite": "--overwrite"},
)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda: CALL.needs("--butter", "--bread", "--jam"), None),
        (lambda: CALL.needs("--honey", "--bread"), None),
        (lambda: CALL.apart("--jam", "--honey"), None),
        (lambda: CALL.apart("--honey", "--jam"), None),
        (
            lambda: CALL.needs("--butter", "--bread", "--roll"),
            "--butter requires --bread or --roll",
        ),
        (
            lambda: CALL.apart("--jam", "--honey", "--butter"),
            "--jam cannot be used with --butter",
        ),
    ],
)
def test_rules_between_options(rule: object, message: str | None) -> None:
    assert callable(rule)
    if message is None:
        rule()
        return
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        rule()


def test_options_of_a_call() -> None:
    assert CALL.given("--jam", "--honey", "--butter") == ["--jam", "--butter"]
    assert CALL.other_than("--jam") == ["--butter"]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (InputError("no page"), "no page"),
        (
            UsageError("expected some", parameter="page_bytes"),
            "--max-page-bytes: expected some",
        ),
        (UsageError("expected some", parameter="color"), "color: expected some"),
        (
            UsageError("give `overwrite`, or `learned` to `boilersweep index`"),
            "give --overwrite, or `learned` to `boilersweep index`",
        ),
    ],
)
def test_errors_have_the_options_of_the_call(
    error: BoilersweepError, message: str
) -> None:
    spell(error, CALL)
    assert str(error) == message
