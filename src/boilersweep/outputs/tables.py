"""Tables for people, described once: as text, Markdown and LaTeX; pages write them as HTML."""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

from tabulate import tabulate

_LATEX_HEAD = (
    r"""% \input this file; the preamble needs \usepackage{booktabs,graphicx}"""
)
# A table that is too wide is scaled down to the width of the page.
_LATEX_FLOAT = r"""\begin{table*}
\centering
\caption{%s}
\label{%s}
\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%%
\begin{tabular}{%s}
\toprule
%s \\
\midrule
%s \\
\bottomrule
\end{tabular}}
%s\end{table*}"""
_LATEX_SIGNS = {
    **{sign: f"\\{sign}" for sign in "{}&%$#_"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    ">=": r"$\geq$",
    "<=": r"$\leq$",
}
_LATEX_SIGN = re.compile("[<>]=|[" + re.escape('{}&%$#_\\~^<>|"') + "]")
_SIGN_OF_NUMBER = re.compile(r"(?<![\w.<>=])([+-])(?=\.?\d)")
_MARK = re.compile(r"(?<=\d)([*?])$")  # of significance, behind a number


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: Its text.
        value: The value to sort by; None sorts last.
        kind: Its CSS class.
        note: Small text below its text; on pages alone.
        title: What pointing at it shows; on pages alone.
        best: Whether it has the best mean, which papers print in bold.
    """

    text: str
    value: float | None = None
    kind: str = ""
    note: str = ""
    title: str = ""
    best: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column.

    Attributes:
        text: Its text.
        meaning: What pointing at it shows; on pages alone.
        note: Small text below its text; on pages alone.
        detail: Whether pages show the column on demand.
    """

    text: str
    meaning: str = ""
    note: str = ""
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table.

    Attributes:
        name: Its head.
        cells: Its cells.
        remark: What is in brackets behind its head.
        title: What pointing at its head shows; on pages alone.
        extra: Whether it is on pages alone, on demand.
    """

    name: str
    cells: Sequence[Cell]
    remark: str = ""
    title: str = ""
    extra: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        title: What it shows.
        corner: The head of the rows' heads.
        heads: The heads of the other columns.
        rows: Its rows.
        measure: Its measure, if it has one.
    """

    title: str
    corner: str
    heads: Sequence[Head]
    rows: Sequence[Row]
    measure: str = ""

    @property
    def details(self) -> list[Head]:
        """The heads of columns that are shown on demand."""
        return [head for head in self.heads if head.detail]

    @property
    def columns(self) -> list[str]:
        """The heads of all columns as text."""
        return [self.corner, *(head.text for head in self.heads)]

    @property
    def lines(self) -> list[list[str]]:
        """The rows as text, without the extra ones."""
        return [
            [
                f"{row.name} ({row.remark})" if row.remark else row.name,
                *(cell.text for cell in row.cells),
            ]
            for row in self.rows
            if not row.extra
        ]


def beside(left: Table, right: Table) -> Table:
    """Return a table with the columns of two tables, which have the same rows."""
    rows = [
        replace(row, cells=[*row.cells, *more.cells])
        for row, more in zip(left.rows, right.rows, strict=True)
    ]
    return replace(left, heads=[*left.heads, *right.heads], rows=rows)


def as_text(tables: Iterable[Table], notes: Iterable[str]) -> str:
    """Return tables and notes for the terminal."""
    parts = [
        f"{table.title}\n{text_table(table.lines, table.columns)}" for table in tables
    ]
    return "\n\n".join([*parts, "\n".join(notes)])


def as_markdown(tables: Iterable[Table], notes: Iterable[str]) -> str:
    """Return tables and notes with pipes, as GitHub and pandoc read them."""
    parts = []
    for table in tables:
        heads, *cells = [
            list(map(_markdown, line)) for line in (table.columns, *table.lines)
        ]
        drawn = text_table(cells, heads, style="pipe")
        parts.append(f"**{_markdown(table.title)}**\n\n{drawn}")
    return "\n\n".join([*parts, *map(_markdown, notes)]) + "\n"


def as_latex(tables: Iterable[Table], notes: Iterable[str], title: str) -> str:
    """Return a `table*` for each table, for a paper to input; the notes are below the first one.

    The best mean is bold, marks of significance are raised.

    Args:
        tables: The tables.
        notes: The notes.
        title: What the captions begin with.
    """
    below = "\\par ".join(map(_latex, ["Bold: the best mean.", *notes]))
    below = f"\\par\\smallskip\n\\parbox{{\\textwidth}}{{\\footnotesize {below}}}\n"
    parts = [_LATEX_HEAD]
    for number, table in enumerate(tables, start=1):
        shown = [row for row in table.rows if not row.extra]
        rows = []
        for row, line in zip(shown, table.lines, strict=True):
            bold = [False, *(cell.best for cell in row.cells)]
            texts = zip(map(_latex, line), bold, strict=True)
            # Not [ behind \\, which would be its argument
            rows.append(
                "{}"
                + " & ".join(
                    rf"\textbf{{{text}}}" if best else text for text, best in texts
                )
            )
        name = re.sub(r"\W+", "-", table.title.lower()).strip("-")
        parts.append(
            _LATEX_FLOAT
            % (
                _latex(f"{title}. {table.title}."),
                f"tab:boilersweep-{number}-{name}",
                "l" + "r" * len(table.heads),
                " & ".join(map(_latex, table.columns)),
                " \\\\\n".join(rows),
                below if number == 1 else "",
            )
        )
    return "\n\n".join(parts) + "\n"


def as_typeset(text: str) -> str:
    """Return the text of a cell with the signs that pages have and terminals may lack."""
    if text == "-":
        return "\u2013"
    text = re.sub("^about ", "\u2248\u2009", text).replace("'", "\u2019")
    return _SIGN_OF_NUMBER.sub(lambda sign: sign[0].replace("-", "\u2212"), text)


def _latex(text: str) -> str:
    """Escape the signs of LaTeX; signs of numbers become minus and plus, marks go up."""
    quoted = re.sub("`([^`]*)`", r"`\1'", text)
    escaped = _LATEX_SIGN.sub(lambda found: _LATEX_SIGNS[found[0]], quoted)
    return _MARK.sub(r"$^{\1}$", _SIGN_OF_NUMBER.sub(r"$\1$", escaped))


def _markdown(text: str) -> str:
    """Escape the signs of Markdown."""
    for sign in "\\|*_<`":
        text = text.replace(sign, f"\\{sign}")
    return text


def text_table(
    lines: Iterable[Sequence[object]],
    heads: Sequence[str],
    *,
    left: Container[int] = (0,),
    style: str = "simple",
) -> str:
    """Draw a table whose cells are written as they are.

    Args:
        lines: The lines of cells.
        heads: The heads of the columns.
        left: The numbers of the columns that are aligned to the left; others are to the right.
        style: A style of tabulate.
    """
    aligned = ["left" if n in left else "right" for n in range(len(heads))]
    drawn: str = tabulate(
        lines, heads, tablefmt=style, colalign=aligned, disable_numparse=True
    )
    return drawn
