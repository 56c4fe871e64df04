"""A page's HTML as text and tags, character by character, without parsing it."""

import html
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boilersweep.pages.columns import BoolArray, IntArray
from boilersweep.pages.elements import PARAGRAPH

_TAG = re.compile(r"<(?:/?([a-zA-Z][a-zA-Z0-9]*)|[/!?])[^<>]*>")
_OPENS = re.compile(r"<!--|<(script|style)(?=[\s/>])", re.IGNORECASE)
_CLOSES = {
    "": re.compile(r"-->"),
    "script": re.compile(r"</script[^<>]*>", re.IGNORECASE),
    "style": re.compile(r"</style[^<>]*>", re.IGNORECASE),
}
_SPACE = ord(" ")


@dataclass(frozen=True, slots=True, eq=False)
class Markup:
    """A page of c characters with t tags.

    Attributes:
        codes: (c,) code points.
        in_tag: (c,) True from a tag's < to its >.
        starts, ends: (t,) a tag's characters are starts[i] to ends[i].
        inline: (t,) True for a tag that ends no word.
    """

    codes: NDArray[np.uint32]
    in_tag: BoolArray
    starts: IntArray
    ends: IntArray
    inline: BoolArray

    def text(self, keep: BoolArray) -> str:
        """Return the text of some characters, entities decoded, white space folded.

        Args:
            keep: (c,) True for those; what is True of tags does not matter.
        """
        borders = np.zeros(len(self.codes), dtype=bool)
        borders[self.starts[~self.inline]] = True
        shown = keep & ~self.in_tag
        codes = np.where(shown, self.codes, _SPACE)[~self.in_tag | borders]
        text = codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        return " ".join(html.unescape(text).split())


def markup_of(page: str) -> Markup:
    """Find the tags of a page: from < and a letter, /, ! or ? to the next > without < between."""
    tags = list(_TAG.finditer(page))
    starts = np.array([tag.start() for tag in tags], dtype=np.int64)
    ends = np.array([tag.end() for tag in tags], dtype=np.int64)
    return Markup(
        codes=np.frombuffer(page.encode("utf-32-le", "surrogatepass"), dtype="<u4"),
        in_tag=covered(starts, ends, len(page)),
        starts=starts,
        ends=ends,
        inline=np.array(
            [(tag[1] or "").lower() in PARAGRAPH for tag in tags], dtype=bool
        ),
    )


def text_of(page: str) -> str:
    """Return the whole text of a page, or of a piece of one, as `Markup.text` has it."""
    markup = markup_of(page)
    return markup.text(np.ones(len(markup.codes), dtype=bool))


def covered(starts: IntArray, ends: IntArray, length: int) -> BoolArray:
    """(length,) True for what lies in one of the stretches, which do not overlap."""
    changes = np.zeros(length + 1, dtype=np.int8)
    changes[starts] += 1
    changes[ends] -= 1  # where the next one starts at once, this makes 0
    return np.cumsum(changes[:-1], dtype=np.int8) > 0


def without_code(page: str) -> str:
    """Remove comments, scripts and styles; one without an end takes all the rest."""
    pieces: list[str] = []
    at = 0
    while opening := _OPENS.search(page, at):
        pieces.append(page[at : opening.start()])
        closing = _CLOSES[(opening[1] or "").lower()].search(page, opening.end())
        if closing is None:
            return "".join(pieces)
        at = closing.end()
    return "".join([*pieces, page[at:]])
