"""The blocks and rankings of fixed pages, pinned: however results are kept, these stay.

If a page becomes other blocks on purpose, raise `VERSION` in `boilersweep.store.shard_columns`, and
pin the digests under that number: stores of the old code are then not taken for equal.
"""

import hashlib
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from boilersweep.cleaners.rules import STRUCTURE, TEXTS
from boilersweep.demo.collection import DemoCollection, write_demo
from boilersweep.pages.columns import NUMBERS
from boilersweep.segmenting.segment import segment_collection
from boilersweep.store.shard_columns import VERSION
from boilersweep.store.store import BlockStore, open_store
from tests.running import boilersweep
from tests.system.works import TEXTS as WITH_TEXTS
from tests.system.world import write_world

# VERSION -> the digest
DEMO = {7: "6950e9c85bdc9fc133ae269b7401ea2acc4d6ce001ba7e5fe22027f977d9d92d"}
WORLD = {7: "dd108ac0d1e8bc7e14dacaf0f72df6e00eaab71819529a3059dcf799458718e1"}
RUNS = "ffa7a83d0da82e119345d99c98fdcd0fe6ebf7c9021ade6e2e56838d9e7a1d24"

FIELDS = (
    "docid",
    "source",
    "offset",
    "url",
    "date",
    "encoding",
    "language",
    "headline",
)


def digest_of_blocks(store: BlockStore) -> str:
    """SHA-256 over everything that the documents of a store are, in the store's order."""
    digest = hashlib.sha256()

    def add(value: Any) -> None:
        digest.update(json.dumps(value, ensure_ascii=False).encode() + b"\n")

    for columns in store.columns(TEXTS | STRUCTURE, store.page_texts):
        numbers = {one.name: getattr(columns, one.name).tolist() for one in NUMBERS}
        starts = columns.starts.tolist()
        for row, docid in enumerate(columns.docids):
            blocks = slice(starts[row], starts[row + 1])
            add([docid, columns.titles[row], columns.texts[blocks]])
            add({name: values[blocks] for name, values in numbers.items()})
            add({name: texts[row] for name, texts in columns.page_texts.items()})
    for values in store.fields(FIELDS):
        add(values)
    return digest.hexdigest()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoCollection:
    return write_demo(tmp_path_factory.mktemp("demo"), pages=60)


def test_the_blocks_of_the_demo(demo: DemoCollection, tmp_path: Path) -> None:
    store = segment_collection(demo.trec, tmp_path / "store", workers=1)
    assert digest_of_blocks(store) == DEMO[VERSION]


@pytest.mark.slow
def test_the_blocks_and_texts_of_the_world(tmp_path: Path) -> None:
    world = tmp_path / "world"
    write_world(world)
    segment = ("segment", "--input", "pages", "--metadata", "--output", "store")
    plug_ins = {"PYTHONPATH": str(world / "code")}
    boilersweep(*segment, *shlex.split(WITH_TEXTS), cwd=world, env=plug_ins)
    assert digest_of_blocks(open_store(world / "store")) == WORLD[VERSION]


@pytest.mark.java
@pytest.mark.slow
def test_the_runs_of_the_demo(demo: DemoCollection, tmp_path: Path) -> None:
    judged = ("--topics", demo.topics, "--qrels", demo.qrels)
    sweep = ("sweep", "--input", demo.trec, "--engine", "exact", "--sweep", "words=1,5")
    boilersweep(*sweep, *judged, "--threads", "1", "--output", tmp_path / "sweep")
    runs = sorted((tmp_path / "sweep" / "runs").iterdir())
    content = b"".join(run.name.encode() + b"\n" + run.read_bytes() for run in runs)
    assert hashlib.sha256(content).hexdigest() == RUNS
