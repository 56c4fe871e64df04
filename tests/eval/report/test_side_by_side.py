"""Studies side by side: what differs, and the figures of each beside those of the others."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from boilersweep.errors import InputError, OutputError, UsageError
from boilersweep.eval.experiment import EXPERIMENT
from boilersweep.eval.report.side_by_side import Side, aspects, read_sides, side_tables
from boilersweep.eval.report.side_by_side_page import render_side_by_side, side_by_side_text
from boilersweep.eval.study.results import FormulaRows
from boilersweep.outputs.folder import OutputFolder
from boilersweep.outputs.manifest_file import read_manifest
from tests.eval.report.conftest import HOSTILE, ReadHtml

IDENTITY: dict[str, Any] = {
    "kind": "study",
    "store": "s" * 64,
    "variants": {"words-001": "words>=1"},
    "models": {},
    "topics": {"fields": ["title"], "queries": "q" * 64},
    "qrels": "r" * 64,
    "measures": ["P@10"],
    "ranking": {"formula": "bm25", "k1": 0.9},
    "hits": 1000,
    "analyzer": {"language": "en"},
    "baseline": "words>=1",
    "gold": "gold",
    "engine": "exact",
    "seed": 1,
    "anserini": "1.7.1",
    "code": {"rank": "c" * 64},
}


def write(folder: Path, study: dict[str, Any], **identity: Any) -> Path:
    """A finished study as far as it is read here."""
    folder.mkdir(parents=True)
    (folder / "study.json").write_text(json.dumps(study), "utf-8")
    said = {
        "store": "",
        "store_fingerprint": "",
        "topics": {"evaluated": []},
        "measures": [],
        "analyzer": {},
        **study["run"],
        "sources": {
            name: {"path": f"/data/{name}.txt", "bytes": 0, "sha256": ""}
            for name in ("topics", "qrels")
        },
    }
    OutputFolder(folder, EXPERIMENT).seal(said, IDENTITY | identity, ["study.json"])
    return folder


@pytest.fixture
def other(document: dict[str, Any]) -> dict[str, Any]:
    """The same study with other figures of bte, without density and with AP in place of nDCG."""
    study = copy.deepcopy(document)
    study["variants"] = [one for one in study["variants"] if one["cleaner"] != "density>=2"]
    study |= {"gold": 4, "choice": None, "advice": None, "title": "The other"}
    study["run"]["model"] = "qld"
    study["measures"]["tested"] = ["P@10", "AP"]
    for one in study["variants"]:
        one["results"]["AP"] = one["results"].pop("nDCG@10")
        one["scores"]["AP"] = one["scores"].pop("nDCG@10")
    bte = study["variants"][1]["results"]["P@10"]
    bte["difference"]["tests"]["randomisation_holm"] = 0.3
    bte["mean"] = 0.777
    return study


@pytest.fixture
def sides(document: dict[str, Any], other: dict[str, Any], tmp_path: Path) -> list[Side]:
    one = write(tmp_path / "a" / "out", document)
    two = write(tmp_path / "b" / "out", other, ranking={"formula": "qld"}, qrels="x" * 64)
    return read_sides([one, two])


def test_what_differs_is_named_and_what_does_not(sides: list[Side]) -> None:
    different, same = aspects(sides)
    said = {aspect.term: aspect.texts for aspect in different}
    assert said["ranking"] == ["bm25(k1=0.9,b=0.4)", "qld"]
    assert said["measures"] == ["P@10, nDCG@10", "P@10, AP"]
    # Files of one name with other judgements are told apart.
    before, after = said["judgements"]
    assert before.startswith("qrels.txt (")
    assert before != after
    assert said.keys() == {"ranking", "measures", "judgements"}
    assert {"collection", "topics", "baseline", "seed"} <= {*same}


def test_the_columns_have_names_that_tell_them_apart(sides: list[Side]) -> None:
    assert [side.name for side in sides] == ["a/out", "b/out"]


def test_figures_are_those_of_the_studies(sides: list[Side]) -> None:
    first, ndcg, ap = side_tables(sides)
    assert [table.measure for table in (first, ndcg, ap)] == ["P@10", "nDCG@10", "AP"]
    lines = {line.cleaner: line.cells for line in first.lines}
    assert first.lines[0].cleaner == "words>=1"
    assert first.lines[-1].cleaner == "gold"
    ours, theirs = lines["bte"]
    assert ours is not None
    assert theirs is not None
    assert (ours.mean, ours.significant, ours.chosen) == (0.5, True, True)
    assert (theirs.mean, theirs.significant) == (0.777, False)
    assert ours.text == "0.500 [0.400, 0.600] +0.100*"
    assert lines["density>=2"][1] is None
    kept = lines["words>=1"][0]
    assert kept is not None
    assert kept.text == "0.400 [0.300, 0.500], baseline"
    assert all(line.cells[1] is None for line in ndcg.lines)


def test_the_table_of_the_terminal(sides: list[Side]) -> None:
    text = side_by_side_text(sides)
    assert text.startswith("What differs\n")
    assert "nothing here tests one study against another" in text
    (line,) = [line for line in text.splitlines() if line.startswith("density>=2") and "-" in line][
        :1
    ]
    assert line.rstrip().endswith("-")


def test_the_page_holds_still(sides: list[Side], read_html: ReadHtml) -> None:
    page = render_side_by_side(sides, f"Both {HOSTILE}")
    assert page == render_side_by_side(sides, f"Both {HOSTILE}")
    elements = read_html(page)
    for tag in ("script", "img", "iframe", "svg", "link"):
        assert not elements.named(tag)
    (policy,) = [str(m["content"]) for m in elements.named("meta") if m.get("http-equiv")]
    assert policy.startswith("default-src 'none'; script-src ;")
    assert all(head.get("scope") for head in elements.named("th"))
    assert "a/out beside b/out" in render_side_by_side(sides)


def test_a_study_beside_its_copy(document: dict[str, Any], tmp_path: Path) -> None:
    folders = [write(tmp_path / name, document) for name in ("one", "two")]
    assert "Nothing differs" in side_by_side_text(read_sides(folders))


def test_twice_the_same_is_refused(document: dict[str, Any], tmp_path: Path) -> None:
    folder = write(tmp_path / "one", document)
    with pytest.raises(UsageError, match=r"expected every study once, got .*one twice"):
        read_sides([folder, tmp_path / "." / "one"])


def test_what_is_no_study_is_refused(document: dict[str, Any], tmp_path: Path) -> None:
    good = write(tmp_path / "good", document)
    with pytest.raises(OutputError, match=r"nothing is not finished: it has no manifest\.json"):
        read_sides([good, tmp_path / "nothing"])
    swept = write(tmp_path / "swept", document, kind="sweep")
    with pytest.raises(OutputError, match="swept has a sweep, which has no report"):
        read_sides([good, swept])
    older = write(tmp_path / "older", document | {"study_version": 0})
    with pytest.raises(InputError, match=r"older/study\.json: expected a study of version"):
        read_sides([good, older])
    damaged = write(tmp_path / "damaged", document)
    with (damaged / "study.json").open("a") as file:
        file.write(" ")
    with pytest.raises(InputError, match=r"damaged is not as it was written: study\.json has"):
        read_sides([damaged, good])
    forged = write(tmp_path / "forged", document)
    manifest = read_manifest(forged / "manifest.json")
    (forged / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(OutputError, match="it was changed or damaged"):
        read_sides([good, forged])


def test_a_study_of_several_formulas_has_a_column_for_each(
    document: dict[str, Any], tmp_path: Path
) -> None:
    one = write(tmp_path / "one", document)
    read = read_sides([one, write(tmp_path / "two", document)])[0]
    second = FormulaRows("rm3", "rm3(terms=10)", True, [*read.study.rows])
    first = FormulaRows("bm25", "bm25(k1=0.9,b=0.4)", True, read.study.rows)
    study = replace(read.study, formulas=[first, second])
    sides = [
        replace(read, name=f"one, {each.name}", study=study, formula=each)
        for each in (first, second)
    ]
    (ranking,), _ = aspects(sides)
    assert ranking.texts == ["bm25(k1=0.9,b=0.4)", "rm3(terms=10)"]
    (line,) = [line for line in side_tables(sides)[0].lines if line.cleaner == "bte"]
    assert all(cell is not None and cell.mean == 0.5 for cell in line.cells)
