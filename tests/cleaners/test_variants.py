"""Sweeps as text, and the names of their thresholds."""

import socket
from pathlib import Path

import pytest

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.cleaners.rules import Comparison
from boilersweep.cleaners.selection import PageText
from boilersweep.cleaners.variants import (
    MAX_THRESHOLDS,
    PAPER_SWEEPS,
    Sweep,
    Variant,
    collect_variants,
    parse_sweep,
)
from boilersweep.errors import UsageError
from boilersweep.files import only_writer, whole_folder, write_text


@pytest.mark.parametrize(
    ("text", "feature", "values"),
    [
        ("words=11", "words", [11]),
        ("words=1:4", "words", [1, 2, 3, 4]),
        ("words=1:10:4", "words", [1, 5, 9]),
        ("words=1:9:4", "words", [1, 5, 9]),
        ("density=1,10.5,5", "density", [1, 5, 10.5]),
        ("density=1:2:0.25", "density", [1, 1.25, 1.5, 1.75, 2]),
        ("density=1:1.3:0.1", "density", [1, 1.1, 1.2, 1.3]),
        ("words=1:3,2:4,100", "words", [1, 2, 3, 4, 100]),
        (" words = 1 : 3 , 7 ", "words", [1, 2, 3, 7]),
        ("words=5:5", "words", [5]),
        ("words=5:5:0.5", "words", [5]),
        ("words=1e1", "words", [10]),
    ],
)
def test_parse(text: str, feature: str, values: list[float]) -> None:
    assert parse_sweep(text) == Sweep(feature, tuple(map(float, values)))


def test_the_papers_sweeps() -> None:
    assert (parse_sweep("words=1:100"), parse_sweep("density=1:20")) == PAPER_SWEEPS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "a feature"),
        ("words", "a feature"),
        ("word=1:3", "a feature (words or density)"),
        ("link_density=1", "a feature"),
        ("words=", "numbers in ''"),
        ("words=1,,2", "numbers in ''"),
        ("words=one", "numbers in 'one'"),
        ("words=1:", "numbers in '1:'"),
        ("words=1:2:3:4", "FIRST:LAST:STEP"),
        ("words=nan", "FIRST:LAST"),
        ("words=1:inf", "FIRST:LAST"),
        ("words=0", "at least 1"),
        ("words=-3:5", "at least 1"),
        ("density=0.99", "at least 1"),
        ("words=5:1", "an ascending range"),
        ("words=1:5:0", "a positive step"),
        ("words=1:5:-1", "a positive step"),
        ("words=1:1001", "at most 1000 thresholds"),
        ("words=1:600,601:1200", "at most 1000 thresholds"),
        ("words=1:2:1e-9999", "at most 1000 thresholds"),
        ("words=1e400", "numbers of at most"),
        ("words=1:1e99999999", "numbers of at most"),
        ("words=1:2:1e99999999", "numbers of at most"),
    ],
)
def test_errors_name_the_sweep_and_what_was_expected(text: str, expected: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_sweep(text)
    assert f"sweep {text!r}: expected " in str(caught.value)
    assert expected in str(caught.value)


def test_as_many_thresholds_as_allowed() -> None:
    assert len(parse_sweep(f"words=1:{MAX_THRESHOLDS}").values) == MAX_THRESHOLDS
    assert len(parse_sweep("words=1:100.9:0.1").values) == 1000


@pytest.mark.parametrize(
    ("feature", "value", "name"),
    [
        ("words", 11.0, "words-011"),
        ("words", 100.0, "words-100"),
        ("words", 1000.0, "words-1000"),
        ("words", 1.5, "words-001.5"),
        ("density", 1.0, "density-01"),
        ("density", 10.5, "density-10.5"),
        ("density", 1.1, "density-01.1"),
    ],
)
def test_names(feature: str, value: float, name: str) -> None:
    assert Variant.at_least(feature, value).name == name


@pytest.mark.parametrize("length", [1, 60, 237])
def test_a_name_that_is_short_enough_stays(length: int) -> None:
    assert Variant(PageText("x" * length)).name == "x" * length


def test_a_name_that_is_too_long_is_its_beginning_and_a_digest_of_the_whole_text() -> None:
    rule = " & ".join(f"words>={number}" for number in range(10, 40))
    name = Variant(parse_cleaner(rule)).name
    assert name == Variant(parse_cleaner(rule)).name
    assert len(name) == 237
    assert name.startswith("words-ge-10-and-words-ge-11-and-")
    assert name.endswith("-759e1333bb56a813")
    others = [parse_cleaner(rule.replace("39", "41")), PageText("x" * 238), PageText("x" * 239)]
    assert len({name, *(Variant(other).name for other in others)}) == 4
    same_but_for_signs = [PageText("x" * 300 + sign) for sign in "-!"]
    assert len(collect_variants((), same_but_for_signs)) == 2


def test_everything_that_is_named_after_a_long_rule_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "h" * 64)
    name = Variant(PageText("x" * 999)).name
    write_text(tmp_path / f"{name}.trec", "run")
    for folder in (name, f"index-{name}.parts"):
        for _ in range(2):  # also in the place of the one before
            with whole_folder(tmp_path / folder):
                pass
    with only_writer(tmp_path, f".index-{name}.lock"):
        pass
    assert len(list(tmp_path.iterdir())) == 3


def test_a_threshold_is_a_rule() -> None:
    assert Variant.at_least("density", 10.5).cleaner == Comparison("density", ">=", 10.5)
    assert str(Variant.at_least("density", 10.5)) == "density>=10.5"
    assert Variant(parse_cleaner("density>=10.5")) == Variant.at_least("density", 10.5)


@pytest.mark.parametrize("text", ["words>=11", "words>=1", "density>=10.5"])
def test_thresholds_of_features_that_are_swept_stand_on_a_curve(text: str) -> None:
    point = Variant(parse_cleaner(text)).point
    assert point
    assert text == f"{point.feature}>={point.value:g}"


@pytest.mark.parametrize(
    "text", ["words>11", "words>=0.5", "link_density>=1", "!words>=11", "bte", "trafilatura"]
)
def test_other_cleaners_stand_on_none(text: str) -> None:
    assert Variant(parse_cleaner(text)).point is None


@pytest.mark.parametrize("text", ["words=1:4", "density=1:2:0.25", "words=7", "density=1.1"])
def test_text_parses_back(text: str) -> None:
    sweep = parse_sweep(text)
    assert parse_sweep(str(sweep)) == sweep


def test_thresholds_of_several_sweeps_each_once_in_order() -> None:
    sweeps = (parse_sweep("words=1,3"), parse_sweep("density=2"), parse_sweep("words=2,3"))
    names = [threshold.name for threshold in collect_variants(sweeps)]
    assert names == ["words-001", "words-003", "density-02", "words-002"]
