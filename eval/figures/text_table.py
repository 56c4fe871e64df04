"""Tables of text, as the terminal, Markdown and LaTeX show them."""

from collections.abc import Container, Iterable, Sequence

from tabulate import tabulate


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
