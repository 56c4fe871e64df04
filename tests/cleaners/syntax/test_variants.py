"""Sweeps as text, the names of their thresholds, and grids."""

import re
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep import UsageError, collect_variants, parse_cleaner
from boilersweep.cleaners.rules import FEATURES, OPERATORS, Comparison, number_text
from boilersweep.cleaners.selection import PageText
from boilersweep.cleaners.syntax.grammar import MAX_THRESHOLDS
from boilersweep.cleaners.syntax.variants import (
    MAX_VARIANTS,
    PAPER_SWEEPS,
    Grid,
    Sweep,
    Variant,
    curves_of,
    parse_sweep,
)
from boilersweep.outputs.atomic import whole_folder, write_text
from boilersweep.outputs.locks import only_writer

ANCESTOR_2 = "ancestor-numwords-rules-2"
QUOTA_1 = "link-quota-1"


@pytest.mark.parametrize(
    ("text", "feature", "values"),
    [
        ("words=11", "words", [11]),
        ("words=1:4", "words", [1, 2, 3, 4]),
        ("words>=1:4", "words", [1, 2, 3, 4]),
        ("words>={1:4}", "words", [1, 2, 3, 4]),
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
    sweep = parse_sweep(text)
    assert sweep == Sweep.at_least(feature, values)
    assert [threshold.point for threshold in sweep.thresholds] == [
        Comparison(feature, ">=", value) for value in sweep.values
    ]
    assert sweep.label == feature


def test_the_papers_sweeps() -> None:
    assert (parse_sweep("words=1:100"), parse_sweep("density=1:20")) == PAPER_SWEEPS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "one of words, density, .*, but it ends there"),
        ("words", "one of >= .*, but it ends there"),
        ("word=1:3", r"did you mean words.*at character 1;"),
        ("link_density=1", "one of >= .*, got '=1' at character 13"),
        ("words>=5 & words=1:3", "one of >= .*, got '=1:3' at character 17"),
        ("words=", "a number, but it ends there"),
        ("words=1,,2", "a number, got ',2' at character 9"),
        ("words=one", "a number, got 'one' at character 7"),
        ("words=1:", "a number, but it ends there"),
        ("words=1:2:3:4", "the end, got ':4' at character 12"),
        ("words=nan", "a number, got 'nan' at character 7"),
        ("words=1:inf", "a number, got 'inf' at character 9"),
        ("words={}", "a number, got '}' at character 8"),
        ("words=0", "thresholds of at least 1, got '0' at character 7"),
        ("words>={0:4}", r"thresholds of at least 1, got '\{0:4}' at character 8"),
        ("words=-3:5", "a number, got '-3:5' at character 7"),
        ("density=0.99", "at least 1, got '0.99' at character 9"),
        (
            "words=5:1",
            "an ascending range with a positive step, got '5:1' at character 7",
        ),
        (
            "words=1, 5:1",
            "an ascending range with a positive step, got '5:1' at character 9",
        ),
        ("words=1:5:0", "a positive step, got '1:5:0' at character 7"),
        ("words=1:5:-1", "a number, got '-1' at character 11"),
        ("words=1:1001", "at most 1000 thresholds, got '1:1001' at character 7"),
        (
            "words=1:600,601:1200",
            "at most 1000 thresholds, got '1:600,601:1200' at character 7",
        ),
        ("words=1:2:1e-9999", "at most 1000 thresholds"),
        ("words=1e400", "numbers of at most"),
        ("words=1:1e99999999", "numbers of at most"),
        ("words=1:1e9999999999999999999999", "numbers of at most"),
        ("words=1:2:1e99999999", "numbers of at most"),
        (
            "words>=1e400 & density>={1:2}",
            "a number below 1e308, got '1e400 & .*' at character 8",
        ),
        ("bte", "a range, such as {1:5}, in the place of a number, but it ends there"),
        pytest.param(
            "learned",
            "a range, such as {1:5}, in the place of a number, but it ends there",
            marks=pytest.mark.application("learned"),
        ),
        (
            "trafilatura",
            "a range, such as {1:5}, in the place of a number, but it ends there",
        ),
        (
            "weighted(bte, {0:4})",
            r"expected to count 1 to 100 times, in whole numbers, got 0\)",
        ),
        ("words>={1:3} bte", "& or | or the end, got 'bte' at character 13"),
        ("words>={1:3", "a comma or a closing brace, but it ends there"),
        (
            "words>=1:3 & density>=4",
            "braces around a range .*, got '1:3 & .*' at character 8",
        ),
        (
            "ancestor(bte, 1:5)",
            r"braces around a range .*, got '1:5\)' at character 14",
        ),
        ("ancestor(bte, {1:9})", r"a depth of 1, 2, 3, 4 or 5, got 6\)"),
        (
            "link_density<={1:3} & words>={4}",
            r"one range; two .* `grid`, got '\{4}' at charac.* 30",
        ),
        (
            "link_density<={1:3} & words>=4:5",
            "one range; two .* `grid`, got '4:5' at charac.* 30",
        ),
    ],
)
def test_errors_point_at_the_place_and_say_what_was_expected(
    text: str, expected: str
) -> None:
    with pytest.raises(
        UsageError, match=f"^sweep {re.escape(repr(text))}: expected .*{expected}"
    ):
        parse_sweep(text)


