"""A tiny collection in TREC web format with topics and qrels, and a way to call the commands."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from leaves import applications, is_deleted

from boilersweep.cli.main import main

ANIMALS = "pony zebra otter heron lynx".split()


@dataclass(frozen=True, slots=True)
class Outcome:
    status: int
    out: str
    err: str

    def ok(self, *printed: str) -> "Outcome":
        """Assert that the command succeeded and printed these texts."""
        assert self.status == 0, self.out + self.err
        assert all(text in self.out for text in printed), self.out
        return self

    def failed(self, *printed: str) -> "Outcome":
        """Assert that the command printed these texts, as `check` does of faults, and failed."""
        assert self.status == 1, self.err
        assert all(text in self.out for text in printed), self.out
        return self

    def noted(self, *notes: str) -> "Outcome":
        """Assert that the command wrote these notes on stderr."""
        assert all(note in self.err for note in notes), self.err
        return self

    def refused(self, status: int, *messages: str) -> None:
        """Assert that the command failed with these messages and no result."""
        assert (self.status, self.out) == (status, ""), self.err
        self.noted(*messages)


@dataclass(frozen=True, slots=True)
class Inputs:
    pages: Path
    topics: Path
    qrels: Path

    @property
    def judged(self) -> list[str]:
        return ["--topics", str(self.topics), "--qrels", str(self.qrels)]

    @property
    def arguments(self) -> list[str]:
        return ["--input", str(self.pages), *self.judged]


Call = Callable[..., Outcome]


def deleted_application(arguments: Sequence[object]) -> str | None:
    """Return the deleted application, if any, that has the command which arguments name."""
    for name, application in applications().items():
        commands = {
            module.rpartition(".")[2]
            for module in application.modules
            if module.startswith("boilersweep.cli.commands.")
        }
        if commands.intersection(arguments[:1]) and is_deleted(application):
            return name
    return None


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Return a function that calls the command line; argparse's exits are statuses, too."""

    def run(*arguments: object) -> Outcome:
        if name := deleted_application(arguments):
            pytest.skip(f"{name} was deleted")
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else -1
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Outcome(status, captured.out, captured.err)

    return run


@pytest.fixture
def compare(call: Call, store: Path, inputs: Inputs, tmp_path: Path) -> Call:
    usual = (
        "--store",
        store,
        *inputs.judged,
        "--output",
        tmp_path / "out",
        "--threads",
        1,
    )
    return lambda *arguments: call("compare", *usual, *arguments)


def read_json(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return value


def page(number: int) -> str:
    about = ANIMALS[number % len(ANIMALS)]
    others = [animal for animal in ANIMALS if animal != about]
    menu = "".join(f"<li>{animal} {animal}</li>" for animal in others)
    body = f"the {about} stood there and thought of nothing but {number} apples for a long time"
    return f"<html><head><title>{number}</title></head><body>{menu}<p>{body}</p></body></html>"


def trec(docids: Sequence[str]) -> str:
    return "".join(
        f"<DOC>\n<DOCNO>{docid}</DOCNO>\n<DOCHDR>\nhttp://site.example/{number}\n"
        f"HTTP/1.1 200 OK\nContent-Type: text/html\n</DOCHDR>\n{page(number)}\n</DOC>\n"
        for number, docid in enumerate(docids)
    )


def write_experiment(folder: Path, docids: Sequence[str]) -> tuple[Path, Path]:
    """Write a topic of each animal, and judgements of documents in the order of their pages."""
    topics, qrels = folder / "topics.tsv", folder / "qrels.txt"
    topics.write_text(
        "".join(f"{n}\t{animal}\n" for n, animal in enumerate(ANIMALS, start=1))
    )
    lines = [
        f"{topic} 0 {docid} {int(number % len(ANIMALS) == topic - 1)}\n"
        for topic in range(1, len(ANIMALS) + 1)
        for number, docid in enumerate(docids)
    ]
    qrels.write_text("".join(lines), "utf-8")
    return topics, qrels


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    folder = tmp_path_factory.mktemp("inputs")
    docids = [f"GX000-{number:02d}" for number in range(30)]
    (folder / "pages").mkdir()
    (folder / "pages" / "00.trec").write_text(trec(docids))
    return Inputs(folder / "pages", *write_experiment(folder, docids))


@pytest.fixture(scope="session")
def store(inputs: Inputs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("segment") / "store"
    arguments = ["segment", "--input", str(inputs.pages), "--output", str(output)]
    assert main([*arguments, "--collection", "trecweb", "--threads", "1"]) == 0
    return output
