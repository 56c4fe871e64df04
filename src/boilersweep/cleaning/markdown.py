"""What a cleaner keeps of a page as Markdown (CommonMark with GFM's tables and strikethrough).

Kept blocks decide what is written; headings, lists, tables, code, quotations, links, images,
emphasis and formulas come from the page's tree.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple
from urllib.parse import urljoin

from boilersweep.pages.block_tree import Element, Text, TreePage, TreeSegmenter

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_CODE = frozenset({"pre", "listing", "xmp", "plaintext"})
_EMPHASIS = {
    **dict.fromkeys(("em", "i"), "*"),
    **dict.fromkeys(("strong", "b"), "**"),
    **dict.fromkeys(("del", "s", "strike"), "~~"),
}
_INLINE_CODE = frozenset({"code", "kbd", "samp", "tt"})

_MOST_NESTED = 12  # lists and quotations; each one indents all lines in it
_MOST_SPANNED = 50  # columns or rows of a cell
_MOST_CELLS = 100_000  # of a table whose short rows are filled up

_SPECIAL = re.compile(
    r"[`*]|\\(?=[^\w\s]|_|$)|<(?=[A-Za-z/!?])|\](?=[(:])|~(?=~)|(?<=~)~"
    r"|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w{1,40};)"
)
_SPECIAL_IN_LINK = re.compile(rf"{_SPECIAL.pattern}|[\[\]]")
_LINE_START = re.compile(
    r"(?:#{1,6}|[-+=]+|\d{1,9}[.)])(?=\s|$)|>|[-:|](?=[-:| ]*$)|\[(?=[ xX]\](?:\s|$))"
)
_NO_ADDRESS = re.compile(r"#|javascript:|data:|$", re.IGNORECASE)
_WIDE = re.compile(r"\n\n|^(?:```|>|\| |\$\$)")  # no paragraph of a tight list
_UNSAFE = re.compile(r"[\s()<>\\]")
_LANGUAGE = re.compile(r"(?:^|\s)(?:lang|language|highlight-source|brush)[-:]\s?([\w+#-]+)")


def markdown(
    utf8: bytes,
    kept: Sequence[bool],
    *,
    url: str | None = None,
    images: bool = False,
    segmenter: TreeSegmenter | None = None,
) -> str:
    """The kept blocks of a page, given as UTF-8, as Markdown; "" for none.

    kept: (b,) True for the page's blocks that are written. url: the page's own address, with which
    relative ones are completed. images: write those in kept blocks and between them, too.
    segmenter: None for the usual one; it must cut the same blocks.
    """
    if not any(kept):
        return ""
    page: TreePage = (segmenter or TreeSegmenter()).html(utf8)
    return "\n\n".join(_Writer(kept, url, images).parts(page.root))


class _Token(NamedTuple):
    """A piece of a line.

    kind: "text", "code", "raw" and "image" (written as they are), "space", "break" (a new line), or
    "open" and "close" of `mark`, which is that of an emphasis, or "[" of a link.
    block, worded: of a text.
    """

    kind: str
    text: str = ""
    mark: str = ""
    block: int = 0
    worded: bool = True


_TEXTS = ("text", "code", "raw")
_HARD_BREAK = "  \n"
_SPACE = _Token("space")
_BREAK = _Token("break")


@dataclass(slots=True)
class _List:
    """A list that was written. mark: of its items. tight: it may follow a paragraph directly."""

    ordered: bool
    mark: str
    lines: str
    tight: bool


_Part = str | _List


@dataclass(slots=True)
class _Writer:
    kept: Sequence[bool]
    url: str | None
    images: bool
    nested: int = 0
    links: list[str] = field(default_factory=list)  # addresses of the links around the parts

    def parts(self, element: Element) -> list[str]:
        """What is kept of an element as paragraphs, lists, tables and so on."""
        return [part.lines if isinstance(part, _List) else part for part in self._parts(element)]

    def _parts(self, element: Element, before: _List | None = None) -> list[_Part]:
        """As `parts`, with the lists as such. before: the list directly before the element."""
        parts: list[_Part] = []
        running: list[Element | Text] = []
        items: list[Element] = []  # of no list

        def end_paragraph() -> None:
            if running and (line := self._paragraph(running)):
                parts.append(line)
            running.clear()

        def last_list() -> _List | None:
            last = parts[-1] if parts else before
            return last if isinstance(last, _List) else None

        def end_items() -> None:
            if items:
                parts.extend(self._element(Element("ul", {}, False, 0, [*items]), last_list()))
            items.clear()

        for child in element.children:
            if isinstance(child, Text) or child.runs_on:
                if items and not (isinstance(child, Text) and child.text.isspace()):
                    end_items()
                running.append(child)
                continue
            end_paragraph()
            if child.name == "li" and self.nested < _MOST_NESTED:
                items.append(child)
            else:
                end_items()
                parts += self._element(child, last_list())
        end_items()
        end_paragraph()
        return parts

    def _element(self, element: Element, before: _List | None) -> list[_Part]:
        """An element that does not run on in a line. before: the list directly before it."""
        name = element.name
        if name in _HEADINGS:
            line = self._line(element.children, " ")
            line = re.sub(r"(#+)$", r"\\\1", line)
            return [f"{'#' * _HEADINGS[name]} {line}"] if line else []
        if name in _CODE:
            return self._code(element)
        if name == "table" and self._is_data(element):
            return self._table(element)
        if self.nested < _MOST_NESTED and (name in _LISTS or name == "blockquote"):
            self.nested += 1
            found = self._quote(element) if name == "blockquote" else self._list(element, before)
            self.nested -= 1
            return found
        if name == "a" and not self.links and (address := self._address(element, "href")):
            self.links.append(address)
            inner = self._parts(element, before)
            self.links.pop()
            return inner
        return self._parts(element, before)

    def _quote(self, element: Element) -> list[_Part]:
        text = "\n\n".join(self.parts(element))
        return ["\n".join(f"> {line}".rstrip() for line in text.split("\n"))] if text else []

    def _list(self, element: Element, before: _List | None) -> list[_Part]:
        """A list. What is in it beside its items belongs to the item before."""
        ordered = element.name == "ol"
        marks = ".)" if ordered else "-*"
        follows = before is not None and before.ordered == ordered and before.mark == marks[0]
        mark = marks[follows]
        start = element.attributes.get("start", "")
        number = int(start) if ordered and re.fullmatch("[0-9]{1,8}", start) else 1
        items: list[tuple[str, list[_Part]]] = []
        for child in _items(element):
            if child.name == "li":
                if parts := self._parts(child):
                    items.append((f"{number}{mark} " if ordered else f"{mark} ", parts))
                number += 1
            elif parts := self._parts(Element("", {}, False, children=[child])):
                if items:
                    items[-1][1].extend(parts)
                else:
                    items.append((f"{number}{mark} " if ordered else f"{mark} ", parts))
        if not items:
            return []
        tight = all(_is_tight(parts) for _, parts in items)
        lines = (
            label + _indented(_joined(parts, "\n" if tight else "\n\n"), len(label))
            for label, parts in items
        )
        interrupts = tight and (not ordered or items[0][0] == f"1{mark} ")
        return [_List(ordered, mark, ("\n" if tight else "\n\n").join(lines), interrupts)]

    def _code(self, element: Element) -> list[_Part]:
        """Code with its lines; of these are kept that hold a kept text, and those between."""
        lines: list[tuple[str, bool]] = [("", False)]
        for text, kept in self._code_texts(element):
            first, *others = text.split("\n")
            lines[-1] = (lines[-1][0] + first, lines[-1][1] or (kept and bool(first.strip())))
            lines += ((other, kept and bool(other.strip())) for other in others)
        places = [place for place, (_, kept) in enumerate(lines) if kept]
        if not places:
            return []
        between = lines[places[0] : places[-1] + 1]
        wordless = re.compile(r"[\W_]*")
        text = "\n".join(line for line, kept in between if kept or wordless.fullmatch(line))
        # A mark without a word before the first kept line or after the last one closes the code.
        before = [line for line, _ in lines[: places[0]] if line.strip()]
        after = [line for line, _ in lines[places[-1] + 1 :] if line.strip()]
        if before and all(wordless.fullmatch(line) for line in before):
            text = "\n".join([*before, text])
        if after and all(wordless.fullmatch(line) for line in after):
            text = "\n".join([text, *after])
        marks = " ".join(
            one.attributes.get("class", "") for one in (element, *element.find("code"))
        )
        language = found[1] if (found := _LANGUAGE.search(marks)) else ""
        fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
        return [f"{fence}{language}\n{text}\n{fence}"]

    def _code_texts(self, element: Element) -> Iterator[tuple[str, bool]]:
        for child in element.children:
            if isinstance(child, Text):
                text = re.sub("\r\n?", "\n", child.text)
                yield text, child.worded and self.kept[child.block]
            elif child.name == "br":
                yield "\n", False
            else:
                yield from self._code_texts(child)

    def _is_data(self, table: Element) -> bool:
        """A table that holds no other and has a header, a caption, or two rows of two cells."""
        if any(table.find("table")) or table.attributes.get("role") in ("presentation", "none"):
            return False
        rows_and_captions = table.find("caption", "tr")
        parts = chain.from_iterable(
            [part] if part.name == "caption" else part.find("td", "th")
            for part in rows_and_captions
        )
        within = sum(text.worded for part in parts for text in part.texts())
        if within < sum(text.worded for text in table.texts()):
            return False
        if any(table.find("th", "caption")):
            return True
        return sum(len(list(row.find("td"))) >= 2 for row in table.find("tr")) >= 2

    def _table(self, table: Element) -> list[_Part]:
        parts: list[_Part] = []
        rows: list[list[str]] = []
        below: dict[int, tuple[int, int]] = {}  # column -> rows that a cell spans yet, its columns
        for child in table.find("caption", "tr"):
            if child.name == "caption":
                parts += self._parts(child)
                continue
            row: list[str] = []
            for cell in child.find("td", "th"):
                self._pass_spanned(row, below)
                columns, deep = _span(cell, "colspan"), _span(cell, "rowspan")
                if deep > 1:
                    below[len(row)] = (deep, columns)
                row += [self._cell(cell), *[""] * (columns - 1)]
            self._pass_spanned(row, below)
            below = {at: (deep - 1, wide) for at, (deep, wide) in below.items() if deep > 1}
            if any(row):
                rows.append(row)
        if not rows:
            return parts
        width = max(at for row in rows for at, cell in enumerate(row, 1) if cell)
        whole = len(rows) * width <= _MOST_CELLS  # GFM takes shorter rows, but not as the first
        rows[0] += [""] * width
        rows = [(row + [""] * width if whole else row)[:width] for row in rows]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        lines.insert(1, "|" + " --- |" * width)
        return [*parts, "\n".join(lines)]

    @staticmethod
    def _pass_spanned(row: list[str], below: dict[int, tuple[int, int]]) -> None:
        """Leave a column empty that a cell of a row above spans."""
        while len(row) in below:
            row += [""] * below[len(row)][1]

    def _cell(self, cell: Element) -> str:
        """A cell in one line; its paragraphs have a line break of HTML between them."""
        lines: list[str] = []
        for part in self._flat(cell):
            lines += (re.sub(r"\s+", " ", line).strip() for line in part.split("\n"))
        return "<br>".join(filter(None, lines)).replace("|", r"\|")

    def _flat(self, element: Element) -> Iterator[str]:
        """The lines of all that is kept of an element, without its blocks' markup."""
        running: list[Element | Text] = []
        children: list[Element | Text | None] = [*element.children, None]
        for child in children:
            if isinstance(child, Text) or (child is not None and child.runs_on):
                running.append(child)
                continue
            if running:
                yield self._line(running, "\n", stands_alone=element.name in ("td", "th"))
                running = []
            if isinstance(child, Element) and child.name in _CODE:
                for part in self._code(child):
                    yield from map(_code_span, _joined([part], "").split("\n")[1:-1])
            elif isinstance(child, Element):
                yield from self._flat(child)

    def _paragraph(self, running: Sequence[Element | Text]) -> str:
        lines = self._line(running, _HARD_BREAK).split("\n")
        return "\n".join(
            _LINE_START.sub(_escaped_start, line, count=1) if _LINE_START.match(line) else line
            for line in lines
        )

    def _line(
        self, running: Iterable[Element | Text], line_break: str, *, stands_alone: bool = False
    ) -> str:
        """What is kept of texts and elements that run on. line_break: what br becomes.

        stands_alone: a mark without a word may be all there is, as in the cell of a table.
        """
        tokens = list(self._tokens(running))
        here = {token.block for token in tokens if token.kind in _TEXTS and token.worded}

        def stays(token: _Token) -> bool:
            if token.kind not in _TEXTS:
                return True
            if token.worded:
                return self.kept[token.block]
            beside = [b for b in (token.block - 1, token.block) if 0 <= b < len(self.kept)]
            if here:  # a mark without a word stays beside a text that stays
                return any(self.kept[block] for block in beside if block in here)
            return stands_alone and all(self.kept[block] for block in beside)

        tokens = [token if stays(token) else _SPACE for token in tokens]
        for address in self.links:
            tokens = [_Token("open", address, "["), *tokens, _Token("close", address, "[")]
        return _assembled(_folded(tokens), line_break)

    def _tokens(self, running: Iterable[Element | Text]) -> Iterator[_Token]:
        for child in running:
            if isinstance(child, Text):
                if child.text.isspace():
                    yield _SPACE
                else:
                    yield _Token("text", child.text, block=child.block, worded=child.worded)
            elif child.name == "br":
                yield _BREAK
            elif child.name == "img":
                yield from self._image(child)
            elif child.name == "math" and (formula := _tex(child)):
                yield self._raw(child, formula)
            elif "katex-html" in child.attributes.get("class", "").split():
                continue  # shows the formula that comes before it once more
            elif child.name in _INLINE_CODE:
                code = " ".join("".join(text.text for text in child.texts()).split())
                yield self._raw(child, code)._replace(kind="code") if code else _SPACE
            elif child.name == "a" and (address := self._address(child, "href")):
                yield _Token("open", address, "[")
                yield from self._tokens(child.children)
                yield _Token("close", address, "[")
            elif mark := _EMPHASIS.get(child.name):
                yield _Token("open", mark=mark)
                yield from self._tokens(child.children)
                yield _Token("close", mark=mark)
            elif child.runs_on:
                yield from self._tokens(child.children)
            else:
                yield _SPACE
                yield from self._tokens(child.children)
                yield _SPACE

    def _raw(self, element: Element, markdown: str) -> _Token:
        """An element that is written as it is if one of its texts is kept."""
        texts = list(element.texts())
        worded = [text.block for text in texts if text.worded]
        kept = (block for block in worded if self.kept[block])
        first = next(kept, worded[0] if worded else texts[0].block if texts else element.before)
        return _Token("raw", markdown, block=first, worded=bool(worded))

    def _image(self, element: Element) -> Iterator[_Token]:
        """An image in a kept block or between two."""
        first = element.before if element.in_block else max(element.before - 1, 0)
        around = self.kept[first : element.before + 1]
        if self.images and all(around):
            address = self._address(element, "src") or self._address(element, "data-src")
            if address:
                alternative = _escaped_in_link(" ".join(element.attributes.get("alt", "").split()))
                yield _Token("image", f"![{alternative}]({address})")

    def _address(self, element: Element, attribute: str) -> str:
        address = element.attributes.get(attribute, "").strip()
        if _NO_ADDRESS.match(address):
            return ""
        if self.url:
            try:
                address = urljoin(self.url, address)
            except ValueError:  # an address that no one can open
                return ""
        return _UNSAFE.sub(_percent_encoded, address)


