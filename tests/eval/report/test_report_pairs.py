"""Every cleaner against every other one in the report: the first screen, the matrix, the CSV."""

import re
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from boilersweep.eval.report.page import render
from boilersweep.eval.report.sections import MOST_PAIRED, pair_section
from boilersweep.eval.study.pairs import compare_pairs
from boilersweep.eval.study.results import Study
from tests.eval.conftest import known
from tests.eval.made_up import ReadStudy
from tests.eval.report.conftest import ReadHtml


@pytest.fixture
def paired(document: dict[str, Any], read: ReadStudy) -> Study:
    """Return the study with 30 topics instead of 3: bte and words>=2 share a letter."""
    random = np.random.default_rng(1)
    means = {"words>=1": 0.4, "bte": 0.6, "words>=2": 0.6, "words>=3": 0.2, "density>=2": 0.5}
    for variant in document["variants"]:
        name = variant["cleaner"]
        values = (means.get(name, 0.9) + random.normal(0, 0.02, 30)).round(6).tolist()
        variant["scores"] = dict.fromkeys(variant["scores"], values)
        for losses in ("relevant_empty_by_topic", "terms_lost_by_topic"):
            variant["losses"][losses] = [0] * 30
    document["topics"] = [{**document["topics"][0], "id": f"t{n}"} for n in range(30)]
    document["variants"][1]["results"]["P@10"]["closed_interval"] = [0.1, 0.3]
    study = read(document)
    scores = {
        measure: np.array([row.scores[measure] for row in study.rows]).T for measure in study.tested
    }
    pairs = compare_pairs(scores, ([0, 1, 2, 3, 4], 7), study.tested, ("randomisation", "t"), 1)
    return replace(study, pairs=pairs)


def test_the_first_screen_says_what_is_within_noise(paired: Study) -> None:
    page = render(paired, [])
    text = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", page[page.index("<h1") :]))
    first = text[:1100]
    assert "words&gt;=2 is within noise of it on these 30 topics. The smallest difference" in first
    assert "among the 20 pairs and measures tested here" in first
    assert "(10% to 30%)" in first


def test_the_matrix_has_every_pair_twice_with_opposite_signs(paired: Study) -> None:
    section = known(pair_section(paired))
    (matrix, _) = section.grids
    names = [row.name for row in matrix.rows]
    assert [name.partition(" ")[2] for name in names[-2:]] == ["words>=1", "words>=3"]
    letters = [row.cells[1].text for row in matrix.rows]
    assert letters == ["a", "a", "b", "c", "d"]
    assert section.left_out == "7 compared with the baseline alone"
    signs = str.maketrans("+\u2212", "\u2212+")
    for n, row in enumerate(matrix.rows):
        for k, cell in enumerate(row.cells[2:]):
            other = matrix.rows[k].cells[2 + n]
            if n == k:
                assert cell.kind == "self"
                continue
            assert (other.text, other.note) == (cell.text.translate(signs), cell.note)
            alike = letters[n] == letters[k]
            assert {cell.kind, other.kind} == ({""} if alike else {"gain", "loss"})
    best = matrix.rows[0].cells[-1]
    assert best.kind == "gain"
    assert best.title.startswith(f"{names[0].partition(' ')[2]} less words>=3: +0.4")
    assert "30 better, 0 the same, 0 worse" in best.title
    assert "tested alone" in best.title


def test_the_section_is_in_the_page_with_captions_and_scopes(
    paired: Study, read_html: ReadHtml, page: str
) -> None:
    drawn = render(paired, [])
    elements = read_html(drawn)
    assert len(elements.named("caption")) == len(elements.named("table")) == 3 + 2
    assert all(head.get("scope") for head in elements.named("th"))
    assert {"href": "#pairs"} in elements.named("a")
    assert "pairs.csv" in {link.get("download") for link in elements.named("a")}
    assert "not here" in drawn
    assert 'href="#pairs"' not in page  # of a study without pairs
    assert 'id="pairs"' not in page


def test_names_in_the_matrix_make_no_element(paired: Study, read_html: ReadHtml) -> None:
    drawn = render(paired, [])
    assert "words&gt;=2" in drawn[drawn.index('id="pairs"') :]
    assert not read_html(drawn).named("img")


def test_of_many_rows_the_best_are_drawn_with_baseline_and_choice(
    paired: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boilersweep.eval.report.sections.MOST_PAIRED", 3)
    section = known(pair_section(paired))
    names = {row.name.partition(" ")[2] for row in section.grids[0].rows}
    assert names == {"words>=1", "bte", "words>=2"}
    assert section.left_out.startswith("2 more cleaners in pairs.csv; 7 compared")
    assert MOST_PAIRED > 3
