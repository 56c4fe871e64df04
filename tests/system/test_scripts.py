"""Every script of scripts/ runs, on a few pages: what none of them needs may break it unnoticed."""

import contextlib
import io
import json
import os
import runpy
import sys
from pathlib import Path

import pytest

from boilersweep.cli.main import main
from boilersweep.demo.collection import write_demo
from boilersweep.pages import compiled
from tests.quick import GRID
from tests.running import QUICK_JAVA, python

pytestmark = [
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.usefixtures("drawn_figures"),
]

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "scripts"

GIVEN = "--topics demo/topics.txt --qrels demo/qrels.txt"
PAGES = f"--pages demo/trec {GIVEN}"
FEW = "--repeat 1 --most-pages 10 --sample 2 --separate-runs 1"
FUZZED = "--mutations 20 --seed 1"
# A script with its arguments -> what it prints on standard output.
CALLS = {
    f"scale.py {PAGES} --factors 1,2 --processes 2 --output out": "At 0.05 a core hour",
    f"scale.py {PAGES} --factors 1 --processes 2 --cluster --output cluster": "sweep GB |",
    f"scale.py {PAGES} --factors 4 --processes 1 --new 0.5 --output out": "| both ",
    f"benchmark.py {PAGES} --parts segmentation {FEW} --output out": "out/benchmark.json",
    f"benchmark.py {PAGES} --parts sweep {FEW} --output out": "out/benchmark.json",
    "check_install.py": "",
    "compare_engines.py --store store --indexes indexes --topics demo/topics.txt "
    "--sweep words=1:2 --threads 1": "",
    "compare_versions.py ROOT ROOT --keep kept": "2 files: no difference",
    "f1_and_retrieval.py": "25 cleaners: learned",
    f"fault_injection.py --kills 1 --input demo/trec {GIVEN} --work killed": "",
    f"fuzz.py segmentation --pages demo/trec {FUZZED}": "",
    f"fuzz.py tokens --store store {FUZZED}": "",
    "fuzz.py readers --inputs 20 --seed 1": "",
    "reproduce_papers.py --dataset cleaneval --input cleaneval --output out "
    "--cleaners bte,words>=11": "",
    "run_manuals.py --help": "Run the commands of the manuals",
    "simulate_audits.py --runs study/runs --qrels demo/qrels.txt "
    "--cleaners words-001,bte --seeds 2 --nulls 2": "documents decide on",
    "simulate_judgements.py --runs study/runs --qrels demo/qrels.txt "
    "--cleaners words-001,bte --assessors 5": "",
    "simulate_judgements.py --runs study/runs --qrels demo/qrels.txt "
    "--cleaners words-001,bte --assessors 5 --together": "",
}
# tests/system/test_documentation.py, test_judged_lines.py, test_leaves.py, test_site.py,
# test_stale_tables.py.
OTHERS = {
    "documentation.py",
    "judged_lines.py",
    "leaves.py",
    "manuals_site.py",
    "stale_tables.py",
}
NEED_COMPILED = (
    "fuzz.py segmentation",
    "fault_injection.py",
    f"benchmark.py {PAGES} --parts segmentation",
)
# Calls that measure, kill or start processes, or limit their own by signals.
APART = (
    "scale.py",
    "benchmark.py",
    "check_install.py",
    "fault_injection.py",
    "fuzz.py readers",
)

# What every process of these runs first: the paper's grid of 120 thresholds is three.
FIRST = f"""
from boilersweep.cleaners.syntax import variants
variants.PAPER_SWEEPS = tuple(map(variants.parse_sweep, {GRID}))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scripts")
    demo = write_demo(folder / "demo", pages=60)
    (folder / "first").mkdir()
    (folder / "first" / "sitecustomize.py").write_text(FIRST)
    for name in ("before", "after"):
        (folder / "kept" / name).mkdir(parents=True)
        (folder / "kept" / name / "a.csv").write_text("a,b\n")
        (folder / "kept" / name / "b.json").write_text('{"seconds": 1}')
    for part, suffix, text in (
        ("input", "html", "<p>one page of so many words, and then more of them<p>menu"),
        (
            "GoldStandard",
            "txt",
            "URL: http://site.example/\n<p>one page of so many words",
        ),
    ):
        (folder / "cleaneval" / part).mkdir(parents=True)
        for number in (1, 2, 3):
            (folder / "cleaneval" / part / f"{number}.{suffix}").write_text(text)
    stages = ("segment", "sweep", "index")
    for output, known in (("out", stages), ("cluster", stages[:2])):
        (folder / output).mkdir()
        figures = json.dumps({"figures": [measured(stage) for stage in known]})
        (folder / output / "scale.json").write_text(figures)
    judged = ("--topics", str(demo.topics), "--qrels", str(demo.qrels))
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        assert main(["segment", "--input", "demo/trec", "--output", "store"]) == 0
        study = (
            "compare",
            "--store",
            "store",
            "--cleaners",
            "bte",
            "--output",
            "study",
        )
        assert main([*study, *judged]) == 0
    return folder


def measured(stage: str) -> dict[str, str | float]:
    """Return what scale.py finds at the factor 1 and does not measure again."""
    size = {"factor": 1, "pages": 60, "processes": 2}
    took = {"wall": 1.0, "cpu": 1.0, "peak": 9, "together": 9, "left": 9}
    return {**size, "stage": stage, **took}


def test_every_script_is_run() -> None:
    scripts = {path.name for path in SCRIPTS.glob("*.py")}
    assert {call.split()[0] for call in CALLS} | OTHERS == scripts


def run_here(script: Path, *words: str) -> tuple[str, str]:
    """Run a script in this process, as its main module; return what it prints."""
    out, err = io.StringIO(), io.StringIO()
    status: object = 0
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "argv", [str(script), *words])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                runpy.run_path(str(script), run_name="__main__")
            except SystemExit as ended:
                status = ended.code
    assert not status, out.getvalue() + err.getvalue()
    return out.getvalue(), err.getvalue()


def run_apart(place: Path, script: Path, *words: str) -> tuple[str, str]:
    """Run a script in a process of its own; return what it prints."""
    places = (str(place / "first"), os.environ.get("PYTHONPATH"))
    env = {**QUICK_JAVA, "PYTHONPATH": os.pathsep.join(filter(None, places))}
    done = python(script, *words, cwd=place, env=env)
    return done.stdout, done.stderr


@pytest.mark.parametrize("call", CALLS)
def test_a_script_runs(place: Path, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if compiled.why_missing() and call.startswith(NEED_COMPILED):
        pytest.skip("needs compiled code")
    script, *words = call.replace("ROOT", str(ROOT)).split()
    monkeypatch.chdir(place)
    if call.startswith(APART):
        out, err = run_apart(place, SCRIPTS / script, *words)
    else:
        out, err = run_here(SCRIPTS / script, *words)
    assert CALLS[call] in out
    assert "Traceback" not in err