def _items(element: Element) -> Iterator[Element]:
    """A list's items, those in a div of it, too, and what else is in it."""
    for child in element.children:
        if isinstance(child, Text):
            yield Element("", {}, children=[child])
        elif child.name not in (*_LISTS, "li") and _has_items(child):
            yield from _items(child)
        else:
            yield child


def _has_items(element: Element) -> bool:
    return any(isinstance(child, Element) and child.name == "li" for child in element.children)


def _is_tight(parts: Sequence[_Part]) -> bool:
    """Whether an item of a list is one paragraph, one list, or one list after one paragraph."""
    kinds = "".join("p" if isinstance(part, str) else "l" for part in parts)
    return kinds in ("p", "l", "pl") and all(
        part.tight if isinstance(part, _List) else not _WIDE.search(part) for part in parts
    )


def _joined(parts: Sequence[_Part], between: str) -> str:
    return between.join(part.lines if isinstance(part, _List) else part for part in parts)


def _indented(text: str, width: int) -> str:
    """A text whose lines after the first are indented."""
    return re.sub(r"\n(?=[^\n])", "\n" + " " * width, text)


def _span(cell: Element, attribute: str) -> int:
    value = cell.attributes.get(attribute, "")
    return min(max(int(value), 1), _MOST_SPANNED) if re.fullmatch("[0-9]{1,8}", value) else 1


