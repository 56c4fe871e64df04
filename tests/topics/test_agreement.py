import re
from collections.abc import Sequence

import pytest

from boilersweep import QrelsError, TopicsError, UsageError
from boilersweep.topics import (
    Agreement,
    Qrels,
    Topic,
    agree,
    describe,
    describe_fields,
    require_agreement,
    require_judged_documents,
    with_documents,
)


def topics(*ids: str) -> list[Topic]:
    return [Topic(id_, "title") for id_ in ids]


def test_agree_sorts_ids_into_groups_in_file_order() -> None:
    qrels = Qrels({"9": {"a": 1}, "1": {"a": 0}, "10": {"a": 0, "b": 2}, "3": {}})
    assert agree(topics("10", "2", "3", "1", "02"), qrels) == Agreement(
        evaluated=("10", "1"),
        without_qrels=("2", "02"),
        without_topic=("9",),
        without_relevant=("3", "1"),
    )


def test_describe_names_the_ids() -> None:
    qrels = Qrels({"9": {"a": 1}, "1": {"a": 0}, "8": {"a": 1}, "5": {"a": 1}})
    assert describe(agree(topics("1", "5", "2"), qrels)) == [
        "1 topic has no qrels and is not evaluated: 2.",
        "2 topics of the qrels are not among the topics: 9, 8.",
        "1 topic has no relevant document in the qrels: 1.",
    ]


def test_describe_names_ten_at_most() -> None:
    ids = tuple(str(number) for number in range(12))
    first_ten = "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
    assert describe(Agreement((), ids[:10], ids[:11], ids)) == [
        f"10 topics have no qrels and are not evaluated: {first_ten}.",
        f"11 topics of the qrels are not among the topics: {first_ten} and 1 more.",
        f"12 topics have no relevant document in the qrels: {first_ten} and 2 more.",
    ]


def test_describe_says_nothing_when_all_is_well() -> None:
    assert describe(agree(topics("1"), Qrels({"1": {"a": 1}}))) == []


def test_require_agreement_is_content_with_one_topic() -> None:
    qrels = Qrels({"1": {"a": 0}, "3": {"a": 1}})
    assert require_agreement(topics("1", "2"), qrels) == agree(topics("1", "2"), qrels)


@pytest.mark.parametrize(
    ("ids", "grades", "message"),
    [
        (
            ["7", "8"],
            {"007": {"a": 1}},
            "topics have ids such as '7', qrels have ids such as '007'",
        ),
        ([], {"1": {"a": 1}}, "topics have none, qrels have ids such as '1'"),
        (["1"], {}, "topics have ids such as '1', qrels have none"),
        (
            ["1", "2"],
            {"2": {}},
            r"got negative grades \(not judged\) only, as for topic '2'",
        ),
    ],
)
def test_require_agreement_shows_both_sides(
    ids: list[str], grades: dict[str, dict[str, int]], message: str
) -> None:
    with pytest.raises(QrelsError, match=message):
        require_agreement(topics(*ids), Qrels(grades))


@pytest.mark.parametrize(
    ("docids", "judged", "message"),
    [
        (
            ["urn:uuid:0", "<urn:uuid:1B-2>"],
            ["x", "1b-2"],
            "docids such as '<urn:uuid:1B-2>', the qrels '1b-2' for the same document",
        ),
        (["b", "a"], ["d", "c"], "docids such as 'b', the qrels such as 'c'"),
        ([], [], "docids such as '', the qrels such as ''"),
    ],
)
def test_docids_of_both_sides_are_shown_side_by_side(
    docids: list[str], judged: list[str], message: str
) -> None:
    qrels = Qrels({"1": dict.fromkeys(judged, 1)})
    with pytest.raises(QrelsError, match=re.escape(message)):
        require_judged_documents(docids, qrels)
    if docids:
        assert require_judged_documents([*docids, judged[0]], qrels) == 1


FOUND = {"1": {"a": 2, "b": 0}, "2": {"c": 1}, "3": {"d": 0}}
MANY = {"1": {"a": 1} | {f"x{number:02}": number % 2 for number in range(120)}}


@pytest.mark.parametrize(
    ("grades", "docids", "sentences"),
    [
        pytest.param(FOUND, "abcdz", [], id="all there"),
        pytest.param(
            FOUND,
            "abcz",
            [
                "1 of 4 judged documents, among them 0 of 2 relevant ones, are not in the "
                "collection, and no ranking can find them: d; the collection has docids such as "
                "'z', the qrels such as 'd'."
            ],
            id="not relevant",
        ),
        pytest.param(
            FOUND,
            "bz",
            [
                "2 topics have no relevant document in the collection and score zero: 1, 2.",
                "3 of 4 judged documents, among them 2 of 2 relevant ones, are not in the "
                "collection, and no ranking can find them: a, c, d; the collection has docids "
                "such as 'z', the qrels such as 'a'.",
            ],
            id="whole topics",
        ),
        pytest.param(
            MANY,
            ["a", "X01", "x02.html"],
            [
                "120 of 121 judged documents, among them 60 of 61 relevant ones, are not in the "
                "collection, and no ranking can find them: x00, x01, x02 ...; the collection has "
                "docids such as 'X01', the qrels 'x01' for the same document."
            ],
            id="nearly all",
        ),
        pytest.param(
            {"1": {"a": 1, "a.html": 1}},
            ["a"],
            [
                "1 of 2 judged documents, among them 1 of 2 relevant ones, are not in the "
                "collection, and no ranking can find them: a.html; the collection has docids such "
                "as 'a', the qrels 'a.html' for the same document."
            ],
            id="no other document",
        ),
    ],
)
def test_missing_judged_documents_are_counted_with_examples(
    grades: dict[str, dict[str, int]], docids: Sequence[str], sentences: list[str]
) -> None:
    before = Agreement(tuple(grades), (), (), ())
    assert describe(with_documents(before, list(docids), grades)) == sentences


PARTLY = [
    Topic("1", "pony", "a pony", "all ponies"),
    Topic("2", "zebra", "a zebra"),
    Topic("3", "otter"),
]


@pytest.mark.parametrize(
    ("topics", "fields", "sentences"),
    [
        (PARTLY, ("title",), []),
        (PARTLY[:1], ("title", "desc", "narr"), []),
        (PARTLY, ("title", "desc"), ["1 of 3 topics have no desc: 3."]),
        (
            PARTLY,
            ("narr", "desc"),
            [
                "2 of 3 topics have no narr: 2, 3.",
                "1 of 3 topics have no desc: 3.",
                "Topics with an empty query, which finds nothing: 3.",
            ],
        ),
    ],
)
def test_topics_without_a_field_of_the_query_are_counted(
    topics: list[Topic], fields: tuple[str, ...], sentences: list[str]
) -> None:
    assert describe_fields(topics, fields) == sentences


@pytest.mark.parametrize(
    ("topics", "fields", "name"),
    [
        (PARTLY[1:], ("narr",), "narr"),
        (PARTLY[1:], ("title", "narr"), "narr"),
        (PARTLY[2:], ("title", "desc"), "desc"),
    ],
)
def test_a_field_that_no_topic_has_is_refused(
    topics: list[Topic], fields: tuple[str, ...], name: str
) -> None:
    with pytest.raises(TopicsError, match=f"expected topics with the field {name}"):
        describe_fields(topics, fields)


def test_a_name_that_is_no_field_is_refused() -> None:
    with pytest.raises(UsageError, match="title, desc, narr"):
        describe_fields(PARTLY, ("body",))
