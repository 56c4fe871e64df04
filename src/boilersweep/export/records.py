"""What is kept as records: of a document, of its passages, or of its blocks.

Records of blocks are distinct texts to be encoded, or kept blocks with their vectors.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.selection import Cleaner, Kept, Selection, select
from boilersweep.errors import StoreError
from boilersweep.export.options import ExportOptions
from boilersweep.store.store import BlockStore
from boilersweep.store.vectors import BlockTexts, block_texts, needs_for

# `id`, of a passage also `docid`, `start` and `end`, then `url`, `title`, `date`, `language`, the
# fields that are asked for, `kind`, `confidence` and `blocks` where they are asked for, and
# `contents`.
Record = dict[str, Any]
Ids = NDArray[np.bytes_]
# Id of a text -> what follows it in the ids of its windows, and their vectors.
VectorsOf = Mapping[str, Sequence[tuple[str, list[float]]]]


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
    kept: Kept, selected: Selection, document: Document, classes: Sequence[Mapping[str, float]] = ()
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
            block._replace(start=max(block.start, start) - start, end=min(block.end, end) - start)
            for block in blocks
            if block.start < end and block.end > start
        ]
        yield _with_blocks(record, within, options)


def _with_blocks(record: Record, blocks: Sequence[Block], options: ExportOptions) -> Record:
    if options.blocks:
        record["blocks"] = [
            {
                "block": block.number,
                "start": block.start,
                "end": block.end,
                **({"probabilities": block.probabilities} if block.probabilities else {}),
            }
            for block in blocks
        ]
    return record


def known_texts(
    store: BlockStore, cleaners: Sequence[Cleaner], options: ExportOptions
) -> list[list[Ids]]:
    """For each shard and cleaner the ids of those texts that an earlier shard has, too."""
    seen: list[Ids] = [np.empty(0, "S32") for _ in cleaners]
    known = []
    for _, shard in store.by_shard():
        here = [{id_.encode() for id_ in ids} for ids in _kept_ids(shard, cleaners, options)]
        arrays = [np.array(sorted(ids), dtype="S32") for ids in here]
        known.append([np.intersect1d(a, b) for a, b in zip(arrays, seen, strict=True)])
        seen = [np.union1d(a, b) for a, b in zip(arrays, seen, strict=True)]
    return known


def _kept_ids(
    store: BlockStore, cleaners: Sequence[Cleaner], options: ExportOptions
) -> list[set[str]]:
    found: list[set[str]] = [set() for _ in cleaners]
    for columns in store.columns_for(cleaners, needs_for(context=options.with_context)):
        selected = select(columns, cleaners)
        ids = np.array(block_texts(columns, context=options.with_context).ids, dtype=np.str_)
        for number, of_cleaner in enumerate(found):
            of_cleaner.update(ids[selected.mask(number)].tolist())
    return [ids - {""} for ids in found]


def vectors_of(store: BlockStore, cleaners: Sequence[Cleaner], options: ExportOptions) -> VectorsOf:
    """Return the vectors of all blocks that are kept; raises StoreError where one is missing."""
    vectors = options.vectors
    if vectors is None:
        return {}
    wanted = set().union(*_kept_ids(store, cleaners, options))
    found: dict[str, list[tuple[str, list[float]]]] = {}
    for ids, some in vectors.parts("blocks"):
        for id_, vector in zip(ids, some, strict=True):
            text, mark, window = id_.partition("#")
            if text in wanted:
                values = vector.astype(np.float32).tolist()
                found.setdefault(text, []).append((mark + window, values))
    if missing := wanted - set(found):
        raise StoreError(vectors.missing(len(missing), len(wanted), min(missing)))
    return found


def text_records(
    kept: Kept, texts: BlockTexts, options: ExportOptions, seen: set[str]
) -> Iterator[Record]:
    """Yield the texts of kept blocks that were not seen yet, or their windows."""
    for place in kept.blocks:
        id_, context, text = texts.of(place)
        if not id_ or id_ in seen:
            continue
        seen.add(id_)
        spans = list(options.passages.cut(text)) if options.passages else [(0, len(text))]
        for number, (start, end) in enumerate(spans, 1):
            window = f"#{number}/{len(spans)}" if len(spans) > 1 else ""
            yield {"id": id_ + window, "contents": context + text[start:end]}


def vector_records(
    kept: Kept, texts: BlockTexts, selected: Selection, document: Document, vectors: VectorsOf
) -> Iterator[Record]:
    """Yield the kept blocks of a document, each with its vector, or once for each window's."""
    first = int(selected.starts[kept.document])
    for place in kept.blocks:
        id_, _, text = texts.of(place)
        for window, vector in vectors[id_] if id_ else ():
            yield {
                "id": f"{document.docid}#{place - first}{window}",
                "docid": document.docid,
                "block": place - first,
                **about(document),
                "contents": text,
                "vector": vector,
            }
