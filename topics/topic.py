"""A topic, and what every reader of topics demands of it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from boilersweep.errors import TopicsError, UsageError
from boilersweep.pages.stray_characters import as_shown

FIELDS = ("title", "desc", "narr")


@dataclass(frozen=True, slots=True)
class Topic:
    """What someone searches for, in the words of TREC.

    Attributes:
        id: The topic number, a string without white space: "007" is not "7".
        title: The query.
        desc: One sentence.
        narr: What counts as relevant. White space is folded.
    """

    id: str
    title: str
    desc: str = ""
    narr: str = ""

    def text(self, fields: Sequence[str]) -> str:
        """Join the chosen fields in the given order with spaces; empty fields leave nothing.

        Invisible characters are left out, as they are where pages are cut.

        Args:
            fields: Names out of FIELDS.

        Raises:
            UsageError: A name is not in FIELDS.
        """
        for field in fields:
            if field not in FIELDS:
                raise UsageError(
                    f"topic fields: expected some of {', '.join(FIELDS)}, got {field!r}"
                )
        values = (getattr(self, field) for field in fields)
        return as_shown(" ".join(value for value in values if value))


def checked(
    numbered: Iterable[tuple[int, Topic]], source: str, example: str
) -> list[Topic]:
    """Check the topics of one file, and return them in their order.

    Args:
        numbered: The topics, each with its line.
        source: The file's name, for messages.
        example: A topic as the file's format writes it, for the messages.

    Raises:
        TopicsError: There is no topic; an id is missing, not one token or given twice; a title is
            missing; or a topic has lone surrogates, which neither Lucene nor a run file can hold.
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
        try:
            f"{topic.id}{topic.title}{topic.desc}{topic.narr}".encode()
        except UnicodeEncodeError as error:
            raise TopicsError(
                f"{where}: expected characters, got half of a surrogate pair in topic "
                f"{topic.id[:80]!r}; remove it or write the whole pair"
            ) from error
        if topic.id in lines:
            raise TopicsError(
                f"{where}: expected every topic number once, got {topic.id[:80]!r} again after "
                f"line {lines[topic.id]}; remove or renumber one of the two"
            )
        lines[topic.id] = line
        topics.append(topic)
    if not topics:
        raise TopicsError(
            f"{source}:1: expected topics, found none; write them as in {example}"
        )
    return topics


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that is not blank."""
    # Not splitlines: it also cuts at characters that may be within a query.
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if line.strip():
            yield number, line


def decoded_line(line: bytes) -> str:
    """Return a line in UTF-8, or in windows-1252 if it is not valid UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def folded(text: str) -> str:
    """Return a text with single spaces between words."""
    return " ".join(text.split())


def column_names(line: str, separator: str) -> list[str]:
    """Return the names in a table's first line, in lower case and without quotes."""
    return [name.strip().strip('"').lower() for name in line.split(separator)]


def named_columns(line: str, separator: str, *known: Sequence[str]) -> list[int]:
    """Return the places of columns that a table's first line names; none if a column is missing.

    Args:
        line: The first line.
        separator: The character between columns.
        *known: For each wanted column, the names that it may have.
    """
    names = column_names(line, separator)
    places = [
        [names.index(name) for name in names_of_field if name in names]
        for names_of_field in known
    ]
    return [found[0] for found in places] if all(places) else []
