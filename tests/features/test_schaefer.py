"""Schäfer's 37 features, on pages worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.features.schaefer import FEATURES, schaefer_features
from tests.features.conftest import column, cut

PAGE = (
    '<!doctype html><body><div class="long attributes do not count">Home</div>'
    "<article><p>Write to <a href=m>a@b.org</a> or www.b.org #now. Yes!</p></article>"
    "<p></p><p></p><span>© 2010</span>"
)


def test_there_are_37_in_the_order_of_the_paper() -> None:
    assert len({feature.name for feature in FEATURES}) == len(FEATURES) == 37
    items = [feature.source[:2] for feature in FEATURES]
    assert items == sorted(items)
    wanted = "1a 1b 1c 1d 1e 1f 1g 2a 2b 2c 3a 3b 3c 3d 4a 4b 4c 4d 4e 5a 5b 5c 6a 6b"
    assert sorted(set(items)) == wanted.split()


def test_every_feature_of_a_block() -> None:
    columns = cut(PAGE)
    assert columns.texts == [
        "Home",
        "Write to a@b.org or www.b.org #now. Yes!",
        "© 2010",
    ]
    table = schaefer_features(columns)
    first, own, last = (
        dict(zip(table.names, row, strict=True)) for row in table.values.tolist()
    )
    # Tags before the second block and in it: </div> <article> <p> <a> </a> = 6+9+3+3+4 = 25
    # characters beside 40 of text; before the first: <html> <body> <div> = 6+6+5 = 17, beside 4.
    # Before the third and in it: </p> </article> <p> </p> <p> </p> <span> </span> = 41, beside 7
    # bytes (© has two) but 6 characters.
    expected = {
        "markup": 25 / 65,
        "markup_window_1": (17 + 25 + 41) / (21 + 65 + 48),
        "markup_window_2": (17 + 25 + 41) / (21 + 65 + 48),
        "container_article": 0,
        "container_p": 1,
        "container_div": 0,
        "no_container": 0,
        # 3 tags before it: no pair beyond the two that part the blocks
        "empty_blocks": 0,
        "anchors": 1 / 40,
        "emails": 1 / 40,
        "urls": 1 / 40,
        "hashtags": 1 / 40,
        "length": 40 / 1000,
        "length_share": 40 / 50,
        "text_position": abs(2 * (4 + 20) / 50 - 1),
        "block_position": 1.5 / 3,
        "punctuation": 7 / 40,  # @ . . . # . !
        "letters": 27 / 40,  # 5+2+5+2+7+3+3
        "digits": 0,
        "uppercase": 2 / 40,
        "copyright": 0,
        "sentence_length": 7 / 2 / 40,
        "sentences": 2 / 20,
        "ends_in_punctuation": 1,
        "doctype_html4": 0,
        "doctype_html5": 1,
        "doctype_xhtml": 0,
        "doctype_undeclared": 0,
        "document_markup": 83 / 134,
    }
    assert {name: own[name] for name in expected} == pytest.approx(expected)
    others = {
        "no_container": 1,
        "empty_blocks": 2 / 10,  # 7 tags before it: two pairs beyond the first two
        "copyright": 1,
        "digits": 4 / 6,
        "text_position": abs(2 * 47 / 50 - 1),
    }
    assert {name: last[name] for name in others} == pytest.approx(others)
    assert (first["container_div"], first["markup_window_1"]) == (
        1,
        (17 + 25) / (21 + 65),
    )


def test_the_innermost_container_counts() -> None:
    columns = cut(
        "<div><ul><li>a<br>c</li></ul><h3>d</h3><table><tr><td>e</table>f</div>g"
    )
    table = schaefer_features(columns)
    names = [name for name in table.names if name.startswith("container_")]
    chosen = [
        next((name for name in names if column(table, name)[row]), "none")
        for row in range(len(columns.texts))
    ]
    kinds = ["li", "li", "heading", "cell", "div"]
    assert chosen == [f"container_{kind}" for kind in kinds] + ["none"]
    assert column(table, "no_container").tolist() == [0, 0, 0, 0, 0, 1]


def test_documents_do_not_touch() -> None:
    pages = (PAGE, "<p>", "<p>one<p>two", PAGE)
    together = schaefer_features(cut(*pages)).values
    apart = np.vstack([schaefer_features(cut(page)).values for page in pages])
    assert np.array_equal(together, apart)
    assert schaefer_features(cut("<p>")).values.shape == (0, 37)


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                ["<p>", "</p>", "<div>", "<li>", "a@b.cd ", "Word. ", "© #x ", "<a>"]
            ),
            max_size=20,
        ),
        min_size=1,
        max_size=3,
    )
)
def test_all_are_from_0_to_1_and_sums_hold(pages: list[list[str]]) -> None:
    columns = cut(*("".join(["<html>", *page]) for page in pages))
    table = schaefer_features(columns)
    assert ((table.values >= 0) & (table.values <= 1)).all()
    for beginning in (("container_", "no_container"), "doctype_"):
        kinds = [
            column(table, name) for name in table.names if name.startswith(beginning)
        ]
        assert (np.sum(kinds, axis=0) == 1).all()
    shares = np.bincount(columns.owners, column(table, "length_share"), len(columns))
    assert shares[np.diff(columns.starts) > 0] == pytest.approx(1)
