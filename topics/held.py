"""Topics and qrels that a program holds already: frames, dictionaries, other libraries' records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from boilersweep.errors import UsageError
from boilersweep.topics.qrels import DOCIDS, GRADES, TOPICS, Qrels, parse_qrels
from boilersweep.topics.tabular import IDS, TITLES
from boilersweep.topics.topic import Topic, checked, folded

# A file, irds:ID or a name; or what a program holds, as `topics_of` and `qrels_of` take it.
AnyTopics = Path | str | Iterable[Any]
AnyQrels = Path | str | Qrels | Iterable[Any]

_DESCRIPTIONS = ("desc", "description")
_NARRATIVES = ("narr", "narrative")
_EXAMPLE = "{'851': 'march of the penguins'}"
# How frames of pandas, of Polars and of Arrow give their rows.
_ROWS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("to_dict", ("records",)),
    ("to_dicts", ()),
    ("to_pylist", ()),
)


def topics_of(held: object, source: str = "topics") -> list[Topic]:
    """Return topics that a program holds, in their order.

    Args:
        held: Topic id -> query, or -> its fields by name; a frame of pandas, Polars or Arrow whose
            columns have the names that TSV files may have; or an iterable of Topics, of such
            records, or of pairs of id and query.
        source: What to call them in messages, with the number of the one that is wrong.

    Raises:
        TopicsError: An id or a title is missing, an id is given twice, or there is no topic.
        UsageError: It is none of these.
    """
    if isinstance(held, Mapping):
        held = [
            {"id": id_, **(one if isinstance(one, Mapping) else {"title": one})}
            for id_, one in held.items()
        ]
    topics = map(_topic, _rows(held, "topics"))
    return checked(enumerate(topics, start=1), source, _EXAMPLE)


def qrels_of(held: object, source: str = "qrels") -> Qrels:
    """Return judgements that a program holds, in their order.

    Args:
        held: Topic id -> docid -> grade; a frame of pandas, Polars or Arrow whose columns have the
            names that files may have; or an iterable of such records, or of topic id, docid and
            grade, with TREC's iteration before the docid or without.
        source: What to call them in messages, with the number of the one that is wrong.

    Raises:
        QrelsError: As `parse_qrels`.
        UsageError: It is none of these.
    """
    if isinstance(held, Qrels):
        return held
    if isinstance(held, Mapping):
        held = _judgements(held)
    return parse_qrels(map(_line, _rows(held, "qrels")), source)


def _judgements(held: Mapping[Any, Any]) -> Iterator[tuple[Any, Any, Any]]:
    for topic, judged in held.items():
        if not isinstance(judged, Mapping):
            raise UsageError(
                f"expected topic id -> docid -> grade, got {judged!r:.80} for {topic!r}"
            )
        for docid, grade in judged.items():
            yield topic, docid, grade


def _rows(held: object, what: str) -> Iterator[Any]:
    """Yield the rows of a frame, or the items of an iterable."""
    for name, arguments in _ROWS if hasattr(held, "columns") else ():
        if give := getattr(held, name, None):
            return iter(give(*arguments))
    if not isinstance(held, Iterable) or isinstance(held, str | bytes):
        raise UsageError(
            f"expected {what} as a file, irds:ID, dictionary, frame or list, got "
            f"{type(held).__name__}"
        )
    return iter(held)


def _topic(one: Any) -> Topic:
    if isinstance(one, Topic):
        return one
    fields = _fields(one, ["id", "title"])
    return Topic(
        id=_token(_first(fields, IDS)),
        title=_text(fields, TITLES),
        desc=_text(fields, _DESCRIPTIONS),
        narr=_text(fields, _NARRATIVES),
    )


def _line(one: Any) -> str:
    """Write a judgement as a line of qrels, which has the checks of every file."""
    four = isinstance(one, tuple | list) and len(one) == 4
    iteration = ["iteration"] if four else []
    fields = _fields(one, ["topic", *iteration, "docid", "grade"])
    topic, docid, grade = (
        _token(_first(fields, known)) for known in (TOPICS, DOCIDS, GRADES)
    )
    return f"{topic}\t0\t{docid}\t{grade}"


def _fields(one: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return a record's values by name in lower case; those of a plain tuple get these names."""
    if hasattr(one, "_asdict"):
        one = one._asdict()
    elif isinstance(one, tuple | list) and len(one) == len(names):
        one = dict(zip(names, one, strict=True))
    elif not isinstance(one, Mapping):
        raise UsageError(
            f"expected {' and '.join(names)}, or a record with names, got {one!r:.80}"
        )
    return {str(name).lower(): value for name, value in one.items()}


def _first(fields: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((fields[name] for name in names if name in fields), None)


def _token(value: Any) -> str:
    """Return an id or a grade as a file has it; frames turn whole numbers into 7.0."""
    if value is None or value != value:  # NaN
        return ""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def _text(fields: Mapping[str, Any], names: Iterable[str]) -> str:
    """Return the first text that is not blank, its white space folded."""
    values = (fields.get(name) for name in names)
    return next((folded(v) for v in values if isinstance(v, str) and v.strip()), "")
