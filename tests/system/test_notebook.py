"""The notebooks run from their first cell to their last, and keep small outputs."""

from pathlib import Path

import pytest

from tests.running import QUICK_JAVA

NOTEBOOKS = sorted(
    (Path(__file__).parents[2] / "scripts" / "notebooks").glob("*.ipynb")
)

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.application("learned")]

# Before the first cell: a smaller collection will do.
FIRST = """
from functools import partial
from boilersweep.demo import collection
collection.write_demo = partial(collection.write_demo, pages=240)
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_keeps(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    for name, value in QUICK_JAVA.items():
        monkeypatch.setenv(name, value)
    assert path.stat().st_size < 200_000
    notebook = nbformat.read(path, as_version=4)
    kept = shown(notebook)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FIRST))
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    assert shown(notebook) == kept
    chart = ("application/vnd.vegalite.v5+json", "image/svg+xml", "text/plain")
    assert chart in kept


def shown(notebook: object) -> list[tuple[str, ...]]:
    """Return the types of what each cell shows, without progress."""
    return [
        tuple(sorted(output["data"]))
        for cell in notebook.cells  # type: ignore[attr-defined]
        for output in cell.get("outputs", ())
        if "data" in output
        and (output["output_type"], [*output["data"]])
        != ("display_data", ["text/plain"])
    ]
