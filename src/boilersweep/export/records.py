"""What is kept as records: of a document, or of its passages."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from boilersweep.cleaners.selection import Kept, Selection
from boilersweep.export.options import ExportOptions

# `id`, of a passage also `docid`, `start` and `end`, then `url`, `title`, `date`, `language`, the
# fields that are asked for, `kind`, `confidence` and `blocks` where they are asked for, and
# `contents`.
Record = dict[str, Any]


class Document(NamedTuple):
    """A document of a store, as its records need it.

    Attributes:
        docid: The docid.
        blocks: The number of its blocks.
        about: What every record says of it: `url`, `title`, `date`, `language`, the metadata that
            are asked for, None where the page does not state them; and `kind` and `confidence`, if
            they are asked for.
    """

    docid: str
    blocks: int
    about: Record


def blocks_of(
    kept: Kept,
    selected: Selection,
    document: Document,
    classes: Sequence[Record],
) -> list[Record]:
    """Return the blocks that make a kept text; none where an extractor took it.

    Each has its number in the document, `block`, and its `start` and `end` in the kept text.

    Args:
        kept: What a cleaner keeps of the document.
        selected: The selection that it is from.
        document: The document.
        classes: What records of the document's blocks say of classes; empty if not asked for.
    """
    first = int(selected.starts[kept.document])
    blocks = []
    at = 0
    for place in kept.blocks:
        number, end = place - first, at + len(selected.texts[place])
        if number < document.blocks:
            block: Record = {"block": number, "start": at, "end": end}
            blocks.append(block | classes[number] if classes else block)
        at = end + 1
    return blocks


def records_of(
    document: Document, text: str, blocks: Sequence[Record], options: ExportOptions
) -> Iterator[Record]:
    """Yield the records of a kept text.

    Args:
        document: The document.
        text: The kept text.
        blocks: The text's blocks, see `blocks_of`, if the options ask for them.
        options: How documents are exported.
    """
    if options.passages is None:
        record: Record = {"id": document.docid, **document.about, "contents": text}
        if options.blocks:
            record["blocks"] = blocks
        yield record
        return
    for number, (start, end) in enumerate(options.passages.cut(text)):
        record = {
            "id": f"{document.docid}#{number}",
            "docid": document.docid,
            "start": start,
            "end": end,
            **document.about,
            "contents": text[start:end],
        }
        if options.blocks:
            record["blocks"] = [
                {
                    **block,
                    "start": max(block["start"], start) - start,
                    "end": min(block["end"], end) - start,
                }
                for block in blocks
                if block["start"] < end and block["end"] > start
            ]
        yield record
