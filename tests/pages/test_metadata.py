"""Metadata: what a page states of itself, in the places in which pages state it."""

import json

import pytest

from boilersweep import PageError
from boilersweep.pages.block_tree import TreeSegmenter
from boilersweep.pages.limits import Deadline
from boilersweep.pages.metadata import Metadata, metadata


def found(html: str, title: str = "", url: str | None = None) -> Metadata:
    return metadata(html.encode(), title, url)


def graph(*nodes: object) -> str:
    return f"<script type='application/ld+json'>{json.dumps(nodes)}</script>"


def nested(value: object, depth: int) -> object:
    for _ in range(depth):
        value = [value]
    return value


ARTICLE = {
    "@type": ["NewsArticle"],
    "headline": "Rain &amp; wind",
    "author": [{"@type": "Person", "name": "By Ann Lee"}, {"@id": "#bo"}, "Ann Lee"],
    "datePublished": "2024-05-03T10:00:00+02:00",
    "dateModified": "2024-05-04",
    "publisher": {"name": "The Daily"},
    "image": [{"url": "/rain.png"}],
}


def test_json_ld_of_an_article() -> None:
    page = graph({"@graph": [ARTICLE, {"@type": "Person", "@id": "#bo", "name": "Bo"}]})
    assert found(page, url="http://e.example/a/") == Metadata(
        headline="Rain & wind",
        author="Ann Lee, Bo",
        published="2024-05-03T10:00:00+02:00",
        modified="2024-05-04",
        site_name="The Daily",
        image="http://e.example/rain.png",
    )


@pytest.mark.parametrize(
    ("html", "field", "value"),
    [
        ("<html lang=de-AT>", "language", "de-AT"),
        ("<html xml:lang=fr>", "language", "fr"),
        (
            "<html lang=utf-8><meta property=og:locale content=zh_TW>",
            "language",
            "zh_TW",
        ),
        ("<meta http-equiv=Content-Language content=en>", "language", "en"),
        (
            "<meta property=og:url content=/b><link rel='canonical' href=/a>",
            "url",
            "/a",
        ),
        ("<meta property=og:url content=/b>", "url", "/b"),
        ("<meta name=author content=' Ann  Lee '>", "author", "Ann Lee"),
        ("<meta property=article:author content=http://e.example/ann>", "author", None),
        ("<p>by <a rel='author nofollow' href=x>Ann Lee</a>", "author", "Ann Lee"),
        (
            "<p itemprop=author>by <b itemprop=name>Ann Lee</b> of e",
            "author",
            "Ann Lee",
        ),
        ("<meta name=DC.creator content='Ann Lee'>", "author", "Ann Lee"),
        ("<meta name=citation_author content='Lee, Ann B.'>", "author", "Ann B. Lee"),
        (f"<p>by Ann Lee <a rel=author>{'x ' * 60}</a>", "author", None),
        (
            "<meta property=article:published_time content=2024-05-03>",
            "published",
            "2024-05-03",
        ),
        (
            "<meta name=DC.date content='03 May 2024 10:00 GMT'>",
            "published",
            "2024-05-03T10:00:00+00:00",
        ),
        ("<meta name=date content='May 3rd, 2024'>", "published", "2024-05-03"),
        ("<meta name=date content='2024/5/3, 9 o clock'>", "published", "2024-05-03"),
        ("<meta name=date content='yesterday'>", "published", None),
        ("<meta name=date content='0001-01-01T00:00:00'>", "published", None),
        ("<meta name=date content='1970-01-01'>", "published", None),
        (
            "<article><h1>A</h1><time datetime=2024-05-03>x</time></article>",
            "published",
            "2024-05-03",
        ),
        (
            "<div><h1>A</h1></div><aside><time>2024-05-03</time></aside>",
            "published",
            None,
        ),
        ("<time class=entry-date datetime=2024-05-03>", "published", "2024-05-03"),
        ("<time class=updated datetime=2024-05-03>", "modified", "2024-05-03"),
        ("<meta property=og:site_name content=E>", "site_name", "E"),
        (
            "<meta property=og:image content='data:x'><link rel=image_src href=/i.png>",
            "image",
            "/i.png",
        ),
        (
            "<meta property=og:title content='A - E'><h1>A</h1><h1>E</h1>",
            "headline",
            "A",
        ),
        ("<meta property=og:title content='A - E'>", "headline", "A - E"),
        ("<h1>A <b>b</b></h1>", "headline", "A b"),
        ("<h1>A</h1><h1>B</h1>", "headline", None),
        ("<meta property=og:site_name content=A><h1>A</h1>", "headline", None),
        (
            "<meta property=og:site_name content=Homepage><meta name=application-name content=E>",
            "site_name",
            "E",
        ),
        (
            "<meta property=og:site_name content=E><h1>A - B | E</h1>",
            "headline",
            "A - B",
        ),
        ("<h1>?! - .</h1>", "headline", "?! - ."),
    ],
)
def test_places(html: str, field: str, value: str | None) -> None:
    assert getattr(found(html), field) == value


