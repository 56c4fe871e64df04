"""Our indexes open in pyserini's own classes, and answer there as they do here."""

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from boilersweep.cleaners.language.variants import parse_sweep
from boilersweep.eval.ranking.models import BM25, QueryLikelihood
from boilersweep.eval.ranking.search import search_index
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.parallel_indexes import build_parallel_indexes
from boilersweep.store.store import BlockStore

pytestmark = pytest.mark.java


@pytest.fixture
def lucene_searcher() -> Iterator[Any]:
    """Import pyserini's LuceneSearcher without torch.

    Its package imports the neural searchers beside it, which import torch, missing in a light
    environment: mocks replace them, and nothing else.
    """
    start_jvm()
    neural = types.ModuleType("pyserini.encode")
    neural.__dict__["__getattr__"] = lambda name: mock.MagicMock(name=name)
    with mock.patch.dict(sys.modules, {"pyserini.encode": neural}):
        from pyserini.search.lucene import LuceneSearcher

        yield LuceneSearcher


def test_lucene_searcher_gives_our_runs(
    store: BlockStore, queries: dict[str, str], tmp_path: Path, lucene_searcher: Any
) -> None:
    thresholds = parse_sweep("words=1,3,8").thresholds
    for index in build_parallel_indexes(store, thresholds, tmp_path):
        searcher = lucene_searcher(str(index.path))
        assert searcher.num_docs == index.manifest.documents
        for model in (BM25(), QueryLikelihood()):
            if isinstance(model, BM25):
                searcher.set_bm25(model.k1, model.b)
            else:
                searcher.set_qld(model.mu)
            for topic, hits in search_index(index.path, queries, model).items():
                found = [(hit.docid, hit.score) for hit in searcher.search(queries[topic], 1000)]
                assert found == hits
