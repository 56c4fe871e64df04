"""boilersweep.export: one function, also where the package of that name is imported first."""

import gzip
import json
from pathlib import Path

import pytest

from boilersweep import OutputError, StoreError, UsageError, segment_collection
from tests.running import python

WORDS = "One two three four five six seven."


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "pages").mkdir()
    for name in "ab":
        page = f"<nav>Home</nav><p>{WORDS} {name}</p>"
        (tmp_path / "pages" / f"{name}.html").write_text(page)
    segment_collection(tmp_path / "pages", tmp_path / "store", workers=1)
    return tmp_path / "store"


def texts(folder: Path) -> list[str]:
    data = b"".join(
        gzip.decompress(file.read_bytes()) for file in sorted(folder.glob("*.gz"))
    )
    return [json.loads(line)["contents"] for line in data.decode().splitlines()]


@pytest.mark.parametrize(
    "first",
    [
        "",
        "import boilersweep.export",
        "from boilersweep.export.export import export_store",
        "boilersweep.ExportOptions()",
    ],
)
def test_the_name_is_the_function(store: Path, tmp_path: Path, first: str) -> None:
    script = (
        f"import boilersweep; {first}\n"
        "for _ in range(2):\n"
        "    print(boilersweep.export('store', 'words>=3', 'out').documents)\n"
        "from boilersweep import export\n"
        "export('store', ['words>=1', 'bte'], 'both')\n"
    )
    assert python("-c", script, cwd=tmp_path).stdout
    assert texts(tmp_path / "out" / "words-003") == [f"{WORDS} a", f"{WORDS} b"]
    assert sorted(
        path.name for path in (tmp_path / "both").glob("[!.]*") if path.is_dir()
    ) == [
        "bte",
        "words-001",
    ]


def test_it_may_be_repeated(store: Path, tmp_path: Path) -> None:
    from boilersweep import export

    first = export(store, "words>=3", tmp_path / "out")
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.gz")}
    assert export(store, "words>=3", str(tmp_path / "out")) == first
    assert files == {path: path.stat().st_mtime_ns for path in files}
    with pytest.raises(OutputError):
        export(store, "words>=4", tmp_path / "out")
    export(store, "words>=4", tmp_path / "out", overwrite=True)
    with pytest.raises(UsageError):
        export(store, "lerned", tmp_path / "more")
    with pytest.raises(StoreError):
        export(tmp_path / "none", "words>=3", tmp_path / "more")
