"""Which files an export writes, and which near-duplicates are left out."""

from dataclasses import dataclass, replace
from typing import Annotated

from cyclopts import Parameter

from boilersweep.cli.options.collection import Languages
from boilersweep.cli.options.values import Count, listed, parsed, part, section
from boilersweep.errors import UsageError
from boilersweep.export.options import ExportOptions, Passages
from boilersweep.store.duplicates import Dedup

_FILES = section("files")
_DUPLICATES = section(
    "near-duplicates", "The first document stays; duplicates.csv lists those left out."
)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"expected a number, got {text!r}") from None


def _dedup(text: str) -> Dedup:
    """Parse `exact`, `minhash` or `minhash:0.9`; raise UsageError."""
    method, colon, threshold = text.partition(":")
    if colon and method == "exact":
        raise UsageError(f"expected a threshold with minhash alone, got {text!r}")
    return Dedup(method, _number(threshold)) if colon else Dedup(method)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class LeftOut:
    """Documents that are left out; `index` takes these options with --keep alone.

    Attributes:
        languages: Use only documents in these languages, such as de,fr; und means documents whose
            language is unknown (default: all documents).
        dedup: exact: leave out documents whose kept text equals that of an earlier document;
            minhash: also those whose shingles of five words are similar enough: their Jaccard
            similarity is at least 0.8, with minhash:0.9 at least 0.9.
    """

    languages: Languages = ()
    dedup: Annotated[
        Dedup | None, parsed(_dedup, "METHOD"), Parameter(group=_DUPLICATES)
    ] = None


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
