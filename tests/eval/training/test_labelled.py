from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.random import Generator

from boilersweep.cleaners.learned.features import FEATURE_SETS
from boilersweep.eval.judge.datasets import Dataset, read_dataset
from boilersweep.eval.training import labelled
from boilersweep.eval.training.labelled import (
    mixed,
    of_pages,
    read_labelled,
    string_labels,
)
from boilersweep.pages.columns import BlockColumns

pytestmark = pytest.mark.application("learned")


def write(folder: Path, **pages: tuple[str, str]) -> Dataset:
    for name, (html, gold) in pages.items():
        (folder / f"{name}.html").write_text(html)
        (folder / f"{name}.txt").write_text(gold)
    return read_dataset("folder", folder)


def test_a_paragraph_has_the_share_of_its_words_that_is_gold(tmp_path: Path) -> None:
    # The second paragraph's gold words are three of four; "four" is not there.
    dataset = write(
        tmp_path, a=("<p>menu<p>one <b>two</b> three four", "one two three")
    )
    found = read_labelled(dataset, FEATURE_SETS["paragraphs"])
    assert found.texts == ["menu", "one two three four"]
    assert found.labels.tolist() == [0, 0.75]


def test_blocks_are_the_rows_of_the_papers_features(tmp_path: Path) -> None:
    dataset = write(
        tmp_path, a=("<p>menu<p>one<br>two <b>three</b><br>four", "one two three")
    )
    found = read_labelled(dataset, FEATURE_SETS["schaefer"])
    assert found.texts == ["menu", "one", "two three", "four"]
    assert found.labels.tolist() == [0, 1, 1, 0]
    assert found.rows.values.shape == (4, 37)


def test_the_heading_with_the_datasets_title_is_the_headline(tmp_path: Path) -> None:
    html = (
        "<title>Ponies at night - Farm</title><h1>Farm</h1><h2><a>Ponies</a></h2>"
        "<h2><div>Ponies at <i>night</i></div></h2><p>Ponies at night<p>text"
    )
    dataset = write(tmp_path, a=(html, "text"))
    (page,) = dataset.pages
    titled = replace(dataset, pages=[replace(page, title="PONIES AT NIGHT!")])
    found = read_labelled(titled, FEATURE_SETS["paragraphs"])
    assert found.texts == [
        "Farm",
        "Ponies",
        "Ponies at night",
        "Ponies at night",
        "text",
    ]
    assert found.headline.tolist() == [False, False, True, False, False]
    assert found.labels.tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize(("with_headline", "taken"), [(1, 3), (2, 2)])
def test_headings_that_gold_texts_leave_out_are_headlines_where_most_gold_texts_do(
    tmp_path: Path, with_headline: int, taken: int
) -> None:
    pages = {}
    for number in range(3):
        html = f"<title>Ponies {number} - Farm</title><h1>Ponies {number}</h1><h3>Hay</h3><p>text"
        pages[f"p{number}"] = (
            html,
            f"Ponies {number} text" if number < with_headline else "text",
        )
    found = read_labelled(write(tmp_path, **pages), FEATURE_SETS["paragraphs"])
    headlines = [text.startswith("Ponies") for text in found.texts]
    assert sum(headlines) == 3
    assert found.headline[headlines].sum() == found.headline.sum() == taken


def test_batches_make_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    dataset = read_dataset("folder", folder)
    whole = read_labelled(dataset, FEATURE_SETS["paragraphs"])
    monkeypatch.setattr(labelled, "BATCH", 5)
    parts = read_labelled(dataset, FEATURE_SETS["paragraphs"])
    np.testing.assert_allclose(
        parts.rows.values, whole.rows.values, rtol=1e-5, atol=1e-6
    )
    assert parts.rows.owners.tolist() == whole.rows.owners.tolist()
    assert parts.rows.starts.tolist() == whole.rows.starts.tolist()
    assert parts.texts == whole.texts
    assert parts.labels.tolist() == whole.labels.tolist()


def test_rows_of_some_pages(tmp_path: Path) -> None:
    dataset = write(
        tmp_path,
        a=("<p>one<p>two", "one"),
        b=("<p>three", "x"),
        c=("<p>four<p>five", "y"),
    )
    rows = read_labelled(dataset, FEATURE_SETS["paragraphs"]).rows
    found = of_pages(rows, np.array([True, False, True]))
    assert found.starts.tolist() == [0, 2, 4]
    assert found.owners.tolist() == [0, 0, 1, 1]
    assert len(found.values) == 4


def test_rows_with_strings() -> None:
    texts = ["menu", "one two three", "one  two", "four", "menu four", "none"]
    labels, known = string_labels(texts, ["two three", "one two", "four"], ["menu"])
    # "one two" stands in two rows, and one of them would do; "menu" must go from both.
    assert labels.tolist() == [0, 1, 0, 0, 0, 0]
    assert known.tolist() == [True, True, False, False, True, False]
    # A row with strings of both kinds says nothing.
    labels, known = string_labels(["one two"], ["two"], ["one"])
    assert known.tolist() == [False]


def test_a_view_has_the_features_of_changed_pages(tmp_path: Path) -> None:
    dataset = write(tmp_path, a=("<p>menu<p>one two", "one two"))
    seen: list[int] = []

    def longer(columns: BlockColumns, random: Generator) -> BlockColumns:
        seen.append(int(random.integers(99)))
        return replace(columns, texts=[f"{text} more" for text in columns.texts])

    schaefer = FEATURE_SETS["schaefer"]
    found = [read_labelled(dataset, schaefer, longer, seed) for seed in (3, 3, 4)]
    assert found[0].rows.values.shape == found[0].viewed.shape == (2, 37)
    assert seen[0] == seen[1] != seen[2]
    assert not np.array_equal(found[0].viewed, found[0].rows.values)
    unchanged = read_labelled(dataset, schaefer, lambda columns, _: columns)
    assert unchanged.viewed == pytest.approx(unchanged.rows.values, rel=1e-6)


def test_sources_stand_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one = write(tmp_path / "one", a=("<p>menu<p>one", "one"), b=("<p>two", "two"))
    two = write(tmp_path / "two", a=("<p>three", "three"))
    features = FEATURE_SETS["paragraphs"]
    parts = [read_labelled(dataset, features) for dataset in (one, two)]
    found = mixed([one, two], parts)
    assert found.labelled.texts == ["menu", "one", "two", "three"]
    assert found.labelled.rows.owners.tolist() == [0, 0, 1, 2]
    assert found.labelled.rows.starts.tolist() == [0, 2, 3, 4]
    assert found.sources.tolist() == [0, 0, 1]
    assert len(set(found.groups.tolist())) == 3
