"""Tiny datasets in every layout."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

NAVIGATION = "<ul><li><a href=/>Home</a><li><a href=/news>News</a></ul>"
STORY = "The pony crossed the river before the rain came down in the evening"


class WriteWcxb(Protocol):
    def __call__(
        self, pages: Mapping[str, tuple[str, object]], metadata: object = None
    ) -> Path: ...


@pytest.fixture
def l3s(tmp_path: Path) -> Path:
    """Two pages: one with a story and comments, one with related links."""
    home = tmp_path / "l3s"
    (home / "original").mkdir(parents=True)
    (home / "annotated").mkdir()
    plain = {
        "a": f"<html><body>{NAVIGATION}<h1>Pony news</h1><p>{STORY}</p><p>Nice one</p></body>",
        "b": f"<html><body>{NAVIGATION}<p>Short<br><b>bold</b> text</p><p><a>Other ponies</a></p>",
    }
    annotated = {
        "a": plain["a"]
        .replace("Pony news", '<span class="x-nc-sel1">Pony news</span>')
        .replace(STORY, f'<span class="x-nc-sel2">{STORY}</span>')
        .replace("Nice one", '<span class="x-nc-sel5">Nice one</span>')
        .replace("Home", '<SPAN class="x-nc-sel0">Home</SPAN>'),
        "b": plain["b"]
        .replace(
            "Short<br><b>bold</b> text", '<span class="x-nc-sel2">Short<br><b>bold</b> text</span>'
        )
        .replace("<a>Other ponies</a>", '<span class="x-nc-sel4"><a>Other ponies</a></span>'),
    }
    for name in plain:
        (home / "original" / f"{name}.html").write_text(plain[name])
        (home / "annotated" / f"{name}.html").write_text(annotated[name])
    (home / "url-mapping.txt").write_text(
        "<urn:uuid:a>\thttp://www.pony.co.uk/1\n<urn:uuid:b>\thttp://news.pony.co.uk/2\n"
    )
    return tmp_path


@pytest.fixture
def cleaneval(tmp_path: Path) -> Path:
    """Two pages; the second gold text has no URL line and is in windows-1252."""
    (tmp_path / "input").mkdir()
    (tmp_path / "GoldStandard").mkdir()
    page = '<text id="http://www.{host}/x" title="t" encoding="{label}">\n<html><p>{text}</text>\n'
    (tmp_path / "input" / "2.html").write_text(
        page.format(host="one.example", label="unset", text=STORY)
    )
    (tmp_path / "input" / "10.html").write_bytes(
        page.format(host="two.example", label="iso-8859-1", text="caf\xe9 open").encode("latin-1")
    )
    (tmp_path / "GoldStandard" / "2.txt").write_text(
        f"\ufeffURL: http://elsewhere.example/\r\n\r\n<h>Pony\r\n<P>{STORY}</p>\r\n<l>1 < 2"
    )
    (tmp_path / "GoldStandard" / "10.txt").write_bytes("<p>caf\xe9 open".encode("cp1252"))
    return tmp_path


@pytest.fixture
def write_wcxb(tmp_path: Path) -> WriteWcxb:
    """Return a writer of a split of WCXB: name -> (page, ground truth), and its metadata."""

    def write(pages: Mapping[str, tuple[str, object]], metadata: object = None) -> Path:
        home = tmp_path / "dev"
        (home / "html").mkdir(parents=True)
        (home / "ground-truth").mkdir()
        for name, (page, truth) in pages.items():
            (home / "html" / f"{name}.html").write_text(page)
            (home / "ground-truth" / f"{name}.json").write_text(
                truth if isinstance(truth, str) else json.dumps(truth)
            )
        if metadata is not None:
            (tmp_path / "metadata.json").write_text(json.dumps(metadata))
        return tmp_path

    return write


@pytest.fixture
def snippets(tmp_path: Path) -> Path:
    """Two pages with strings: a German one, and one that says nothing of its language."""
    home = tmp_path / "snippets"
    (home / "html").mkdir(parents=True)
    (home / "html" / "a.html").write_text(f"{NAVIGATION}<p>{STORY}</p>")
    (home / "html" / "b.html").write_text(f"{NAVIGATION}<p>Short<br><b>bold</b> text</p>")
    lines: list[dict[str, object]] = [
        {
            "name": "a",
            "url": "https://www.pony.de/1",
            "language": "de",
            "with": ["pony crossed"],
            "without": ["Home", "News"],
        },
        {"name": "b", "language": "?", "with": ["bold text", "more"], "without": ["Home"]},
    ]
    (home / "snippets.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return home
