"""Classes of blocks, by hand: a table of pages."""

import pytest

from boilersweep.cleaners.block_classes import CLASSES, classes_of
from boilersweep.cleaners.syntax.grammar import parse_rule
from tests.cleaners.conftest import Kept, MakeColumns


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<h1>a</h1><h6><a href=x>b</a></h6><p>c", ["heading", "heading", ""]),
        ("<div role=heading>a</div><div role=HEADING>b</div>", ["heading"] * 2),
        ("<dl><dt>a<dd>b</dl>", ["term list", "list"]),
        ("<pre>a</pre><p><code>b</code></p>", ["code", ""]),
        ("<div class='x codehilite'><div>a</div></div>", ["code"]),
        ("<table class=hljs><tr><td>1<td>a</table>", ["code", "code"]),
        ("<table><tr><th>a<td>b</table>", ["table", "table"]),
        ("<table><caption>a</caption><tr><td>b</table>", ["table caption", "table"]),
        ("<table><tr><td>layout</table>", [""]),
        (
            "<table><tr><td>layout<table><tr><th>a<td><p>b</table></table>",
            ["", "table", "table"],
        ),
        ("<div role=grid><div>a</div></div>", ["table"]),
        ("<ul><li>a</ul><ol><li><p>b</p></ol><menu><li>c</menu>", ["list"] * 3),
        ("<div role=list><div role=listitem>a</div></div>", ["list"]),
        ("<figure><figcaption>a</figcaption>b</figure>", ["caption", ""]),
        (
            "<p class=wp-caption-text>a</p><div class=code-block-caption>b",
            ["caption"] * 2,
        ),
        ("<div id=comments><p>a</p></div><p id=comment-12>b</p>", ["comment"] * 2),
        (
            "<div class=post-comments>a</div><div id=disqus_thread>b</div>",
            ["comment"] * 2,
        ),
        ("<body class=comments-open><p>a</p><p class=commentary>b</p>", ["", ""]),
        ("<div hidden><p>a</p></div><p>b</p>", ["hidden", ""]),
        ("<p style='display: NONE'>a</p><p aria-hidden=true>b</p>", ["hidden"] * 2),
        ("<ul><li><h2>a</h2><pre>b</pre></ul>", ["heading list", "code list"]),
    ],
)
def test_classes(columns: MakeColumns, page: str, expected: list[str]) -> None:
    found = classes_of(columns(page, "<p>of another page"))
    assert [" ".join(names) for names in found] == [*expected, ""]
    names = [rule.name for rule in CLASSES]
    for number, rule in enumerate(CLASSES):
        mask = rule().mask(columns(page)).tolist()
        assert mask == [names[number] in one.split() for one in expected]


def test_rules_of_classes(kept: Kept) -> None:
    page = "<p>a b c</p><pre>d</pre><p hidden>e f g</p>"
    assert kept(parse_rule("words>=3 | code"), page) == [["a b c", "d", "e f g"]]
    assert kept(parse_rule("words>=3 & !hidden"), page) == [["a b c"]]
    assert kept(parse_rule("headed(words>=3 & !(table | list))"), page) == [
        ["a b c", "e f g"]
    ]
