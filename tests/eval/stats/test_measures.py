"""Names of measures, and what may not be one."""

import re
import sys
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures.measures import registry

from boilersweep import UsageError
from boilersweep.eval.stats.scoring import (
    DEFAULT_MEASURES,
    parse_measure,
    parse_measures,
    score,
)

# By the type of a parameter: names in a text, and what they mean.
VALUES: dict[type, st.SearchStrategy[Any]] = {
    int: st.integers(0, 10**12),
    float: st.floats(0, 1e12),
    bool: st.booleans(),
    str: st.sampled_from(["log2", "exp-log2"]),
    dict: st.dictionaries(st.integers(0, 9), st.integers(0, 99)),
}
SPACES = st.sampled_from(["", "", " ", "  "])


@st.composite
def written(draw: st.DrawFn) -> tuple[str, Any]:
    """Draw a measure's name with some of its parameters, and the measure."""
    name = draw(st.sampled_from(sorted(registry)))
    measure = registry[name]
    values = {
        key: draw(VALUES[about.dtype])
        for key, about in measure.SUPPORTED_PARAMS.items()
        if draw(st.booleans())
    }
    at = measure.AT_PARAM if draw(st.booleans()) else ""
    space = draw(SPACES)
    within = f"{space},{space}".join(
        f"{key}{space}={space}{value!r}" for key, value in values.items() if key != at
    )
    text = name
    if within or draw(st.booleans()):
        comma = "," if within and draw(st.booleans()) else ""
        text += f"{space}({space}{within}{comma}{space}){space}"
    if at in values:
        text += f"@{space}{values[at]!r}"
    return text, measure(**values)


@given(written())
def test_a_name_means_the_measure_with_its_parameters(drawn: tuple[str, Any]) -> None:
    name, measure = drawn
    parsed = parse_measure(name)
    assert (type(parsed), parsed.params) == (type(measure), measure.params)
    assert parse_measure(str(parsed)) == parsed


@pytest.mark.skipif(
    sys.version_info >= (3, 12),
    reason="ir-measures parses names by classes that Python deprecates since 3.12",
)
@given(written())
def test_a_name_means_what_it_means_to_ir_measures(drawn: tuple[str, Any]) -> None:
    ours, theirs = parse_measure(drawn[0]), ir_measures.parse_measure(drawn[0])
    assert (type(ours), ours.params) == (type(theirs), theirs.params)


def test_all_unknown_measures_are_named_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        parse_measures(["P@10", "Quality@10", "nDCG@", "", "P@ten", "AP"])
    assert re.search(
        r"Quality@10, nDCG@ \(did you.*\?\), , P@ten \(did you", str(caught.value)
    )
    assert "such as P@10, nDCG@10 or Bpref" in str(caught.value)
    assert "such as P_10, ndcg_cut_10 or bpref" in str(caught.value)


@pytest.mark.parametrize(
    ("names", "measures"),
    [
        ("P_10 ndcg_cut_10 map recip_rank bpref", "P@10 nDCG@10 AP RR Bpref"),
        ("P.5,10 recall_1000 Rprec success_1", "P@5 P@10 R@1000 Rprec Success@1"),
        ("P@10 P_10 map AP P@10", "P@10 AP"),
        ("ndcg num_ret set_P iprec_at_recall_0.10", "nDCG NumRet SetP IPrec@0.1"),
        ("success", "Success@1 Success@5 Success@10"),
    ],
)
def test_names_of_trec_eval_are_those_of_ir_measures(names: str, measures: str) -> None:
    assert " ".join(map(str, parse_measures(names.split()))) == measures


MALFORMED = ["__import__('os')", "P(rel=)@3", "P@10 AP", "AP(x=1)", "P(rel='a')@10"]
MALFORMED += [
    "P_",
    "P_10x",
    "P_10.5",
    "P_0",
    "map_10",
    "gm_map",
    "official",
    "all_trec",
    "P_10,",
    "P(rel=1, rel=2)@10",
    "P(10)",
    "P@10@10",
    "P(rel=1)(rel=2)@10",
    "P(rel=1,,)@10",
    "P(,)@10",
    "P(rel=1 judged_only=True)@10",
    "P@010",
    "P@٣",
    "P@-1",
    "P@+1",
    "P(rel=-1)@10",
    "P@1_0",
    "P@None",
    "P @",
    "P@10\x00",
    "p@10",
]
CRASHING = ["P@-1", "nDCG@0", "P@0", "R@-5", "Success@0"]
# ir-measures takes these names, and fails later.
CRASHING += ["AP(rel=0)", "P(rel=9999999999)@10", "IPrec@1e300", "P@10.0"]
CRASHING += ["nDCG(gains={1:0.5})@10", "nDCG(gains={1:'a'})@10"]
DEEP = [mark * 100_000 for mark in ("(", "P(", "-", "P@", "9", " ", "P(rel={")]
DEEP += [
    "P@" + "9" * 100_000,
    f"P(rel=1{' ' * 100_000}",
    f"nDCG(gains={{{'1:1,' * 9_999}",
]
WITHOUT_PARAMETERS = ["INST", "NERR8@10", "RBP", "SDCG@10"]
WITHOUT_SUBTOPICS = ["alpha_nDCG@10"]


@pytest.mark.parametrize(
    "name",
    MALFORMED + CRASHING + DEEP + WITHOUT_PARAMETERS + WITHOUT_SUBTOPICS,
    ids=lambda name: name[:20],
)
def test_what_cannot_be_computed_is_refused_before_the_work(name: str) -> None:
    with pytest.raises(
        UsageError, match="expected those that ir-measures computes here"
    ):
        parse_measures([name])


@pytest.mark.parametrize(
    "name",
    [
        *DEFAULT_MEASURES,
        "Bpref",
        "RR",
        "ERR@20",
        "IPrec@0.1",
        "nDCG(gains={1:3,2:7})@10",
        "nDCG(dcg='exp-log2')@10",
        "P(rel=2,judged_only=True)@5",
        "SetF(beta=0.5)",
        "Compat(p=0.9)",
        "P(rel=2)@5",
        "Rprec",
        "Judged@5",
    ],
)
def test_what_is_accepted_can_be_computed(name: str) -> None:
    measures = parse_measures([name])
    scores = score(
        {"1": [("a", 2.0), ("b", 1.0)]}, {"1": {"a": 2, "b": 0, "c": 1}}, measures
    )
    assert list(scores.mean) == [str(measures[0])]
    assert 0 <= scores.mean[name] <= 1
