"""Mistakes of users: command lines and the messages that they get, in the files of `messages/`.

Each file has the mistakes of a command, in the sections of `SECTIONS`. A line at the margin begins
a command line; a line indented by four spaces is one of its endings; the lines below, indented by
eight, is what its message says.
"""

import gzip
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boilersweep.cli.app import COMMANDS, COMPLETE, MOVED
from boilersweep.cli.main import main
from tests.cli.conftest import Call, Inputs

MESSAGES = Path(__file__).with_name("messages")
# Parts of a command line -> the application that they need.
NEEDED = {
    "--cluster": "clusters",
    "--preset": "blogs06",
    " --topic ": "report",
    "clean ": "learned",  # its default
    "learnd": "learned",
    "learned ": "learned",
    "learned>=": "learned",
    "learnt": "learned",
    "lerned": "learned",
    "justext": "extractors",
    "trafilatur": "extractors",
    "irds:": "crawls",
}
SECTIONS = {
    "usage": "exit status 2, before anything is read or written",
    "usage with files": "exit status 2, in the folder of the fixture `files`",
    "input": "exit status 1, in that folder",
}


def mistakes(section: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the command lines of a section, each with its messages."""
    for path in sorted(MESSAGES.glob("*.txt")):
        text = path.read_text("utf-8").partition(f"## {section}\n")[2]
        calls = text.partition("\n##")[0] + "\n"
        for begin, endings in re.findall(r"(?m)^(\S.*)\n((?: .*\n)+)", calls):
            for end, messages in re.findall(
                r"(?: {4}(\S.*)\n)?((?: {8}.*\n)+)", endings
            ):
                yield f"{begin} {end}", [*map(str.strip, messages.splitlines())]


def marked(section: str, *before: int) -> Iterator[Any]:
    """Yield parameters: `before`, the mistakes of a section, and marks of what they need."""
    for line, messages in mistakes(section):
        needed = [name for part, name in NEEDED.items() if part in line]
        marks = [pytest.mark.application(name) for name in needed]
        yield pytest.param(*before, line, messages, marks=marks)


def test_every_line_of_the_files_is_read() -> None:
    paths = list(MESSAGES.glob("*.txt"))
    assert {path.stem for path in paths} <= {*COMPLETE, "boilersweep"}
    text = "".join(path.read_text("utf-8") for path in paths)
    assert set(re.findall("(?m)^## (.*)$", text)) == SECTIONS.keys()
    found = [one for section in SECTIONS for one in mistakes(section)]
    endings = len(re.findall(r"(?m)^ {0,4}[^ #\n].*\n {8}", text))
    assert len(found) == endings
    assert sum(len(messages) for _, messages in found) == text.count("\n        ")


@pytest.mark.parametrize(("line", "messages"), [*marked("usage")])
def test_usage(
    call: Call,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    messages: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = call(*shlex.split(line))
    assert (outcome.status, outcome.out) == (2, "")
    last = outcome.err.splitlines()[-1]
    assert last.startswith("boilersweep: ")
    assert all(message in last for message in messages), last
    assert not list(tmp_path.iterdir())


def test_no_command(call: Call) -> None:
    call().refused(2, "expected a command; `boilersweep --help` lists them")


@pytest.mark.parametrize(("name", "now"), [*MOVED.items()])
def test_an_earlier_name_says_where_its_job_went(
    call: Call, name: str, now: str
) -> None:
    assert name not in COMMANDS
    call(name, "--output", "o").refused(2, now)
    for command in re.findall(r"`boilersweep (\w\S*)", now):
        assert command in COMPLETE


def test_text_that_is_no_unicode(call: Call) -> None:
    call("segment", "--input", "p", "--output", "o\udcff").refused(
        2, r"--output: expected text in UTF-8, got 'o\udcff'"
    )


@pytest.fixture(scope="module")
def files(
    inputs: Inputs, store: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    for name, path in (
        ("PAGES", inputs.pages),
        ("TOPICS", inputs.topics),
        ("QRELS", inputs.qrels),
    ):
        (folder / name).symlink_to(path)
    shutil.copytree(store, folder / "STORE")
    (folder / "RUN").write_text("1 Q0 GX000-01 1 2.5 mine\n")
    (folder / "other").write_text("999 0 GX000-01 1\n")
    (folder / "elsewhere").write_text("851 0 other 1\n852 0 other 0\n")
    (folder / "others").write_text("1 0 other 1\n852 0 other 0\n")
    (folder / "TOPICS.gz").write_bytes(gzip.compress(inputs.topics.read_bytes()))
    (folder / "other2").write_text("2 0 GX000-01 1\n")
    (folder / "trec").write_text("<top>\n<num> Number: 1\n<title> pony\n</top>\n")
    (folder / "empty.html").touch()
    (folder / "blank.html").write_text(" ")
    (folder / "bad").write_text("1 Q0 a 1 2.0 t\n1 a 2.0\n")
    (folder / "bad.tsv").write_text("1\tpony\n1\tzebra\n")
    (folder / "in.jsonl").write_text('{"docno": "a", "text": "one"}\n')
    for name in ("empty", "pdfs", "html", "gold"):
        (folder / name).mkdir()
    (folder / "gold" / "a.html").write_text("<p>menu<p>one two three four <a>five</a>")
    (folder / "gold" / "a.txt").write_text("one two three four five")
    index = ["index", "--store", str(store), "--keep", "words>=3", "--output"]
    assert main([*index, str(folder / "INDEX")]) == 0
    (folder / "html" / "a.html").write_text("<p>a page of seven or eight words")
    for name in ("a.pdf", "pdfs/a.html"):
        (folder / name).write_bytes(
            b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + bytes(range(256))
        )
    (folder / "random").write_bytes(bytes(range(256)) * 8)
    return folder


@pytest.mark.java
@pytest.mark.parametrize(
    ("status", "line", "messages"),
    [
        *marked("usage with files", 2),
        *marked("input", 1),
    ],
)
def test_files(
    call: Call,
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    line: str,
    messages: list[str],
) -> None:
    monkeypatch.chdir(files)
    outcome = call(*shlex.split(line)).noted(*messages)
    assert outcome.status == status, outcome
