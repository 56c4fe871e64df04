"""The kept blocks of a page as Markdown (CommonMark with GFM's tables and strikethrough).

Kept blocks decide what is written; headings, lists, tables, code, quotations, links, images,
emphasis and formulas come from the page's tree.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby

from boilersweep.cleaning.code_lines import CodeLines
from boilersweep.cleaning.markdown_line import (
    BREAK,
    HARD_BREAK,
    LINK,
    SPACE,
    Token,
    address_of,
    code_span,
    escaped,
    formula,
    line_of,
    with_escaped_start,
    without_gaps,
)
from boilersweep.cleaning.markdown_tree import (
    LISTS,
    is_lines_of_code,
    is_post,
    items_of,
    leaves_of,
    properties_of,
    tex_of,
)
from boilersweep.pages.block_tree import Element, Text, TreeSegmenter
from boilersweep.pages.elements import FORMULA
from boilersweep.pages.limits import NO_DEADLINE, Deadline
from boilersweep.pages.metadata_values import base_address
from boilersweep.pages.segmenter import unbroken

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CODE = frozenset({"pre", "listing", "xmp", "plaintext"})
_EMPHASIS = {
    **dict.fromkeys(("em", "i"), "*"),
    **dict.fromkeys(("strong", "b"), "**"),
    **dict.fromkeys(("del", "s", "strike"), "~~"),
}
_INLINE_CODE = frozenset({"code", "kbd", "samp", "tt"})

_MOST_NESTED = 12  # lists and quotations; each one indents all lines in it
_MOST_SPANNED = 50  # columns or rows of a cell
# The most cells of a table whose cells may span others, with short rows filled up
_MOST_CELLS = 100_000

_WIDE = re.compile(r"\n\n|^(?:```|>|\| |\$\$)")  # no paragraph of a tight list
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:lang|language|highlight-source|brush)[-:]\s?([\w+#-]+)"
)
_TAG_AT_START = re.compile(r"^ {0,3}<[A-Za-z/!?]", re.MULTILINE)  # in code alone
_PYTHON_MARKDOWN_INDENT = 4  # with less, it takes a tag in an item's code for HTML
_WORDLESS = re.compile(r"[\W_]*")
_CDATA = re.compile(r"%?\s*(?:<!\[CDATA\[|\]\]>)")  # around TeX, as in XHTML

# What tells of the writing of a post.
_BYLINE = {
    "author": "author",
    "date": "date",
    **dict.fromkeys(("datePublished", "dateCreated", "commentTime"), "date"),
}


def markdown(
    utf8: bytes,
    kept: Sequence[bool],
    *,
    url: str | None = None,
    images: bool = False,
    deadline: Deadline = NO_DEADLINE,
) -> str:
    """Write the kept blocks of a page as Markdown.

    Args:
        utf8: The page as UTF-8.
        kept: (b,) True for each of the page's blocks that is written.
        url: The page's own address, which completes relative addresses.
        images: Whether to write the images in and between kept blocks.
        deadline: When the work must have ended.

    Returns:
        The Markdown; "" if no block is kept.

    Raises:
        PageError: The deadline has passed.
    """
    if not any(kept):
        return ""
    root = TreeSegmenter(deadline).html(utf8).root
    stated = (base.attributes.get("href") for base in root.find("base"))
    url = base_address(url, stated)
    return _joined(_Writer(kept, url, images, deadline).parts(root), "\n\n")


@dataclass(slots=True)
class _List:
    """A list that was written.

    Attributes:
        ordered: Whether its items have numbers.
        mark: The character that marks its items.
        lines: The list as Markdown.
        tight: Whether it may follow a paragraph directly.
    """

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
    deadline: Deadline
    nested: int = 0
    # Addresses of the links around the parts
    links: list[str] = field(default_factory=list)

    def parts(self, element: Element, before: _List | None = None) -> list[_Part]:
        """Write the kept content of an element as paragraphs, lists, tables and so on.

        A post begins with who wrote it, and when.

        Args:
            element: The element.
            before: The list directly before the element.
        """
        parts = self._content(element, before)
        line = self._byline(element) if parts else ""
        return [line, *parts] if line else parts

    def _content(self, element: Element, before: _List | None) -> list[_Part]:
        parts: list[_Part] = []
        running: list[Element | Text] = []
        items: list[Element] = []  # items outside any list

        def end_paragraph() -> None:
            if running and (line := self._paragraph(running)):
                parts.append(line)
            running.clear()

        def last_list() -> _List | None:
            last = parts[-1] if parts else before
            return last if isinstance(last, _List) else None

        def end_items() -> None:
            if items:
                parts.extend(
                    self._element(Element("ul", {}, False, 0, [*items]), last_list())
                )
            items.clear()

        for child in element.children:
            self.deadline.check()
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

    def _byline(self, element: Element) -> str:
        """Write who wrote a post and when, if the page marks both and the kept text lacks it."""
        if not is_post(element):
            return ""
        byline: dict[str, str] = {}
        for marked in properties_of(element):
            self.deadline.check()
            name = (
                "date"
                if marked.name == "time"
                else marked.attributes.get("itemprop", "")
            )
            what = _BYLINE.get(name)
            if (
                what
                and what not in byline
                and (value := self._left_out(marked)) is not None
            ):
                byline[what] = value
        line = ", ".join(
            byline[what] for what in ("author", "date") if byline.get(what)
        )
        return f"*{escaped(line)}*" if line else ""

    def _left_out(self, marked: Element) -> str | None:
        """Return an author's name or a date; "" if the kept text has it, None if there is none."""
        names = (
            one
            for one in properties_of(marked)
            if one.attributes.get("itemprop") == "name"
        )
        texts = list(next(names, marked).texts())
        value = " ".join("".join(text.text for text in texts).split())
        if any(text.worded and self.kept[text.block] for text in texts):
            return ""
        return value or None

    def _element(self, element: Element, before: _List | None) -> list[_Part]:
        """Write an element that breaks lines; `before` is the list directly before it."""
        name = element.name
        if name in _HEADINGS:
            return self._heading(element)
        if name in _CODE or is_lines_of_code(element):
            return self._code(element)
        if name == "table" and self._is_data(element):
            return self._table(element)
        if self.nested < _MOST_NESTED and (name in LISTS or name == "blockquote"):
            self.nested += 1
            parts = (
                self._quote(element)
                if name == "blockquote"
                else self._list(element, before)
            )
            self.nested -= 1
            return parts
        if (
            name == "a"
            and not self.links
            and (address := self._address(element, "href"))
        ):
            self.links.append(address)
            parts = self.parts(element, before)
            self.links.pop()
            return parts
        return self.parts(element, before)

    def _heading(self, element: Element) -> list[_Part]:
        line = self._line(element.children, " ")
        text = line.rstrip("#")
        if text != line:  # number signs at the end would close the heading
            line = f"{text}\\{line[len(text) :]}"
        return [f"{'#' * _HEADINGS[element.name]} {line}"] if line else []

    def _quote(self, element: Element) -> list[_Part]:
        text = _joined(self.parts(element), "\n\n")
        return (
            ["\n".join(f"> {line}".rstrip() for line in text.split("\n"))]
            if text
            else []
        )

    def _list(self, element: Element, before: _List | None) -> list[_Part]:
        """Write a list; its content outside items belongs to the item before."""
        ordered = element.name == "ol"
        marks = ".)" if ordered else "-*"
        follows = (
            before is not None and before.ordered == ordered and before.mark == marks[0]
        )
        mark = marks[follows]
        start = element.attributes.get("start", "")
        number = int(start) if ordered and re.fullmatch("[0-9]{1,8}", start) else 1
        items: list[tuple[str, list[_Part]]] = []
        for child in items_of(element):
            is_item = child.name == "li"
            holder = child if is_item else Element("", {}, False, children=[child])
            parts = self.parts(holder)
            if parts and items and not is_item:
                items[-1][1].extend(parts)
            elif parts:
                items.append((f"{number}{mark} " if ordered else f"{mark} ", parts))
            number += is_item
        if not items:
            return []
        tight = all(_is_tight(parts) for _, parts in items)
        lines = (
            _labelled(label, _joined(parts, "\n" if tight else "\n\n"))
            for label, parts in items
        )
        interrupts = tight and (not ordered or items[0][0] == f"1{mark} ")
        return [
            _List(ordered, mark, ("\n" if tight else "\n\n").join(lines), interrupts)
        ]

    def _code(self, element: Element) -> list[_Part]:
        """Write code with its lines: those with a kept text, and those without a word around."""
        lines = CodeLines(element, self.kept, is_folded=element.name == "code").lines
        places = [index for index, (_, kept) in enumerate(lines) if kept]
        if not places:
            return []
        between = lines[places[0] : places[-1] + 1]
        # A mark without a word before the first kept line or after the last one closes the code.
        code = [
            *_wordless_lines(lines[: places[0]]),
            *(line for line, kept in between if kept or _WORDLESS.fullmatch(line)),
            *_wordless_lines(lines[places[-1] + 1 :]),
        ]
        text = "\n".join(code)
        named = (element, *element.find("code"))
        classes = " ".join(
            code_element.attributes.get("class", "") for code_element in named
        )
        language = _LANGUAGE.search(classes)
        fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
        return [f"{fence}{language[1] if language else ''}\n{text}\n{fence}"]

    def _is_data(self, table: Element) -> bool:
        """Return whether a table holds data.

        It contains no other table, and has a header, a caption, or two rows of two cells.
        """
        if any(table.find("table")) or table.attributes.get("role") in (
            "presentation",
            "none",
        ):
            return False
        parts = chain.from_iterable(
            [part] if part.name == "caption" else part.find("td", "th")
            for part in table.find("caption", "tr")
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
        cells = 0
        # Column -> rows that a cell still spans, columns
        below: dict[int, tuple[int, int]] = {}
        for child in table.find("caption", "tr"):
            if child.name == "caption":
                parts += self.parts(child)
                continue
            row: list[str] = []
            self.deadline.check()
            for cell in child.find("td", "th"):
                _skip_spanned(row, below)
                spans = cells < _MOST_CELLS
                columns, deep = (
                    (_span(cell, "colspan"), _span(cell, "rowspan"))
                    if spans
                    else (1, 1)
                )
                if deep > 1:
                    below[len(row)] = (deep, columns)
                row += [self._cell(cell), *[""] * (columns - 1)]
            _skip_spanned(row, below)
            below = {
                at: (deep - 1, wide) for at, (deep, wide) in below.items() if deep > 1
            }
            cells += len(row)
            if any(row):
                rows.append(row)
        if not rows:
            return parts
        width = max(at for row in rows for at, cell in enumerate(row, 1) if cell)
        # GFM takes shorter rows, but not as the first
        whole = len(rows) * width <= _MOST_CELLS
        rows[0] += [""] * width
        rows = [(row + [""] * width if whole else row)[:width] for row in rows]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        lines.insert(1, "|" + " --- |" * width)
        return [*parts, "\n".join(lines)]

    def _cell(self, cell: Element) -> str:
        """Write a cell in one line, with HTML's line break between its paragraphs."""
        lines: list[str] = []
        for part in self._flat(cell):
            lines += (re.sub(r"\s+", " ", line).strip() for line in part.split("\n"))
        return "<br>".join(filter(None, lines)).replace("|", r"\|")

    def _flat(self, element: Element) -> Iterator[str]:
        """Yield the lines of an element's kept content, without the markup of its blocks."""
        running: list[Element | Text] = []
        children: list[Element | Text | None] = [*element.children, None]
        for child in children:
            if isinstance(child, Text) or (child is not None and child.runs_on):
                running.append(child)
                continue
            if running:
                yield self._line(
                    running, "\n", stands_alone=element.name in ("td", "th")
                )
                running = []
            if isinstance(child, Element) and child.name in _CODE:
                for part in self._code(child):
                    yield from map(code_span, _joined([part], "").split("\n")[1:-1])
            elif isinstance(child, Element):
                yield from self._flat(child)

    def _paragraph(self, running: Sequence[Element | Text]) -> str:
        lines = self._line(running, HARD_BREAK).split("\n")
        return "\n".join(map(with_escaped_start, lines))

    def _line(
        self,
        running: Iterable[Element | Text],
        line_break: str,
        *,
        stands_alone: bool = False,
    ) -> str:
        """Write the kept content of texts and elements within a line.

        Args:
            running: The texts and elements.
            line_break: What br becomes.
            stands_alone: Whether a mark without a word may be the only content, as in a cell.
        """
        tokens = list(self._tokens(running))
        here = {token.block for token in tokens if token.is_content and token.worded}

        def stays(token: Token) -> bool:
            if not token.is_content:
                return True
            if token.worded:
                return self.kept[token.block]
            beside = [
                b for b in (token.block - 1, token.block) if 0 <= b < len(self.kept)
            ]
            if here:  # a mark without a word stays beside a text that stays
                return any(self.kept[block] for block in beside if block in here)
            return stands_alone and all(self.kept[block] for block in beside)

        tokens = without_gaps([token if stays(token) else SPACE for token in tokens])
        for address in self.links:
            tokens = [
                Token("open", address, LINK),
                *tokens,
                Token("close", address, LINK),
            ]
        return line_of(tokens, line_break, self.deadline)

    def _tokens(self, running: Iterable[Element | Text]) -> Iterator[Token]:
        for child in running:
            self.deadline.check()
            if isinstance(child, Text):
                text = Token("text", child.text, block=child.block, worded=child.worded)
                yield Token("space", child.text) if child.text.isspace() else text
            elif (whole := self._whole(child)) is not None:
                yield from whole
            else:
                opening, closing = self._ends(child)
                yield from opening
                yield from self._tokens(child.children)
                yield from closing

    def _whole(self, element: Element) -> list[Token] | None:
        """Return the tokens of an element that is written in one piece; None for other elements."""
        if element.name == "br":
            return [BREAK]
        if element.name == "img" and element.children:  # of a formula
            tex = element.attributes.get("alt", "").strip()
            return [self._piece(element, formula(tex, display=False))]
        if element.name == "img":
            return self._image(element)
        if element.name == FORMULA:
            tex = _CDATA.sub("", "".join(text.text for text in element.texts()))
            display = "mode=display" in element.attributes.get("type", "")
            return [
                self._piece(element, formula(" ".join(tex.split()), display=display))
            ]
        if element.name == "math" and (tex := tex_of(element)):
            display = element.attributes.get("display") == "block"
            return [self._piece(element, formula(tex, display=display))]
        if "katex-html" in element.attributes.get("class", "").split():
            return []  # repeats the formula before it
        if element.name in _INLINE_CODE:
            return list(self._code_tokens(element)) or [SPACE]
        return None

    def _code_tokens(self, element: Element) -> Iterator[Token]:
        """Yield the tokens of code within a line, with its line breaks between them."""
        groups = groupby(leaves_of(element), lambda leaf: isinstance(leaf, Text))
        for is_code, leaves in groups:
            texts = [leaf for leaf in leaves if isinstance(leaf, Text)]
            part = Element(element.name, {}, before=element.before, children=[*texts])
            [code] = unbroken(["".join(text.text for text in texts)])
            if not is_code:
                yield BREAK
            elif code := " ".join(code.split()):
                yield self._piece(part, code)._replace(kind="code")

    def _ends(self, element: Element) -> tuple[list[Token], list[Token]]:
        """Return what comes before and after the content of an element."""
        if element.name == "a" and (address := self._address(element, "href")):
            return [Token("open", address, LINK)], [Token("close", address, LINK)]
        if mark := _EMPHASIS.get(element.name):
            return [Token("open", mark=mark)], [Token("close", mark=mark)]
        return ([], []) if element.runs_on else ([SPACE], [SPACE])

    def _piece(self, element: Element, written: str) -> Token:
        """Return the token of an element that is written if one of its texts is kept."""
        texts = list(element.texts())
        worded = [text.block for text in texts if text.worded]
        kept = (block for block in worded if self.kept[block])
        first = next(
            kept, worded[0] if worded else texts[0].block if texts else element.before
        )
        return Token("raw", written, block=first, worded=bool(worded))

    def _image(self, element: Element) -> list[Token]:
        """Return the token of an image in a kept block or between two."""
        first = element.before if element.in_block else max(element.before - 1, 0)
        if not (self.images and all(self.kept[first : element.before + 1])):
            return []
        address = self._address(element, "src") or self._address(element, "data-src")
        alternative = " ".join(element.attributes.get("alt", "").split())
        written = f"![{escaped(alternative, in_link=True)}]({address})"
        return [Token("image", written)] if address else []

    def _address(self, element: Element, attribute: str) -> str:
        return address_of(element.attributes.get(attribute, ""), self.url)


def _is_tight(parts: Sequence[_Part]) -> bool:
    """Return whether an item is one paragraph, one list, or one list after one paragraph."""
    kinds = "".join("p" if isinstance(part, str) else "l" for part in parts)
    return kinds in ("p", "l", "pl") and all(
        part.tight if isinstance(part, _List) else not _WIDE.search(part)
        for part in parts
    )


def _joined(parts: Sequence[_Part], between: str) -> str:
    return between.join(
        part.lines if isinstance(part, _List) else part for part in parts
    )


def _labelled(label: str, text: str) -> str:
    """Put a label before an item, and indent its other lines as far."""
    if _TAG_AT_START.search(text):
        label = label.ljust(_PYTHON_MARKDOWN_INDENT)
    return label + re.sub(r"\n(?=[^\n])", "\n" + " " * len(label), text)


def _wordless_lines(lines: Sequence[tuple[str, bool]]) -> list[str]:
    """Return the lines that are not blank, if none of them has a word."""
    written = [line for line, _ in lines if line.strip()]
    return written if all(map(_WORDLESS.fullmatch, written)) else []


def _skip_spanned(row: list[str], below: dict[int, tuple[int, int]]) -> None:
    """Leave the columns empty that a cell of a row above spans."""
    while len(row) in below:
        row += [""] * below[len(row)][1]


def _span(cell: Element, attribute: str) -> int:
    value = cell.attributes.get(attribute, "")
    return (
        min(max(int(value), 1), _MOST_SPANNED)
        if re.fullmatch("[0-9]{1,8}", value)
        else 1
    )
