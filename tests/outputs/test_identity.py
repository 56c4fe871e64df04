"""What a result depends on: digests of files and code, extractors, and how identities differ."""

from pathlib import Path

import pytest

from boilersweep import __version__
from boilersweep.extractors.registry import extractor_identity
from boilersweep.outputs.identity import (
    CodeVersion,
    code_identity,
    differences,
    digest_of,
    file_digest,
)
from boilersweep.pages.language import DECLARED_ONLY


@pytest.fixture
def own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a package of one module."""
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


def test_code_is_known_by_version_and_number() -> None:
    found = code_identity(CodeVersion("one", 3), CodeVersion("other", 1))
    assert found == {"boilersweep": __version__, "one": "3", "other": "1"}
    changed = code_identity(CodeVersion("one", 4), CodeVersion("other", 1))
    assert differences(found, changed) == ["one was 3, is 4"]


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


@pytest.mark.application("extractors")
def test_an_extractor_is_known_by_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"trafilatura": "2.0.0"}
    monkeypatch.setattr("importlib.metadata.version", lambda name: versions[name])
    before = extractor_identity("trafilatura")
    assert before.startswith("trafilatura 2.0.0, boilersweep ")
    versions["trafilatura"] = "2.0.1"
    assert extractor_identity("trafilatura") != before


@pytest.mark.application("extractors")
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
