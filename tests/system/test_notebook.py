"""The notebook runs from its first cell to its last."""

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "scripts" / "pages_to_report.ipynb"

pytestmark = [pytest.mark.java, pytest.mark.slow]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [
        output.get("data", {}).keys()
        for cell in notebook.cells
        for output in cell.get("outputs", ())
    ]
    assert any("text/html" in data for data in shown)
    assert any("image/png" in data for data in shown)
    assert list(tmp_path.rglob("report.html"))
