"""How well a text keeps the strings that must stay and drops those that must go.

Pages without a gold text may have such strings. Source: the evaluation of trafilatura
(Barbaresi, Trafilatura: a web scraping library and command-line tool for text discovery and
extraction, ACL 2021), which pools the strings of all pages.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True, slots=True)
class StringScore:
    """Strings of one page. wanted, unwanted: of each kind; kept: wanted ones that stayed; dropped:
    unwanted ones that went."""

    wanted: int
    kept: int
    unwanted: int
    dropped: int

    @property
    def balanced(self) -> float:
        """The mean of the share of wanted strings that stayed and of unwanted ones that went.

        Of the one kind where the page has none of the other; a page has at least one string.
        """
        pairs = ((self.kept, self.wanted), (self.dropped, self.unwanted))
        return fmean(count / total for count, total in pairs if total)


def string_score(text: str, wanted: Sequence[str], unwanted: Sequence[str]) -> StringScore:
    """The score of an extracted text. Strings are looked for with their case, and without white
    space, as a line may break anywhere."""
    found = squeezed(text)
    return StringScore(
        wanted=len(wanted),
        kept=sum(squeezed(one) in found for one in wanted),
        unwanted=len(unwanted),
        dropped=sum(squeezed(one) not in found for one in unwanted),
    )


def squeezed(text: str) -> str:
    """A text without its white space."""
    return "".join(text.split())


@dataclass(frozen=True, slots=True)
class StringShares:
    """Of all strings of some pages. kept, dropped: shares of the wanted and the unwanted ones. f1:
    as trafilatura's evaluation has it, of precision, wanted ones among those that stayed, and
    recall, which is kept. balanced: the mean over pages. A share of nothing is 1."""

    kept: float
    dropped: float
    balanced: float
    f1: float


def string_shares(scores: Iterable[StringScore]) -> StringShares:
    """The shares over at least one page."""
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
