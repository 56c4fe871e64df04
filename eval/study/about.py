"""What cleaners are, in their own words, and what their models were trained on.

A study notes this while it has the cleaners: a model may be another one, or gone, when its report
is drawn again.
"""

from collections.abc import Iterable
from typing import Any, cast

from boilersweep.cleaners.rules import Rule, parts
from boilersweep.cleaners.selection import Cleaner, PageText

_OF_A_MODEL = ("trained_on", "pages", "licence")


def about_cleaners(cleaners: Iterable[Cleaner]) -> dict[str, list[dict[str, Any]]]:
    """Map a cleaner's text to facts about it and its rules, as JSON.

    Of each rule its name and summary, and where it has a model `model`: what that was trained on,
    the pages, their licence, and word_f1, its mean word F1 on sites it had not seen.
    """
    return {str(cleaner): known for cleaner in cleaners if (known := list(_about(cleaner)))}


def _about(cleaner: Cleaner) -> Iterable[dict[str, Any]]:
    if isinstance(cleaner, PageText):
        yield {"name": cleaner.name, "summary": "a text of each page beside its blocks"}
        return
    seen = set()
    for rule in parts(cast("Rule", cleaner)):  # what counts texts is made of rules, too
        summary = getattr(rule, "summary", None)
        if not isinstance(summary, str) or str(rule) in seen:
            continue
        seen.add(str(rule))
        model = _model(getattr(rule, "provenance", None))
        yield {"name": str(rule), "summary": summary} | ({"model": model} if model else {})


def _model(provenance: Any) -> dict[str, Any]:
    if not provenance:
        return {}
    found = {key: provenance[key] for key in _OF_A_MODEL if key in provenance}
    unseen = provenance.get("cross_validation", {}).get("word_f1")
    return found | ({} if unseen is None else {"word_f1": unseen})
