"""Editors and type checkers find the public names, which are imported when they are used."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

CLEANING = pytest.mark.application("cleaning")
CALLS = (
    ("boilersweep", "clean_m", "clean_many"),
    pytest.param("boilersweep", "clean('<p>a').spli", "splitlines", marks=CLEANING),
    pytest.param("boilersweep", "page('<p>a').headl", "headline", marks=CLEANING),
    ("boilersweep", "open_store('STORE').docid", "docids"),
    ("boilersweep.indexer", "build_i", "build_index"),
    ("boilersweep.eval", "run_sw", "run_sweep"),
)

# A name's last line is a mistake: a checker that sees no types would accept it.
CHECKED = """import boilersweep
from boilersweep.eval import run_sweep
from boilersweep.indexer import build_index

text: str = boilersweep.clean("<p>one two")
headline: str | None = boilersweep.page("<p>one two").headline
calls = (run_sweep, build_index)
wrong: int = boilersweep.clean("<p>one two")
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Link the folders into one package, as a wheel has them; return the folder that has it."""
    folder = tmp_path_factory.mktemp("types")
    package = folder / "boilersweep"
    package.mkdir()
    parts = [*(ROOT / "src" / "boilersweep").iterdir()]
    for part in (*parts, ROOT / "indexer", ROOT / "eval", ROOT / "topics"):
        (package / part.name).symlink_to(part)
    return folder


@pytest.mark.parametrize(("module", "begun", "whole"), CALLS)
def test_an_editor_completes(
    package: Path, module: str, begun: str, whole: str
) -> None:
    jedi = pytest.importorskip("jedi", reason="needs jedi, which comes with IPython")
    project = jedi.Project(package, added_sys_path=[str(package)])
    script = jedi.Script(f"import {module}\n{module}.{begun}", project=project)
    assert whole in [completion.name for completion in script.complete()]


def _lines(program: str, *words: str, folder: Path, package: Path) -> str:
    environment = {**os.environ, "MYPYPATH": str(package), "PYTHONPATH": str(package)}
    done = subprocess.run(
        [program, *words], cwd=folder, env=environment, capture_output=True, text=True
    )
    return done.stdout


@pytest.mark.slow
def test_mypy_knows_the_types(package: Path, tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(CHECKED)
    words = ("-m", "mypy", "--strict", "--follow-imports=silent", "user.py")
    found = _lines(sys.executable, *words, folder=tmp_path, package=package)
    errors = [line for line in found.splitlines() if "error:" in line]
    assert [line.split(":")[:2] for line in errors] == [["user.py", "8"]], found


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("pyright"), reason="needs pyright on the path")
def test_pyright_knows_the_types(package: Path, tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(CHECKED)
    settings = {"extraPaths": [str(package)], "include": ["user.py"]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    words = ("--outputjson", "--pythonpath", sys.executable)
    found = json.loads(_lines("pyright", *words, folder=tmp_path, package=package))
    errors = found["generalDiagnostics"]
    assert [error["range"]["start"]["line"] for error in errors] == [7], found
