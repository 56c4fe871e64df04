"""What users say of the records of a collection, on the command line."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from boilersweep.pages import compiled
from boilersweep.pages.language import DECLARED_ONLY
from boilersweep.pages.words import ESTIMATED
from boilersweep.store.store import BlockStore, open_store
from tests.cli.conftest import Call, Inputs, Outcome
from tests.collection.crawl import crawl_of, docid, serving

LINE = {"nr": 7, "body": "<p>one < two", "link": "http://x/"}


def warc(kind: str, content_type: str) -> bytes:
    return (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        f"WARC-TREC-ID: T-1\r\nWARC-Target-URI: http://x/\r\nContent-Type: {content_type}\r\n"
        "WARC-Date: 2012-02-10T22:50:41Z\r\nContent-Length: 6\r\n\r\n<p>one\r\n\r\n"
    ).encode()


def segmented(call: Call, tmp_path: Path, *more: str) -> tuple[Outcome, BlockStore | None]:
    outcome = call("segment", "--input", tmp_path / "in", "--output", tmp_path / "out", *more)
    return outcome, open_store(tmp_path / "out") if outcome.status == 0 else None


@pytest.mark.parametrize(
    ("contents", "texts"), [((), ["one < two"]), (("--contents", "text"), ["<p>one < two"])]
)
def test_fields_of_jsonl(
    call: Call, tmp_path: Path, contents: tuple[str, ...], texts: list[str]
) -> None:
    (tmp_path / "in").write_text(json.dumps(LINE))
    named = ("--id-field", "nr", "--text-field", "body", "--url-field", "link")
    _, store = segmented(call, tmp_path, *named, *contents)
    assert store is not None
    assert list(store.docids()) == ["7"]
    assert [columns.texts for columns in store.columns()] == [texts]


@pytest.mark.parametrize(
    ("docid", "found"),
    [((), "T-1"), (("uri",), "http://x/"), (("record",), "urn:uuid:1"), (("trec",), "T-1")],
)
def test_docids_of_warc(call: Call, tmp_path: Path, docid: tuple[str, ...], found: str) -> None:
    (tmp_path / "in").write_bytes(warc("resource", "text/html"))
    _, store = segmented(call, tmp_path, *(("--docid", *docid) if docid else ()))
    assert store is not None
    assert list(store.docids()) == [found]


@pytest.mark.slow
def test_wet(call: Call, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(warc("warcinfo", "x/y") + warc("conversion", "text/plain"))
    outcome, store = segmented(call, tmp_path)
    assert store is not None
    assert [columns.texts for columns in store.columns()] == [["<p>one"]]
    assert "skipped, warcinfo record: 1" in outcome.err


@pytest.mark.parametrize(
    ("content", "options", "status", "said"),
    [
        (warc("request", "x/y"), (), 1, "holds no document: 1 x request record"),
        (json.dumps(LINE).encode(), (), 1, "none among the keys nr, body, link); check --id-field"),
        (json.dumps(LINE).encode(), ("--docid", "uri"), 2, "--docid is for warc only"),
        (warc("resource", "text/html"), ("--id-field", "x"), 2, "--id-field is for jsonl only"),
    ],
)
def test_what_is_no_document(
    call: Call,
    tmp_path: Path,
    content: bytes,
    options: tuple[str, ...],
    status: int,
    said: str,
) -> None:
    (tmp_path / "in").write_bytes(content)
    outcome, _ = segmented(call, tmp_path, *options)
    assert (outcome.status, said in outcome.err) == (status, True), outcome.err


@pytest.mark.slow
def test_new_input(call: Call, tmp_path: Path) -> None:
    def write(name: str, text: str) -> None:
        (tmp_path / "in").mkdir(exist_ok=True)
        line = {"id": name, "contents": f"<p>{text}", "date": "2026-03-01"}
        (tmp_path / "in" / f"{name}.jsonl").write_text(json.dumps(line) + "\n")

    for name in "bcd":
        write(name, f"text of {name}")
    segmented(call, tmp_path)
    write("a", "new")
    write("b", "changed text")
    (tmp_path / "in" / "c.jsonl").unlink()
    refused, _ = segmented(call, tmp_path)
    assert refused.status == 1
    assert "boilersweep segment --update" in refused.err
    updated, store = segmented(call, tmp_path, "--update")
    assert "1 file new, 1 changed, 1 gone; 2 of 3 shards were made\n" in updated.err
    assert store is not None
    assert list(store.docids()) == ["a", "b", "d"]
    again, _ = segmented(call, tmp_path, "--update")
    assert "0 files new, 0 changed, 0 gone; 0 of 3 shards were made\n" in again.err


def test_an_update_keeps_the_options_that_the_call_does_not_name(
    call: Call, tmp_path: Path
) -> None:
    def write(name: str) -> None:
        (tmp_path / "in" / f"{name}.jsonl").write_text(
            json.dumps({"nr": name, "body": f"<p>text of {name}"})
        )

    (tmp_path / "in").mkdir()
    (tmp_path / "gold").write_text(json.dumps({"id": "a", "contents": "text"}))
    write("a")
    fields = ("--id-field", "nr", "--text-field", "body", "--max-page-blocks", "50")
    _, made = segmented(call, tmp_path, *fields, "--on-duplicate", "latest", "--borders", "paper")
    assert made is not None
    extract = ("extract", "--store", made.path, "--input", tmp_path / "in", "--extractors", "cetr")
    assert call(*extract).status == 0
    write("b")
    outcome, updated = segmented(call, tmp_path, "--update")
    assert updated is not None, outcome.err
    wanted = msgspec.structs.replace(made.manifest.options, extractors=["cetr"])
    assert updated.manifest.options == wanted
    assert updated.manifest.on_duplicate == "latest"
    assert list(updated.docids()) == ["a", "b"]
    refused, _ = segmented(call, tmp_path, "--update", "--max-page-blocks", "60")
    assert "options limits page blocks was 50, is 60;" in refused.err
    gold = f"gold={tmp_path / 'gold'}"
    assert segmented(call, tmp_path, *fields, "--texts", gold, "--overwrite")[0].status == 0
    write("c")
    refused, _ = segmented(call, tmp_path, "--update")
    assert (refused.status, "repeat --texts gold=FILE" in refused.err) == (2, True), refused.err
    assert segmented(call, tmp_path, "--update", "--texts", gold)[0].status == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--overwrite",), "not allowed with argument --update"),
        (("--share", "1/2"), "--update cannot be used with --share"),
    ],
)
def test_an_update_used_wrongly_exits_with_two(
    call: Call, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    outcome, _ = segmented(call, tmp_path, "--update", *options)
    assert outcome.status == 2
    assert said in outcome.err


@pytest.mark.slow
def test_words_that_are_estimated_by_length_are_noted(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").write_text(json.dumps({"id": "a", "contents": "<p>我们喜欢苹果<p>pears"}))
    outcome, _ = segmented(call, tmp_path, "--threads", "1")
    assert "words in blocks with a script without spaces: " in outcome.err
    monkeypatch.setattr("boilersweep.segmenting.tasks.dictionary", lambda: ESTIMATED)
    outcome, _ = segmented(call, tmp_path, "--threads", "1", "--overwrite")
    assert "pip install 'boilersweep[words]'" in outcome.err


@pytest.mark.slow
def test_documents_are_counted_by_language(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    languages = ("", "de", "fr", "de")
    lines = [
        json.dumps({"id": str(number), "contents": f"<html lang='{language}'><p>1 2 3"})
        for number, language in enumerate(languages)
    ]
    (tmp_path / "in").write_text("\n".join(lines))
    outcome, _ = segmented(call, tmp_path, "--threads", "1")
    assert "documents by language: de 2, fr 1, unknown 1 (" in outcome.err
    monkeypatch.setattr("boilersweep.segmenting.tasks.detector", lambda: DECLARED_ONLY)
    outcome, _ = segmented(call, tmp_path, "--threads", "1", "--overwrite")
    assert "pip install 'boilersweep[languages]'" in outcome.err


def test_plain_texts_that_look_like_html_are_counted(call: Call, tmp_path: Path) -> None:
    texts = ("<p>one</p><p>two", "one <b>two</b>", "<html><body>one")
    lines = [json.dumps({"id": str(n), "contents": text}) for n, text in enumerate(texts)]
    (tmp_path / "in").write_text("\n".join(lines))
    outcome, _ = segmented(call, tmp_path, "--contents", "text", "--threads", "1")
    assert "plain texts that look like HTML: 2 (--contents html cuts them)\n" in outcome.err
    outcome, _ = segmented(call, tmp_path, "--contents", "html", "--threads", "1", "--overwrite")
    assert "look like HTML" not in outcome.err


def test_a_slow_segmenter_is_noted_once(
    call: Call, inputs: Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "built", True)
    monkeypatch.setattr(compiled, "available", False)
    outcome = call("segment", "--input", inputs.pages, "--output", tmp_path / "s", "--threads", 1)
    assert outcome.status == 0
    assert outcome.err.count("segmenter in pure Python cuts the pages, half as fast") == 1
    assert "install an lxml that brings one of them" in outcome.err


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a worker imports all again")
def test_nothing_is_imported_twice_and_no_cleaner(tmp_path: Path) -> None:
    (tmp_path / "in").write_text(json.dumps(LINE))
    options = ["--input", "in", "--output", "out", "--id-field", "nr", "--text-field", "body"]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "boilersweep", "segment", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    imported = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines()]
    assert imported.count("numpy") == imported.count("pyarrow") == 1
    cleaners = {name for name in imported if name.startswith("boilersweep.cleaners.")}
    assert cleaners <= {"boilersweep.cleaners.rules"}
    assert not [name for name in imported if name.startswith("boilersweep.eval")]


def test_pages_of_an_index_with_the_docids_of_its_qrels(call: Call, tmp_path: Path) -> None:
    crawl = crawl_of(30)
    (tmp_path / "index.jsonl").write_text(crawl.index(), "utf-8")
    (tmp_path / "qrels.txt").write_text(f"1\t0\t{docid(3)}\t2\n1\t0\t{docid(99)}\t0\n", "utf-8")
    warc_file = tmp_path / "pages.warc.gz"
    fetching = ("--collection", "cdx", "--input", tmp_path / "index.jsonl", "--cdx-rate", "1000")
    with serving(crawl.files) as served:
        outcome = call(
            "segment",
            *fetching,
            *("--cdx-base", served.base, "--save", warc_file, "--docid", "uuid"),
            *("--output", tmp_path / "all"),
        )
        assert outcome.status == 0
        assert "30 of 30 pages of the index" in outcome.err
    outcome = call(
        "segment",
        *("--input", warc_file, "--docid", "uuid", "--only-judged", tmp_path / "qrels.txt"),
        *("--sample", "4", "--output", tmp_path / "some"),
    )
    assert outcome.status == 0
    assert "scores are higher than on the whole collection" in outcome.err
    docids = set(open_store(tmp_path / "some").docids())
    assert docid(3) in docids
    assert len(docids) == 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--collection cdx", "--collection cdx requires --save FILE.warc.gz"),
        ("--collection cdx --save pages.gz", "--collection cdx requires --save FILE.warc.gz"),
        ("--save pages.warc.gz", "--save and --cdx-base require --collection cdx"),
        ("--sample 3", "--sample adds documents to --only-docids or --only-judged"),
    ],
)
def test_options_that_need_others(call: Call, tmp_path: Path, words: str, message: str) -> None:
    (tmp_path / "in").write_text(json.dumps(LINE))
    outcome, _ = segmented(call, tmp_path, *words.split())
    assert outcome.status == 2
    assert message in outcome.err
