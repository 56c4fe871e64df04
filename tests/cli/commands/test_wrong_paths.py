"""Every argument that is a path, given every wrong kind of path: one clear line, at once."""

import argparse
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from boilersweep.cli.main import main, make_parser
from tests.cli.conftest import Call, Inputs

pytestmark = pytest.mark.java


HERE = "<path>"
PATHS = ("DIR", "FILE", "PATH", "NAME=FILE")
"""What arguments that are paths have as their metavar."""

SECONDS = 10
"""Generous: one takes some hundredths of a second on a machine that has nothing else to do."""

NOWHERE = ("missing", "circle", "long", "below a file")
FILES = ("text", "empty file", "shard")
FOLDERS = ("empty folder", "pages", "store", "indexes", "index", "sweep", "runs")
KINDS = (*NOWHERE, *FILES, *FOLDERS)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument that is a path. option: its name. words: the command line, HERE the path.

    right: kinds of paths that it takes.
    """

    option: str
    words: str
    right: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        return self.words.split()[0]


TOPICS = "--topics inputs/topics.tsv"
QRELS = "--qrels inputs/qrels.txt"
TOPIC = "--topic 1 --cleaners words>=1,bte"
OUTPUT = "--output out"
JUDGED = f"--store store {TOPICS} --cleaners words>=1,bte"
COLLECTIONS = ("pages", "store", "indexes", "index", "sweep")  # read as JSONL, whatever that gives
DATASETS = ("l3s-gn1", "cleaneval", "wcxb", "folder")
READ = (
    *(Argument("--input", f"segment --input {HERE} {OUTPUT} --threads 1", COLLECTIONS),),
    Argument("--texts", f"segment --input inputs/pages {OUTPUT} --threads 1 --texts gold={HERE}"),
    Argument("--store", f"index --store {HERE} {OUTPUT} --keep words>=1", ("store",)),
    Argument("--store", f"export --store {HERE} {OUTPUT} --keep words>=1", ("store",)),
    Argument("--input", f"export --input {HERE} {OUTPUT} --keep words>=1", COLLECTIONS),
    Argument("--texts", f"export --input inputs/pages {OUTPUT} --keep a --texts a={HERE}"),
    Argument("folder", f"merge {HERE}", ("store", "indexes", "index", "sweep")),
    Argument("--index", f"search --index {HERE} {TOPICS} {OUTPUT}", ("index",)),
    Argument("--topics", f"search --index index --topics {HERE} {OUTPUT}"),
    Argument("--qrels", f"evaluate --qrels {HERE} --run sweep/runs/words-001.trec"),
    Argument("--run", f"evaluate {QRELS} --run {HERE}"),
    Argument("--page", f"explain --page {HERE}", ("text", "shard")),
    Argument("pages", f"clean {HERE}", ("text", "empty file")),
    Argument("--store", f"explain {TOPICS} {QRELS} {TOPIC} --store {HERE}", ("store",)),
    Argument("--topics", f"explain --topics {HERE} {QRELS} {TOPIC} --store store"),
    Argument("--qrels", f"explain {TOPICS} --qrels {HERE} {TOPIC} --store store"),
    *(
        Argument(option, f"{command} {words} {OUTPUT}", right)
        for command in ("sweep --sweep words=1", "compare --cleaners bte")
        for option, words, right in (
            ("--store", f"{TOPICS} {QRELS} --store {HERE}", ("store",)),
            ("--topics", f"--topics {HERE} {QRELS} --store store", ()),
            ("--qrels", f"{TOPICS} --qrels {HERE} --store store", ()),
            ("--queries", f"--queries {HERE} --store store", ("text",)),
        )
    ),
    *(
        Argument(option, f"{command} --cleaners words>=1,bte {words} {OUTPUT}", right)
        for command in ("assess --status", "pool --write pool.csv")
        for option, words, right in (
            ("--store", f"{TOPICS} --store {HERE}", ("store",)),
            ("--topics", f"--topics {HERE} --store store", ()),
            ("--queries", f"--queries {HERE} --store store", ("text",)),
        )
    ),
    Argument("--read", f"pool {JUDGED} {OUTPUT} --name anna --read {HERE}"),
    Argument("folders", f"serve {HERE}", ("store", "indexes", "sweep")),
    Argument("--store", f"serve sweep/indexes --store {HERE}", ("store",)),
    Argument("--input", f"sweep --input {HERE} {TOPICS} {QRELS} {OUTPUT}", COLLECTIONS),
    Argument("--texts", f"sweep --input inputs/pages {TOPICS} {QRELS} {OUTPUT} --texts a={HERE}"),
    Argument("--store", f"features --store {HERE} --output f.csv", ("store",)),
    Argument("folders", f"report {HERE}"),
    Argument(
        "--store", f"extract --store {HERE} --input inputs/pages --extractors cetr", ("store",)
    ),
    Argument("--input", f"extract --store store --input {HERE} --extractors cetr", ("pages",)),
    Argument("--input", f"render --store store --input {HERE}", ("pages",)),
    Argument("--store", f"render --store {HERE} --input inputs/pages", ("store",)),
    *(Argument("--input", f"judge --dataset {one} --input {HERE} {OUTPUT}") for one in DATASETS),
    *(
        Argument("--input", f"train --dataset {one} --input {HERE} --output m.npz")
        for one in DATASETS
    ),
    Argument("--input", f"blogs06 --input {HERE} {TOPICS} {QRELS} {OUTPUT}"),
    Argument("--topics", f"blogs06 --input inputs/pages --topics {HERE} {QRELS} {OUTPUT}"),
    Argument("--qrels", f"blogs06 --input inputs/pages {TOPICS} --qrels {HERE} {OUTPUT}"),
    Argument("folder", f"check {HERE}", ("store", "indexes", "index", "sweep")),
)
CANNOT_BE_FOLDERS = (*FILES, "circle", "long", "below a file")
CANNOT_BE_FILES = (*FOLDERS, "long", "below a file")
WRITTEN = {
    f"segment --input inputs/pages --output {HERE}": CANNOT_BE_FOLDERS,
    f"index --store store --output {HERE} --keep words>=1": CANNOT_BE_FOLDERS,
    f"index --store store --output {HERE} --sweep words=1": CANNOT_BE_FOLDERS,
    f"export --store store --keep words>=1 --output {HERE}": CANNOT_BE_FOLDERS,
    f"sweep --store store {TOPICS} {QRELS} --sweep words=1 --output {HERE}": CANNOT_BE_FOLDERS,
    f"compare --store store {TOPICS} {QRELS} --cleaners bte --output {HERE}": CANNOT_BE_FOLDERS,
    f"assess --status {JUDGED} --output {HERE}": CANNOT_BE_FOLDERS,
    f"serve store --output {HERE}": CANNOT_BE_FOLDERS,
    f"pool {JUDGED} --write pool.csv --output {HERE}": CANNOT_BE_FOLDERS,
    f"pool {JUDGED} {OUTPUT} --write {HERE}": CANNOT_BE_FILES,
    f"judge --dataset folder --input dataset --cleaners bte --output {HERE}": CANNOT_BE_FOLDERS,
    f"demo --output {HERE}": CANNOT_BE_FOLDERS,
    f"search --index index {TOPICS} --output {HERE}": CANNOT_BE_FILES,
    f"explain --page text --output {HERE}": CANNOT_BE_FILES,
    f"explain --page text --cleaners bte --picture {HERE}": CANNOT_BE_FILES,
    f"clean text --output {HERE}": CANNOT_BE_FILES,
    f"features --store store --output {HERE}.csv": ("long", "below a file"),
    f"train --dataset folder --input dataset --output {HERE}": CANNOT_BE_FILES,
    f"train --dataset folder --input dataset --output m.npz --learning-curve {HERE}": (
        CANNOT_BE_FOLDERS
    ),
    f"report study --output {HERE}": CANNOT_BE_FILES,
    f"report study --archive {HERE}": CANNOT_BE_FILES,
    f"report study --brief {HERE}": CANNOT_BE_FILES,
}


@pytest.fixture(scope="module")
def place(inputs: Inputs, store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which there is one of every kind."""
    folder = tmp_path_factory.mktemp("kinds")
    shutil.copytree(inputs.pages.parent, folder / "inputs")
    shutil.copytree(store, folder / "store")
    sweep = ("--store", "store", "--sweep", "words=1:2", "--threads", "1", "--output", "sweep")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        assert main(["sweep", *sweep, *TOPICS.split(), *QRELS.split()]) == 0
        study = ("--store", "store", "--cleaners", "bte", "--output", "study")
        assert main(["compare", *study, *TOPICS.split(), *QRELS.split()]) == 0
    shutil.copytree(folder / "sweep" / "indexes" / "words-001", folder / "index")
    (folder / "text").write_text("just text\n")
    (folder / "empty file").touch()
    (folder / "empty folder").mkdir()
    (folder / "circle").symlink_to("circle")
    (folder / "dataset").mkdir()
    (folder / "dataset" / "a.html").write_text("<p>a page of seven or eight words")
    (folder / "dataset" / "a.txt").write_text("a page")
    return folder


