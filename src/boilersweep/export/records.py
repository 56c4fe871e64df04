"""What is kept as records: of a document, or of its passages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from boilersweep.cleaners.selection import Kept, Selection
from boilersweep.export.options import ExportOptions

# `id`, of a passage also `docid`, `start` and `end`, then `url`, `title`, `date`, `language`, the
# fields that are asked for, `kind`, `confidence` and `blocks` where they are asked for, and
# `contents`.
Record = dict[str, Any]


class Document(NamedTuple):
    """What a store says of a document; empty where it does not know it.

    Attributes:
        blocks: How many.
        fields: Of the metadata, None where the page does not state it; and the kind and confidence,
            where they are asked for.
    """

    docid: str
    url: str
    title: str
    date: str
    language: str
    blocks: int
    fields: Mapping[str, str | float | None]


class Block(NamedTuple):
    """A kept block. number: in its document, from 0. start, end: in the kept text.

    Attributes:
        probabilities: Of its classes, where they are asked for.
    """

    number: int
    start: int
    end: int
    probabilities: Mapping[str, float] | None = None


def blocks_of(
    kept: Kept,
    selected: Selection,
    document: Document,
    classes: Sequence[Mapping[str, float]] = (),
) -> list[Block]:
    """Return the blocks that make a kept text; none where an extractor took it.

    classes: the probabilities of the document's blocks, if they are asked for.
    """
    first = int(selected.starts[kept.document])
    blocks = []
    at = 0
    for place in kept.blocks:
        end = at + len(selected.texts[place])
        if place - first < document.blocks:
            number = place - first
            blocks.append(Block(number, at, end, classes[number] if classes else None))
        at = end + 1
    return blocks


def about(document: Document) -> Record:
    """Return what a record says of its document."""
    return {
        "url": document.url,
        "title": document.title,
        "date": document.date,
        "language": document.language,
        **document.fields,
    }


def records_of(
    document: Document, text: str, blocks: Sequence[Block], options: ExportOptions
) -> Iterator[Record]:
    """Yield the records of a kept text. blocks: see `blocks_of`, where the options ask for them."""
    if options.passages is None:
        record: Record = {"id": document.docid, **about(document), "contents": text}
        yield _with_blocks(record, blocks, options)
        return
    for number, (start, end) in enumerate(options.passages.cut(text)):
        record = {
            "id": f"{document.docid}#{number}",
            "docid": document.docid,
            "start": start,
            "end": end,
            **about(document),
            "contents": text[start:end],
        }
        within = [
            block._replace(
                start=max(block.start, start) - start, end=min(block.end, end) - start
            )
            for block in blocks
            if block.start < end and block.end > start
        ]
        yield _with_blocks(record, within, options)


def _with_blocks(
    record: Record, blocks: Sequence[Block], options: ExportOptions
) -> Record:
    if options.blocks:
        record["blocks"] = [
            {
                "block": block.number,
                "start": block.start,
                "end": block.end,
                **(
                    {"probabilities": block.probabilities}
                    if block.probabilities
                    else {}
                ),
            }
            for block in blocks
        ]
    return record
