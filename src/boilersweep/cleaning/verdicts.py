"""One page: its blocks with their features, what every cleaner makes of them, and their table."""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_letters
from time import perf_counter

import numpy as np

from boilersweep.cleaners.registry import find_text_cleaner, rules_alone
from boilersweep.cleaners.rules import Rule, Weighted
from boilersweep.cleaners.selection import Cleaner, PageText, of_a_page
from boilersweep.cleaning.clean import PageTexts, cut_page
from boilersweep.errors import InputError, PageError, UsageError
from boilersweep.extractors.registry import Extractor
from boilersweep.outputs.block_chart import DrawnBlocks
from boilersweep.outputs.tables import text_table
from boilersweep.outputs.terminal import cut, harmless
from boilersweep.pages.alignment import align
from boilersweep.pages.columns import BlockColumns, columns_of, structure_of
from boilersweep.pages.words import count_words

_PATH = 3  # of a path the innermost elements


@dataclass(frozen=True, slots=True)
class BlockFeatures:
    """A block of a page.

    Attributes:
        text: Its text.
        words: Its words.
        density: Its text density.
        link_density: Its link density.
        path: Names of the elements around it, outermost first.
    """

    text: str
    words: int
    density: float
    link_density: float
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """A cleaner's verdict on a page.

    Attributes:
        cleaner: The cleaner's text.
        kept: (b,) whether it keeps a block. An extractor keeps a block if its text has at least
            half of the block's words, a weighted cleaner if the block counts several times.
        words: Kept words; an extractor's are those of its text.
        seconds: The time without segmentation for a rule, with everything for an extractor.
        text: The extractor's text; None for a rule.
        failure: The error of an extractor, or "".
    """

    cleaner: str
    kept: tuple[bool, ...]
    words: int
    seconds: float
    text: str | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class ExplainedPage:
    """A page of b blocks.

    Attributes:
        title: Its title.
        encoding: Its encoding.
        seconds: The time of decoding and segmentation.
        blocks: Its blocks.
        verdicts: The cleaners' verdicts.
    """

    title: str
    encoding: str
    seconds: float
    blocks: tuple[BlockFeatures, ...]
    verdicts: tuple[PageVerdict, ...]

    def drawn(self, cleaners: Sequence[Cleaner] = ()) -> DrawnBlocks:
        """Return the blocks to draw, with the verdicts of some cleaners; without any, of all."""
        names = [*map(str, cleaners)] or [verdict.cleaner for verdict in self.verdicts]
        verdicts = {verdict.cleaner: verdict.kept for verdict in self.verdicts}
        features: dict[str, list[float]] = {
            "words": [block.words for block in self.blocks],
            "text density": [block.density for block in self.blocks],
            "link density": [block.link_density for block in self.blocks],
        }
        return DrawnBlocks(features, {name: verdicts[name] for name in names})


def explain_page(body: bytes, cleaners: Sequence[Cleaner] = ()) -> ExplainedPage:
    """Cut a page, and try the given cleaners and all that need no argument on it.

    Args:
        body: The page.
        cleaners: Further cleaners.

    Raises:
        InputError: The page has no word, is no HTML, or exceeds the limits.
        UsageError: An extractor is unknown, or a cleaner needs several pages.
    """
    every = dict.fromkeys([*rules_alone(), *cleaners])
    tried = [of_a_page(one, "explain --page") for one in every]
    started = perf_counter()
    done = cut_page(body)
    seconds = perf_counter() - started
    page = done.page()
    if not len(page):
        raise InputError(
            f"expected a page with text, got {len(body):,} bytes without a word outside of "
            "scripts, styles and their like"
        )
    columns = columns_of(["page"], [page])
    html = done.utf8.decode("utf-8", "replace")
    return ExplainedPage(
        title=page.title,
        encoding=done.encoding,
        seconds=seconds,
        blocks=_blocks(columns),
        verdicts=tuple(
            _extracted(find_text_cleaner(one.name), html, columns.texts)
            if isinstance(one, PageText)
            else _ruled(one, columns, done.utf8)
            for one in tried
        ),
    )


def _blocks(columns: BlockColumns) -> tuple[BlockFeatures, ...]:
    structure = structure_of(columns, "explain")
    paths: list[tuple[str, ...]] = []
    for index, (name, parent) in enumerate(
        zip(structure.names, structure.parents, strict=True)
    ):
        above = paths[parent] if parent != index else ()
        paths.append((*above, structure.name_list[name]))
    return tuple(
        BlockFeatures(
            text=text,
            words=int(columns.words[block]),
            density=float(columns.density[block]),
            link_density=float(columns.link_density[block]),
            path=paths[structure.elements[block]][1:],
        )
        for block, text in enumerate(columns.texts)
    )


