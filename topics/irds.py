"""Topics and qrels of a dataset of ir_datasets."""

from collections.abc import Iterator
from typing import Any

from boilersweep.collection.irds_datasets import load_dataset
from boilersweep.errors import QrelsError, TopicsError
from boilersweep.topics.qrels import Qrels, parse_qrels
from boilersweep.topics.topic import Topic, checked

_TITLES = ("title", "query", "text")
_DESCRIPTIONS = ("description", "desc")
_NARRATIVES = ("narrative", "narr")
_GRADES = ("relevance", "rel")
_EXAMPLE = "query_id='851', title='march of the penguins'"


def irds_topics(dataset: str) -> list[Topic]:
    """The topics of a dataset, in its order; raises UsageError and TopicsError."""
    loaded = load_dataset(dataset)
    source = f"irds:{dataset}"
    if not loaded.has_queries():
        raise TopicsError(f"{source} has no topics; name the dataset of a track that has them")
    try:
        queries = list(loaded.queries_iter())
    except Exception as error:  # foreign code raises what it likes
        raise TopicsError(_failed("topics", source, error)) from error
    return checked(enumerate(map(_topic, queries), start=1), source, _EXAMPLE)


def irds_qrels(dataset: str) -> Qrels:
    """The judgements of a dataset, in its order; raises UsageError and QrelsError."""
    loaded = load_dataset(dataset)
    source = f"irds:{dataset}"
    if not loaded.has_qrels():
        raise QrelsError(f"{source} has no qrels; name the dataset of a track that has them")
    try:
        return parse_qrels(_lines(loaded), source)
    except QrelsError:
        raise
    except Exception as error:  # foreign code raises what it likes
        raise QrelsError(_failed("qrels", source, error)) from error


def _topic(query: Any) -> Topic:
    return Topic(
        id=str(query.query_id),
        title=_first(query, _TITLES),
        desc=_first(query, _DESCRIPTIONS),
        narr=_first(query, _NARRATIVES),
    )


def _first(query: Any, names: tuple[str, ...]) -> str:
    """The first of some fields that says something, its white space folded."""
    values = (getattr(query, name, None) for name in names)
    return next((" ".join(v.split()) for v in values if isinstance(v, str) and v.strip()), "")


def _lines(dataset: Any) -> Iterator[str]:
    for one in dataset.qrels_iter():
        grade = next(getattr(one, name) for name in _GRADES if hasattr(one, name))
        yield f"{one.query_id}\t0\t{one.doc_id}\t{grade}"


def _failed(what: str, source: str, error: Exception) -> str:
    reason = str(error) or type(error).__name__
    return (
        f"ir_datasets cannot give the {what} of {source}: {reason}; it downloads them when they "
        "are first named: see whether this machine reaches their server"
    )
