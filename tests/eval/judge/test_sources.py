"""Several datasets judged at once."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from boilersweep.eval.judge import comparison as judged_sources
from boilersweep.eval.judge.comparison import (
    JudgedSource,
    by_language,
    by_source,
    frequent,
    page_languages,
)
from boilersweep.eval.judge.datasets import Dataset, JudgedPage
from boilersweep.eval.judge.files import (
    JUDGEMENT,
    Report,
    judging,
    write_report,
    write_sources,
)
from boilersweep.eval.judge.judge import Judgement, Judgements
from boilersweep.eval.judge.scores import PageScore, Score, StringScore
from boilersweep.eval.judge.tables import source_table


def written(
    sources: Sequence[JudgedSource],
    output: Path,
    notes: Sequence[Sequence[str]],
    recipe: Mapping[str, Any] | None = None,
) -> Report:
    """Write a judgement of several datasets into a folder."""
    datasets = [one.dataset for one in sources]
    with judging(output, datasets, recipe or {}) as writer:
        return write_sources(writer, sources, notes)


def source(label: str, tongues: str, **f1: list[float]) -> JudgedSource:
    """tongues: a language per page. f1: of cleaners; of strings for the label `snippets`."""
    strings = label == "snippets"
    pages = [
        JudgedPage(
            str(n),
            Path("x"),
            None,
            "x",
            str(n),
            wanted=("x",) if strings else (),
            language=one,
        )
        for n, one in enumerate(tongues.split())
    ]

    def score(value: float) -> PageScore:
        both = Score(value, value, value)
        return PageScore(both, both, False, StringScore(10, round(10 * value), 0, 0))

    judgements = [
        Judgement(name, list(map(score, values))) for name, values in f1.items()
    ]
    kind = "snippets" if strings else "folder"
    dataset = Dataset(kind, Path("x") / label, pages, label=label)
    return JudgedSource(dataset, Judgements(judgements, ""), page_languages(dataset))


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> list[JudgedSource]:
    monkeypatch.setattr(judged_sources, "LEAST_PAGES", 2)
    return [
        source("news", "en en ru", good=[0.9, 0.8, 0.4], even=[0.6, 0.6, 0.6]),
        source("old", "en ru ru", good=[0.8, 0.6, 0.8], even=[0.6, 0.6, 0.9]),
        source("snippets", "de de", good=[0.1, 0.1], even=[1.0, 0.8]),
    ]


def test_means_by_source_and_the_worst(three: list[JudgedSource]) -> None:
    rows = by_source(three)
    assert [(r.source, r.cleaner, r.measure, r.pages) for r in rows] == [
        ("news", "good", "f1", 3),
        ("news", "even", "f1", 3),
        ("old", "good", "f1", 3),
        ("old", "even", "f1", 3),
        ("snippets", "good", "balanced", 2),
        ("snippets", "even", "balanced", 2),
    ]
    assert [row.mean for row in rows] == pytest.approx(
        [0.7, 0.6, 2.2 / 3, 0.7, 0.1, 0.9]
    )
    # Strings count another thing: the worst of gold texts is the worst.
    assert [(row.source, row.cleaner) for row in rows if row.worst] == [
        ("news", "good"),
        ("news", "even"),
    ]


def test_the_worst_of_strings_alone() -> None:
    rows = by_source([source("snippets", "de de", good=[0.5, 0.1])])
    assert [row.worst for row in rows] == [True]


def test_means_by_language_over_all_gold_texts(three: list[JudgedSource]) -> None:
    rows = by_language(three)
    assert list(dict.fromkeys(row.group for row in rows)) == ["en", "ru", "snippets de"]
    means = {row.group: row.mean for row in rows if row.cleaner == "good"}
    assert means == pytest.approx({"en": 2.5 / 3, "ru": 1.8 / 3, "snippets de": 0.1})
    assert {(row.group, row.cleaner) for row in rows if row.worst} == {
        ("ru", "good"),
        ("en", "even"),
    }
    # One English page too few: one language is no table
    assert by_language(three[:1]) == []


def test_rare_and_unknown_languages_are_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(judged_sources, "LEAST_PAGES", 2)
    assert frequent(["ru", "und", "en", "ru", "de", "und", "de", "de"]) == ["de", "ru"]


def test_the_language_of_a_page(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<html lang=el><p>1")
    page = JudgedPage("a", tmp_path / "a.html", None, "1", "a")
    russian = "Пони переплыл реку до того, как вечером пошёл дождь, и вернулся домой."
    pages = [page, replace(page, language="pl"), replace(page, gold=russian)]
    assert page_languages(Dataset("folder", tmp_path, pages)) == ["el", "pl", "ru"]
    (tmp_path / "a.html").unlink()  # where the text says it, the page is not read
    assert page_languages(Dataset("folder", tmp_path, pages[1:])) == ["pl", "ru"]


def test_the_cleaner_with_the_best_worst_source_comes_first(
    three: list[JudgedSource],
) -> None:
    lines = source_table(by_source(three), "source").splitlines()
    assert lines[0].split() == [
        "cleaner",
        "worst",
        "worst",
        "source",
        "news",
        "old",
        "snippets",
    ]
    assert lines[4].split() == ["good", "0.700", "news", "0.700*", "0.733", "0.100"]
    assert lines[6].split()[:4] == ["even", "0.600", "news", "0.600*"]
    assert all("-" in bound for bound in lines[5].split())


@pytest.mark.usefixtures("drawn_figures")
@pytest.mark.slow
def test_the_files_of_several_datasets(
    three: list[JudgedSource], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[list[str]] = [["a model knew one page"], [], []]
    report = written(three, tmp_path, notes, {"dataset": "all"})
    header, first, *others = (tmp_path / "sources.csv").read_text().splitlines()
    assert header == "cleaner,source,language,measure,pages,mean,low,high,worst"
    assert first.startswith("good,news,,f1,3,0.7000,")
    assert first.endswith(",1")
    assert len(others) == 2 * 3 + 2 * 3 - 1
    assert (tmp_path / "sources.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "table.txt").read_text() == report.table + "\n"
    assert report.table.endswith("a model knew one page")
    assert (tmp_path / "sources" / "old" / "comparisons.csv").is_file()
    assert ",0.1000," in (tmp_path / "sources" / "snippets" / "scores.csv").read_text()
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert (manifest["facts"]["dataset"], manifest["recipe"]) == (
        "news, old, snippets",
        {"dataset": "all"},
    )
    assert "sources/old/scores.csv" in manifest["parts"]
    assert list(JUDGEMENT.check(tmp_path)) == []
    (tmp_path / "sources" / "old" / "scores.csv").write_text("x")
    assert len(list(JUDGEMENT.check(tmp_path))) == 1


@pytest.mark.slow
def test_one_dataset_leaves_nothing_of_several(
    three: list[JudgedSource], tmp_path: Path
) -> None:
    written(three, tmp_path, [[], [], []])
    dataset, found = three[0].dataset, three[0].found
    with judging(tmp_path, [dataset], {}, overwrite=True) as writer:
        write_report(writer, dataset, found)
    assert not (tmp_path / "sources").exists()
    assert not (tmp_path / "sources.csv").exists()
    assert list(JUDGEMENT.check(tmp_path)) == []


def test_many_cleaners_are_not_all_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boilersweep.eval.judge.files.MAX_CLEANERS", 1)
    sources = [source("news", "en", good=[0.9], even=[0.6])]
    written(sources, tmp_path, [[]])
    drawn = (tmp_path / "sources.svg").read_text()
    assert "(1 of 2)" in drawn
    assert judged_sources.by_language(sources) == []
