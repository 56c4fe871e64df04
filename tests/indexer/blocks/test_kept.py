"""An index of blocks under any rule is the real index of that rule: counts, hits, order, scores."""

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock, patch

import msgspec
import numpy as np
import pytest

from boilersweep import BlockStore, IndexingError, UsageError, parse_cleaner
from boilersweep.cleaners.duplicates import Dedup
from boilersweep.cleaners.page_model import why_no_model
from boilersweep.cleaners.stored import columns_for
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval import BM25, RM3, Classic, QueryLikelihood, search_index
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.indexer import (
    AnalyzerOptions,
    IndexLayout,
    IndexOptions,
    ParallelOptions,
    build_index,
    build_parallel_indexes,
    open_index,
)
from boilersweep.indexer import blocks as package
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.indexer.blocks.codec import COLUMNS, LINES
from boilersweep.indexer.blocks.kept import BlockIndex
from boilersweep.indexer.blocks.recording import BlockDocumentMaker
from boilersweep.indexer.compiled import java_class
from boilersweep.indexer.contents import KeptText
from boilersweep.indexer.lucene import CONTENTS, DOCID, open_directory
from boilersweep.indexer.manifest import (
    INDEX_CODE,
    MANIFEST,
    read_manifest,
    write_index_manifest,
)
from boilersweep.indexer.single import ALL_BLOCKS
from boilersweep.pages.columns import NOTHING, BlockColumns, BoolArray
from tests.indexer.blocks import by_python
from tests.indexer.conftest import StoreMaker, kept_contents
from tests.indexer.test_updating_index import Crawl
from tests.stores import make_store_of

pytestmark = pytest.mark.java

BLOCKS = IndexLayout(blocks=True)
LUCENE = "org.apache.lucene."
LEARNED = ("learned", "weighted(learned, 100)") if not why_no_model() else ()
STORED = (*LEARNED[:1], "bte", "weighted(ancestor(words>=20, 2), 2)")

# Rules that read the store.
READ_STORE = ("headed(words>=11)", "headed(words>=11) & words<=9")

# Rules whose masks come from columns, from stored masks, and from both.
RULES = (
    *(f"words>={number}" for number in (1, 2, 5, 11, 40, 10_000)),
    *("density>=4.5", "density<9", "link_density<=0.33", "link_words>1 & words<=20"),
    "prev_words>=5 & (next_density<9 | next_link_density<=0.33)",
    *("numwords-rules", "density-rules", "ancestor(words>=20, 2)"),
    *("bte", "!bte & words>=3", "list | words>=9", *LEARNED, *READ_STORE),
    *("weighted(words>=5, 3)", "weighted(words>=1, 2)"),
)
MODELS: tuple[RankingModel, ...] = (
    BM25(),
    BM25(1.2, 0.75),
    QueryLikelihood(),
    Classic(),
)


@dataclass(frozen=True, slots=True)
class Chance:
    """Keeps blocks by chance."""

    needs = NOTHING

    seed: int

    def mask(self, columns: BlockColumns) -> BoolArray:
        masks = [np.zeros(0, dtype=bool)]
        for docid, blocks in zip(columns.docids, np.diff(columns.starts), strict=True):
            digest = hashlib.sha256(f"{self.seed}{docid}".encode()).digest()
            dice = np.random.default_rng([*digest])
            masks.append(dice.random(blocks) < (self.seed % 10 + 1) / 11)
        return np.concatenate(masks)

    def __str__(self) -> str:
        return f"chance-{self.seed}"


def block_index(
    store: BlockStore,
    output: Path,
    cleaners: Sequence[str] = (),
    analyzer: AnalyzerOptions | None = None,
) -> Path:
    options = IndexOptions(
        analyzer=analyzer or AnalyzerOptions(),
        layout=BLOCKS,
        cleaners=tuple(map(parse_cleaner, cleaners)),
        overwrite=True,
    )
    build_index(store, "words>=1", output, options)
    return output


