"""A page and every cleaner's verdict on it, for a terminal."""

from string import ascii_letters

from tabulate import tabulate

from boilersweep.errors import UsageError
from boilersweep.eval.explain.terminal import harmless
from boilersweep.eval.explain.verdicts import BlockFeatures, ExplainedPage
from boilersweep.eval.explain.words import cut

_PATH = 3  # of a path the innermost elements
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
    parts = [head, _cleaners(page, words), _blocks(page, width)]
    notes = [
        f"{harmless(verdict.cleaner)} failed: {harmless(verdict.failure)}"
        for verdict in page.verdicts
        if verdict.failure
    ]
    if any(verdict.text is not None for verdict in page.verdicts):
        notes.append("~ An extractor keeps a block if its text has at least half of the words.")
    return "\n\n".join([*parts, *notes])


def _cleaners(page: ExplainedPage, words: int) -> str:
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
    sides = ("left", "left", "right", "right", "right", "right")
    return tabulate(rows, headers, tablefmt="simple", disable_numparse=True, colalign=sides)


def _blocks(page: ExplainedPage, width: int) -> str:
    letters = ascii_letters[: len(page.verdicts)]
    headers = ["", "words", "density", "links", "within", "kept by", "text"]
    rows = [
        (
            str(number),
            f"{block.words:,}",
            f"{block.density:.1f}",
            f"{block.link_density:.2f}",
            _path(block),
            _kept_by(page, number, letters),
        )
        for number, block in enumerate(page.blocks)
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
    sides = ("right", "right", "right", "right", "left", "left", "left")
    return tabulate(shown, headers, tablefmt="simple", disable_numparse=True, colalign=sides)


def _path(block: BlockFeatures) -> str:
    inner = block.path[-_PATH:]
    return harmless(">".join(("", *inner) if len(inner) < len(block.path) else inner))


def _kept_by(page: ExplainedPage, block: int, letters: str) -> str:
    return "".join(
        letter if verdict.kept[block] else "."
        for letter, verdict in zip(letters, page.verdicts, strict=True)
    )


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f}"
