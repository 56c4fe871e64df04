"""Readers of annotated pages: each layout, and what is missing or broken in it."""

import gzip
import json
import os
import re
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep import InputError, UsageError
from boilersweep.eval.judge import datasets
from boilersweep.eval.judge.datasets import (
    DATASETS,
    FORMATS,
    labels,
    read_dataset,
    read_datasets,
)
from boilersweep.eval.judge.datasets.dataset_formats import plain_gold
from boilersweep.eval.judge.datasets.judged_page import CLASSES
from boilersweep.eval.judge.datasets.marked import MarkedPage
from boilersweep.pages.segmenter import Segmenter
from tests.eval.judge.conftest import STORY, WriteWcxb, write
from tests.hostile_pages import ATTACKS, CONSTRUCTS


@pytest.mark.parametrize("inside", ["", "l3s"])
def test_l3s(l3s: Path, inside: str) -> None:
    dataset = read_dataset("l3s-gn1", l3s / inside)
    a, b = dataset.pages
    assert (a.name, a.site) == ("a", "pony.co.uk")
    assert (b.name, b.site) == ("b", "news.pony.co.uk")
    assert a.gold == f"Pony news\n{STORY}\nNice one"  # headline, full text, comment
    assert b.gold == "Short\nbold text"  # related content is none
    assert b"x-nc-sel" not in a.html
    assert a.annotated is not None
    assert dataset.skipped == []


def test_marked_pages(marked: Path) -> None:
    a, b = read_dataset("marked", marked).pages
    assert (a.gold, a.site) == (f"Pony news\n{STORY}", "a.example")
    assert (b.gold, b.utf8) == ("café open", "<p>café open</p><p>Other ponies".encode())
    # The paper's borders divide the headline
    found = a.marked(Segmenter(borders="paper"))
    assert found
    assert found.page.texts == ["Home", "News", "Pony", "n", "ews", STORY]
    assert found.classes == [0, 0, 1, 1, 1, 2]


@pytest.mark.parametrize("page", [*CONSTRUCTS, *ATTACKS])
def test_classes_of_marked_pages_hold_under_other_borders(page: str) -> None:
    body = f"<p>first words</p>{page}<h2>three</h2>".encode()
    cut = Segmenter().html(body)
    blocks = tuple((CLASSES[n % 3], text) for n, text in enumerate(cut.texts))
    classes_of = {text: CLASSES.index(label) for label, text in blocks}

    class Held(MarkedPage):
        html = body

    marked = Held("a", Path(), None, "", "a", blocks=blocks)
    assert marked.marked(Segmenter()).classes == [n % 3 for n in range(len(cut.texts))]
    found = marked.marked(Segmenter(borders="paper"))
    for text, number in zip(found.page.texts, found.classes, strict=True):
        assert classes_of.get(text, number) == number
    assert {*found.classes} <= {*classes_of.values()}


def test_marked_pages_count_what_is_wrong(marked: Path) -> None:
    marks = json.loads((marked / "marks/a.json").read_text())
    named = marks | {"blocks": [["title", "Home"]]}
    for name, content in {"d": marks, "e": named}.items():
        files = {f"marks/{name}.json": json.dumps(content)}
        write(
            marked, files | {f"html/{name}.html": (marked / "html/a.html").read_bytes()}
        )
    write(marked, {"html/d.html": "<p>another page", "html/f.html": "<p>no marks"})
    write(marked, {"marks/g.json": "{}"})
    dataset = read_dataset("marked", marked)
    assert [page.name for page in dataset.pages] == ["a", "b"]
    assert {page.name: page.reason for page in dataset.skipped} == {
        "d": "the page is another one than was marked",
        "e": "the marks are not the JSON expected",
        "f": "no marks",
        "g": "no page",
    }


def test_l3s_without_a_mapping_has_pages_as_sites(l3s: Path) -> None:
    (l3s / "l3s" / "url-mapping.txt").unlink()
    assert [page.site for page in read_dataset("l3s-gn1", l3s).pages] == ["a", "b"]


def test_l3s_counts_what_is_missing(l3s: Path) -> None:
    write(
        l3s / "l3s",
        {
            "original/c.html": "<p>no annotation of it",
            "annotated/d.html": "<p>no original of it",
            "original/e.html": "<p>nobody marked it",
            "annotated/e.html": "<p>nobody marked it",
            "original/f.html": "",
            "annotated/f.html": "",
        },
    )
    dataset = read_dataset("l3s-gn1", l3s)
    assert [page.name for page in dataset.pages] == ["a", "b"]
    assert {page.name: page.reason for page in dataset.skipped} == {
        "c": "no annotated page",
        "d": "no original page",
        "e": "the annotated page has no annotation",
        "f": "the annotated page cannot be parsed",
    }


