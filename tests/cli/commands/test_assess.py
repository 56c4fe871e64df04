"""From pages and queries to a certain answer and its report, in a browser, with a kill."""

import contextlib
import json
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from boilersweep.demo.collection import DemoCollection, write_demo
from boilersweep.topics import read_qrels, read_topics
from boilersweep.topics.query_log import query_topic
from tests.cli.conftest import Call
from tests.conftest import size
from tests.eval.people.serving import begin, press
from tests.eval.serve.conftest import shown
from tests.running import PROGRAM

pytestmark = [pytest.mark.java, pytest.mark.slow]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoCollection:
    return write_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture
def folder(
    call: Call, demo: DemoCollection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Return a working folder with the demo's store and a log of its queries."""
    monkeypatch.chdir(tmp_path)
    queries = [topic.title for topic in read_topics(demo.topics)]
    Path("queries.txt").write_text("".join(f"{query}\n" for query in queries), "utf-8")
    assert call("segment", "--input", demo.trec, "--output", "store").status == 0
    return tmp_path


@dataclass
class Assessor:
    """Judges as the demo's qrels say, by keyboard."""

    browser: Any
    demo: DemoCollection
    judged: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        grades = read_qrels(self.demo.qrels).grades
        topics = read_topics(self.demo.topics)
        self._grades = {
            query_topic(topic.title).id: grades[topic.id] for topic in topics
        }

    def judge(self) -> None:
        topic, docid = shown(self.browser)
        self.judged.append((topic, docid))
        press(self.browser, str(max(0, min(self._grades[topic].get(docid, 0), 3))))

    def judge_all(self) -> str:
        """Judge until the page says what is decided, and return that."""
        while not self.browser.find_elements("css selector", "main.decision"):
            self.judge()
            assert len(self.judged) < 300
        title: str = self.browser.find_element("css selector", "h1").text
        return title

    def commands(self) -> list[list[str]]:
        texts = [
            code.text for code in self.browser.find_elements("css selector", "pre code")
        ]
        return [shlex.split(text)[1:] for text in texts]


@contextlib.contextmanager
def assessing(
    folder: Path, browser: Any, *options: str
) -> Iterator[subprocess.Popen[str]]:
    """Run the command in a process of its own, and open its page in the browser."""
    words = [
        "--store",
        "store",
        "--queries",
        "queries.txt",
        "--output",
        "judged",
        *options,
    ]
    command = [*PROGRAM, "assess", *words]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout
            begin(browser, process.stdout.readline().strip(), "anna")
            yield process
        finally:
            process.kill()


@pytest.mark.application("learned")
def test_from_a_query_log_to_a_certain_answer(
    browser: Any, call: Call, demo: DemoCollection, folder: Path
) -> None:
    size(browser, 1280)
    assessor = Assessor(browser, demo)
    pair = ("--cleaners", "words>=1,learned")
    with assessing(folder, browser, *pair) as process:
        for _ in range(25):
            assessor.judge()
        process.send_signal(signal.SIGKILL)
    with assessing(folder, browser, *pair) as process:
        lines = Path("judged/people/anna.qrels").read_text().splitlines()
        assert len(lines) == len(set(assessor.judged)) == 24  # one came again
        assert assessor.judge_all() == "You are done: use learned"
        certain = browser.find_element("css selector", "li.certain").text.partition(
            " ("
        )[0]
        compare, *others = assessor.commands()
        press(browser, "r")  # the rest of the pool, for other uses of the judgements
        assessor.judge()
        process.send_signal(signal.SIGINT)
        assert process.stdout
        printed = process.stdout.read()
        assert process.wait(30) == 0
    assert re.fullmatch(
        r"learned is better than words>=1 by 0\.\d+ \[.+\]: certain for queries like these",
        certain,
    )
    assert certain in printed
    assert shlex.join(["boilersweep", *compare]) in printed
    outcome = call(*compare, "--verify", "1")
    assert outcome.status == 0, outcome.err
    assert "In parentheses: means that count unjudged documents" in outcome.out
    for text in (outcome.err, Path("judged.study/report.html").read_text("utf-8")):
        assert certain in text.replace("&gt;", ">")
        assert "judgements by anna of" in text
        assert "Only differences in P@10, with these intervals, are shown" in text
    study = json.loads(Path("judged.study/study.json").read_text("utf-8"))
    [result] = study["variants"][1][
        "results"
    ].values()  # no measure that the judgements do not support
    interval = re.findall(r"-?0\.\d+", certain)[1:]
    ends = [result["difference_low"], result["difference_high"]]
    assert [f"{end:.3f}" for end in ends] == interval
    assert result["tests"]["sequential"] < 0.05
    for command in others:
        assert call(*command).status == 0
    assert list(Path("judged.index").glob("segments_*"))
    assert list(Path("judged.export/learned").glob("*.ndjson*"))


def test_more_queries_on_one_key(
    browser: Any, call: Call, demo: DemoCollection, folder: Path
) -> None:
    assessor = Assessor(browser, demo)
    pair = ("--cleaners", "words>=1,numwords-rules", "--sample", "5")
    with assessing(folder, browser, *pair):
        title = assessor.judge_all()
        assert title == "These queries cannot tell words>=1 from numwords-rules"
        assert "on all 5 queries gives p =" in browser.page_source
        before, again = len(assessor.judged), assessor.commands()[-1]
        press(browser, "q")
        assert assessor.judge_all() == "You are done: use numwords-rules"
        beside = call(*again, "--status")  # while the page is open
    assert again[0] == "assess"
    assert int(again[again.index("--sample") + 1]) == len(
        read_topics(Path("judged/topics.tsv"))
    )
    status = call(*again, "--status")
    assert (beside.status, beside.out) == (0, status.out)
    assert f"{len(set(assessor.judged))} documents judged by people" in status.out
    assert "You are done: use numwords-rules" in status.out
    assert len(assessor.judged) > before
