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

from boilersweep.cli.commands.clean import FORMATS
from tests.cli.conftest import Call

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
    """Puts bytes on standard input."""

    def put(body: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(body)))

    return put


KEPT = "One two three four\nFive six seven eight\n"


def test_a_file_to_standard_output(call: Call, page: Path) -> None:
    outcome = call("clean", page, "--keep", "words>=3")
    assert (outcome.status, outcome.out, outcome.err) == (0, KEPT, "")


@pytest.mark.parametrize("arguments", [("clean",), ("clean", "-")])
def test_standard_input(call: Call, piped: Piped, arguments: tuple[str, ...]) -> None:
    for body in (PAGE.encode(), gzip.compress(PAGE.encode())):
        piped(body)
        assert call(*arguments, "--keep", "words>=3").out == KEPT


def test_a_file_for_the_text(call: Call, page: Path, tmp_path: Path) -> None:
    outcome = call("clean", page, "--keep", "words>=3", "--output", tmp_path / "new" / "a.txt")
    assert (outcome.status, outcome.out) == (0, "")
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
    ended = subprocess.run([bash, "-c", script], capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("" if output == "/dev/null" else KEPT, "")
    assert Path("/dev/null").is_char_device()
    assert (tmp_path / "pipe").is_fifo()


def test_output_that_is_neither_a_file_nor_a_stream(call: Call, page: Path) -> None:
    outcome = call("clean", page, "--keep", "words>=3", "--output", "/dev/zero")
    assert outcome.status == 1
    assert outcome.err.startswith(
        "boilersweep: cannot write /dev/zero: expected a regular file, got a device; choose an "
    )
    assert Path("/dev/zero").is_char_device()


def test_standard_input_that_is_closed(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    outcome = call("clean", "-")
    assert outcome.status == 1
    assert "standard input is closed; give a file, or a pipe" in outcome.err


def test_learned_is_what_keeps_unless_another_is_named(call: Call, page: Path) -> None:
    assert call("clean", page).out == call("clean", page, "--keep", "learned").out == KEPT


def test_json(call: Call, page: Path) -> None:
    found = json.loads(call("clean", page, "--keep", "words>=3", "--format", "json").out)
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


def test_markdown(call: Call, page: Path) -> None:
    outcome = call("clean", page, "--keep", "words>=3", "--format", "markdown")
    assert outcome.out == "# One two three four\n\nFive six seven eight\n"
    outcome = call("clean", page, "--images")
    assert (outcome.status, outcome.out) == (2, "")
    assert "--images requires --format markdown" in outcome.err


@pytest.mark.parametrize("format_", FORMATS)
def test_a_blank_page_in_every_format(call: Call, piped: Piped, format_: str) -> None:
    piped(b" ")
    outcome = call("clean", "--format", format_)
    assert outcome.status == 0
    if format_ == "json":
        assert json.loads(outcome.out)["text"] == ""
    else:
        assert outcome.out == ""


def test_an_extractor_has_no_blocks(call: Call, page: Path) -> None:
    found = json.loads(call("clean", page, "--keep", "cetr", "--format", "json").out)
    assert "blocks" not in found
    assert found["text"] + "\n" == call("clean", page, "--keep", "cetr").out


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (b"", "standard input: no text, it is empty\n"),
        (b" \n", "standard input: no text, it is empty\n"),
        (b"<p>one", "standard input: no text, words>=3 keeps nothing of it\n"),
        (b"<script>x</script>", "standard input: no text, words>=3 keeps nothing of it\n"),
    ],
)
def test_no_text_is_no_error_and_is_said(call: Call, piped: Piped, body: bytes, note: str) -> None:
    piped(body)
    outcome = call("clean", "--keep", "words>=3")
    assert (outcome.status, outcome.out, outcome.err) == (0, "", note)


def test_a_page_that_cannot_be_cut_is_named(call: Call, piped: Piped) -> None:
    piped(b"<p " + b" ".join(b"a%d=v" % n for n in range(20_000)) + b">text")
    outcome = call("clean")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith("boilersweep: standard input: the page cannot be cut, over the ")


def test_gzip_that_is_damaged_gives_no_half_page(call: Call, piped: Piped) -> None:
    piped(gzip.compress(PAGE.encode())[:-20])
    outcome = call("clean")
    assert (outcome.status, outcome.out) == (1, "")
    assert "standard input is damaged" in outcome.err


def test_a_name_that_is_nearly_a_cleaners_is_told(call: Call, page: Path) -> None:
    outcome = call("clean", page, "--keep", "learnd")
    assert outcome.status == 2
    assert "no cleaner is named 'learnd' (did you mean learned?)" in outcome.err


def test_the_text_is_utf_8_whatever_the_page_is(call: Call, piped: Piped) -> None:
    piped('<meta charset="koi8-r"><p>раз два три'.encode("koi8-r"))
    assert call("clean", "--keep", "words>=3").out == "раз два три\n"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"%PDF-1.7\n1 0 obj", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "a PNG image"),
        (bytes(range(256)) * 4, "binary data"),
    ],
)
def test_bytes_that_are_no_page_are_named(call: Call, piped: Piped, body: bytes, kind: str) -> None:
    piped(body)
    outcome = call("clean", "--keep", "words>=1")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err == (
        "boilersweep: standard input: the page cannot be cut, neither HTML nor text: it looks like "
        f"{kind}\n"
    )


def test_several_pages_and_a_folder_become_a_file_each(
    call: Call, page: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "in" / "b"
    folder.mkdir(parents=True)
    (folder / "a.html").write_text(PAGE)
    (folder / "empty.htm").write_text("")
    (folder / "note.txt").write_text(PAGE)
    output = tmp_path / "out"
    outcome = call("clean", tmp_path / "in", "--keep", "words>=3", "--output", output)
    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err == f"pages cleaned into {output}: 2, 1 without text; 0 failed\n"
    assert (output / "b" / "a.html.txt").read_text() == KEPT
    assert (output / "b" / "empty.htm.txt").read_text() == ""
    (folder / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    pages = [page, folder / "a.html", folder / "a.png"]
    outcome = call("clean", *pages, "--output", output, "--format", "markdown")
    assert outcome.status == 1
    assert (
        "a.png: the page cannot be cut, neither HTML nor text: it looks like a PNG" in outcome.err
    )
    assert outcome.err.endswith(f"pages cleaned into {output}: 2, 0 without text; 1 failed\n")
    assert (output / "in" / "b" / "a.html.md").read_text() == (output / "page.html.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["page.html", "page.html"], "several pages need a folder for their texts"),
        (["page.html", "-", "--output", "out"], "got standard input among them"),
        (["page.html", "none.html", "--output", "out"], "none.html does not exist"),
        (["empty", "--output", "out"], "expected *.html, *.htm or *.xhtml in the folder"),
        (["page.html", ".", "--output", "page.html"], "expected a folder, got a file"),
    ],
)
def test_several_pages_that_cannot_be_written(
    call: Call,
    page: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(page.parent)
    Path("empty").mkdir()
    outcome = call("clean", *arguments)
    assert outcome.status == 2
    assert message in outcome.err
