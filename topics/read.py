"""Read topics and qrels: files in any known format, or what ir_datasets and Anserini have by name.

Files may be gzip, and are UTF-8 or windows-1252. Of pyserini's names, such as `wt10g` or
`trec2004-terabyte`, Anserini downloads the files when they are first named, into its own folder.
Its readers of topics are asked through the JVM. Frames,
dictionaries and other libraries' records, which a program holds already, are read as well.
"""

import codecs
import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from boilersweep.applications import required
from boilersweep.collection.inputs import dataset_id
from boilersweep.errors import (
    InputError,
    QrelsError,
    TopicsError,
    UsageError,
    reason_of,
)
from boilersweep.indexer.jvm import may_be_name, qrels_named, start_jvm, topics_named
from boilersweep.outputs.locations import as_location, is_path, is_remote
from boilersweep.outputs.streams import read_input
from boilersweep.topics.qrels import DOCIDS, GRADES, TOPICS, Qrels, parse_qrels
from boilersweep.topics.query_log import QueryLog, parse_query_log
from boilersweep.topics.topic import Topic, checked, decoded_line, folded
from boilersweep.topics.topic_formats import (
    IDS,
    TITLES,
    is_json_list,
    parse_csv,
    parse_jsonl,
    parse_trec,
    parse_tsv,
)

# A file, its URL, irds:ID or a name; or what a program holds, see `topics_of` and `qrels_of`.
AnyTopics = Path | str | Iterable[Any]
AnyQrels = Path | str | Qrels | Iterable[Any]

_DESCRIPTIONS = ("desc", "description")
_NARRATIVES = ("narr", "narrative")
_EXAMPLE = "{'851': 'march of the penguins'}"
# How frames of Polars, whose `to_dict` gives columns, of pandas and of Arrow give their rows.
_ROWS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("to_dicts", ()),
    ("to_dict", ("records",)),
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
            {"id": id_, **(topic if isinstance(topic, Mapping) else {"title": topic})}
            for id_, topic in held.items()
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


_TREC_LINE = re.compile(r"^[ \t]*+<top(?:ics?)?[\s>]", re.IGNORECASE | re.MULTILINE)


def needs_java(name: Path | str, what: str) -> bool:
    """Return whether a name is pyserini's name of "topics" or "qrels", and not a file."""
    text = str(name)
    return "/" not in text and may_be_name(text, what) and not Path(text).exists()


def read_topics(path: AnyTopics, language: str = "") -> list[Topic]:
    """Read the topics of a file, of `irds:ID` or of a pyserini name, or those that a program holds.

    What a program holds is as `topics_of` takes it: topic id -> query, a frame, or a list. An id of
    ir_datasets needs no `irds:` if no file has its name. In a file, a first character `<` or a line
    that begins with `<top>` or `<topic>` means TREC, a first character `{` JSON lines, `[` and `{`
    a JSON list, a comma and no tab in the first line CSV, anything else TSV. The order stays. If a
    file has topics in several languages, `language` is one of its codes; the default is English.

    Raises:
        TopicsError: The file cannot be read, is malformed, or names a topic twice, or the named
            topics are not available.
        UsageError: The dataset is unknown, or it is something else.
        JavaError: No Java can be started.
    """
    if not is_path(path):
        return topics_of(path)
    file = as_location(path)
    if dataset := _dataset(file):
        return irds_topics(dataset)
    if needs_java(file, "topics"):
        return anserini_topics(str(file))
    text = _read_text(file, TopicsError)
    try:
        return _parse_topics(text, str(path), language)
    except TopicsError as error:
        if _parses(lambda: parse_qrels(text.split("\n"), str(path))):
            raise TopicsError(
                f"{path} looks like qrels, expected topics: {_SWAPPED}"
            ) from error
        raise


def _dataset(path: Path) -> str | None:
    """Return the id within `irds:ID`, or an id of ir_datasets that no file has as its name."""
    if (named := dataset_id(path)) or find_spec("ir_datasets") is None:
        return named
    with contextlib.suppress(OSError):
        if is_remote(path) or path.exists():
            return None
    return str(path) if str(path) in import_module("ir_datasets").registry else None


def read_query_log(
    path: Path | str, query_column: str | None = None, count_column: str | None = None
) -> QueryLog:
    """Read a query log in any form that `parse_query_log` knows; raises TopicsError."""
    text = _read_text(as_location(path), TopicsError)
    if _parses(lambda: parse_qrels(text.split("\n"), str(path))):
        raise TopicsError(f"{path} looks like qrels, expected queries, one per line")
    if _TREC_LINE.search(text):
        raise TopicsError(
            f"{path} looks like TREC topics, expected queries: give it as `topics`"
        )
    return parse_query_log(text, str(path), query_column, count_column)


def _parse_topics(text: str, path: str, language: str = "") -> list[Topic]:
    content = text.removeprefix("\ufeff")  # the parsers leave it out themselves
    start = content.lstrip()[:1]
    if start == "{" or is_json_list(text):
        return parse_jsonl(text, path, language)
    if start == "<" or _TREC_LINE.search(content):
        return parse_trec(text, path, language)
    first = content.lstrip().partition("\n")[0]
    if "," in first and "\t" not in first:
        return parse_csv(text, path)
    return parse_tsv(text, path)