def test_the_title_chooses_between_headings() -> None:
    assert found(
        "<h1>The Site</h1><h1>Rain and wind</h1>", "Rain and wind | The Site"
    ).headline == ("Rain and wind")


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p>by Ann Lee on 3 May 2024",
        "<script type='application/ld+json'>{broken",
        "<script type='application/ld+json'>" + "[" * 100_000,
        graph(
            {"@type": "Organization", "name": "E"},
            {"@type": None, "author": 3},
            4,
            None,
        ),
        graph(
            {
                "@type": "Article",
                "author": {},
                "datePublished": [],
                "headline": 7,
                "url": {},
            }
        ),
        "<meta property=og:title><meta content=x><time><h1></h1><link><p itemprop>",
        graph({"@type": "Article", "headline": f"&#{'1' * 5000};"}),
        f"<h1>{'long ' * 1000}</h1>",
        graph(
            {"@type": "Article", "author": nested("x", 900), "image": nested("x", 900)}
        ),
        graph(
            {"@type": nested("Article", 900), "author": "x"}, {"@id": nested("x", 900)}
        ),
    ],
)
def test_what_is_not_stated_is_none(html: str) -> None:
    assert found(html) == Metadata()


def test_a_script_in_comments_of_xhtml_is_read() -> None:
    data = f"//<![CDATA[\n{json.dumps(ARTICLE)}\n//]]>"
    script = f"<script type='application/ld+json'>\n{data}</script>"
    assert found(script).published == "2024-05-03T10:00:00+02:00"


def test_lone_surrogates_are_replaced() -> None:
    assert found(graph({"@type": "Article", "author": "A \ud800"})).author == "A \ufffd"


def test_only_the_first_values_of_a_place_count() -> None:
    many = "<meta name=author content=''>" * 100
    assert found(many + "<meta name=author content=Ann>").author is None


def test_a_deadline_ends_the_work() -> None:
    with pytest.raises(PageError, match="the page takes more than 0 s"):
        metadata(b"<h1>A</h1>", deadline=Deadline(0))
    with pytest.raises(PageError, match="the page takes more than 0 s"):
        TreeSegmenter(Deadline(0)).html(b"<h1>A</h1>")


def test_an_unclosed_title_hides_nothing() -> None:
    assert found("<title>T<meta name=author content=Ann><p>x").author == "Ann"


OWN = "<article><h1>Rain</h1>"
STRANGE = (
    "<{0} {1}><b itemprop=author>Bo</b> <a rel=author>Bo</a>"
    "<time class=published itemprop=datePublished datetime=2020-01-01>x</time></{0}>"
)


@pytest.mark.parametrize(
    "mark",
    [
        "itemscope itemtype=https://schema.org/Comment",
        "itemscope itemtype=http://schema.org/Review",
        "itemscope itemtype=https://schema.org/Event",
        "class=comments",
        "class='box comment-list'",
        "id=related",
        "class=related-posts",
        "class=timeline",
    ],
)
def test_what_others_state_is_not_the_pages(mark: str) -> None:
    page = found(OWN + STRANGE.format("div", mark))
    assert (page.author, page.published) == (None, None)
    mine = "<p itemprop=author>Ann Lee</p><time datetime=2024-05-03>x</time>"
    page = found(OWN + mine + STRANGE.format("div", mark))
    assert (page.author, page.published) == ("Ann Lee", "2024-05-03")


@pytest.mark.parametrize(
    ("name", "author"),
    [
        ("{{author}}", None),
        ("%author%", None),
        ("[name]", None),
        ("Admin", None),
        ("March 3, 2024", None),
        ("2024-03-03", None),
        ("<a href='/u'>Ann &amp; Bo</a>", "Ann & Bo"),
        ("Admir Unknow", "Admir Unknow"),
    ],
)
def test_what_is_no_name(name: str, author: str | None) -> None:
    assert found(graph({"@type": "Article", "author": name})).author == author


