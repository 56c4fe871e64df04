"""Tiny datasets in every layout."""

import hashlib
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


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files, by their paths below a folder, which is returned."""
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(
            content.encode() if isinstance(content, str) else content
        )
    return root


def mark(page: str, **classes: str) -> str:
    """Put annotators' spans around some texts: sel1="text" for class 1."""
    for name, text in classes.items():
        page = page.replace(text, f'<span class="x-nc-{name}">{text}</span>')
    return page


@pytest.fixture
def l3s(tmp_path: Path) -> Path:
    """Two pages: one with a story and comments, one with related links."""
    a = f"<html><body>{NAVIGATION}<h1>Pony news</h1><p>{STORY}</p><p>Nice one</p></body>"
    b = f"<html><body>{NAVIGATION}<p>Short<br><b>bold</b> text</p><p><a>Other ponies</a></p>"
    return write(
        tmp_path,
        {
            "l3s/original/a.html": a,
            "l3s/original/b.html": b,
            "l3s/annotated/a.html": mark(
                a, sel1="Pony news", sel2=STORY, sel5="Nice one", sel0="Home"
            ),
            "l3s/annotated/b.html": mark(
                b, sel2="Short<br><b>bold</b> text", sel4="<a>Other ponies</a>"
            ),
            "l3s/url-mapping.txt": "<urn:uuid:a>\thttp://www.pony.co.uk/1\n"
            "<urn:uuid:b>\thttp://news.pony.co.uk/2\n",
        },
    )


@pytest.fixture
def cleaneval(tmp_path: Path) -> Path:
    """Two pages; the second gold text has no URL line and is in windows-1252."""
    page = '<text id="http://www.{host}/x" title="t" encoding="{label}">\n<html><p>{text}</text>\n'
    second = page.format(host="two.example", label="iso-8859-1", text="caf\xe9 open")
    gold = f"\ufeffURL: http://elsewhere.example/\r\n\r\n<h>Pony\r\n<P>{STORY}</p>\r\n<l>1 < 2"
    return write(
        tmp_path,
        {
            "input/2.html": page.format(host="one.example", label="unset", text=STORY),
            "input/10.html": second.encode("latin-1"),
            "GoldStandard/2.txt": gold,
            "GoldStandard/10.txt": "<p>caf\xe9 open".encode("cp1252"),
        },
    )


@pytest.fixture
def write_wcxb(tmp_path: Path) -> WriteWcxb:
    """Return a writer of a split of WCXB: name -> (page, ground truth), and its metadata."""

    def write_split(
        pages: Mapping[str, tuple[str, object]], metadata: object = None
    ) -> Path:
        for name, (page, truth) in pages.items():
            text = truth if isinstance(truth, str) else json.dumps(truth)
            write(
                tmp_path / "dev",
                {f"html/{name}.html": page, f"ground-truth/{name}.json": text},
            )
        if metadata is not None:
            write(tmp_path, {"metadata.json": json.dumps(metadata)})
        return tmp_path

    return write_split


@pytest.fixture
def snippets(tmp_path: Path) -> Path:
    """Two pages with strings: a German one, and one that says nothing of its language."""
    lines: list[dict[str, object]] = [
        {
            "name": "a",
            "url": "https://www.pony.de/1",
            "language": "de",
            "with": ["pony crossed"],
            "without": ["Home", "News"],
        },
        {
            "name": "b",
            "language": "?",
            "with": ["bold text", "more"],
            "without": ["Home"],
        },
    ]
    return write(
        tmp_path / "snippets",
        {
            "html/a.html": f"{NAVIGATION}<p>{STORY}</p>",
            "html/b.html": f"{NAVIGATION}<p>Short<br><b>bold</b> text</p>",
            "snippets.jsonl": "".join(f"{json.dumps(line)}\n" for line in lines),
        },
    )


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    """Two pages that people marked, the second one in windows-1252."""
    pages = {
        "a": (f"{NAVIGATION}<h1>Pony <b>n</b>ews</h1><p>{STORY}".encode(), None),
        "b": ("<p>caf\xe9 open</p><p>Other ponies".encode("cp1252"), "windows-1252"),
    }
    blocks = {
        "a": [
            ("not content", "Home"),
            ("not content", "News"),
            ("headline", "Pony news"),
            ("full text", STORY),
        ],
        "b": [("full text", "caf\xe9 open"), ("related", "Other ponies")],
    }
    files: dict[str, str | bytes] = {}
    for name, (body, charset) in pages.items():
        digest = hashlib.sha256(body).hexdigest()
        marks = {"page": digest, "docid": name, "url": f"http://{name}.example/"}
        marked = {**marks, "charset": charset, "blocks": blocks[name]}
        files[f"html/{name}.html"] = body
        files[f"marks/{name}.json"] = json.dumps(marked)
    return write(tmp_path / "marked", files)


def web_line(track_id: object, html: str, main: str = "", **more: object) -> str:
    """Return a line of WebMainBench."""
    fields = {"track_id": track_id, "html": html, "convert_main_content": main, **more}
    return json.dumps(fields) + "\n"


@pytest.fixture
def webmainbench(tmp_path: Path) -> Path:
    """Two pages, with the annotators' marks, and a line of each kind that cannot be used."""
    nav = '<ul><li><a href="/">Home ponies</a></ul>'
    head = f'<html><meta charset=gbk><body>{nav}<h1 cc-select="true">Poný</h1>'
    one = f'{head}<p cc-select="true">{STORY}'
    two = f"<body>{nav}<p>{STORY} <a href=/x>and more</a> of it</p>"
    meta = {"language": "en", "level": "hard", "style": "Article"}
    lines = [
        web_line("b", two, "", groundtruth_content=f"{STORY} and more of it"),
        web_line(
            "a", one, f"# Poný\n\n{STORY}\n", url="https://pony.example/1", meta=meta
        ),
        web_line("a", one, "again"),
        web_line("", one, "no name"),
        web_line(7, one, "a number"),
        '{"track_id": "c"}\n',
        "no json\n",
        "\n",
        web_line("\ud800", "<p>x", "y\udfff"),
    ]
    return write(tmp_path, {"wmb/WebMainBench_9.jsonl": "".join(lines)}) / "wmb"
