import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep import TopicsError
from boilersweep.topics import Topic, parse_csv, parse_jsonl, parse_tsv


def test_tsv() -> None:
    text = (
        '\ufeff007\tmarch of  the penguins\r\n\r\n7 \t a\u2028b &amp; "c" \n \t \n10\tc'
    )
    assert parse_tsv(text, "t") == [
        Topic("007", "march of the penguins"),
        Topic("7", 'a b &amp; "c"'),
        Topic("10", "c"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "^t:1: expected topics, found none; write them as in '851<TAB>"),
        ("\ufeff\r\n \n", "^t:1: expected topics, found none"),
        ("1\ta\n\n2 b\n", "^t:3: expected 2 columns.*, got 1 column in '2 b'"),
        ("1\ta\tb\n", r"^t:1: expected 2 columns.*, got 3 columns in '1\\ta\\tb'"),
        ("1\ta\t\n", "^t:1: expected 2 columns.*, got 3 columns"),
        ("1\ta\n\tb\n", "^t:2: expected a topic number, got none"),
        ("1\ta\n2\t \n", "^t:2: expected a title for topic '2', got none"),
        ("1 2\ta\n", "^t:1: expected a topic number without white space, got '1 2'"),
        ("1\ta\n2\tb\n1\ta\n", "^t:3: .* '1' again after line 1"),
    ],
)
def test_tsv_errors(text: str, message: str) -> None:
    with pytest.raises(TopicsError, match=message):
        parse_tsv(text, "t")


@pytest.mark.parametrize(
    "first",
    [
        *("qid\tquery", "query_id\ttext", "Query-ID\tQuery", "id\ttitle"),
        *("topic\tquery", "\ufefftopic_id\tquery", "number\ttitle"),
    ],
)
def test_names_of_columns_are_no_topic(first: str) -> None:
    assert parse_tsv(f"{first}\n7\tpenguins\n", "t") == [Topic("7", "penguins")]
    assert parse_csv(first.replace("\t", ",") + "\n7,penguins\n", "t") == [
        Topic("7", "penguins")
    ]


def test_columns_with_tabs_in_another_order() -> None:
    text = "query\tcategory\tqid\npenguins\tbirds\t7\n"
    assert parse_tsv(text, "t") == [Topic("7", "penguins")]


def test_only_a_first_line_has_names() -> None:
    assert parse_tsv("7\tpenguins\nid\tquery\n", "t")[1] == Topic("id", "query")


def test_csv() -> None:
    text = '\ufeff007,march of  the penguins\r\n\r\n7 ,"a, ""b"" &amp; c"\n'
    expected = [Topic("007", "march of the penguins"), Topic("7", 'a, "b" &amp; c')]
    assert parse_csv(text, "t") == expected
    named = 'source,Query,qid\nx,march of  the penguins,007\n,"a, ""b"" &amp; c",7\n'
    assert parse_csv(named, "t") == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qid,query\n", "^t:1: expected topics, found none; write them as in '851,"),
        (
            "1,a\n\n2\n",
            "^t:3: expected 2 columns with commas between them, got 1 column in '2'",
        ),
        (
            "1,a,b\n",
            "^t:1: expected 2 columns .* got 3 columns in '1,a,b'; .* quotes around",
        ),
        ("x,qid,query\n1,2\n", "^t:2: expected 3 columns"),
        ("1,a\n,b\n", "^t:2: expected a topic number, got none"),
        ("1,a\n2, \n", "^t:2: expected a title for topic '2', got none"),
        ("1,a\n1,b\n", "^t:2: .* '1' again after line 1"),
        (f"1,{'a' * 200_000}\n", "^t:1: expected columns with commas between them"),
    ],
)
def test_csv_errors(text: str, message: str) -> None:
    with pytest.raises(TopicsError, match=message):
        parse_csv(text, "t")


