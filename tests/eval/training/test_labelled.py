from pathlib import Path

import numpy as np
import pytest

from boilersweep.cleaners.learned.feature_sets import FEATURE_SETS
from boilersweep.eval.judge.datasets import Dataset, read_dataset
from boilersweep.eval.training import labelled
from boilersweep.eval.training.labelled import of_pages, read_labelled


def write(folder: Path, **pages: tuple[str, str]) -> Dataset:
    for name, (html, gold) in pages.items():
        (folder / f"{name}.html").write_text(html)
        (folder / f"{name}.txt").write_text(gold)
    return read_dataset("folder", folder)


def test_a_paragraph_has_the_share_of_its_words_that_is_gold(tmp_path: Path) -> None:
    # The second paragraph's gold words are three of four; "four" is not there.
    dataset = write(tmp_path, a=("<p>menu<p>one <b>two</b> three four", "one two three"))
    found = read_labelled(dataset, FEATURE_SETS["paragraphs"])
    assert found.texts == ["menu", "one two three four"]
    assert found.labels.tolist() == [0, 0.75]


def test_blocks_are_the_rows_of_the_papers_features(tmp_path: Path) -> None:
    dataset = write(tmp_path, a=("<p>menu<p>one <b>two</b> three four", "one two three"))
    found = read_labelled(dataset, FEATURE_SETS["schaefer"])
    assert found.texts == ["menu", "one", "two", "three four"]
    assert found.labels.tolist() == [0, 1, 1, 0.5]
    assert found.rows.values.shape == (4, 37)


def test_batches_make_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    dataset = read_dataset("folder", folder)
    whole = read_labelled(dataset, FEATURE_SETS["paragraphs"])
    monkeypatch.setattr(labelled, "BATCH", 5)
    parts = read_labelled(dataset, FEATURE_SETS["paragraphs"])
    np.testing.assert_allclose(parts.rows.values, whole.rows.values, rtol=1e-5, atol=1e-6)
    assert parts.rows.owners.tolist() == whole.rows.owners.tolist()
    assert parts.rows.starts.tolist() == whole.rows.starts.tolist()
    assert parts.texts == whole.texts
    assert parts.labels.tolist() == whole.labels.tolist()


def test_rows_of_some_pages(tmp_path: Path) -> None:
    dataset = write(
        tmp_path, a=("<p>one<p>two", "one"), b=("<p>three", "x"), c=("<p>four<p>five", "y")
    )
    rows = read_labelled(dataset, FEATURE_SETS["paragraphs"]).rows
    found = of_pages(rows, np.array([True, False, True]))
    assert found.starts.tolist() == [0, 2, 4]
    assert found.owners.tolist() == [0, 0, 1, 1]
    assert len(found.values) == 4