def _tex(math: Element) -> str:
    """A MathML formula as TeX between dollars; "" where it states none."""
    tex = math.attributes.get("alttext", "")
    for note in math.find("annotation"):
        if "tex" in note.attributes.get("encoding", "").lower():
            tex = tex or "".join(text.text for text in note.texts())
    tex = " ".join(tex.split())
    if found := re.fullmatch(r"\{\\displaystyle (.*)\}", tex):
        tex = found[1].strip()
    fence = "$$" if math.attributes.get("display") == "block" else "$"
    return f"{fence}{tex.replace('<', chr(92) + 'lt ')}{fence}" if tex else ""


def _code_span(code: str) -> str:
    fence = "`" * (max(map(len, re.findall("`+", code)), default=0) + 1)
    pad = " " if code[:1] == "`" or code[-1:] == "`" else ""
    return f"{fence}{pad}{code}{pad}{fence}" if code.strip() else ""


def _percent_encoded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _escaped_in_link(text: str) -> str:
    return _SPECIAL_IN_LINK.sub(r"\\\g<0>", text)


def _escaped_start(found: re.Match[str]) -> str:
    number = re.fullmatch(r"(\d+)([.)])", found[0])
    return f"{number[1]}\\{number[2]}" if number else f"\\{found[0]}"


