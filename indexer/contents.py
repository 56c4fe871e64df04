"""The distinct contents a page has over many rules: what is kept, and by which rules.

Neighbouring thresholds mostly keep the same blocks of a page, so a page has some ten distinct
contents over a hundred thresholds. Each is made once, from the one before where that is a part
of it, and shared by all the indexes that want it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from boilersweep.cleaners.selection import Bits, Repeat
from boilersweep.indexer.pieces import NONCHARACTER, Analysed, Numbers

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


@dataclass(frozen=True, slots=True)
class KeptBlocks:
    """A distinct selection of a page's blocks.

    Attributes:
        rules: The numbers of the rules that select it.
        blocks: The numbers of all its blocks, ascending.
        added: If `extends`, the blocks that count more often than in the selection before it;
            otherwise all its blocks. Each list comes with how often more they count.
        extends: Whether every block of the selection before it counts at least as often.
        repeated: The blocks that count several times.
        times: How often these count.
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
    """Yield the distinct non-empty selections of one page.

    The rules that count blocks once come first, from the last to the first: rules in ascending
    order of a threshold yield a chain, each selection extending the one before. Then, by rising
    numbers, come the rules that count some blocks several times.

    Args:
        bits: The page's part of the bits of `Selection`.
        rules: The number of rules.
        repeats: The rules that count blocks several times, as in `Selection`.
    """
    blocks_of_page = bits.shape[1]
    before = np.zeros(blocks_of_page, dtype=bool)
    last: tuple[bytes, int] = (b"", 1)
    for same, row, again, times in distinct_weights(bits, rules, repeats):
        mask = np.unpackbits(row, count=blocks_of_page).astype(bool)
        blocks = np.flatnonzero(mask).tolist()
        if again is None:
            extends = not (before & ~mask).any()
            added = np.flatnonzero(mask & ~before).tolist() if extends else blocks
            yield KeptBlocks(same, blocks, [(added, 1)], extends)
            before = mask
            continue
        repeated = np.flatnonzero(np.unpackbits(again, count=blocks_of_page)).tolist()
        extends = again.tobytes() == last[0]
        more = (repeated, times - last[1] if extends else times - 1)
        steps = [more] if extends else [(blocks, 1), more]
        yield KeptBlocks(same, blocks, steps, extends, repeated, times)
        last = (again.tobytes(), times)


def distinct_weights(
    bits: Bits, rules: int, repeats: Mapping[int, Repeat]
) -> Iterator[tuple[list[int], Bits, Bits | None, int]]:
    """Yield the rules of each distinct non-empty selection, ordered as `distinct_selections`.

    With them which blocks they keep, a bit each as NumPy packs them, which of these count several
    times, None for none, and how often they do.
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
        masks = np.unpackbits(bits[:, start : start + _BLOCKS_AT_A_TIME], axis=0, count=rules)
        some = np.packbits(masks, axis=1)
        packed[:, start // 8 : start // 8 + some.shape[1]] = some
    return packed


class PureCounter:
    """Counts the terms of pages, without compiled code.

    Attributes:
        names: The terms by their numbers; the list grows, and is another one when numbers begin
            again, after a `begin` with another list of terms.
    """

    def __init__(self) -> None:
        self._of_pieces: list[str] | None = None
        self._numbers: dict[str, int] = {}
        self.names: list[str] = []

    def begin(self, analysed: Analysed) -> None:
        """Take the blocks of some pages."""
        if analysed.terms is not self._of_pieces:
            self._of_pieces, self._numbers, self.names = analysed.terms, {}, []
        self._tokens = analysed.tokens()

    def contents(
        self, bits: Bits, first: int, rules: int, repeats: Mapping[int, Repeat]
    ) -> PageContents:
        """Return the distinct contents of a page, in the order of `distinct_selections`.

        Args:
            bits: The page's part of the bits of `Selection`.
            first: The number of the page's first block.
            rules: The number of rules.
            repeats: The rules that count blocks several times, as in `Selection`.
        """
        tokens = self._tokens[first : first + bits.shape[1]]
        of_rules, lengths, ends = [], [], []
        terms: list[int] = []
        frequencies: list[int] = []
        counts: Counter[str] = Counter()
        for selection in distinct_selections(bits, rules, repeats):
            if not selection.extends:
                counts.clear()
            for blocks, times in selection.added:
                for text in filter(None, map(tokens.__getitem__, blocks)):
                    for term in text.split(" "):
                        counts[term] += times
            if counts:
                terms += map(self._number, counts)
                frequencies += counts.values()
                of_rules.append(selection.rules)
                lengths.append(counts.total())
                ends.append(len(terms))
        return PageContents(
            of_rules,
            lengths,
            ends,
            np.array(terms, dtype=np.int32),
            np.array(frequencies, dtype=np.int32),
        )

    def _number(self, term: str) -> int:
        number = self._numbers.setdefault(term, len(self.names))
        if number == len(self.names):
            self.names.append(term)
        return number


def written_contents(
    page: PageContents, names: Sequence[str], separator: str
) -> Iterator[tuple[list[int], str]]:
    """Yield the rules and the terms of each content.

    Terms are written as `term<separator>frequency`, one that occurs once is written bare.
    """
    start = 0
    for rules, end in zip(page.rules, page.ends, strict=True):
        terms = [names[number] for number in page.terms[start:end].tolist()]
        frequencies = page.frequencies[start:end]
        for place in np.flatnonzero(frequencies > 1).tolist():
            terms[place] += f"{separator}{frequencies[place]}"
        yield rules, " ".join(terms)
        start = end


class KeptText(NamedTuple):
    """A page's kept text.

    Attributes:
        text: The text.
        repeated: The part of the text that counts several times.
        times: How often that part counts.
    """

    text: str
    repeated: str = ""
    times: int = 1

    @property
    def characters(self) -> int:
        """The number of characters that are analysed."""
        return len(self.text) + (self.times - 1) * len(self.repeated)


def kept_texts(
    texts: Sequence[str], selections: Iterator[KeptBlocks]
) -> Iterator[tuple[list[int], KeptText]]:
    """Yield the rules and the text of each selection, one block per line, with no NONCHARACTER."""
    for selection in selections:
        text, repeated = (
            "\n".join([texts[block] for block in blocks]).replace(NONCHARACTER, " ")
            for blocks in (selection.blocks, selection.repeated)
        )
        yield selection.rules, KeptText(text, repeated, selection.times)


if TYPE_CHECKING:
    from boilersweep.indexer.compiled.counter import CompiledCounter

    TermCounter: TypeAlias = PureCounter | CompiledCounter