@pytest.mark.parametrize(
    ("text", "label", "canonical", "names"),
    [
        (
            "link_density<=0:1:0.5",
            "link_density<=",
            "link_density<=0,0.5,1",
            ["link_density-le-0", "link_density-le-0.5", "link_density-le-1"],
        ),
        ("words < 2,1", "words<", "words<1,2", ["words-lt-1", "words-lt-2"]),
        ("words>=.5 & words>=9", "words>=0.5 & words>=", "words>=0.5 & words>=9", None),
        (
            "ancestor(numwords-rules,{1:2})",
            "ancestor(numwords-rules, k)",
            "ancestor(numwords-rules, {1,2})",
            ["ancestor-numwords-rules-1", ANCESTOR_2],
        ),
        (
            "density>=10.50&link_density<={0.1:0.2:0.1}",
            "density>=10.5 & link_density<=",
            "density>=10.5 & link_density<=0.1,0.2",
            None,
        ),
        (
            "link_density<={0.1} & words>=5",
            "link_density<=k & words>=5",
            "link_density<={0.1} & words>=5",
            ["link_density-le-0.1-and-words-ge-5"],
        ),
        (
            "link-quota({.5,1})",
            "link-quota(k)",
            "link-quota({0.5,1})",
            ["link-quota", QUOTA_1],
        ),
        (
            "!(words>={3})|bte",
            "!(words>=k) | bte",
            "!(words>={3}) | bte",
            ["not-words-ge-3-or-bte"],
        ),
        (
            "weighted(trafilatura|bte, {1:3:2})",
            "weighted(trafilatura | bte, k)",
            "weighted(trafilatura | bte, {1,3})",
            None,
        ),
        pytest.param(
            "learned>=0.1,.2",
            "learned>=",
            "learned>=0.1,0.2",
            ["learned-ge-0.1", "learned-ge-0.2"],
            marks=pytest.mark.application("learned"),
        ),
    ],
)
def test_any_number_of_any_rule(
    text: str, label: str, canonical: str, names: list[str] | None
) -> None:
    sweep = parse_sweep(text)
    assert (sweep.label, str(sweep)) == (label, canonical)
    assert names is None or [threshold.name for threshold in sweep.thresholds] == names
    again = parse_sweep(canonical)
    assert (again, again.cleaners) == (sweep, sweep.cleaners)


