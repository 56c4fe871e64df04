"""A made collection where ir_datasets looks for GOV, and one registered with it, by the package."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from pyarrow.parquet import read_table

from boilersweep import open_store
from boilersweep.collection.formats import open_collection
from boilersweep.topics import read_qrels, read_topics
from tests.running import Ended, boilersweep

pytest.importorskip("ir_datasets", reason="boilersweep[irds] is not installed")
pytestmark = [pytest.mark.java, pytest.mark.slow]

ANIMALS = "pony zebra otter heron lynx".split()


def page(number: int) -> str:
    menu = "".join(f"<li>{animal} {animal}</li>" for animal in ANIMALS[1:])
    return (
        f"<title>{number}</title>{menu}<p>the {ANIMALS[number % 5]} stood there and thought of "
        f"nothing but {number} apples for a long time"
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of ir_datasets, with GOV as it is delivered and what it would download."""
    gov = tmp_path_factory.mktemp("irds") / "gov"
    (gov / "corpus" / "G00").mkdir(parents=True)
    (gov / "trec-web-2002").mkdir()
    pages = "".join(
        f"<DOC>\n<DOCNO>G00-00-{number:07d}</DOCNO>\n<DOCHDR>\nhttp://x.gov/{number}\n"
        f"HTTP/1.1 200 OK\nContent-Type: text/html\n"
        f"Last-Modified: Tue, 06 Dec 2005 12:00:00 GMT\n</DOCHDR>\n{page(number)}\n</DOC>\n"
        for number in range(30)
    )
    topics = "".join(
        f"<top>\n<num> Number: {551 + number}\n<title> {animal}\n<desc> Description:\nof a "
        f"{animal}\n<narr> Narrative:\nnone\n</top>\n\n"
        for number, animal in enumerate(ANIMALS)
    )
    qrels = "".join(
        f"{551 + topic} 0 G00-00-{number:07d} {int(number % 5 == topic)}\n"
        for topic in range(5)
        for number in range(30)
    )
    for name, text in (
        ("corpus/G00/01.gz", pages),
        ("trec-web-2002/queries.txt.gz", topics),
        ("trec-web-2002/qrels.txt.gz", qrels),
    ):
        (gov / name).write_bytes(gzip.compress(text.encode()))
    return gov.parent


def at(home: Path, *words: object, status: int | None = 0) -> Ended:
    """Run a command that looks for datasets in a folder."""
    return boilersweep(*words, env={"IR_DATASETS_HOME": str(home)}, status=status)


def test_a_sweep_over_a_dataset(home: Path, tmp_path: Path) -> None:
    arguments = (
        "--dataset",
        "irds:gov/trec-web-2002",
        "--engine",
        "exact",
        "--sweep",
        "words=1,5",
    )
    done = at(home, "sweep", *arguments, "--output", tmp_path / "out")
    assert "Means over 5 topics" in done.stdout
    assert "leaked" not in done.stderr
    store = open_store(tmp_path / "out" / "store")
    assert list(store.docids()) == [f"G00-00-{number:07d}" for number in range(30)]
    again = ("segment", "--input", "irds:gov", "--output", tmp_path / "out" / "store")
    assert "contains another store than requested" in at(home, *again, status=1).stderr
    checked = at(home, "check", store.path, "--input", "irds:gov/trec-web-2002")
    assert "1 input ok" in checked.stdout


@pytest.fixture(scope="module")
def collections(home: Path) -> Path:
    """GOV2 and ClueWeb12-B13 where ir_datasets looks for them, of several files."""
    gov2 = home / "gov2" / "corpus" / "GOV2_data" / "GX000"
    b13 = home / "clueweb12" / "corpus-b13"
    clueweb = b13 / "ClueWeb12_00" / "0000tw"
    for folder in (gov2, clueweb, b13 / "recordcounts", b13.with_name("corpus")):
        folder.mkdir(parents=True)
    for file in range(3):
        numbers = range(10 * file, 10 * file + 10)
        (gov2 / f"{file:02d}.gz").write_bytes(
            gzip.compress(b"".join(map(trec, numbers)))
        )
        records = [
            warc("warcinfo", b"", "WARC-Number-Of-Documents: 10\r\n"),
            *map(page_12, numbers),
        ]
        path = clueweb / f"0000tw-{file:02d}.warc.gz"
        path.write_bytes(gzip.compress(b"".join(records)))
    # As ir_datasets counts them in GOV2's list of addresses.
    counts = "".join(f"GX000/{file:02d}.gz\t10\n" for file in range(3))
    (home / "gov2" / "corpus.doccounts").write_text(counts)
    return home


def trec(number: int) -> bytes:
    header = f"http://x.gov/{number}\nHTTP/1.1 {HEADERS[number % 4]}\n"
    frame = (
        f"<DOC>\n<DOCNO>GX000-00-{number:07d}</DOCNO>\n<DOCHDR>\n{header}</DOCHDR>\n"
    )
    return frame.encode() + BODIES[number % 3] + b"\n</DOC>\n"


