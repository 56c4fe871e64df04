"""The modules that a plug-in's identity covers: helpers beside it, not the environment."""

import importlib
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from boilersweep import Segmentation, StoreError, UsageError, segment_collection
from boilersweep.extractors.plugins import plugin_sources
from boilersweep.extractors.registry import (
    extracted,
    extractor_identity,
    find_extractor,
)
from tests.running import python


def _write(place: Path, files: dict[str, str]) -> None:
    """Write files into a folder, or into a zip archive."""
    if place.suffix == ".zip":
        with ZipFile(place, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
    else:
        for name, text in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
    importlib.invalidate_caches()


@pytest.mark.parametrize(
    ("files", "covered"),
    [
        ({"plug.py": "import aid"}, {"aid"}),
        ({"plug.py": "from aid import N"}, {"aid"}),
        ({"plug.py": "def text(html):\n    import json, aid as one\n"}, {"aid"}),
        ({"plug.py": "import first", "first.py": "if 1: import aid"}, {"first", "aid"}),
        ({"plug.py": "import first", "first.py": "import aid, plug"}, {"first", "aid"}),
        (
            {"plug.py": "import aids.one", "aids/two.py": ""},
            {"aids/__init__.py", "aids/two.py"},
        ),
        ({"plug.py": "import spaces.one", "spaces/one.py": ""}, {"spaces/one.py"}),
        ({"plug.py": "import json, numpy, boilersweep.errors, missing_one"}, set()),
        ({"plug.py": "'import aid'; from . import aid"}, set()),
        ({"plug.py": "import"}, set()),
        # What another distribution has installed beside it is part of the environment.
        (
            {
                "plug.py": "import aid",
                "other-1.0.dist-info/RECORD": "aid.py,sha256=x,9\n",
            },
            set(),
        ),
        (
            {
                "plug.py": "import aid",
                "mine-1.0.dist-info/RECORD": "plug.py,,\naid.py,,\n",
            },
            {"aid"},
        ),
        (
            {"plug.py": "import aid", "mine-1.0.dist-info/RECORD": "plug.py,,\n"},
            {"aid"},
        ),
    ],
)
def test_a_plug_in_is_known_by_the_helpers_that_it_imports(
    code: Path, files: dict[str, str], covered: set[str]
) -> None:
    _write(code, {"aid.py": "N = 3", "aids/__init__.py": "", "beside.py": "", **files})
    found = plugin_sources("plug")
    assert found.keys() >= {"plug", *covered}
    assert found.keys() - {"plug", *covered, "aids/__init__.py"} == set()
    before = extractor_identity("plug:text")
    for name in covered:
        with found[name].open("a") as file:
            file.write("\n# edited\n")
        after = extractor_identity("plug:text")
        assert after != before
        before = after
    _write(code, {"beside.py": "N = 4"})
    assert extractor_identity("plug:text") == before


def test_a_plug_in_of_the_environment_is_known_by_its_distribution(
    code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("site.getsitepackages", lambda: [str(code)])
    watched = sys.modules["boilersweep.extractors.plugins"]
    watched._environment.cache_clear()
    record = {"mine-1.0.dist-info/RECORD": "plug.py,,\naid.py,,\n"}
    _write(
        code,
        {"plug.py": "import aid, loose, numpy", "aid.py": "", "loose.py": "", **record},
    )
    assert plugin_sources("plug").keys() == {"plug", "aid"}
    watched._environment.cache_clear()


DYNAMIC = "from importlib import import_module\n"
UNFORESEEN = "plug-in 'plug': its import of 'aid' was not foreseen"


def test_an_unforeseen_import_while_a_plug_in_is_loaded(code: Path) -> None:
    _write(code, {"aid.py": "", "plug.py": DYNAMIC + "import_module('a' + 'id')"})
    with pytest.raises(UsageError, match=UNFORESEEN):
        find_extractor("plug:text")


@pytest.mark.parametrize(
    ("source", "files"),
    [
        (
            DYNAMIC + "def text(html):\n    return import_module('aid').N",
            {"aid.py": "N = ''"},
        ),
        (
            "import sys\ndef text(html):\n    sys.path.insert(0, sys.path[0] + '/lib')\n"
            "    import aid\n    return ''",
            {"lib/aid.py": ""},
        ),
        (
            "from first import text",
            {"first.py": "def text(x):\n    __import__('ai' + 'd')", "aid.py": ""},
        ),
    ],
)
def test_an_unforeseen_import_on_a_page_is_no_failure_of_the_page(
    code: Path, monkeypatch: pytest.MonkeyPatch, source: str, files: dict[str, str]
) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    _write(code, {"plug.py": source, **files})
    with pytest.raises(UsageError, match=UNFORESEEN):
        extracted(find_extractor("plug:text"), "<p>one")
    assert importlib.import_module("aid")  # code other than the plug-in's may import it


ZIPPED = {
    "plug.py": "import aid\ndef text(html):\n    return aid.N",
    "aid.py": "N = 'a'",
}


@pytest.mark.parametrize(
    ("archived", "beside", "changed"),
    [
        (ZIPPED, {}, {**ZIPPED, "plug.py": "def text(html):\n    return 'other'"}),
        (ZIPPED, {}, {**ZIPPED, "aid.py": "N = 'b'"}),
        ({"plug.py": ZIPPED["plug.py"]}, {"aid.py": "N = 'a'"}, {"aid.py": "N = 'b'"}),
        (
            {"plug/__init__.py": "import aid"},
            {"aid.py": "N = 'a'"},
            {"aid.py": "N = 'b'"},
        ),
    ],
)
def test_a_plug_in_in_a_zip_is_known_by_its_sources(
    code: Path,
    monkeypatch: pytest.MonkeyPatch,
    archived: dict[str, str],
    beside: dict[str, str],
    changed: dict[str, str],
) -> None:
    archive = code / "z.zip"
    monkeypatch.syspath_prepend(archive)
    _write(archive, archived)
    _write(code, beside)
    before = extractor_identity("plug:text")
    assert extractor_identity("plug:text") == before
    _write(code if beside else archive, changed)
    assert extractor_identity("plug:text") != before


def test_an_unforeseen_import_of_a_plug_in_in_a_zip(
    code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(code / "z.zip")
    _write(code / "z.zip", {"plug.py": DYNAMIC + "import_module('a' + 'id')"})
    _write(code, {"aid.py": ""})
    with pytest.raises(UsageError, match=UNFORESEEN):
        find_extractor("plug:text")


def test_a_store_is_not_taken_for_one_of_a_changed_helper(
    code: Path, tmp_path: Path
) -> None:
    _write(code, {"plug.py": "import aid\ndef text(html):\n    return aid.N * 'a '"})
    _write(code, {"aid.py": "N = 3", "../pages/a.html": "<p>one two"})
    options = Segmentation(extractors=["plug:text"])
    for _ in range(2):
        segment_collection(tmp_path / "pages", tmp_path / "store", options, workers=1)
    _write(code, {"aid.py": "N = 5"})
    with pytest.raises(
        StoreError, match=r"texts plug:text was plug:text .*, is plug:text"
    ):
        segment_collection(tmp_path / "pages", tmp_path / "store", options, workers=1)


_FRESH = """
import sys
from boilersweep.extractors.plugins import guard

guard("plug")
sys.modules.pop("quopri", None)
import quopri
"""


def test_a_first_import_behind_the_guard_is_one_of_python_itself(code: Path) -> None:
    """In a new process, where Python's own folders are not known yet: 3.13 imports to tell them."""
    _write(code, {"plug.py": ""})
    python("-c", _FRESH, env={"PYTHONPATH": str(code)})
