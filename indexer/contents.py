"""The distinct contents a page has over many rules: what is kept, and by which rules.

Neighbouring thresholds mostly keep the same blocks of a page, so a page has some ten distinct
contents over a hundred thresholds. Each is made once, from the one before where that is a part
of it, and shared by all the indexes that want it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from boilersweep.cleaners.selection import Bits

_BLOCKS_AT_A_TIME = 8192  # a multiple of 8


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


def distinct_selections(bits: Bits, rules: int) -> Iterator[KeptBlocks]:
    """The distinct non-empty selections of one page, from the last rule to the first.

    bits: (ceil(rules / 8), blocks) as those of `Selection`. Rules given in ascending order of a
    threshold yield a chain, each selection extending the one before.
    """
    rules_of: dict[bytes, list[int]] = {}
    packed = _by_rule(bits, rules)
    for rule in range(rules - 1, -1, -1):
        rules_of.setdefault(packed[rule].tobytes(), []).append(rule)
    blocks_of_page = bits.shape[1]
    before = np.zeros(blocks_of_page, dtype=bool)
    for same in rules_of.values():
        mask = np.unpackbits(packed[same[0]], count=blocks_of_page).astype(bool)
        if not mask.any():
            continue
        extends = not (before & ~mask).any()
        blocks = np.flatnonzero(mask).tolist()
        added = np.flatnonzero(mask & ~before).tolist() if extends else blocks
        yield KeptBlocks(same, blocks, added, extends)
        before = mask


def _by_rule(bits: Bits, rules: int) -> Bits:
    """(rules, ceil(blocks / 8)) which blocks a rule keeps, a bit each."""
    blocks = bits.shape[1]
    packed = np.empty((rules, -(-blocks // 8)), dtype=np.uint8)
    for start in range(0, blocks, _BLOCKS_AT_A_TIME):
        masks = np.unpackbits(bits[:, start : start + _BLOCKS_AT_A_TIME], axis=0, count=rules)
        some = np.packbits(masks, axis=1)
        packed[:, start // 8 : start // 8 + some.shape[1]] = some
    return packed


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
    """For each selection its rules and its text, one block per line."""
    for selection in selections:
        yield selection.rules, "\n".join(texts[block] for block in selection.blocks)
