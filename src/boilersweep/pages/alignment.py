"""Which of a page's blocks a text holds that people or an extractor took from the page.

The words of the page and of the text, in order, are matched by their longest common subsequence. Of
the many that are longest, one is taken whose matches are in unbroken runs. What the text has in
another order than the page is found by its runs of words afterwards.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boilersweep.pages.columns import BoolArray, FloatArray
from boilersweep.pages.stray_characters import as_shown
from boilersweep.pages.words import letter_runs

# A text holds a block of whose words it has at least this share.
HELD_SHARE = 0.5

# Words of the page times words of the text: a bit of memory each
_MAX_CELLS = 2 * 10**9
_RUN = 4  # words of a run that is looked for out of order
_MIN_MOVED = 6  # words of a block that may be out of order
_MOVED_SHARE = 0.6  # of its runs that the text must have


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """A text beside the m blocks of its page.

    Attributes:
        shares: (m,) The share of each block's words that the text has, from 0 to 1.
        words: The number of the text's words.
        placed: The number of them in blocks that the text contains.
    """

    shares: FloatArray
    words: int
    placed: int

    @property
    def held(self) -> BoolArray:
        """(m,) True for the blocks that the text holds."""
        held: BoolArray = self.shares >= HELD_SHARE
        return held


def align(texts: Sequence[str], text: str) -> Alignment:
    """Align a text with the blocks of its page.

    Args:
        text: The text to find in the blocks.
        texts: (m,) The blocks in the order of the page.
    """
    numbers: dict[str, int] = {}
    blocks = [_numbers(block, numbers) for block in texts]
    wanted = _numbers(text, numbers)
    page = [number for block in blocks for number in block]
    lengths = np.array([len(block) for block in blocks], dtype=np.int64)
    sources, targets = _matches(page, wanted)
    owners = np.repeat(np.arange(len(blocks)), lengths)[sources]
    matched = np.bincount(owners, minlength=len(blocks))
    shares: FloatArray = matched / np.maximum(lengths, 1)
    placed = np.zeros(len(wanted), dtype=bool)
    placed[np.array(targets, dtype=np.int64)[shares[owners] >= HELD_SHARE]] = True
    _add_moved(shares, blocks, wanted, targets, placed)
    return Alignment(shares, len(wanted), int(placed.sum()))


def _numbers(text: str, numbers: dict[str, int]) -> list[int]:
    return [
        numbers.setdefault(word, len(numbers))
        for word in letter_runs(as_shown(text).lower())
    ]


def _matches(page: Sequence[int], wanted: Sequence[int]) -> tuple[list[int], list[int]]:
    """Places in the page and in the text of the words of a common subsequence."""
    if not page or not wanted or len(page) * len(wanted) > _MAX_CELLS:
        return [], []
    sources, targets = _longest_common(page, wanted)
    _close_up(page, sources, targets, forward=True)
    _close_up(page, sources, targets, forward=False)
    return sources, targets


def _longest_common(
    page: Sequence[int], wanted: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Places in both of the words of a longest common subsequence, in order.

    Words that both begin or end with belong to it; of what is between, it takes the first place
    on the page that keeps it longest.
    """
    least = min(len(page), len(wanted))
    first = _common_start(page, wanted, least)
    last = _common_start(page[::-1], wanted[::-1], least - first)
    column, row = len(page) - last, len(wanted) - last
    rows = _rows_of_bits(page[first:column], wanted[first:row])
    sources = list(range(len(page) - 1, column - 1, -1))
    targets = list(range(len(wanted) - 1, row - 1, -1))
    while column > first and row > first:
        byte, bit = divmod(column - 1 - first, 8)
        # As long without this word of the page
        if rows[row - 1 - first][byte] >> bit & 1:
            column -= 1
        # As long without this word of the text
        elif row - 1 > first and not rows[row - 2 - first][byte] >> bit & 1:
            row -= 1
        else:
            column -= 1
            row -= 1
            sources.append(column)
            targets.append(row)
    return [*range(first), *sources[::-1]], [*range(first), *targets[::-1]]


