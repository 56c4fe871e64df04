"""From pages and queries to a certain answer and its report, in a browser, with a kill."""

import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boilersweep.demo.collection import DemoCollection, write_demo
from boilersweep.topics import read_qrels, read_topics
from boilersweep.topics.query_log import query_topic
from tests.cli.conftest import Call
from tests.eval.serve.conftest import begin, press, shown, size

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.usefixtures("needs_chromium")]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoCollection:
    return write_demo(tmp_path_factory.mktemp("demo"))


@contextlib.contextmanager
def assessing(folder: Path, name: str, browser: Any) -> Iterator[subprocess.Popen[str]]:
    """Run the command in a process of its own, and open its page in the browser."""
    words = "--store store --queries queries.txt --cleaners words>=1,learned --output judged"
    command = [sys.executable, "-m", "boilersweep", "assess", *words.split()]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            begin(browser, process.stdout.readline().strip(), name)
            yield process
        finally:
            process.kill()


def test_from_a_query_log_to_a_certain_answer(
    browser: Any, call: Call, demo: DemoCollection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    topics, qrels = read_topics(demo.topics), read_qrels(demo.qrels).grades
    known = {query_topic(topic.title).id: topic.id for topic in topics}
    Path("queries.txt").write_text("".join(f"{topic.title}\n" for topic in topics), "utf-8")
    call("segment", "--input", demo.trec, "--output", "store").ok()
    size(browser, 1280)
    judged: list[tuple[str, str]] = []

    def judge() -> None:
        topic, docid = shown(browser)
        judged.append((topic, docid))
        press(browser, str(max(0, min(qrels[known[topic]].get(docid, 0), 3))))

    with assessing(tmp_path, "anna", browser) as process:
        for _ in range(25):
            judge()
        process.send_signal(signal.SIGKILL)
    with assessing(tmp_path, "anna", browser) as process:
        lines = Path("judged/people/anna.qrels").read_text().splitlines()
        assert len(lines) == len(set(judged)) == 24  # one came again
        while "No document can decide anything more." not in browser.page_source:
            judge()
            assert len(judged) < 250
        certain = browser.find_element("css selector", "li.certain").text
        process.send_signal(signal.SIGINT)
        assert process.stdout
        assert certain in process.stdout.read()
        assert process.wait(30) == 0
    assert re.fullmatch(r"learned is better than words>=1 by 0\.\d+ \[.+\]: certain", certain)
    compare = (
        "compare",
        "--store",
        "store",
        "--topics",
        "judged/topics.tsv",
        "--output",
        "study",
        "--qrels",
        "judged/qrels.txt",
        "--cleaners",
        "learned",
        "--verify",
        "1",
    )
    outcome = call(*compare).ok()
    for text in (outcome.err, Path("study/report.html").read_text("utf-8")):
        assert certain in text.replace("&gt;", ">")
        assert "judgements by anna of" in text
        assert "Judged@10 of these cleaners is" in text
