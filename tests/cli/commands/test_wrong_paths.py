"""Every argument that is a path, given every wrong kind of path: one clear line, at once."""

import shutil
import time
from itertools import pairwise
from pathlib import Path

import pytest

from boilersweep.cli.app import COMMANDS, options_of
from boilersweep.cli.main import main
from tests.cli.conftest import Call, Inputs

pytestmark = pytest.mark.java


HERE = "<path>"
# What arguments that are paths have as their metavar.
PATHS = ("DIR", "FILE", "PATH", "NAME=FILE")

# Generous: one takes some hundredths of a second on a machine that has nothing else to do.
SECONDS = 60

NOWHERE = ("missing", "circle", "long", "below a file")
FILES = ("text", "empty file", "shard")
FOLDERS = ("empty folder", "pages", "store", "indexes", "index", "sweep", "runs")
KINDS = (*NOWHERE, *FILES, *FOLDERS)


TOPICS = "--topics inputs/topics.tsv"
QRELS = "--qrels inputs/qrels.txt"
TOPIC = "--topic 1 --cleaners words>=1,bte"
OUTPUT = "--output out"
BOTH = "--cleaners words>=1,bte"
JUDGED = f"--store store {TOPICS} {BOTH}"
# Read as JSONL, whatever that gives
COLLECTIONS = ("pages", "store", "indexes", "index", "sweep")
DATASETS = ("l3s-gn1", "cleaneval", "wcxb", "folder")
# A command line with HERE for a path -> the kinds of paths that it can read.
READ: dict[str, tuple[str, ...]] = {
    f"segment --input {HERE} {OUTPUT} --threads 1": COLLECTIONS,
    f"segment --input inputs/pages {OUTPUT} --threads 1 --texts gold={HERE}": (),
    f"segment --input inputs/pages {OUTPUT} --only-docids {HERE}": ("text",),
    f"segment --input inputs/pages {OUTPUT} --only-judged {HERE}": (),
    f"index --store {HERE} {OUTPUT} --keep words>=1": ("store",),
    f"export --store {HERE} {OUTPUT} --keep words>=1": ("store",),
    f"export --input {HERE} {OUTPUT} --keep words>=1": COLLECTIONS,
    f"search --index {HERE} {TOPICS} {OUTPUT}": ("index",),
    f"search --index index --topics {HERE} {OUTPUT}": (),
    f"evaluate --qrels {HERE} --run sweep/runs/words-001.trec": (),
    f"evaluate {QRELS} --run {HERE}": (),
    f"clean --explain {HERE}": ("text", "shard"),
    f"clean {HERE} --keep words>=1": ("text", "empty file"),
    f"search {TOPICS} {QRELS} {TOPIC} --store {HERE}": ("store",),
    f"search --topics {HERE} {QRELS} {TOPIC} --store store": (),
    f"search {TOPICS} --qrels {HERE} {TOPIC} --store store": (),
    f"sweep --sweep words=1 {TOPICS} {QRELS} --store {HERE} {OUTPUT}": ("store",),
    f"sweep --sweep words=1 --topics {HERE} {QRELS} --store store {OUTPUT}": (),
    f"sweep --sweep words=1 {TOPICS} --qrels {HERE} --store store {OUTPUT}": (),
    f"sweep --sweep words=1 --queries {HERE} --store store {OUTPUT}": ("text",),
    f"sweep --input {HERE} {TOPICS} {QRELS} {OUTPUT}": COLLECTIONS,
    f"compare --cleaners bte {TOPICS} {QRELS} --store {HERE} {OUTPUT}": ("store",),
    f"compare --cleaners bte --topics {HERE} {QRELS} --store store {OUTPUT}": (),
    f"compare --cleaners bte {TOPICS} --qrels {HERE} --store store {OUTPUT}": (),
    f"compare --cleaners bte --queries {HERE} --store store {OUTPUT}": ("text",),
    f"compare --of-sweep {HERE} --cleaners bte {OUTPUT}": ("sweep",),
    f"assess --status {BOTH} {TOPICS} --store {HERE} {OUTPUT}": ("store",),
    f"assess --status {BOTH} --topics {HERE} --store store {OUTPUT}": (),
    f"assess --status {BOTH} --queries {HERE} --store store {OUTPUT}": ("text",),
    f"assess --write pool.csv {BOTH} {TOPICS} --store {HERE} {OUTPUT}": ("store",),
    f"assess --write pool.csv {BOTH} --topics {HERE} --store store {OUTPUT}": (),
    f"assess --write pool.csv {BOTH} --queries {HERE} --store store {OUTPUT}": (
        "text",
    ),
    f"assess {JUDGED} {OUTPUT} --name anna --read {HERE}": (),
    f"serve {HERE}": ("store", "sweep"),
    f"serve store --queries {HERE}": ("text",),
    f"serve index --store {HERE}": ("store",),
    f"export --features schaefer --store {HERE} --output f.csv": ("store",),
    f"report {HERE}": (),
    **{f"judge --dataset {name} --input {HERE} {OUTPUT}": () for name in DATASETS},
    **{
        f"train --dataset {name} --input {HERE} --output m.npz": () for name in DATASETS
    },
    f"sweep --preset blogs06 --input {HERE} {TOPICS} {QRELS} {OUTPUT}": (),
    f"sweep --preset blogs06 --input inputs/pages --topics {HERE} {QRELS} {OUTPUT}": (),
    f"sweep --preset blogs06 --input inputs/pages {TOPICS} --qrels {HERE} {OUTPUT}": (),
    f"check {HERE}": ("store", "indexes", "index", "sweep"),
}

