"""The recipes run as the manual has them, each with the real library."""

import json
import os
import re
import shutil
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from boilersweep import PageError, clean_many
from boilersweep.cli.main import main
from tests.conftest import OPTIONAL
from tests.running import QUICK_JAVA, python, run

ROOT = Path(__file__).parents[2]
MANUAL = ROOT / "src" / "boilersweep" / "cleaning" / "RECIPES.md"
RECIPES = {
    heading: dict(re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    for heading, text in re.findall(
        r"^## (.+?)\n(.*?)(?=^## |\Z)",
        MANUAL.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
}
TEXT = "The night train leaves the station at ten, and it has beds, a bar and two kinds of soup."
# Recipe -> the module that it needs, and what it prints.
EXPECTED = {
    "LangChain": ("langchain_core", TEXT),
    "LlamaIndex": ("llama_index", TEXT),
    "Haystack": ("haystack", TEXT),
    "Scrapy": ("scrapy", '"title": "Trains", "text": "Trains\\n'),
    "scikit-learn": ("sklearn", "(1, 17) True"),
    "DuckDB": ("duckdb", "words-011.trec"),
    "Prefect": ("prefect", "1 documents"),
    "OpenSearch": ("opensearchpy", "1 documents"),
}

# Recipe over Arrow batches -> the module that it needs.
BATCHES = {
    "Ray": "ray",
    "Spark": "pyspark",
    "Dask": "dask.dataframe",
    "Polars": "polars",
    "Hugging Face datasets": "datasets",
    "Daft": "daft",
    "DuckDB's functions": "duckdb",
}

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.application("learned")]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recipes")
    (folder / "pages").mkdir()
    body = "".join(f"<p>{TEXT}</p>" for _ in range(3))
    page = f"<title>Trains</title><nav><a href='/'>Home</a></nav><h1>Trains</h1>{body}"
    (folder / "pages" / "a.html").write_text(page, "utf-8")
    (folder / "topics.tsv").write_text("1\ttrain\n")
    (folder / "qrels").write_text("1 0 a 1\n")
    topics = "--topics topics.tsv --qrels qrels"
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        for line in (
            "segment --input pages --output STORE --threads 1",
            "export --store STORE --keep learned --output TEXTS --threads 1",
            "index --store STORE --keep learned --output INDEX",
            f"sweep --store STORE {topics} --sweep words=1,11 --engine exact --output SWEEP",
        ):
            assert main(line.split()) == 0
    return folder


@pytest.fixture
def opensearch() -> Iterator[str]:
    """Yield the address of a server that takes bulk requests as OpenSearch does."""

    class Bulk(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            lines = self.rfile.read(int(self.headers["Content-Length"])).splitlines()
            actions = [json.loads(line) for line in lines[::2]]
            items = [{"index": {**one["index"], "status": 201}} for one in actions]
            answer = json.dumps({"errors": False, "items": items}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Bulk)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_every_recipe_is_tested() -> None:
    others = {"Java", "Arrow batches", "Airflow"}
    assert RECIPES.keys() == EXPECTED.keys() | BATCHES.keys() | others


def test_the_test_command_installs_what_is_light() -> None:
    modules = [*BATCHES.values(), *(module for module, _ in EXPECTED.values())]
    tops = {module.partition(".")[0] for module in modules}
    assert {name for name in tops if find_spec(name) is None} <= set(OPTIONAL)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recipe(work: Path, opensearch: str, name: str) -> None:
    module, expected = EXPECTED[name]
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    code = RECIPES[name]["python"].replace("http://localhost:9200", opensearch)
    (work / "recipe.py").write_text(code, "utf-8")
    assert expected in python("recipe.py", cwd=work).stdout


@pytest.mark.parametrize("name", BATCHES)
def test_a_recipe_over_batches(tmp_path: Path, name: str) -> None:
    pytest.importorskip(BATCHES[name])
    code = RECIPES[name]["python"]
    assert len(list(filter(str.strip, code.splitlines()))) <= 10
    bodies = [f"<nav>Home</nav><p>{TEXT}</p><p>{n} {TEXT}</p>" for n in range(30)]
    html = [None if n == 7 else body.encode() for n, body in enumerate(bodies)]
    pages = {"url": list("abc") * 10, "html": html}
    pq.write_table(pa.table(pages), tmp_path / "pages.parquet", row_group_size=9)
    (tmp_path / "recipe.py").write_text(code, "utf-8")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    python("recipe.py", cwd=tmp_path, env={**os.environ, "PATH": path})
    (found,) = tmp_path.glob("cleaned*")
    rows = ds.dataset(found, exclude_invalid_files=True).to_table().to_pylist()
    texts = ["" if isinstance(one, PageError) else one for one in clean_many(html)]
    assert sorted(row["text"] or "" for row in rows) == sorted(texts)


def test_the_recipe_for_opensearch_fails_without_its_input(tmp_path: Path) -> None:
    pytest.importorskip("opensearchpy")
    code = RECIPES["OpenSearch"]["python"]
    done = python("-c", code, cwd=tmp_path, status=1)
    assert done.stderr.startswith("expected *.jsonl.gz in TEXTS/")


def test_pyserini_indexes_an_export(work: Path) -> None:
    manual = (ROOT / "src/boilersweep/export/README.md").read_text("utf-8")
    (command,) = re.findall(
        r"^```sh\n(python -c .*?)^```$", manual, re.MULTILINE | re.DOTALL
    )
    command = command.replace("OUT/", "TEXTS/").replace("INDEX", "PYSERINI")
    # pyserini 2.4 downloads lists of prebuilt indexes when it is imported.
    (work / "offline").mkdir()
    (work / "offline" / "sitecustomize.py").write_text(
        "import sys, unittest.mock\n"
        "sys.modules['pyserini.prebuilt_index_info'] = unittest.mock.MagicMock()\n"
    )
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**QUICK_JAVA, "PATH": path, "PYTHONPATH": str(work / "offline")}
    run("sh", "-c", command, cwd=work, env=env)
    assert main(["search", "--index", str(work / "PYSERINI"), "--query", "train"]) == 0


def test_java_opens_our_index(work: Path) -> None:
    from boilersweep.indexer.jvm import anserini_jar

    if shutil.which("javac") is None:
        pytest.skip("no JDK: there is no javac")
    (work / "Search.java").write_text(RECIPES["Java"]["java"])
    env = {**QUICK_JAVA, "JAR": str(anserini_jar())}
    done = run("sh", "-c", RECIPES["Java"]["sh"], cwd=work, env=env)
    assert done.stdout.startswith("a ")
