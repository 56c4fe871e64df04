"""The commands of the open collections' manual, on made-up pages in the real ones' forms."""

import bz2
import json
import re
import shlex
from pathlib import Path

import pytest

from boilersweep import open_store
from boilersweep.cli.main import main
from tests.collection.crawl import crawl_of, docid

MANUAL = Path(__file__).parents[2] / "eval" / "papers" / "OPEN-COLLECTIONS.md"
COMMANDS = re.findall(r"^boilersweep .*$", MANUAL.read_text("utf-8"), re.MULTILINE)
PAGES = 6
JUDGED = (
    "20ef78cf-52ba-4cff-9c4e-13d061e9132f",
    "fabd1c35-53bc-4337-a244-136fd89684c2",
)
CLEF_TOPICS = """<queries>
\t<query>
\t\t<id> 151001 </id>
\t\t<en> word1 word5 </en>
\t\t<fr> mot </fr>
\t</query>
</queries>
"""
WWW_TOPICS = """<?xml version="1.0"?>
<queries>
<query><qid>0101</qid><content>word1 word5</content><description>About it.</description></query>
</queries>
"""
HC4_TOPIC = {
    "topic_id": "101",
    "languages_with_qrels": ["zho"],
    "topics": [
        {"lang": "eng", "source": "original", "topic_title": "none of the pages"},
        {"lang": "zho", "source": "human translation", "topic_title": "word1 word5"},
    ],
}


def make_world(folder: Path) -> None:
    """Write the inputs that the commands name."""
    words = " ".join(f"word{number}" for number in range(40))
    for number, name in enumerate((*JUDGED, "00000000-not-judged")):
        page = folder / "CLEF2018" / f"site{number}.example" / name
        page.parent.mkdir(parents=True)
        page.write_text(f"<!DOCTYPE html><title>x</title><p>{words}</p>", "utf-8")
    (folder / "CLEF2018_qrel_20180914.txt").write_text(
        f"151001 0 {JUDGED[0]} 2\n151001 0 {JUDGED[1]} 0\n"
    )
    (folder / "clef2018_queries_task1_task4.txt").write_text(CLEF_TOPICS)
    crawl = crawl_of(PAGES)
    for base in (folder, folder / "CHUWEB21"):
        for name, content in crawl.files.items():
            (base / name).parent.mkdir(parents=True, exist_ok=True)
            (base / name).write_bytes(content)
    rows = [
        [str(line[key]) for key in ("filename", "offset", "length")]
        for line in crawl.lines
    ]
    names = [f"hc4-{number}" for number in range(PAGES)]
    (folder / "hc4-zho.tsv").write_text(
        "".join(
            "\t".join((*row, name)) + "\n"
            for row, name in zip(rows, names, strict=True)
        )
    )
    (folder / "www4.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    (folder / "test.topics.v1-0.jsonl").write_text(json.dumps(HC4_TOPIC) + "\n")
    (folder / "test.qrels.v1-0.txt").write_text("101 0 hc4-1 3\n101 0 hc4-2 0\n")
    (folder / "www4topics.xml").write_text(WWW_TOPICS)
    (folder / "www4-qrels.txt").write_text(
        f"0101 0 {docid(1)} 2\n0101 0 {docid(2)} 0\n"
    )
    question = {
        "interaction_id": "3dbed55e",
        "query": "which words",
        "answer": "word7",
        "search_results": [
            {"page_result": f"<p>{words}", "page_url": "http://x/"},
            {"page_result": "", "page_url": "http://y/"},
        ],
    }
    (folder / "crag_task_1_and_2_dev_v4.jsonl.bz2").write_bytes(
        bz2.compress(json.dumps(question).encode() + b"\n")
    )


def commands(*stems: str) -> list[list[str]]:
    return [
        shlex.split(line)[1:]
        + (["--cdx-base", "."] if "cdx" in line and "--cdx-base" not in line else [])
        for line in COMMANDS
        if line.split()[1] in stems
    ]


def test_pages_of_the_collections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_world(tmp_path)
    for line in commands("segment"):
        assert main([*line, "--threads", "1"]) == 0
    stores = ("clef2018-store", "hc4-store", "www4-store", "crag-store")
    assert [list(open_store(Path(name)).docids()) for name in stores] == [
        list(JUDGED),
        [f"hc4-{number}" for number in range(PAGES)],
        [docid(number) for number in range(PAGES)],
        ["3dbed55e-1"],
    ]


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.application("learned")
def test_every_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_world(tmp_path)
    for line in commands("segment", "compare", "export"):
        assert main(line) == 0
    assert len(list(tmp_path.glob("*-study/compare.csv"))) == 3