CANNOT_BE_FOLDERS = (*FILES, "circle", "long", "below a file")
CANNOT_BE_FILES = (*FOLDERS, "long", "below a file")
WRITTEN: dict[str, tuple[str, ...]] = {
    f"segment --input inputs/pages --output {HERE}": CANNOT_BE_FOLDERS,
    f"index --store store --output {HERE} --keep words>=1": CANNOT_BE_FOLDERS,
    f"index --store store --output {HERE} --sweep words=1": CANNOT_BE_FOLDERS,
    f"export --store store --keep words>=1 --output {HERE}": CANNOT_BE_FOLDERS,
    f"sweep --store store {TOPICS} {QRELS} --sweep words=1 --output {HERE}": CANNOT_BE_FOLDERS,
    f"compare --store store {TOPICS} {QRELS} --cleaners bte --output {HERE}": CANNOT_BE_FOLDERS,
    f"assess --status {JUDGED} --output {HERE}": CANNOT_BE_FOLDERS,
    f"serve store --output {HERE}": CANNOT_BE_FOLDERS,
    f"assess {JUDGED} --write pool.csv --output {HERE}": CANNOT_BE_FOLDERS,
    f"assess {JUDGED} {OUTPUT} --write {HERE}": CANNOT_BE_FILES,
    f"judge --dataset folder --input dataset --cleaners bte --output {HERE}": CANNOT_BE_FOLDERS,
    f"demo --output {HERE}": CANNOT_BE_FOLDERS,
    f"search --index index {TOPICS} --output {HERE}": CANNOT_BE_FILES,
    f"clean --explain text --output {HERE}": CANNOT_BE_FILES,
    f"clean text --output {HERE}": CANNOT_BE_FILES,
    f"export --features schaefer --store store --output {HERE}.csv": (
        "long",
        "below a file",
    ),
    f"train --dataset folder --input dataset --output {HERE}": CANNOT_BE_FILES,
    f"train --dataset folder --input dataset --output m.npz --learning-curve {HERE}": (
        CANNOT_BE_FOLDERS
    ),
    f"report study --output {HERE}": CANNOT_BE_FILES,
    f"report study --archive {HERE}": CANNOT_BE_FILES,
}


@pytest.fixture(scope="module")
def place(
    inputs: Inputs, store: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("kinds")
    shutil.copytree(inputs.pages.parent, folder / "inputs")
    shutil.copytree(store, folder / "store")
    sweep = (
        "--store",
        "store",
        "--sweep",
        "words=1:2",
        "--threads",
        "1",
        "--output",
        "sweep",
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        assert main(["sweep", *sweep, *TOPICS.split(), *QRELS.split()]) == 0
        study = ("--store", "store", "--cleaners", "bte", "--output", "study")
        assert main(["compare", *study, *TOPICS.split(), *QRELS.split()]) == 0
    shutil.copytree(folder / "sweep" / "indexes" / "words-001", folder / "index")
    (folder / "text").write_text("just text\n")
    [shard] = (folder / "store").glob("shard-*")
    shutil.copy(shard, folder / "shard")
    (folder / "empty file").touch()
    (folder / "empty folder").mkdir()
    (folder / "circle").symlink_to("circle")
    (folder / "dataset").mkdir()
    (folder / "dataset" / "a.html").write_text("<p>a page of seven or eight words")
    (folder / "dataset" / "a.txt").write_text("a page")
    return folder


def path_of(kind: str) -> str:
    return {
        "long": "x" * 300,
        "below a file": "text/below",
        "pages": "inputs/pages",
        "indexes": "sweep/indexes",
        "runs": "sweep/runs",
    }.get(kind, kind)


CASES = [
    *(
        (words, kind)
        for words, right in READ.items()
        for kind in KINDS
        if kind not in right
    ),
    *((words, kind) for words, wrong in WRITTEN.items() for kind in wrong),
]
CASES = [(words, kind) for words, kind in CASES if words.split()[0] in COMMANDS]
# Every run has some kinds of each argument, and every kind.
TRIED = [
    pytest.param(
        *case,
        marks=[
            *[pytest.mark.exhaustive][: turn % 4],
            *[pytest.mark.application("learned")][: case[0].startswith("clean ")],
            *[pytest.mark.application("blogs06")][: "--preset" in case[0]],
            *[pytest.mark.application("report")][: "--topic " in case[0]],
        ],
    )
    for turn, case in enumerate(CASES)
]


def test_every_argument_that_is_a_path_is_tried() -> None:
    tried = set()
    for words in map(str.split, [*READ, *WRITTEN]):
        before = next(before for before, word in pairwise(words) if HERE in word)
        is_value = before.startswith("--") and before != "--explain"
        tried.add((words[0], before if is_value else ""))
    declared = {
        (command, option if option.startswith("--") else "")
        for command in COMMANDS
        for option, argument in options_of(command).items()
        if argument.parameter.metavar in PATHS
    }
    # What check finds of an input it says on stdout, one line for each file.
    others = {("check", "--input")}
    # Of --collection cdx alone: tests/collection/test_common_crawl.py.
    others |= {("segment", "--save")}
    # Those of an application are tested with it.
    others |= {("clean", "--picture"), ("judge", "--annotate")}
    others = {argument for argument in others if argument[0] in COMMANDS}
    tried = {argument for argument in tried if argument[0] in COMMANDS}
    assert declared - tried == others
    assert tried <= declared


@pytest.mark.parametrize(("words", "kind"), TRIED)
def test_a_wrong_path_is_one_clear_line(
    call: Call,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    kind: str,
) -> None:
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
