"""The manual: every folder with code has one, and all that it links, shows and names is there."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
TOPS = ("src", "indexer", "topics", "eval", "tests", "scripts")
CODE = {".py", ".pyx", ".sh", ".js", ".css", ".jinja"}
PICTURES = {".png", ".svg"}

_FENCED = re.compile(r"^ *(```|~~~)[^\n]*\n.*?^ *\1[ \t]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`((?:[^`\n]|\n(?!\n))+)`")
_LINK = re.compile(r"\]\(\s*([^()\s]+)\s*\)")
_ABROAD = re.compile(r"[a-z]+:")
_HEADING = re.compile(r"^#{1,6} +(.+?)[ #]*$", re.MULTILINE)
_FILE = re.compile(
    r"(?<![\w./*{-])(?:\.\./)*(?:[\w-]+/)*[\w-]+\.(?:py|pyx|pxd|sh|js|css|jinja)\b"
)


def files_of(root: Path) -> Iterator[Path]:
    """Yield the files of a checkout below its folders of code, and those at its top."""
    yield from (path for path in root.iterdir() if path.is_file())
    for top in TOPS:
        for path in (root / top).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


LONG = {ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"}
WORDS, SENTENCE = 1_500, 30

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_NO_SENTENCE = re.compile(r"^(?: *\||    |#).*$", re.MULTILINE)
_ITEM = re.compile(r"^ *(?:[-*]|\d+\.) ", re.MULTILINE)
_END = re.compile(r"(?<=[.!?:;])[)\"*\]]*\s+")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a manual, up to a colon or semicolon; a piece of code is a word."""
    text = _NO_SENTENCE.sub("", _COMMENT.sub("", prose(text)))
    text = re.sub(r"\]\([^)]*\)", "]", _CODE.sub("x", text))
    for paragraph in re.split(r"\n\s*\n", _ITEM.sub("\n\n", text)):
        yield from _END.split(" ".join(paragraph.split()))


def prose(text: str) -> str:
    return _FENCED.sub("", text)


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub and its like give to a page's headings."""
    seen: Counter[str] = Counter()
    found = set()
    for heading in _HEADING.findall(prose(text)):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        found.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return found


def faults(page: Path, root: Path) -> list[str]:
    text = prose(page.read_text("utf-8"))
    links = [
        link for link in _LINK.findall(_CODE.sub("", text)) if not _ABROAD.match(link)
    ]
    names = [name for code in _CODE.findall(text) for name in _FILE.findall(code)]
    homes = (page.parent, root, root / "src" / "boilersweep")
    return [
        *(f"link {link}" for link in links if not leads_somewhere(link, page, root)),
        *(
            f"file {name}"
            for name in names
            if not any((home / name).exists() for home in homes)
        ),
    ]


def leads_somewhere(link: str, page: Path, root: Path) -> bool:
    """Whether a relative link leads to a file of the checkout, and to a heading that it has."""
    name, _, anchor = unquote(link).partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.is_file() or not target.is_relative_to(root):
        return False
    return not anchor or anchor in anchors(target.read_text("utf-8"))


PAGES = sorted(path for path in files_of(ROOT) if path.suffix == ".md")


@pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_what_a_page_links_and_names_is_there(page: Path) -> None:
    assert faults(page, ROOT) == []


@pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_a_page_begins_with_its_title(page: Path) -> None:
    assert re.match(r"# \S", page.read_text("utf-8"))


@pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_a_page_is_short_and_so_are_its_sentences(page: Path) -> None:
    text = page.read_text("utf-8")
    assert page in LONG or len(_COMMENT.sub("", text).split()) <= WORDS
    long = [
        sentence
        for sentence in sentences(text)
        if len(re.findall(r"\S*\w\S*", sentence)) > SENTENCE
    ]
    assert long == []


@pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_every_row_of_a_table_is_shown(page: Path) -> None:
    text = prose(page.read_text("utf-8"))
    shown = Counter(token.type for token in MarkdownIt().enable("table").parse(text))
    written = re.findall(r"^ *\|.*$", text, re.MULTILINE)
    # One line separates the head
    assert len(written) == shown["tr_open"] + shown["table_open"]


def test_every_folder_with_code_has_a_manual() -> None:
    """Those of tests mirror the others, and one page speaks of all."""
    folders = {path.parent for path in files_of(ROOT) if path.suffix in CODE} - {ROOT}
    folders = {path for path in folders if not path.is_relative_to(ROOT / "tests")}
    assert len(folders) > 20
    wanted = {*folders, ROOT, ROOT / "tests"}
    assert [path for path in sorted(wanted) if not (path / "README.md").is_file()] == []


def test_the_site_lists_every_manual() -> None:
    listed = re.findall(
        r"[\w./-]+\.md$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE
    )
    generated = [name for name in listed if name.startswith("reference/")]
    manuals = [page.relative_to(ROOT).as_posix() for page in PAGES]
    assert sorted(listed) == sorted(manuals + generated)


def test_every_picture_is_shown_by_the_page_beside_it() -> None:
    pictures = [path for path in files_of(ROOT) if path.suffix in PICTURES]
    assert pictures
    for picture in pictures:
        beside = (picture.parent / "README.md").read_text("utf-8")
        assert f"]({picture.name})" in beside, picture


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "[a](there.md) ![b](there.md#a-title) [c](#here) [d](https://e.example/#f)",
            None,
        ),
        ("[a](gone.md)", "link gone.md"),
        ("![a](gone.png)", "link gone.png"),
        ("[a](there.md#gone)", "link there.md#gone"),
        ("[a](#gone)", "link #gone"),
        ("[a](../outside.md)", "link ../outside.md"),
        ("[a wrapped\nlink](gone.md)", "link gone.md"),
        ("`[a](gone.md)`\n```sh\n[a](gone.md) `src/gone.py`\n```", None),
        ("`sh scripts/run.sh`, `cleaners/rules.py`, `OUT/*.csv`", None),
        ("`scripts/gone.sh`", "file scripts/gone.sh"),
        ("`python tests/gone.py --all`", "file tests/gone.py"),
        ("`wrapped\ncode` [a](gone.md) `code`", "link gone.md"),
    ],
)
def test_faults_are_found(tmp_path: Path, text: str, fault: str | None) -> None:
    root = tmp_path / "checkout"
    for name in ("there.md", "scripts/run.sh", "src/boilersweep/cleaners/rules.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("# A title\n")
    (tmp_path / "outside.md").write_text("# A title\n")
    page = root / "page.md"
    page.write_text(f"# Here\n\n{text}\n")
    assert faults(page, root) == ([fault] if fault else [])