def test_cleaneval(cleaneval: Path) -> None:
    first, second = read_dataset("cleaneval", cleaneval).pages
    assert (first.name, second.name) == ("2", "10")
    assert first.gold.split() == ["Pony", *STORY.split(), "1", "<", "2"]
    assert (first.site, first.charset) == ("one.example", "unset")
    assert first.html == f"\n<html><p>{STORY}".encode()
    assert second.gold.split() == ["caf\xe9", "open"]
    assert second.utf8.decode().split("<p>")[1] == "caf\xe9 open"


def test_cleaneval_counts_what_is_missing(cleaneval: Path) -> None:
    write(
        cleaneval,
        {"input/3.html": "<p>one", "GoldStandard/4.txt": "two", "input/.DS_Store": ""},
    )
    dataset = read_dataset("cleaneval", cleaneval)
    assert dataset.left_out() == {"no gold text": ["3"], "no page": ["4"]}
    assert dataset.describe()[0] == "1 of 4 pages left out: no gold text (3)"


@pytest.mark.parametrize(
    ("text", "plain", "url"),
    [
        ("URL: http://x/\none <h>two", "one  two", "http://x/"),
        ("URL: http://x/", "", "http://x/"),
        ("one\nURL: http://x/", "one\nURL: http://x/", ""),
        ("<hr> <p >", "<hr> <p >", ""),
        ("", "", ""),
    ],
)
def test_the_marks_of_cleaneval(text: str, plain: str, url: str) -> None:
    assert plain_gold(text) == (plain, url)


def truth(
    text: str, kind: str = "article", url: str = "https://www.x.example/a"
) -> dict[str, object]:
    return {
        "url": url,
        "_internal": {"page_type": {"primary": kind}},
        "ground_truth": {"main_content": text},
    }


def test_wcxb(write_wcxb: WriteWcxb) -> None:
    root = write_wcxb(
        {
            "0001": ("<p>one", truth("one")),
            "0002": ("<p>two", truth("two", "category")),
        },
        {"files": {"0001": {"domain": "y.example"}}},
    )
    first, second = read_dataset("wcxb", root).pages
    assert (first.gold, first.page_type, first.site) == ("one", "article", "y.example")
    assert (second.gold, second.page_type, second.site) == (
        "two",
        "collection",
        "x.example",
    )
    assert [page.name for page in read_dataset("wcxb", root / "dev").pages] == [
        "0001",
        "0002",
    ]


def test_wcxb_packed_truncated_and_twice(write_wcxb: WriteWcxb) -> None:
    root = write_wcxb({name: ("<p>one", truth("one")) for name in "123"})
    html = root / "dev" / "html"
    packed = {
        "1.html.gz": gzip.compress(b"<p>other"),
        "2.html.gz": gzip.compress(b"<p>two"),
        "3.html.gz": gzip.compress(b"<p>three" * 99)[:-12],
    }
    write(html, packed)
    for name in "23":
        (html / f"{name}.html").unlink()
    dataset = read_dataset("wcxb", root)
    assert {page.name: page.html for page in dataset.pages} == {
        "1": b"<p>one",
        "2": b"<p>two",
    }
    assert {page.name: page.reason for page in dataset.skipped} == {
        "1.html.gz": "another page has the same name",
        "3": "the page's gzip file is broken",
    }


@pytest.mark.parametrize(
    "broken", ["{", "[]", "null", '"x"', "{}", '{"ground_truth": []}', "[" * 100_000]
)
def test_wcxb_with_a_broken_truth(write_wcxb: WriteWcxb, broken: str) -> None:
    root = write_wcxb({"1": ("<p>one", truth("one")), "2": ("<p>two", broken)})
    dataset = read_dataset("wcxb", root)
    assert [page.name for page in dataset.pages] == ["1"]
    assert dataset.left_out() == {"the ground truth is not the JSON expected": ["2"]}


@pytest.mark.parametrize(
    "odd",
    [
        {"ground_truth": {}},
        {"ground_truth": {"main_content": None}, "_internal": None, "url": None},
        {
            "ground_truth": {"main_content": ["x"]},
            "_internal": {"page_type": 3},
            "url": "http://[",
        },
        {"ground_truth": {"main_content": ""}, "_internal": {"page_type": "article"}},
    ],
)
def test_wcxb_without_a_text_or_type(
    write_wcxb: WriteWcxb, odd: dict[str, object]
) -> None:
    (page,) = read_dataset("wcxb", write_wcxb({"1": ("", odd)})).pages
    assert (page.gold, page.page_type, page.site, page.html) == (
        "",
        "article",
        "1",
        b"",
    )


