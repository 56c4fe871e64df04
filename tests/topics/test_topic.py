import dataclasses

import pytest

from boilersweep import TopicsError, UsageError
from boilersweep.topics import FIELDS, Topic
from boilersweep.topics.topic import checked

TOPIC = Topic("007", "march of the penguins", narr="a film")


def test_fields_are_those_of_a_topic() -> None:
    assert ("id", *FIELDS) == tuple(field.name for field in dataclasses.fields(Topic))


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (["title"], "march of the penguins"),
        (["title", "desc", "narr"], "march of the penguins a film"),
        (["narr", "title"], "a film march of the penguins"),
        (["desc"], ""),
        ([], ""),
    ],
)
def test_text_joins_the_chosen_fields(fields: list[str], text: str) -> None:
    assert TOPIC.text(fields) == text


@pytest.mark.parametrize("fields", [["id"], ["title", "__class__"], ["Title"], "title"])
def test_text_refuses_other_fields(fields: list[str]) -> None:
    with pytest.raises(UsageError, match="expected some of title, desc, narr, got"):
        TOPIC.text(fields)


def test_a_topic_is_frozen_and_has_slots() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        TOPIC.title = "another"  # type: ignore[misc]
    assert not hasattr(TOPIC, "__dict__")


def test_checked_keeps_the_order_and_ids_that_only_look_alike() -> None:
    topics = [Topic("7", "a"), Topic("007", "b"), Topic("10", "c"), Topic("2", "d")]
    assert checked(enumerate(topics, start=1), "t", "example") == topics


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        (Topic("", "a"), r"^t:3: expected a topic number, got none; .* example$"),
        (
            Topic("8 51", "a"),
            r"^t:3: expected a topic number without white space, got '8 51'",
        ),
        (Topic(" 851", "a"), r"^t:3: expected a topic number without white space"),
        (
            Topic("8\0", "a"),
            r"^t:3: expected a topic number without NULs, .* got '8\\x00'",
        ),
        (Topic("851", ""), r"^t:3: expected a title for topic '851', got none"),
        (
            Topic("851", "a", narr="\ud83d"),
            r"^t:3: expected characters, got half of a surrogate",
        ),
        (Topic("850", "a"), r"^t:3: .* once, got '850' again after line 1"),
    ],
)
def test_checked_refuses(topic: Topic, message: str) -> None:
    with pytest.raises(TopicsError, match=message):
        checked([(1, Topic("850", "first")), (3, topic)], "t", "example")


def test_checked_refuses_no_topic() -> None:
    with pytest.raises(
        TopicsError, match=r"^t:1: expected topics, found none; .* example$"
    ):
        checked([], "t", "example")
