"""What a result depends on: digests of files and code, extractors, and how identities differ."""

from pathlib import Path

import pytest

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.eval.ranking.exact.engine import RANK_CODE
from boilersweep.extractors.registry import EXTRACT_CODE, extractor_identity
from boilersweep.indexer.manifest import INDEX_CODE
from boilersweep.outputs import identity
from boilersweep.outputs.identity import (
    Stage,
    code_identity,
    differences,
    digest_of,
    file_digest,
)
from boilersweep.pages.language import DECLARED_ONLY
from boilersweep.store.near_duplicates import DEDUP_CODE
from tests.running import python

# What only carries a result from one place to another, or says how it went.
MINE = Stage("mine", ("minepkg",))

# The code of blocks has a number, VERSION of `shard_columns`; test_golden.py says when it changes.
BLOCKS = Stage(
    "blocks",
    (
        "boilersweep.collection",
        "boilersweep.pages",
        "boilersweep.segmenting",
        "boilersweep.store.shard",
        "boilersweep.store.shard_columns",
    ),
)

# Modules that change no result, or only with another module.
NEUTRAL = {
    "boilersweep",
    "boilersweep.cleaners.language.variants",
    "boilersweep.errors",
    "boilersweep.eval",
    "boilersweep.extractors",
    "boilersweep.extractors.plugins",
    "boilersweep.extractors.watched_modules",
    "boilersweep.extras",
    "boilersweep.lazy",
    "boilersweep.outputs",
    "boilersweep.outputs.atomic",
    "boilersweep.outputs.folder",
    "boilersweep.outputs.identity",
    "boilersweep.outputs.locations",
    "boilersweep.outputs.locks",
    "boilersweep.outputs.manifest_file",
    "boilersweep.outputs.notebook",
    "boilersweep.outputs.regular_files",
    "boilersweep.outputs.streams",
    "boilersweep.outputs.typed_files",
    "boilersweep.store",
    "boilersweep.store.duplicates",
    "boilersweep.store.manifest",
    "boilersweep.store.store",
    "boilersweep.work",
    "boilersweep.work.progress",
    "boilersweep.work.watch",
    # Queries are known by their texts.
    "boilersweep.topics",
    "boilersweep.topics.agreement",
    "boilersweep.topics.qrels",
    "boilersweep.topics.query_log",
    "boilersweep.topics.held",
    "boilersweep.topics.prefixes",
    "boilersweep.topics.read",
    "boilersweep.topics.tabular",
    "boilersweep.topics.topic",
    "boilersweep.topics.trec",
}


@pytest.fixture
def own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a package of one module, which is the stage MINE."""
    package = tmp_path / "minepkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "code.py").write_text("A = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    return package / "code.py"


def test_the_digest_of_a_file_follows_its_content(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("one")
    before = file_digest(file)
    assert before == file_digest(file)
    file.write_text("two")
    assert file_digest(file) != before
    file.replace(tmp_path / "moved")
    with pytest.raises(FileNotFoundError):
        file_digest(file)


def test_the_order_of_keys_does_not_count() -> None:
    assert digest_of({"a": 1, "b": [1, 2]}) == digest_of({"b": [1, 2], "a": 1})
    assert digest_of({"a": 1, "b": [1, 2]}) != digest_of({"a": 1, "b": [2, 1]})


def test_any_line_of_a_stage_counts(own_code: Path) -> None:
    identity._code_digest.cache_clear()
    before = code_identity(MINE)
    assert before == code_identity(MINE)
    identity._code_digest.cache_clear()
    own_code.write_text("A = 2\n")
    assert code_identity(MINE) != before
    identity._code_digest.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "entry", "others"),
    [
        (
            CLEAN_CODE,
            "boilersweep.cleaners.language.grammar",
            (BLOCKS, EXTRACT_CODE),
        ),
        (
            INDEX_CODE,
            "boilersweep.indexer.parallel_indexes",
            (CLEAN_CODE, BLOCKS, DEDUP_CODE, EXTRACT_CODE),
        ),
        (
            RANK_CODE,
            "boilersweep.eval.ranking.exact.engine",
            (CLEAN_CODE, INDEX_CODE, BLOCKS, DEDUP_CODE, EXTRACT_CODE),
        ),
    ],
)
def test_a_stage_names_all_the_code_that_it_runs(
    stage: Stage, entry: str, others: tuple[Stage, ...]
) -> None:
    show = "import sys; print(*(n for n in sys.modules if n.split('.')[0] == 'boilersweep'))"
    found = set(python("-c", f"import {entry}; {show}").stdout.split())
    known = tuple(f"{module}." for one in (stage, *others) for module in one.modules)
    assert not {name for name in found - NEUTRAL if not f"{name}.".startswith(known)}


def test_each_difference_is_named_with_both_values() -> None:
    made = {
        "k1": 0.9,
        "model": {"b": 0.4, "path": "a" * 64},
        "gone": True,
        "same": [1, 2],
    }
    wanted = {
        "k1": 1.2,
        "model": {"b": 0.4, "path": "b" * 64},
        "same": (1, 2),
        "hits": 10,
    }
    assert differences(made, wanted) == [
        "k1 was 0.9, is 1.2",
        "model path was aaaaaaaaaaaa, is bbbbbbbbbbbb",
        "gone was true, is not set",
        "hits was not set, is 10",
    ]
    (clause,) = differences({"text": "x" * 200}, {"text": "y"})
    assert len(clause) < 120


def test_an_extractor_is_known_by_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"trafilatura": "2.0.0"}
    monkeypatch.setattr("importlib.metadata.version", lambda name: versions[name])
    before = extractor_identity("trafilatura")
    assert before.startswith("trafilatura 2.0.0, boilersweep ")
    versions["trafilatura"] = "2.0.1"
    assert extractor_identity("trafilatura") != before


def test_justext_is_known_by_what_tells_the_language_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = extractor_identity("justext")
    monkeypatch.setattr("boilersweep.pages.language._detector", lambda: None)
    assert extractor_identity("justext") != before
    assert extractor_identity("justext").endswith(f", {DECLARED_ONLY}")


def test_a_plug_in_is_known_by_its_source(own_code: Path) -> None:
    before = extractor_identity("minepkg.code:extract")
    own_code.write_text("A = 22\n")
    assert extractor_identity("minepkg.code:extract") != before
