"""What becomes of a document that is exported."""

from dataclasses import asdict, dataclass
from typing import Any

from boilersweep.errors import UsageError
from boilersweep.export.passages import Passages
from boilersweep.store.near_duplicates import Dedup

FORMATS = ("jsonl", "parquet", "bulk", "trecweb", "text")
WITH_BLOCKS = ("jsonl", "parquet", "bulk")
"""The formats that have a place for blocks."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How documents are exported.

    format: one of FORMATS. blocks: with the place of every kept block. passages: None for whole
    documents. dedup: None where near-duplicates stay. languages: of the documents; none for all.
    """

    format: str = "jsonl"
    blocks: bool = False
    passages: Passages | None = None
    dedup: Dedup | None = None
    languages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise UsageError(f"format {self.format!r}: expected one of {', '.join(FORMATS)}")
        if self.blocks and self.format not in WITH_BLOCKS:
            raise UsageError(
                f"{self.format} has no place for blocks: choose one of "
                f"{', '.join(WITH_BLOCKS)}, or leave them out"
            )

    def as_json(self) -> dict[str, Any]:
        """As the identity of an export has it."""
        return {
            **asdict(self),
            "dedup": self.dedup.identity() if self.dedup else None,
            "languages": list(self.languages),
        }
