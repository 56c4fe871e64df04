"""What becomes of a document that is exported."""

from dataclasses import asdict, dataclass
from typing import Any

from boilersweep.errors import UsageError
from boilersweep.export.passages import Passages
from boilersweep.store.layout import METADATA
from boilersweep.store.near_duplicates import Dedup

FORMATS = ("jsonl", "parquet", "bulk", "trecweb", "text")
STRUCTURED = ("jsonl", "parquet", "bulk")
"""The formats that have a place for blocks and metadata."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How documents are exported.

    format: one of FORMATS. blocks: with the place of every kept block. passages: None for whole
    documents. dedup: None where near-duplicates stay. languages: of the documents; none for all.
    fields: of METADATA, what pages state of themselves; None where a page does not.
    """

    format: str = "jsonl"
    blocks: bool = False
    passages: Passages | None = None
    dedup: Dedup | None = None
    languages: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise UsageError(f"format {self.format!r}: expected one of {', '.join(FORMATS)}")
        for wanted, what in ((self.blocks, "blocks"), (self.fields, "fields")):
            if wanted and self.format not in STRUCTURED:
                raise UsageError(
                    f"{self.format} has no place for {what}: choose one of "
                    f"{', '.join(STRUCTURED)}, or leave them out"
                )
        for field in self.fields:
            if field not in METADATA:
                raise UsageError(f"field {field!r}: expected some of {', '.join(METADATA)}")

    def as_json(self) -> dict[str, Any]:
        """As the identity of an export has it."""
        return {
            **asdict(self),
            "dedup": self.dedup.identity() if self.dedup else None,
            "languages": list(self.languages),
            "fields": list(self.fields),
        }