def _common_start(a: Sequence[int], b: Sequence[int], most: int) -> int:
    return next((at for at in range(most) if a[at] != b[at]), most)


def _rows_of_bits(page: Sequence[int], wanted: Sequence[int]) -> list[bytes]:
    """For every word of the text, a bit for every word of the page.

    A bit is 0 where the longest common subsequence of the words up to both is longer by one than
    without that word of the page. Source: Hyyrö, A note on bit-parallel alignment computation,
    Stringology 2004.
    """
    width = (len(page) + 7) // 8
    here = {word: bytearray(width) for word in wanted}
    for at, word in enumerate(page):
        if word in here:
            here[word][at // 8] |= 1 << at % 8
    places = {word: int.from_bytes(bits, "little") for word, bits in here.items()}
    whole = (1 << 8 * width) - 1
    row = whole
    rows = []
    for word in wanted:
        matched = row & places[word]
        row = (row + matched | row - matched) & whole
        rows.append(row.to_bytes(width, "little"))
    return rows


def _close_up(
    page: Sequence[int], sources: list[int], targets: list[int], *, forward: bool
) -> None:
    """Move matches, in place, to where they lengthen a longer run.

    A word of the text is often on the page twice, in a menu and in the article that follows it: the
    match belongs to the words that are beside it.

    Args:
        page: (p,) The page's words as numbers.
        sources: (k,) Where the matching words are on the page.
        targets: (k,) Where they are in the text.
        forward: Matches at the end of a run move on to the beginning of the next one; otherwise
            those at the beginning move back.
    """
    step = 1 if forward else -1
    order = range(len(sources) - 2, -1, -1) if forward else range(1, len(sources))
    run = _run_lengths(sources, targets, step)
    ahead = 1  # the length of the run that the match before this one in `order` begins
    for at in order:
        near = at + step
        beside = sources[near] - step
        if targets[near] != targets[at] + step:
            ahead = 1
        elif beside == sources[at]:
            ahead += 1
        elif page[beside] == page[sources[at]] and ahead >= run[at]:
            sources[at] = beside
            ahead += 1
        else:
            ahead = 1


def _run_lengths(
    sources: Sequence[int], targets: Sequence[int], step: int
) -> list[int]:
    """For every match, how many the run has that ends there, as one goes in `step`."""
    lengths = [1] * len(sources)
    places = range(1, len(sources)) if step == 1 else range(len(sources) - 2, -1, -1)
    for at in places:
        before = at - step
        if (
            sources[at] - sources[before] == step
            and targets[at] - targets[before] == step
        ):
            lengths[at] = lengths[before] + 1
    return lengths


def _add_moved(
    shares: FloatArray,
    blocks: Sequence[list[int]],
    wanted: list[int],
    targets: list[int],
    placed: BoolArray,
) -> None:
    """Raise the shares of blocks that the text has in another order than the page.

    Args:
        shares: (m,) The shares so far, which the function raises.
        blocks: (m,) The words of each block as numbers.
        wanted: (w,) The words of the text as numbers.
        targets: (k,) Where the matching words are in the text.
        placed: (w,) True for the words of the text that occur in a block it holds; so become those
            of the runs of such blocks.
    """
    open_words = np.ones(len(wanted), dtype=np.int64)
    open_words[targets] = 0
    before = np.cumsum(np.r_[0, open_words])
    starts = np.flatnonzero(before[_RUN:] > before[:-_RUN]).tolist()
    runs_at = {at: tuple(wanted[at : at + _RUN]) for at in starts}
    left = Counter(runs_at.values())
    if not left:
        return
    moved: set[tuple[int, ...]] = set()
    for index, block in enumerate(blocks):
        if len(block) >= _MIN_MOVED and shares[index] < HELD_SHARE:
            runs = [tuple(block[at : at + _RUN]) for at in range(len(block) - _RUN + 1)]
            share = sum(left[run] > 0 for run in runs) / len(runs)
            if share >= _MOVED_SHARE:
                shares[index] = share
                left.subtract(runs)
                moved.update(runs)
    for at, run in runs_at.items():
        if run in moved:
            placed[at : at + _RUN] = True
