"""Several inputs, patterns and lists: which files they are, and their names in a store."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from boilersweep import CollectionError, Segmentation, UsageError, segment_collection
from boilersweep.collection.formats import open_collection
from boilersweep.collection.inputs import Input, Inputs, parse_inputs
from boilersweep.segmenting.input_file import InputDigests
from boilersweep.segmenting.segment import check_input
from boilersweep.segmenting.tasks import input_text, named_files
from tests.collection.crawl import serving

Value = TypeVar("Value")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make pages in folders, beside a hidden one and another kind of file; work there."""
    for name in ("a/1.html", "a/2.html", "b/1.html", "b/.3.html", "c/d/4.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"<p>text of {name}")
    (tmp_path / "a" / "x.bin").write_bytes(b"\0")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def named(found: Input) -> tuple[str, list[str]]:
    """Return the input as a manifest has it, and the names of its files."""
    files = open_collection(found, None).files
    return input_text(found), [name for _, name in named_files(found, files)]


@pytest.mark.parametrize(
    ("words", "folder", "names"),
    [
        (["a"], "a", ["1.html", "2.html"]),
        (["a/1.html"], "a/1.html", ["1.html"]),
        (["a", "b"], "", ["a/1.html", "a/2.html", "b/1.html"]),
        (["b", "a/2.html"], "", ["a/2.html", "b/1.html"]),
        (["a/1.html", "a/2.html"], "a", ["1.html", "2.html"]),
        (["a", "a/1.html", "a"], "a", ["1.html", "2.html"]),
        (["*/1.html"], "", ["a/1.html", "b/1.html"]),
        (["[ac]"], "", ["a/1.html", "a/2.html", "c/d/4.html"]),
        (["c/**/*.html"], "c", ["d/4.html"]),
        (["b/*"], "b", ["1.html"]),
        (["@list.txt"], "", ["a/2.html", "c/d/4.html"]),
        (["@list.txt.gz", "b"], "", ["a/2.html", "b/1.html", "c/d/4.html"]),
    ],
)
def test_inputs_are_files_with_names_in_the_folder_that_has_them_all(
    root: Path, words: list[str], folder: str, names: list[str]
) -> None:
    text = "# found by find\n\na/2.html\n  c/*/4.html\r\n"
    Path("list.txt").write_text(text)
    Path("list.txt.gz").write_bytes(gzip.compress(text.encode()))
    assert named(parse_inputs(words)) == (str(root / folder), names)


def test_a_name_with_wildcards_that_exists_is_no_pattern(root: Path) -> None:
    Path("[ac]").mkdir()
    Path("[ac]/5.html").write_text("<p>five")
    assert named(parse_inputs(["[ac]"])) == (str(root / "[ac]"), ["5.html"])


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        (["no/*.html"], CollectionError, r"no/\*\.html matches no file"),
        (["@no.txt"], CollectionError, "no.txt: expected a UTF-8 list"),
        (["@empty.txt"], CollectionError, "empty.txt: expected paths or URLs, one a"),
        (["a", "-"], UsageError, "- is an input alone"),
        (["irds:gov2", "a"], UsageError, "irds:gov2 is an input alone"),
    ],
)
def test_what_names_nothing_is_an_error(
    root: Path, words: list[str], kind: type[Exception], message: str
) -> None:
    Path("empty.txt").write_text("# nothing\n")
    with pytest.raises(kind, match=message):
        parse_inputs(words)


def test_a_missing_file_of_a_list_is_an_error(root: Path) -> None:
    Path("list.txt").write_text("a/1.html\na/9.html\n")
    with pytest.raises(CollectionError, match=r"a/9\.html does not exist"):
        open_collection(parse_inputs(["@list.txt"]), None)


def test_objects_at_urls(root: Path) -> None:
    upath = pytest.importorskip("upath")
    for name in ("one/a.html", "one/.b/c.html", "one/.b/d.html", "two/a.html"):
        upath.UPath(f"memory://inputs/{name}").write_text("<p>text")
    url = "memory://inputs"
    assert named(parse_inputs([f"{url}/one"]))[1] == ["a.html"]
    both = ["one/a.html", "two/a.html"]
    assert named(parse_inputs([f"{url}/one", f"{url}/two/a.html"]))[1] == both
    assert named(parse_inputs([f"{url}/*/a.html"]))[1] == both
    Path("list.txt").write_text(f"{url}/two/a.html\n{url}/one\n")
    found = parse_inputs(["@list.txt"])
    assert named(found)[1] == both
    assert isinstance(found, Inputs)
    left_out = open_collection(found, None).left_out
    assert left_out.counts == {"hidden": 1}
    assert left_out.samples["hidden"][0]["place"] == "one/.b"
    with pytest.raises(UsageError, match="expected inputs of one kind"):
        parse_inputs([f"{url}/one", "a"])


def test_a_store_of_several_inputs_follows_them(root: Path) -> None:
    options = Segmentation()
    store = segment_collection(["a", "b"], "out/store", options, workers=1)
    assert sorted(store.docids()) == ["a/1", "a/2", "b/1"]
    assert store.manifest.input == str(root)
    assert [*check_input(store, parse_inputs(["a", "b"]))] == []
    (root / "b" / "2.html").write_text("<p>new")
    assert [*check_input(store, parse_inputs(["[ab]"]))] == ["b/2.html is new"]
    store = segment_collection(["c", "b", "a"], "out/store", options, workers=1)
    assert sorted(store.docids()) == ["a/1", "a/2", "b/1", "b/2", "c/d/4"]


def test_an_output_within_one_of_the_inputs_is_refused(root: Path) -> None:
    with pytest.raises(UsageError, match="expected a place outside of the input"):
        segment_collection(["a", "b"], "b/store", workers=1)


def test_urls_are_asked_some_at_a_time(tmp_path: Path) -> None:
    """The first one that is missing is named, as if they were asked one after another."""
    pytest.importorskip("upath", reason="boilersweep[remote] is not installed")
    files = {f"{n}.jsonl": b'{"id": "%d", "contents": "one"}' % n for n in range(8)}
    with serving(files) as served:
        list_ = tmp_path / "urls.txt"
        list_.write_text("".join(f"{served.base}{name}\n" for name in files))
        served.together = 4

        def at_once(ask: Callable[[], Value]) -> Value:
            served.at_once = 0
            found = ask()
            assert 4 <= served.at_once <= 16
            return found

        pages = at_once(lambda: parse_inputs([f"@{list_}"]))
        opened = at_once(lambda: open_collection(pages, "jsonl"))
        digests = InputDigests(())
        at_once(lambda: digests.look_at(opened.files))
        for name in ("2.jsonl", "5.jsonl"):
            del files[name]
        with pytest.raises(CollectionError, match=r"/2\.jsonl does not exist"):
            open_collection(pages, "jsonl")
        with pytest.raises(CollectionError, match=r"cannot read .*/2\.jsonl"):
            digests.look_at(opened.files)
