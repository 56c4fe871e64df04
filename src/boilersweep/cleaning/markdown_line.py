"""A line of Markdown: texts, code, emphasis, links and images, escaped for any renderer.

The result is inert in renderers that pass HTML through, that decode entities in addresses, and that
know fewer backslash escapes than CommonMark (Python-Markdown has none of `<` and `&`).
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import unescape
from itertools import groupby
from typing import Literal, NamedTuple
from urllib.parse import quote, urljoin

from boilersweep.pages.limits import Deadline
from boilersweep.pages.segmenter import unbroken

# A line break within a paragraph.
HARD_BREAK = "  \n"

# The schemes that addresses of links and images may have; relative addresses have none.
SCHEMES = frozenset(
    "http https ftp ftps sftp gopher mailto tel sms geo news nntp irc ircs xmpp mms rtsp".split()
)

# What stands for an image, code or a formula between letters.
_NO_LETTER = "\ufffc"

# The mark of a link's tokens.
LINK = "["

_SPECIAL = re.compile(
    r"[`*]|\\(?=[^\w\s]|_|$)|\](?=[(:])|~(?=~)|(?<=~)~|(?<![^\W_])_|_(?![^\W_])"
)
_SPECIAL_IN_LINK = re.compile(rf"{_SPECIAL.pattern}|[\[\]]")
_TAG = re.compile(r"<(?=[A-Za-z/!?]|$)")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_LINE_START = re.compile(
    r"^(?:(?:#{1,6}|[-+=]+|\d{1,9}[.)])(?=\s|$)|>|[-:|](?=[-:| ]*$)|\[(?=[ xX]\](?:\s|$)))"
)
_CONTROLS = "".join(map(chr, range(0x21)))
_BREAKS = re.compile(r"[\t\r\n]")
_SCHEME = re.compile(r"([^/?#:]*):")
# Rounds of decoding entities in an address; renderers and browsers have up to three
_DECODINGS = 5
_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f()<>\\`\"]")

Kind = Literal["text", "code", "raw", "image", "space", "break", "open", "close"]


class Token(NamedTuple):
    """A piece of a line.

    Attributes:
        kind: `raw` and `image` are written as they are; `break` is a new line; `open` and `close`
            are the ends of an emphasis or a link.
        text: The characters, of a space those of the page; for the ends of a link its address.
        mark: For `open` and `close` the emphasis as Markdown writes it, or `LINK`.
        block: The block that a text belongs to.
        worded: Whether the text belongs to a block at all.
    """

    kind: Kind
    text: str = ""
    mark: str = ""
    block: int = 0
    worded: bool = True

    @property
    def is_content(self) -> bool:
        """Whether the token is kept or dropped with its block."""
        return self.kind in ("text", "code", "raw")


SPACE = Token("space", " ")
BREAK = Token("break")


def line_of(tokens: Iterable[Token], line_break: str, deadline: Deadline) -> str:
    """Write tokens as a line of Markdown.

    Args:
        tokens: The pieces; every `open` has its `close`.
        line_break: What a `break` becomes.
        deadline: When the line must be written.

    Raises:
        PageError: The deadline has passed.
    """
    folding = _Folding()
    for token in tokens:
        deadline.check()
        folding.take(token)
    return _assembled(folding.folded, line_break, deadline)


def without_gaps(tokens: Sequence[Token]) -> list[Token]:
    """Leave out spaces that are line breaks between Chinese or Japanese letters."""
    pieces = [_piece_of(token) for token in tokens]
    return [
        token if text == piece else token._replace(text=text)
        for token, piece, text in zip(tokens, pieces, unbroken(pieces), strict=True)
        if text or not piece
    ]


def _piece_of(token: Token) -> str:
    if token.kind in ("open", "close"):
        return ""
    return token.text if token.kind in ("text", "space") else _NO_LETTER


def with_escaped_start(line: str) -> str:
    """Escape the beginning of a paragraph's line that would make it a heading, item or quote."""
    return _LINE_START.sub(_escaped_start, line)


def code_span(code: str) -> str:
    """Write code within a line; "" for blanks alone."""
    fence = "`" * (max(map(len, re.findall("`+", code)), default=0) + 1)
    pad = " " if code[:1] == "`" or code[-1:] == "`" else ""
    return f"{fence}{pad}{code}{pad}{fence}" if code.strip() else ""


def escaped(text: str, *, in_link: bool = False) -> str:
    """Escape everything in a text that a renderer would not show as it is."""
    special = _SPECIAL_IN_LINK if in_link else _SPECIAL
    return _TAG.sub("&lt;", _without_entities(special.sub(r"\\\g<0>", text)))


def formula(tex: str, *, display: bool) -> str:
    """Write TeX between dollars, with nothing that a renderer without formulas takes for markup."""
    tex = tex.replace("<", r"\lt ").replace("`", r"\lq ").replace("](", "] (")
    tex = re.sub(r"(?<!\\)((?:\\\\)*)\$", r"\1\\$", tex)
    fence = "$$" if display else "$"
    return f"{fence}{_without_entities(tex)}{fence}"