def path_of(kind: str) -> str:
    """A path of this kind in the folder that `place` gives."""
    return {
        "long": "x" * 300,
        "below a file": "text/below",
        "shard": "store/shard-00000.parquet",
        "pages": "inputs/pages",
        "indexes": "sweep/indexes",
        "runs": "sweep/runs",
    }.get(kind, kind)


def cases() -> Iterator[Any]:
    for argument in READ:
        for kind in KINDS:
            if kind not in argument.right:
                name = f"{argument.words.split(HERE, maxsplit=1)[0]}{kind}"
                yield pytest.param(argument.words, kind, id=name)
    for words, kinds in WRITTEN.items():
        for kind in kinds:
            yield pytest.param(words, kind, id=words.replace(HERE, kind))


def test_every_argument_that_is_a_path_is_tried() -> None:
    (commands,) = (
        action
        for action in make_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    known = {(a.command, a.option) for a in READ}
    for words in map(str.split, WRITTEN):
        known |= {(words[0], option) for option, path in pairwise(words) if HERE in path}
    there = {
        (name, action.option_strings[0] if action.option_strings else action.dest)
        for name, parser in commands.choices.items()
        for action in parser._actions
        if action.metavar in PATHS
    }
    # These two are looked at when the whole BLOGS06 is there, as those of sweep and compare are.
    # What check finds of an input it says on stdout, one line for each file.
    others = {("blogs06", "--texts"), ("blogs06", "--output"), ("check", "--input")}
    assert there - known == others
    assert known <= there


@pytest.mark.parametrize(("words", "kind"), list(cases()))
def test_a_wrong_path_is_one_clear_line(
    call: Call,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    kind: str,
    request: pytest.FixtureRequest,
) -> None:
    if words.startswith("render") or "--picture" in words:
        request.getfixturevalue("needs_chromium")
    monkeypatch.chdir(place)
    path = path_of(kind)
    begin = time.monotonic()
    outcome = call(*(word.replace(HERE, path) for word in words.split()))
    seconds = time.monotonic() - begin
    assert outcome.status in (1, 2), outcome
    said = [line for line in outcome.err.splitlines() if line.startswith("boilersweep")]
    assert len(said) == 1, outcome.err
    assert Path(path).name[:200] in outcome.err or path.split("/")[0] in outcome.err
    for inner in ("Error(", "Exception", "Errno", "java"):
        assert inner not in outcome.err
    assert seconds < SECONDS
    assert (place / "text").read_text() == "just text\n"
