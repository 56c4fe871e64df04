"""pyserini's names of topics and qrels, in a process with a home and a network of its own."""

import json
from pathlib import Path
from typing import Any

import pytest

from boilersweep.topics import needs_java
from boilersweep.topics.read import known_names
from tests.running import python

pytestmark = pytest.mark.java

READ = """
import json, sys
from boilersweep.errors import BoilersweepError
from boilersweep.topics import read_qrels, read_topics

found = []
for read, name in ((read_topics, "wt10g"), (read_qrels, "wt10g"),
                   (read_topics, "trec2004-terabyte"), (read_qrels, "trec2004-terabyte")):
    try:
        result = read(name)
        found.append([[t.id, t.title, t.desc] for t in result] if read is read_topics
                     else result.grades)
    except BoilersweepError as error:
        found.append(f"{type(error).__name__}: {error}")
print(json.dumps(found))
"""


def test_names() -> None:
    topics, qrels = known_names("topics"), known_names("qrels")
    assert (
        topics["trec2004-terabyte"] == qrels["trec2004-terabyte"] == "TREC2004_TERABYTE"
    )
    assert topics["wt10g"] == qrels["wt10g"] == "WT10G"
    assert len(topics) > 100


def test_a_file_of_that_name_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert needs_java("wt10g", "topics")
    Path("wt10g").write_text("")
    assert not needs_java("wt10g", "topics")
    assert not needs_java("wt10", "topics")
    assert not needs_java(tmp_path / "robust04", "topics")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Read topics after Anserini has loaded the files of wt10g, and can load no more."""
    home = tmp_path_factory.mktemp("home")
    cache = home / ".cache" / "pyserini" / "topics-and-qrels"
    cache.mkdir(parents=True)
    topic = "<top>\n<num> Number: 451\n<title> ponies\n<desc> Description:\nall\n<narr> \nn\n</top>"
    (cache / "topics.adhoc.451-550.txt").write_text(topic)
    (cache / "qrels.adhoc.451-550.txt").write_text("451 0 WTX001-B01-1 1\n")
    java = f"-Duser.home={home} -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=9"
    done = python("-c", READ, env={"JAVA_TOOL_OPTIONS": java}, cwd=home)
    results: list[Any] = json.loads(done.stdout)  # and nothing that Anserini says
    return results


def test_what_anserini_has_is_read(found: list[Any]) -> None:
    assert found[:2] == [[["451", "ponies", "all"]], {"451": {"WTX001-B01-1": 1}}]


def test_what_cannot_be_downloaded_is_said(found: list[Any]) -> None:
    topics, qrels = found[2:]
    assert topics.startswith(
        "TopicsError: Anserini cannot give the topics of trec2004-terabyte"
    )
    assert qrels.startswith(
        "QrelsError: Anserini cannot give the qrels of trec2004-terabyte"
    )
    assert "topics.terabyte04.701-750.txt; it downloads" in topics
    assert "qrels.terabyte04.701-750.txt; it downloads" in qrels
