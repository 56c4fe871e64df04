"""Which documents are left out: of other languages, and near-duplicates."""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from boilersweep.cleaners.duplicates import Dedup
from boilersweep.cli.options.collection import Languages
from boilersweep.cli.options.values import parsed, section
from boilersweep.errors import UsageError


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


_DUPLICATES = section(
    "near-duplicates", "The first document stays; duplicates.csv lists those left out."
)


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
