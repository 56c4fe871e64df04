"""The inputs of an experiment, as they are and with one thing changed, at one place."""

import os
import shutil
from pathlib import Path

AS_IS, TOPICS, INPUT = "nothing", "topics", "an input file is gone"
VERSIONS = (AS_IS, TOPICS, INPUT)

# One of these is in the message where a change is refused.
SAYS = {TOPICS: ("topics",), INPUT: ("input file",)}

_PAGES, _TOPICS, _QRELS = "pages", "topics.txt", "qrels.txt"


class Inputs:
    """A folder of inputs that can be exchanged as a whole for a version of it."""

    def __init__(self, work: Path, pages: Path, topics: Path, qrels: Path) -> None:
        self._folder = work / "inputs"
        self._kept = work / "versions"
        self._is = AS_IS
        for version in VERSIONS:
            folder = self._kept / version
            if pages.is_dir():
                shutil.copytree(pages, folder / _PAGES, copy_function=os.link)
            else:
                (folder / _PAGES).mkdir(parents=True)
                os.link(pages, folder / _PAGES / pages.name)
            shutil.copy(topics, folder / _TOPICS)
            shutil.copy(qrels, folder / _QRELS)
        _shorten(self._kept / TOPICS / _TOPICS)
        _remove_one(self._kept / INPUT / _PAGES)
        (self._kept / AS_IS).rename(self._folder)

    @property
    def arguments(self) -> list[str]:
        """Of a sweep over them; the same for all versions."""
        return [
            "--input",
            str(self._folder / _PAGES),
            "--topics",
            str(self._folder / _TOPICS),
            "--qrels",
            str(self._folder / _QRELS),
            "--cleaners",
            "learned",
        ]

    def become(self, version: str) -> None:
        """Exchange them."""
        if version != self._is:
            self._folder.rename(self._kept / self._is)
            (self._kept / version).rename(self._folder)
            self._is = version


def _shorten(topics: Path) -> None:
    """Leave out the last topic, of whatever format."""
    text = topics.read_text().rstrip()
    mark = "<top>" if "<top>" in text else "\n"
    topics.write_text(text[: text.rindex(mark)] + "\n")


def _remove_one(pages: Path) -> None:
    """Remove the second largest file: one with pages, and not all of them."""
    files = sorted(
        (p for p in pages.rglob("*") if p.is_file()), key=lambda p: p.stat().st_size
    )
    if len(files) < 2:
        raise SystemExit(
            f"{pages}: expected two files or more, to go on without one of them"
        )
    files[-2].unlink()