def test_halves_of_characters_can_be_written(write_wcxb: WriteWcxb) -> None:
    odd = {"ground_truth": {"main_content": "a \ud800 b"}, "url": "http://\udfff/"}
    (page,) = read_dataset("wcxb", write_wcxb({"1": ("<p>a b", odd)})).pages
    assert page.gold == "a \\ud800 b"
    (page.gold + page.site + page.url).encode("utf-8")


def test_names_that_are_no_utf_8_can_be_written(tmp_path: Path) -> None:
    write(
        tmp_path,
        {os.fsdecode(b"caf\xe9.html"): "one", os.fsdecode(b"caf\xe9.txt"): "one"},
    )
    (page,) = read_dataset("folder", tmp_path).pages
    assert page.name == "caf\\udce9"
    assert page.html == b"one"


def test_wcxb_with_broken_metadata(write_wcxb: WriteWcxb) -> None:
    root = write_wcxb({"1": ("<p>one", truth("one"))}, ["no files"])
    with pytest.raises(InputError, match=r"metadata\.json.*files"):
        read_dataset("wcxb", root)


def test_gold_texts_with_tags_are_read_as_pages(tmp_path: Path) -> None:
    plain = "Rain\nIt rained for R&D."
    tags = "<h1>Rain</h1>\n<p>It rained\nfor <b>R&amp;D</b>.</p>"
    write(
        tmp_path,
        {
            "a.html": "<h1>Rain</h1><p>It rained for R&amp;D.</p>",
            "a.txt": tags,
            "b.html": "<p>A paragraph is &lt;p>one&lt;/p>.",
            "b.txt": "A paragraph is <p>one</p>.",
            "c.html": "<p>if a <b and b> c",
            "c.txt": "if a <b and b> c",
            "d.html": "<p>a</font> bit",
            "d.txt": "a</font> bit",
        },
    )
    dataset = read_dataset("folder", tmp_path)
    assert [page.gold for page in dataset.pages] == [
        plain,
        "A paragraph is <p>one</p>.",
        "if a <b and b> c",
        "a</font> bit",
    ]
    assert dataset.describe() == [
        "1 of 4 gold texts are HTML, read as a page without its tags (a)"
    ]


@pytest.mark.parametrize("folders", [("", ""), ("html", "text")])
def test_a_plain_folder(tmp_path: Path, folders: tuple[str, str]) -> None:
    html, text = (tmp_path / folder for folder in folders)
    write(
        html,
        {"a.html": "<p>one", "deep/a.htm.gz": gzip.compress(b"<p>two"), "b.html": ""},
    )
    write(
        text,
        {
            "a.txt": "\ufeffone",
            "deep/a.txt": "caf\xe9".encode("cp1252"),
            "c.txt": "alone",
        },
    )
    dataset = read_dataset("folder", tmp_path)
    assert [(page.name, page.html, page.gold) for page in dataset.pages] == [
        ("a", b"<p>one", "one"),
        ("deep/a", b"<p>two", "caf\xe9"),
    ]
    assert dataset.left_out() == {"no gold text": ["b"], "no page": ["c"]}


@pytest.mark.parametrize("name", DATASETS)
def test_what_is_no_dataset_is_said(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"file": "x", "folder/x": ""})
    for folder, found in {
        "missing": "nothing there",
        "file": "a file there",
        "folder": "",
    }.items():
        with pytest.raises(
            InputError, match=rf"expected .*{found and 'found '}{found}"
        ):
            read_dataset(name, tmp_path / folder)


def test_a_dataset_without_a_pair_says_why(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>one")
    with pytest.raises(InputError, match="1 of 1 pages left out: no gold text"):
        read_dataset("folder", tmp_path)


def test_the_manual_lists_every_dataset() -> None:
    manual = Path(datasets.__file__).with_name("README.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \|", manual, re.MULTILINE)
    assert rows == ["--dataset", *FORMATS]
    for name, known in FORMATS.items():
        (row,) = re.findall(rf"^\| `{name}` \| (.*?) \|", manual, re.MULTILINE)
        assert all(f"`{folder}/" in row for folder in known.folders)


def test_an_unknown_dataset_is_an_error_of_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="l3s-gn1, cleaneval, wcxb, snippets, folder"):
        read_dataset("dragnet", tmp_path)


