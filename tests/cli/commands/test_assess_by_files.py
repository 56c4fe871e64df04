"""Judging by files: pools out, grades in, changed pages asked for again, and `check`."""

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.stores import write_pages

pytestmark = pytest.mark.java

SHORT = "<p>Home bread</p>"
LONG = f"<p>{'Our bread comes from the oven of a neighbour who bakes well. ' * 3}</p>"


def segment(call: Call, folder: Path, **changed: str) -> Path:
    """Segment twelve pages, every other page long."""
    pages = {
        f"d{number}": SHORT if number % 2 else LONG for number in range(12)
    } | changed
    folder.mkdir()
    path = write_pages(folder / "pages.jsonl", pages)
    store = folder / "store"
    call("segment", "--input", path, "--output", store).ok()
    return store


def test_judgements_belong_to_texts_and_are_checked(call: Call, tmp_path: Path) -> None:
    judged, pool = tmp_path / "judged", tmp_path / "pool.csv"
    (tmp_path / "queries.txt").write_text("bread\n")
    asked = ("--queries", tmp_path / "queries.txt", "--cleaners", "words>=1,words>=5")
    usual = (*asked, "--output", judged, "--store")
    store = segment(call, tmp_path / "first")
    call("assess", *usual, store, "--write", pool).ok()
    with pool.open(newline="") as file:
        rows = [row | {"grade": "2"} for row in csv.DictReader(file)]
    with pool.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    call("assess", *usual, store, "--read", pool, "--name", "anna").ok(
        f"{len(rows)} new judgements of anna"
    )
    call("check", judged).ok()

    other = segment(call, tmp_path / "second", d1="<p>Home bread today</p>")
    call("assess", *usual, other, "--status").ok(
        f"{len(rows) - 1} documents judged by people"
    ).noted("1 documents changed since they were judged", "asked for again: d1")
    assert call("assess", *usual, other, "--write", pool).out.startswith("1 documents")
    call("check", judged).ok()

    log = judged / "people" / "anna.jsonl"
    log.write_text(log.read_text().replace('"grade":2', '"grade":0', 1))
    call("check", judged).failed("anna.jsonl:1: this line or one before it was changed")
    outcome = call("assess", *usual, store, "--status")
    assert outcome.status != 0
    assert "anna.jsonl:1: this line" in outcome.err


def test_a_program_is_compared_with_people_and_decides_nothing(
    call: Call, tmp_path: Path
) -> None:
    judged = tmp_path / "judged"
    (tmp_path / "queries.txt").write_text("bread\n")
    asked = ("--queries", tmp_path / "queries.txt", "--cleaners", "words>=1,words>=5")
    usual = (*asked, "--output", judged, "--store", segment(call, tmp_path / "first"))
    program = ("--assessor", "echo 3", "--name", "model")
    outcome = call("assess", *usual, *program, "--documents", "2")
    assert outcome.out.startswith("2 judgements by model. They decide nothing:")
    assert "certain" not in outcome.out
    assert (judged / "qrels.txt").read_text() == ""

    pool = tmp_path / "pool.jsonl"
    call("assess", *usual, "--write", pool)
    grade_all(pool)
    call("assess", *usual, "--read", pool, "--name", "anna")
    call("assess", *usual, "--status").ok(
        "program model: 2 judgements in 0.0 minutes",
        "people: 1",
        "model is +2.00 grades more lenient than people, in the mean of 2 documents",
    )
    assert {line[-1] for line in (judged / "qrels.txt").read_text().splitlines()} == {
        "1"
    }
    call("check", judged).ok()


def test_people_audit_a_program_by_files(call: Call, tmp_path: Path) -> None:
    judged, pool = tmp_path / "judged", tmp_path / "pool.csv"
    (tmp_path / "queries.txt").write_text("bread\n")
    asked = ("--queries", tmp_path / "queries.txt", "--cleaners", "words>=1,words>=5")
    usual = (*asked, "--output", judged, "--store", segment(call, tmp_path / "first"))
    program = ("--assessor", "echo 1", "--name", "model", "--documents", "99")
    claim = ("--claim", "these-queries")
    call("assess", *usual, *claim, *program).ok(
        "judgements by model, which people audit",
        "Claims are about these 1 queries alone",
        "They audit model, whose grades alone decide nothing.",
    ).noted("documents decide; if the program is right about 85 % of them")
    call("assess", *usual, "--write", pool).ok()
    with pool.open(newline="") as file:
        rows = list(csv.DictReader(file))
    deciding = [row for row in rows if row["decides"] == "yes"]
    assert deciding
    with pool.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(row | {"grade": "1"} for row in deciding)
    call("assess", *usual, "--read", pool, "--name", "anna").ok()
    status = call("assess", *usual, "--status").ok(
        "Claims are about these 1 queries alone",
        "They audit model, which was right about 100%",
    )
    assert "queries like these" not in status.out
    call("assess", *usual, "--status", "--claim", "queries-like-these").ok(
        "Claims are about queries like these"
    )
    call("check", judged).ok()
    given = ("--topics", judged / "topics.tsv", "--qrels", judged / "qrels.txt")
    store = tmp_path / "first" / "store"
    call(
        "compare",
        "--cleaners",
        "words>=5",
        "--store",
        store,
        *given,
        "--output",
        tmp_path / "out",
    ).ok().noted("Claims are about these 1 queries alone")