def read_qrels(path: AnyQrels) -> Qrels:
    """Read the judgements of a file, of `irds:ID` or of a pyserini name, or what a program holds.

    What a program holds is as `qrels_of` takes it: topic id -> docid -> grade, a frame, or a list.

    Raises:
        QrelsError: The file cannot be read, is malformed, or contradicts itself, or the named
            judgements are not available.
        UsageError: The dataset is unknown, or it is something else.
        JavaError: No Java can be started.
    """
    if not is_path(path):
        return qrels_of(path)
    file = as_location(path)
    if dataset := _dataset(file):
        return irds_qrels(dataset)
    if needs_java(file, "qrels"):
        file = anserini_qrels(str(file))
    text = _read_text(file, QrelsError)
    try:
        return parse_qrels(text.split("\n"), str(file))
    except QrelsError as error:
        if _parses(lambda: _parse_topics(text, str(file))):
            raise QrelsError(
                f"{error}; {file} looks like topics, expected qrels: {_SWAPPED}"
            ) from error
        raise


_SWAPPED = "check that topics and qrels are not swapped"


def _parses(parse: Callable[[], object]) -> bool:
    """Whether a file is what another reader expects."""
    try:
        parse()
    except InputError:
        return False
    return True


def _read_text(path: Path, error_type: type[TopicsError] | type[QrelsError]) -> str:
    what = "topics" if error_type is TopicsError else "qrels"
    try:
        data = read_input(path)
    except (OSError, ValueError) as error:
        raise error_type(
            f"{path}: expected a file of {what}, got: {reason_of(error)}; "
            "check the path and the permission to read it, or give irds:ID or a name that "
            "pyserini knows"
        ) from error
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise error_type(
            f"{path}: expected {what} in UTF-8, got UTF-16; save the file as UTF-8"
        )
    return _decoded(data).replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes) -> str:
    """Decode a file, each line by itself where it is not UTF-8: logs have lines of many clients."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        lines = data.removeprefix(codecs.BOM_UTF8).split(b"\n")
        return "\n".join(map(decoded_line, lines))


def _load_dataset(dataset: str) -> Any:
    load = required("boilersweep.collection.irds:load_dataset", f"irds:{dataset}")
    return load(dataset)


def irds_topics(dataset: str) -> list[Topic]:
    """Read the topics of a dataset, in its order; raise UsageError or TopicsError."""
    loaded = _load_dataset(dataset)
    source = f"irds:{dataset}"
    if not loaded.has_queries():
        raise TopicsError(
            f"{source} has no topics; name the dataset of a track that has them"
        )
    try:
        queries = list(loaded.queries_iter())
    except Exception as error:  # foreign code raises what it likes
        raise TopicsError(_failed("topics", source, error)) from error
    return topics_of(queries, source)


def irds_qrels(dataset: str) -> Qrels:
    """Read the judgements of a dataset, in its order; raise UsageError or QrelsError."""
    loaded = _load_dataset(dataset)
    source = f"irds:{dataset}"
    if not loaded.has_qrels():
        raise QrelsError(
            f"{source} has no qrels; name the dataset of a track that has them"
        )
    try:
        return qrels_of(loaded.qrels_iter(), source)
    except QrelsError:
        raise
    except Exception as error:  # foreign code raises what it likes
        raise QrelsError(_failed("qrels", source, error)) from error


def _failed(what: str, source: str, error: Exception) -> str:
    reason = str(error) or type(error).__name__
    return (
        f"ir_datasets cannot give the {what} of {source}: {reason}; it downloads them when they "
        "are first named: see whether this machine reaches their server"
    )


# The fields of Anserini's topics, in the order of the fields of `Topic`.
_ANSERINI_FIELDS = ("title", "description", "narrative")
_ANSERINI_EXAMPLE = "topic 851 with the title 'march of the penguins'"


def anserini_topics(name: str) -> list[Topic]:
    """Return the topics of a name among those known; raise TopicsError, JavaError."""
    with _anserini("topics", name, TopicsError):
        fields_of_topics = topics_named(name)
    if fields_of_topics is None:
        raise TopicsError(
            f"{name}: expected a file of topics, got neither a file nor a name that Anserini knows"
        )
    topics = []
    for id_ in fields_of_topics.keySet().toArray():
        fields = fields_of_topics.get(id_)
        texts = [folded(fields.get(name) or "") for name in _ANSERINI_FIELDS]
        topics.append(Topic(id_, *texts))
    return checked(enumerate(topics, start=1), name, _ANSERINI_EXAMPLE)


def anserini_qrels(name: str) -> Path:
    """Return the file of the judgements of a known name; raise QrelsError or JavaError."""
    with _anserini("qrels", name, QrelsError):
        return qrels_named(name)


@contextlib.contextmanager
def _anserini(
    what: str, name: str, error_type: type[TopicsError] | type[QrelsError]
) -> Iterator[None]:
    """Start this process's JVM, and turn errors of Java's into ours."""
    start_jvm()  # before jnius is imported
    from jnius import JavaException, autoclass

    system = autoclass("java.lang.System")
    system.setOut(system.err)  # where Anserini says what it downloads
    try:
        yield
    except JavaException as error:
        reason = str(error).split("\n", 1)[0].removeprefix("JVM exception occurred: ")
        raise error_type(
            f"Anserini cannot give the {what} of {name}: {reason.partition(': ')[2] or reason}; "
            "it downloads them when they are first named: see whether this machine reaches that "
            f"address, or give a file of {what}"
        ) from error
