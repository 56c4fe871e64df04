"""crawl4ai's pruning filter, with scores by hand."""

import math

import pytest

from boilersweep.extractors.pruning import THRESHOLD, pruned

LONG = "Forty words and more make sure that the body itself has enough text. " * 4


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        # Text alone: .4 + .2 + .2 + .1 log 10.
        ("<p>some text</p>", "some text"),
        # A link alone, 4 of 20 characters: .08 + 0 + .1 + .1 log 5 = .34.
        ("<div><a href=x>Home</a></div>", ""),
        # The same in one more element has no link of its own: .2 more for the outer one, which
        # stays; the inner one goes.
        ("<div>text of it <div><a href=x>Home</a></div></div>", "text of it"),
        # Words beside the link: .4 * 17 / 33 + .2 * 13 / 17 + .1 + .1 log 18 = .75.
        ("<div>words beside <a href=x>Home</a></div>", "words beside Home"),
        # Nothing in code is scored.
        ("<pre>code <b><a href=x>1</a></b></pre>", "code 1"),
        ("<nav>some text</nav><form>some text</form><footer>some text</footer>", ""),
        ("<p>some \x01text\uffff</p><nav>a</nav>\x02 b", "some text"),
        ("<section><script>var a</script><!-- more -->text</section>", "text"),
    ],
)
def test_what_is_left(html: str, kept: str) -> None:
    assert pruned(f"<body><p>{LONG}</p>{html}</body>").split("\n")[1:] == [kept] * bool(
        kept
    )


@pytest.mark.parametrize("html", ["", "<p></p>", "text", "<frameset></frameset>"])
def test_pages_without_elements_of_text(html: str) -> None:
    assert pruned(html) == ""


def test_markup_counts_as_it_is_written() -> None:
    # Three characters of text need a density of (.48 - .3 - .1 log 4) / .4 in a div without links.
    most = int(3 / ((THRESHOLD - 0.3 - 0.1 * math.log(4)) / 0.4))
    for more, kept in ((0, ["abc"]), (1, [])):
        name = "x" * (most + more - len('abc<i a=""></i>'))
        html = f"<body><p>{LONG}</p><div>abc<i a='{name}'></i></div></body>"
        assert pruned(html).split("\n")[1:] == kept
    # Twenty characters stay in any markup.
    many = f"<div>twenty characters it<i a='{'x' * 999}'></i></div>"
    assert pruned(f"<body><p>{LONG}</p>{many}").endswith("twenty characters it")
