"""The example of a retriever from elsewhere: passages to a run that `compare --runs` takes."""

import subprocess
import sys
from pathlib import Path

import pytest

from boilersweep.cleaners.variants import Variant
from boilersweep.eval.runs import read_run
from boilersweep.export.export import export_store
from boilersweep.export.options import ExportOptions
from boilersweep.export.passages import Passages
from boilersweep.segmenting.segment import Segmentation, segment_collection

SCRIPT = Path(__file__).parents[2] / "scripts" / "rank_passages.py"


@pytest.mark.slow
@pytest.mark.parametrize("dimensions", ["0", "3"])
def test_a_document_is_as_good_as_its_best_passage(tmp_path: Path, dimensions: str) -> None:
    pytest.importorskip("sklearn")
    bodies = {
        "long": "bread rises slowly " * 20 + "ponies eat grass today " * 2,
        "ponies": "ponies eat grass and ponies run",
        "bread": "bread rises slowly and bread bakes",
        "other": "trains leave early and trains arrive",
        "more": "trains run on rails",
    }
    (tmp_path / "pages").mkdir()
    for name, body in bodies.items():
        (tmp_path / "pages" / f"{name}.html").write_text(f"<p>{body}</p>")
    store = segment_collection(
        tmp_path / "pages", tmp_path / "store", Segmentation(collection="html"), workers=1
    )
    export_store(
        store,
        [Variant.at_least("words", 1)],
        tmp_path / "export",
        ExportOptions(passages=Passages(8)),
        workers=1,
    )
    (tmp_path / "topics.tsv").write_text("1\tponies grass\n2\tbread\n3\tnothing known\n")
    run = tmp_path / "run.trec"
    done = subprocess.run(
        [
            *(sys.executable, "-P", SCRIPT, tmp_path / "export" / "words-001"),
            *("--topics", tmp_path / "topics.tsv", "--output", run, "--dimensions", dimensions),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "of 5 documents, 3 topics" in done.stdout
    found = read_run(run)
    assert {docid for docid, _ in found["1"][:2]} == {"ponies", "long"}
    assert {docid for docid, _ in found["2"][:2]} == {"bread", "long"}
    assert len(found["2"]) == len({docid for docid, _ in found["2"]})
    assert "3" not in found
