"""The cleaners that have names."""

from collections.abc import Callable
from dataclasses import dataclass

from boilersweep.cleaners.ancestor import Ancestor
from boilersweep.cleaners.boilerpipe import (
    CleanEvalRule,
    DensityRules,
    KeepEverything,
    NumWordsRules,
    OneRule,
)
from boilersweep.cleaners.bte import BodyTextExtraction, MaximumSubsequence
from boilersweep.cleaners.largest_content import LargestContent, MainContent
from boilersweep.cleaners.learned.cleaner import learned
from boilersweep.cleaners.link_quota import LinkQuota
from boilersweep.cleaners.rules import Rule
from boilersweep.cleaners.slope_curves import AdvancedSlopeCurve, DocumentSlopeCurve
from boilersweep.errors import UsageError

Argument = Rule | float | str


@dataclass(frozen=True, slots=True)
class Named:
    """A cleaner with a name.

    usage: the arguments it takes, in parentheses; "" for none. summary: what it keeps.
    source: where it comes from. make: raises UsageError or TypeError for other arguments.
    """

    name: str
    usage: str
    summary: str
    source: str
    make: Callable[..., Rule]

    def __str__(self) -> str:
        return self.name + self.usage


def _ancestor(cleaner: Argument, depth: Argument = 2.0) -> Rule:
    if not isinstance(depth, float) or depth != int(depth):
        raise UsageError(f"expected a whole number as the depth, got {depth}")
    return Ancestor(_rule(cleaner), int(depth))


def _link_quota(*arguments: Argument) -> Rule:
    return LinkQuota(*map(_number, arguments))


def _rule(argument: Argument) -> Rule:
    if isinstance(argument, float | str):
        raise UsageError(f"expected a cleaner, got {argument!r}")
    return argument


def _number(argument: Argument) -> float:
    if not isinstance(argument, float):
        raise UsageError(f"expected a number, got {argument}")
    return argument


_KFN = "Kohlschütter et al. 2010"

_ALL = (
    Named("keep-everything", "", "every block", f"{_KFN}, Figure 2", KeepEverything),
    Named("density-rules", "", "by text and link density", f"{_KFN}, Algorithm 1", DensityRules),
    Named("numwords-rules", "", "by words and link density", f"{_KFN}, Algorithm 2", NumWordsRules),
    Named("one-rule", "", "text density of at least 10.5", f"{_KFN}, Table 2", OneRule),
    Named(
        "cleaneval-rule",
        "",
        "text density of at least 7, link density of at most .35",
        f"{_KFN}, section 4.3.2",
        CleanEvalRule,
    ),
    Named(
        "largest-content",
        "(CLEANER)",
        "of what a cleaner keeps the largest piece",
        f"{_KFN}, section 4.3.2",
        lambda cleaner: LargestContent(_rule(cleaner)),
    ),
    Named(
        "main-content",
        "(CLEANER)",
        "the largest piece, between title and comments",
        f"{_KFN}, section 4.3.2",
        lambda cleaner: MainContent(_rule(cleaner)),
    ),
    Named(
        "bte", "", "the run with most words and fewest tags", "Finn et al. 2001", BodyTextExtraction
    ),
    Named(
        "mss",
        "",
        "the same, a tag at the cost of 3.25 words",
        "Pasternack and Roth 2009",
        MaximumSubsequence,
    ),
    Named("dsc", "", "where tags are few on a window", "Pinto et al. 2002", DocumentSlopeCurve),
    Named(
        "adsc", "", "the same, joined, without lists of links", "Gottron 2007", AdvancedSlopeCurve
    ),
    Named(
        "link-quota",
        "([QUOTA])",
        "elements with at most a share of .5 of their words in links",
        "Mantratzis et al. 2005",
        _link_quota,
    ),
    Named(
        "ancestor",
        "(CLEANER[, DEPTH])",
        "of what a cleaner keeps the paragraphs under one element",
        "Viveros-Jiménez et al. 2018",
        _ancestor,
    ),
    Named(
        "learned",
        "(['FILE'])",
        "what a trained model takes for content: the shipped one, or a file's",
        "boilersweep train",
        learned,
    ),
)

NAMED = {named.name: named for named in _ALL}