def _folded(tokens: Iterable[_Token]) -> list[_Token]:
    """Texts word by word with single spaces; those at the borders of a mark are outside of it.

    A mark around nothing is left out, and so is one within a mark of its kind.
    """
    folded: list[_Token] = []
    gap: list[_Token] = []  # a space, or breaks, before what comes
    opens: list[_Token] = []  # marks that nothing has followed yet
    around: list[str] = []  # marks that are open
    ignored: list[bool] = []  # of every open mark, whether it is left out

    def add(token: _Token) -> None:
        if folded:
            folded.extend(gap)
        folded.extend(opens)
        folded.append(token)
        gap.clear()
        opens.clear()

    for token in tokens:
        if token.kind == "space":
            gap[:] = gap or [_SPACE]
        elif token.kind == "break":
            gap[:] = [*(one for one in gap if one is _BREAK), _BREAK][:2]
        elif token.kind == "open":
            ignored.append(token.mark in around)
            if not ignored[-1]:
                around.append(token.mark)
                opens.append(token)
        elif token.kind == "close":
            if not ignored.pop():
                around.remove(token.mark)
                if opens:
                    opens.pop()
                else:
                    folded.append(token)
        elif token.kind != "text":
            add(token)
        else:
            if token.text[0].isspace():
                gap[:] = gap or [_SPACE]
            add(token._replace(text=" ".join(token.text.split())))
            if token.text[-1].isspace():
                gap[:] = [_SPACE]
    return folded


