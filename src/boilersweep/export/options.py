"""What becomes of a document that is exported."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from boilersweep.errors import UsageError
from boilersweep.pages.words import word_spans
from boilersweep.store.layout import METADATA
from boilersweep.store.near_duplicates import Dedup
from boilersweep.store.vectors import Vectors

FORMATS = ("jsonl", "parquet", "bulk", "trecweb", "text")
# The formats that have a place for blocks and metadata.
STRUCTURED = ("jsonl", "parquet", "bulk")


@dataclass(frozen=True, slots=True)
class Passages:
    """How a text is cut, as dense retrieval wants it.

    Attributes:
        words: Of a passage, at most, as the cleaners count them: see `boilersweep.pages.words`.
        overlap: The words that the next passage has, too.
    """

    words: int
    overlap: int = 0

    def __post_init__(self) -> None:
        if self.words < 1 or not 0 <= self.overlap < self.words:
            raise UsageError(
                f"passages of {self.words} words with an overlap of {self.overlap}: expected at "
                "least 1 word, and an overlap from 0 to less than the words"
            )

    def cut(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and end of each passage in a text, in characters; none of a text without a word.

        The last passage ends with the text, and is the only one that may be shorter.
        """
        begins = [start for start, _ in word_spans(text)]
        for first in range(0, len(begins), self.words - self.overlap):
            following = first + self.words
            start = begins[first] if first else len(text) - len(text.lstrip())
            end = begins[following] if following < len(begins) else len(text)
            yield start, start + len(text[start:end].rstrip())
            if following >= len(begins):
                break


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How documents are exported.

    Attributes:
        format: One of FORMATS.
        blocks: With the place of every kept block.
        classes: With the page's kind and confidence, and of every kept block, if blocks are asked
            for, the probability of each class; as the shipped model of `learned` tells them.
        passages: None for whole documents.
        dedup: None where near-duplicates stay.
        languages: Of the documents; none for all.
        fields: Of METADATA, what pages state of themselves; None where a page does not.
        distinct: Each text of the kept blocks once, in windows where there are passages.
        context: With the title and heading before it.
        vectors: Each kept block with its own.
    """

    format: str = "jsonl"
    blocks: bool = False
    classes: bool = False
    passages: Passages | None = None
    dedup: Dedup | None = None
    languages: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    distinct: bool = False
    context: bool = False
    vectors: Vectors | None = None

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise UsageError(f"format {self.format!r}: expected one of {', '.join(FORMATS)}")
        if self.context and not self.distinct:
            raise UsageError("context: expected with distinct texts")
        if self.distinct and (self.vectors or self.blocks or self.classes or self.fields):
            raise UsageError("distinct texts have neither vectors, places, classes nor fields")
        if self.vectors and (self.blocks or self.classes or self.passages):
            raise UsageError("blocks with vectors have neither places, classes nor passages")
        for wanted, what in (
            (self.blocks, "blocks"),
            (self.classes, "classes"),
            (self.fields, "fields"),
            (self.distinct, "ids of texts"),
            (self.vectors, "vectors"),
        ):
            if wanted and self.format not in STRUCTURED:
                raise UsageError(
                    f"{self.format} has no place for {what}: choose one of "
                    f"{', '.join(STRUCTURED)}, or leave them out"
                )
        for field in self.fields:
            if field not in METADATA:
                raise UsageError(f"field {field!r}: expected some of {', '.join(METADATA)}")

    @property
    def of_blocks(self) -> bool:
        """Whether a record is of a block, or a part of it."""
        return self.distinct or self.vectors is not None

    @property
    def with_context(self) -> bool:
        """Whether texts are known by their context, too."""
        return self.context or (self.vectors is not None and self.vectors.context)

    def as_json(self) -> dict[str, Any]:
        """Return as the identity of an export has it."""
        return {
            **asdict(self),
            "dedup": self.dedup.identity() if self.dedup else None,
            "languages": list(self.languages),
            "fields": list(self.fields),
            "vectors": self.vectors.identity if self.vectors else None,
        }
