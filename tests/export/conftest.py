"""A small store of two shards, and how to read what is exported from it."""

import gzip
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from boilersweep import BlockStore, Segmentation, segment_collection
from boilersweep.export.export import EXPORT

Lines = Callable[[Path], list[dict[str, Any]]]

# A document of each kind: of blocks of several lengths, with a title and a URL; of signs that
# formats escape, and of characters beyond the BMP; of a short block alone; without a word.
SIGNS = 'tags <b>, </DOC> & "quotes" \\ 😀👩 é\u2028x stand here for six'
PAGES = {
    "a": "<title>Of &amp; ponies</title><p>menu<p>one two three four five six seven<p>eight nine"
    "<p>" + " ".join(f"w{n}" for n in range(12)),
    "b": f"<p>{SIGNS.replace('&', '&amp;').replace('<', '&lt;')}",
    "c": "<p>short",
    "d": "<p>... ---",
    "http://e/?x=1&y=2#z": "<title></title><p>another page of more than five words",
}
URLS = {"a": "http://site.example/a"}
GOLD = {"a": "gold of a\n\nsecond line", "c": "...", "b": "gold of b"}


def small_store(
    folder: Path,
    pages: Mapping[str, str],
    *shards: Iterable[str],
    options: Segmentation | None = None,
) -> BlockStore:
    (folder / "pages").mkdir()
    for number, names in enumerate(shards):
        lines = [
            json.dumps({"id": name, "contents": pages[name], "url": URLS.get(name)})
            for name in names
        ]
        (folder / "pages" / f"{number}.jsonl").write_text("\n".join(lines))
    return segment_collection(folder / "pages", folder / "store", options, workers=1)


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> BlockStore:
    """Five documents in two shards, with a text beside the blocks, `gold`."""
    folder = tmp_path_factory.mktemp("export")
    gold = [json.dumps({"id": name, "contents": text}) for name, text in GOLD.items()]
    (folder / "gold.jsonl").write_text("\n".join(gold))
    names = list(PAGES)
    options = Segmentation(collection="jsonl", given={"gold": folder / "gold.jsonl"})
    return small_store(folder, PAGES, names[:3], names[3:], options=options)


def exported_files(folder: Path) -> list[Path]:
    """Return the files in the folder of a cleaner, in the order of the store."""
    listed = EXPORT.require(folder.parent).parts
    return [
        folder.parent / name for name in listed if name.startswith(f"{folder.name}/")
    ]


@pytest.fixture(scope="session")
def lines() -> Lines:
    def read(folder: Path) -> list[dict[str, Any]]:
        return [
            json.loads(line)
            for path in exported_files(folder)
            for line in gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]
        ]

    return read
