"""The evidence of a topic for a terminal."""

from collections.abc import Mapping, Sequence

from tabulate import tabulate

from boilersweep.eval.explain.records import (
    DocumentEvidence,
    Evidence,
    Match,
    PageView,
    TopicEvidence,
)
from boilersweep.eval.explain.terminal import harmless, wrapped

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
