"""Sites, sources and languages left out."""

from pathlib import Path

import numpy as np
import pytest

from boilersweep import UsageError
from boilersweep.cleaners.learned.features import FEATURE_SETS
from boilersweep.cleaners.learned.model import ModelProvenance
from boilersweep.eval.judge.datasets import Dataset, JudgedPage
from boilersweep.eval.training import validation
from boilersweep.eval.training.labelled import Pages, mixed, read_labelled
from boilersweep.eval.training.sources import Source
from boilersweep.eval.training.validation import Held, scores_of, splits, training_table
from boilersweep.outputs.typed_files import as_type


def pages_of(folder: Path, label: str, *sites: str) -> Dataset:
    """Return a page of each site: a menu, and two words of main text that no other page has."""
    pages = []
    for number, site in enumerate(sites):
        path = folder / f"{label}{number}.html"
        gold = f"{label}{number}a {label}{number}b"
        path.write_text(f"<p>menu<p>{gold}")
        pages.append(JudgedPage(path.stem, path, None, gold, site))
    return Dataset("folder", folder, pages, label=label)


@pytest.fixture
def sources(tmp_path: Path) -> list[Source]:
    return [
        Source(pages_of(tmp_path, "one", "a.example", "b.example", "1")),
        Source(pages_of(tmp_path, "two", "www.b.example", "c.example", "1")),
        Source(pages_of(tmp_path, "tried", "d.example"), 0.0),
    ]


@pytest.fixture
def pages(sources: list[Source]) -> Pages:
    datasets = [source.dataset for source in sources]
    return mixed(
        datasets, [read_labelled(one, FEATURE_SETS["schaefer"]) for one in datasets]
    )


def test_pages_of_a_site_stand_together_in_all_sources(pages: Pages) -> None:
    # www.b.example and b.example are one site; "1" is a name in each source, and no host.
    assert pages.groups.tolist() == [0, 1, 2, 1, 3, 4, 5]
    assert pages.sources.tolist() == [0, 0, 0, 1, 1, 1, 2]


def test_every_page_is_left_out_once_by_site(
    pages: Pages, sources: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validation, "FOLDS", 3)
    found = splits("site", pages, sources, ["en"] * 7)
    assert np.sum([split.out for split in found], axis=0).tolist() == [1] * 7
    for split in found:
        assert (split.out ^ split.learned).all()
        assert not set(pages.groups[split.out]) & set(pages.groups[split.learned])


def test_with_a_source_go_the_pages_of_its_sites_elsewhere(
    pages: Pages, sources: list[Source]
) -> None:
    one, two, tried = splits("source", pages, sources, ["en"] * 7)
    assert tried.out.tolist() == [False] * 6 + [True]
    assert one.out.tolist() == [True, True, True, False, False, False, False]
    assert one.learned.tolist() == [False, False, False, False, True, True, True]
    assert two.learned.tolist() == [True, False, True, False, False, False, True]


def test_languages_are_left_out_one_by_one(
    pages: Pages, sources: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boilersweep.eval.judge.comparison.LEAST_PAGES", 2)
    en, ru = splits(
        "language", pages, sources, ["en", "en", "ru", "en", "ru", "el", "und"]
    )
    assert en.out.tolist() == [True, True, False, True, False, False, False]
    assert ru.out.tolist() == [False, False, True, False, True, False, False]
    assert ru.learned.tolist() == [True, True, False, True, False, True, True]


@pytest.mark.parametrize(
    ("kind", "message"), [("source", "two sources"), ("language", "two lang")]
)
def test_too_little_to_leave_out(
    sources: list[Source], pages: Pages, kind: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        splits(kind, pages, sources[:1], ["en"] * 7)


def test_nothing_left_to_learn_from(tmp_path: Path) -> None:
    sources = [
        Source(pages_of(tmp_path, "one", "a.example")),
        Source(pages_of(tmp_path, "two", "b.example"), 0.0),
    ]
    datasets = [source.dataset for source in sources]
    read = [read_labelled(one, FEATURE_SETS["schaefer"]) for one in datasets]
    with pytest.raises(UsageError, match="without the source one"):
        splits("source", mixed(datasets, read), sources, ["en", "en"])


def test_scores_by_hand(pages: Pages) -> None:
    # Everything is kept of the first page, the main text of the second, of the others nothing.
    held = Held(pages)
    held.keep[[0, 1, 3]] = True
    held.probability[held.keep] = 1
    held.done[:3] = True
    held.kinds[:2] = ["article", "forum"]
    held.confidence[:3] = [0.5, 0.6, 0.9]
    found = scores_of(held, np.array([True, True, False, True, True, True, True]))
    assert found["word_f1"] == pytest.approx((0.8 + 1) / 2)
    # Of 5 words kept 4 are main text, of 4 all are kept.
    assert found["block_f1"] == pytest.approx(2 * 4 / (5 + 4), abs=1e-4)
    assert found["kind"] == 0.5
    # The page with the higher F1 has the higher confidence.
    assert found["confidence"] == 1
    # Of 6 words one has the probability 1 and is no content.
    assert found["calibration_error"] == pytest.approx(1 / 6, abs=1e-4)
    assert scores_of(held, ~held.done) == {}


def test_scores_of_strings(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>menu<p>one two")
    page = JudgedPage(
        "a", tmp_path / "a.html", None, "", "a", wanted=("two",), unwanted=("menu",)
    )
    dataset = Dataset("snippets", tmp_path, [page])
    pages = mixed([dataset], [read_labelled(dataset, FEATURE_SETS["schaefer"])])
    held = Held(pages)
    held.keep[:], held.done[:] = True, True
    assert scores_of(held, held.done) == {"kept": 1, "dropped": 0, "balanced": 0.5}


def test_the_lowest_of_gold_texts_is_marked() -> None:
    source = {"dataset": "folder", "licence": "x", "rows": 2000}
    said = {
        "sources": [
            source
            | {"label": "news", "pages": 30, "share": 0.75}
            | {"held_out": {"site": {"word_f1": 0.9}, "source": {"word_f1": 0.7}}},
            source
            | {"label": "old", "pages": 9, "share": 0.25}
            | {"held_out": {"site": {"word_f1": 0.8}, "source": {"word_f1": 0.75}}},
            source
            | {"label": "strings", "pages": 9, "share": 0.0}
            | {"held_out": {"site": {"balanced": 0.5}, "source": {}}},
        ],
        "languages": {
            "en": {"pages": 40, "held_out": {"site": {"word_f1": 0.8}, "source": {}}}
        },
    }
    lines = [
        line.split()
        for line in training_table(as_type(said, ModelProvenance)).splitlines()
    ]
    assert lines[0] == [
        "source",
        "pages",
        "rows",
        "share",
        "by",
        "site",
        "by",
        "source",
    ]
    assert lines[2] == ["news", "30", "2,000", "0.750", "0.900", "0.700*"]
    assert lines[3] == ["old", "9", "2,000", "0.250", "0.800*", "0.750"]
    assert lines[4] == ["strings", "9", "2,000", "0.000", "0.500s"]
    assert not any(line[:1] == ["language"] for line in lines)  # one is no table
