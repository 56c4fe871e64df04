"""Real pages: the scores of an independent implementation are met."""

from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep import Segmentation, segment_collection
from boilersweep.cleaners.syntax.variants import parse_sweep
from boilersweep.eval import ExperimentOptions, SearchOptions, run_sweep
from boilersweep.topics import read_qrels, read_topics

pytestmark = pytest.mark.java

# Documents, P@10 and nDCG@10 on the open topics.
REFERENCE = {
    "words-001": (2175, 0.762, 0.789),
    "words-011": (2168, 0.785, 0.817),
    "words-020": (2143, 0.779, 0.814),
    "density-09": (2173, 0.787, 0.814),
}

# Pages whose title is never closed: the reference loses them.
UNCLOSED_TITLES = 7


def test_scores_are_those_of_the_reference(
    outside_data: Callable[[str], Path], tmp_path: Path
) -> None:
    newsmix = outside_data("newsmix")
    store = segment_collection(
        newsmix / "trec",
        tmp_path / "store",
        Segmentation(collection="blogs06", borders="paper"),
    )
    assert store.documents == 2183
    result = run_sweep(
        store,
        (parse_sweep("words=1,11,20"), parse_sweep("density=9")),
        read_topics(newsmix / "topics.open.txt"),
        read_qrels(newsmix / "qrels.open.txt"),
        tmp_path / "sweep",
        options=ExperimentOptions(search=SearchOptions(threads=2)),
    )
    assert "Means over 71 topics" in result.table
    found = {row.variant.name: row for row in result.rows}
    assert list(found) == list(REFERENCE)
    for name, (documents, p10, ndcg10) in REFERENCE.items():
        results = found[name].results
        assert results["P@10"].mean == pytest.approx(p10, abs=0.015), name
        assert results["nDCG@10"].mean == pytest.approx(ndcg10, abs=0.015), name
        indexed = found[name].documents or 0
        assert documents <= indexed <= documents + UNCLOSED_TITLES + 1, name
