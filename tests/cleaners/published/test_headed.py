"""What introduces kept text, by hand and as a property."""

import numpy as np
import pytest
from hypothesis import given, settings

from boilersweep import parse_cleaner
from boilersweep.cleaners.published.headed import Headed
from boilersweep.cleaners.rules import Comparison
from boilersweep.cleaners.syntax.variants import parse_sweep
from tests.cleaners.conftest import Kept, MakeColumns
from tests.cleaners.test_all_cleaners import PAGES

LONG = Comparison("words", ">=", 5)
TEXT = "a b c d e"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param(
            f"<h1>top</h1><p>short</p><h2>one</h2><h3>none</h3><h2>two</h2><p>{TEXT}</p>",
            ["top", "two", TEXT],
            id="the nearest heading of each level",
        ),
        pytest.param(
            f"<h3>deep</h3><h2>section</h2><p>{TEXT}</p><h1>behind</h1>",
            ["section", TEXT],
            id="a higher heading ends the section of a lower one",
        ),
        pytest.param(
            f"<h2>two<br>lines</h2><p>{TEXT}</p>",
            ["two", "lines", TEXT],
            id="a heading of several blocks",
        ),
        pytest.param(
            "<h1>top</h1><h2>a heading of five words</h2><p>short</p>",
            ["a heading of five words"],
            id="a kept heading introduces nothing and is not introduced",
        ),
        pytest.param(
            f"<h2><span>in a span</span></h2><div><p>{TEXT}</p></div>",
            ["in a span", TEXT],
            id="elements within a heading",
        ),
        pytest.param(
            f"<dl><dt>no</dt><dd>short</dd><dt>yes</dt><dt>also</dt><dd>x</dd><dd>{TEXT}</dd>"
            "<dt>last</dt></dl>",
            ["yes", "also", TEXT],
            id="terms of a kept description",
        ),
        pytest.param(
            f"<dl><dt>outer</dt><dd><dl><dt>no</dt><dd>x</dd><dt>in</dt><dd>{TEXT}</dd></dl></dd>"
            f"<dt>next</dt><dd>x</dd></dl><p>{TEXT}</p>",
            ["outer", "in", TEXT, TEXT],
            id="terms of lists in lists",
        ),
        pytest.param(
            "<dl><dt>a signature of five words</dt><dd>x</dd></dl>",
            ["a signature of five words"],
            id="a kept term introduces nothing",
        ),
        pytest.param(
            f"<table><caption>all</caption><tr><td><th><p>A</p><th>B<tr><th>one<td>x<td>y"
            f"<tr><th>two<td>{TEXT}<td>z</table>",
            ["all", "A", "B", "two", TEXT],
            id="headers of a table and of a row, and its caption",
        ),
        pytest.param(
            f"<table><caption>no</caption><tr><th>A<tr><td>x</table><p>{TEXT}</p>",
            [TEXT],
            id="a table of which nothing is kept",
        ),
        pytest.param(
            f"<figure><figcaption>code</figcaption><pre>{TEXT}</pre></figure>"
            f"<details><summary>more</summary><p>{TEXT}</p></details>"
            f"<fieldset><legend>form</legend>{TEXT}</fieldset>"
            "<div>short<figure><figcaption>picture</figcaption></figure></div>",
            ["code", TEXT, "more", TEXT, "form", TEXT],
            id="captions, summaries and legends",
        ),
        pytest.param(
            f"<div><p>{TEXT}</p><figure><img><figcaption>picture</figcaption></figure></div>",
            [TEXT, "picture"],
            id="the caption of a picture in kept text",
        ),
        pytest.param("<h1>top</h1><p>short</p>", [], id="nothing kept"),
    ],
)
def test_what_introduces_kept_text(kept: Kept, page: str, expected: list[str]) -> None:
    assert kept(Headed(LONG), page, f"<p>{TEXT}</p>") == [expected, [TEXT]]


_ENTRIES = ("One", "join()", "2.1. Three", "©")
CONTENTS = f"<h2>Contents</h2><ul>{''.join(f'<li><a>{e}</a>' for e in _ENTRIES)}</ul>"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param(
            f"{CONTENTS}<h2>one</h2><p>{TEXT}</p><h2>Three</h2><p>short</p>",
            ["One", "one", TEXT],
            id="entries of what is kept",
        ),
        pytest.param(
            f"{CONTENTS}<h2>names</h2><dl><dt>os.path.join(path, *paths)¶</dt><dd>{TEXT}</dd></dl>",
            ["join()", "names", "os.path.join(path, *paths)¶", TEXT],
            id="the last part of a name",
        ),
        pytest.param(
            f"<p><a>One</a></p><ul><li>One</ul><h2>One</h2><p>{TEXT}</p>",
            ["One", TEXT],
            id="links in lists alone",
        ),
        pytest.param(
            f"<ul><li><a>On</a></ul><ul><li><h3><a>Two</a></h3></ul><h2>One two</h2><p>{TEXT}</p>",
            ["Two", "One two", TEXT],
            id="whole words",
        ),
        pytest.param(
            f"<table><tr><td><a>Set up</a></table><h2>1. Set up</h2><p>{TEXT}</p>",
            ["Set up", "1. Set up", TEXT],
            id="a table of links",
        ),
        pytest.param(
            f"<dl><dt><a>1.2. Get it</a></dl><h3>1.2. Get it</h3><p>{TEXT}</p>",
            ["1.2. Get it", "1.2. Get it", TEXT],
            id="DocBook's list of terms",
        ),
        pytest.param(
            "<ul><li><a>One two three four five</a></ul><h2>One two three four five</h2>"
            "<h3>none</h3><p>x</p>",
            ["One two three four five"] * 2,
            id="an entry that the cleaner keeps introduces nothing",
        ),
    ],
)
def test_the_table_of_contents(kept: Kept, page: str, expected: list[str]) -> None:
    other = "<ul><li><a>One</a></ul>"
    assert kept(Headed(LONG), page, other) == [expected, []]


@settings(max_examples=50, deadline=None)
@given(pages=PAGES)
def test_nothing_that_the_cleaner_keeps_is_lost(
    columns: MakeColumns, pages: list[str]
) -> None:
    shard = columns(*pages)
    inner = LONG.mask(shard)
    mask = Headed(LONG).mask(shard)
    assert not (inner & ~mask).any()
    assert np.array_equal(mask, Headed(Headed(LONG)).mask(shard))


def test_text_and_sweep() -> None:
    assert str(parse_cleaner("headed( words >= 11 )")) == "headed(words>=11)"
    sweep = parse_sweep("headed(words>={1:3})")
    assert list(map(str, sweep.cleaners)) == [
        f"headed(words>={number})" for number in (1, 2, 3)
    ]
    assert sweep.label == "headed(words>=k)"
