"""The distinct contents a page has over many rules: what is kept, and by which rules.

Neighbouring thresholds mostly keep the same blocks of a page, so a page has some ten distinct
contents over a hundred thresholds. Each is made once, from the one before where that is a part
of it, and shared by all the indexes that want it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np

from boilersweep.cleaners.selection import Bits, Repeat
from boilersweep.indexer.pieces import NONCHARACTER, Numbers

_BLOCKS_AT_A_TIME = 8192  # a multiple of 8


@dataclass(frozen=True, slots=True, eq=False)
class PageContents:
    """The distinct contents of a page that have a token, each after the other.

    Attributes:
        rules: For each content, the rules that keep it.
        lengths: The tokens of each content, with repeats.
        ends: For each content, where its terms end.
        terms: The numbers of the distinct terms of all contents.
        frequencies: How often each term occurs.
    """

    rules: list[list[int]]
    lengths: list[int]
    ends: list[int]
    terms: Numbers
    frequencies: Numbers


def distinct_weights(
    bits: Bits, rules: int, repeats: Mapping[int, Repeat]
) -> Iterator[tuple[list[int], Bits, Bits | None, int]]:
    """Yield the rules of each distinct non-empty selection of one page, and what they select.

    That is which blocks they keep, a bit each as NumPy packs them, which of these count several
    times, None for none, and how often they do.

    The rules that count blocks once come first, from the last to the first: rules in ascending
    order of a threshold yield a chain, each selection extending the one before. Then, by rising
    numbers, come the rules that count some blocks several times.

    Args:
        bits: The page's part of the bits of `Selection`.
        rules: The number of rules.
        repeats: The rules that count blocks several times, as in `Selection`.
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
    for row, same in rules_of.items():
        if any(row):
            yield same, packed[same[0]], None, 1
    for (_, times), same in sorted(weighted.items()):
        yield same, packed[same[0]], packed[repeats[same[0]].row], times


def _by_rule(bits: Bits, rules: int) -> Bits:
    """(rules, ceil(blocks / 8)) which blocks a rule keeps, a bit each."""
    blocks = bits.shape[1]
    packed = np.empty((rules, -(-blocks // 8)), dtype=np.uint8)
    for start in range(0, blocks, _BLOCKS_AT_A_TIME):
        masks = np.unpackbits(
            bits[:, start : start + _BLOCKS_AT_A_TIME], axis=0, count=rules
        )
        some = np.packbits(masks, axis=1)
        packed[:, start // 8 : start // 8 + some.shape[1]] = some
    return packed


class KeptText(NamedTuple):
    """A page's kept text.

    Attributes:
        text: The text.
        title: What precedes it in an index; "" for nothing.
        repeated: The part of the text that counts several times.
        times: How often that part counts.
    """

    text: str
    title: str = ""
    repeated: str = ""
    times: int = 1

    @property
    def contents(self) -> str:
        """The title and the text."""
        return f"{self.title}\n{self.text}" if self.title else self.text

    @property
    def characters(self) -> int:
        """The number of characters that are analysed."""
        return len(self.contents) + (self.times - 1) * len(self.repeated)


def kept_texts(
    texts: Sequence[str],
    bits: Bits,
    rules: int,
    repeats: Mapping[int, Repeat],
    *,
    has_title: bool = False,
) -> Iterator[tuple[list[int], KeptText]]:
    """Yield each distinct text of a page with its rules, one block per line, no NONCHARACTER.

    Args:
        texts: The texts of the page's blocks.
        bits: The page's part of the bits of `Selection`.
        rules: The number of rules.
        repeats: The rules that count blocks several times, as in `Selection`.
        has_title: Whether the first block is the title.
    """
    title = texts[0].replace(NONCHARACTER, " ") if has_title else ""
    texts, bits = texts[has_title:], bits[:, has_title:]
    for same, row, again, times in distinct_weights(bits, rules, repeats):
        repeated = "" if again is None else _joined(texts, again)
        yield same, KeptText(_joined(texts, row), title, repeated, times)


def _joined(texts: Sequence[str], packed: Bits) -> str:
    mask = np.unpackbits(packed, count=len(texts)).tolist()
    return "\n".join(compress(texts, mask)).replace(NONCHARACTER, " ")
