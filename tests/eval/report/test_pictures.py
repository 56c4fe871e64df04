"""Pictures of pages in a report, of boxes given by hand: no browser is needed."""

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boilersweep import Segmentation, segment_collection
from boilersweep.eval.report.page import render
from boilersweep.eval.report.pictures import (
    MOST_BOXES,
    WIDTH,
    Picture,
    draw_picture,
    gather_pictures,
    pack_pictures,
    picture_of,
)
from boilersweep.eval.study.results import Study
from boilersweep.outputs.folder import OutputFolder
from boilersweep.pages.boxes import Drawn, nothing
from boilersweep.store.box_files import (
    BOXES,
    BOXES_MANIFEST,
    COUNTED,
    BoxFacts,
    blocks_digest,
    boxes_name,
    things,
    write_boxes,
)
from boilersweep.store.shard import read_facts
from boilersweep.store.store import BlockStore, open_store
from tests.eval.report.conftest import ReadHtml

Pixels = tuple[int, int, int, int]


def blocks(*boxes: Pixels) -> Drawn:
    """Blocks at left, top, right, bottom, all of them seen."""
    left, top, right, bottom = np.array(boxes, dtype=np.int64).reshape(-1, 4).T
    seen = np.ones(len(boxes), dtype=bool)
    return replace(
        nothing(len(boxes)),
        left=left,
        top=top,
        right=right,
        bottom=bottom,
        shown=seen,
        matched=seen.copy(),
    )


def unpacked(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(text)))
    return found


@pytest.fixture
def pictures() -> dict[str, Picture | None]:
    """Of the pages in the evidence of conftest.py, three blocks each."""
    drawn = blocks((0, 0, 1280, 40), (0, 40, 640, 80), (640, 40, 1280, 80))
    two = draw_picture(drawn, 100, {"words>=1": "111", "bte": "010"})
    return {"d2": two, "d1": None}


def test_blocks_stand_where_the_browser_drew_them() -> None:
    drawn = blocks((0, 0, 1280, 40), (10, 41, 639, 80))
    picture = draw_picture(drawn, 401, {"words>=1": "111", "bte": "010"})
    # Four pixels to a unit, outwards; the third 0 or 1 is of an extractor's text.
    assert picture.boxes == ((0, 0, 320, 10), (2, 10, 160, 20))
    assert picture.height == 101
    assert picture.kept == {"words>=1": (2, "11"), "bte": (1, "01")}
    assert (picture.blocks, picture.unseen, picture.outside, picture.small) == (2, 0, 0, 0)


def test_what_is_not_in_the_picture_is_counted() -> None:
    drawn = blocks(
        (0, 0, 9, 9), (0, 6001, 9, 6020), (1281, 0, 1300, 9), (0, 9, 9, 18), (0, 5998, 2000, 7000)
    )
    drawn.shown[3] = False
    picture = draw_picture(drawn, 9000, {"words>=1": "11111", "bte": "00001"})
    assert picture.boxes == ((0, 0, 3, 3), (0, 1499, WIDTH, 1500))
    assert (picture.unseen, picture.outside, picture.small) == (1, 2, 0)
    assert picture.kept["bte"] == (1, "01")


def test_a_page_of_thousands_of_blocks_stays_small(
    study: Study, evidence: list[dict[str, Any]]
) -> None:
    # 1,000 rows of four cells as a table has, the last cell of which is kept, in 6,000 pixels.
    cells = [
        (n * 320, row * 6, n * 320 + 300, row * 6 + 5) for row in range(1000) for n in range(4)
    ]
    mask = "0001" * 1000
    picture = draw_picture(blocks(*cells), 6000, {"words>=1": "1" * 4000, "bte": mask})
    assert picture.merged
    assert len(picture.boxes) == MOST_BOXES
    assert picture.small == 4000 - MOST_BOXES
    assert picture.kept["bte"][0] == 1000
    assert len(pack_pictures(study, evidence, {"d2": picture}, most=100_000)) < 5000


def test_neighbours_of_one_fate_become_one_where_there_are_too_many() -> None:
    lines = [(0, 8 * n, 400, 8 * n + 8) for n in range(500)]
    fate = "1" * 300 + "0" * 200
    picture = draw_picture(blocks(*lines), 4000, {"words>=1": "1" * 500, "bte": fate})
    assert picture.boxes == ((0, 0, 100, 600), (0, 600, 100, 1000))
    assert picture.kept == {"words>=1": (500, "11"), "bte": (300, "10")}
    assert (picture.merged, picture.small) == (True, 0)
    few = draw_picture(blocks(*lines[:20]), 4000, {"words>=1": "1" * 20, "bte": "1" * 20})
    assert (len(few.boxes), few.merged) == (20, False)


@pytest.mark.slow
def test_the_page_holds_pictures_that_are_not_readable_as_html(
    study: Study,
    evidence: list[dict[str, Any]],
    pictures: dict[str, Picture | None],
    read_html: ReadHtml,
) -> None:
    evidence[0]["topics"][0]["documents"][0]["docid"] = "d1"
    page = render(study, evidence, pictures=pictures)
    elements = read_html(page)
    found = unpacked(elements.scripts["picture-data"])
    assert found["d1"] is None
    assert found["d2"]["boxes"] == [0, 0, 320, 10, 0, 10, 160, 10, 160, 0, 160, 10]
    assert found["d2"]["kept"] == {"0": [3, "111"], "1": [1, "010"]}
    assert "evidence-data" in elements.scripts
    script = elements.scripts["script-5"]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "picture-data" in script
    assert f"sha256-{digest}" in page


def test_without_boxes_nothing_of_it_is_in_the_page(page: str) -> None:
    assert "picture" not in page.lower().split("<script>")[0]
    assert "picture-data" not in page


