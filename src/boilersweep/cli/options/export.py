"""Which files an export writes."""

from dataclasses import dataclass, replace
from typing import Annotated

from cyclopts import Parameter

from boilersweep.cli.options.left_out import LeftOut
from boilersweep.cli.options.values import Count, listed, part, section
from boilersweep.errors import UsageError
from boilersweep.export.options import ExportOptions, Passages

_FILES = section("files")


@Parameter(name="*", group=_FILES)
@dataclass(frozen=True, slots=True)
class Files:
    """The files of an export.

    Attributes:
        fields: What pages state, of a store made with --metadata: some of headline, author,
            published, modified, site_name, image and canonical_url; not in trecweb and text.
        passages: Write passages of N words, DOCID#0, DOCID#1 and so on, instead of whole documents.
        overlap: With --passages: number of words that neighbouring passages share (default: none).
    """

    export: Annotated[
        ExportOptions,
        part(ExportOptions, but=("passages", "dedup", "languages", "fields")),
    ] = ExportOptions()
    fields: Annotated[
        tuple[str, ...], listed(lambda text: tuple(dict.fromkeys(text.split(","))))
    ] = ()
    passages: Count | None = None
    overlap: Count | None = None

    def options(self, left_out: LeftOut) -> ExportOptions:
        """Return how documents are exported; raise UsageError."""
        if self.overlap and not self.passages:
            raise UsageError("--overlap requires --passages")
        passages = Passages(self.passages, self.overlap or 0) if self.passages else None
        return replace(
            self.export,
            fields=self.fields,
            passages=passages,
            dedup=left_out.dedup,
            languages=tuple(left_out.languages),
        )
