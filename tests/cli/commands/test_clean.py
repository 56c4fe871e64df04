"""`boilersweep clean`: one page to its text."""

import gzip
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep import clean, open_store
from tests.cli.conftest import Call
from tests.running import python

PAGE = """<html lang="en"><title>A page</title><link rel=canonical href="https://e.example/a">
<nav>Home | News</nav><h1>One two three four</h1><p>Five six seven eight</p>"""

Piped = Callable[[bytes], None]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    return path


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Piped:
    def put(body: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(body)))

    return put


LEARNED = pytest.mark.application("learned")
KEPT = "One two three four\nFive six seven eight\n"


@pytest.mark.parametrize(
    ("options", "out"),
    [
        ("--keep words>=3", KEPT),
        pytest.param("--keep learned", KEPT, marks=LEARNED),
        pytest.param("", KEPT, marks=LEARNED),
        (
            "--keep words>=3 --format markdown",
            "# One two three four\n\nFive six seven eight\n",
        ),
    ],
)
def test_a_file_to_standard_output(
    call: Call, page: Path, options: str, out: str
) -> None:
    outcome = call("clean", page, *options.split())
    assert (outcome.status, outcome.out, outcome.err) == (0, out, "")


ATTRIBUTES = b"<p " + b" ".join(b"a%d=v" % n for n in range(20_000)) + b">text"
KOI8 = '<meta charset="koi8-r"><p>раз два три'.encode("koi8-r")


@pytest.mark.parametrize(
    ("body", "options", "status", "out", "err"),
    [
        (PAGE.encode(), "", 0, KEPT, ""),
        (PAGE.encode(), "-", 0, KEPT, ""),
        (gzip.compress(PAGE.encode()), "-", 0, KEPT, ""),
        (KOI8, "", 0, "раз два три\n", ""),
        (b"", "", 0, "", "standard input: no text, it is empty\n"),
        (b" \n", "", 0, "", "standard input: no text, it is empty\n"),
        (b" ", "--format markdown", 0, "", "standard input: no text, it is empty\n"),
        (
            b"<p>one",
            "",
            0,
            "",
            "standard input: no text, words>=3 keeps nothing of it\n",
        ),
        (b"<script>x</script>", "", 0, "", "no text, words>=3 keeps nothing of it\n"),
        (
            ATTRIBUTES,
            "",
            1,
            "",
            "boilersweep: standard input: the page cannot be cut, over the ",
        ),
        (gzip.compress(PAGE.encode())[:-20], "", 1, "", "standard input is damaged"),
    ],
)
def test_standard_input(
    call: Call, piped: Piped, body: bytes, options: str, status: int, out: str, err: str
) -> None:
    piped(body)
    outcome = call("clean", "--keep", "words>=3", *options.split())
    assert (outcome.status, outcome.out) == (status, out)
    assert err in outcome.err
    assert bool(err) == bool(outcome.err)


def test_a_file_for_the_text(call: Call, page: Path, tmp_path: Path) -> None:
    assert (
        call(
            "clean", page, "--keep", "words>=3", "--output", tmp_path / "new" / "a.txt"
        )
        .ok()
        .out
        == ""
    )
    assert (tmp_path / "new" / "a.txt").read_text() == KEPT


@pytest.mark.parametrize("output", ["/dev/stdout", ">(cat >&3)", "pipe", "/dev/null"])
def test_a_stream_for_the_text(page: Path, tmp_path: Path, output: str) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    os.mkfifo(tmp_path / "pipe")
    clean = f"{shlex.quote(sys.executable)} -m boilersweep clean {page} --keep 'words>=3' --output"
    read = "cat pipe &" if output == "pipe" else ""
    script = f"exec 3>&1; cd {tmp_path}; {read} {clean} {output}; wait"
    ended = subprocess.run(
        [bash, "-c", script], capture_output=True, text=True, check=True
    )
    assert (ended.stdout, ended.stderr) == ("" if output == "/dev/null" else KEPT, "")
    assert Path("/dev/null").is_char_device()
    assert (tmp_path / "pipe").is_fifo()