def assert_as_real_indexes(
    index: Path,
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    folder: Path,
    models: Sequence[RankingModel] = MODELS[:1],
) -> int:
    """Compare counts and hits under every variant; return how many hits were compared."""
    hits = 0
    with open_index(index, store=store) as searcher:
        options = ParallelOptions(analyzer=searcher.blocks.manifest.identity.analyzer)
        for real in build_parallel_indexes(store, variants, folder, options):
            cleaner, manifest = real.variant.cleaner, real.manifest
            found = searcher.blocks.kept(cleaner)
            assert found.documents == manifest.documents, cleaner
            assert found.tokens == manifest.tokens, cleaner
            for model in models:
                theirs = search_index(real.path, queries, model)
                assert theirs == search_index(searcher, queries, model, keep=cleaner)
                hits += sum(map(len, theirs.values()))
    return hits


@pytest.fixture(scope="module")
def index(store: BlockStore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return block_index(store, tmp_path_factory.mktemp("blocks") / "index", STORED)


def test_rules_and_formulas(
    store: BlockStore, index: Path, queries: dict[str, str], tmp_path: Path
) -> None:
    variants = [Variant(parse_cleaner(text)) for text in RULES]
    hits = assert_as_real_indexes(index, store, variants, queries, tmp_path, MODELS)
    assert hits > 50_000


def test_random_masks(
    store: BlockStore, index: Path, queries: dict[str, str], tmp_path: Path
) -> None:
    variants = [Variant(Chance(seed)) for seed in range(10)]
    assert assert_as_real_indexes(index, store, variants, queries, tmp_path) > 5000


@pytest.mark.parametrize(
    "analyzer",
    [
        AnalyzerOptions(title=False),
        AnalyzerOptions(identifiers=True),
        AnalyzerOptions(language="pl", title=False),
        AnalyzerOptions(language="zh"),
        AnalyzerOptions(stemmer="krovetz", keep_stopwords=True),
        AnalyzerOptions(pretokenized=True),
    ],
    ids=str,
)
def test_analyzers(
    store: BlockStore,
    queries: dict[str, str],
    tmp_path: Path,
    analyzer: AnalyzerOptions,
) -> None:
    index = block_index(store, tmp_path / "index", analyzer=analyzer)
    variants = [Variant(parse_cleaner(text)) for text in ("words>=1", "words>=7")]
    folder = tmp_path / "real"
    assert assert_as_real_indexes(index, store, variants, queries, folder) > 1000


TEXTS = (
    "",
    "\n\n",
    "a pony\nthe\n\nrunning 😀 ponies and the\n",
    "the\na\nsee e.g. foo.bar_baz and fooBar-qux\nSTOP",
)


@pytest.mark.parametrize(
    "analyzer", [AnalyzerOptions(), AnalyzerOptions(identifiers=True)], ids=str
)
def test_the_noted_lines_are_those_of_the_tokens(
    store: BlockStore, analyzer: AnalyzerOptions
) -> None:
    made = BlockAnalyzer(analyzer)
    maker = BlockDocumentMaker(BLOCKS, made.given, titles=False)
    kept = [
        kept_contents(columns, ALL_BLOCKS)
        for columns in columns_for(store, [ALL_BLOCKS])
    ]
    for text in (*TEXTS, *(text for _, text in chain.from_iterable(kept))):
        document = maker.document("docid", KeptText(text))
        stream = document.getField(CONTENTS).tokenStream(made.analyzer, None)
        stream.reset()
        while stream.incrementToken():
            pass
        stream.end()
        stream.close()
        noted = by_python.bytes_of(document.getField(LINES).binaryValue())
        assert noted == by_python.read_lines(made.analyzer, made.given(text)), text


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in READ_STORE])
def test_rules_that_need_no_store(index: Path, rule: str) -> None:
    with open_index(index) as searcher:
        assert searcher.blocks.kept(parse_cleaner(rule)).tokens >= 0


