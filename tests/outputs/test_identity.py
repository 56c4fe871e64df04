"""What a result depends on: digests of files and code, extractors, and how identities differ."""

import subprocess
import sys
from pathlib import Path

import pytest

from boilersweep.extractors.registry import extractor_identity
from boilersweep.outputs import identity
from boilersweep.outputs.identity import STAGES, code_identity, differences, digest_of, file_digest

# What only carries a result from one place to another, or says how it went.
NEUTRAL = {
    "boilersweep",
    "boilersweep.errors",
    "boilersweep.extras",
    "boilersweep.outputs.files",
    "boilersweep.outputs.folder",
    "boilersweep.outputs.identity",
    "boilersweep.lazy",
    "boilersweep.outputs.locations",
    "boilersweep.outputs.manifest_file",
    "boilersweep.extractors.plugins",
    "boilersweep.extractors.watched_modules",
    "boilersweep.work.progress",
    "boilersweep.extractors",
    "boilersweep.outputs",
    "boilersweep.segmenting",
    "boilersweep.store",
}


@pytest.fixture
def own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of one module, which is the stage `mine`."""
    package = tmp_path / "minepkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "code.py").write_text("A = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(STAGES, "mine", ("minepkg",))
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
    before = code_identity("mine")
    assert before == code_identity("mine")
    identity._code_digest.cache_clear()
    own_code.write_text("A = 2\n")
    assert code_identity("mine") != before
    identity._code_digest.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "entry", "others"),
    [
        ("segment", "boilersweep.segmenting.shards", ("extract", "clean")),
        ("clean", "boilersweep.cleaners.parsing", ("segment",)),
        ("index", "boilersweep.indexer.merging", ("clean", "store", "segment", "dedup")),
        ("rank", "boilersweep.eval.exact.engine", ("clean", "index", "segment")),
    ],
)
def test_a_stage_names_all_the_code_that_it_runs(
    stage: str, entry: str, others: tuple[str, ...]
) -> None:
    show = "import sys; print(*(n for n in sys.modules if n.split('.')[0] == 'boilersweep'))"
    command = [sys.executable, "-c", f"import {entry}; {show}"]
    found = set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
    of_stores = {"boilersweep.store.store", "boilersweep.store.duplicates"}
    of_stores |= {f"boilersweep.store.{name}_files" for name in ("box", "probability")}
    known = NEUTRAL | of_stores | {"boilersweep.work", "boilersweep.work.shares"}
    known |= {"boilersweep.cleaners.variants", "boilersweep.eval", "boilersweep.pages"}
    known |= {"boilersweep.segmenting.tasks", "boilersweep.work.watch"}
    known |= {"boilersweep.segmenting.input_file", "boilersweep.eval.runs"}
    named = [module for one in (stage, *others) for module in STAGES.get(one, ())]
    strange = {
        name
        for name in found - known
        if not any(name == module or name.startswith(f"{module}.") for module in named)
    }
    assert not strange


def test_all_stages_have_code() -> None:
    digests = code_identity(*STAGES)
    assert len(set(digests.values())) == len(STAGES)
    assert digest_of("") not in digests.values()


def test_each_difference_is_named_with_both_values() -> None:
    made = {"k1": 0.9, "model": {"b": 0.4, "path": "a" * 64}, "gone": True, "same": [1, 2]}
    wanted = {"k1": 1.2, "model": {"b": 0.4, "path": "b" * 64}, "same": (1, 2), "hits": 10}
    assert differences(made, wanted) == [
        "k1 was 0.9, is 1.2",
        "model path was aaaaaaaaaaaa, is bbbbbbbbbbbb",
        "gone was true, is not set",
        "hits was not set, is 10",
    ]


def test_long_values_are_cut() -> None:
    (clause,) = differences({"text": "x" * 200}, {"text": "y"})
    assert len(clause) < 120


def test_an_extractor_is_known_by_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"trafilatura": "2.0.0"}
    monkeypatch.setattr("importlib.metadata.version", lambda name: versions[name])
    before = extractor_identity("trafilatura")
    assert before.startswith("trafilatura 2.0.0, boilersweep ")
    versions["trafilatura"] = "2.0.1"
    assert extractor_identity("trafilatura") != before


def test_justext_is_known_by_what_tells_the_language_too(monkeypatch: pytest.MonkeyPatch) -> None:
    before = extractor_identity("justext")
    monkeypatch.setattr("boilersweep.extractors.registry.detector", lambda: "another 1.0")
    assert extractor_identity("justext") != before
    assert extractor_identity("justext").endswith(", another 1.0")


def test_a_plug_in_is_known_by_its_source(own_code: Path) -> None:
    before = extractor_identity("minepkg.code:extract")
    own_code.write_text("A = 22\n")
    assert extractor_identity("minepkg.code:extract") != before
