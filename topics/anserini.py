"""Topics and qrels by pyserini's names, such as `wt10g` or `trec2004-terabyte`.

pyserini's names stand for members of Anserini's enums; Anserini downloads their files when they
are first named, into its own folder. Its readers of topics are asked through the JVM.
"""

import ast
import contextlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from boilersweep.errors import QrelsError, TopicsError
from boilersweep.topics.topic import Topic, checked

_EXAMPLE = "topic 851 with the title 'march of the penguins'"


@cache
def known_names(what: str) -> Mapping[str, str]:
    """Map pyserini's names of "topics" or "qrels" to the members of Anserini's enum.

    Read from pyserini's source: to import it where they are imports torch. None of them where
    pyserini is not installed.
    """
    spec = importlib.util.find_spec("pyserini")
    folders = (spec.submodule_search_locations if spec else None) or []
    for folder in folders:
        path = Path(folder, "search", "_base.py")
        for statement in ast.parse(path.read_bytes()).body if path.is_file() else ():
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as value):
                    if name == f"{what}_mapping" and all(
                        isinstance(item, ast.Constant) for item in value.values
                    ):
                        return dict(ast.literal_eval(value))
    return {}


def anserini_topics(name: str) -> list[Topic]:
    """Return the topics of a name among those known; raise TopicsError, JavaError."""
    with _java("topics", name, TopicsError) as java:
        known = java("io.anserini.search.topicreader.Topics").valueOf(known_names("topics")[name])
        reader = java("io.anserini.search.topicreader.TopicReader")
        fields_of_topics = reader.getTopicsWithStringIds(known)
    topics = []
    for id_ in fields_of_topics.keySet().toArray():
        fields = fields_of_topics.get(id_)
        topics.append(
            Topic(
                id=id_,
                title=_folded(fields.get("title")),
                desc=_folded(fields.get("description")),
                narr=_folded(fields.get("narrative")),
            )
        )
    return checked(enumerate(topics, start=1), name, _EXAMPLE)


def anserini_qrels(name: str) -> Path:
    """Return the file of the judgements of a known name; raise QrelsError or JavaError."""
    with _java("qrels", name, QrelsError) as java:
        known = java("io.anserini.eval.Qrels").valueOf(known_names("qrels")[name])
        path = java("java.nio.file.Path").of(known.path)
        return Path(java("io.anserini.eval.RelevanceJudgments").getQrelsPath(path).toString())


@contextlib.contextmanager
def _java(
    what: str, name: str, error_type: type[TopicsError] | type[QrelsError]
) -> Iterator[Callable[[str], Any]]:
    """Give a function that finds Java classes in this process's JVM; turn its errors into ours."""
    from boilersweep.indexer.jvm import start_jvm

    start_jvm()  # before jnius is imported
    from jnius import JavaException, autoclass

    system = autoclass("java.lang.System")
    system.setOut(system.err)  # where Anserini says what it downloads
    try:
        yield autoclass
    except JavaException as error:
        reason = str(error).split("\n", 1)[0].removeprefix("JVM exception occurred: ")
        raise error_type(
            f"Anserini cannot give the {what} of {name}: {reason.partition(': ')[2] or reason}; "
            "it downloads them when they are first named: see whether this machine reaches that "
            f"address, or give a file of {what}"
        ) from error


def _folded(text: str | None) -> str:
    return " ".join((text or "").split())
