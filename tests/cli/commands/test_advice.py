"""Messages name only what the command that prints them can do, or the command that can."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep.cli import app
from tests.cli.conftest import Call, Inputs

_NAMED = re.compile(
    r"(?:`boilersweep (\w+)[^`]*)?(--[a-z][a-z-]+)(?:(?: and --[a-z-]+)? of `boilersweep (\w+))?"
)


def options_of(command: str) -> set[str]:
    return set(app.options_of(command))


def links(folder: Path) -> None:
    (folder / "a.html").write_text("<p>one two three</p>")
    (folder.parent / "outside.html").write_text("<p>one</p>")
    (folder / "b.html").symlink_to(folder.parent / "outside.html")


def only_links(folder: Path) -> None:
    links(folder)
    (folder / "a.html").unlink()


def duplicates(folder: Path) -> None:
    line = '{"id": "d", "html": "<p>one two</p>"}\n'
    (folder / "a.jsonl").write_text(line * 2)


def no_keys(folder: Path) -> None:
    (folder / "a.jsonl").write_text('{"number": "d", "page": "<p>one two</p>"}\n')


def looks_like_html(folder: Path) -> None:
    text = "<html><body><p>one two</p><p>three</p></body></html>"
    (folder / "a.jsonl").write_text(f'{{"id": "d", "text": "{text}"}}\n')


@pytest.mark.java
@pytest.mark.parametrize("command", ["segment", "export", "sweep"])
@pytest.mark.parametrize(
    "make", [links, only_links, duplicates, no_keys, looks_like_html]
)
def test_options_that_messages_name_exist(
    call: Call,
    inputs: Inputs,
    tmp_path: Path,
    command: str,
    make: Callable[[Path], None],
) -> None:
    (tmp_path / "in").mkdir()
    make(tmp_path / "in")
    more = {
        "segment": [],
        "export": ["--keep", "words>=1"],
        "sweep": ["--sweep", "words=1,2", "--engine", "exact", *inputs.judged],
    }[command]
    given = ("--input", tmp_path / "in", "--output", tmp_path / "out")
    ended = call(command, *given, *more, "--threads", 1)
    own = options_of(command)
    text = " ".join((ended.out + ended.err).split())
    assert "--" in text
    for before, option, behind in _NAMED.findall(text):
        other = before or behind
        if not other or other in app.COMMANDS:
            assert option in (options_of(other) if other else own), text


def test_an_index_of_another_state_of_the_store_can_be_updated(
    call: Call, tmp_path: Path, java: None
) -> None:
    pages, store = tmp_path / "pages", ("--store", tmp_path / "store")
    index = ("--keep", "words>=1", "--output", tmp_path / "index")
    pages.mkdir()
    for number in range(2):
        (pages / f"{number}.html").write_text(f"<p>one two {number}</p>")
        call("segment", "--input", pages, "--output", store[1]).ok()
        if not number:
            call("index", *store, *index).ok()
    call("index", *store, *index).refused(1, "store was", "pass --update to bring it")
    another = call("index", *store, "--keep", "words>=2", *index[2:])
    another.refused(1, "cleaner text was", "; choose another --output, or pass --over")
    assert "--update" not in another.err
    call("index", *store, *index, "--update").ok("2 documents")


def test_all_topics_are_counted_where_ten_are_named(call: Call, tmp_path: Path) -> None:
    qrels = "".join(f"{topic} 0 d 1\n" for topic in range(100, 121))
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text("100 Q0 d 1 1.5 a\n300 Q0 d 1 1.5 a\n")
    ended = call("evaluate", "--qrels", tmp_path / "qrels", "--run", tmp_path / "run")
    ended.ok().noted("20 topics count as zero: 101, 102", "109, 110 and 10 more\n")


def test_an_index_of_another_program_is_named(call: Call, tmp_path: Path) -> None:
    (tmp_path / "segments_1").write_bytes(b"?")
    ended = call("check", tmp_path)
    ended.failed("has no boilersweep.json: another program built this index")
    assert "run `boilersweep index` again" not in ended.out
