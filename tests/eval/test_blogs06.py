"""The 2010 experiment: its inputs are checked all at once, its figures stand beside ours."""

import gzip
from pathlib import Path

import pytest

from boilersweep import InputError
from boilersweep.cleaners.published.tag_curves import BodyTextExtraction
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval.blogs06 import (
    DOCUMENTS,
    TOPICS,
    check_inputs,
    missing_documents,
    paper_table,
)
from boilersweep.eval.report.paper import OPINIONS, PaperComparison
from boilersweep.eval.stats.frames import Row
from tests.conftest import known
from tests.eval.rows import row_of


def collection(folder: Path) -> Path:
    day = folder / "20051206"
    day.mkdir(parents=True)
    with gzip.open(day / "permalinks-000.gz", "wb") as file:
        file.write(b"<DOC>\n</DOC>\n")
    return folder


def topics(path: Path, numbers: list[str]) -> Path:
    path.write_text("".join(f"{number}\ttopic {number}\n" for number in numbers))
    return path


def qrels(path: Path, numbers: list[str], grade: int = 4) -> Path:
    path.write_text("".join(f"{number} 0 BLOG06-1 {grade}\n" for number in numbers))
    return path


def test_complete_inputs_are_read(tmp_path: Path) -> None:
    inputs = check_inputs(
        collection(tmp_path / "blogs"),
        topics(tmp_path / "topics", [*TOPICS, "901"]),
        qrels(tmp_path / "qrels", list(TOPICS)),
    )
    assert [topic.id for topic in inputs.topics] == list(TOPICS)
    assert inputs.topics[0].title == "topic 851"
    assert set(inputs.qrels.grades) == set(TOPICS)


def test_everything_missing_is_one_message_that_says_where_it_is(
    tmp_path: Path,
) -> None:
    with pytest.raises(InputError) as caught:
        check_inputs(tmp_path / "blogs", tmp_path / "topics", tmp_path / "qrels")
    message = str(caught.value)
    for argument in ("`input`", "`topics`", "`qrels`"):
        assert message.count(argument) == 1
    assert "University of Glasgow" in message
    assert "data/blog/06/06.topics.851-900.txt" in message
    assert "data/blog/06/qrels.blog06.txt" in message


def test_a_folder_without_permalinks_is_not_the_collection(tmp_path: Path) -> None:
    (tmp_path / "blogs").mkdir()
    (tmp_path / "blogs" / "feeds-000.gz").touch()
    with pytest.raises(InputError, match=r"expected a folder with permalinks-NNN\.gz"):
        check_inputs(
            tmp_path / "blogs",
            topics(tmp_path / "topics", list(TOPICS)),
            qrels(tmp_path / "qrels", list(TOPICS)),
        )


def test_missing_topics_and_judgements_are_counted(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        check_inputs(
            collection(tmp_path / "blogs"),
            topics(tmp_path / "topics", list(TOPICS[7:])),
            qrels(tmp_path / "qrels", list(TOPICS[:-2]), 5),
        )
    message = str(caught.value)
    assert (
        "7 of the topics 851-900 are missing (851, 852, 853, 854, 855, ...)" in message
    )
    assert "judges no document for 2 of the topics 851-900 (899, 900" in message
    assert "expected grades -1 to 4, got 5" in message
    assert "--input" not in message


def test_the_warning_on_missing_documents() -> None:
    assert missing_documents(DOCUMENTS) is None
    for documents in (1234, DOCUMENTS + 1):
        warning = known(missing_documents(documents))
        assert (
            f"has 3,215,171 permalink documents, this input has {documents:,}:"
            in warning
        )


def scores(p10: float) -> dict[str, float]:
    return {"P@10": p10, "nDCG@10": p10 / 2, OPINIONS: p10 / 4}


def row(feature: str, value: float, p10: float) -> Row:
    return row_of(Variant.at_least(feature, value), scores(p10))


def test_the_papers_figures_beside_ours() -> None:
    rows = [
        row("words", 1.0, 0.2),
        row("words", 10.0, 0.9),
        row("words", 11.0, 0.41),
        row("words", 50.0, 0.45),
        row("words", 100.0, 0.43),
        row("density", 1.0, 0.2),
        row("density", 14.0, 0.3),
        row_of(Variant(BodyTextExtraction()), scores(0.3)),
    ]
    table = paper_table(PaperComparison({"bm25": rows, "other": rows[:1]}))
    lines = [line.split("  ") for line in table.splitlines()]
    cells = {
        line[0]: [cell.strip() for cell in line[1:] if cell.strip()] for line in lines
    }
    of_all = ["0.200", "0.100", "0.050"]
    nothing = ["-", "-", "-"]
    assert cells["all (words >= 1)"] == ["0.18", "0.0985", *of_all, *of_all]
    of_density = ["0.300 (+50%)", "0.150 (+50%)", "0.075 (+50%)"]
    paper = ["0.32 (+78%)", "0.1823 (+85%)"]
    assert cells["density >= 14"] == [*paper, *of_density, *nothing]
    # The percentages that the paper prints: 144 and 151
    assert cells["words >= 11 to 100"] == [
        "0.44 (+144%)",
        "0.2476 (+151%)",
        "0.410 to 0.450 (+105% to +125%)",
        "0.205 to 0.225 (+105% to +125%)",
        "0.102 to 0.112 (+105% to +125%)",
        *nothing,
    ]
    assert cells["BTE"] == ["0.33 (+83%)", "0.1627 (+65%)", *of_density, *nothing]
    # Of the 14 groups' best runs 11 have more than .44, none less than .005 but one
    assert cells["the paper, words >= 11 to 100"] == ["0.440", "12"]
    assert cells["words>=10, bm25"] == ["0.900", "0.225", "1"]
    assert cells["bte, bm25"] == ["0.300", "0.075", "14"]
