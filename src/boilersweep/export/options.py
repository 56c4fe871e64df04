"""What becomes of a document that is exported."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from boilersweep.cleaners.duplicates import Dedup
from boilersweep.errors import UsageError
from boilersweep.pages.words import word_spans
from boilersweep.store.shard_columns import METADATA

Format = Literal["jsonl", "parquet", "bulk", "trecweb", "text"]
FORMATS = get_args(Format)
# The formats that have a place for blocks and metadata.
STRUCTURED = ("jsonl", "parquet", "bulk")


@dataclass(frozen=True, slots=True)
class Passages:
    """How a text is cut, as dense retrieval wants it.

    Attributes:
        words: The most words of a passage, as cleaners count them: see `boilersweep.pages.words`.
        overlap: The words that a passage shares with the next one.
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
        """Yield start and end of each passage in a text, in characters; none without a word.

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
        format: JSON lines with id and contents, as pyserini and Hugging Face datasets read them;
            Parquet; requests to OpenSearch's bulk API; TREC web; or texts alone.
        blocks: Include the position of every kept block in the text; not in trecweb and text.
        classes: Include the page's kind and, with --blocks, the classes of every kept block, such
            as code, and the shipped model's probabilities; not in trecweb and text.
        passages: How texts are cut; None for whole documents.
        dedup: How near-duplicates are found and left out; None to keep them.
        languages: The languages of the documents; none for all.
        fields: The columns of METADATA to add.
    """

    format: Format = "jsonl"
    blocks: bool = False
    classes: bool = False
    passages: Passages | None = None
    dedup: Dedup | None = None
    languages: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise UsageError(
                f"format {self.format!r}: expected one of {', '.join(FORMATS)}"
            )
        for wanted, what in (
            (self.blocks, "blocks"),
            (self.classes, "classes"),
            (self.fields, "fields"),
        ):
            if wanted and self.format not in STRUCTURED:
                raise UsageError(
                    f"{self.format} has no place for {what}: choose one of "
                    f"{', '.join(STRUCTURED)}, or leave them out"
                )
        for name in self.fields:
            if name not in METADATA:
                raise UsageError(
                    f"field {name!r}: expected some of {', '.join(METADATA)}"
                )

    def as_json(self) -> dict[str, Any]:
        """Return as the identity of an export has it."""
        return {
            **asdict(self),
            "dedup": self.dedup.identity() if self.dedup else None,
            "languages": list(self.languages),
            "fields": list(self.fields),
        }
