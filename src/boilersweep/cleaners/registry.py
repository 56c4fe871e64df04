"""The rules that have names. What each is and takes stands on its class; here they are listed."""

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
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.link_quota import LinkQuota
from boilersweep.cleaners.rules import NamedRule, Rule
from boilersweep.cleaners.slope_curves import AdvancedSlopeCurve, DocumentSlopeCurve

_OURS: tuple[type[NamedRule], ...] = (
    KeepEverything,
    DensityRules,
    NumWordsRules,
    OneRule,
    CleanEvalRule,
    LargestContent,
    MainContent,
    BodyTextExtraction,
    MaximumSubsequence,
    DocumentSlopeCurve,
    AdvancedSlopeCurve,
    LinkQuota,
    Ancestor,
    Learned,
)

NAMED = {rule.name: rule for rule in _OURS}
"""Our own, by name."""


def rules_alone() -> list[Rule]:
    """Our own that need no argument, each without one."""
    return [rule.made_of() for rule in _OURS if 0 in rule.counts()]