BAD = """
import os, pathlib, sys

def exits(html):
    sys.exit(0)

def moves(html):
    os.chdir(os.sep)
    return "kept"

def prints(html):
    print("noise")
    return "kept"
"""


@pytest.fixture
def bad(code: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have pages in the working directory, and the module `bad` of extractors."""
    (code / "bad.py").write_text(BAD)
    shutil.copy(page, page.with_name("other.html"))
    monkeypatch.chdir(page.parent)


@pytest.mark.parametrize("name", ["moves", "prints"])
def test_an_extractor_that_prints_or_changes_the_folder_harms_no_page(
    call: Call, bad: None, name: str
) -> None:
    outcome = call("clean", "page.html", "--keep", f"bad:{name}").ok()
    assert outcome.out == "kept\n"
    call("clean", "page.html", "other.html", "--keep", f"bad:{name}", "--output", "out")
    assert {path.read_text() for path in Path("out").iterdir()} == {"kept\n"}
    assert len(list(Path("out").iterdir())) == 2


def test_an_extractor_that_exits_fails_on_the_page(call: Call, bad: None) -> None:
    message = "bad:exits failed on the page (RuntimeError: it calls sys.exit(0))"
    call("clean", "page.html", "--keep", "bad:exits").refused(1, message)
    both = call(
        "clean", "page.html", "other.html", "--keep", "bad:exits", "--output", "o"
    )
    both.refused(1, message, "2 failed")


def test_extractors_in_worker_processes_print_no_result(bad: None) -> None:
    Path("pages").mkdir()
    shutil.copy("page.html", "pages")
    for name in ("prints", "exits", "moves"):
        options = ("--output", name, "--extractors", f"bad:{name}")
        done = python("-m", "boilersweep", "segment", "--input", "pages", *options)
        assert done.stdout == f"{name}/manifest.json\n"
        assert open_store(name).documents == 1
    assert open_store("exits").manifest.failed_extractions == {"bad:exits": 1}


def test_a_plug_in_that_exits_when_it_is_imported(
    call: Call, code: Path, page: Path
) -> None:
    (code / "gone.py").write_text("import sys\nsys.exit(0)\n")
    call("clean", page, "--keep", "gone:f").refused(2, "gone:f", "it calls sys.exit(0)")


def test_names_of_files_cannot_command_a_terminal(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pages").mkdir()
    name = "pages/\x1b[31mred"
    Path(f"{name}.html").write_text("<p>one two")
    for more in (".txt", "empty.html"):
        Path(f"{name}{more}").touch()
    seen = [
        call("clean", f"{name}none.html", "--keep", "words>=1"),
        call("clean", "pages", "--output", "out", "--keep", "words>=1"),
        call("segment", "--input", "pages", "--output", "store"),
    ]
    shutil.copytree("store", "store/\x1b[31mred")
    next(Path("store").glob("\x1b[[]31mred/*.parquet")).unlink()
    seen.append(call("check", "store"))
    assert "\x1b" not in "".join(one.out + one.err for one in seen)
    assert "x1b[31mred" in seen[0].err
    assert "x1b[31mred" in seen[2].err
    assert "x1b[31mred" in seen[3].out


def test_json(call: Call, page: Path) -> None:
    found = json.loads(
        call("clean", page, "--keep", "words>=3", "--format", "json").out
    )
    text = KEPT.rstrip()
    assert found["text"] == text
    assert (found["title"], found["url"], found["language"], found["cleaner"]) == (
        "A page",
        "https://e.example/a",
        "en",
        "words>=3",
    )
    assert [block["kept"] for block in found["blocks"]] == [False, True, True]
    assert [block["tag"] for block in found["blocks"]] == ["nav", "h1", "p"]
    for block in found["blocks"]:
        if block["kept"]:
            assert text[block["start"] : block["end"]] == block["text"]
        else:
            assert (block["start"], block["end"]) == (None, None)


def test_json_without_the_model_has_neither_kind_nor_confidence(
    call: Call, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "boilersweep.cleaning.cleaned_page.why_no_model", lambda: "deleted"
    )
    found = call("clean", page, "--keep", "words>=3", "--format", "json").ok().out
    assert {"kind", "confidence"}.isdisjoint(json.loads(found))


def test_an_extractor_has_no_blocks(call: Call, page: Path) -> None:
    found = json.loads(call("clean", page, "--keep", "cetr", "--format", "json").out)
    assert "blocks" not in found
    assert found["text"] + "\n" == call("clean", page, "--keep", "cetr").out


def test_several_pages_and_a_folder_become_a_file_each(
    call: Call, page: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "in" / "b"
    folder.mkdir(parents=True)
    (folder / "a.html").write_text(PAGE)
    (folder / "empty.htm").write_text("")
    (folder / "note.txt").write_text("a note")
    output = tmp_path / "out"
    outcome = call("clean", tmp_path / "in", "--keep", "words>=3", "--output", output)
    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err == f"pages cleaned into {output}: 2, 1 without text; 0 failed\n"
    assert (output / "b" / "a.html.txt").read_text() == KEPT
    assert (output / "b" / "empty.htm.txt").read_text() == ""
    (folder / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    pages = [page, folder / "a.html", folder / "a.png"]
    options = ("--keep", "words>=3", "--output", output, "--format", "markdown")
    outcome = call("clean", *pages, *options)
    assert outcome.status == 1
    assert (
        "a.png: the page cannot be cut, neither HTML nor text: it looks like a PNG"
        in outcome.err
    )
    assert outcome.err.endswith(
        f"pages cleaned into {output}: 2, 0 without text; 1 failed\n"
    )
    assert (output / "in" / "b" / "a.html.md").read_text() == (
        output / "page.html.md"
    ).read_text()


def test_the_kept_blocks_as_html(call: Call, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>Ads<p>one two three")
    arguments = ("clean", "--keep", "words>=3", "--format", "html")
    written = call(*arguments, tmp_path / "page.html").ok().out
    assert written == clean("<p>Ads<p>one two three", "words>=3", format="html") + "\n"
    call(*arguments, tmp_path, "--output", tmp_path / "out").ok()
    assert (tmp_path / "out" / "page.html.html").read_text() == written
    call(*arguments, "--images", tmp_path / "page.html").refused(
        2, "requires --format markdown"
    )


@pytest.mark.usefixtures("drawn_figures")
@pytest.mark.parametrize(("name", "begin"), [("p.svg", b"<svg"), ("p.png", b"\x89PNG")])
def test_a_page_is_drawn(call: Call, page: Path, name: str, begin: bytes) -> None:
    picture = page.with_name(name)
    arguments = ("clean", "--explain", "--keep", "words>=4", page)
    call(*arguments, "--picture", picture).ok("kept by").noted(str(picture))
    drawn = picture.read_bytes()
    assert drawn.startswith(begin)
    call(*arguments, "--picture", picture).ok()
    assert picture.read_bytes() == drawn
    if name == "p.svg":
        assert b">words&gt;=4</text>" in drawn
        assert b">bte</text>" not in drawn


def test_pictures_that_are_refused(call: Call, page: Path) -> None:
    call("clean", page, "--picture", "p.svg").refused(2, "--picture requires --explain")
    explained = ("clean", "--explain", page, "--picture")
    call(*explained, page.with_name("p.gif")).refused(2, "expected *.svg or *.png")
    call(*explained, page).refused(2, "would be written")
    other = page.with_name("p.svg")
    other.write_text("notes")
    call(*explained, other).refused(1, "is not a picture")
