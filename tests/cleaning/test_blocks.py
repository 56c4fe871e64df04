"""blocks: a page's blocks as columns, and what a cleaner keeps of them."""

import re

import pandas as pd
import pytest

from boilersweep import UsageError, blocks, clean

PAGE = (
    "<title>A page</title><nav><a href=/>Home page</a> | News</nav>"
    "<p>One two <a href=x>three</a> four.</p><ul><li>five"
)


def test_the_columns_of_a_page() -> None:
    found = blocks(PAGE)
    assert (found.title, len(found), found.kept) == ("A page", 3, None)
    assert found.texts == ["Home page | News", "One two three four.", "five"]
    assert found.tags == ["nav", "p", "li"]
    assert found.words.tolist() == [3, 4, 1]
    assert found.density.tolist() == [3, 4, 1]
    assert found.link_density.tolist() == [2 / 3, 1 / 4, 0]
    assert found.text == clean(PAGE, "words>=1")
    assert found.columns.structure is not None


def test_what_a_cleaner_keeps() -> None:
    found = blocks(PAGE.encode(), "words>=3 & link_density<=0.33")
    assert found.kept is not None
    assert found.kept.tolist() == [False, True, False]
    assert found.text == clean(PAGE, "words>=3 & link_density<=0.33")


def test_a_table_of_them() -> None:
    table = pd.DataFrame(blocks(PAGE, "words>=4").as_dict())
    assert list(table) == ["texts", "tags", "words", "density", "link_density", "kept"]
    assert table[table.kept].texts.tolist() == ["One two three four."]
    assert "kept" not in blocks(PAGE).as_dict()


def test_a_notebook_shows_a_short_table() -> None:
    shown = repr(
        blocks("<p>" + "hello world " * 20 + "</p><p>x</p>" * 30, "words>=2")
    ).splitlines()
    assert shown[0] == "31 blocks"
    assert len(shown) == 1 + 2 + 20
    assert shown[3].split()[-1] == "True"
    assert max(map(len, shown)) < 120


def test_a_notebook_scrolls_a_wide_table() -> None:
    found = blocks("<p>a &lt;b&gt; " + "hello world " * 20 + "</p>", "words>=2")
    shown = found._repr_html_()
    assert shown.startswith('<p>1 blocks</p><div style="overflow-x: auto')
    assert "a &lt;b&gt; hello" in shown
    assert max(map(len, re.findall("<td[^>]*>([^<]*)", shown))) < 80


def test_a_blank_page_has_none() -> None:
    assert len(blocks(" ", "words>=2")) == 0


def test_an_extractor_keeps_no_blocks() -> None:
    with pytest.raises(UsageError, match=r"got mraked.*\(did you mean marked\?\)"):
        blocks(PAGE, "mraked")
    with pytest.raises(UsageError, match="got cetr"):
        blocks(PAGE, "cetr")


def test_a_text_of_digits_is_shown_as_it_is() -> None:
    shown = repr(blocks("<p>1</p><p>2.5</p>")).splitlines()
    assert [line.split()[0] for line in shown[3:]] == ["1", "2.5"]
    assert repr(blocks("")).startswith("0 blocks")
