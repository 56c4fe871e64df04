"""Progress in a notebook: one line for each cell, as Jupyter shows it and as nbconvert keeps it."""

import pytest

WORK = """
from boilersweep.work.progress import DocumentsBar, say, steps
for name in ("search", "verify"):
    with steps(name, 300, "topics") as bar:
        for _ in range(300):
            bar.update()
            bar.refresh()
bar = DocumentsBar("segment", 100)
for done in range(101):
    bar.show(done, done)
bar.close()
"""
NESTED = """
with steps("Around", 2, "parts") as outer:
    for _ in range(2):
        with steps("inner", 2, "documents") as inner:
            inner.update(2)
        outer.update()
        outer.refresh()
print("end")
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_each_cell_keeps_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "runs a notebook, for which nbclient and ipykernel are needed"
    nbformat = pytest.importorskip("nbformat", reason=reason)
    nbclient = pytest.importorskip("nbclient", reason=reason)
    pytest.importorskip("ipykernel", reason=reason)
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    cells = [nbformat.v4.new_code_cell(source) for source in (WORK, NESTED, "1 + 1")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    first, second, third = (cell["outputs"] for cell in notebook["cells"])
    [line] = first
    text = line["data"]["text/plain"]
    assert list(line["data"]) == ["text/plain"]
    assert text.startswith("segment: 100%|█")
    assert "100 documents" in text
    assert len(text.splitlines()) == 1
    line, printed = second
    assert line["data"]["text/plain"].startswith("Around: 100%|")
    assert "2/2" in line["data"]["text/plain"]
    assert printed["text"] == "end\n"
    assert [one["output_type"] for one in third] == ["execute_result"]
