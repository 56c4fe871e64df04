"""Keep rules: what the grammar allows, what it means, and what its errors say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep import UsageError
from boilersweep.cleaners.rules import FEATURES, And, Comparison, Not, Or, Rule
from boilersweep.cleaners.syntax.grammar import parse_cleaners, parse_rule
from boilersweep.pages.columns import BlockColumns

WORDS = Comparison("words", ">=", 11)
DENSITY = Comparison("density", ">=", 10.5)
LINKS = Comparison("link_density", "<=", 0.33)

BLOCKS = BlockColumns(
    docids=["a", "b"],
    starts=np.array([0, 3, 5]),
    words=np.array([3, 10, 11, 40, 11]),
    density=np.array([3.0, 10.0, 11.0, 10.5, 2.5]),
    link_words=np.array([3, 0, 4, 0, 11]),
    texts=[],
)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("words>=11", WORDS),
        ("  words\t>= 11.0\n", WORDS),
        ("words>=011.", WORDS),
        ("link_density<=.33", LINKS),
        ("!words>=11", Not(WORDS)),
        ("!(words>=11)", Not(WORDS)),
        ("!!words>=11", Not(Not(WORDS))),
        ("((words>=11))", WORDS),
        ("words>=11&density>=10.5", And(WORDS, DENSITY)),
        ("words>=11 | density>=10.5", Or(WORDS, DENSITY)),
        # Not binds closest, then and, then or; chains are taken from the left.
        (
            "words>=11 | !density>=10.5 & link_density<=0.33",
            Or(WORDS, And(Not(DENSITY), LINKS)),
        ),
        (
            "words>=11 & density>=10.5 | link_density<=0.33",
            Or(And(WORDS, DENSITY), LINKS),
        ),
        (
            "(words>=11 | density>=10.5) & link_density<=0.33",
            And(Or(WORDS, DENSITY), LINKS),
        ),
        (
            "words>=11 & density>=10.5 & link_density<=0.33",
            And(And(WORDS, DENSITY), LINKS),
        ),
    ],
)
def test_grammar(text: str, rule: Rule) -> None:
    assert parse_rule(text) == rule


@pytest.mark.parametrize("sign", [">=", ">", "<=", "<", "==", "!="])
@pytest.mark.parametrize("column", FEATURES)
def test_every_column_takes_every_sign(column: str, sign: str) -> None:
    assert parse_rule(f"{column}{sign}1") == Comparison(column, sign, 1)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("words>=1", [1, 1, 1, 1, 1]),
        ("words>=11", [0, 0, 1, 1, 1]),
        ("words>11", [0, 0, 0, 1, 0]),
        ("words<=10", [1, 1, 0, 0, 0]),
        ("words<10", [1, 0, 0, 0, 0]),
        ("words==11", [0, 0, 1, 0, 1]),
        ("words!=11", [1, 1, 0, 1, 0]),
        ("density>=10.5", [0, 0, 1, 1, 0]),
        ("link_words>=4", [0, 0, 1, 0, 1]),
        ("link_density<=0.33", [0, 1, 0, 1, 0]),
        ("link_density==1", [1, 0, 0, 0, 1]),
        ("prev_link_density==1", [0, 1, 0, 0, 0]),
        ("next_words>10 | prev_words>11", [0, 1, 0, 1, 1]),
        ("next_density==0", [0, 0, 1, 0, 1]),
        ("!words>=11", [1, 1, 0, 0, 0]),
        ("words>=11 & link_density<=0.33", [0, 0, 0, 1, 0]),
        ("words>=11 & link_density<=0.33 | density==10", [0, 1, 0, 1, 0]),
        ("words>=11 & (link_density<=0.33 | density==11)", [0, 0, 1, 1, 0]),
        ("!(words>=11 | density==10)", [1, 0, 0, 0, 0]),
    ],
)
def test_masks(text: str, kept: list[int]) -> None:
    mask = parse_rule(text).mask(BLOCKS)
    assert mask.dtype == np.bool_
    assert mask.tolist() == [bool(k) for k in kept]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("words>=11.0", "words>=11"),
        ("density>=10.50", "density>=10.5"),
        ("link_density<.0000001", "link_density<0.0000001"),
        ("(words>=1)&((words<=9))", "words>=1 & words<=9"),
        ("words>=1&(words<=9&words!=3)", "words>=1 & (words<=9 & words!=3)"),
        ("(words>=1|words<=9)&words!=3", "(words>=1 | words<=9) & words!=3"),
        ("!(words>=1&words<=9)", "!(words>=1 & words<=9)"),
        ("!!(words>=1)", "!!words>=1"),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    assert str(parse_rule(text)) == canonical


def rules() -> st.SearchStrategy[Rule]:
    numbers = st.one_of(
        st.integers(0, 200).map(float),
        st.floats(0, 1e300, allow_nan=False, allow_subnormal=False),
    )
    signs = st.sampled_from([">=", ">", "<=", "<", "==", "!="])
    of_links = [one for one in FEATURES if one.endswith("link_density")]
    counts = st.sampled_from([one for one in FEATURES if one not in of_links])
    shares = st.builds(Comparison, st.sampled_from(of_links), signs, st.floats(0, 1))
    return st.recursive(
        st.one_of(st.builds(Comparison, counts, signs, numbers), shares),
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.builds(And, inner, inner),
            st.builds(Or, inner, inner),
        ),
        max_leaves=12,
    )


@given(rules())
def test_canonical_text_parses_back_to_an_equal_rule(rule: Rule) -> None:
    assert parse_rule(str(rule)) == rule


@given(rules())
def test_a_rule_and_its_negation_part_the_blocks(rule: Rule) -> None:
    assert (rule.mask(BLOCKS) ^ parse_rule(f"!({rule})").mask(BLOCKS)).all()


@pytest.mark.parametrize(
    ("text", "expected", "found"),
    [
        ("", "one of words, density", "but it ends there"),
        ("   ", "one of words, density", "but it ends there"),
        ("word>=3", "one of words, density", "got 'word>=3' at character 1"),
        ("words", "one of >= >", "but it ends there"),
        ("words=3", "one of >= >", "got '=3' at character 6"),
        ("words>=", "a number", "but it ends there"),
        ("words>=-1", "a number", "got '-1' at character 8"),
        ("words>=1" + "0" * 400, "a number below", f"got '1{'0' * 29}' at character 8"),
        ("words>=3 words<9", "& or | or the end", "got 'words<9' at character 9"),
        ("words>=3)", "& or | or the end", "got ')' at character 9"),
        ("words>=3 §", "& or | or the end", "got '§' at character 9"),
        ("(words>=3", "& or | or a closing parenthesis", "but it ends there"),
        ("words>=3 &", "one of words, density", "but it ends there"),
        (
            "words>=3 && words<9",
            "one of words, density",
            "got '& words<9' at character 11",
        ),
        ("!", "one of words, density", "but it ends there"),
        ("()", "one of words, density", "got ')' at character 2"),
        ("words>=1e", "& or | or the end", "got 'e' at character 9"),
        ("words>=1e400", "a number below", "got '1e400' at character 8"),
    ],
)
def test_errors_name_the_place(text: str, expected: str, found: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_rule(text)
    message = str(caught.value)
    assert message.startswith(f"keep rule {text[:80]!r}"[:-1])
    assert f": expected {expected}" in message
    assert found in message


@pytest.mark.parametrize(
    "text", ["(" * 5000, "!" * 5000, "(!" * 2500, "(" * 101 + "words>=1"]
)
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="at most 100 nested"):
        parse_rule(text)


@pytest.mark.parametrize("sign", [" & ", " | "])
@pytest.mark.parametrize("term", ["words>=1", "bte"])
def test_long_chains_are_refused(term: str, sign: str) -> None:
    with pytest.raises(UsageError, match="at most 100 comparisons and named cleaners"):
        parse_rule(sign.join([term] * 5000))


def test_a_list_of_cleaners_may_be_long() -> None:
    assert (
        len(parse_cleaners(",".join(f"words>={number}" for number in range(1, 201))))
        == 200
    )


@pytest.mark.parametrize(
    "text",
    [
        "!" * 99 + "words>=1",
        "(" * 99 + "words>=1" + ")" * 99,
        "&".join(["words>=1"] * 100),
    ],
)
def test_what_is_parsed_at_the_limits_can_be_used(text: str) -> None:
    rule = parse_rule(text)
    assert parse_rule(str(rule)) == rule
    assert len(rule.mask(BLOCKS)) == len(BLOCKS.words)


@given(st.text(alphabet="words density link_<>=!&|() 0123.", max_size=40))
def test_any_text_is_a_rule_or_a_usage_error(text: str) -> None:
    try:
        rule = parse_rule(text)
    except UsageError:
        return
    assert parse_rule(str(rule)) == rule
