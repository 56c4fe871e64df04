"""The rules that have names: ours, and anyone's. What each is and takes is on its class.

Anyone's are found as entry points in the group `boilersweep.cleaners`: a package names there a
subclass of `boilersweep.cleaners.rules.NamedRule` under the rule's own name.
"""

from collections.abc import Iterable, Iterator
from inspect import isabstract
from typing import TYPE_CHECKING

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
from boilersweep.cleaners.rules import FEATURES, NamedRule, Rule
from boilersweep.cleaners.site import Site
from boilersweep.cleaners.slope_curves import AdvancedSlopeCurve, DocumentSlopeCurve
from boilersweep.cleaners.vips.cleaner import Vips
from boilersweep.cleaners.weighted import Weighted
from boilersweep.errors import UsageError, did_you_mean, excerpt
from boilersweep.extractors.plugins import PluginGroup, described

if TYPE_CHECKING:
    from boilersweep.extractors.registry import Extractor

PLUGINS = PluginGroup("boilersweep.cleaners", "cleaner")

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
    Vips,
    Learned,
)

NAMED = {rule.name: rule for rule in _OURS}
"""Our own, by name."""


def rule_names() -> list[str]:
    """The names of ours, then those of plug-ins."""
    return [*NAMED, *(name for name in PLUGINS.names() if name not in NAMED)]


def find_rule(name: str) -> type[NamedRule] | None:
    """The rule of a name, None where there is none; imports a plug-in.

    Raises UsageError where two have the name, or a plug-in cannot be imported or is no such rule.
    """
    point = PLUGINS.find(name)
    if point is None:
        return NAMED.get(name)
    if name in _taken():
        raise UsageError(
            f"cleaner {name!r}: expected a name that no other cleaner, feature or extractor has, "
            f"got {described(point)}: uninstall it, or give its rule another name"
        )
    found = PLUGINS.imported(name, point.module, point.load)
    if not (isinstance(found, type) and issubclass(found, NamedRule)) or isabstract(found):
        raise UsageError(
            f"cleaner {name!r}: expected a subclass of boilersweep.cleaners.rules.NamedRule with "
            f"name, needs and mask, got {found!r} from {described(point)}"
        )
    if getattr(found, "name", None) != name:
        raise UsageError(
            f"cleaner {name!r}: expected a rule of the name that its entry point has, got "
            f"{getattr(found, 'name', None)!r} from {described(point)}"
        )
    return found


def find_text_cleaner(name: str) -> "Extractor":
    """The extractor that a cleaner's text names.

    Raises UsageError where there is none, which says which cleaners have nearly that name; and as
    `find_extractor` does.
    """
    from boilersweep.extractors.registry import find_extractor

    if not is_extractor(name):
        raise UsageError(
            f"no cleaner is named {excerpt(name)!r}{nearly(name)}; `boilersweep cleaners` lists "
            "them all"
        )
    return find_extractor(name)


def is_extractor(name: str) -> bool:
    """Whether a name is an extractor's, or that of a function, whether or not it is installed."""
    from boilersweep.extractors.registry import extractor_names

    return ":" in name or name in extractor_names()


def nearly(name: str) -> str:
    """Which cleaners and extractors have nearly that name, as the end of a message; or "".

    Of one that there is, as where only a store lacks its text, there is nothing to say.
    """
    from boilersweep.extractors.registry import extractor_names

    known = [*rule_names(), Weighted.name, *extractor_names()]
    return "" if name in known else did_you_mean(name, known)


def _taken() -> list[str]:
    """What a name in the text of a cleaner means without plug-ins."""
    from boilersweep.extractors.registry import extractor_names

    return [*NAMED, Weighted.name, *FEATURES, *extractor_names()]


def all_rules() -> Iterator[type[NamedRule] | UsageError]:
    """Ours, then those of plug-ins; in the place of one that cannot be used the reason."""
    for name in rule_names():
        try:
            rule = find_rule(name)
        except UsageError as error:
            yield error
        else:
            if rule:
                yield rule


def rules_alone() -> list[Rule]:
    """Ours that need no argument and no browser, each without one."""
    alone = [rule.made_of() for rule in NAMED.values() if 0 in rule.counts()]
    return [rule for rule in alone if "boxes" not in rule.needs]


def plugin_identities(rules: Iterable[Rule]) -> dict[str, str]:
    """Name of each plug-in among some rules -> its distribution, version and sources' digest."""
    foreign = {rule.name for rule in rules if isinstance(rule, NamedRule)} - set(NAMED)
    found = ((name, PLUGINS.identity(name)) for name in sorted(foreign))
    return {name: identity for name, identity in found if identity}
