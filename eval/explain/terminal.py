"""Topics and pages for a terminal, whose text can move, colour or reorder no other text."""

import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from string import ascii_letters

from tabulate import tabulate

from boilersweep.errors import UsageError
from boilersweep.eval.explain.records import (
    DocumentEvidence,
    Evidence,
    Match,
    PageView,
    TopicEvidence,
)
from boilersweep.eval.explain.verdicts import BlockFeatures, ExplainedPage
from boilersweep.eval.explain.words import cut

_SPACES = frozenset({"Cc", "Zl", "Zp"})
_DROPPED = frozenset({"Cf", "Cs"})
_JOINERS = frozenset("\u200c\u200d")  # parts of words and emoji; they move nothing


def harmless(text: str) -> str:
    """Return a text as one line in which a terminal finds nothing but characters.

    Control characters (C0, C1, DEL, which begin escape sequences) and line separators become
    spaces. Format characters, including those that change the direction of writing, and lone
    surrogates are removed.
    """
    if text.isascii() and text.isprintable():
        return text
    characters = []
    for character in text:
        category = unicodedata.category(character)
        if category in _SPACES:
            characters.append(" ")
        elif category not in _DROPPED or character in _JOINERS:
            characters.append(character)
    return "".join(characters)


def wrapped(text: str, indent: str, width: int) -> str:
    """Wrap a harmless text to lines of a width, all with an indent."""
    return textwrap.fill(
        text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


# The most shown blocks of a document.
BLOCKS = 6

_INDENT = "      "


def topic_account(evidence: Evidence, topic: TopicEvidence, width: int) -> str:
    """Tell what two cleaners do to a topic, in lines of about a width, harmless for terminals."""
    parts = [_head(evidence, topic)]
    if not topic.documents:
        return f"{parts[0]}\n\nNeither cleaner leaves a document with a term of the query."
    for change, verb in (("left", "left"), ("entered", "entered")):
        documents = [one for one in topic.documents if one.change == change]
        parts.append(_section(f"{verb} the top {evidence.depth}", len(documents)))
        parts += (_document(one, topic, evidence.pages, width) for one in documents)
    stayed = [one for one in topic.documents if one.change in ("moved", "same")]
    parts.append(_section("stayed", len(stayed)))
    if stayed:
        parts.append(_table(stayed))
    return "\n\n".join(parts)


def _head(evidence: Evidence, topic: TopicEvidence) -> str:
    rows = [
        (letter, harmless(evidence.cleaners[side]), topic.top_relevant[side],
         topic.top_judged[side])
        for side, letter in enumerate("ab")
    ]  # fmt: skip
    top = f"of the top {evidence.depth}"
    judged = (
        "no judgements"
        if topic.judged is None
        else f"{topic.judged:,} judged documents, {topic.relevant:,} of them relevant"
    )
    return "\n".join(
        [
            f"Topic {harmless(topic.id)}: {harmless(topic.query)}",
            f"Terms: {harmless(', '.join(topic.terms)) or 'none'}; {judged}",
            "",
            tabulate(rows, ["", "cleaner", f"relevant {top}", f"judged {top}"], tablefmt="simple"),
            "",
            "Blocks with a term: a, b if that cleaner keeps it, - if not; *words* carry a term.",
        ]
    )


def _section(what: str, count: int) -> str:
    head = f"{count:,} document{'' if count == 1 else 's'} {what}"
    return f"{head}\n{'-' * len(head)}"


def _document(
    one: DocumentEvidence, topic: TopicEvidence, pages: Mapping[str, PageView], width: int
) -> str:
    verdict = f": a {one.verdict}" if one.verdict else ""
    counts = ", ".join(
        f"{term} {before} -> {after}"
        for term, before, after in zip(topic.terms, *one.counts, strict=True)
        if before or after
    )
    shown = _shown(one.matches)
    lines = [
        f"{_rank(one)}  {harmless(one.docid)}  {_grade(one)}{verdict}",
        wrapped(harmless(pages[one.docid].title), _INDENT, width),
        wrapped(harmless(one.sentence), _INDENT, width),
        wrapped(harmless(counts), _INDENT, width),
        *(_block(match, pages[one.docid], width) for match in shown),
    ]
    more = len(one.matches) - len(shown)
    if more:
        lines.append(f"{_INDENT}and {more:,} more block{'' if more == 1 else 's'} with a term")
    return "\n".join(line for line in lines if line)


def _shown(matches: Sequence[Match]) -> list[Match]:
    """Choose up to BLOCKS blocks, in page order; blocks kept by one cleaner only come first."""
    order = sorted(matches, key=lambda match: (match.kept[0] == match.kept[1], -sum(match.counts)))
    return sorted(order[:BLOCKS], key=lambda match: match.block)


def _block(match: Match, page: PageView, width: int) -> str:
    kept = "".join(letter if keeps else "-" for letter, keeps in zip("ab", match.kept, strict=True))
    own = len(page.texts) - len(page.extractors)
    is_text = match.block >= own
    name = f"text of {page.extractors[match.block - own]}" if is_text else f"block {match.block}"
    text = "".join(
        f"*{harmless(piece)}*" if place % 2 else harmless(piece)
        for place, piece in enumerate(match.snippet)
    )
    return wrapped(f"{kept} {harmless(name)}: {text}", _INDENT + "  ", width)


def _table(documents: Sequence[DocumentEvidence]) -> str:
    rows = [
        (_rank(one).strip(), harmless(one.docid), _grade(one),
         f"{sum(one.counts[0]):,} -> {sum(one.counts[1]):,}",
         f"{one.tokens[0]:,} -> {one.tokens[1]:,}")
        for one in documents
    ]  # fmt: skip
    headers = ["rank", "document", "judgement", "matches", "tokens"]
    return tabulate(rows, headers, tablefmt="simple", disable_numparse=True)


def _rank(one: DocumentEvidence) -> str:
    before, after = ("none" if rank is None else str(rank) for rank in one.rank)
    return f"{before:>4} -> {after:<4}"


def _grade(one: DocumentEvidence) -> str:
    if one.grade is None:
        return "not judged"
    return f"relevant ({one.grade})" if one.grade > 0 else "not relevant"


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
            "".join(
                letter if verdict.kept[number] else "."
                for letter, verdict in zip(letters, page.verdicts, strict=True)
            ),
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


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f}"
