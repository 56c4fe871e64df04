"""Hostile collections, from the reader to the run file: nothing lost, nothing touched outside."""

import gzip
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from boilersweep import BlockStore, open_store, segment_collection
from boilersweep.cli.main import main
from boilersweep.eval.ranking.runs import read_run
from boilersweep.outputs.manifest_file import read_manifest
from boilersweep.pages.segmenter import Segmenter
from boilersweep.store.checked_store import CHECKED
from tests.cli.conftest import page, write_experiment
from tests.manifests import write_manifest
from tests.running import python
from tests.stores import faults_of

GOOD = 90


HOSTILE_DOCIDS = [
    "with a space",
    "/etc/passwd",
    "../../up",
    "..",
    ".",
    "a/b\\c",
    "-rf",
    "$(touch x)",
    "quote\"and'quote",
    "tab\there",
    "bell\x07delete\x7fescape\x1b[31m",
    "naïve-日本語-😀",
    "no\u00a0break",
    "line\u2028separator",
    "\u202eright-to-left",
    "%20",
    "NUL",
    "x" * 4000,
    "y" * 32_766,
    "mark",
    "\ufeffmark",
    "\ufffemark",
    "\ufeff",
    "\ufeff\ufeff",
    "NUL\0",
]


def record(docid: str | None, body: bytes, status: int = 200) -> bytes:
    name = f"<DOCNO>{docid}</DOCNO>\n" if docid is not None else ""
    head = f"<DOC>\n{name}<DOCHDR>\nhttp://x.example/\nHTTP/1.1 {status} OK\n"
    return f"{head}Content-Type: text/html\n</DOCHDR>\n".encode() + body + b"\n</DOC>\n"


def good(number: int) -> bytes:
    return record(f"GOOD-{number:03d}", page(number).encode())


BOMB = (
    b'<!DOCTYPE a [<!ENTITY a "pony pony">'
    + b"".join(b'<!ENTITY b%d "%s">' % (n, b"&a;" * 10) for n in range(9))
    + b"]>"
)


BROKEN = [
    record(None, b"<p>pony without a number</p>"),
    record("BAD-empty", b""),
    record("BAD-blank", b" \r\n\t "),
    record("BAD-status", b"<p>pony not found</p>", status=404),
    b"pony junk \xff\xfe\x00\x01 between documents\n",
    record("BAD-nul", b"\0" * 5000),
    # UTF-16 without a mark is bytes like any other: here of markup without a word in it.
    record("BAD-utf16", "<p>\u2026</p>".encode("utf-16-le")),
    record("BAD-nested", b"<DOC>\n<p>...</p>\n<DOC>"),
    record("BAD-deep", b"<div>" * 20_000 + b"..."),
    record("BAD-bomb", BOMB),
    record("BAD-line", b"<p>" + b"-" * 5 * 2**20),
]


def write_collection(folder: Path, *, broken: bool) -> None:
    """90 good pages in three files, the last gzip; with broken ones among them 11 more."""
    folder.mkdir()
    bad = iter(BROKEN if broken else [])
    for name, numbers in (("00", range(30)), ("01", range(30, 60))):
        parts = []
        for number in numbers:
            parts.append(good(number))
            if number % 5 == 0:
                parts.append(next(bad, b""))
        (folder / name).write_bytes(b"".join(parts))
    members = [gzip.compress(good(number)) for number in range(60, GOOD)]
    if broken:
        members.append(gzip.compress(record("BAD-cut", b"<p>pony</p>" * 999))[:-40])
    (folder / "02.gz").write_bytes(b"".join(members))


def results(output: Path) -> dict[str, bytes]:
    files = [*output.glob("runs/*"), output / "topics.csv"]
    return {path.name: path.read_bytes() for path in files}


@pytest.mark.java
@pytest.mark.parametrize("engine", ["indexes", "exact"])
def test_broken_records_change_nothing_for_the_good_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], engine: str
) -> None:
    topics, qrels = write_experiment(tmp_path, [f"GOOD-{n:03d}" for n in range(GOOD)])
    arguments = ["--topics", str(topics), "--qrels", str(qrels)]
    arguments += ["--sweep", "words=1,3", "--sweep", "density=5", "--engine", engine]
    for name, broken in (("clean", False), ("mixed", True)):
        write_collection(tmp_path / f"in-{name}", broken=broken)
        paths = [
            "--input",
            str(tmp_path / f"in-{name}"),
            "--output",
            str(tmp_path / name),
        ]
        assert main(["sweep", *paths, *arguments, "--threads", "1"]) == 0
    assert results(tmp_path / "mixed") == results(tmp_path / "clean")
    assert len(results(tmp_path / "clean")) == 4

    manifest = read_manifest(tmp_path / "mixed" / "store" / "manifest.json")["facts"]
    assert manifest["skipped"] == {
        "no docid": 1,
        "empty page": 2,
        "not a successful response": 1,
        "malformed record": 1,
        "neither HTML nor text": 1,
        "truncated record": 1,
    }
    assert manifest["documents"] == GOOD + 5
    assert manifest["records"] == manifest["documents"] + sum(
        manifest["skipped"].values()
    )
    capsys.readouterr()
    assert main(["check", str(tmp_path / "mixed")]) == 0
    assert "wrong" not in capsys.readouterr().out


