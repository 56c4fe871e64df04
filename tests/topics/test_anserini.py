"""pyserini's names of topics and qrels, in a process with a home and a network of its own."""

import json
from pathlib import Path
from typing import Any

import pytest

from boilersweep.topics import needs_java
from tests.running import python

pytestmark = pytest.mark.java

ROOT = Path(__file__).parents[2]
NAMES = ("wt10g", "trec2004-terabyte", "robust99")
READ = f"""
import json, sys
from boilersweep.errors import BoilersweepError
from boilersweep.topics import read_qrels, read_topics

if "online" in sys.argv:
    from tests.anserini_network import answer
    from tests.topics.test_anserini import FILES
    answer(FILES)
found = dict()
for name in {NAMES}:
    for read in (read_topics, read_qrels):
        try:
            result = read(name)
            found[read.__name__ + " " + name] = (
                result.grades if read is read_qrels else [[t.id, t.title, t.desc] for t in result]
            )
        except BoilersweepError as error:
            found[read.__name__ + " " + name] = f"{{type(error).__name__}}: {{error}}"
print(json.dumps(found))
"""

TOPIC = b"<top>\n<num> Number: 451\n<title> ponies\n<desc> Description:\nall\n<narr> \nn\n</top>"
TREC = "io.anserini.search.topicreader.TrecTopicReader"
CANONICAL = ("adhoc.451-550", "terabyte04.701-750", "msmarco-passage.dev-subset")
ALIASES = {CANONICAL[0]: [NAMES[0]], CANONICAL[1]: [NAMES[1]]}
# Without topics and qrels of the terabyte track, which are listed.
FILES = {
    "/topics.json": json.dumps(
        {
            name: {"path": f"topics.{name}.txt", "reader_class": TREC}
            for name in CANONICAL
        }
    ).encode(),
    "/qrels.json": json.dumps(
        {name: f"qrels.{name}.txt" for name in (*CANONICAL, "msmarco-doc-dev")}
    ).encode(),
    "/topics-aliases.json": json.dumps(ALIASES).encode(),
    "/qrels-aliases.json": json.dumps(ALIASES).encode(),
    "/topics.adhoc.451-550.txt": TOPIC,
    "/qrels.adhoc.451-550.txt": b"451 0 WTX001-B01-1 1\n",
}


def test_a_file_of_that_name_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert needs_java("wt10g", "topics")
    Path("wt10g").write_text("")
    assert not needs_java("wt10g", "topics")
    assert not needs_java("wt", "topics")
    assert not needs_java(tmp_path / "robust04", "topics")


def read_names(home: Path, *arguments: str) -> Any:
    java = f"-Duser.home={home} -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=9"
    done = python(
        *("-c", READ, *arguments),
        env={"JAVA_TOOL_OPTIONS": java, "PYTHONPATH": str(ROOT)},
        cwd=home,
    )
    return json.loads(done.stdout)  # and nothing that Anserini says


@pytest.fixture(scope="module")
def online(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return read_names(tmp_path_factory.mktemp("home"), "online")


def test_what_anserini_has_is_read(online: Any) -> None:
    assert online["read_topics wt10g"] == [["451", "ponies", "all"]]
    assert online["read_qrels wt10g"] == {"451": {"WTX001-B01-1": 1}}


@pytest.mark.parametrize(("what", "error"), [("topics", "Topics"), ("qrels", "Qrels")])
def test_what_cannot_be_downloaded_is_said(online: Any, what: str, error: str) -> None:
    said = online[f"read_{what} trec2004-terabyte"]
    assert said.startswith(
        f"{error}Error: Anserini cannot give the {what} of trec2004-terabyte: "
    )
    assert f"{what}.terabyte04.701-750.txt; it downloads" in said


@pytest.mark.parametrize("what", ["topics", "qrels"])
def test_neither_a_file_nor_a_name(online: Any, what: str) -> None:
    said = online[f"read_{what} robust99"]
    assert "robust99: expected a file of " + what in said


def test_without_a_network(tmp_path: Path) -> None:
    found = read_names(tmp_path)
    for what in ("topics", "qrels"):
        said = found[f"read_{what} trec2004-terabyte"]
        assert f"Anserini cannot give the {what} of trec2004-terabyte: " in said
        assert f"reaches that address, or give a file of {what}" in said
