"""What every stage of our work gives for fixed pages, pinned, however results are kept.

If a page becomes other blocks on purpose, raise `VERSION` in `boilersweep.store.shard_columns`, and
pin the digests under that number; if a later stage gives something else, that of its `CodeVersion`:
results of the old code are then not taken for equal.
"""

import gzip
import hashlib
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from boilersweep import (
    BlockStore,
    ExportOptions,
    Segmentation,
    collect_variants,
    open_store,
    segment_collection,
)
from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.duplicates import (
    DEDUP_CODE,
    METHODS,
    Dedup,
    find_duplicates,
)
from boilersweep.cleaners.selection import select
from boilersweep.cleaners.stored import columns_for
from boilersweep.cleaners.syntax.grammar import parse_cleaners
from boilersweep.demo.collection import DemoCollection, write_demo
from boilersweep.eval import SearchOptions
from boilersweep.eval.judge import JUDGE_CODE
from boilersweep.eval.judge.datasets import JudgedPage
from boilersweep.eval.judge.datasets.dataset_formats import plain_gold
from boilersweep.eval.judge.reference import references
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.exact.plan import RANK_CODE
from boilersweep.eval.ranking.formulas import FORMULAS
from boilersweep.eval.ranking.runs import write_run
from boilersweep.eval.stats import STATISTICS_CODE
from boilersweep.eval.stats.statistics import (
    bootstrap_intervals,
    detectable_differences,
    differences_to,
    effect_sizes,
    holm,
    paired_randomisations,
    paired_ts,
    pairwise_intervals,
    share_intervals,
    wilcoxons,
)
from boilersweep.export.export import EXPORT_CODE, export_store
from boilersweep.export.options import FORMATS, STRUCTURED, Passages
from boilersweep.extractors.registry import BUILT_IN, EXTRACT_CODE, find_extractor
from boilersweep.indexer import (
    AnalyzerOptions,
    IndexLayout,
    IndexOptions,
    build_index,
    build_parallel_indexes,
)
from boilersweep.indexer.layout import SEARCHABLE
from boilersweep.indexer.manifest import INDEX_CODE
from boilersweep.outputs.identity import CodeVersion
from boilersweep.pages.columns import NUMBERS, STRUCTURE, TEXTS, columns_of
from boilersweep.pages.compiled import make_segmenter
from boilersweep.store.shard_columns import VERSION
from boilersweep.topics import read_topics
from tests.cleaners.test_all_cleaners import ALONE, CLEANERS
from tests.comparing import postings
from tests.difficult import difficult_pages
from tests.running import boilersweep
from tests.stores import make_store_of
from tests.system.works import TEXTS as WITH_TEXTS
from tests.system.world import page, write_world

# VERSION -> the digest
DEMO = {12: "6950e9c85bdc9fc133ae269b7401ea2acc4d6ce001ba7e5fe22027f977d9d92d"}
WORLD = {12: "dd108ac0d1e8bc7e14dacaf0f72df6e00eaab71819529a3059dcf799458718e1"}
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


# A stage with its number -> the digest of what it gives.
STAGES = {
    CodeVersion(
        "extract", 1
    ): "8a1b4a67de8f6ebdd2b35dffb921b5f787b3ab4072001a32a0b0cda058402772",
    CodeVersion(
        "clean", 3
    ): "bd0d335ee925f49003f64eed123a0dced43f3ee35b97c9b605fe229463a00cf0",
    CodeVersion(
        "index", 2
    ): "bc66f294857c51db3e274aefea6a5b36f1bdd049a676bb3b3f8ee29bb76daaf3",
    CodeVersion(
        "rank", 2
    ): "96085b0f824695abb5df574c5ff0cde4a98a4dbc130cf6bd21482e5c71893067",
    CodeVersion(
        "statistics", 2
    ): "98f9ea92cbed69653e936a3a929f4f120c8d1fb5be1ceabbb09e371a7c7f5942",
    CodeVersion(
        "judge", 1
    ): "9dbb4f6344491c1d0218b2f828d33e7d82bf9c417df65c21d0c694325cce85da",
    CodeVersion(
        "dedup", 1
    ): "2e6c21a56f0845df9965b85264545b08b52d5bf35ef1468dbbd3fcc90e6a4219",
    CodeVersion(
        "export", 2
    ): "ea3ed971a491714f084b4612827baa527d5f046bca194cb7fff77356dc0bab8c",
}


def require_pinned(stage: CodeVersion, *results: Any) -> None:
    """Compare what a stage gives with what it gave when its number was chosen."""
    text = json.dumps(results, ensure_ascii=False, default=str)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    assert digest == STAGES.get(stage), (
        f"{stage.name!r} gives something else for fixed pages, and results made before would be "
        f"taken for equal. If that is meant, raise its number to {stage.number + 1}, "
        f"and pin {digest}"
    )


@pytest.fixture(scope="module")
def stores(
    demo: DemoCollection, tmp_path_factory: pytest.TempPathFactory
) -> list[BlockStore]:
    """Return stores of the demo, and of odd pages in many languages."""
    folder = tmp_path_factory.mktemp("stores")
    options = Segmentation(extractors=["ccb"])
    made = segment_collection(demo.trec, folder / "demo", options, workers=1)
    return [made, make_store_of(folder, difficult_pages(), extractors=["ccb"])]