def documents(store: BlockStore) -> list[tuple[str, list[str]]]:
    return [
        (docid, columns.texts[columns.starts[row] : columns.starts[row + 1]])
        for columns in store.columns()
        for row, docid in enumerate(columns.docids)
    ]


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.mark.java
@pytest.mark.parametrize("engine", ["indexes", "exact"])
def test_hostile_docids_come_through_and_touch_no_path(
    tmp_path: Path, engine: str
) -> None:
    lines = [
        json.dumps({"id": d, "contents": page(n)}) for n, d in enumerate(HOSTILE_DOCIDS)
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    # Runs have columns of tokens: white space of any kind is percent-encoded
    encoded = {
        "with a space": "with%20a%20space",
        "$(touch x)": "$(touch%20x)",
        "tab\there": "tab%09here",
        "no\u00a0break": "no%C2%A0break",
        "line\u2028separator": "line%E2%80%A8separator",
        "NUL\0": "NUL%00",  # trec_eval would take it for the one before
    }
    docids = [encoded.get(docid, docid) for docid in HOSTILE_DOCIDS]
    topics, qrels = write_experiment(tmp_path, docids)
    arguments = ["--topics", str(topics), "--qrels", str(qrels)]
    before = tree(tmp_path)
    output = tmp_path / "out"
    arguments += ["--input", str(tmp_path / "in.jsonl"), "--output", str(output)]
    assert main(["sweep", *arguments, "--sweep", "words=1", "--engine", engine]) == 0
    run = read_run(output / "runs" / "words-001.trec")
    assert {docid for hits in run.values() for docid, _ in hits} == set(docids)
    assert main(["check", str(output)]) == 0
    outside = {
        name for name in tree(tmp_path) if name != "out" and not name.startswith("out/")
    }
    assert outside == before
    files = "manifest.json scores.csv topics.csv table.txt curve.svg curve.png"
    expected = {"runs", "store", "indexes", *files.split()}
    assert {path.name for path in output.iterdir()} <= expected


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """Where connections were tried; they fail."""
    tried: list[object] = []

    def refuse(_socket: socket.socket, address: object) -> None:
        tried.append(address)
        raise AssertionError(f"a connection to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    yield tried
    assert tried == []


FETCHING = [
    '<!DOCTYPE html SYSTEM "{secret}"><p>text</p>',
    '<!DOCTYPE html [<!ENTITY x SYSTEM "{secret}">]><p>text</p><p>&x;</p>',
    '<!DOCTYPE html [<!ENTITY % x SYSTEM "{secret}"> %x;]><p>text</p>',
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "{secret}">]><p>text</p><p>&x;</p>',
    '<?xml-stylesheet href="{secret}"?><p>text</p>',
    '<iframe src="{secret}"></iframe><p>text</p>',
    '<frameset><frame src="{secret}"></frameset><p>text</p>',
    '<html xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{secret}"/><p>text</p>',
    '<base href="http://127.0.0.1:9/"><link rel=stylesheet href=a><img src=b><p>text</p>',
    '<object data="{secret}"></object><embed src="{secret}"><p>text</p>',
    '<script src="{secret}"></script><meta http-equiv=refresh content="0;{secret}"><p>text</p>',
]


@pytest.mark.java
@pytest.mark.parametrize("pattern", FETCHING)
@pytest.mark.parametrize("scheme", ["file://", "", "http://127.0.0.1:9"])
def test_nothing_a_page_names_is_fetched(
    tmp_path: Path, no_network: list[object], pattern: str, scheme: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text('<!ENTITY y "hidden words"> hidden words')
    found = Segmenter().html(pattern.replace("{secret}", f"{scheme}{secret}").encode())
    text = " ".join((found.title, *found.texts))
    assert "text" in text.split()
    assert "hidden" not in text


@pytest.mark.java
def test_a_manifest_is_data(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(
        json.dumps({"id": "a", "contents": "<p>one two"})
    )
    store = segment_collection(tmp_path / "in.jsonl", tmp_path / "out", workers=1)
    manifest = tmp_path / "out" / "manifest.json"
    said = read_manifest(manifest)
    said["__class__"] = "os.system"
    said["facts"]["skipped"] = {"__import__('os').system('x')": 1}
    write_manifest(manifest, said)  # forged with a digest that is right
    assert documents(open_store(store.path)) == [("a", ["one two"])]
    skipped, unaccounted = faults_of(CHECKED, store.path)
    assert skipped.startswith("the shards skipped {}, the manifest says ")
    assert unaccounted.startswith("-1 of 1 records")


SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz.py"


@pytest.mark.slow
def test_mutated_inputs_neither_crash_hang_nor_get_lost() -> None:
    done = python(SCRIPT, "readers", "--inputs", 2000, "--seed", 1)
    assert done.stdout.splitlines()[-1] == "2,000 inputs, 0 failures"
