"""The files that a plug-in is known by: its package, or its folder."""

import importlib
from pathlib import Path
from zipfile import ZipFile

import pytest

from boilersweep import Segmentation, StoreError, segment_collection
from boilersweep.extractors.registry import (
    extractor_identity,
)
from boilersweep.plugins import plugin_sources


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
        ({"plug.py": ""}, {"plug/aid.py", "plug/plug.py"}),
        (
            {
                "plug/__init__.py": "import aid",
                "plug/in/one.py": "",
                "plug/data.txt": "",
            },
            {"plug/__init__.py", "plug/in/one.py", "plug/data.txt"},
        ),
        (
            {"plug/one.py": "", "plug/__pycache__/one.cpython-311.pyc": ""},
            {"plug/one.py"},
        ),
    ],
)
def test_a_plug_in_is_known_by_its_package_or_its_folder(
    code: Path, files: dict[str, str], covered: set[str]
) -> None:
    _write(code, {"aid.py": "N = 3", "data.json": "", "aids/__init__.py": "", **files})
    found = plugin_sources("plug")
    assert found.keys() == covered
    before = extractor_identity("plug.one:text")
    for path in found.values():
        with path.open("a") as file:
            file.write("\n# edited\n")
        after = extractor_identity("plug.one:text")
        assert after != before
        before = after
    _write(code, {"data.json": "{}", "aids/__init__.py": "N = 4"})
    assert extractor_identity("plug.one:text") == before


ZIPPED = {
    "plug.py": "import aid\ndef text(html):\n    return aid.N",
    "aid.py": "N = 'a'",
}


@pytest.mark.parametrize(
    ("archived", "changed"),
    [
        (ZIPPED, {**ZIPPED, "plug.py": "def text(html):\n    return 'other'"}),
        (ZIPPED, {**ZIPPED, "aid.py": "N = 'b'"}),
    ],
)
def test_a_plug_in_in_a_zip_is_known_by_its_sources(
    code: Path,
    monkeypatch: pytest.MonkeyPatch,
    archived: dict[str, str],
    changed: dict[str, str],
) -> None:
    archive = code / "z.zip"
    monkeypatch.syspath_prepend(archive)
    _write(archive, archived)
    before = extractor_identity("plug:text")
    assert extractor_identity("plug:text") == before
    _write(archive, changed)
    assert extractor_identity("plug:text") != before


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
