"""The rules that have names: ours, and anyone's. Each class describes itself.

A package declares its own rule as an entry point in the group `boilersweep.cleaners`: a subclass of
`boilersweep.cleaners.rules.NamedRule` under the rule's name.
"""

from collections.abc import Iterator
from contextlib import suppress
from inspect import isabstract

from boilersweep.applications import all_provided
from boilersweep.cleaners.block_classes import CLASSES
from boilersweep.cleaners.published.boilerpipe import (
    CleanEvalRule,
    DensityRules,
    KeepEverything,
    NumWordsRules,
    OneRule,
)
from boilersweep.cleaners.published.filters import (
    Ancestor,
    LargestContent,
    LinkQuota,
    MainContent,
    Site,
)
from boilersweep.cleaners.published.headed import Headed
from boilersweep.cleaners.published.tag_curves import (
    AdvancedSlopeCurve,
    BodyTextExtraction,
    DocumentSlopeCurve,
    MaximumSubsequence,
)
from boilersweep.cleaners.rules import FEATURES, PLUGINS, NamedRule, Rule, Weighted
from boilersweep.cleaners.selectors import Inside, Marked
from boilersweep.cleaners.tool_settings import SETTINGS
from boilersweep.errors import BoilersweepError, UsageError, did_you_mean, excerpt
from boilersweep.extractors.registry import Extractor, extractor_names, find_extractor
from boilersweep.plugins import described

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
    Site,
    Headed,
    *all_provided(["boilersweep.cleaners.learned.cleaner:Learned"]),
    Inside,
    Marked,
    *SETTINGS,
    *CLASSES,
)

# What `clean` and `page` keep if nothing is named; the application `learned` provides it.
DEFAULT = "learned"

# Our own rules, by name.
NAMED = {rule.name: rule for rule in _OURS}


def rule_names() -> list[str]:
    """Return the names of our rules, then those of plug-ins."""
    return [*NAMED, *(name for name in PLUGINS.names() if name not in NAMED)]


def find_rule(name: str) -> type[NamedRule] | None:
    """Return the rule of a name, or None; imports a plug-in.

    Raises:
        UsageError: Two rules have the name, or a plug-in cannot be imported or is no such rule.
    """
    point = PLUGINS.find(name)
    if point is None:
        return NAMED.get(name)
    if name in (*NAMED, Weighted.name, *FEATURES, *extractor_names()):
        raise UsageError(
            f"cleaner {name!r}: expected a name that no other cleaner, feature or extractor has, "
            f"got {described(point)}: uninstall it, or give its rule another name"
        )
    rule = PLUGINS.imported(name, point.module, point.load)
    if not (isinstance(rule, type) and issubclass(rule, NamedRule)) or isabstract(rule):
        raise UsageError(
            f"cleaner {name!r}: expected a subclass of boilersweep.cleaners.rules.NamedRule with "
            f"name, needs and mask, got {rule!r} from {described(point)}"
        )
    if getattr(rule, "name", None) != name:
        raise UsageError(
            f"cleaner {name!r}: expected a rule of the name that its entry point has, got "
            f"{getattr(rule, 'name', None)!r} from {described(point)}"
        )
    return rule


def find_text_cleaner(name: str) -> Extractor:
    """Return the extractor that a cleaner's text names.

    Raises:
        UsageError: There is none, or as `find_extractor` raises it; the message suggests cleaners
            of similar names.
    """
    if not is_extractor(name):
        instead = "; name another one, such as 'words>=11'"
        raise UsageError(
            f"no cleaner is named {excerpt(name)!r}"
            f"{instead if name == DEFAULT else nearly(name)}; `boilersweep --list cleaners` lists "
            "them all"
        )
    return find_extractor(name)


def is_extractor(name: str) -> bool:
    """Return whether a name is an extractor's or a function's, whether or not it is installed."""
    return ":" in name or name.partition("(")[0] in extractor_names()


def nearly(name: str) -> str:
    """Return the end of a message that suggests cleaners of similar names.

    It is "" if there are none, and for the name of a cleaner whose text only a store lacks.
    """
    known = [*rule_names(), Weighted.name, *extractor_names()]
    return "" if name in known else did_you_mean(name, known)


def all_rules() -> Iterator[type[NamedRule] | UsageError]:
    """Yield our rules, then those of plug-ins; for one that cannot be used the reason."""
    for name in rule_names():
        try:
            if rule := find_rule(name):
                yield rule
        except UsageError as error:
            yield error


def rules_alone() -> list[Rule]:
    """Return our cleaners that can run without argument; no classes of blocks, and no marks."""
    rules: list[Rule] = []
    for rule in NAMED.values():
        if 0 in rule.counts() and rule not in (*CLASSES, Marked):
            with suppress(BoilersweepError):  # a model without its compiled code
                rules.append(rule.made_of())
    return rules