def _assembled(tokens: Sequence[_Token], line_break: str) -> str:
    """The tokens of a line as Markdown, without an emphasis that it could not express."""
    dropped: set[int] = set()
    closes: dict[int, int] = {}
    stack: list[int] = []
    for place, token in enumerate(tokens):
        if token.kind == "open":
            stack.append(place)
        elif token.kind == "close":
            closes[stack.pop()] = place
    for start, end in sorted(closes.items()):
        if tokens[start].mark != "[" and not (
            _is_border(tokens, dropped, range(start - 1, -1, -1), -1, "open")
            and _is_border(tokens, dropped, range(end + 1, len(tokens)), 0, "close")
        ):
            dropped |= {start, end}
    line: list[str] = []
    run: list[str] = []  # texts, or pieces of code, that follow each other
    write: Callable[[str], str] = _escaped
    nested = links = 0
    for place, token in enumerate(tokens):
        if place in dropped:
            continue
        this = _escaped_in_link if links and token.kind == "text" else _WRITE.get(token.kind)
        if run and write is not this:
            line.append(write("".join(run)))
            run.clear()
        if this:
            run.append(token.text)
            write = this
            continue
        links += _LINK_DEPTH.get((token.kind, token.mark), 0)
        nested += (token.kind == "open") - (token.kind == "close")
        if token.kind == "break":
            if place and tokens[place - 1].kind == "break":  # people see two paragraphs
                line[-1] = "\n\n" if line_break == _HARD_BREAK and not nested else line_break
            else:
                line.append(line_break)
        elif token.kind == "space":
            line.append(" ")
        elif token.kind in ("raw", "image"):
            line.append(token.text)
        elif token.mark != "[":
            line.append(token.mark)
        elif token.kind == "close":
            line.append(f"]({token.text})")
        else:
            if line and line[-1].endswith("!"):
                line[-1] = line[-1][:-1] + r"\!"
            line.append("[")
    return "".join(line) + write("".join(run))


_WRITE = {"text": _escaped, "code": _code_span}
_LINK_DEPTH = {("open", "["): 1, ("close", "["): -1}


def _is_border(
    tokens: Sequence[_Token], dropped: set[int], places: Iterable[int], end: int, transparent: str
) -> bool:
    """Whether an emphasis may begin or end beside these places: at a space or a punctuation mark.

    end: of the tokens, that is nearest. transparent: marks of this kind nest, and those of the
    other kind would run together with the emphasis.
    """
    for place in places:
        token = tokens[place]
        if place in dropped:
            continue
        if token.mark and token.mark != "[":
            if token.kind == transparent:
                continue
            if end == 0:
                continue
            return False
        if token.kind == "text":
            return unicodedata.category(token.text[end]).startswith("P")
        return True
    return True
