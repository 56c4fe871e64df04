"""Installations that lack something: what needs no more works, the rest says what it needs.

Environments are linked together of nothing but the distributions that an installation brings, what
only another extra or these tests ask for cannot be imported in them: CORE is `pip install
boilersweep`, USERS what the first command of the README installs, with Lucene.
"""

import importlib.metadata
import json
import re
import sysconfig
import tomllib
import venv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from boilersweep.cli.app import COMMANDS
from boilersweep.demo.collection import write_demo
from boilersweep.extras import BROUGHT_BY, INSTALL_LUCENE
from tests.cli.conftest import Outcome
from tests.running import run

pytestmark = [pytest.mark.java, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
TABLES: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

# Runs command lines, a list of words each, in one process, which starts Java once, for work of
# seconds. Few of the thresholds of `demo` and of the preset `blogs06`, and few pages, will do.
DRIVER = """
import contextlib, io, json, sys, traceback
from functools import partial
with contextlib.suppress(ImportError):
    import jnius_config
    jnius_config.add_options("-XX:TieredStopAtLevel=1")
from boilersweep.cli import blogs06
from boilersweep.cli.commands import demo
from boilersweep.cli.main import main
from boilersweep.cleaners.syntax.variants import parse_sweep

demo.SWEEPS = ("words=1,11",)
demo.make_demo = partial(demo.make_demo, pages=240)
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

SERVED = (
    "boilersweep.eval.serve.",
    "boilersweep.eval.annotate.marking",
    "boilersweep.eval.people.copy",
    "boilersweep.eval.people.naming",
    "boilersweep.eval.people.serving",
)
for module in pkgutil.walk_packages(boilersweep.__path__, "boilersweep."):
    # The steps of others' pipelines, and the server, are for those who have these.
    left_out = module.name.endswith(("__main__", ".datatrove", ".pyterrier"))
    if not left_out and not module.name.startswith(SERVED):
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
segment --input demo/collection/trec --output store --extractors cetr --threads 2
segment --input demo/collection/trec --output store --extractors ccb --threads 2
index --store store --sweep words=1,11 --output indexes
export --store store --keep learned,cetr --output exported --blocks
search --index indexes/words-011 --topics topics.txt --output run.trec
search --index indexes/words-011 --query weather
evaluate --qrels qrels.txt --run run.trec P@10
sweep --store store --topics topics.txt --qrels qrels.txt --output sweep --engine exact
    --sweep words=1:11 --cleaners learned,cetr
compare --store store --topics topics.txt --qrels qrels.txt --output study --baseline words>=1
    --cleaners words>=11,bte,learned,cetr --choose
assess --store store --topics topics.txt --cleaners words>=1,bte --output judged --status
assess --store store --topics topics.txt --cleaners words>=1,bte --output judged --write pool.csv
search --store store --topics topics.txt --qrels qrels.txt --topic 851 --cleaners words>=1,cetr
clean --explain pages/a.html --keep cetr
clean pages/a.html
clean pages/a.html --keep words>=3 --format json --output page.json
--list cleaners
export --features kohlschuetter --store store --output kohlschuetter.parquet
export --store store --output schaefer.csv --features schaefer
judge --dataset folder --input pages --output judgement
sweep --preset blogs06 --input demo/collection/trec --topics topics.txt --qrels qrels.txt
    --output blogs06 --engine exact
check sweep
report study
doctor
"""

# After the name of the extra, a command that needs it.
LACKING = """
train: train --dataset folder --input pages --output model.npz
train: train --dataset folder --input pages --output model.npz --model tree
remote: segment --input s3://bucket/pages --output lacking
irds: segment --dataset irds:gov --output lacking
irds: sweep --dataset irds:gov/trec-web-2002 --output lacking
irds: evaluate --qrels irds:gov/trec-web-2002 --run sweep/runs/words-001.trec
remote: index --store s3://bucket/store --output lacking --sweep words=1
extractors: segment --input pages --output lacking --extractors trafilatura
extractors: segment --input pages --output lacking --extractors cetr,resiliparse
extractors: clean --explain pages/a.html --keep justext
extractors: clean pages/a.html --keep trafilatura
extractors: judge --dataset folder --input pages --output lacking --cleaners readability
extractors: judge --dataset folder --input pages --output lacking --cleaners boilerpy3-article
serve: serve store
serve: assess --store store --topics topics.txt --cleaners words>=1,bte --output judged
"""


# The same of an installation without an extra.
CORE_WORK = """
segment --input pages --output store --extractors cetr,ccb
export --store store --keep learned,cetr --output exported --threads 2
check exported
clean --explain pages/a.html --keep cetr,learned
clean pages/a.html
clean pages/a.html --keep words>=3 --format markdown
--list cleaners
export --features kohlschuetter --store store --output kohlschuetter.parquet
export --store store --output schaefer.csv --features schaefer
check store
doctor
"""

CORE_LACKING = """
boilersweep[lucene]: index --store store --sweep words=1 --output indexes
boilersweep[lucene]: compare --store store --topics topics.txt --qrels qrels.txt --output study
    --cleaners bte
boilersweep[lucene]: sweep --store store --topics topics.txt --qrels qrels.txt --output sweep
    --sweep words=1:11
boilersweep[judge]: judge --dataset folder --input pages --output judged
boilersweep[lucene]: evaluate --qrels qrels.txt --run run.trec P@10
boilersweep[lucene]: demo --output demo
"""


def lines_of(text: str) -> list[str]:
    return text.strip().replace("\n    ", " ").splitlines()


WORKING_LINES = lines_of(WORK)
LACKING_LINES = [line.split(": ", 1) for line in lines_of(LACKING)]
CORE_LINES = lines_of(CORE_WORK)
CORE_LACKING_LINES = [line.split(": ", 1) for line in lines_of(CORE_LACKING)]
# A command that no line calls shows its help.
WORKING_LINES += [
    f"{name} --help"
    for name in COMMANDS
    if not re.search(rf"(?m)(?:^|: ){name}\b", WORK + LACKING)
]
ALL_LINES = [*WORKING_LINES, *(line for _, line in LACKING_LINES)]


def applying(texts: Iterable[str], extras: Iterable[str] = ()) -> Iterator[Requirement]:
    """Yield the requirements that hold on this machine, with some extras of who requires them."""
    for requirement in map(Requirement, texts):
        marker = requirement.marker
        if marker is None or any(
            marker.evaluate({"extra": extra}) for extra in ("", *extras)
        ):
            yield requirement


def installed(extra: str | None = None) -> set[str]:
    """Names of the distributions of an installation with an extra, pyserini's own left out."""
    overridden = TABLES["tool"]["uv"]["dependency-metadata"]
    light = {table["name"]: table["requires-dist"] for table in overridden}
    extras = TABLES["project"]["optional-dependencies"]
    names: set[str] = set()
    waiting = list(
        applying([*TABLES["project"]["dependencies"], *extras.get(extra, ())])
    )
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name == "boilersweep":
            waiting += applying(
                text for one in requirement.extras for text in extras[one]
            )
        elif name not in names:
            names.add(name)
            texts = light.get(name) or importlib.metadata.requires(name) or []
            waiting += applying(texts, requirement.extras)
    return names


def modules_beyond(names: set[str]) -> list[str]:
    """Top-level modules of the distributions that extras ask for beyond those of some names."""
    extras = TABLES["project"]["optional-dependencies"].values()
    wanted = {
        canonicalize_name(Requirement(text).name) for texts in extras for text in texts
    }
    wanted -= names | {"boilersweep"}
    return [
        module
        for module, names in importlib.metadata.packages_distributions().items()
        if module.isidentifier()
        # ir_datasets ships its own `test`, Python has one, too; modules of one file are compiled
        # into a common `__pycache__`
        and module not in ("test", "__pycache__")
        and wanted & {canonicalize_name(name) for name in names}
    ]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return linked(tmp_path_factory.mktemp("users"), installed("pyserini"))


@pytest.fixture(scope="module")
def core_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return linked(tmp_path_factory.mktemp("core"), installed())


def linked(folder: Path, names: Iterable[str]) -> Path:
    folder = folder / "venv"
    venv.create(folder, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for name in names:
        distribution = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or []} - {
            "..",
            "__pycache__",
        }:
            if not (site / top).exists():
                (site / top).symlink_to(str(distribution.locate_file(top)))
    link_checkout(site)
    return folder / "bin" / "python"


def link_checkout(site: Path) -> None:
    """Copy the package with its parts in their places."""
    (name, folder), *parts = TABLES["tool"]["setuptools"]["package-dir"].items()
    (site / name).mkdir()
    for path in (ROOT / folder).iterdir():
        (site / name / path.name).symlink_to(path)
    for name, folder in parts:
        site.joinpath(*name.split(".")).symlink_to(ROOT / folder)


@pytest.fixture(scope="module")
def called(
    python: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Outcome]:
    return outcomes_of(ALL_LINES, python, tmp_path_factory.mktemp("called"))


@pytest.fixture(scope="module")
def core_called(
    core_python: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Outcome]:
    lines = [*CORE_LINES, *(line for _, line in CORE_LACKING_LINES)]
    return outcomes_of(lines, core_python, tmp_path_factory.mktemp("core-called"))


def outcomes_of(lines: Sequence[str], python: Path, folder: Path) -> dict[str, Outcome]:
    """Return what some lines come to, one after the other, in a folder with pages and topics."""
    (folder / "driver.py").write_text(DRIVER)
    write_pages(folder / "pages")
    write_topics(folder)
    words = json.dumps([line.split() for line in lines])
    run(python, "driver.py", words, cwd=folder, seconds=600)
    outcomes = json.loads((folder / "called.json").read_text())
    return {
        line: Outcome(*outcome) for line, outcome in zip(lines, outcomes, strict=True)
    }


def write_pages(folder: Path) -> None:
    folder.mkdir()
    for name in "abc":
        text = f"one two three four five {name}"
        (folder / f"{name}.html").write_text(f"<p>menu<p>{text}")
        (folder / f"{name}.txt").write_text(text)


def write_topics(folder: Path) -> None:
    """Write the demo's 50 topics and their qrels, under the numbers of the paper's: 851 to 900."""
    demo = write_demo(folder / "original", pages=240)
    for path, number in ((demo.topics, r"(?<=Number: )\d+"), (demo.qrels, r"(?m)^\d+")):
        text = re.sub(
            number, lambda found: str(850 + int(found[0])), path.read_text("utf-8")
        )
        (folder / path.name).write_text(text, "utf-8")


def test_nothing_of_another_extra_is_there(python: Path, core_python: Path) -> None:
    modules = modules_beyond(installed("pyserini"))
    assert {
        "sklearn",
        "upath",
        "s3fs",
        "trafilatura",
        "resiliparse",
    } <= {*modules}
    assert run(python, "-c", FIND, *modules).stdout == "[]\n"
    modules = modules_beyond(installed())
    assert BROUGHT_BY.keys() <= {*modules}
    assert run(core_python, "-c", FIND, *modules).stdout == "[]\n"


def test_what_an_extra_brings_is_known() -> None:
    extras = TABLES["project"]["optional-dependencies"]
    brought = {
        canonicalize_name(Requirement(text).name): extra
        for extra in ("boards", "dask", "dedup", "judge", "lucene", "ray", "serve")
        for text in extras[extra]
    }
    distributions = importlib.metadata.packages_distributions()
    for module, extra in BROUGHT_BY.items():
        if module != "pyserini":
            assert brought[canonicalize_name(distributions[module][0])] == extra


def _advises(extra: str, message: str) -> bool:
    """Whether a message has the command that installs an extra such as boilersweep[judge].

    The environment runs boilersweep from its source, so no metadata list the packages.
    """
    if extra == "boilersweep[lucene]":
        return INSTALL_LUCENE in message
    return f"pip install '{extra}'" in message


@pytest.mark.application("learned")
@pytest.mark.parametrize("line", CORE_LINES)
def test_a_command_of_the_core(core_called: dict[str, Outcome], line: str) -> None:
    core_called[line].ok()


@pytest.mark.parametrize(("extra", "line"), CORE_LACKING_LINES)
def test_a_command_beyond_the_core(
    core_called: dict[str, Outcome], extra: str, line: str
) -> None:
    outcome = core_called[line]
    assert outcome.status in (1, 2), outcome.err
    assert "Traceback" not in outcome.err
    assert _advises(extra, outcome.err)


def test_doctor_says_how_to_install_what_the_core_lacks(
    core_called: dict[str, Outcome],
) -> None:
    assert INSTALL_LUCENE in core_called["doctor"].out


@pytest.mark.application("learned")
def test_every_module_can_be_imported(python: Path) -> None:
    run(python, "-c", IMPORT_ALL)


def test_every_command_is_called() -> None:
    assert {line.split()[0] for line in ALL_LINES} - {"--list"} == set(COMMANDS)


@pytest.mark.application("learned")
@pytest.mark.parametrize("line", WORKING_LINES)
def test_a_command_that_needs_no_extra(called: dict[str, Outcome], line: str) -> None:
    called[line].ok()


@pytest.mark.parametrize(("extra", "line"), LACKING_LINES)
def test_a_command_that_needs_an_extra(
    called: dict[str, Outcome], extra: str, line: str
) -> None:
    called[line].refused(2, "install")
    assert _advises(f"boilersweep[{extra}]", called[line].err)


@pytest.mark.application("learned")
def test_judge_leaves_out_extractors_that_are_not_there(
    called: dict[str, Outcome],
) -> None:
    (line,) = (line for line in WORKING_LINES if line.startswith("judge"))
    assert called[line].err.count("left out: ") == 9
    assert "\ncetr" in called[line].out
