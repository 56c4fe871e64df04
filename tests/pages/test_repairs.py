"""Named repairs: what both segmenters make of markup that tears, glues or repeats words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.page import Page
from boilersweep.pages.repairs import with_breaks
from boilersweep.pages.segmenter import Segmenter


def cut(html: str) -> Page:
    """Cut a page, which both segmenters do alike."""
    pages = [
        new(structure=True).html(html.encode()) for new in (Segmenter, make_segmenter)
    ]
    assert pages[0] == pages[1]
    return pages[0]


READINGS = [
    ("その<ruby>季<rt>き</rt>節<rt>せつ</rt></ruby>に", "その季節 き せつ に"),
    ("<ruby>季節<rp>(</rp><rt>きせつ</rt><rp>)</rp></ruby>", "季節 きせつ"),
    ("<ruby>季<rt>き</rt></ruby><ruby>節<rt>せつ</rt></ruby>に", "季節 き せつ に"),
    ("<ruby><rb>季<rb>節<rt>き<rt>せつ</ruby>に", "季節 き せつ に"),
    ("<ruby>季<rtc><rt>き</rt></rtc></ruby>に", "季 き に"),
    ("<ruby>東<b>京</b><rt><i>とう</i>きょう</rt></ruby>", "東京 とうきょう"),
    ("<ruby>a</ruby>b", "ab"),
    ("<rt>a</rt>b", "ab"),
]

BREAKS = [
    ("その季\n節に", "その季節に"),
    ("季 \r\n\t節", "季節"),
    ("季 節", "季 節"),
    ("<b>季\n</b>\n<a>節</a>", "季節"),
    ("季<img>\n節", "季節"),
    ("季\u200b\n\u200e節", "季節"),
    ("ア\nイ", "アイ"),
    ("季\nseason\n節", "季 season 節"),
    ("한국\n어", "한국 어"),
    ("季。\n節", "季。 節"),
    ("季\u3000\n節", "季 節"),
    ("季\n\u3000節", "季 節"),
]

CODE = [
    ("<pre><span class=ln>1</span>windup\n<span class=ln>2</span>go", ["windup go"]),
    ("<pre><span class='x linenos'>1</span>windup</pre>", ["windup"]),
    ("<code><a class=lineno href=#1>1</a>windup</code>", ["windup"]),
    ("<pre><span class=ln-x>1</span>windup</pre>", ["1windup"]),
    ("<p><span class=fn>John</span> <span class=ln>Doe</span>", ["John Doe"]),
    ("<table><td class=linenos><pre>1\n2</pre><td><pre>a\nb</pre>", ["a b"]),
    (
        "<table><td class='gutter gl'><pre class=lineno>1</pre><td class=code>a",
        ["a"],
    ),
    ("<pre class=lineno>1\n2\n3</pre><pre>a</pre>", ["a"]),
    ("<div class=gutter>text</div>", ["text"]),
    ("<td data-line-number=7>7</td><td data-line-number=7>seven</td>", ["seven"]),
    ("<td data-line-number=7> 7 </td><td data-line-number=7>8</td>", ["8"]),
    ("<pre><a data-line-number=3>3</a>three</pre>", ["three"]),
    ("<pre><a data-line-number=3>let a</a></pre>", ["let a"]),
    ("<a data-line-number=3>3</a>", ["3"]),
    ("<pre><i class=line-no>1</i>a</pre>", ["a"]),
    ("<pre><span class=lineNumber>1</span>a</pre>", ["a"]),
    ("<code><span class='react-code-line-number'>1</span>a</code>", ["a"]),
    ("<pre>go<button>Copy</button></pre><button>Send</button>", ["go", "Send"]),
]

HEADINGS = [
    ("<h1><span>O</span><span>R</span><span>Y</span></h1>", ["ORY"]),
    ("<h1><span>É</span><span>T</span> <span>É</span></h1>", ["ÉT É"]),
    ("<h2><a>A</a><a>B</a></h2>", ["A B"]),
    ("<h2><a><span>O</span><span>R</span></a></h2>", ["OR"]),
    ("<h2><span>O</span><a><span>R</span><span>Y</span></a></h2>", ["O RY"]),
    ("<h2><span>Old</span><span>New</span></h2>", ["Old New"]),
    ("<div><span>O</span><span>R</span></div>", ["O R"]),
    ("<h2>Title<a href=#t>¶</a></h2>", ["Title"]),
    ("<h2><a href=#t>#</a>Title</h2>", ["Title"]),
    ("<h2>Title<a href=#t> &para; </a></h2>", ["Title"]),
    ("<h2>Title<a><svg><text>x</text></svg></a></h2>", ["Title"]),
    ("<h2>C#</h2>", ["C#"]),
    ("<h2><a>C#</a> <a>¶ 5</a></h2>", ["C# ¶ 5"]),
    ("<h2><a>N<b>e</b>ws</a></h2>", ["News"]),
    ("<h2>Title <a>[edit]</a></h2>", ["Title"]),
    ("<h2>Title<span class=mw-editsection>[<a>Quelltext</a>]</span></h2>", ["Title"]),
    ("<p>Title<a>#</a></p>", ["Title#"]),
    ("<h2>Title<a>\U0001f517\ufe0f</a><a>[#]</a></h2>", ["Title"]),
    ("<dl><dt>join()<a>¶</a><dd>Joins</dl>", ["join()", "Joins"]),
    ("<figure><figcaption>Wheels<a>¶</a></figcaption></figure>", ["Wheels"]),
    ("<table><caption>Wheels<a>#</a></caption><td>1</table>", ["Wheels", "1"]),
]

FORMULAS = [
    ("Let <script type=math/tex>x^2</script>be", "Let x^2 be"),
    ("Let <script type='math/tex; mode=display'>x<1</script>be", "Let x<1 be"),
    (
        "Let <span class=MathJax_Preview>[x]</span><span class=MathJax>x</span>"
        "<script type=math/tex>x^2</script> be",
        "Let x^2 be",
    ),
    ("Let <span class=MathJax>x</span> be", "Let x be"),
    ("so <img class=latex alt='E &lt; m' src=e.png> holds", "so E < m holds"),
    ("so <img class=photo alt=me src=e.png> holds", "so holds"),
    ("<script type=text/javascript>math/tex</script>a", "a"),
]


@pytest.mark.parametrize(("html", "text"), [*READINGS, *BREAKS, *FORMULAS])
def test_words_stay_whole(html: str, text: str) -> None:
    assert cut(f"<p>{html}</p>").texts == [text]


@pytest.mark.parametrize(("html", "texts"), [*CODE, *HEADINGS])
def test_blocks_without_what_is_no_text(html: str, texts: list[str]) -> None:
    assert cut(html).texts == texts


def test_lines_of_code_and_of_titles() -> None:
    page = cut("<title>季\n節</title><pre>季\n節</pre>")
    assert (page.title, page.texts) == ("季節", ["季 節"])


def test_readings_end_where_a_block_begins() -> None:
    assert cut("<ruby>a<rt>b<p>one</p><p>two").texts == ["a b", "one", "two"]


@pytest.mark.parametrize("html", [html for html, _ in [*READINGS, *CODE, *HEADINGS]])
def test_both_segmenters_alike_with_the_papers_borders(html: str) -> None:
    pages = [
        new(borders="paper").html(html.encode()) for new in (Segmenter, make_segmenter)
    ]
    assert pages[0] == pages[1]


def test_the_papers_borders_keep_the_order_of_readings() -> None:
    page = Segmenter(borders="paper").html("<ruby>季<rt>き</rt>節</ruby>".encode())
    assert page.texts == ["季", "き", "節"]


@pytest.mark.parametrize(
    ("page", "repaired"),
    [
        ("a</br>b", "a<br>b"),
        ("a</BR >b</br/>c", "a<br>b<br>c"),
        ("a</brother>", "a</brother>"),
        ("<!--</br>--><script>'</br>'</script>", None),
        ("<title></br></title><textarea></br>", None),
    ],
)
def test_end_tags_of_breaks(page: str, repaired: str | None) -> None:
    assert with_breaks(page.encode()).decode() == (repaired or page)
    assert cut(page) == cut(repaired or page)


def test_end_tags_of_breaks_part_words() -> None:
    assert cut("<p>one</br>two</p>").texts == ["one", "two"]


@given(
    st.lists(
        st.sampled_from(
            "<ruby> </ruby> <rt> </rt> <rp> <rb> <h2> </h2> <a> </a> <pre> </pre> <td> <p> <svg> "
            "<span class=ln> </span> <td data-line-number=1> </td> 季 節 # 1 a \n ¶".split(
                " "
            )
        )
    )
)
def test_both_segmenters_alike(parts: list[str]) -> None:
    cut("".join(parts))