@pytest.mark.parametrize(
    ("line", "topic"),
    [
        ('{"_id": "q", "text": "a", "metadata": {}}', Topic("q", "a")),
        ('{"id": "007", "title": "a"}', Topic("007", "a")),
        ('{"id": 7, "query": "a  b"}', Topic("7", "a b")),
        ('{"qid": 0, "text": "a"}', Topic("0", "a")),
        ('{"id": "q1", "qid": "x", "title": "a", "query": "x"}', Topic("q1", "a")),
        ('{"id": "1", "title": "", "text": "a"}', Topic("1", "a")),
        ('{"id": null, "qid": "1", "title": null, "query": "a"}', Topic("1", "a")),
        (
            '{"id": "1", "title": "a", "desc": "b\\nb", "narr": "c"}',
            Topic("1", "a", "b b", "c"),
        ),
        ('{"id": "1", "title": "a", "desc": null, "other": [{}]}', Topic("1", "a")),
        ('{"id": "1", "title": "\\ud83d\\udc27 \u2028 b"}', Topic("1", "🐧 b")),
    ],
)
def test_jsonl(line: str, topic: Topic) -> None:
    assert parse_jsonl(f"\ufeff\n{line}\r\n\n", "t") == [topic]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "^t:1: expected topics, found none"),
        ('{"id": "1",', r"^t:2: expected one JSON object on the line, got .* \("),
        ("{}{}", "^t:2: expected one JSON object on the line"),
        ("[" * 100_000, "^t:2: expected one JSON object on the line"),
        ("9" * 5_000, "^t:2: expected a JSON object, got '999"),
        ("[]", "^t:1: expected topics, found none"),
        ("{}", "^t:2: expected a topic number, got none"),
        ('{"number": "1", "text": "a"}', "^t:2: expected a topic number, got none"),
        ('{"id": "", "title": "a"}', "^t:2: expected a topic number, got none"),
        (
            '{"id": " 1", "title": "a"}',
            "^t:2: expected a topic number without white space",
        ),
        (
            '{"id": 1.5, "title": "a"}',
            "^t:2: expected a string or an integer for 'id', got 1.5",
        ),
        (
            '{"id": true, "title": "a"}',
            "^t:2: expected a string or an integer for 'id', got true",
        ),
        (
            '{"qid": ["1"], "title": "a"}',
            "^t:2: expected a string or an integer for 'qid'",
        ),
        ('{"id": "1"}', "^t:2: expected a title for topic '1', got none"),
        ('{"id": "1", "title": 5}', "^t:2: expected a string for 'title', got 5"),
        ('{"id": "1", "title": "a", "narr": {}}', "^t:2: expected a string for 'narr'"),
        ('{"id": "1", "title": "\\ud83d"}', "^t:2: expected characters"),
        ('{"id": "\\ud83d", "title": "a"}', "^t:2: expected characters"),
        (
            '{"id": 1, "title": "a"}\n{"qid": "1", "text": "b"}',
            "^t:3: .* '1' again after line 2",
        ),
    ],
)
def test_jsonl_errors(line: str, message: str) -> None:
    with pytest.raises(TopicsError, match=message):
        parse_jsonl(f"\n{line}", "t")


IDS = st.text(
    st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1
).filter(lambda text: not text.startswith("\ufeff"))
TEXTS = st.text(st.characters(exclude_categories=["Cs"])).map(
    lambda text: " ".join(text.split())
)
TOPICS = st.lists(
    st.builds(Topic, IDS, TEXTS.filter(bool), TEXTS, TEXTS),
    min_size=1,
    unique_by=lambda t: t.id,
)


@given(TOPICS, st.booleans())
def test_rendered_topics_come_back(topics: list[Topic], ascii_only: bool) -> None:
    tsv = "\n".join(f"{topic.id}\t{topic.title}" for topic in topics)
    assert parse_tsv(tsv, "t") == [Topic(topic.id, topic.title) for topic in topics]
    jsonl = "\r\n".join(
        json.dumps(
            {
                "id": topic.id,
                "title": topic.title,
                "desc": topic.desc,
                "narr": topic.narr,
            },
            ensure_ascii=ascii_only,
        )
        for topic in topics
    )
    assert parse_jsonl(jsonl, "t") == topics


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda values: (
        st.lists(values) | st.dictionaries(st.sampled_from(["id", "title"]), values)
    ),
    max_leaves=5,
)


@given(st.text(st.characters()) | st.lists(JSON.map(json.dumps)).map("\n".join))
def test_any_text_gives_topics_or_a_topics_error(text: str) -> None:
    for parse in (parse_tsv, parse_jsonl):
        try:
            topics = parse(text, "t")
        except TopicsError as error:
            assert str(error).startswith("t:")  # noqa: PT017
        else:
            assert all(topic.id and topic.title for topic in topics)
