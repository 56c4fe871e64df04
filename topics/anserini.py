"""Topics and qrels by pyserini's names, such as `wt10g` or `trec2004-terabyte`.

pyserini's names stand for members of Anserini's enums; Anserini downloads their files when they
are first named, into its own folder. Its readers of topics are asked through the JVM.
"""

import ast
import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from boilersweep.errors import QrelsError, TopicsError
from boilersweep.topics.topic import Topic, checked

_EXAMPLE = "topic 851 with the title 'march of the penguins'"


@cache
def known_names(what: str) -> Mapping[str, str]:
    """pyserini's names of "topics" or of "qrels", and the members of Anserini's enum.

    Read from pyserini's source: to import it where they stand imports torch. None of them where
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
                        isinstance(one, ast.Constant) for one in value.values
                    ):
                        return dict(ast.literal_eval(value))
    return {}


def anserini_topics(name: str) -> list[Topic]:
    """The topics of a name among those known; raises TopicsError, JavaError."""
    from jnius import JavaException

    try:
        found = _java("io.anserini.search.topicreader.TopicReader").getTopicsWithStringIds(
            _java("io.anserini.search.topicreader.Topics").valueOf(known_names("topics")[name])
        )
    except JavaException as error:
        raise TopicsError(_failed("topics", name, error)) from error
    topics = []
    for id_ in found.keySet().toArray():
        fields = found.get(id_)
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
    """The file of the judgements of a name among those known; raises QrelsError, JavaError."""
    from jnius import JavaException

    try:
        qrels = _java("io.anserini.eval.Qrels").valueOf(known_names("qrels")[name])
        path = _java("java.nio.file.Path").of(qrels.path)
        return Path(_java("io.anserini.eval.RelevanceJudgments").getQrelsPath(path).toString())
    except JavaException as error:
        raise QrelsError(_failed("qrels", name, error)) from error


def _java(name: str) -> Any:
    """A class of Java, in the JVM of this process."""
    from boilersweep.indexer.jvm import start_jvm

    start_jvm()
    from jnius import autoclass

    system = autoclass("java.lang.System")
    system.setOut(system.err)  # where Anserini says what it downloads
    return autoclass(name)


def _folded(text: str | None) -> str:
    return " ".join((text or "").split())


def _failed(what: str, name: str, error: Exception) -> str:
    reason = str(error).split("\n", 1)[0].removeprefix("JVM exception occurred: ")
    return (
        f"Anserini cannot give the {what} of {name}: {reason.partition(': ')[2] or reason}; it "
        "downloads them when they are first named: see whether this machine reaches that address, "
        f"or give a file of {what}"
    )
