"""A topic, and what every reader of topics demands of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from boilersweep.errors import TopicsError, UsageError

FIELDS = ("title", "desc", "narr")


@dataclass(frozen=True, slots=True)
class Topic:
    """What someone searches for, in the words of TREC.

    id: the topic number, a string without white space: "007" is not "7".
    title: the query. desc: one sentence. narr: what counts as relevant. White space is folded.
    """

    id: str
    title: str
    desc: str = ""
    narr: str = ""

    def text(self, fields: Sequence[str]) -> str:
        """The chosen fields in the order given, joined with a space; empty ones leave nothing.

        fields: names out of FIELDS. Raises UsageError for any other name.
        """
        for field in fields:
            if field not in FIELDS:
                raise UsageError(
                    f"topic fields: expected some of {', '.join(FIELDS)}, got {field!r}"
                )
        values = (getattr(self, field) for field in fields)
        return " ".join(value for value in values if value)


def checked(numbered: Iterable[tuple[int, Topic]], source: str, example: str) -> list[Topic]:
    """The topics of one file in the order given, each with the line it was found on.

    example: a topic as the file's format writes it, for the messages.
    Raises TopicsError for no topic at all, an id that is missing, not one token or given twice,
    a missing title, and lone surrogates, which neither Lucene nor a run file can hold.
    """
    lines: dict[str, int] = {}
    topics: list[Topic] = []
    for line, topic in numbered:
        where = f"{source}:{line}"
        if not topic.id:
            raise TopicsError(
                f"{where}: expected a topic number, got none; write it as in {example}"
            )
        if "\0" in topic.id:
            raise TopicsError(
                f"{where}: expected a topic number without NULs, where trec_eval ends it, got "
                f"{topic.id[:80]!r}; write it as in {example}"
            )
        if topic.id.split() != [topic.id]:
            raise TopicsError(
                f"{where}: expected a topic number without white space, got {topic.id[:80]!r}; "
                f"write it as in {example}"
            )
        if not topic.title:
            raise TopicsError(
                f"{where}: expected a title for topic {topic.id[:80]!r}, got none; "
                f"write it as in {example}"
            )
        if _has_lone_surrogate(topic):
            raise TopicsError(
                f"{where}: expected characters, got half of a surrogate pair in topic "
                f"{topic.id[:80]!r}; remove it or write the whole pair"
            )
        if topic.id in lines:
            raise TopicsError(
                f"{where}: expected every topic number once, got {topic.id[:80]!r} again after "
                f"line {lines[topic.id]}; remove or renumber one of the two"
            )
        lines[topic.id] = line
        topics.append(topic)
    if not topics:
        raise TopicsError(f"{source}:1: expected topics, found none; write them as in {example}")
    return topics


def _has_lone_surrogate(topic: Topic) -> bool:
    try:
        f"{topic.id}{topic.title}{topic.desc}{topic.narr}".encode()
    except UnicodeEncodeError:
        return True
    return False