@pytest.mark.parametrize(
    "rule",
    [
        *READ_STORE,
        pytest.param("learned>=0.5", marks=pytest.mark.application("learned")),
    ],
)
def test_rules_that_need_the_store(index: Path, rule: str) -> None:
    with open_index(index) as searcher, pytest.raises(UsageError, match="as `store`"):
        searcher.search("pony", keep=rule)


def test_a_hit_is_a_document(index: Path) -> None:
    with open_index(index) as searcher:
        hits = searcher.search("pony running", 5, keep="words>=3")
        assert len(hits) == 5
        assert [searcher.doc(hit.lucene_docid) for hit in hits]
        assert [hit.document.docid() for hit in hits] == [hit.docid for hit in hits]
        batch = searcher.batch_search(["pony running"], ["q"], 5, keep="words>=3")
        assert [(hit.docid, hit.score) for hit in batch["q"]] == [
            (hit.docid, hit.score) for hit in hits
        ]


def test_requests_that_no_rule_serves(index: Path, store: BlockStore) -> None:
    with open_index(index) as searcher:
        with pytest.raises(UsageError, match="expected at least 1"):
            searcher.search("pony", 0, keep="words>=3")
        with pytest.raises(UsageError, match="build an index of the rule"):
            searcher.search("pony", keep="words>=3", fields={"contents": 1.0})
        with pytest.raises(UsageError, match="a text of its own"):
            searcher.search("pony", keep="trafilatura")
        with pytest.raises(UsageError, match="document vectors"):
            search_index(searcher, {"q": "pony"}, RM3(BM25()), keep="words>=3")


def test_what_an_index_of_blocks_refuses(store: BlockStore, tmp_path: Path) -> None:
    options = IndexOptions(layout=BLOCKS)
    for cleaner, asked, message in (
        ("words>=2", options, "searched under any rule"),
        (
            "words>=1",
            replace(options, analyzer=AnalyzerOptions(language="ja")),
            "with `keep`",
        ),
        (
            "words>=1",
            replace(options, cleaners=(parse_cleaner("trafilatura"),)),
            "a text of its own",
        ),
    ):
        with pytest.raises(UsageError, match=message):
            build_index(store, cleaner, tmp_path / "x", asked)
    for unsuited in ({"contents": True}, {"raw": True}, {"fields": ("title",)}):
        with pytest.raises(UsageError, match="no stored texts"):
            replace(BLOCKS, **unsuited)
    with pytest.raises(UsageError, match="depends on the rule"):
        replace(options, dedup=Dedup("minhash"))
    assert not (tmp_path / "x").exists()


def test_an_ordinary_index_is_no_index_of_blocks(
    store: BlockStore, tmp_path: Path
) -> None:
    build_index(store, "words>=1", tmp_path / "index")
    with (
        open_index(tmp_path / "index") as searcher,
        pytest.raises(IndexingError, match="index --blocks"),
    ):
        searcher.search("pony", keep="words>=3")


def test_another_store(index: Path, make_store: StoreMaker) -> None:
    other = make_store({"a": "<p>another pony</p>"})
    with (
        open_index(index, store=other) as searcher,
        pytest.raises(IndexingError, match="another state"),
    ):
        searcher.search("pony", keep="words>=3")


@pytest.fixture
def copied(index: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(index, tmp_path / "copy"))


@contextmanager
def index_writer(index: Path) -> Iterator[Any]:
    """Open Lucene's own writer, which merges no segments, and commit what is done with it."""
    from jnius import autoclass

    config = autoclass(f"{LUCENE}index.IndexWriterConfig")()
    config.setMergePolicy(autoclass(f"{LUCENE}index.NoMergePolicy").INSTANCE)
    writer = autoclass(f"{LUCENE}index.IndexWriter")(open_directory(index), config)
    yield writer
    writer.commit()
    writer.close()