def test_other_articles_of_json_ld() -> None:
    other = {"@type": "Article", "headline": "Sun", "author": "Bo"}
    mine = {"@type": "Article", "headline": "Rain", "author": "Ann"}
    assert (
        found(graph({"@type": "ItemList", "itemListElement": [other]})).author is None
    )
    assert found(graph({**mine, "hasPart": [other]}) + "<h1>Rain").author == "Ann"
    assert found(graph(other, mine), "Rain | Site").author == "Ann"
    assert found(graph(other, {**other, "headline": "Fog"}), "Rain").author is None
    assert found(graph({"@type": "NewsArticle", "comment": [mine]})).author is None


@pytest.mark.parametrize(
    ("html", "published"),
    [
        ("<div class=byline>By Ann, February 25, 2021</div>", "2021-02-25"),
        ("<span class=post-date>25 Feb 2021</span>", "2021-02-25"),
        ("<span class=entry-meta>am 25.2.2021</span>", "2021-02-25"),
        ("<p>By Ann Lee on <time>2021-02-25</time>", "2021-02-25"),
        ("<p>Come to the opening on <time datetime=2026-05-02>2 May</time>", None),
        (f"<p>{'rain ' * 40}</p><div class=date>2021-02-25</div>", None),
        ("<div class=update>2021-02-25</div>", None),
    ],
)
def test_dates_in_the_head_of_the_article(html: str, published: str | None) -> None:
    assert found(OWN + html).published == published


@pytest.mark.parametrize(
    ("url", "published"),
    [
        ("http://e.example/2021/02/25/rain", "2021-02-25"),
        ("http://e.example/news/2021-02-25-rain", "2021-02-25"),
        ("http://e.example/20210225/rain", "2021-02-25"),
        ("http://e.example/2021/02/rain", None),
        ("http://e.example/2021/13/25/rain", None),
    ],
)
def test_the_date_in_the_address(url: str, published: str | None) -> None:
    assert found("<p>a", url=url).published == published


BYLINE = "<p>By <a rel=author href=/a>Ann Lee</a></p>"
OTHERS = "<a href=/x>Old story</a> by <a rel=author href=/u>Bo Ray</a>"


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("<aside>", "</aside>"),
        ("<aside><ul><li>", "</li></ul></aside>"),
        ("<nav>", "</nav>"),
        ("<ul><li>", "</li></ul>"),
        ("<ol class=list><li><h3>Old story</h3>", "</li></ol>"),
        ("<div class=card>", "</div>"),
        ("<div class='box story-card'>", "</div>"),
        ("<article><h2>Old</h2>", "</article>"),
    ],
)
def test_authors_of_other_pages(begin: str, end: str) -> None:
    theirs = f"{begin}{OTHERS}{end}"
    assert found(f"{theirs}{OWN}{BYLINE}</article>").author == "Ann Lee"
    assert found(f"{OWN}{theirs}{BYLINE}</article>").author == "Ann Lee"
    assert found(f"{OWN}</article>{theirs}").author is None


@pytest.mark.parametrize(
    "html",
    [
        f"<ul><li><a rel=author>Bo Ray</a></ul>{OWN}{BYLINE}",
        f"{OWN}<ul class=entry-meta><li><a href=/news>News</a> {BYLINE}</ul>",
        f"{OWN}<aside class=author-bio>{BYLINE}</aside>",
        f"{OWN}<footer>{BYLINE}</footer>",
        f"{OWN}<aside><address><a rel=author>Ann Lee</a></address></aside>",
        f"<article><h2>Rain</h2>{BYLINE}</article>",
        f"<div class=card>{OWN}{BYLINE}</article></div>",
        f"{OWN}<span class='author vcard'><a class='url fn n' href=/a>Ann Lee</a></span>",
        f"{OWN}<p class='vcard author'>by <b class=fn>Ann Lee</b></p>",
        f"{OWN}<span class='author vcard'>by <a href=/a>Ann Lee</a></span>",
        f"{OWN}<div class='p-author h-card'><i class=p-name>Ann Lee</i> of e</div>",
    ],
)
def test_authors_beside_the_heading(html: str) -> None:
    assert found(html).author == "Ann Lee"


def test_the_author_of_the_site_is_not_the_pages() -> None:
    assert found(f"{OWN}</article><footer>{BYLINE}</footer>").author is None


def test_the_card_of_a_reader_is_no_authors() -> None:
    assert (
        found(f"{OWN}<div class='comment-author vcard'><b class=fn>Bo</b></div>").author
        is None
    )


FIRM = {"@type": "NewsMediaOrganization", "name": "The Daily"}


