"""Visual block extraction: which nodes are blocks, and how coherent each of them is.

Source: MSR-TR-2003-79, section 4.1: twelve rules, and which of them are tried, in their order, on
which tags. The first that applies divides a node into its children or makes a block of it, with a
degree of coherence (DoC) from 1 to 10.

Left open and decided here: a node is small below `SMALL` of the area of the page or, in later
rounds, of the divided block; the DoC that rules set "based on the tag and size" is `_coherence`; TH
is treated as TD.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from boilersweep.cleaners.published.vips.nodes import Node, Tree, area

# The relative size below which a node is not divided.
SMALL = 0.1

# The DoC of text in one font, and in several (rule 4).
SAME, MIXED = 10, 9


@dataclass(frozen=True, slots=True)
class VisualBlock:
    """A node that is not divided in this round, with its degree of coherence."""

    node: Node
    doc: int


class _Verdict(Enum):
    DIVIDED = "divided"
    CUT = "cut"  # nothing of it is seen


_Found = VisualBlock | _Verdict | None
_Rule = Callable[["_Round", Node], _Found]


def visual_blocks(tree: Tree, root: Node) -> list[VisualBlock]:
    """Return the visual blocks within a node, which is divided, in the order of the page."""
    return list(_Round(tree, root).blocks())


class _Round:
    def __init__(self, tree: Tree, root: Node) -> None:
        self.tree = tree
        self.root = root
        self.whole = max(area(tree.rectangles[root]), 1)
        self.kept_whole: dict[Node, int] = {}  # DoC of nodes that rule 7 keeps whole
        self.undivided: set[Node] = set()
        self.before: dict[Node, Node] = {}  # of every node seen the sibling before it

    def blocks(self) -> Iterator[VisualBlock]:
        stack = [self.root]  # pages nest deeply
        while stack:
            node = stack.pop()
            found = self._verdict(node)
            if isinstance(found, VisualBlock):
                self.undivided.add(node)
                yield found
            elif found is _Verdict.DIVIDED:
                children = self.tree.children[node]
                self.before.update(zip(children[1:], children, strict=False))
                stack += reversed(children)

    def _verdict(self, node: Node) -> _Found:
        if self.tree.is_text(node):
            return VisualBlock(node, SAME)
        if node in self.kept_whole:
            return VisualBlock(node, self.kept_whole[node])
        for rule in _rules_for(self.tree, node):
            if found := rule(self, node):
                return found
        return None

    def share(self, node: Node) -> float:
        """Return the relative size of a node."""
        return area(self.tree.rectangles[node]) / self.whole


def _rule_1(state: _Round, node: Node) -> _Found:
    """Cut a node that is no text and has no valid children."""
    return None if state.tree.children[node] else _Verdict.CUT


def _rule_2(state: _Round, node: Node) -> _Found:
    """Divide a node whose only valid child is no text node."""
    children = state.tree.children[node]
    return _Verdict.DIVIDED if len(children) == 1 and not state.tree.is_text(children[0]) else None


def _rule_3(state: _Round, node: Node) -> _Found:
    """Divide the root of the current block."""
    return _Verdict.DIVIDED if node == state.root else None


def _rule_4(state: _Round, node: Node) -> _Found:
    """Keep a node of nothing but (virtual) text nodes whole; DoC 10 in one font, else 9."""
    tree = state.tree
    if not all(map(tree.is_textual, tree.children[node])):
        return None
    fonts = {(tree.size[text], tree.weight[text]) for text in tree.visible(node)}
    return VisualBlock(node, SAME if len(fonts) == 1 else MIXED)


def _rule_5(state: _Round, node: Node) -> _Found:
    """Divide a node with a child that breaks the line."""
    inline = all(map(state.tree.is_inline, state.tree.children[node]))
    return None if inline else _Verdict.DIVIDED


def _rule_6(state: _Round, node: Node) -> _Found:
    """Divide a node that contains an HR."""
    return _Verdict.DIVIDED if node in state.tree.with_rule else None


def _rule_7(state: _Round, node: Node) -> _Found:
    """Divide a node whose background differs from a child's; that child stays whole this round."""
    tree = state.tree
    others = [c for c in tree.children[node] if tree.background[c] != tree.background[node]]
    for child in others:
        if not tree.is_text(child):
            state.kept_whole[child] = max(6, _coherence(state, child))
    return _Verdict.DIVIDED if others else None


def _rule_8(state: _Round, node: Node) -> _Found:
    """Keep a small node with a (virtual) text child whole."""
    has_text = any(map(state.tree.is_textual, state.tree.children[node]))
    return _block(state, node) if has_text and state.share(node) < SMALL else None


def _rule_9(state: _Round, node: Node) -> _Found:
    """Keep a node whose largest child is small whole."""
    small = all(state.share(child) < SMALL for child in state.tree.children[node])
    return _block(state, node) if small else None


def _rule_10(state: _Round, node: Node) -> _Found:
    """Keep a node whole if its previous sibling was not divided."""
    return _block(state, node) if state.before.get(node) in state.undivided else None


def _rule_11(_state: _Round, _node: Node) -> _Found:
    """Divide."""
    return _Verdict.DIVIDED


def _rule_12(state: _Round, node: Node) -> _Found:
    """Do not divide."""
    return _block(state, node)


_TABLE = (_rule_1, _rule_2, _rule_3, _rule_7, _rule_9, _rule_12)
_CELL = (_rule_1, _rule_2, _rule_3, _rule_4, _rule_8, _rule_9, _rule_10, _rule_12)
_PARAGRAPH = (
    _rule_1,
    _rule_2,
    _rule_3,
    _rule_4,
    _rule_5,
    _rule_6,
    _rule_8,
    _rule_9,
    _rule_11,
)
_OTHER = (_rule_1, _rule_2, _rule_3, _rule_4, _rule_6, _rule_7, _rule_8, _rule_9, _rule_11)
_OF_TAG: dict[str, tuple[_Rule, ...]] = {
    "table": _TABLE,
    "tr": _TABLE,
    "td": _CELL,
    "th": _CELL,
    "p": _PARAGRAPH,
}


def _rules_for(tree: Tree, node: Node) -> tuple[_Rule, ...]:
    if tree.is_inline(node):
        return _PARAGRAPH
    return _OF_TAG.get(tree.names[node], _OTHER)


def _block(state: _Round, node: Node) -> VisualBlock:
    return VisualBlock(node, _coherence(state, node))


def _coherence(state: _Round, node: Node) -> int:
    """Return a DoC from 5 to 8 by tag and size: lower for larger nodes, one less for tables."""
    share = state.share(node)
    doc = 8 - (share >= SMALL / 2) - (share >= 2 * SMALL) - (share >= 5 * SMALL)
    return max(5, doc - (state.tree.names[node] in ("table", "tr", "tbody")))
