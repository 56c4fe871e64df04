"""`boilersweep judge --annotate` without a browser: options, and what is printed."""

from pathlib import Path

import pytest

from boilersweep import open_store, segment_collection
from boilersweep.eval.annotate.annotations import annotations_in, pages_to_mark
from tests.cli.conftest import Call
from tests.eval.annotate.conftest import collection, mark_page, page

__all__ = ["collection"]  # a fixture


@pytest.fixture
def opened(collection: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Note what is served instead of serving it."""
    pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")
    routes: list[object] = []
    served = "boilersweep.cli.options.serving.Page.serve"
    monkeypatch.setattr(served, lambda _, given: routes.extend(given))
    return routes


def test_the_page_opens_and_says_what_changed(
    call: Call, collection: Path, tmp_path: Path, opened: list[object]
) -> None:
    gold = tmp_path / "gold"
    (collection / "bad.html").write_text("")
    asked = ("judge", "--annotate", collection, "--output", gold)
    first = call(*asked)
    assert first.status == 0
    assert opened
    assert first.out.startswith("0 of 10 pages are marked\n")
    with annotations_in(gold, pages_to_mark(open_store(gold / "store"))) as annotations:
        mark_page(annotations, "anna", "p1")
        mark_page(annotations, "bob", "p1", ())
        mark_page(annotations, "anna", "p2")
    (collection / "p2.html").write_text(page(2).replace("river", "sea"))
    again = call(*asked)
    assert "1 pages changed since they were marked" in again.err
    assert "asked for again: p2" in again.err
    status = call(*asked, "--status")
    assert status.out == again.out
    lines = status.out.splitlines()
    assert lines[:3] == [
        "1 of 10 pages are marked",
        "anna: 1 pages, 0 of them with the proposal shown",
        "bob: 1 pages, 0 of them with the proposal shown",
    ]
    assert "1 pages need the person `adjudicator`: p1" in lines
    assert f"--dataset marked={gold}" in lines[-1]
    assert call("check", gold).status == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--dataset", "folder=x"), "--annotate cannot be used with --dataset"),
        (("--cleaners", "bte"), "--annotate cannot be used with --cleaners"),
        (("--overwrite",), "--annotate cannot be used with --overwrite"),
    ],
)
def test_options_that_do_not_go_together(
    call: Call, collection: Path, tmp_path: Path, more: tuple[str, ...], message: str
) -> None:
    found = call("judge", "--annotate", collection, "--output", tmp_path / "g", *more)
    assert (found.status, message in found.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--status --output gold", "--status requires --annotate"),
        ("--output gold", "expected --dataset NAME=DIR, or --annotate"),
        ("--annotate none --output gold", "none"),
        ("--annotate pages --output pages/gold", "pages"),
        ("--annotate texts.jsonl --output gold", "expected pages of HTML, got plain"),
        ("--annotate pages --output other", "belongs to"),
    ],
)
def test_what_cannot_be_marked(
    call: Call,
    collection: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("texts.jsonl").write_text('{"id": "a", "Clean-Text": "plain words here"}\n')
    if "other" in words:
        segment_collection(collection, "other", workers=1)
    found = call("judge", *words.split())
    assert found.status
    assert message in found.err
    assert not Path("gold/people").exists()