def test_extractors() -> None:
    pages = [*map(page, range(6)), *difficult_pages().values()]
    ours = [name for name, one in BUILT_IN.items() if not one.distribution]
    assert len(ours) > 5
    texts = {name: [find_extractor(name).text(one) for one in pages] for name in ours}
    require_pinned(EXTRACT_CODE, texts)


@pytest.mark.application("learned")
def test_cleaners(stores: list[BlockStore]) -> None:
    """Every rule with a name, a comparison, a weight, and a text that is found in the blocks."""
    more = "words>=11 & link_density<=0.33,weighted(numwords-rules, 3),ccb"
    every = [*CLEANERS, *parse_cleaners(more)]
    kept = [
        (str(cleaner), columns.docids[one.document], one.text, one.repeated, one.times)
        for store, cleaners in ((stores[0], every), (stores[1], [*ALONE, every[-1]]))
        for columns in columns_for(store, cleaners)
        for number, cleaner in enumerate(cleaners)
        for one in select(columns, cleaners).kept(number)
    ]
    require_pinned(CLEAN_CODE, kept)


@pytest.mark.application("learned")
@pytest.mark.java
def test_indexes(stores: list[BlockStore], tmp_path: Path, java: None) -> None:
    """Parallel ones, and one with everything that an index can hold."""
    variants = collect_variants(["words=1,11"], ["learned", "weighted(bte, 2)"])
    built = build_parallel_indexes(stores[0], variants, tmp_path / "indexes")
    options = IndexOptions(
        analyzer=AnalyzerOptions(identifiers=True),
        layout=IndexLayout(contents=True, raw=True, fields=SEARCHABLE),
    )
    build_index(stores[0], variants[1].cleaner, tmp_path / "index", options)
    folders = [*(one.path for one in built), tmp_path / "index"]
    counts = [(one.manifest.documents, one.manifest.tokens) for one in built]
    require_pinned(INDEX_CODE, counts, list(map(postings, folders)))


@pytest.mark.application("learned")
@pytest.mark.java
def test_rankings(
    demo: DemoCollection, stores: list[BlockStore], tmp_path: Path, java: None
) -> None:
    variants = collect_variants(["words=1,11"], ["learned"])
    queries = {topic.id: topic.title for topic in read_topics(demo.topics)}
    found = []
    for name, formula in FORMULAS.items():
        options = SearchOptions(model=formula())
        engine = ExactEngine(stores[0], variants, queries, options)
        for variant in variants:
            ranked = engine.run(variant)
            write_run(tmp_path / "run", ranked.run, name)
            written = (tmp_path / "run").read_text()
            found.append((variant.name, ranked.documents, ranked.tokens, written))
    require_pinned(RANK_CODE, found)


def test_statistics() -> None:
    """Scores with ties and zeros, few topics and many."""
    found = []
    for topics in (3, 12, 60):
        values = np.array(
            [[(7 * t * (v + 2)) % 11 / 10 for v in range(4)] for t in range(topics)]
        )
        differences = differences_to(values[:, 1:], values[:, 0])
        found += [
            bootstrap_intervals(values),
            pairwise_intervals(values),
            share_intervals(differences, values[:, 0]),
            paired_ts(differences),
            paired_randomisations(differences)[0],
            wilcoxons(differences),
            np.array(holm(paired_ts(differences).tolist())),
            effect_sizes(differences),
            detectable_differences(differences, alpha=0.05),
        ]
    require_pinned(STATISTICS_CODE, [one.round(6).tolist() for one in found])


def test_judgements() -> None:
    """Every measure of texts of odd pages, beside a gold text with labels."""
    labelled = "<h> A heading\n<p> Some words, of it\n<l> яблоки и груши"
    judged = JudgedPage(
        "1", Path(), None, plain_gold(labelled)[0], "1", labelled=labelled
    )
    pages = difficult_pages()
    cut = [make_segmenter(structure=True).html(one.encode()) for one in pages.values()]
    found = []
    for reference in references([judged] * len(cut), columns_of([*pages], cut)):
        texts = ("", "heading A\nSome of it груши", labelled)
        found += [repr(reference.score(text)) for text in texts]
        found.append(repr(reference.score(judged.gold, reference.worded)))
    require_pinned(JUDGE_CODE, found)


def test_near_duplicates(stores: list[BlockStore], tmp_path: Path) -> None:
    cleaners = parse_cleaners("words>=1,words>=11")
    found = [
        [(one.docid, one.twin, round(one.similarity, 6), one.document) for one in some]
        for method in METHODS
        for store in stores
        for some in find_duplicates(store, cleaners, Dedup(method), tmp_path)
    ]
    assert any(found)
    require_pinned(DEDUP_CODE, found)


@pytest.mark.application("learned")
def test_exports(stores: list[BlockStore], tmp_path: Path) -> None:
    """Every format, of whole documents and of passages."""
    variants = collect_variants([], parse_cleaners("words>=3,learned"))
    found = []
    for name in FORMATS:
        for passages in (None, Passages(20, 5)):
            options = ExportOptions(
                format=name, blocks=name in STRUCTURED, passages=passages
            )
            for number, store in enumerate(stores):
                output = tmp_path / f"{name} {passages} {number}"
                export_store(store, variants, output, options)
                found.append(sorted(map(content_of, output.glob("[!.]*/*"))))
    require_pinned(EXPORT_CODE, found)


def content_of(exported: Path) -> str:
    if exported.suffix == ".parquet":
        return repr(pq.read_table(exported).to_pylist())
    return gzip.decompress(exported.read_bytes()).decode()
