"""Trees that people read: as the paper prints them, as rules, and pruned."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep import UsageError
from boilersweep.cleaners.learned.model import Tree
from boilersweep.cleaners.published.boilerpipe import (
    FIVE_NINTHS,
    THIRD,
    DensityRules,
    NumWordsRules,
)
from boilersweep.cleaners.rules import Rule
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.eval.training.readable import leaves, printed, pruned, rule_of
from boilersweep.pages.columns import BlockColumns, FloatArray, columns_of, neighbours
from boilersweep.pages.segmenter import Segmenter

# A node: a feature, a threshold, what is at most it, and what is above; or whether it is content.
Node = tuple[int, float, "Node", "Node"] | bool
WORDS = [
    f"{place}_{name}"
    for name in ("words", "link_density")
    for place in ("prev", "curr", "next")
]
DENSITY = [name.replace("words", "text_density") for name in WORDS]

ALGORITHM_2: Node = (
    4,
    THIRD,
    (
        3,
        FIVE_NINTHS,
        (1, 16, (2, 15, (0, 4, False, True), True), True),
        (1, 40, (2, 17, False, True), True),
    ),
    False,
)
ALGORITHM_1: Node = (
    4,
    THIRD,
    (
        3,
        FIVE_NINTHS,
        (1, 9, (2, 10, (0, 4, False, True), True), (2, 0, False, True)),
        (2, 11, False, True),
    ),
    False,
)


def tree_of(root: Node) -> Tree:
    """Return the arrays of a tree, children behind their parents."""
    waiting, rows = [root], []
    for node in waiting:
        if isinstance(node, bool):
            rows.append((-1, 0.0, 0, 0, float(node)))
        else:
            feature, threshold, low, high = node
            rows.append((feature, threshold, len(waiting), len(waiting) + 1, 0.5))
            waiting += [low, high]
    arrays = [np.array(column) for column in zip(*rows, strict=True)]
    return Tree(*arrays)


def test_the_papers_algorithm_as_it_prints_it() -> None:
    assert printed(tree_of(ALGORITHM_2), WORDS).splitlines() == [
        "curr_linkDensity <= 0.333333",
        "| prev_linkDensity <= 0.555556",
        "| | curr_numWords <= 16",
        "| | | next_numWords <= 15",
        "| | | | prev_numWords <= 4: BOILERPLATE",
        "| | | | prev_numWords > 4: CONTENT",
        "| | | next_numWords > 15: CONTENT",
        "| | curr_numWords > 16: CONTENT",
        "| prev_linkDensity > 0.555556",
        "| | curr_numWords <= 40",
        "| | | next_numWords <= 17: BOILERPLATE",
        "| | | next_numWords > 17: CONTENT",
        "| | curr_numWords > 40: CONTENT",
        "curr_linkDensity > 0.333333: BOILERPLATE",
    ]
    assert leaves(tree_of(ALGORITHM_2)) == 8
    assert printed(tree_of(ALGORITHM_1), DENSITY).count("textDensity") == 10
    assert printed(tree_of(True), WORDS) == "CONTENT"


@pytest.fixture(scope="module")
def columns() -> BlockColumns:
    """Forty pages of twenty blocks with some linked words."""
    random = np.random.default_rng(3)
    segmenter, pages = Segmenter(), []
    for _ in range(40):
        parts = []
        for _ in range(20):
            words, linked = int(random.integers(0, 60)), int(random.integers(0, 8))
            link = f"<a>{'link ' * linked}</a>" * int(random.integers(0, 2))
            parts.append(f"<p>{'word ' * words} one {link}")
        pages.append(segmenter.html("".join(parts).encode()))
    return columns_of([str(number) for number in range(40)], pages)


@pytest.mark.parametrize(
    ("tree", "names", "built_in"),
    [(ALGORITHM_2, WORDS, NumWordsRules()), (ALGORITHM_1, DENSITY, DensityRules())],
)
def test_the_papers_algorithms_as_rules(
    columns: BlockColumns, tree: Node, names: list[str], built_in: Rule
) -> None:
    rule = rule_of(tree_of(tree), names)
    again = parse_rule(str(rule))
    for one in (rule, again):
        assert np.array_equal(one.mask(columns), built_in.mask(columns))


NODES = st.recursive(
    st.booleans(),
    lambda inner: st.tuples(
        st.integers(0, 5), st.integers(0, 40).map(float), inner, inner
    ),
    max_leaves=12,
)


@given(NODES)
def test_a_rule_keeps_what_its_tree_keeps(columns: BlockColumns, root: Node) -> None:
    tree = tree_of(root)
    features = (columns.words.astype(float), columns.link_density)
    values = np.stack(
        [
            neighbours(of_block, columns.owners, step) if step else of_block
            for of_block in features
            for step in (-1, 0, 1)
        ],
        axis=1,
    )

    def follow(node: Node, row: FloatArray) -> bool:
        if isinstance(node, bool):
            return node
        feature, threshold, low, high = node
        return follow(low if row[feature] <= threshold else high, row)

    wanted = [follow(root, row) for row in values[:200]]
    if len({*_classes(root)}) == 1:
        with pytest.raises(UsageError, match="the tree keeps"):
            rule_of(tree, WORDS)
        return
    rule = rule_of(tree, WORDS)
    assert rule.mask(columns)[:200].tolist() == wanted
    if all(number <= 1 for name, number in _link_thresholds(root)):
        assert parse_rule(str(rule)).mask(columns)[:200].tolist() == wanted


def _classes(node: Node) -> list[bool]:
    return (
        [node] if isinstance(node, bool) else [*_classes(node[2]), *_classes(node[3])]
    )


def _link_thresholds(node: Node) -> list[tuple[str, float]]:
    if isinstance(node, bool):
        return []
    feature, threshold, low, high = node
    here = [(WORDS[feature], threshold)] if feature > 2 else []
    return [*here, *_link_thresholds(low), *_link_thresholds(high)]


def test_what_rules_do_not_compare_is_named() -> None:
    with pytest.raises(UsageError, match="not curr_word_length: the model can be used"):
        rule_of(tree_of((0, 4.5, False, True)), ["curr_word_length"])


def test_pruning_by_hand() -> None:
    # Unseen rows at 1, 3, 5, 7: content but for the first. The split at 2 is right. Below it the
    # one at .5 errs no less than a leaf; above it the one at 4 errs with 3, as a leaf would not.
    root: Node = (0, 2, (0, 0.5, True, False), (0, 4, False, True))
    tree = tree_of(root)
    value = tree.value.copy()
    value[[1, 2]] = 0.4, 0.6
    tree = Tree(tree.feature, tree.threshold, tree.left, tree.right, value)
    rows = np.array([[1.0], [3], [5], [7]])
    found = pruned(tree, rows, np.array([False, True, True, True]), np.ones(4))
    assert printed(found, ["curr_words"]).splitlines() == [
        "curr_numWords <= 2: BOILERPLATE",
        "curr_numWords > 2: CONTENT",
    ]
    assert (leaves(tree), leaves(found), len(found.feature)) == (4, 2, 3)
    # Where nothing is known a node is a leaf
    assert leaves(pruned(tree, rows[:0], np.zeros(0, dtype=bool), np.zeros(0))) == 1