def delete(writer: Any, docid: str) -> None:
    from jnius import autoclass, cast

    term = autoclass(f"{LUCENE}index.Term")("id", docid)
    query = autoclass(f"{LUCENE}search.TermQuery")(term)
    writer.deleteDocuments(cast(f"{LUCENE}search.Query", query))


def reader_of(index: Path) -> Any:
    from jnius import autoclass

    return autoclass(f"{LUCENE}index.DirectoryReader").open(open_directory(index))


def _add_file(index: Path) -> None:
    (index / "other").write_text("")


def _flip_bit(index: Path) -> None:
    """Change a number of the block table, which keeps its size and its time of change."""
    [path] = index.glob("*.dvd")
    stat = path.stat()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _take_table_of_another(index: Path) -> None:
    other = index.parent / "other"
    pages = {"a": "<p>another pony</p>", "b": "<p>a running pony, and no other</p>"}
    block_index(make_store_of(index.parent, pages), other)
    [theirs], [ours] = other.glob("*.dvd"), index.glob("*.dvd")
    shutil.copy(theirs, ours)


def _delete_document(index: Path) -> None:
    with index_writer(index) as writer:
        delete(writer, "page-003")


def _recode(index: Path) -> None:
    manifest = read_manifest(index)
    assert manifest is not None
    code = {**manifest.identity.code, INDEX_CODE.name: "1"}
    (index / MANIFEST).unlink()
    write_index_manifest(
        index,
        msgspec.structs.replace(
            manifest, identity=replace(manifest.identity, code=code)
        ),
    )


