"""Scores by language in the report: documents, the tables of every measure, the CSV."""

import re
from typing import Any

import pytest

from boilersweep.eval.report.page import render
from boilersweep.eval.report.provenance import provenance_of
from boilersweep.eval.report.sections import language_section
from boilersweep.eval.study.results import Study
from tests.eval.conftest import known
from tests.eval.made_up import ReadStudy
from tests.eval.report.conftest import ReadHtml


@pytest.fixture
def mixed(document: dict[str, Any], read: ReadStudy) -> Study:
    """Return the study with 12 German topics, 3 Chinese ones and an undecided one."""
    languages = ["de"] * 12 + ["zh"] * 3 + [None]
    for variant in document["variants"]:
        low = variant["scores"]["P@10"][0]
        values = [low + n % 4 / 100 for n in range(12)] + [low / 2] * 3 + [0.0]
        values = [round(value, 6) for value in values]
        variant["scores"] = dict.fromkeys(variant["scores"], values)
        for losses in ("relevant_empty_by_topic", "terms_lost_by_topic"):
            variant["losses"][losses] = [0] * len(values)
    document["topics"] = [
        {**document["topics"][0], "id": f"t{n}", "language": language}
        for n, language in enumerate(languages)
    ]
    document["run"]["languages"] = {"de": 700, "zh": 250, "und": 45, "fr": 5}
    return read(document)


def test_documents_and_topics_are_counted_by_language(mixed: Study) -> None:
    section = known(language_section(mixed))
    lines = [(row.name, *(cell.text for cell in row.cells)) for row in section.grids[0].rows]
    assert lines == [
        ("German (de)", "700", "70.0%", "12"),
        ("Chinese (zh)", "250", "25.0%", "3"),
        ("unknown", "45", "4.5%", "0"),
        ("French (fr)", "5", "0.5%", "0"),
    ]
    (line,) = [line for line in provenance_of(mixed) if line.term == "Languages"]
    assert line.text == "German (de) 700, Chinese (zh) 250, unknown 45, French (fr) 5"


def test_every_cleaner_has_its_score_by_language_with_intervals_where_topics_suffice(
    mixed: Study,
) -> None:
    section = known(language_section(mixed))
    assert [grid.measure for grid in section.grids] == ["", *mixed.tested]
    grid = section.grids[1]
    assert [(head.text, head.note) for head in grid.heads] == [
        ("German (de)", "12 topics"),
        ("Chinese (zh)", "3 topics"),
        ("undecided", "1 topic"),
    ]
    by_cleaner = {row.name: row for row in grid.rows}
    german, chinese, undecided = by_cleaner["bte"].cells
    assert german.text == "0.615"
    assert re.fullmatch(r"0\.6\d\d\u20130\.6\d\d", german.spread)
    assert german.note == "+0.400 [+0.400, +0.400]"
    assert (chinese.text, chinese.spread, chinese.note) == ("0.300", "", "+0.200")
    assert undecided.text == "0.000"
    assert {cell.note for cell in by_cleaner["words>=1"].cells} == {""}
    notes = " ".join(section.notes)
    assert "1 topic is undecided" in notes
    assert "too few for intervals: zh." in notes


def test_the_page_has_the_section_and_its_csv(mixed: Study, read_html: ReadHtml) -> None:
    elements = read_html(render(mixed, []))
    assert [a for a in elements.named("a") if a.get("href") == "#languages"]
    assert [a for a in elements.named("a") if a.get("download") == "languages.csv"]
    assert len(elements.named("caption")) == len(elements.named("table")) == 6


def test_a_study_of_one_language_has_no_section(study: Study, page: str) -> None:
    assert language_section(study) is None
    assert 'id="languages"' not in page


def test_stray_languages_are_no_quantity(document: dict[str, Any], read: ReadStudy) -> None:
    document["run"]["languages"] = {"en": 995, "id": 5}
    assert language_section(read(document)) is None
    document["run"]["languages"] = {"en": 900, "de": 100}
    section = known(language_section(read(document)))
    assert [row.cells[-1].text for row in section.grids[0].rows] == ["\u2013", "\u2013"]
    assert len(section.grids) == 1
