"""What a cleaner keeps of a page as Markdown: headings, lists, quotes, tables, code and links."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from boilersweep.cleaners.rules import Rule
from boilersweep.cleaning.page_texts import PageTexts
from boilersweep.pages.columns import columns_of
from boilersweep.pages.linked import LinkedPage, LinkedSegmenter, Piece
from boilersweep.pages.structure import PageStructure

_LISTS = ("ul", "ol", "menu", "dir")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SPECIAL = re.compile(r"[\\`*\[\]<]|(?<![^\W_])_|_(?![^\W_])")
_AT_START = re.compile(r"(\d*)([#>+-]|(?<=\d)[.)])(?=\s|$|#)")
_NO_ADDRESS = re.compile(r"#|javascript:|data:|$", re.IGNORECASE)
_DEEPEST = 40  # columns: what nests deeper does not show, so that pages stay in proportion
_UNSAFE = re.compile(r"[\s()<>]")


def markdown(utf8: bytes, rule: Rule) -> str:
    """What a rule keeps of a page, given as UTF-8; "" where that is nothing.

    Raises PageError where an extractor fails that the rule names, UsageError for one there is not.
    """
    page = LinkedSegmenter(structure=True).html(utf8) if utf8 else LinkedPage()
    if page.structure is None or not len(page):
        return ""
    texts = PageTexts([rule])
    mask = rule.mask(texts.beside(columns_of([""], [page]), [texts.of(utf8)]))
    return "".join(_Writer(page, page.structure).written(mask.tolist())).strip()


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an element stands: numbers of the innermost elements around it, or itself.

    table: that is written as one; row, cell: of it. item: of a list. heading: its level, 0 for
    none.
    """

    table: int | None = None
    row: int | None = None
    cell: int | None = None
    list: int | None = None
    item: int | None = None
    code: int | None = None
    quote: int | None = None
    heading: int = 0


class _Writer:
    """Writes what is kept of a page, one after the other paragraph, table and piece of code."""

    def __init__(self, page: LinkedPage, structure: PageStructure) -> None:
        self._pieces = page.pieces
        self._structure = structure
        self._places = _places(structure)
        self._numbers: defaultdict[int | None, int] = defaultdict(int)  # of a list's items so far
        self._indents: dict[int | None, int] = {}  # of the text of the items that were begun

    def written(self, kept: Sequence[bool]) -> Iterator[str]:
        """All that is kept, with what stands between. kept: (b,) True for the blocks."""
        before = _Place()
        for (table, code), group in groupby(self._paragraphs(kept), self._table_and_code):
            paragraphs = list(group)
            parts = [paragraphs] if table is not None or code is not None else _each(paragraphs)
            for part in parts:
                place = self._place(part[0])
                begins_item = place.item is not None and place.item not in self._indents
                text = self._part(place, part)
                if place.quote is not None:
                    text = "\n".join(f"> {line}" for line in text.split("\n"))
                if place.quote is not None and place.quote == before.quote:
                    yield "\n>\n"
                else:
                    yield "\n" if begins_item and before.item is not None else "\n\n"
                yield text
                before = place

    def _paragraphs(self, kept: Sequence[bool]) -> Iterator[list[int]]:
        """Numbers of kept blocks that people see as one paragraph."""
        paragraph: list[int] = []
        for block, stays in enumerate(kept):
            if paragraph and not (stays and self._structure.joined[block]):
                yield paragraph
                paragraph = []
            if stays:
                paragraph.append(block)
        if paragraph:
            yield paragraph

    def _place(self, paragraph: Sequence[int]) -> _Place:
        return self._places[self._structure.elements[paragraph[0]]]

    def _table_and_code(self, paragraph: Sequence[int]) -> tuple[int | None, int | None]:
        place = self._place(paragraph)
        return place.table, place.code if place.table is None else None

    def _part(self, place: _Place, paragraphs: Sequence[list[int]]) -> str:
        if place.table is not None:
            return self._table(paragraphs)
        if place.code is not None:
            return self._code(paragraphs)
        text = "#" * place.heading + " " * (place.heading > 0) + self._line(paragraphs[0])
        if place.item is None:
            return text
        if place.item in self._indents:
            return " " * self._indents[place.item] + text
        return self._item(place, text)

    def _item(self, place: _Place, text: str) -> str:
        """A list's item that begins."""
        self._numbers[place.list] += 1
        ordered = place.list is not None and self._structure.names[place.list] == "ol"
        mark = f"{self._numbers[place.list]}. " if ordered else "- "
        outer = None if place.list is None else self._places[place.list].item
        indent = self._indents.get(outer, 0) if outer != place.item else 0
        self._indents[place.item] = min(indent + len(mark), _DEEPEST)
        return " " * indent + mark + text

    def _code(self, paragraphs: Sequence[list[int]]) -> str:
        text = "\n".join(
            "".join(piece.text for block in blocks for piece in self._pieces[block]).strip("\r\n")
            for blocks in paragraphs
        )
        fence = "`" * max([3, *(len(found) + 1 for found in re.findall("`+", text))])
        return f"{fence}\n{text}\n{fence}"

    def _table(self, paragraphs: Sequence[list[int]]) -> str:
        rows: defaultdict[int | None, defaultdict[int | None, list[str]]]
        rows = defaultdict(lambda: defaultdict(list))
        above = []
        for paragraph in paragraphs:
            place, line = self._place(paragraph), self._line(paragraph).replace("|", r"\|")
            if place.cell is None:  # a caption
                above.append(f"{line}\n\n")
            else:
                rows[place.row][place.cell].append(line)
        table = [[" ".join(cell) for cell in row.values()] for row in rows.values()]
        width = max(map(len, table), default=0)
        if table:  # other rows may be shorter than the head
            table[0] += [""] * (width - len(table[0]))
        lines = [f"| {' | '.join(row)} |" for row in table]
        lines[1:1] = ["|" + " --- |" * width] if width else []
        return "".join(above) + "\n".join(lines)

    def _line(self, blocks: Iterable[int]) -> str:
        """A paragraph in one line, with its links."""
        pieces = (piece for block in blocks for piece in self._pieces[block])
        parts = [_linked(address, some) for address, some in groupby(pieces, _address)]
        line = re.sub(" +", " ", "".join(parts)).strip()
        return _AT_START.sub(r"\1\\\2", line, count=1) if _AT_START.match(line) else line


