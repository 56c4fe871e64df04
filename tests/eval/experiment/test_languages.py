"""Topics by the language of their relevant documents, and the scores of each language."""

import csv
import io
import json

import numpy as np
import pytest

from boilersweep import BlockStore, Segmentation, segment_collection
from boilersweep.eval.experiment.languages import (
    LEAST_TOPICS,
    UNDECIDED,
    languages_sheet,
    relevant_documents,
    results_by_language,
    topic_languages,
    topics_by_language,
)
from tests.eval.conftest import bootstrap_interval

DECLARED = {
    "de1": "de",
    "de2": "de",
    "fr1": "fr",
    "fr2": "fr",
    "none1": "",
    "none2": "",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> BlockStore:
    """Pages that declare a language, or none, and whose text says nothing of it."""
    folder = tmp_path_factory.mktemp("languages")
    lines = [
        json.dumps({"id": docid, "contents": f"<html lang='{language}'><p>1 2 3"})
        for docid, language in DECLARED.items()
    ]
    (folder / "pages.jsonl").write_text("\n".join(lines))
    options = Segmentation(collection="jsonl")
    return segment_collection(
        folder / "pages.jsonl", folder / "store", options, workers=1
    )


@pytest.mark.parametrize(
    ("relevant", "language"),
    [
        (["de1"], "de"),
        (["de1", "de2", "fr1"], "de"),
        (["de1", "fr1"], None),  # half is not most
        (["de1", "fr1", "none1"], None),
        (["de1", "fr1", "gone", "gone too"], None),
        (["de1", "gone", "gone too"], "de"),  # of those that the store has
        (["gone"], None),
        ([], None),
        (["none1", "none2", "de1"], None),  # what is unknown is no language
    ],
)
def test_a_topic_is_of_the_language_of_most_relevant_documents(
    store: BlockStore, relevant: list[str], language: str | None
) -> None:
    assert topic_languages(store, {"t": relevant}) == {"t": language}


def test_relevant_are_grades_from_one_on() -> None:
    assert relevant_documents({"t": {"a": 1, "b": 0, "c": -1, "d": 2}}) == {
        "t": frozenset({"a", "d"})
    }


def test_languages_come_by_their_topics_and_undecided_ones_last() -> None:
    languages = [None, "fr", "de", "de", None, None, "el", "fr"]
    groups = topics_by_language(languages, {"de": 7, "fr": 9})
    assert [(g.language, g.documents, g.places) for g in groups] == [
        ("de", 7, [2, 3]),
        ("fr", 9, [1, 7]),
        ("el", 0, [6]),
        (UNDECIDED, None, [0, 4, 5]),
    ]


@pytest.mark.parametrize("languages", [[], [None], ["de", "de", None], ["de"]])
def test_topics_of_one_language_are_not_told_apart(languages: list[str | None]) -> None:
    assert topics_by_language(languages, {}) == []


def test_scores_are_those_of_the_topics_alone_with_intervals_where_they_suffice() -> (
    None
):
    random = np.random.default_rng(7)
    values = random.random((LEAST_TOPICS + 3, 3))
    languages = ["de"] * LEAST_TOPICS + ["fr"] * 3
    german, french = topics_by_language(languages, {})
    by_language = results_by_language([german, french], {"AP": values}, 0, seed=3)
    scores, few = ([one["AP"] for one in results] for _, results in by_language)
    here = values[:LEAST_TOPICS]
    assert scores[0].difference is None
    assert [score.mean for score in scores] == pytest.approx(here.mean(axis=0).tolist())
    assert scores[2].difference == pytest.approx((here[:, 2] - here[:, 0]).mean())
    ends = bootstrap_interval(here[:, 2], seed=3)
    assert (scores[2].low, scores[2].high) == pytest.approx(ends, abs=1e-8)
    change = bootstrap_interval(here[:, 2] - here[:, 0], seed=3)
    changes = (scores[2].difference_low, scores[2].difference_high)
    assert changes == pytest.approx(change, abs=1e-8)
    assert few[1].mean == pytest.approx(values[LEAST_TOPICS:, 1].mean())
    assert few[1].low is few[1].high is few[1].difference_low is None
    assert few[1].difference is not None
    ((_, [alone]),) = results_by_language([german], {"AP": values[:, :1]}, None)
    assert alone["AP"].difference is alone["AP"].difference_low is None


def test_the_csv_has_a_row_for_each_language_variant_and_measure() -> None:
    values = np.array([[0.5, 1.0], [0.25, 0.0], [0.0, 0.5]])
    groups = topics_by_language(["de", "fr", None], {"de": 12})
    found = results_by_language(groups, {"P@10": values}, 0)
    text = languages_sheet(found, ["words>=1", "bte"]).csv
    rows = list(csv.DictReader(io.StringIO(text)))
    assert text.splitlines()[0] == (
        "language,documents,topics,cleaner,measure,mean,low,high,difference,"
        "difference_low,difference_high"
    )
    assert [(row["language"], row["documents"], row["cleaner"]) for row in rows] == [
        ("de", "12", "words>=1"),
        ("de", "12", "bte"),
        ("fr", "0", "words>=1"),
        ("fr", "0", "bte"),
        (UNDECIDED, "", "words>=1"),
        (UNDECIDED, "", "bte"),
    ]
    assert [
        row["mean"] for row in rows
    ] == "0.5000 1.0000 0.2500 0.0000 0.0000 0.5000".split()
    assert [row["difference"] for row in rows] == [
        "",
        "0.5000",
        "",
        "-0.2500",
        "",
        "0.5000",
    ]
    assert {row["low"] for row in rows} == {""}


def test_a_store_says_its_languages(store: BlockStore) -> None:
    assert store.languages == {"de": 2, "fr": 2, "und": 2}