@pytest.mark.parametrize(
    ("author", "html", "expected"),
    [
        (FIRM, "", "The Daily"),
        (FIRM, "<meta name=author content='Ann Lee'>", "Ann Lee"),
        ([FIRM, {"@type": "Person", "name": "Ann Lee"}], "", "Ann Lee"),
        (
            "the daily",
            f"<meta property=og:site_name content='The Daily'>{BYLINE}",
            "Ann Lee",
        ),
        ([{"name": "ANN LEE"}, {"name": "Ann Lee"}], "", "Ann Lee"),
        (["Ann Lée", "Lee, Ann", "Bo"], "", "Ann Lée, Bo"),
        ("Ann Lee, ANN LEE", "", "Ann Lee"),
        ("Lee, Ann", "", "Lee, Ann"),
        ({"givenName": "Ann", "familyName": "Lee"}, "", "Ann Lee"),
        ("/authors/ann", "", None),
        ("facebook.example/ann", "", None),
        ("www.e.example", "", None),
    ],
)
def test_whose_name_is_given(author: object, html: str, expected: str | None) -> None:
    assert (
        found(graph({"@type": "Article", "author": author}) + html).author == expected
    )


def test_every_author_of_a_paper_is_given() -> None:
    tag = "<meta name=citation_author content='{}'>"
    html = "".join(map(tag.format, ["Lee, Ann", "Ray, Bo", "Ann Lee"]))
    assert found(html).author == "Ann Lee, Bo Ray"


@pytest.mark.parametrize(
    ("stated", "published"),
    [
        ("2011", "2011"),
        ("2011/5", "2011-05"),
        ("2011-05", "2011-05"),
        ("5/2011", "2011-05"),
        ("2011-05-00", "2011-05"),
        ("2011/00/00", "2011"),
        ("May 2011", "2011-05"),
        ("2011 September", "2011-09"),
        ("2011/5/3", "2011-05-03"),
        ("2011/13", None),
        ("0011", None),
        ("Volume 2011", None),
    ],
)
def test_dates_of_papers(stated: str, published: str | None) -> None:
    tag = f"<meta name=citation_publication_date content='{stated}'>"
    assert found(tag).published == published


def test_a_day_within_a_stated_year_is_given() -> None:
    tag = "<meta name=citation_publication_date content=2011>"
    assert found(tag + "<meta name=date content=2011-05-03>").published == "2011-05-03"
    assert found(tag + "<meta name=date content=2012-05-03>").published == "2011"


@pytest.mark.parametrize(
    "address",
    [
        "http://[bad",
        "http://",
        "http:///a",
        "https://e.example:port/",
        "https://a..example/",
        "javascript:void(0)",
        "mailto:a@e.example",
        "about:blank",
        "#",
        "#top",
        "null",
        "undefined",
        "{{url}}",
        "%url%",
        "a b",
    ],
)
def test_an_address_that_is_none_is_not_given(address: str) -> None:
    html = f"<link rel=canonical href='{address}'><meta property=og:image content='{address}'>"
    assert found(html) == Metadata()
    assert found(f"{html}<meta property=og:url content=/b>").url == "/b"


@pytest.mark.parametrize(
    ("base", "whole", "without"),
    [
        ("<base href=/de/>", "http://e.example/de/x", "/de/x"),
        ("<base href=//c.example/de/a>", "http://c.example/de/x", "//c.example/de/x"),
        (
            "<base target=a><base href=/b/><base href=/c/>",
            "http://e.example/b/x",
            "/b/x",
        ),
        ("<base href='http://[bad'>", "http://e.example/a/x", "x"),
        ("<base href=javascript:a>", "http://e.example/a/x", "x"),
        ("<base href=''>", "http://e.example/a/x", "x"),
    ],
)
def test_base_completes_addresses(base: str, whole: str, without: str) -> None:
    html = f"{base}<link rel=canonical href=x><meta property=og:image content=x>"
    page = found(html, url="http://e.example/a/b")
    assert (page.url, page.image) == (whole, whole)
    assert found(html).url == without


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html><body lang=fr><p>a", "fr"),
        ("<html lang=de><body lang=fr><p>a", "de"),
        ("<meta http-equiv=Content-Language content=en><body lang=fr>a", "fr"),
        ("<article lang=fr><p>a</article>", "fr"),
        ("<article lang=fr><h1>a</h1></article><article lang=de>b</article>", "fr"),
        ("<article lang=fr>a</article><article lang=de>b</article>", None),
    ],
)
def test_the_language_of_body_and_article(html: str, language: str | None) -> None:
    assert found(html).language == language
