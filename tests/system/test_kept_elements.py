"""A gate: how much the shipped model keeps of each kind of element, and leaves of boilerplate.

`kept_elements.json` has the figures. A change that lowers one says so by pinning it anew:
BOILERSWEEP_PIN=1 pytest tests/system/test_kept_elements.py
"""

import os
import tarfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import kept_elements
import pytest

from boilersweep.demo.languages import write_languages

FLOORS = Path(__file__).with_name("kept_elements.json")
PINS = bool(os.environ.get("BOILERSWEEP_PIN"))


def gate(name: str, *arguments: str) -> None:
    pin = ["--floors", str(FLOORS), "--pinned-as", name, *["--update"] * PINS]
    assert kept_elements.main([*arguments, *pin]) == 0


def unpacked(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive, "r:xz") as packed:
        packed.extractall(folder, filter="data")
    return folder


def test_pages_of_the_demo(tmp_path: Path) -> None:
    write_languages(tmp_path)
    gate("demo", "--dataset", f"folder={tmp_path}", "--cleaners", "learned")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "archive", "inside"),
    [
        ("wcxb", "wcxb-dev.tar.xz", "."),
        ("cleaneval", "cleaneval.tar.xz", "cleaneval-final"),
        ("l3s-gn1", "l3s-gn1.tar.xz", "."),
    ],
)
def test_real_pages(
    name: str, archive: str, inside: str, tmp_path: Path, outside_data: Callable[[str], Path]
) -> None:
    folder = unpacked(outside_data(archive), tmp_path) / inside
    gate(name, "--dataset", f"{name}={folder}", "--most", "100", "--cleaners", "learned")


@pytest.mark.slow
def test_comments(tmp_path: Path, outside_data: Callable[[str], Path]) -> None:
    """Pages with comments, whose gold has them, as the switch keeps them."""
    home = unpacked(outside_data("comments.tar.xz"), tmp_path) / "comments"
    (home / "text").mkdir()
    for comments in (home / "comments").iterdir():
        if text := comments.read_text(encoding="utf-8-sig"):
            main = (home / "main" / comments.name).read_text(encoding="utf-8-sig")
            (home / "text" / comments.name).write_text(f"{main}\n{text}", encoding="utf-8")
    pages = ["--dataset", f"folder={home}"]
    gate("comments", *pages, "--cleaners", "learned(comments=yes)")


def test_worse_figures_fail_until_they_are_pinned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "floors.json"
    gold, wrong = Counter({"h1": 100, "lists": 0}), Counter({"comments": 5})
    found = kept_elements.figures(gold, Counter({"h1": 80}), wrong)
    assert found["kept"] == {"h1": 0.8}
    (missing,) = kept_elements.check_floors(path, "pages", found, update=False)
    assert "no figures of pages" in missing
    assert not kept_elements.check_floors(path, "pages", found, update=True)
    better = kept_elements.figures(gold, Counter({"h1": 90}), Counter())
    assert not kept_elements.check_floors(path, "pages", better, update=False)
    lower = kept_elements.figures(gold, Counter({"h1": 70}), Counter({"comments": 6}))
    told = [
        "h1: keeps 0.700 of the gold words, pinned 0.800",
        "comments: keeps 6 words wrongly, pinned 5",
    ]
    assert kept_elements.check_floors(path, "pages", lower, update=False) == told
    assert kept_elements.check_floors(path, "pages", lower, update=True) == told
    assert not kept_elements.check_floors(path, "pages", lower, update=False)
