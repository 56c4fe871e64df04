"""The distinct contents a page has over many rules: what is kept, and by which rules.

Neighbouring thresholds mostly keep the same blocks of a page, so a page has some ten distinct
contents over a hundred thresholds. Each is made once, from the one before where that is a part
of it, and shared by all the indexes that want it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from boilersweep.cleaners.selection import Bits, Repeat

_BLOCKS_AT_A_TIME = 8192  # a multiple of 8


@dataclass(frozen=True, slots=True)
class KeptBlocks:
    """A distinct selection of a page's blocks.

    rules: the numbers of the rules that select it.
    blocks: the numbers of all its blocks, ascending.
    added: blocks that count more often than in the selection before it, where `extends`, else of
    all of them; and how often more.
    extends: whether all blocks of the selection before it count as often, or more often.
    repeated: those of its blocks that count several times. times: how often they do.
    """

    rules: list[int]
    blocks: list[int]
    added: list[tuple[list[int], int]]
    extends: bool
    repeated: list[int] = field(default_factory=list)
    times: int = 1


def distinct_selections(
    bits: Bits, rules: int, repeats: Mapping[int, Repeat] = MappingProxyType({})
) -> Iterator[KeptBlocks]:
    """The distinct non-empty selections of one page.

    bits, repeats: as those of `Selection`, which has so many rules. From the last rule to the first
    come those that count blocks once; rules given in ascending order of a threshold yield a chain,
    each selection extending the one before. Then, by rising numbers, come those that count some
    blocks several times.
    """
    rules_of: dict[bytes, list[int]] = {}
    weighted: dict[tuple[bytes, int], list[int]] = {}
    rows = max([rules - 1, *(repeat.row for repeat in repeats.values())]) + 1
    packed = _by_rule(bits, rows)
    for rule in range(rules - 1, -1, -1):
        repeat = repeats.get(rule)
        if repeat and packed[repeat.row].any():
            key = (packed[repeat.row].tobytes(), repeat.times)
            weighted.setdefault(key, []).append(rule)
        else:
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
        yield KeptBlocks(same, blocks, [(added, 1)], extends)
        before = mask
    last = (b"", 1)
    for (row, times), same in sorted(weighted.items()):
        every = np.flatnonzero(np.unpackbits(packed[same[0]])).tolist()
        repeated = np.flatnonzero(np.unpackbits(packed[repeats[same[0]].row])).tolist()
        extends = row == last[0]
        more = (repeated, times - last[1] if extends else times - 1)
        steps = [more] if extends else [(every, 1), more]
        yield KeptBlocks(same, every, steps, extends, repeated, times)
        last = (row, times)


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

    tokens: of every block, joined by spaces. A term that counts once is written bare.
    Selections without a token are left out; length counts tokens with repeats.
    """
    counts: dict[str, int] = {}
    written: dict[str, str] = {}
    length = 0
    for selection in selections:
        if not selection.extends:
            counts, written, length = {}, {}, 0
        for blocks, times in selection.added:
            for text in filter(None, map(tokens.__getitem__, blocks)):
                for term in text.split(" "):
                    count = counts.get(term, 0) + times
                    counts[term] = count
                    written[term] = term if count == 1 else f"{term}{separator}{count}"
                    length += times
        if length:
            yield selection.rules, " ".join(written.values()), length


class KeptText(NamedTuple):
    """A page's kept text. repeated: what of it counts several times. times: how often it does."""

    text: str
    repeated: str = ""
    times: int = 1


def kept_texts(
    texts: Sequence[str], selections: Iterator[KeptBlocks]
) -> Iterator[tuple[list[int], KeptText]]:
    """For each selection its rules and its text, one block per line."""
    for selection in selections:
        text = "\n".join(texts[block] for block in selection.blocks)
        repeated = "\n".join(texts[block] for block in selection.repeated)
        yield selection.rules, KeptText(text, repeated, selection.times)
