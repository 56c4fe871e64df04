"""Topics as TREC's tracks have written them since 1992, and as tables: TSV, CSV or JSON.

TREC's `<top>` format was never specified. It looks like SGML, but end tags come and go, `<num>` and
its like carry a label ("Number:"), the Web track writes XML with `<topic number="1">` and
`<query>`, CLEF eHealth `<topic><id>1</id><query>`, and NTCIR's WWW task
`<queries><query><qid>1</qid><content>`. So tags are found one by one and a field ends where the
next tag begins.
"""

import csv
import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from boilersweep.collection.fields import value_at
from boilersweep.errors import TopicsError
from boilersweep.outputs.typed_files import parse_json
from boilersweep.topics.topic import (
    Topic,
    checked,
    folded,
    named_columns,
    numbered_lines,
)

_EXAMPLE = "'<top> <num> Number: 851 <title> march of the penguins </top>'"

_TOPIC_TAGS = {"top", "topic"}
_FIELD_TAGS = {
    "id": "id",
    "num": "id",
    "number": "id",
    "title": "title",
    "query": "title",
    "desc": "desc",
    "description": "desc",
    "narr": "narr",
    "narrative": "narr",
}
_KNOWN_TAGS = _TOPIC_TAGS | _FIELD_TAGS.keys() | {"topics", "subtopic"}
_NTCIR = re.compile(r"<queries[\s>]", re.IGNORECASE)
_NTCIR_TAG = re.compile(r"(?<=<)(/?)([a-z]{2,7})(?=[\s/>])", re.IGNORECASE)
_XML_HEAD = 1_000  # characters that may come before the first element
_NTCIR_NAMES = {"query": "topic", "qid": "num", "content": "title"}
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_LABELS = {
    "id": re.compile(r"number\s*:\s*", re.IGNORECASE),
    "title": re.compile(r"topic\s*:\s*", re.IGNORECASE),
    "desc": re.compile(r"description\s*:\s*", re.IGNORECASE),
    "narr": re.compile(r"narrative\s*:\s*", re.IGNORECASE),
}
# Possessive, so that an endless tag that never closes is scanned once and not once per character.
_TAG = re.compile(
    r"(?P<line_start>^[ \t]*+)?<(?P<end>/?)(?P<name>[A-Za-z][\w.-]*+)(?P<attributes>\s[^<>]*+|/)?>",
    re.MULTILINE,
)
_NUMBER_ATTRIBUTE = re.compile(
    r"\s(?:number|num|id)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'/]+))", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag and the text from its end to the next tag."""

    name: str
    is_end: bool
    attributes: str
    line: int
    content: str


@dataclass(slots=True)
class _Draft:
    """A topic being read: for every field its value and the line it began on."""

    line: int
    fields: dict[str, tuple[str, int]] = field(default_factory=dict)

    def add(self, name: str, value: str, line: int, source: str) -> None:
        if not value:
            return
        earlier, earlier_line = self.fields.setdefault(name, (value, line))
        if earlier != value:
            raise TopicsError(
                f"{source}:{line}: expected one {_FIELD_WORDS[name]} per topic, got {value[:80]!r} "
                f"after {earlier[:80]!r} on line {earlier_line}; "
                "remove one of them, or begin a new topic with <top>"
            )

    def numbered(self) -> tuple[int, Topic]:
        values = {name: value for name, (value, _) in self.fields.items()}
        topic = Topic(
            id=values.get("id", ""),
            title=values.get("title", ""),
            desc=values.get("desc", ""),
            narr=values.get("narr", ""),
        )
        _, line = self.fields.get("id", ("", self.line))
        return line, topic


_FIELD_WORDS = {
    "id": "number",
    "title": "title",
    "desc": "description",
    "narr": "narrative",
}


def parse_trec(text: str, source: str, language: str = "") -> list[Topic]:
    """Parse topics in TREC's `<top>` format, in file order.

    End tags, labels and the case of tags are optional; entities are resolved, white space is
    folded, double quotes around a whole title are dropped, comments and unknown elements skipped.

    Args:
        text: The whole file.
        source: The file's name, for messages.
        language: Of the query in `<queries>` with an element for each, as CLEF eHealth 2018 has
            them: such as fr; "" for en.

    Raises:
        TopicsError: A topic has no number or title, or two values of one field; a number is given
            twice; a field is outside any topic; or there is no topic. The message names source and
            line.
    """
    text = text.removeprefix("\ufeff")
    text = _CDATA.sub(lambda section: html.escape(section[1]), text)
    if _NTCIR.search(text, 0, _XML_HEAD):
        names = {**_NTCIR_NAMES, language or "en": "title"}
        text = _NTCIR_TAG.sub(
            lambda tag: tag[1] + names.get(tag[2].lower(), tag[2]), text
        )
    return checked(_topics(text, source), source, _EXAMPLE)


def _topics(text: str, source: str) -> Iterator[tuple[int, Topic]]:
    draft: _Draft | None = None
    for tag in _tags(_without_comments(text)):
        if tag.name in _TOPIC_TAGS:
            if draft:
                yield draft.numbered()
            draft = None
            if not tag.is_end:
                draft = _Draft(tag.line)
                draft.add("id", _number_attribute(tag, source), tag.line, source)
        elif tag.name in _FIELD_TAGS and not tag.is_end:
            if draft is None:
                raise TopicsError(
                    f"{source}:{tag.line}: expected <top> before any field of a topic, "
                    f"got <{tag.name}>; begin the topic with <top>, as in {_EXAMPLE}"
                )
            name = _FIELD_TAGS[tag.name]
            draft.add(name, _value(name, tag, source), tag.line, source)
    if draft:
        yield draft.numbered()


def _tags(text: str) -> Iterator[_Tag]:
    # Older tracks have fields we do not read, each on a line of its own: such a tag ends a field,
    # while an unknown one within a line is text.
    matches = [
        match
        for match in _TAG.finditer(text)
        if match["line_start"] is not None or match["name"].lower() in _KNOWN_TAGS
    ]
    content_ends = [match.start() for match in matches[1:]] + [len(text)]
    line, counted = 1, 0
    for match, content_end in zip(matches, content_ends, strict=False):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        yield _Tag(
            name=match["name"].lower(),
            is_end=bool(match["end"]),
            attributes=match["attributes"] or "",
            line=line,
            content=text[match.end() : content_end],
        )


def _without_comments(text: str) -> str:
    before, *rest = text.split("<!--")
    kept = [before]
    for part in rest:
        comment, end, after = part.partition("-->")
        kept.append("\n" * comment.count("\n") + after if end else "<!--" + part)
    return "".join(kept)


def _value(name: str, tag: _Tag, source: str) -> str:
    value = _folded(tag.content, tag.line, source)
    if label := _LABELS[name].match(value):
        value = value[label.end() :]
    is_quoted = value.startswith('"') and value.endswith('"') and value.count('"') == 2
    return value[1:-1].strip() if name == "title" and is_quoted else value


def _number_attribute(tag: _Tag, source: str) -> str:
    match = _NUMBER_ATTRIBUTE.search(tag.attributes)
    if match is None:
        return ""
    return _folded(match[1] or match[2] or match[3] or "", tag.line, source)


def _folded(text: str, line: int, source: str) -> str:
    try:
        return " ".join(html.unescape(text).split())
    except ValueError as error:
        # Python refuses to convert numbers of thousands of digits.
        raise TopicsError(
            f"{source}:{line}: expected entities such as &amp; or &#39;, got one with too many "
            "digits; replace it by the character it stands for"
        ) from error


_TSV_EXAMPLE = "'851<TAB>march of the penguins'"
_JSON_EXAMPLE = '\'{"id": "851", "title": "march of the penguins"}\''
_CSV_EXAMPLE = "'851,march of the penguins'"
IDS = (
    *("id", "qid", "query_id", "query-id", "queryid", "_id"),
    *("topic", "topic_id", "topic-id", "number", "num"),
)
_BY_PEOPLE = ("original", "human translation")
_LIST = re.compile(r"\s*\[\s*[{\]]")
_ID_KEYS = ("id", "qid", "_id", "topic_id")
TITLES = ("title", "query", "text")


def parse_tsv(text: str, source: str) -> list[Topic]:
    """Parse topics with tabs between columns, in file order.

    A first row may name the columns of ids and queries; without one there are two, id and query.

    Args:
        text: The whole file.
        source: The file's name, for messages.

    Raises:
        TopicsError: A line has another number of columns, an id or a query is missing, an id is
            given twice, or there is no topic; the message names source and line.
    """
    return checked(_table_topics(text, source, "\t"), source, _TSV_EXAMPLE)


def parse_csv(text: str, source: str) -> list[Topic]:
    """Parse topics of columns with commas between them, in file order.

    A first row may name the columns of ids and queries; without one there are two, id and query.
    Quotes are CSV's; a row is one line.

    Args:
        text: The whole file.
        source: The file's name, for messages.

    Raises:
        TopicsError: As for `parse_tsv`.
    """
    return checked(_table_topics(text, source, ","), source, _CSV_EXAMPLE)


def parse_jsonl(text: str, source: str, language: str = "") -> list[Topic]:
    """Parse topics of one JSON object per line or in a list, in file order; BEIR's queries, too.

    Keys: `id`, `qid`, `_id` or `topic_id` (a string, or an integer, which becomes one), `title`,
    `query` or `text`, and optionally `desc` and `narr`. The first one that is not empty counts. Of
    topics in several languages, as HC4 and NeuCLIR have them, a person's translation comes first.

    Args:
        text: The whole file.
        source: The file's name, for messages.
        language: Of a topic in several: such as zho; "" for eng.

    Raises:
        TopicsError: A line is no object, a value has another type, an id or a title is missing, an
            id is given twice, or there is no topic; the message names source and line.
    """
    return checked(_json_topics(text, source, language), source, _JSON_EXAMPLE)


def _table_topics(
    text: str, source: str, separator: str
) -> Iterator[tuple[int, Topic]]:
    """Yield the topics of a table with their lines; only CSV has quotes."""
    is_csv = separator == ","
    between, example, advice = "one tab", _TSV_EXAMPLE, ""
    if is_csv:
        between, example = "commas", _CSV_EXAMPLE
        advice = ", with quotes around a query that has commas"
    width, of_id, of_query = 2, 0, 1
    for row, (number, line) in enumerate(numbered_lines(text)):
        try:
            [columns] = csv.reader([line]) if is_csv else [line.split("\t")]
        except (csv.Error, ValueError) as error:
            raise TopicsError(
                f"{source}:{number}: expected columns with commas between them ({error}), got "
                f"{line[:80]!r}; write it as in {_CSV_EXAMPLE}"
            ) from error
        if row == 0 and (named := named_columns(line, separator, IDS, TITLES)):
            width, (of_id, of_query) = len(columns), named
        elif len(columns) != width:
            came = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
            raise TopicsError(
                f"{source}:{number}: expected {width} columns with "
                f"{between} between them, got {came} in {line[:80]!r}; write it as in "
                f"{example}{advice}"
            )
        else:
            yield (
                number,
                Topic(id=columns[of_id].strip(), title=folded(columns[of_query])),
            )


def _json_topics(text: str, source: str, language: str) -> Iterator[tuple[int, Topic]]:
    lines = numbered_lines(text)
    if is_json_list(text):
        lines = enumerate(map(json.dumps, _json_list(text, source)), start=1)
    for number, line in lines:
        where = f"{source}:{number}"
        try:
            value = parse_json(line)
        except ValueError as error:
            raise TopicsError(
                f"{where}: expected one JSON object on the line, got {line[:80]!r} ({error}); "
                f"write it as in {_JSON_EXAMPLE}"
            ) from error
        if not isinstance(value, dict):
            raise TopicsError(
                f"{where}: expected a JSON object, got {line[:80]!r}; "
                f"write it as in {_JSON_EXAMPLE}"
            )
        value = _translated(value, language or "eng")
        yield (
            number,
            Topic(
                id=_json_text(value, _ID_KEYS, where),
                title=folded(_json_text(value, TITLES, where)),
                desc=folded(_json_text(value, ("desc",), where)),
                narr=folded(_json_text(value, ("narr",), where)),
            ),
        )


def _translated(topic: dict[str, Any], language: str) -> dict[str, Any]:
    """Return a topic with its fields in a language, if it has several."""
    versions = topic.get("topics")
    if not isinstance(versions, list):
        return topic
    chosen = [version for version in versions if value_at(version, "lang") == language]
    chosen.sort(key=lambda one: value_at(one, "source") not in _BY_PEOPLE)
    one = chosen[0] if chosen else {}
    names = {"title": "title", "desc": "description", "narr": "narrative"}
    return {**topic, **{key: one.get(f"topic_{name}") for key, name in names.items()}}


def is_json_list(text: str) -> bool:
    """Return whether a text begins as a JSON list of objects does."""
    return bool(_LIST.match(text.removeprefix("\ufeff")))


def _json_list(text: str, source: str) -> list[object]:
    try:
        records: list[object] = parse_json(text.removeprefix("\ufeff"))
    except ValueError as error:
        raise TopicsError(
            f"{source}: expected a JSON list of topics ({error}); write each as in "
            f"{_JSON_EXAMPLE}"
        ) from error
    return records


def _json_text(value: Mapping[str, object], keys: tuple[str, ...], where: str) -> str:
    """Return the first of some keys' values that is not empty; an id may be an integer."""
    for key in keys:
        text = value.get(key)
        if keys is _ID_KEYS and isinstance(text, int) and not isinstance(text, bool):
            return str(text)
        if not isinstance(text, str | None):
            expected = "a string or an integer" if keys is _ID_KEYS else "a string"
            raise TopicsError(
                f"{where}: expected {expected} for {key!r}, got {json.dumps(text)[:80]}; "
                f"write it as in {_JSON_EXAMPLE}"
            )
        if text and not text.isspace():
            return text
    return ""
