"""Settings of other tools that correspond to cleaners: what to set there after a choice here."""

from boilersweep.cleaners.rules import Comparison
from boilersweep.cleaners.selection import Cleaner, PageText

# An extractor's text -> the call of its library that gives it.
_CALLS = {
    "trafilatura": "trafilatura.extract(html)",
    "trafilatura-fast": "trafilatura.extract(html, fast=True)",
    "resiliparse": "extract_plain_text(html, main_content=True) of resiliparse",
    "readability": "readability.Document(html).summary()",
}


def elsewhere(cleaner: Cleaner) -> list[str]:
    """Return a sentence on the setting of another tool that comes closest; none if none is known.

    Tools cut pages differently: the same number keeps similar text, not the same.
    """
    match cleaner:
        case Comparison("words", ">=", value) if value == int(value):
            setting = f"crawl4ai's word_count_threshold={int(value)}"
        case PageText(name) if name in _CALLS:
            setting = _CALLS[name]
        case _:
            return []
    return [f"{cleaner} elsewhere: {setting}"]
