"""`dense(VECTORS)` and `hybrid(bm25,dense(VECTORS))` on the command line."""

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boilersweep.store.store import open_store
from boilersweep.topics import read_topics
from tests.cli.conftest import Call, Inputs
from tests.store.vectors import distinct_texts, write_vectors

pytestmark = pytest.mark.java


@pytest.fixture
def vectors(store: Path, inputs: Inputs, tmp_path: Path) -> Path:
    """Write random vectors for all blocks and topics."""
    dice = np.random.default_rng(5)
    ids = list(distinct_texts(open_store(store)))
    topics = [topic.id for topic in read_topics(inputs.topics)]
    made = [dice.normal(size=(len(some), 8)).astype(np.float32) for some in (ids, topics)]
    write_vectors(tmp_path / "vectors", "random", (ids, made[0]), (topics, made[1]))
    return tmp_path / "vectors"


def test_a_study_and_a_sweep_by_vectors(
    call: Call, store: Path, inputs: Inputs, vectors: Path, tmp_path: Path
) -> None:
    asked = ("--store", store, *inputs.judged, "--threads", 1)
    formulas = f"bm25,dense({vectors}),hybrid(bm25,dense({vectors}),0.4,0.6)"
    common = ("compare", *asked, "--cleaners", "words>=3", "--output", tmp_path / "study")
    study = (*common, "--engine", "exact", "--formula", formulas)
    call(*study).ok()
    runs = sorted(path.name for path in (tmp_path / "study" / "runs").iterdir())
    assert runs == ["bm25", "dense", "hybrid", "hybrid-tuned"]
    call("report", tmp_path / "study").ok()
    call("check", tmp_path / "study").ok()
    call(*study).ok()

    usual = ("sweep", *asked, "--sweep", "words=1:4", "--engine", "exact")
    swept = (*usual, "--output", tmp_path / "sweep", "--formula", f"dense({vectors})")
    call(*swept).ok()
    manifest = json.loads((tmp_path / "sweep" / "manifest.json").read_text())
    assert manifest["model"].startswith("dense(random,8,")
    run = (tmp_path / "sweep" / "runs" / "words-003.trec").read_text()
    assert run == (tmp_path / "study" / "runs" / "dense" / "words-003.trec").read_text()

    about = {"model": "another", "dimension": 8}
    (vectors / "vectors.json").write_text(json.dumps(about))
    for command in (study, swept):  # other vectors are another experiment
        call(*command).refused(1, "--overwrite")


class Service(BaseHTTPRequestHandler):
    """Answers with a vector made of each text's digest."""

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        digests = [hashlib.sha256(text.encode()).digest()[:8] for text in texts]
        data = [{"embedding": [byte / 255 for byte in digest]} for digest in digests]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"data": data}).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def service() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/embeddings"
        server.shutdown()


def random_model(folder: Path) -> Path:
    """Write a sentence-transformers folder with random weights."""
    names = ("", ".sentence_transformer.modules")
    why = "sentence-transformers requires torch (5 GB)"
    library, modules = (
        pytest.importorskip(f"sentence_transformers{name}", reason=why) for name in names
    )
    torch, tokenizers = map(pytest.importorskip, ("torch", "tokenizers"))
    words = ["[UNK]", "pony", "zebra", "otter", "heron", "lynx", "the", "apples", "nothing"]
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, "[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    torch.manual_seed(1)
    model = modules.StaticEmbedding(tokenizer, embedding_dim=8)
    library.SentenceTransformer(modules=[model]).save(str(folder))
    return folder


@pytest.mark.parametrize("by", ["sentence-transformers", "HTTP"])
def test_the_manual_from_export_to_report(
    call: Call,
    store: Path,
    inputs: Inputs,
    tmp_path: Path,
    by: str,
    service: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    manual = Path(__file__).parents[3] / "eval" / "ranking" / "exact" / "VECTORS.md"
    transformers, http, rest = re.findall(r"```python\n(.*?)```", manual.read_text(), re.DOTALL)
    model = str(random_model(tmp_path / "model")) if by != "HTTP" else "m"
    imports, define, steps = rest.replace("384", "8").partition("def write(")
    recipe = imports + (http if by == "HTTP" else transformers) + define + steps
    places = {"MODEL": model, "URL": service, "TOPICS": str(inputs.topics)}
    for placeholder, value in places.items():
        recipe = recipe.replace(f'"{placeholder}"', repr(value))
    monkeypatch.chdir(tmp_path)
    written = "--keep keep-everything --distinct --format parquet --output TEXTS".split()
    call("export", "--store", store, *written).ok()
    names: dict[str, Any] = {}
    exec(recipe, names)  # noqa: S102
    asked = ("--store", store, *inputs.judged, "--threads", 1)
    ranked = ("--formula", "bm25,dense(VECTORS),hybrid(bm25,dense(VECTORS))", "--engine", "exact")
    call("compare", *asked, "--cleaners", "words>=3", *ranked, "--output", "study").ok()
    call("report", "study").ok()
    deployed = ("--keep", "words>=3", "--vectors", "VECTORS", "--output", "deployed")
    call("export", "--store", store, *deployed).ok()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--formula", "dense({})"), "requires --engine exact"),
        (("--formula", "dense(nowhere)", "--engine", "exact"), "vectors.json"),
        (("--formula", "hybrid(bm25,dense({}),2)", "--engine", "exact"), "a number from 0 to 1"),
        (("--formula", "dense({},0)", "--engine", "exact"), "finite number of at least 1"),
        (("--formula", "hybrid(bm25,dense({}),0.1,0.2)", "--engine", "exact"), "one weight"),
        (("--formula", "hybrid(dense({}))", "--engine", "exact"), "hybrid(bm25,dense(VECTORS)"),
        (("--formula", "dens", "--engine", "exact"), "expected some of bm25"),
    ],
)
def test_refused_formulas(
    call: Call,
    store: Path,
    inputs: Inputs,
    vectors: Path,
    tmp_path: Path,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    asked = ("--store", store, *inputs.judged)
    given = [one.format(vectors) for one in arguments]
    call("sweep", *asked, "--output", tmp_path / "out", *given).refused(2, message)
