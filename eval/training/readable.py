"""Decision trees that people read: pruned, printed as the 2010 paper prints its trees, as rules.

Source of the pruning: Quinlan, Simplifying decision trees, International Journal of Man-Machine
Studies 27, 1987: reduced-error pruning on pages that the tree has not seen.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boilersweep.cleaners.learned.model import Tree
from boilersweep.cleaners.rules import (
    FEATURES,
    And,
    Comparison,
    Or,
    Rule,
    number_text,
)
from boilersweep.errors import UsageError
from boilersweep.pages.columns import BoolArray, FloatArray

# A block is content from this probability on.
_CONTENT = 0.5
_DIGITS = 6  # of a threshold, as the paper prints them

# Names of the paper's Algorithms 1 and 2, and of our rules, for its features.
_PRINTED = {"words": "numWords"}
_IN_RULES = {"text_density": "density"}
_PLACES = {"prev": "prev_", "curr": "", "next": "next_"}


def pruned(
    tree: Tree, features: FloatArray, content: BoolArray, words: FloatArray
) -> Tree:
    """Return a tree in which each node is a leaf that errs no more as one.

    Args:
        tree: The tree; its thresholds are rounded as they are printed.
        features: (r, k) rows that the tree has not seen.
        content: (r,) whether they are content.
        words: (r,) their weights.
    """
    tree = replace(tree, threshold=np.round(tree.threshold, _DIGITS))
    rows = _rows_of(tree, features)
    errors = np.zeros(len(tree.feature))
    feature = tree.feature.copy()
    for node in range(len(feature) - 1, -1, -1):  # children follow their parents
        here = rows[node]
        is_content = tree.value[node] >= _CONTENT
        as_leaf = float(words[here][content[here] != is_content].sum())
        below = errors[tree.left[node]] + errors[tree.right[node]]
        if feature[node] >= 0 and below < as_leaf:
            errors[node] = below
        else:
            errors[node], feature[node] = as_leaf, -1
    return _without_unreached(replace(tree, feature=feature))


def _rows_of(tree: Tree, features: FloatArray) -> list[BoolArray]:
    """(t,) (r,) whether each row reaches a node."""
    reached = [np.zeros(len(features), dtype=bool) for _ in tree.feature]
    reached[0][:] = True
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        goes_left = features[:, tree.feature[node]] <= tree.threshold[node]
        reached[tree.left[node]] = reached[node] & goes_left
        reached[tree.right[node]] = reached[node] & ~goes_left
    return reached


def _without_unreached(tree: Tree) -> Tree:
    """Return the tree without the nodes below its leaves."""
    kept = [0]
    for node in kept:  # which grows
        if tree.feature[node] >= 0:
            kept += [int(tree.left[node]), int(tree.right[node])]
    kept.sort()
    place = np.zeros(len(tree.feature), dtype=np.int32)
    place[kept] = np.arange(len(kept), dtype=np.int32)
    is_leaf = tree.feature[kept] < 0
    return Tree(
        feature=tree.feature[kept],
        threshold=np.where(is_leaf, 0.0, tree.threshold[kept]),
        left=np.where(is_leaf, 0, place[tree.left[kept]]).astype(np.int32),
        right=np.where(is_leaf, 0, place[tree.right[kept]]).astype(np.int32),
        value=tree.value[kept],
    )


def leaves(tree: Tree) -> int:
    """Return the number of leaves."""
    return int((tree.feature < 0).sum())


def printed(tree: Tree, names: Sequence[str]) -> str:
    """Return a tree as the paper prints Algorithms 1 and 2.

    Args:
        tree: The tree.
        names: (k,) names of the features, such as "curr_words".
    """
    if tree.feature[0] < 0:
        return _class(tree, 0)
    return "\n".join(_lines(tree, [*map(_printed_name, names)], 0))


def _lines(tree: Tree, names: Sequence[str], node: int) -> list[str]:
    threshold = number_text(float(tree.threshold[node]))
    lines = []
    for sign, child in (("<=", tree.left[node]), (">", tree.right[node])):
        line = f"{names[tree.feature[node]]} {sign} {threshold}"
        if tree.feature[child] < 0:
            lines.append(f"{line}: {_class(tree, child)}")
        else:
            lines += [
                line,
                *(f"| {line_below}" for line_below in _lines(tree, names, child)),
            ]
    return lines


def _class(tree: Tree, leaf: int) -> str:
    return "CONTENT" if tree.value[leaf] >= _CONTENT else "BOILERPLATE"


def _printed_name(name: str) -> str:
    """Return curr_linkDensity for curr_link_density."""
    place, _, feature = name.partition("_")
    first, *rest = _PRINTED.get(feature, feature).split("_")
    return f"{place}_{first}{''.join(part.capitalize() for part in rest)}"


def rule_of(tree: Tree, names: Sequence[str]) -> Rule:
    """Return the rule that keeps what a tree takes for content.

    Args:
        tree: The tree.
        names: (k,) names of the features.

    Raises:
        UsageError: The tree keeps everything or nothing, or rules cannot compare a feature.
    """
    used = [
        names[feature] for feature in np.unique(tree.feature).tolist() if feature >= 0
    ]
    if missing := [name for name in used if _in_rules(name) not in FEATURES]:
        raise UsageError(
            f"rules compare {', '.join(FEATURES)}, not {', '.join(missing)}: the model can be "
            "used as learned('MODEL')"
        )
    rule = _rule(tree, [*map(_in_rules, names)], 0)
    if isinstance(rule, bool):
        raise UsageError(
            f"the tree keeps {'everything' if rule else 'nothing'}: there is no rule"
        )
    return rule


def _in_rules(name: str) -> str:
    place, _, feature = name.partition("_")
    return f"{_PLACES.get(place, place)}{_IN_RULES.get(feature, feature)}"


def _rule(tree: Tree, names: Sequence[str], node: int) -> Rule | bool:
    """Return the rule of a node; True or False where everything or nothing is kept."""
    if tree.feature[node] < 0:
        return bool(tree.value[node] >= _CONTENT)
    low, high = (_rule(tree, names, side[node]) for side in (tree.left, tree.right))
    threshold = float(tree.threshold[node])
    below, above = (
        Comparison(names[tree.feature[node]], sign, threshold) for sign in ("<=", ">")
    )
    if isinstance(low, bool):
        if isinstance(high, bool):
            return low if low == high else below if low else above
        return Or(below, high) if low else And(above, high)
    if isinstance(high, bool):
        return Or(above, low) if high else And(below, low)
    return Or(And(below, low), And(above, high))
