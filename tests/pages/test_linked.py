"""Pages with links: the same blocks as any segmenter's, and their characters as written."""

import numpy as np
import pytest

from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.linked import LinkedSegmenter, Piece

SOUP = (
    *("<p>", "</p>", "<b>", "</b>", "<a href=x>", "</a>", "<br>", "<script>s()</script>", "</div>"),
    *("<li>", "<table><tr><td>", "</table>", "<title>t</title>", "<noscript>n</noscript>", "<pre>"),
    *(
        " one",
        "two ",
        "thr",
        "ee\n",
        ",",
        " ",
        "&amp;",
        "<!-- c -->",
        "<option>o",
        "<svg><a>v</svg>",
    ),
)


def test_pieces_have_white_space_and_addresses() -> None:
    page = LinkedSegmenter(structure=True).html(b"<p>a <b>b  c</b>\n<a href=' u '>d</a>e<p> f")
    assert page.texts == ["a", "b c", "de", "f"]
    assert page.pieces == [
        [Piece("a ", "")],
        [Piece("b  c", "")],
        [Piece("\n", ""), Piece("d", "u"), Piece("e", "")],
        [Piece(" f", "")],
    ]


@pytest.mark.parametrize("seed", range(200))
def test_the_blocks_are_those_of_any_segmenter(seed: int) -> None:
    chance = np.random.default_rng(seed)
    html = "".join(chance.choice(SOUP, 60)).encode()
    page = LinkedSegmenter(structure=True).html(html)
    other = make_segmenter(structure=True).html(html)
    assert page.texts == other.texts
    assert page.structure == other.structure
    written = ["".join(piece.text for piece in some) for some in page.pieces]
    assert [" ".join(text.split()) for text in written] == page.texts
