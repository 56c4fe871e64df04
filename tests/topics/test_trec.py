import html
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep import TopicsError
from boilersweep.topics import Topic, parse_trec

BLOG = """<top>

<num> Number: 851
<title> "March of the Penguins"

<desc> Description:
Provide opinion of the film documentary
"March of the Penguins".

<narr> Narrative:
Relevant documents should include opinions.

</top>

<top>
<num> Number: 852
<title> larry summers
</top>
"""

WEB = """<?xml version="1.0" encoding="utf-8"?>
<topics track="web">
  <topic number="1" type="faceted">
    <query>obama &amp; family tree</query>
    <description>
      Find information on the family.
    </description>
    <subtopic number="1" type="nav">
      Find the TIME magazine photo essay.
    </subtopic>
    <subtopic number="2" type="inf">Where did they come from?</subtopic>
  </topic>
  <topic type="ambiguous" number='02'><query>french lick</query></topic>
</topics>
"""

FIRST_TREC = """<top>
<head> Tipster Topic Description
<num> Number:  051
<dom> Domain:  International Economics
<title> Topic:  Airbus Subsidies
<desc> Description:
Document will discuss government assistance.
<smry> Summary:
Not to be read.
<narr> Narrative:
A relevant document will cite it.
<con> Concept(s):
1. Airbus Industrie
<fac> Factor(s):
<nat> Nationality: U.S.
</fac>
<def> Definition(s):
</top>
"""

CLOSED = """<TOPICS>
<TOP><NUM>R101</NUM><TITLE>a</TITLE><DESC>b</DESC><NARR>c</NARR></TOP>
<TOP> <NUM> Number: R102 </NUM> <TITLE>
d
e </TITLE></TOP></TOPICS>"""


CLEF = """<?xml version="1.0"?>
<topics>
<topic>
<id>1</id>
<query>best  apps diabetes</query>
<narrative>Apps &amp; exercise</narrative>
</topic>
</topics>
"""

NTCIR = """<?xml version="1.0" encoding="UTF-8"?>
<queries>
<query><qid>0001</qid><content>Halloween picture</content>
<description>Pictures to print</description></query>
<query><qid>0002</qid><content>tides</content><description>When?</description></query>
</queries>
"""

# The first TREC and the Web track have fields of their own, which are not read.
TRACKS = {
    BLOG: [
        Topic(
            "851",
            "March of the Penguins",
            'Provide opinion of the film documentary "March of the Penguins".',
            "Relevant documents should include opinions.",
        ),
        Topic("852", "larry summers"),
    ],
    WEB: [
        Topic("1", "obama & family tree", "Find information on the family."),
        Topic("02", "french lick"),
    ],
    CLEF: [Topic("1", "best apps diabetes", narr="Apps & exercise")],
    NTCIR: [
        Topic("0001", "Halloween picture", "Pictures to print"),
        Topic("0002", "tides", "When?"),
    ],
    FIRST_TREC: [
        Topic(
            "051",
            "Airbus Subsidies",
            "Document will discuss government assistance.",
            "A relevant document will cite it.",
        )
    ],
    CLOSED: [Topic("R101", "a", "b", "c"), Topic("R102", "d e")],
    "<top><num>1<title>a<desc>b\n<top>\n<num>2\n<title>\nc": [
        Topic("1", "a", "b"),
        Topic("2", "c"),
    ],
}


@pytest.mark.parametrize("text", TRACKS)
def test_line_ends_byte_order_mark_and_blank_lines_change_nothing(text: str) -> None:
    assert parse_trec(text, "t") == TRACKS[text]
    assert parse_trec("\ufeff" + text.replace("\n", "\r\n"), "t") == TRACKS[text]
    assert parse_trec("\n \t\n" + text.replace("\n", "\n\n  "), "t") == TRACKS[text]


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ('"March of the Penguins"', "March of the Penguins"),
        ("&quot;March&quot;", "March"),
        ('" March "', "March"),
        ('"March" of the "Penguins"', '"March" of the "Penguins"'),
        ('the "March"', 'the "March"'),
        ('"', '"'),
        ("R&amp;D", "R&D"),
        ("AT&T", "AT&T"),
        ("penguin&#39;s", "penguin's"),
        ("&lt;title&gt; tag", "<title> tag"),
        ("&amp;quot;", "&quot;"),
        ("a\u00a0\tb&nbsp;c", "a b c"),
        ("Topic: a", "a"),
        ("TOPIC : a", "a"),
        ("\nTopic:\na\nb", "a b"),
        ("a topic: b", "a topic: b"),
        ("topical", "topical"),
        ("a < b > c", "a < b > c"),
        ("use <b>bold</b>", "use <b>bold</b>"),
        ("a <!-- <title> b --> c", "a c"),
        ("a <!-- b", "a <!-- b"),
        ("köln 東京 🐧", "köln 東京 🐧"),
    ],
)
def test_titles(written: str, title: str) -> None:
    text = f"<top><num>1</num><title> {written}\n</top>"
    assert parse_trec(text, "t") == [Topic("1", title)]


def test_quotes_stay_in_the_other_fields() -> None:
    text = '<top><num>1<title>a<desc> Description: "b" <narr>"c"'
    assert parse_trec(text, "t") == [Topic("1", "a", '"b"', '"c"')]


@pytest.mark.parametrize(
    ("tag", "id_"),
    [
        ('<topic number="1">', "1"),
        ("<topic number='007'>", "007"),
        ("<topic number = MB01>", "MB01"),
        ('<TOPIC type="x" ID="1">', "1"),
        ('<top num="1">', "1"),
        ('<topic data-number="9" number="1">', "1"),
    ],
)
def test_number_as_an_attribute(tag: str, id_: str) -> None:
    assert parse_trec(f"{tag}<query>a</query></topic>", "t") == [Topic(id_, "a")]