def _ruled(cleaner: Rule | Weighted, columns: BlockColumns, utf8: bytes) -> PageVerdict:
    rule = cleaner.cleaner if isinstance(cleaner, Weighted) else cleaner
    texts = PageTexts([rule])
    failure = ""
    started = perf_counter()
    try:
        mask = rule.mask(texts.beside(columns, [texts.of(utf8)]))
    except PageError as error:
        mask, failure = np.zeros(len(columns.words), dtype=bool), str(error)
    seconds = perf_counter() - started
    words = int(columns.words[mask].sum())
    return PageVerdict(
        str(cleaner), tuple(mask.tolist()), words, seconds, failure=failure
    )


def _extracted(extractor: Extractor, html: str, texts: Sequence[str]) -> PageVerdict:
    failure = ""
    started = perf_counter()
    try:
        text = extractor.text(html)
    except UsageError:
        raise
    except Exception as error:  # foreign code, which raises what it likes
        text, failure = "", f"{type(error).__name__}: {error}"
    seconds = perf_counter() - started
    return PageVerdict(
        cleaner=extractor.name,
        kept=tuple(align(texts, text).held.tolist()),
        words=count_words(text),
        seconds=seconds,
        text=text,
        failure=failure,
    )


_LEAST_TEXT = 20
_PADDING = 2  # that tabulate gives to headers
_GAP = 2  # and between columns


def page_account(page: ExplainedPage, width: int) -> str:
    """Return a table of the cleaners, then one of the blocks with the cleaners that keep them.

    Args:
        page: The page.
        width: The width of the lines, unless the tables need more.

    Raises:
        UsageError: There are more cleaners than letters.
    """
    if len(page.verdicts) > len(ascii_letters):
        raise UsageError(
            f"cleaners: expected at most {len(ascii_letters)} on a page, got {len(page.verdicts)}"
        )
    words = sum(block.words for block in page.blocks)
    head = (
        f"{harmless(page.title) or 'A page without a title'}\n"
        f"{len(page.blocks):,} blocks, {words:,} words, {page.encoding}, "
        f"cut in {_milliseconds(page.seconds)} ms"
    )
    parts = [head, _cleaner_table(page, words), _block_table(page, width)]
    notes = [
        f"{harmless(verdict.cleaner)} failed: {harmless(verdict.failure)}"
        for verdict in page.verdicts
        if verdict.failure
    ]
    if any(verdict.text is not None for verdict in page.verdicts):
        notes.append(
            "~ An extractor keeps a block if its text has at least half of the words."
        )
    return "\n\n".join([*parts, *notes])


def _cleaner_table(page: ExplainedPage, words: int) -> str:
    rows = [
        (
            letter,
            harmless(verdict.cleaner),
            f"{'' if verdict.text is None else '~'}{sum(verdict.kept):,}",
            f"{verdict.words:,}",
            f"{verdict.words / words:.0%}",
            _milliseconds(verdict.seconds),
        )
        for letter, verdict in zip(ascii_letters, page.verdicts, strict=False)
    ]
    headers = ["", "cleaner", "blocks", "words", "share", "ms"]
    return text_table(rows, headers, left=(0, 1))


def _block_table(page: ExplainedPage, width: int) -> str:
    letters = ascii_letters[: len(page.verdicts)]
    headers = ["", "words", "density", "links", "within", "kept by", "text"]
    rows = [
        (
            str(index),
            f"{block.words:,}",
            f"{block.density:.1f}",
            f"{block.link_density:.2f}",
            _path(block),
            "".join(
                letter if verdict.kept[index] else "."
                for letter, verdict in zip(letters, page.verdicts, strict=True)
            ),
        )
        for index, block in enumerate(page.blocks)
    ]
    used = sum(
        max(len(header) + _PADDING, *(len(row[column]) for row in rows)) + _GAP
        for column, header in enumerate(headers[:-1])
    )
    room = max(width - used - 1, _LEAST_TEXT)
    shown = [
        (*row, cut(harmless(block.text[: 2 * room]), room))
        for row, block in zip(rows, page.blocks, strict=True)
    ]
    return text_table(shown, headers, left=(4, 5, 6))


def _path(block: BlockFeatures) -> str:
    inner = block.path[-_PATH:]
    return harmless(">".join(("", *inner) if len(inner) < len(block.path) else inner))


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f}"