def _replace_by_an_ordinary_index(index: Path) -> None:
    shutil.rmtree(index)
    build_index(make_store_of(index.parent, {"a": "<p>a pony</p>"}), "words>=1", index)


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file of another program": (_add_file, "something else.*other is new"),
    "a damaged table": (_flip_bit, "something else.*dvd was changed or damaged"),
    "a table of another index": (_take_table_of_another, "file mismatch"),
    "an update by another program": (_delete_document, "something else.*is new"),
    "other code": (_recode, "other code: index was 1"),
    "no manifest": (lambda index: (index / MANIFEST).unlink(), "index --blocks"),
    "a damaged manifest": (
        lambda index: (index / MANIFEST).write_text('{"kind": "index"}'),
        "is damaged",
    ),
    "no blocks": (_replace_by_an_ordinary_index, "index --blocks"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_error(copied: Path, fault: str) -> None:
    damage, message = FAULTS[fault]
    damage(copied)
    for _ in range(2):
        with (
            pytest.raises(IndexingError, match=message),
            open_index(copied) as searcher,
        ):
            searcher.search("pony", keep="words>=3")


def test_a_copy_is_no_fault(copied: Path) -> None:
    with open_index(copied) as searcher:
        assert searcher.search("pony", keep="words>=3")


def test_documents_without_blocks(index: Path, copied: Path) -> None:
    """A table that lacks documents is an error, whatever the manifest says."""
    from jnius import autoclass

    manifest = read_manifest(index)
    assert manifest is not None
    with index_writer(copied) as writer:
        writer.addDocument(autoclass(f"{LUCENE}document.Document")())
    with pytest.raises(IndexingError, match="a document has no id"):
        BlockIndex(copied, reader_of(copied), manifest)


def test_ordinary_searches_see_nothing_unusual(
    store: BlockStore, index: Path, queries: dict[str, str], tmp_path: Path
) -> None:
    build_index(store, "words>=1", tmp_path / "plain")
    ours = search_index(index, queries)
    assert ours == search_index(tmp_path / "plain", queries)


def test_the_recipe_for_pyserini(
    index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manual = Path(package.__file__).with_name("README.md").read_text("utf-8")
    [code] = re.findall(r"```python\n(.*?)```", manual, re.DOTALL)
    # pyserini 2.4 would download lists.
    with patch.dict(sys.modules, {"pyserini.prebuilt_index_info": MagicMock()}):
        exec(code.replace('"INDEX"', repr(str(index))), {})  # noqa: S102
    manifest = read_manifest(index)
    assert manifest is not None
    assert capsys.readouterr().out.startswith(f"{manifest.documents} (")


def test_an_update_follows_the_store(
    pages: dict[str, str], queries: dict[str, str], tmp_path: Path
) -> None:
    crawl = Crawl(tmp_path, pages)
    block_index(crawl.store(), tmp_path / "index", STORED)
    crawl.next_day()
    store = crawl.store()
    with (
        open_index(tmp_path / "index", store=store) as searcher,
        pytest.raises(IndexingError, match="--update"),
    ):
        searcher.search("pony", keep="words>=3")
    options = IndexOptions(
        layout=BLOCKS, cleaners=tuple(map(parse_cleaner, STORED)), update=True
    )
    build_index(store, "words>=1", tmp_path / "index", options)
    variants = [Variant(parse_cleaner(text)) for text in RULES[::3]]
    folder = tmp_path / "real"
    index = tmp_path / "index"
    assert assert_as_real_indexes(index, store, variants, queries, folder) > 3000


@pytest.mark.parametrize("deleted", [(), ("page-003", "tie-05", "page-069")], ids=len)
def test_values_and_scores_are_those_read_one_by_one(
    index: Path, copied: Path, queries: dict[str, str], deleted: Sequence[str]
) -> None:
    from jnius import autoclass

    with index_writer(copied) as writer:
        for docid in deleted:
            delete(writer, docid)
    manifest = read_manifest(index)
    assert manifest is not None
    reader = reader_of(copied)
    blocks, leaves = BlockIndex(copied, reader, manifest), by_python.leaves_of(reader)
    for leaf in leaves:
        for field in (DOCID, LINES, COLUMNS):
            values = by_python.read_values(leaf, field)
            assert values.count(b"") == len(deleted)
            lengths = np.array([*map(len, values)], dtype="<i4").tobytes()
            found = java_class("BlockSearch").values(leaf, field)
            assert found.tostring() == lengths + b"".join(values)
    similarities = f"{LUCENE}search.similarities."
    for similarity in (
        autoclass(f"{similarities}BM25Similarity")(0.9, 0.4),
        autoclass(f"{similarities}LMDirichletSimilarity")(1000.0),
    ):
        for query in list(queries.values())[:9]:
            for rule in ("words>=1", "words>=7"):
                found, scores = blocks.search(query, rule, similarity, 1000)
                theirs = by_python.search(blocks, leaves, query, rule, similarity)
                assert found.tolist() == theirs[0].tolist()
                assert scores.tolist() == theirs[1].tolist()
    reader.close()


def test_several_segments_and_deleted_documents(
    store: BlockStore, index: Path, copied: Path, queries: dict[str, str]
) -> None:
    """Documents that Lucene has only marked as deleted count nowhere."""
    gone = ["page-003", "tie-05", "page-069"]
    with index_writer(copied) as writer:
        for docid in gone:
            delete(writer, docid)
    found = read_manifest(index)
    assert found is not None
    reader = reader_of(copied)
    blocks = BlockIndex(copied, reader, found)
    with open_index(index) as searcher:
        whole = searcher.blocks
        for text in ("words>=1", "words>=7", "list | words>=9"):
            before, after = whole.kept(text), blocks.kept(text)
            for term_text in dict.fromkeys(" ".join(queries.values()).split()):
                expected = dict(
                    zip(
                        *map(list, whole.table.postings(term_text, before)), strict=True
                    )
                )
                left = {
                    whole.table.docids[number]: tf
                    for number, tf in expected.items()
                    if whole.table.docids[number] not in gone
                }
                numbers, tf = blocks.table.postings(term_text, after)
                assert left == {
                    blocks.table.docids[n]: count
                    for n, count in zip(numbers.tolist(), tf.tolist(), strict=True)
                }
            assert after.documents < before.documents
            assert after.tokens < before.tokens
    reader.close()