def test_the_same_number_as_attribute_and_element() -> None:
    text = '<topic number="1"><num>Number: 1</num><title>a</topic>'
    assert parse_trec(text, "t") == [Topic("1", "a")]


def test_commented_topics_are_not_read_and_keep_line_numbers() -> None:
    text = "<!-- <top><num>1\n<title>a\n</top> -->\n<top>\n<title>b"
    with pytest.raises(TopicsError, match=r"^t:4: expected a topic number, got none"):
        parse_trec(text, "t")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"^t:1: expected topics, found none; write them as in '<top> <num>"),
        ("\n851\tpenguins\n", r"^t:1: expected topics, found none"),
        ("<html><body>404</body></html>", r"^t:1: expected topics, found none"),
        ("<topping><num>1<title>a", r"^t:1: expected <top> before any field"),
        ("\n<top>\n<title>a\n</top>", r"^t:2: expected a topic number, got none"),
        (
            "<top><num> Number: \n<title>a\n</top>",
            r"^t:1: expected a topic number, got none",
        ),
        ("<top>\n<num>1\n</top>", r"^t:2: expected a title for topic '1', got none"),
        ("<top><num>1<title> Topic: </title>", r"^t:1: expected a title for topic '1'"),
        ('<top><num>1<title> "" </title>', r"^t:1: expected a title for topic '1'"),
        (
            "<top><num>1 penguins<title>a",
            r"^t:1: .* without white space, got '1 penguins'",
        ),
        (
            "<top>\n<num>1<title>a\n<top>\n\n<num>1<title>b",
            r"^t:5: .* '1' again after line 2",
        ),
        (
            "<top><num>1\n<title>a\n<title>b",
            r"^t:3: expected one title .* 'b' after 'a' on line 2",
        ),
        (
            "<top><num>1<title>a\n<num>2<title>b",
            r"^t:2: expected one number .* begin a new topic",
        ),
        (
            '<topic number="1">\n<num>2',
            r"^t:2: expected one number .* '2' after '1' on line 1",
        ),
        ("<top><num>1<title>a</top>\n<num>2", r"^t:2: expected <top> .* got <num>"),
        ("<top><num>1\n<title>&#" + "9" * 5000 + ";", r"^t:2: expected entities"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_errors_name_the_line(text: str, message: str, line_end: str) -> None:
    with pytest.raises(TopicsError, match=message):
        parse_trec(text.replace("\n", line_end), "t")


def test_messages_stay_short() -> None:
    with pytest.raises(TopicsError) as caught:
        parse_trec(f"<top><num>{'1 ' * 10_000}<title>a", "t")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "hostile",
    [
        "<" * 200_000,
        "<a" * 100_000,
        "<" + "a" * 200_000,
        "<!--" * 50_000,
        " " * 200_000,
    ],
)
def test_hostile_text_takes_linear_time(hostile: str) -> None:
    begin = time.perf_counter()
    topics = parse_trec(f"<top><num>1<title>a</title>\n{hostile}", "t")
    assert topics == [Topic("1", "a")]
    assert time.perf_counter() - begin < 5


IDS = st.text(
    st.characters(codec="ascii", categories=["Lu", "Ll", "Nd"]), min_size=1, max_size=8
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"])).map(
    lambda text: " ".join(text.split())
)
TITLES = TEXTS.filter(lambda text: text and not text.startswith('"'))
TOPICS = st.lists(
    st.builds(Topic, IDS, TITLES, TEXTS, TEXTS),
    min_size=1,
    unique_by=lambda topic: topic.id,
)


def render(topic: Topic, *, end_tags: bool, upper: bool) -> str:
    parts = [_tag("top", upper)]
    for name, label, value in (
        ("num", "Number:", topic.id),
        ("title", "Topic:", topic.title),
        ("desc", "Description:", topic.desc),
        ("narr", "Narrative:", topic.narr),
    ):
        parts.append(f"{_tag(name, upper)} {label}\n{html.escape(value)}")
        if end_tags:
            parts.append(_tag("/" + name, upper))
    if end_tags:
        parts.append(_tag("/top", upper))
    return "\n".join(parts)


def _tag(name: str, upper: bool) -> str:
    return f"<{name.upper() if upper else name}>"


@given(TOPICS, st.booleans(), st.booleans(), st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_rendered_topics_come_back(
    topics: list[Topic], end_tags: bool, upper: bool, line_end: str
) -> None:
    text = "\n".join(render(t, end_tags=end_tags, upper=upper) for t in topics)
    assert parse_trec(text.replace("\n", line_end), "t") == topics


@given(
    st.lists(
        st.sampled_from(
            [
                "<top>",
                "</top>",
                '<topic number="2">',
                "<num>",
                "<title>",
                "</title>",
                "<x>",
                "<!--",
                "-->",
                "&#x",
                "&#0;",
                "Number:",
                "1",
                '"',
                "\n",
                " ",
                "\ud800",
                "\0",
                "<",
                ">",
            ]
        )
    ).map("".join)
    | st.text(st.characters())
)
def test_any_text_gives_topics_or_a_topics_error(text: str) -> None:
    try:
        topics = parse_trec(text, "t")
    except TopicsError as error:
        assert str(error).startswith("t:")  # noqa: PT017
    else:
        assert all(topic.id and topic.title for topic in topics)


def test_cdata() -> None:
    text = "<topics><topic number='1'><query><![CDATA[a < b & <i>c]]></query></topic></topics>"
    assert parse_trec(text, "file") == [Topic("1", "a < b & <i>c")]
