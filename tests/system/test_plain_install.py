"""Without any extra: every command that needs none works, and the others say which they need.

An environment is linked together of nothing but the distributions that a plain installation brings:
what only an extra or these tests ask for cannot be imported in it.
"""

import importlib.metadata
import json
import re
import subprocess
import sysconfig
import tomllib
import venv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from boilersweep.cli.main import COMMANDS
from boilersweep.demo.collection import write_demo

pytestmark = [pytest.mark.java, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
TABLES: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

# Runs command lines, a list of words each, in one process, which starts Java once. Few of the
# thresholds of `demo` and `blogs06` will do.
DRIVER = """
import contextlib, io, json, sys, traceback
from boilersweep.cli.commands import blogs06
from boilersweep.cli.commands import demo
from boilersweep.cli.main import main
from boilersweep.cleaners.variants import parse_sweep

demo.SWEEPS = ("words=1,11",)
blogs06.PAPER_SWEEPS = (parse_sweep("words=1,11"),)

def call(words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(words)
        except SystemExit as error:
            status = error.code
        except BaseException:
            status = -1
            traceback.print_exc()
    return status, out.getvalue(), err.getvalue()

if __name__ == "__main__":
    with open("called.json", "w") as file:
        json.dump([call(words) for words in json.loads(sys.argv[1])], file)
"""

IMPORT_ALL = """
import importlib, pkgutil
import boilersweep

for module in pkgutil.walk_packages(boilersweep.__path__, "boilersweep."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""

FIND = """
import sys
from importlib.util import find_spec

print([name for name in sys.argv[1:] if find_spec(name)])
"""

# Paths are relative to the folder of the calls; `demo` makes the collection of the others.
WORK = """
demo --output demo
segment --input demo/collection/trec --output store --extractors cetr,ccb --threads 2
index --store store --sweep words=1,11 --output indexes --share 1/1
merge indexes
search --index indexes/words-011 --topics topics.txt --output run.trec
evaluate --qrels qrels.txt --run run.trec P@10
sweep --store store --topics topics.txt --qrels qrels.txt --output sweep --engine exact
    --sweep words=1:11 --cleaners learned,cetr
compare --store store --topics topics.txt --qrels qrels.txt --output study --baseline words>=1
    --cleaners words>=11,bte,learned,cetr --choose
explain --store store --topics topics.txt --qrels qrels.txt --topic 851 --cleaners words>=1,cetr
explain --page pages/a.html --cleaners cetr
cleaners
features --store store --output kohlschuetter.parquet
features --store store --output schaefer.csv --features schaefer
judge --dataset folder --input pages --output judged
blogs06 --input demo/collection/trec --topics topics.txt --qrels qrels.txt --output blogs06
    --engine exact
check sweep
report study
doctor
"""

# After the name of the extra, a command that needs it.
LACKING = """
train: train --dataset folder --input pages --output model.npz
train: train --dataset folder --input pages --output model.npz --model tree
train: judge --dataset l3s-gn1 --input nowhere --output lacking --papers
cluster: segment --input pages --output lacking --cluster local:2
cluster: sweep --store store --topics topics.txt --qrels qrels.txt --output lacking --sweep words=1
    --scheduler tcp://127.0.0.1:1
remote: segment --input s3://bucket/pages --output lacking
remote: index --store s3://bucket/store --output lacking --sweep words=1
extractors: segment --input pages --output lacking --extractors trafilatura
extractors: segment --input pages --output lacking --extractors cetr,resiliparse
extractors: explain --page pages/a.html --cleaners justext
extractors: judge --dataset folder --input pages --output lacking --cleaners readability
extractors: judge --dataset folder --input pages --output lacking --cleaners boilerpy3-article
"""


def lines_of(text: str) -> list[str]:
    return text.strip().replace("\n    ", " ").splitlines()


WORKING_LINES = lines_of(WORK)
LACKING_LINES = [line.split(": ", 1) for line in lines_of(LACKING)]
ALL_LINES = [*WORKING_LINES, *(line for _, line in LACKING_LINES)]


def applying(texts: Iterable[str], extras: Iterable[str] = ()) -> Iterator[Requirement]:
    """The requirements that hold on this machine, with some extras of who requires them."""
    for requirement in map(Requirement, texts):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def plain() -> set[str]:
    """Names of the distributions of a plain installation, as uv and scripts/run.sh make it."""
    overridden = TABLES["tool"]["uv"]["dependency-metadata"]
    light = {table["name"]: table["requires-dist"] for table in overridden}
    names = set()
    waiting = list(applying(TABLES["project"]["dependencies"]))
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name not in names:
            names.add(name)
            texts = light.get(name) or importlib.metadata.requires(name) or []
            waiting += applying(texts, requirement.extras)
    return names


def modules_of_extras() -> list[str]:
    """Top-level modules of the distributions that extras ask for."""
    extras = TABLES["project"]["optional-dependencies"].values()
    wanted = {canonicalize_name(Requirement(text).name) for texts in extras for text in texts}
    return [
        module
        for module, names in importlib.metadata.packages_distributions().items()
        if module.isidentifier() and wanted & {canonicalize_name(name) for name in names}
    ]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of the linked environment."""
    folder = tmp_path_factory.mktemp("plain") / "venv"
    venv.create(folder, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for name in plain():
        distribution = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(str(distribution.locate_file(top)))
    link_checkout(site)
    return folder / "bin" / "python"


def link_checkout(site: Path) -> None:
    """The package with its parts in their places."""
    (name, folder), *parts = TABLES["tool"]["setuptools"]["package-dir"].items()
    (site / name).mkdir()
    for path in (ROOT / folder).iterdir():
        (site / name / path.name).symlink_to(path)
    for name, folder in parts:
        site.joinpath(*name.split(".")).symlink_to(ROOT / folder)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command came to."""

    status: int
    out: str
    err: str


@pytest.fixture(scope="module")
def called(python: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """What every line of WORK and LACKING came to."""
    folder = tmp_path_factory.mktemp("called")
    (folder / "driver.py").write_text(DRIVER)
    write_pages(folder / "pages")
    write_topics(folder)
    words = json.dumps([line.split() for line in ALL_LINES])
    subprocess.run([python, "driver.py", words], cwd=folder, timeout=600, check=True)
    outcomes = json.loads((folder / "called.json").read_text())
    return {line: Outcome(*outcome) for line, outcome in zip(ALL_LINES, outcomes, strict=True)}


def write_pages(folder: Path) -> None:
    """Pages beside their gold texts."""
    folder.mkdir()
    for name in "abc":
        text = f"one two three four five {name}"
        (folder / f"{name}.html").write_text(f"<p>menu<p>{text}")
        (folder / f"{name}.txt").write_text(text)


def write_topics(folder: Path) -> None:
    """The demo's 50 topics and their qrels, under the numbers of the paper's: 851 to 900."""
    demo = write_demo(folder / "original")
    for path, number in ((demo.topics, r"(?<=Number: )\d+"), (demo.qrels, r"(?m)^\d+")):
        text = re.sub(number, lambda found: str(850 + int(found[0])), path.read_text("utf-8"))
        (folder / path.name).write_text(text, "utf-8")


def test_nothing_of_an_extra_is_there(python: Path) -> None:
    modules = modules_of_extras()
    assert {"sklearn", "distributed", "upath", "s3fs", "trafilatura", "resiliparse"} <= {*modules}
    found = subprocess.run([python, "-c", FIND, *modules], capture_output=True, check=True)
    assert found.stdout == b"[]\n"


def test_every_module_can_be_imported(python: Path) -> None:
    subprocess.run([python, "-c", IMPORT_ALL], check=True)


def test_every_command_is_called() -> None:
    names = {command.__name__.rpartition(".")[2] for command in COMMANDS}
    assert {line.split()[0] for line in ALL_LINES} == names


@pytest.mark.parametrize("line", WORKING_LINES)
def test_a_command_that_needs_no_extra(called: dict[str, Outcome], line: str) -> None:
    assert called[line].status == 0, called[line].err


@pytest.mark.parametrize(("extra", "line"), LACKING_LINES)
def test_a_command_that_needs_an_extra(called: dict[str, Outcome], extra: str, line: str) -> None:
    outcome = called[line]
    assert (outcome.status, outcome.out) == (2, ""), outcome.err
    assert f"pip install 'boilersweep[{extra}]'" in outcome.err


def test_judge_leaves_out_extractors_that_are_not_there(called: dict[str, Outcome]) -> None:
    (line,) = (line for line in WORKING_LINES if line.startswith("judge"))
    assert called[line].err.count("left out: ") == 7
    assert "\ncetr" in called[line].out
