"""Scores of a text by strings that it must contain and strings that it must not contain.

Pages without a gold text may have such strings. Source: the evaluation of trafilatura
(Barbaresi, Trafilatura: a web scraping library and command-line tool for text discovery and
extraction, ACL 2021), which pools the strings of all pages.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True, slots=True)
class StringScore:
    """Counts of one page's strings: `kept` of the wanted ones, `dropped` of the unwanted ones."""

    wanted: int
    kept: int
    unwanted: int
    dropped: int

    @property
    def balanced(self) -> float:
        """The mean of the shares of wanted strings kept and of unwanted strings dropped.

        If the page has only one kind, the share of that kind; a page has at least one string.
        """
        pairs = ((self.kept, self.wanted), (self.dropped, self.unwanted))
        return fmean(count / total for count, total in pairs if total)


def string_score(text: str, wanted: Sequence[str], unwanted: Sequence[str]) -> StringScore:
    """Score an extracted text.

    Strings are compared with their case, and without white space, as a line may break anywhere.
    """
    found = squeezed(text)
    return StringScore(
        wanted=len(wanted),
        kept=sum(squeezed(string) in found for string in wanted),
        unwanted=len(unwanted),
        dropped=sum(squeezed(string) not in found for string in unwanted),
    )


def squeezed(text: str) -> str:
    """Return a text without its white space."""
    return "".join(text.split())


@dataclass(frozen=True, slots=True)
class StringShares:
    """Shares of all strings of some pages; a share of nothing is 1.

    Attributes:
        kept: The share of wanted strings that stayed.
        dropped: The share of unwanted strings that are gone.
        balanced: The mean over pages.
        f1: As in trafilatura's evaluation: precision is the share of wanted strings among those
            that stayed, recall is `kept`.
    """

    kept: float
    dropped: float
    balanced: float
    f1: float


def string_shares(scores: Iterable[StringScore]) -> StringShares:
    """Return the shares over at least one page."""
    scores = list(scores)
    wanted, kept, unwanted, dropped = (
        sum(getattr(score, name) for score in scores) for name in StringScore.__slots__
    )
    total = wanted + kept + unwanted - dropped
    return StringShares(
        kept=kept / wanted if wanted else 1.0,
        dropped=dropped / unwanted if unwanted else 1.0,
        balanced=fmean(score.balanced for score in scores),
        f1=2 * kept / total if total else 1.0,
    )
