"""Which files of a folder are read, and that what is not is counted and named."""

import os
import socket
from pathlib import Path
from unittest import mock

import pytest

from boilersweep.collection.files import LeftOut, NotRead, Tree
from boilersweep.collection.format import any_name
from boilersweep.collection.html_folder import HTML


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"<p>x")


def link(path: Path, target: Path | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def chosen(
    root: Path, *, follow_links: bool = False
) -> tuple[list[str], dict[str, list[str]]]:
    """Return the HTML files that are read, and what is left out, by reason."""
    files, left_out = Tree(root, follow_links=follow_links).chosen(HTML.wants)
    assert left_out.counts == {
        reason: len(found) for reason, found in left_out.samples.items()
    }
    return (
        [path.relative_to(root).as_posix() for path in files],
        {
            reason: [one["place"] for one in found]
            for reason, found in left_out.samples.items()
        },
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a folder of pages, beside another."""
    write(tmp_path / "in", "b.html", "a/z.htm")
    write(tmp_path / "out", "o.html", "deep/p.html")
    return tmp_path / "in"


def test_files_of_other_kinds_and_hidden_ones_are_left_out(root: Path) -> None:
    write(root, ".x.html", ".git/a.html", "a/.DS_Store", "notes.txt", "a/b.html.bak")
    assert chosen(root) == (
        ["a/z.htm", "b.html"],
        {
            "hidden": [".git", ".x.html", "a/.DS_Store"],
            "file of another kind": ["a/b.html.bak", "notes.txt"],
        },
    )


def test_a_file_stands_for_itself_whatever_it_is_called(root: Path) -> None:
    write(root, ".notes")
    link(root / "link", root / ".notes")
    for name in (".notes", "link"):
        assert Tree(root / name).chosen(HTML.wants) == ([root / name], LeftOut())


def test_what_is_neither_file_nor_folder(root: Path) -> None:
    os.mkfifo(root / "pipe.html")
    link(root / "to-pipe.html", "pipe.html")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(root / "socket"))
    assert chosen(root)[1] == {NotRead.SPECIAL: ["pipe.html", "socket", "to-pipe.html"]}


def test_links_that_lead_nowhere(root: Path) -> None:
    link(root / "gone.html", "nowhere.html")
    link(root / "round.html", "round.html")
    link(root / "a/one", "../two")
    link(root / "two", "a/one")
    assert chosen(root)[1] == {
        NotRead.DANGLING: ["a/one", "gone.html", "round.html", "two"]
    }
    assert chosen(root, follow_links=True) == chosen(root)


def test_a_file_that_is_read_under_its_own_name_is_not_read_again(root: Path) -> None:
    link(root / "a/again.html", "../b.html")
    link(root / "first.html", root / "a/again.html")
    for follow in (False, True):
        found = chosen(root, follow_links=follow)
        expected = {NotRead.READ_ALREADY: ["a/again.html", "first.html"]}
        assert found == (["a/z.htm", "b.html"], expected)


def test_a_link_to_a_file_within_that_is_not_read_otherwise_is_read(root: Path) -> None:
    """As git-annex has it: the names are links, the contents hidden files."""
    write(root, ".git/annex/1", "page.v2")
    for name in ("c.html", "d.html"):
        link(root / name, ".git/annex/1")
    link(root / "page.html", "page.v2")
    link(root / "c.txt", ".git/annex/1")
    assert chosen(root) == (
        ["a/z.htm", "b.html", "c.html", "d.html", "page.html"],
        {"hidden": [".git"], "file of another kind": ["c.txt", "page.v2"]},
    )


def test_links_out_are_read_only_when_links_are_followed(root: Path) -> None:
    link(root / "o.html", root.parent / "out/o.html")
    link(root / "o.png", root.parent / "out/o.html")
    link(root / "o2.html", "o.html")
    assert chosen(root) == (
        ["a/z.htm", "b.html"],
        {NotRead.LINK_OUT: ["o.html", "o2.html"], NotRead.OTHER_KIND: ["o.png"]},
    )
    assert chosen(root, follow_links=True) == (
        ["a/z.htm", "b.html", "o.html", "o2.html"],
        {NotRead.OTHER_KIND: ["o.png"]},
    )


def test_linked_folders_are_read_only_when_links_are_followed(root: Path) -> None:
    link(root / "out", root.parent / "out")
    link(root / "again", "out")
    link(root / "o.html", root.parent / "out/o.html")
    link(root / "to-a", "a")
    files, left_out = chosen(root)
    assert files == ["a/z.htm", "b.html"]
    assert left_out == {
        NotRead.LINKED_FOLDER: ["again", "out"],
        NotRead.LINK_OUT: ["o.html"],
        NotRead.READ_ALREADY: ["to-a"],
    }
    assert chosen(root, follow_links=True) == (
        ["a/z.htm", "again/deep/p.html", "again/o.html", "b.html"],
        {NotRead.READ_ALREADY: ["o.html", "out", "to-a"]},
    )


def test_cycles_of_links_end(root: Path) -> None:
    link(root / "self", ".")
    link(root / "a/up", "..")
    link(root / "all", root.parent)
    link(root.parent / "out/back", root)
    link(root.parent / "out/deep/over", "..")
    assert chosen(root)[0] == ["a/z.htm", "b.html"]
    files, left_out = chosen(root, follow_links=True)
    assert files == ["a/z.htm", "all/out/deep/p.html", "all/out/o.html", "b.html"]
    places = ["a/up", "all/in", "all/out/back", "all/out/deep/over", "self"]
    assert left_out == {NotRead.READ_ALREADY: places}


def test_a_root_that_is_a_link_is_read(root: Path) -> None:
    link(root.parent / "linked", root)
    link(root / "c.html", root / "b.html")
    expected = (["a/z.htm", "b.html"], {NotRead.READ_ALREADY: ["c.html"]})
    assert chosen(root.parent / "linked") == expected


def test_only_some_places_are_kept_but_all_are_counted(root: Path) -> None:
    write(root, *[f".{number:02d}" for number in range(30)])
    _, left_out = Tree(root).chosen(any_name)
    assert left_out.counts == {"hidden": 30}
    assert [one["place"] for one in left_out.samples["hidden"]] == [
        f".{n:02d}" for n in range(10)
    ]


def test_a_name_that_is_not_utf_8_can_be_written(root: Path) -> None:
    link(root / os.fsdecode(b"\xe9.html"), os.fsdecode(b"/\xe8"))
    _, left_out = Tree(root).chosen(any_name)
    [sample] = left_out.samples[NotRead.DANGLING]
    assert sample == {"place": "\ufffd.html", "detail": "to /\ufffd"}


def test_a_folder_that_cannot_be_listed_is_an_error(
    root: Path,
) -> None:
    with (
        mock.patch.object(os, "scandir", side_effect=PermissionError),
        pytest.raises(PermissionError),
    ):
        Tree(root)
