"""`boilersweep export`: what is printed, what is refused, and pages that it cuts itself."""

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs, read_json


@pytest.mark.parametrize(
    ("asked", "told", "files"),
    [
        (
            ("words>=5,words>=99",),
            [
                "words-005: 30 documents, 0 left empty",
                "words-099: 0 documents, 30 left empty",
            ],
            {"words-099/*.jsonl.gz"},
        ),
        (
            ("words>=5", "--passages", 8, "--overlap", 2, "--format", "parquet"),
            ["words-005: 30 documents, 90 passages, 0 left empty"],
            {"words-005/*.parquet"},
        ),
        (
            ("words>=1,words>=99", "--dedup", "minhash:0.5"),
            [
                "words-001: 5 documents, 0 left empty, 25 duplicates left out",
                "words-099: 0 documents, 30 left empty, 0 duplicates left out",
            ],
            {"duplicates.csv"},
        ),
    ],
    ids=["cleaners", "passages", "near duplicates"],
)
def test_each_cleaner_is_told(
    call: Call,
    store: Path,
    tmp_path: Path,
    asked: tuple[object, ...],
    told: list[str],
    files: set[str],
) -> None:
    outcome = call(
        "export", "--store", store, "--output", tmp_path, "--keep", *asked
    ).ok()
    assert outcome.out.splitlines() == [f"{tmp_path}/{line}" for line in told]
    assert all(len([*tmp_path.glob(pattern)]) == 1 for pattern in files)
    call("check", tmp_path).ok()


@pytest.mark.application("learned")
@pytest.mark.slow
def test_pages_are_cut_first(
    call: Call, inputs: Inputs, store: Path, tmp_path: Path
) -> None:
    asked = ("--keep", "learned,cetr", "--threads", 1)
    pages = ("export", "--input", inputs.pages, *asked, "--output", tmp_path / "pages")
    call(*pages).ok().noted("30 documents")
    assert (
        read_json(tmp_path / "pages" / "manifest.json")["facts"]["counts"]["cetr"][
            "documents"
        ]
        == 30
    )
    call(
        "export", "--store", store, "--keep", "learned", "--output", tmp_path / "store"
    )
    [first], [second] = (
        (tmp_path / name / "learned").iterdir() for name in ("pages", "store")
    )
    assert first.read_bytes() == second.read_bytes()
    call(*pages).ok()


@pytest.mark.slow
def test_an_export_takes_in_new_pages(
    call: Call, inputs: Inputs, tmp_path: Path
) -> None:
    page = "<p>a page of some words here"
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text(page)
    asked = (
        "export",
        "--input",
        tmp_path / "pages",
        "--keep",
        "words>=1",
        "--threads",
        1,
    )
    out = tmp_path / "out"
    call(*asked, "--output", out).ok()
    (tmp_path / "pages" / "b.html").write_text(page)
    call(*asked, "--output", out).ok()
    assert (
        read_json(out / "manifest.json")["facts"]["counts"]["words-001"]["documents"]
        == 2
    )


def test_fields_are_what_pages_state(call: Call, store: Path, tmp_path: Path) -> None:
    pages = ("<h1>Rain</h1><p>one two<meta name=author content=Ann>", "<p>three four")
    lines = [json.dumps({"id": f"{n}", "html": page}) for n, page in enumerate(pages)]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    wanted = (
        "--keep",
        "words>=1",
        "--fields",
        "author,headline",
        "--output",
        tmp_path / "out",
    )
    call("export", "--input", tmp_path / "pages.jsonl", *wanted).ok()
    [file] = (tmp_path / "out" / "words-001").iterdir()
    content = gzip.decompress(file.read_bytes())
    records = [json.loads(line) for line in content.splitlines()]
    assert [(one["author"], one["headline"]) for one in records] == [
        ("Ann", "Rain"),
        (None, None),
    ]
    call("export", "--store", store, *wanted[:-1], tmp_path / "other").refused(
        2, f"{store} has no metadata of its pages: rebuild it with"
    )