def test_pictures_that_do_not_fit_are_left_out(
    study: Study, evidence: list[dict[str, Any]], pictures: dict[str, Picture | None]
) -> None:
    assert list(unpacked(pack_pictures(study, evidence, pictures, most=10_000))) == ["d2"]
    assert unpacked(pack_pictures(study, evidence, pictures, most=40)) == {}


@pytest.mark.slow
def test_evidence_and_pictures_share_the_room(study: Study, evidence: list[dict[str, Any]]) -> None:
    """Far more of both than the page may have."""
    rng = np.random.default_rng(1)
    base = evidence[0]["pages"]["d2"]
    document = evidence[0]["topics"][0]["documents"][1]
    many: dict[str, Picture | None] = {}
    documents = []
    for n in range(1200):
        docid = f"d{n}"
        corners = rng.integers(0, 1200, (MOST_BOXES, 2))
        boxes = np.concatenate([corners, corners + rng.integers(8, 80, corners.shape)], axis=1)
        kept = {"words>=1": "1" * MOST_BOXES, "bte": "0" * MOST_BOXES}
        many[docid] = draw_picture(blocks(*map(tuple, boxes.tolist())), 1280, kept)
        noise = [hashlib.sha256(bytes([n % 256, n // 256, k])).hexdigest() for k in range(100)]
        evidence[0]["pages"][docid] = {**base, "texts": noise, "kept": ["1" * 100] * 2}
        documents.append({**document, "docid": docid})
    evidence[0]["topics"][0]["documents"] = documents
    page = render(study, evidence, pictures=many)
    assert 4_000_000 < len(page.encode()) < 5_000_000
    packed = page.partition('id="picture-data">')[2].partition("<")[0]
    assert 200_000 < len(packed) < 700_000
    # Both begin with the same pages.
    assert list(unpacked(packed))[:3] == ["d0", "d1", "d2"]


@pytest.fixture
def rendered(tmp_path: Path) -> BlockStore:
    """Return a store of two shards, drawn by hand: each block below the last, page b2 not."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for name in "ab":
        lines = [json.dumps({"id": f"{name}{n}", "html": "<p>one two<p>three"}) for n in (1, 2)]
        (pages / f"{name}.jsonl").write_text("\n".join(lines), "utf-8")
    store = segment_collection(pages, tmp_path / "store", Segmentation(), workers=1)
    names = list(_boxes_by_hand(store))
    shards = {one["file"]: one["blocks_sha256"] for one in store.manifest.shards}
    said = {**dict.fromkeys(COUNTED, 0), "undrawn": {}, "places": [], "shards": shards}
    OutputFolder(store.path, BOXES).seal(said, {}, names)
    return open_store(store.path)


def _rows_by_hand(shard: BlockStore) -> Iterator[dict[str, Any]]:
    for columns in shard.columns(frozenset({"structure"})):
        assert columns.structure
        counts = np.diff(columns.structure.starts)
        for docid, count in zip(columns.docids, counts, strict=True):
            drawn = docid != "b2"
            here = blocks((0, 0, 400, 40), (0, 40, 400, 80)) if drawn else nothing(2)
            yield {
                "docid": docid,
                "outcome": "" if drawn else "over the time cap",
                "width": 1280 * drawn,
                "height": 80 * drawn,
                **things("blocks", here),
                **things("elements", nothing(int(count))),
                **things("rules", nothing(0)),
                "rules:element": [],
            }


def _boxes_by_hand(store: BlockStore) -> Iterator[str]:
    for name, shard in store.by_shard():
        path = store.path / boxes_name(name)
        facts = BoxFacts(blocks_digest(read_facts(store.path / name)), {})
        write_boxes(path, _rows_by_hand(shard), facts)
        yield path.name


def _of_pages(*docids: str) -> list[dict[str, Any]]:
    pages = {docid: {"kept": ["11", "01"]} for docid in docids}
    return [{"cleaners": ["words>=1", "words>=2"], "pages": pages}]


def test_boxes_beside_a_store_become_pictures(rendered: BlockStore) -> None:
    pictures = gather_pictures(rendered, _of_pages("a2", "b1", "b2"))
    assert list(pictures) == ["a2", "b1", "b2"]
    assert pictures["b2"] is None
    assert pictures["a2"] == pictures["b1"]
    assert pictures["a2"]
    assert pictures["a2"].boxes == ((0, 0, 100, 10), (0, 10, 100, 20))
    assert pictures["a2"].kept == {"words>=1": (2, "11"), "words>=2": (1, "01")}


def test_picture_of_one_page_is_the_same(rendered: BlockStore) -> None:
    kept = {"words>=1": "11", "words>=2": "01"}
    shards = [shard for _, shard in rendered.by_shard()]
    found = [picture_of(shard, "a2", kept) for shard in shards]
    assert [one for one in found if one] == [gather_pictures(rendered, _of_pages("a2"))["a2"]]
    (rendered.path / BOXES_MANIFEST).unlink()
    [_, bare], *_ = open_store(rendered.path).by_shard()
    assert picture_of(bare, "a2", kept) is None


def test_only_shards_that_have_such_a_page_are_read(rendered: BlockStore) -> None:
    (rendered.path / boxes_name(rendered.manifest.shards[1]["file"])).unlink()
    assert list(gather_pictures(rendered, _of_pages("a1"))) == ["a1"]


def test_a_store_without_boxes_gives_no_pictures(rendered: BlockStore) -> None:
    (rendered.path / BOXES_MANIFEST).unlink()
    assert gather_pictures(open_store(rendered.path), _of_pages("a1")) == {}
