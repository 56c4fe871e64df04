"""What differs between the versions of Anserini and Lucene that pyserini brings.

pyserini 1.6 brings Anserini 1.7 with Lucene 9, pyserini 2.4 Anserini 2.3 with Lucene 10. Formulas
and formats are the same for us; README.md lists the languages whose tokens differ. Functions that
return Java's objects need a running JVM.
"""

import ast
import importlib.util
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


def compound_reader(directory: Any, segment: Any) -> Any:
    """Return the Directory within a segment's compound file.

    Args:
        directory: Lucene's Directory of the index.
        segment: The SegmentInfo.
    """
    from jnius import autoclass

    lucene = autoclass("org.apache.lucene.util.Version").LATEST.major
    usual = autoclass("org.apache.lucene.store.IOContext").DEFAULT
    context = (usual,) if lucene < 10 else ()
    return (
        segment.getCodec()
        .compoundFormat()
        .getCompoundReader(directory, segment, *context)
    )


# What may be a name where the list of names is on a server, as `robust04`, `dl19-passage` and
# `adhoc.351-400`; Java is not started, and no server asked, for what is rather a missing file.
_NAME = re.compile(
    r"(?!.*\.(?:txt|tsv|csv|jsonl?|xml|trec|qrels|gz)$)\w[\w.-]*[\d-][\w.-]*"
)


def may_be_name(text: str, what: str) -> bool:
    """Return whether Anserini may have "topics" or "qrels" of a name.

    pyserini 1.6 has a table of the names; Anserini 2 downloads it.
    """
    names = known_names(what)
    if names or importlib.util.find_spec("pyserini") is None:
        return text in names
    return _NAME.fullmatch(text) is not None


@cache
def known_names(what: str) -> Mapping[str, str]:
    """Map pyserini's names of "topics" or "qrels" to the members of Anserini's enum.

    They are read from pyserini's source, as importing its module imports torch. pyserini 2 has
    none, nor is there one without pyserini.
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


def topics_named(name: str) -> Any:
    """Return Anserini's topics of a name, a Java map of ids to fields; None if it has none."""
    from jnius import autoclass

    topics = autoclass("io.anserini.search.topicreader.Topics")
    names = known_names("topics")
    known = topics.valueOf(names[name]) if names else topics.get(name)
    if known is None:
        return None
    reader = autoclass("io.anserini.search.topicreader.TopicReader")
    return reader.getTopicsWithStringIds(known)


def qrels_named(name: str) -> Path:
    """Return the file of the judgements of a name, which Anserini downloads if it must."""
    from jnius import autoclass

    qrels = autoclass("io.anserini.eval.Qrels")
    if names := known_names("qrels"):
        path = autoclass("java.nio.file.Path").of(qrels.valueOf(names[name]).path)
        found = autoclass("io.anserini.eval.RelevanceJudgments").getQrelsPath(path)
    else:
        found = qrels.resolveQrelsPath(name)
    return Path(found.toString())