def _each(paragraphs: Iterable[list[int]]) -> Iterator[list[list[int]]]:
    return ([paragraph] for paragraph in paragraphs)


def _address(piece: Piece) -> str:
    return piece.address


def _percent_encoded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def _linked(address: str, pieces: Iterable[Piece]) -> str:
    """Pieces that stand in one link, or in none, with the white space around them as a space."""
    raw = "".join(piece.text for piece in pieces)
    text = _SPECIAL.sub(r"\\\g<0>", " ".join(raw.split()))
    if text and not _NO_ADDRESS.match(address):
        safe = _UNSAFE.sub(_percent_encoded, address)
        text = f"[{text}]({safe})"
    return " " * raw[:1].isspace() + text + " " * raw[-1:].isspace()


def _places(structure: PageStructure) -> list[_Place]:
    tables = _data_tables(structure)
    places: list[_Place] = []
    for number, (name, parent) in enumerate(zip(structure.names, structure.parents, strict=True)):
        place = places[parent] if number else _Place()
        if name in _LISTS:
            place = replace(place, list=number)
        elif name == "li":
            place = replace(place, item=number)
        elif name in _HEADINGS:
            place = replace(place, heading=_HEADINGS[name])
        elif name == "pre":
            place = replace(place, code=number)
        elif name == "blockquote":
            place = replace(place, quote=number)
        elif number in tables:
            place = replace(place, table=number)
        elif name == "tr" and place.table is not None:
            place = replace(place, row=number)
        elif name in ("td", "th") and place.row is not None:
            place = replace(place, cell=number)
        places.append(place)
    return places


def _data_tables(structure: PageStructure) -> set[int]:
    """Tables that hold no other and at least two rows of two cells or more; others are layout."""
    around: list[int | None] = []  # the innermost table that each element is or stands in
    rows: list[int | None] = []  # the row of that
    cells: defaultdict[int, int] = defaultdict(int)  # of each row
    tables: dict[int, list[int]] = {}  # table -> its rows
    holders: set[int | None] = set()  # tables that hold another
    for number, (name, parent) in enumerate(zip(structure.names, structure.parents, strict=True)):
        table = around[parent] if number else None
        row = rows[parent] if number else None
        if name == "table":
            holders.add(table)
            table, row = number, None
            tables[number] = []
        elif name == "tr" and table is not None:
            row = number
            tables[table].append(number)
        elif name in ("td", "th") and row is not None:
            cells[row] += 1
        around.append(table)
        rows.append(row)
    return {
        table
        for table, of_table in tables.items()
        if table not in holders and sum(cells[row] >= 2 for row in of_table) >= 2
    }