@pytest.mark.parametrize(
    "swept",
    [
        ("--sweep", "words=1:3"),
        ("--sweep", "words=1:3", "--engine", "exact"),
        ("--grid", "words=1:2", "density=1:2"),
        ("--cleaners", "bte"),
    ],
)
def test_judgements_of_assess_give_no_curve(
    call: Call, tmp_path: Path, swept: tuple[str, ...]
) -> None:
    store, judged = graded(call, tmp_path)
    given = given_by(judged)
    out = ("--output", tmp_path / "out")
    call("sweep", *swept, "--store", store, *given, *out).refused(
        2, "they give no mean of a threshold", "boilersweep compare --qrels"
    )
    assert not (tmp_path / "out").exists()
    copied = tmp_path / "qrels.txt"  # qrels of no assessment
    copied.write_text((judged / "qrels.txt").read_text())
    call("sweep", *swept, "--store", store, *given[:3], copied, *out).ok()


def test_judgements_of_assess_compare_cleaners(call: Call, tmp_path: Path) -> None:
    store, judged = graded(call, tmp_path)
    asked = ("--cleaners", "bte", "--store", store, *given_by(judged))
    call("compare", *asked, "--output", tmp_path / "out").ok()


@pytest.mark.application("report")
def test_judgements_of_assess_are_shown_with_a_warning(
    call: Call, tmp_path: Path
) -> None:
    store, judged = graded(call, tmp_path)
    topic = (judged / "topics.tsv").read_text().split("\t")[0]
    shown = ("--store", store, "--cleaners", "words>=1,bte", "--topic", topic)
    call("search", *shown, *given_by(judged)).ok().noted(
        "scores count all others as not relevant"
    )


def graded(call: Call, folder: Path) -> tuple[Path, Path]:
    """Return a store and the folder of an assessment that has grades for all of its pool."""
    judged, store = folder / "judged", segment(call, folder / "first")
    (folder / "queries.txt").write_text("bread\n")
    asked = ("--queries", folder / "queries.txt", "--cleaners", "words>=1,words>=5")
    usual = (*asked, "--output", judged, "--store", store)
    pool = folder / "pool.jsonl"
    call("assess", *usual, "--write", pool)
    grade_all(pool)
    call("assess", *usual, "--read", pool, "--name", "anna").ok()
    return store, judged


def grade_all(pool: Path) -> None:
    """Grade every line of a pool with 1."""
    rows = [json.loads(line) | {"grade": 1} for line in pool.read_text().splitlines()]
    pool.write_text("".join(json.dumps(row) + "\n" for row in rows))


def given_by(judged: Path) -> tuple[str | Path, ...]:
    """Return the options that take the topics and judgements of an assessment."""
    return ("--topics", judged / "topics.tsv", "--qrels", judged / "qrels.txt")


def test_status_only_reads_and_files_of_others_stay(call: Call, tmp_path: Path) -> None:
    judged, queries = tmp_path / "judged", tmp_path / "queries.txt"
    queries.write_text("bread\n")
    asked = ("--queries", queries, "--cleaners", "words>=1,words>=5")
    usual = (*asked, "--output", judged, "--store", segment(call, tmp_path / "first"))
    call("assess", *usual, "--status").ok("0 documents judged by people")
    assert not judged.exists()
    judged.mkdir()
    mine = "".join(f"t 0 doc{number} 1\n" for number in range(2317))
    (judged / "qrels.txt").write_text(mine)
    program = ("--assessor", "echo 3", "--documents", "2")
    call("assess", *usual, *program).refused(1, "qrels.txt is in no list")
    assert [path.name for path in judged.iterdir()] == ["qrels.txt"]
    assert (judged / "qrels.txt").read_text() == mine
    for pool in (judged / "people" / "anna.jsonl", queries):
        call("assess", *usual, "--write", pool).refused(2, str(pool))
    assert queries.read_text() == "bread\n"