def warc(kind: str, content: bytes, more: str) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2012-02-10T22:50:41Z\r\n{more}"
        f"WARC-Record-ID: <urn:uuid:0>\r\nContent-Type: application/http;msgtype={kind}\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content + b"\r\n\r\n"


def page_12(number: int) -> bytes:
    http = "HTTP/1.1 " + HEADERS[number % 4].replace("\n", "\r\n") + "\r\n\r\n"
    named = f"WARC-TREC-ID: clueweb12-0000tw-00-{number:05d}\r\nWARC-Target-URI: http://x/{number}\r\n"
    return warc("response", http.encode() + BODIES[number % 3], named)


MODIFIED = "Last-Modified: Tue, 06 Dec 2005 12:00:00 GMT"
HEADERS = (
    f"200 OK\n{MODIFIED}\nContent-Type: text/html; charset=koi8-r",
    "200 OK\nContent-Type: text/html",
    "404 Not Found\nContent-Type: text/html",
    "200 OK\nContent-Type: application/pdf",
)
BODIES = (
    "<p>Привет, мир".encode("koi8-r"),
    b"<title>T</title>\r\n<p>one\r\n",
    b"<p>two <p>three",
)
COLUMNS = ["docid", "url", "date", "encoding", "title", "texts", "words"]


@pytest.mark.parametrize(
    ("dataset", "folder", "form"),
    [
        ("gov2", "gov2/corpus/GOV2_data", "trecweb"),
        ("clueweb12/b13", "clueweb12/corpus-b13/ClueWeb12_00", "warc"),
    ],
)
def test_documents_are_those_of_the_files_themselves(
    collections: Path, tmp_path: Path, dataset: str, folder: str, form: str
) -> None:
    rows = []
    for number, given in enumerate(
        (
            ("--input", collections / folder, "--collection", form),
            ("--dataset", f"irds:{dataset}"),
        )
    ):
        output = tmp_path / str(number)
        at(collections, "segment", *given, "--output", output)
        shards = [output / one["file"] for one in open_store(output).manifest.shards]
        rows.append(
            [
                row
                for path in shards
                for row in read_table(path, columns=COLUMNS).to_pylist()
            ]
        )
        skipped = open_store(output).skipped
        assert (
            len(rows[-1]),
            skipped["not html"],
            skipped["not a successful response"],
        ) == (
            16,
            7,
            7,
        )
    assert rows[0] == rows[1]
    assert {row["date"] for row in rows[1]} <= {
        None,
        "2005-12-06T12:00:00Z",
        "2012-02-10T22:50:41Z",
    }


def test_a_store_of_a_dataset_is_taken_up_and_known_by_its_content(
    home: Path, tmp_path: Path
) -> None:
    arguments = ("segment", "--dataset", "irds:gov", "--output", tmp_path / "store")
    at(home, *arguments)
    manifest = (tmp_path / "store" / "manifest.json").read_text()
    facts = json.loads(manifest)["facts"]
    [file] = facts["shards"][0]["input"]
    assert (file["path"], len(file["sha256"])) == ("irds:gov/0000000-0000030", 64)
    assert facts["input"] == "irds:gov"
    for more in ((), ("--verify-input",)):
        at(home, *arguments, *more)
        assert (tmp_path / "store" / "manifest.json").read_text() == manifest


def test_what_is_licensed_and_what_there_is_not(home: Path, tmp_path: Path) -> None:
    for dataset, said in (
        ("irds:clueweb09/catb", "ClueWeb09 is available"),
        ("irds:gov2/trec-tb-04", "did you mean gov2/trec-tb-2004"),
    ):
        segment = ("segment", "--dataset", dataset, "--output", tmp_path / "no")
        done = at(home, *segment, status=None)
        assert (done.returncode != 0, said in done.stderr) == (True, True)
        assert "Traceback" not in done.stderr


def test_a_dataset_that_was_registered(tmp_path: Path) -> None:
    import ir_datasets

    (tmp_path / "docs.tsv").write_text("d1\tone two\nd2\tthree\n")
    (tmp_path / "queries.tsv").write_text("1\tponies\n")
    (tmp_path / "qrels.txt").write_text("1 0 d2 1\n")
    made = ir_datasets.create_dataset(
        *(str(tmp_path / name) for name in ("docs.tsv", "queries.tsv", "qrels.txt"))
    )
    name = f"boilersweep-{os.getpid()}"
    ir_datasets.registry.register(name, made)
    [topic] = read_topics(f"irds:{name}")
    assert (topic.id, topic.title) == ("1", "ponies")
    assert read_qrels(f"irds:{name}").grades == {"1": {"d2": 1}}
    opened = open_collection(Path(f"irds:{name}"), None)
    found: list[Any] = [
        item
        for file in opened.files
        for item in opened.format.read(file.open("rb"), "x")
    ]
    assert [(item.docid, item.body, item.plain) for item in found] == [
        ("d1", b"one two", True),
        ("d2", b"three", True),
    ]
