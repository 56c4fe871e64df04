"""A tiny collection with gold texts, whose matches and lengths are counted by hand."""

import json
from pathlib import Path

import pytest

from boilersweep import BlockStore, Segmentation, segment_collection

FOX = "the quick brown fox saw a zebra today here"
PAGES = {
    # 4 blocks of 2, 1, 9 and 2 words. Without stop words 2, 1, 7 and 2 tokens; 2, 1, 1, 0 zebras.
    "menu": "<title>The menu</title><p>zebra zebras</p><p>Zebra!</p>"
    f"<p>{FOX}</p><p>nothing here</p>",
    # 2 blocks of 1 and 9 words; 1 and 8 tokens; 0 and 1 zebras.
    "body": "<p>nothing</p><p>two zebras walked along the long river bank slowly</p>",
    # 1 block of 10 words; 7 tokens; 1 zebra, 1 otter.
    "plain": "<p>an otter and a zebra swam all day long together</p>",
    # 1 block of 2 words; 2 tokens; 1 zebra.
    "short": "<p>zebra crossing</p>",
}
GOLD = {"menu": FOX, "body": "two zebras walked along the long river bank slowly"}


@pytest.fixture(scope="session")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> BlockStore:
    folder = tmp_path_factory.mktemp("zoo")
    for name, texts in (("pages", PAGES), ("gold", GOLD)):
        lines = [
            json.dumps({"id": docid, "contents": text}) for docid, text in texts.items()
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), "utf-8")
    return segment_collection(
        folder / "pages.jsonl",
        folder / "store",
        Segmentation(collection="jsonl", given={"gold": Path(folder / "gold.jsonl")}),
        workers=1,
    )