NUMBERS = st.one_of(
    st.integers(0, 10**6).map(float),
    st.floats(0, 10**6, allow_subnormal=False).map(lambda value: round(value, 6)),
)
TESTS = st.tuples(st.sampled_from(FEATURES), st.sampled_from(list(OPERATORS))).map(
    "".join
)
COMPARISONS = st.tuples(TESTS, NUMBERS).map(
    lambda pair: (
        pair[0] + number_text(min(pair[1], 1) if "link_d" in pair[0] else pair[1])
    )
)
RULES = st.recursive(
    st.one_of(COMPARISONS, st.sampled_from(["bte", "link-quota", "numwords-rules"])),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["&", " | "]), inner).map("".join),
        inner.map("!({})".format),
        inner.map("ancestor( {},3)".format),
    ),
    max_leaves=4,
)
AROUND = st.one_of(
    st.just("{}"),
    RULES.map("{{}} & {}".format),
    RULES.map("({}) | {{}}".format),
    st.just("!({})"),
    RULES.map("ancestor({}&{{}},2)".format),
)


@given(AROUND, TESTS, st.lists(NUMBERS, min_size=1, max_size=9))
def test_the_text_of_a_sweep_parses_back(
    around: str, test: str, values: list[float]
) -> None:
    if "link_density" in test:
        values = [value / 1e9 for value in values]
    braces = "{" + " , ".join(map(repr, values)) + "}"
    text = around.format(test + braces)
    if text.startswith(("words>={", "density>={")) and text.endswith("}"):
        values = [value + 1 for value in values]
        text = test + ",".join(map(repr, values))
    sweep = parse_sweep(text)
    assert sweep.values == tuple(sorted(set(values)))
    rules = [parse_cleaner(around.format(test + repr(value))) for value in sweep.values]
    assert list(sweep.cleaners) == rules
    again = parse_sweep(str(sweep))
    assert (again, again.cleaners, str(again)) == (sweep, sweep.cleaners, str(sweep))


@given(st.text(alphabet="words>=<1.5:,{}()&|! ebtlk_'", max_size=30))
def test_any_text_is_a_sweep_or_an_error(text: str) -> None:
    try:
        sweep = parse_sweep(text)
    except UsageError:
        return
    assert parse_sweep(str(sweep)).cleaners == sweep.cleaners


def test_curves_have_the_variants_of_every_sweep_that_stands_there() -> None:
    sweeps = [
        parse_sweep("link_density<=0.1,0.3"),
        parse_sweep("words>={5,9} & link_density<=0.3"),
        parse_sweep("words>=5 & link_density<=0.1,0.3"),
        parse_sweep("words=1,5"),
    ]
    variants = collect_variants(
        sweeps, ["words>=7", "bte", "words>=0.5", "link_density<=0.4"]
    )
    curves = {
        label: [(value, str(variants[place])) for value, place in curve]
        for label, curve in curves_of(variants, sweeps).items()
    }
    assert curves == {
        "link_density<=": [(0.1, "link_density<=0.1"), (0.3, "link_density<=0.3")],
        "words>=k & link_density<=0.3": [
            (5, "words>=5 & link_density<=0.3"),
            (9, "words>=9 & link_density<=0.3"),
        ],
        "words>=5 & link_density<=": [
            (0.1, "words>=5 & link_density<=0.1"),
            (0.3, "words>=5 & link_density<=0.3"),  # it is on two curves
        ],
        "words": [(1, "words>=1"), (5, "words>=5"), (7, "words>=7")],
    }


@pytest.mark.parametrize(
    "text",
    [
        f"words=1:{MAX_THRESHOLDS}",
        "words=1:100.9:0.1",
        "link_density<={0:0.999:0.001} & " + " & ".join(["words>=5"] * 9),
    ],
    ids=lambda text: text[:12],
)
def test_as_many_thresholds_as_allowed(text: str) -> None:
    assert len({threshold.name for threshold in parse_sweep(text).thresholds}) == 1000


def test_a_name_that_is_too_long_is_its_beginning_and_a_digest_of_the_whole_text() -> (
    None
):
    rule = " & ".join(f"words>={number}" for number in range(10, 40))
    assert Variant(PageText("x" * 237)).name == "x" * 237
    name = Variant(parse_cleaner(rule)).name
    assert len(name) == 237
    assert name.startswith("words-ge-10-and-words-ge-11-and-")
    assert name.endswith("-759e1333bb56a813")
    others = [
        parse_cleaner(rule.replace("39", "41")),
        PageText("x" * 238),
        PageText("x" * 239),
    ]
    assert len({name, *(Variant(other).name for other in others)}) == 4
    same_but_for_signs = [PageText("x" * 300 + sign) for sign in "-!"]
    assert len(collect_variants((), same_but_for_signs)) == 2


