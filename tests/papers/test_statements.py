"""The papers' statements: every command of it that needs no closed data runs."""

import csv
import random
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from reproduce_papers import main as reproduce

from boilersweep.cli.main import main
from boilersweep.demo.collection import write_demo

FOLDER = Path(__file__).parents[2] / "scripts" / "papers"
PAPERS = {"K", "S", "V", "C"}

# What nobody can run without a licence.
CLOSED = {"blogs06"}

# The cleaner in the command `clean`, in whose place each cleaner of the table is put.
CLEANER = "numwords-rules"

_NAME = re.compile(r"\b(?:[A-Z][A-Z0-9]{2,}|page\.html)\b")


@dataclass(frozen=True, slots=True)
class Statement:
    """A row of the table; `command` is empty for a statement that none shows."""

    place: str
    statement: str
    command: str
    files: str
    paper: str
    ours: str


def statements() -> Iterator[Statement]:
    with (FOLDER / "statements.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield Statement(**row)


def commands() -> dict[str, list[list[str]]]:
    """Name -> the commands as words."""
    (block,) = re.findall(
        r"```sh\n(# news\n.*?)```", (FOLDER / "README.md").read_text("utf-8"), re.S
    )
    found = {}
    for one in block.replace("\\\n", " ").split("# ")[1:]:
        name, *lines = one.splitlines()
        found[name] = [shlex.split(line) for line in lines]
    return found


def page(dice: random.Random, number: int) -> tuple[str, str]:
    """Return a page with a text of each class, and the same page with marks."""
    words = [
        " ".join(dice.choices(("night", "train", "of", "the", "Line"), k=length))
        for length in (2, 40, 30, 5, 20, 9)
    ]
    tags = ("h1", "p", "p", "div", "p", "p")
    plain, marked = "<ul><li><a href=/>Home</a></ul>", ""
    for kind, (tag, text) in enumerate(zip(tags, words, strict=True)):
        body = f"<a href=/{number}>{text}</a>" if kind == 5 else f"{text}."
        sel = (1, 2, 2, 3, 5, 4)[kind]
        marked += f'<{tag}><span class="x-nc-sel{sel}">{body}</span></{tag}>'
        plain += f"<{tag}>{body}</{tag}>"
    head = f"<!DOCTYPE html><title>{words[0]} - {number}</title>"
    return head + plain, f"{head}<ul><li><a href=/>Home</a></ul>{marked}"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all that the commands read, by the names that they have for it."""
    world = tmp_path_factory.mktemp("statements")
    folders = (
        "L3S/original",
        "L3S/annotated",
        "CLEANEVAL/input",
        "CLEANEVAL/GoldStandard",
    )
    for folder in (*folders, "TEXTS"):
        (world / folder).mkdir(parents=True)
    dice = random.Random(7)  # noqa: S311
    hosts = []
    for number in range(60):
        plain, marked = page(dice, number)
        (world / "L3S" / "original" / f"{number}.html").write_text(plain)
        (world / "L3S" / "annotated" / f"{number}.html").write_text(marked)
        hosts.append(
            f"<urn:uuid:{number}>\thttp://www.site{number // 3}.org/{number}\n"
        )
    (world / "L3S" / "url-mapping.txt").write_text("".join(hosts))
    for number in range(3):
        plain, _ = page(dice, number)
        (world / "CLEANEVAL" / "input" / f"{number}.html").write_text(plain)
        gold = f"URL: http://x{number}.org\n<h> night\n<p> the train of the night line"
        (world / "CLEANEVAL" / "GoldStandard" / f"{number}.txt").write_text(gold)
        (world / "TEXTS" / f"{number}.txt").write_text("<p> the train")
    (world / "page.html").write_text(plain)
    demo = write_demo(world / "demo")
    for name, path in {
        "PAGES": demo.trec,
        "TOPICS": demo.topics,
        "QRELS": demo.qrels,
    }.items():
        (world / name).symlink_to(path)
    return world


def run(words: list[str], world: Path) -> None:
    program, *arguments = [
        _NAME.sub(lambda name: str(world / name[0]), word) for word in words
    ]
    status = reproduce(arguments[1:]) if program == "python" else main(arguments)
    assert status == 0, words


def made_by(words: list[str], world: Path) -> Path:
    """Return the output of a command."""
    return world / words[words.index("--output") + 1]


def test_every_row_says_what_shows_it_or_why_nothing_does() -> None:
    rows, known = list(statements()), commands()
    assert len(rows) > 170
    assert {row.place.split()[0] for row in rows} == PAPERS
    assert {row.command for row in rows} - {""} == set(known)
    for row in rows:
        assert row.statement
        assert row.paper
        assert row.ours, f"{row.statement}: ours, or why it cannot be had"


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(("news",), marks=pytest.mark.slow),
        ("web", "judged"),
        ("classes", "train"),
        pytest.param(
            ("store", "kohlschuetter", "schaefer", "sweep", "range"),
            marks=[pytest.mark.slow, pytest.mark.java],
        ),
    ],
    ids=" ".join,
)
def test_commands_show_what_the_table_says(names: tuple[str, ...], world: Path) -> None:
    for name in names:
        for words in commands()[name]:
            run(words, world)
        files = {
            file
            for row in statements()
            if row.command == name
            for file in row.files.split()
        }
        folder = made_by(commands()[name][0], world)
        assert files <= {path.name for path in folder.glob("*")} | {folder.name}


def test_every_cleaner_of_the_table_cleans_a_page(world: Path) -> None:
    rows = [row for row in statements() if row.command == "clean"]
    cleaners = {row.ours.partition("`")[2].partition("`")[0] for row in rows}
    assert len(cleaners) > 8
    for words in commands()["clean"]:
        for cleaner in sorted(cleaners):
            run([cleaner if word == CLEANER else word for word in words], world)
    for words in commands()["explain"]:
        run(words, world)


def test_every_command_runs_here_or_needs_closed_data() -> None:
    run_here = {"news", "web", "judged", "classes", "train", "store", "kohlschuetter"}
    run_here |= {"schaefer", "sweep", "range", "clean", "explain"}
    assert run_here | CLOSED == set(commands())
