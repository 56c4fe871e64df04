"""A made collection where ir_datasets looks for GOV, and one registered with it, by the package."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from boilersweep.store.store import open_store
from boilersweep.topics import read_qrels, read_topics

pytest.importorskip("ir_datasets", reason="the extra irds is not installed")

ANIMALS = "pony zebra otter heron lynx".split()


def page(number: int) -> str:
    menu = "".join(f"<li>{animal} {animal}</li>" for animal in ANIMALS[1:])
    return (
        f"<title>{number}</title>{menu}<p>the {ANIMALS[number % 5]} stood there and thought of "
        f"nothing but {number} apples for a long time"
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of ir_datasets, with GOV as it is delivered and what it would download."""
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


def boilersweep(home: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "boilersweep", *map(str, arguments)],
        env={**os.environ, "IR_DATASETS_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_sweep_over_a_dataset(home: Path, tmp_path: Path) -> None:
    arguments = ("--dataset", "irds:gov/trec-web-2002", "--engine", "exact", "--sweep", "words=1,5")
    done = boilersweep(home, "sweep", *arguments, "--output", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "Means over 5 topics" in done.stdout
    assert "leaked" not in done.stderr
    store = open_store(tmp_path / "out" / "store")
    assert list(store.docids()) == [f"G00-00-{number:07d}" for number in range(30)]
    again = ("segment", "--input", "irds:gov", "--output", tmp_path / "out" / "store")
    assert "is not what is asked for" in boilersweep(home, *again).stderr
    checked = boilersweep(home, "check", store.path, "--input", "irds:gov/trec-web-2002")
    assert (checked.returncode, "ok  input" in checked.stdout) == (0, True)


def test_a_store_of_a_dataset_is_taken_up_and_known_by_its_content(
    home: Path, tmp_path: Path
) -> None:
    arguments = ("segment", "--dataset", "irds:gov", "--output", tmp_path / "store")
    assert boilersweep(home, *arguments).returncode == 0
    manifest = (tmp_path / "store" / "manifest.json").read_text()
    [file] = json.loads(manifest)["shards"][0]["input"]
    assert (file["path"], len(file["sha256"])) == ("irds:gov/0000000-0000030", 64)
    assert json.loads(manifest)["input"] == "irds:gov"
    for more in ((), ("--verify-input",)):
        assert boilersweep(home, *arguments, *more).returncode == 0
        assert (tmp_path / "store" / "manifest.json").read_text() == manifest


def test_shares_and_a_cluster(home: Path, tmp_path: Path) -> None:
    arguments = ("segment", "--dataset", "irds:gov", "--output")
    for more in (("--share", "1/1"), ("--cluster", "local:1")):
        output = tmp_path / more[0]
        done = boilersweep(home, *arguments, output, *more)
        assert (done.returncode, open_store(output).documents) == (0, 30), done.stderr


def test_what_is_licensed_and_what_there_is_not(home: Path, tmp_path: Path) -> None:
    for dataset, said in (
        ("irds:gov2/trec-tb-2004", "GOV2 is available"),
        ("irds:gov2/trec-tb-04", "did you mean gov2/trec-tb-2004"),
    ):
        done = boilersweep(home, "segment", "--dataset", dataset, "--output", tmp_path / "no")
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
    from boilersweep.collection.formats import open_collection

    opened = open_collection(Path(f"irds:{name}"), None)
    found = [item for file in opened.files for item in opened.format.read(file.open("rb"), "x")]
    assert [(item.docid, item.body, item.plain) for item in found] == [
        ("d1", b"one two", True),
        ("d2", b"three", True),
    ]