def test_everything_that_is_named_after_a_long_rule_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "h" * 64)
    name = Variant(PageText("x" * 999)).name
    write_text(tmp_path / f"{name}.trec", "run")
    for _ in range(2):  # also in the place of the one before
        with whole_folder(tmp_path / name):
            pass
    with only_writer(tmp_path, f".index-{name}.lock"):
        pass
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    "text",
    ["words>11", "words>=0.5", "link_density>=1", "!words>=11", "bte", "trafilatura"],
)
def test_least_words_and_densities_are_on_a_curve_alone(text: str) -> None:
    assert Variant(parse_cleaner(text)).point is None
    assert str(Variant(parse_cleaner("words>=11")).point) == "words>=11"


def test_thresholds_of_several_sweeps_each_once_in_order() -> None:
    sweeps = (
        parse_sweep("words=1,3"),
        parse_sweep("density=2"),
        parse_sweep("words=2,3"),
    )
    names = [threshold.name for threshold in collect_variants(sweeps)]
    assert names == ["words-001", "words-003", "density-02", "words-002"]


def grid(first: str, second: str) -> Grid:
    return Grid(parse_sweep(first), parse_sweep(second))


def test_every_place_is_what_both_sweeps_keep_there() -> None:
    small = grid("words=1,5", "bte | link_density<=0.2,0.5")
    at = {place: str(small.variant(place)) for place in small.places()}
    assert at == {
        (0, None): "words>=1",
        (1, None): "words>=5",
        (None, 0): "bte | link_density<=0.2",
        (None, 1): "bte | link_density<=0.5",
        (0, 0): "words>=1 & (bte | link_density<=0.2)",
        (0, 1): "words>=1 & (bte | link_density<=0.5)",
        (1, 0): "words>=5 & (bte | link_density<=0.2)",
        (1, 1): "words>=5 & (bte | link_density<=0.5)",
    }
    for place, text in at.items():
        assert parse_cleaner(text) == small.variant(place).cleaner
    assert small.values((1, 0)) == (5, 0.2)
    assert small.values((None, 1)) == (None, 0.5)
    assert small.shape == (2, 2)


@pytest.mark.parametrize(
    ("first", "second", "baseline", "everything"),
    [
        ("words=1,5", "density=2", (0, None), "words>=1"),
        ("words=5", "density=1,2", (None, 0), "density>=1"),
        ("words=2,5", "link_density<=0.5,1", (None, None), "words>=1"),
    ],
)
def test_everything_is_a_place_of_its_own_where_no_sweep_keeps_that_alone(
    first: str, second: str, baseline: tuple[int | None, int | None], everything: str
) -> None:
    found = grid(first, second)
    assert (found.baseline, str(found.variant(found.baseline))) == (
        baseline,
        everything,
    )
    assert ((None, None) in found.places()) == (baseline == (None, None))


def test_corners_each_once() -> None:
    assert grid("words=1:3", "density=1:4").corners == [(0, 0), (0, 3), (2, 0), (2, 3)]
    assert grid("words=1:3", "density=4").corners == [(0, 0), (2, 0)]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("words=1:101", "density=1:100", "at most 10,000 pairs, got 10,100"),
        ("words=1:3", "words>=5", "sweeps over two numbers, got words twice"),
        (
            "words=1:3",
            "weighted(bte, {2:3})",
            r"sweeps of rules, .*, got weighted\(bte, \{2,3\}\)",
        ),
    ],
)
def test_what_makes_no_grid(first: str, second: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        grid(first, second)


def test_as_many_pairs_as_allowed() -> None:
    assert (
        len(list(grid("words=1:100", "density=1:100").pairs()))
        == MAX_VARIANTS
        == 10_000
    )