def address_of(address: str, base: str | None) -> str:
    """Write the address of a link or an image.

    Args:
        address: The attribute's value.
        base: The page's own address, which completes a relative one.

    Returns:
        The address, percent-encoded; "" for a place in the page itself and for a scheme that is
        not one of `SCHEMES`, also if it shows only after entities are decoded.
    """
    address = _BREAKS.sub("", address).strip(_CONTROLS)
    decoded = address
    for _ in range(_DECODINGS):
        decoded = unescape(decoded)
    scheme = _SCHEME.match(decoded)
    if (
        not address
        or address.startswith("#")
        or (scheme and scheme[1].lower() not in SCHEMES)
    ):
        return ""
    if base:
        try:
            address = urljoin(base, address)
        except ValueError:  # an address that nobody can open
            return ""
    return _without_entities(
        _UNSAFE.sub(lambda unsafe: quote(unsafe[0], safe=""), address)
    )


def _without_entities(text: str) -> str:
    return _ENTITY.sub("&amp;", text)


def _escaped_start(start: re.Match[str]) -> str:
    number = re.fullmatch(r"(\d+)([.)])", start[0])
    return f"{number[1]}\\{number[2]}" if number else f"\\{start[0]}"


class _Folding:
    """Folds white space, and moves spaces at the borders of a mark out of it.

    A mark around nothing is left out, and so is a mark within one of its kind.
    """

    def __init__(self) -> None:
        self.folded: list[Token] = []
        self._gap: list[Token] = []  # a space, or breaks, before the next content
        self._opens: list[Token] = []  # marks without content so far
        self._marks: list[str | None] = []  # open marks; None for one that is left out

    def take(self, token: Token) -> None:
        if token.kind == "space":
            self._gap = self._gap or [SPACE]
        elif token.kind == "break":
            self._gap = [*(gap for gap in self._gap if gap is BREAK), BREAK][:2]
        elif token.kind == "open":
            self._open(token)
        elif token.kind == "close":
            self._close(token)
        elif token.kind == "text":
            self._text(token)
        else:
            self._add(token)

    def _open(self, token: Token) -> None:
        is_new = token.mark not in self._marks
        self._marks.append(token.mark if is_new else None)
        if is_new:
            self._opens.append(token)

    def _close(self, token: Token) -> None:
        if self._marks.pop() is None:
            return
        if self._opens:
            self._opens.pop()
        else:
            self.folded.append(token)

    def _text(self, token: Token) -> None:
        if token.text[0].isspace():
            self.take(SPACE)
        self._add(token._replace(text=" ".join(token.text.split())))
        if token.text[-1].isspace():
            self.take(SPACE)

    def _add(self, token: Token) -> None:
        if self.folded:
            self.folded += self._gap
        self.folded += [*self._opens, token]
        self._gap = []
        self._opens = []


def _assembled(tokens: Sequence[Token], line_break: str, deadline: Deadline) -> str:
    dropped = _inexpressible(tokens, deadline)
    line: list[str] = []
    nested = links = 0
    kept = (token for index, token in enumerate(tokens) if index not in dropped)
    for kind, grouped in groupby(kept, lambda token: token.kind):
        deadline.check()
        group = list(grouped)
        text = "".join(token.text for token in group)
        if kind == "text":
            line.append(escaped(text, in_link=links > 0))
        elif kind == "code":
            line.append(code_span(text))
        elif kind in ("raw", "image"):
            line.append(text)
        elif kind == "space" or (kind == "break" and links):
            line.append(" ")
        elif kind == "break":  # people see two breaks as two paragraphs
            is_paragraph = len(group) > 1 and line_break == HARD_BREAK and not nested
            line.append("\n\n" if is_paragraph else line_break)
        else:
            step = 1 if kind == "open" else -1
            nested += step * len(group)
            links += step * sum(token.mark == LINK for token in group)
            for token in group:
                _write_mark(line, token)
    return "".join(line)


def _write_mark(line: list[str], token: Token) -> None:
    if token.mark != LINK:
        line.append(token.mark)
    elif token.kind == "close":
        line.append(f"]({token.text})")
    else:
        if line and line[-1].endswith("!"):
            line[-1] = line[-1][:-1] + r"\!"
        line.append("[")


def _inexpressible(tokens: Sequence[Token], deadline: Deadline) -> set[int]:
    """Return the places of the marks of emphasis that Markdown cannot express, as within a word."""
    closes: dict[int, int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind == "open":
            stack.append(index)
        elif token.kind == "close":
            closes[stack.pop()] = index
    dropped: set[int] = set()
    for start, end in sorted(closes.items()):
        deadline.check()
        if tokens[start].mark != LINK and not (
            _is_border(tokens, dropped, range(start - 1, -1, -1), "open")
            and _is_border(tokens, dropped, range(end + 1, len(tokens)), "close")
        ):
            dropped |= {start, end}
    return dropped


def _is_border(
    tokens: Sequence[Token], dropped: set[int], places: Iterable[int], end: Kind
) -> bool:
    """Return whether an emphasis may begin or end beside these places.

    It may beside a space or a punctuation mark. A mark that ends there would run together with one
    that begins.

    Args:
        tokens: All of the line.
        dropped: Places of marks that are not written.
        places: The places beside the mark, the nearest first.
        end: Which end of the emphasis it is.
    """
    for place in places:
        token = tokens[place]
        if place in dropped:
            continue
        if token.mark and token.mark != LINK:
            if end == "close" or token.kind == "open":
                continue
            return False
        if token.kind == "text":
            nearest = token.text[0 if end == "close" else -1]
            return unicodedata.category(nearest).startswith("P")
        return True
    return True
