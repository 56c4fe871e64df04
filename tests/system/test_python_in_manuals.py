"""The Python in the manuals runs as it stands there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boilersweep.demo.collection import write_demo

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "src/boilersweep/README.md", "src/boilersweep/cleaning/README.md")
PAGE = (
    "<nav>Home | News</nav>"
    + "<p>Ten words stand in it, and then there are more of them.</p>" * 5
)

# Marks of pieces that need another library; tests of their own run them where it is installed.
OTHERS = (
    "from datatrove",
    "pages.map(",
    "boilersweep.cleaning.pyterrier",
    "import pyterrier",
)

_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pieces() -> Iterator[Any]:
    for page in PAGES:
        for number, code in enumerate(
            _PYTHON.findall((ROOT / page).read_text("utf-8")), start=1
        ):
            if any(mark in code for mark in OTHERS):
                continue
            marks = pytest.mark.java if "run_sweep" in code else ()
            yield pytest.param(code, id=f"{page} {number}", marks=marks)


@pytest.mark.application("learned")
@pytest.mark.slow
@pytest.mark.parametrize("code", list(pieces()))
def test_a_piece_of_python_runs(
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").write_text(PAGE)
    demo = write_demo(tmp_path / "demo")
    for name, path in (
        ("PAGES", demo.trec),
        ("TOPICS", demo.topics),
        ("QRELS", demo.qrels),
    ):
        (tmp_path / name).symlink_to(path)
    exec(compile(code, "manual", "exec"), {"__name__": "__main__"})  # noqa: S102
    assert capsys.readouterr().out.strip()


def test_each_manual_has_some() -> None:
    names = {param.id.split()[0] for param in pieces()}
    assert names == set(PAGES)