@pytest.mark.slow
def test_cleaneval_as_it_is_published(
    outside_data: Callable[[str], Path], tmp_path: Path
) -> None:
    with tarfile.open(outside_data("cleaneval.tar.xz"), "r:xz") as archive:
        archive.extractall(tmp_path, filter="data")
    dataset = read_dataset("cleaneval", tmp_path / "cleaneval-final")
    assert len(dataset.pages) == 681
    assert {reason: len(names) for reason, names in dataset.left_out().items()} == {
        "no gold text": 59
    }
    assert len(read_dataset("cleaneval", tmp_path / "cleaneval-dev").pages) == 58


def test_snippets(snippets: Path) -> None:
    dataset = read_dataset("snippets", snippets)
    a, b = dataset.pages
    assert (a.name, a.site, a.url, a.language) == (
        "a",
        "pony.de",
        "https://www.pony.de/1",
        "de",
    )
    assert (a.wanted, a.unwanted, a.gold) == (("pony crossed",), ("Home", "News"), "")
    assert (b.site, b.language) == ("b", "")
    assert not dataset.has_gold


def test_snippets_count_what_is_missing_or_broken(snippets: Path) -> None:
    with (snippets / "snippets.jsonl").open("a") as file:
        file.write('{"name": "a", "with": ["x"]}\n{"name": "c", "with": ["x"]}\n')
        file.write('{"name": "d", "with": "x"}\n[]\n{"name": "e", "with": [" "]}\n{\n')
    (snippets / "html" / "f.html").write_text("<p>nobody knows")
    dataset = read_dataset("snippets", snippets)
    assert [page.name for page in dataset.pages] == ["a", "b"]
    assert {page.name: page.reason for page in dataset.skipped} == {
        "a": "another line has the same name",
        "c": "no page",
        "f": "no strings",
        **{f"line {n}": "no line of snippets.jsonl as expected" for n in (5, 6, 7, 8)},
    }
    (snippets / "snippets.jsonl").unlink()
    with pytest.raises(InputError, match=r"with snippets\.jsonl"):
        read_dataset("snippets", snippets)


@pytest.mark.parametrize(
    ("name", "site"),
    [
        ("20111215_www.bbc.co.uk_10ad28b1", "bbc.co.uk"),
        ("2011/news.stv.tv", "news.stv.tv"),
        ("0042", "0042"),
        ("a_b.c", "a_b.c"),
    ],
)
def test_a_host_in_a_name_is_the_site(tmp_path: Path, name: str, site: str) -> None:
    write(tmp_path, {f"{name}.html": "one", f"{name}.txt": "one"})
    (page,) = read_dataset("folder", tmp_path).pages
    assert page.site == site


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (["folder=x/greek"], ["folder"]),
        (["wcxb=x/data", "folder=x/greek"], ["wcxb", "greek"]),
        (["cleaneval=x/dev", "cleaneval=x/final"], ["dev", "final"]),
        (
            ["folder=x/daniel/greek", "folder=x/other/greek"],
            ["daniel-greek", "other-greek"],
        ),
        (["wcxb=x/a", "folder=x/wcxb"], ["wcxb", "x-wcxb"]),
        (["l3s-gn1=x", "cleaneval=x"], ["l3s-gn1", "cleaneval"]),
    ],
)
def test_datasets_are_told_apart(named: list[str], expected: list[str]) -> None:
    pairs = [one.split("=") for one in named]
    assert labels([(name, Path("/") / folder) for name, folder in pairs]) == expected


def test_a_dataset_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="once"):
        labels([("folder", tmp_path), ("folder", tmp_path / "." / "x" / "..")])


def test_labels_come_with_the_datasets(cleaneval: Path, snippets: Path) -> None:
    both = read_datasets([("cleaneval", cleaneval), ("snippets", snippets)])
    assert [dataset.label for dataset in both] == ["cleaneval", "snippets"]
    assert read_dataset("cleaneval", cleaneval).label == "cleaneval"


def test_webmainbench(webmainbench: Path) -> None:
    dataset = read_dataset("webmainbench", webmainbench)
    one, two = dataset.pages
    assert (one.name, one.site, one.page_type, one.language) == (
        "a",
        "pony.example",
        "hard",
        "en",
    )
    assert one.gold.startswith("# Poný\n\n")
    assert two.gold.endswith("and more of it")
    assert one.markdown
    assert "Poný</h1>" in one.utf8.decode()
    assert b"cc-select" not in one.html
    left = dataset.left_out()
    assert len(left["no line with track_id and html"]) == 6
    assert left["another line has the same track_id"] == ["a"]
    (webmainbench / "WebMainBench_9.jsonl").unlink()
    with pytest.raises(InputError, match="cannot read a of"):
        _ = one.html
    with pytest.raises(InputError, match="expected pages with gold texts of WebMainB"):
        read_dataset("webmainbench", webmainbench)
