"""The distinct contents a page has over many rules: what is kept, and by which rules.

Neighbouring thresholds mostly keep the same blocks of a page, so a page has some ten distinct
contents over a hundred thresholds. Each is made once, from the one before where that is a part
of it, and shared by all the indexes that want it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from boilersweep.columns import BoolArray


@dataclass(frozen=True, slots=True)
class KeptBlocks:
    """A distinct selection of a page's blocks.

    rules: the numbers of the rules that select it.
    blocks: the numbers of all its blocks, ascending.
    added: those that the selection before it lacks, where `extends`; else as `blocks`.
    extends: whether it holds all blocks of the selection before it.
    """

    rules: list[int]
    blocks: list[int]
    added: list[int]
    extends: bool


def distinct_selections(masks: BoolArray) -> Iterator[KeptBlocks]:
    """The distinct non-empty selections of one page, from the last rule to the first.

    masks: (rules, blocks) True where a rule keeps a block. Rules given in ascending order of a
    threshold yield a chain, each selection extending the one before.
    """
    rules_of: dict[bytes, list[int]] = {}
    packed = np.packbits(masks, axis=1)
    for rule in range(len(masks) - 1, -1, -1):
        rules_of.setdefault(packed[rule].tobytes(), []).append(rule)
    before = np.zeros(masks.shape[1], dtype=bool)
    for rules in rules_of.values():
        mask = masks[rules[0]]
        if not mask.any():
            continue
        extends = not (before & ~mask).any()
        blocks = np.flatnonzero(mask).tolist()
        added = np.flatnonzero(mask & ~before).tolist() if extends else blocks
        yield KeptBlocks(rules, blocks, added, extends)
        before = mask


def counted_terms(
    tokens: Sequence[str], selections: Iterator[KeptBlocks], separator: str
) -> Iterator[tuple[list[int], str, int]]:
    """For each selection its rules, its terms as `term<separator>frequency` and its length.

    tokens: of every block, joined by spaces. A term that stands once is written bare.
    Selections without a token are left out; length counts tokens with repeats.
    """
    counts: dict[str, int] = {}
    written: dict[str, str] = {}
    length = 0
    for selection in selections:
        if not selection.extends:
            counts, written, length = {}, {}, 0
        for block in selection.added:
            if tokens[block]:
                for term in tokens[block].split(" "):
                    count = counts.get(term, 0) + 1
                    counts[term] = count
                    written[term] = term if count == 1 else f"{term}{separator}{count}"
                    length += 1
        if length:
            yield selection.rules, " ".join(written.values()), length


def kept_texts(
    texts: Sequence[str], selections: Iterator[KeptBlocks]
) -> Iterator[tuple[list[int], str]]:
    """For each selection its rules and its text, a block a line."""
    for selection in selections:
        yield selection.rules, "\n".join(texts[block] for block in selection.blocks)
