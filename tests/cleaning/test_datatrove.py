"""The step of datatrove's pipelines, in the real one; skipped where that is not installed."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from boilersweep import UsageError, clean

data: Any = pytest.importorskip("datatrove.data", reason="datatrove is not installed")
ours: Any = pytest.importorskip("boilersweep.cleaning.datatrove")

LONG = "<p>menu<p>a paragraph of more than five words, <b>bold</b> ones"
PAGES = {
    "a": LONG,
    "b": "<p>menu",
    "c": "",
    "d": "<?xml version='1.0'?><p>é and 😀 in some words",
}


def extracted(step: Any, pages: dict[str, str]) -> dict[str, str]:
    documents = (data.Document(text=page, id=name) for name, page in pages.items())
    return {document.id: document.text for document in step.run(documents)}


@pytest.mark.parametrize("cleaner", ["words>=5", "learned", "cetr"])
def test_pages_are_cleaned_as_by_clean(cleaner: str) -> None:
    kept = {name: clean(page, cleaner) for name, page in PAGES.items()}
    found = extracted(ours.BoilersweepExtractor(cleaner), PAGES)
    assert found == {name: text for name, text in kept.items() if text}
    assert "a" in found


def test_a_page_that_cannot_be_cleaned_costs_no_other() -> None:
    pages = {"large": "<p>" + "x " * 9 * 2**20, **PAGES}
    step = ours.BoilersweepExtractor("words>=5")
    assert list(extracted(step, pages)) == ["a", "d"]
    assert step.stats["dropped"].total == 3


def test_a_cleaner_that_there_is_not_is_told_at_once() -> None:
    with pytest.raises(UsageError, match="nothing-known"):
        ours.BoilersweepExtractor("nothing-known")


def test_a_pipeline_on_two_processes(tmp_path: Path) -> None:
    pytest.importorskip(
        "orjson", reason="orjson, which datatrove reads JSON with, is not here"
    )
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    (tmp_path / "pages").mkdir()
    for number, names in enumerate((["a", "b"], ["c", "d"])):
        lines = [json.dumps({"id": name, "html": PAGES[name]}) for name in names]
        (tmp_path / "pages" / f"{number}.jsonl").write_text("\n".join(lines))
    step = pickle.loads(pickle.dumps(ours.BoilersweepExtractor("words>=5")))  # noqa: S301
    LocalPipelineExecutor(
        pipeline=[
            JsonlReader(str(tmp_path / "pages"), text_key="html"),
            step,
            JsonlWriter(str(tmp_path / "out"), compression=None),
        ],
        tasks=2,
        workers=2,
        logging_dir=str(tmp_path / "logs"),
    ).run()
    written = [
        json.loads(line)
        for path in sorted((tmp_path / "out").iterdir())
        for line in path.read_text().splitlines()
    ]
    assert {one["id"]: one["text"] for one in written} == {
        name: clean(PAGES[name], "words>=5") for name in "ad"
    }
