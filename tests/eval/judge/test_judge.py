"""Cleaners run over datasets."""

import math
from collections.abc import Callable
from dataclasses import fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from boilersweep import InputError, UsageError
from boilersweep.cleaners.learned.model import page_digest
from boilersweep.cleaners.published.filters import LinkQuota, Site
from boilersweep.cleaners.rules import Comparison
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.eval.judge import judge as judging
from boilersweep.eval.judge.datasets import Dataset, JudgedPage, read_dataset
from boilersweep.eval.judge.judge import content_digest, judge
from boilersweep.extractors.registry import Extractor
from boilersweep.pages.page import Page
from boilersweep.pages.segmenter import Segmenter
from tests.eval.judge.conftest import STORY, WriteWcxb, write

EVERYTHING = Comparison("words", ">=", 1)
LONG = Comparison("words", ">=", 3)


def test_rules_by_hand(l3s: Path) -> None:
    dataset = read_dataset("l3s-gn1", l3s)
    everything, long = judge(dataset, [EVERYTHING, LONG]).judgements
    # Page a: 2 words of navigation, 2 + 13 + 2 of gold; b: 2 of navigation, 3 gold, 2 related.
    assert [score.bag.precision for score in everything.scores] == pytest.approx(
        [17 / 19, 3 / 7]
    )
    assert [score.bag.recall for score in everything.scores] == [1, 1]
    # The story alone has three words in a block; nothing of page b is left.
    assert [score.bag.recall for score in long.scores] == pytest.approx([13 / 17, 0])
    assert [score.bag.precision for score in long.scores] == [1, 0]
    assert [score.empty for score in long.scores] == [False, True]
    assert (long.empty, long.failed, everything.empty) == (1, 0, 0)
    assert long.seconds > 0
    assert long.ms_per_page == pytest.approx(1000 * long.seconds / 2)


def test_a_rule_counts_over_the_pages_of_a_host(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {}
    for number, host in enumerate(["www.pony.org"] * 5 + ["few.org"] * 4 + [""] * 6):
        name = f"2012_{host}_{number}" if host else f"page{number}"
        page = f"<title>{number}</title><p>Subscribe now<p>Story {number}"
        files |= {f"{name}.html": page, f"{name}.txt": f"Story {number}"}
    dataset = read_dataset("folder", write(tmp_path, files))
    everything, site = judge(dataset, [EVERYTHING, Site(EVERYTHING)]).judgements
    assert [score.bag.f1 for score in everything.scores] == pytest.approx([2 / 3] * 15)
    # Names are sorted: the hosts of five pages, of four, and pages without a host.
    of_host = {
        p.name: s.bag.f1 for p, s in zip(dataset.pages, site.scores, strict=True)
    }
    changed = [name for name, f1 in of_host.items() if f1 == 1]
    assert changed == [f"2012_www.pony.org_{number}" for number in range(5)]
    assert judge(dataset, [Site(EVERYTHING)]).counted == 5
    assert judge(dataset, [EVERYTHING]).counted is None


def test_blocks_with_classes_count_over_the_host_too(l3s: Path) -> None:
    mapping = (l3s / "l3s" / "url-mapping.txt").read_text()
    for number in range(4):
        page = f"<title>{number}</title><p>Nice one"
        marked = page.replace("Nice", '<span class="x-nc-sel2">Nice</span>')
        write(l3s / "l3s" / "original", {f"c{number}.html": page})
        write(l3s / "l3s" / "annotated", {f"c{number}.html": marked})
        mapping += f"<urn:uuid:c{number}>\thttp://www.pony.co.uk/c{number}\n"
    write(l3s / "l3s", {"url-mapping.txt": mapping})
    dataset = read_dataset("l3s-gn1", l3s)
    everything, site = judge(dataset, [EVERYTHING, Site(EVERYTHING)]).judgements
    assert everything.blocks is not None
    assert site.blocks is not None
    # "Nice one" is on all five pages of pony.co.uk, and on each of them content.
    content = 2 + 13 + 2 + 3 + 4 * 2
    assert everything.blocks.content_recall == 1
    assert site.blocks.content_recall == pytest.approx((content - 10) / content)


def comment(html: str) -> str:
    """Extract the comment of page a; fail on page b."""
    return html[html.index("Nice") :].partition("<")[0]


@pytest.mark.slow
def test_a_rule_may_read_extractors_texts(l3s: Path) -> None:
    name = f"{__name__}:comment"
    rules = [parse_rule(f"{name} | words>=3"), parse_rule(f"!{name}"), LONG, EVERYTHING]
    either, rest, long, everything = judge(
        read_dataset("l3s-gn1", l3s), rules
    ).judgements
    (reason,) = either.failures
    assert reason.startswith(f"{name} failed on the page (ValueError")
    assert either.failures[reason] == ["b"]
    assert [score.bag.recall for score in either.scores] == pytest.approx([15 / 17, 0])
    assert [score.bag.recall for score in rest.scores] == pytest.approx([15 / 17, 1])
    # Where it fails it holds no block, and the rest of the rule goes on.
    assert either.scores[1] == long.scores[1]
    assert rest.scores[1] == everything.scores[1]
    assert either.blocks is not None
    assert either.blocks.content_recall == pytest.approx(15 / 20)
    with pytest.raises(UsageError, match="no cleaner is named 'nowhere'"):
        judge(read_dataset("l3s-gn1", l3s), [parse_rule("!nowhere")])


def test_blocks_of_annotated_pages_are_scored(l3s: Path) -> None:
    everything, long = judge(
        read_dataset("l3s-gn1", l3s), [EVERYTHING, LONG]
    ).judgements
    # Words of content: 17 and 3 ("Short", "bold", "text"); of boilerplate 2 and 4.
    assert everything.blocks
    assert (everything.blocks.content_precision, everything.blocks.auc) == (
        20 / 26,
        0.5,
    )
    assert long.blocks
    assert (long.blocks.content_precision, long.blocks.content_recall) == (1, 13 / 20)


def test_cleaners_that_need_the_structure_get_it(l3s: Path) -> None:
    dataset = read_dataset("l3s-gn1", l3s)
    both = judge(dataset, [EVERYTHING, LinkQuota(0)]).judgements
    assert [one.cleaner for one in both] == ["words>=1", "link-quota(0)"]
    # Navigation and related links go
    assert [score.bag.f1 for score in both[1].scores] == [1, 1]
    assert judge(dataset, [EVERYTHING]).judgements[0].scores == both[0].scores


def test_extractors_get_the_decoded_page(cleaneval: Path) -> None:
    pages: list[str] = []

    def keep(html: str) -> str:
        pages.append(html)
        return html.rpartition("<p>")[2]

    (found,) = judge(
        read_dataset("cleaneval", cleaneval), [Extractor("mine", keep)]
    ).judgements
    assert found.cleaner == "mine"
    assert [score.bag.precision for score in found.scores] == [1, 1]
    assert pages[1].endswith("<p>caf\xe9 open")
    assert found.blocks is None


def deep(html: str) -> str:
    if "caf" in html:
        raise RecursionError("too deep\nfor me")
    return "pony"


def unlucky(html: str) -> str:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("extract", "failures"),
    [
        (deep, {"RecursionError: too deep": ["10"]}),
        (unlucky, {"ZeroDivisionError: without a message": ["2", "10"]}),
        (len, {"TypeError: expected a text, got int": ["2", "10"]}),
    ],
)
def test_an_extractor_that_fails_leaves_nothing_there(
    cleaneval: Path, extract: Callable[[str], str], failures: dict[str, list[str]]
) -> None:
    extractor = Extractor("mine", extract)
    (found,) = judge(read_dataset("cleaneval", cleaneval), [extractor]).judgements
    assert found.failures == failures
    failed = {name for names in failures.values() for name in names}
    assert [score.empty for score in found.scores] == ["2" in failed, "10" in failed]
    assert found.failed == found.empty == len(failed)


def test_a_page_that_cannot_be_parsed_leaves_nothing(
    cleaneval: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Fragile(Segmenter):
        def html(self, utf8: bytes) -> Page:
            if b"caf" in utf8:
                raise ValueError("no tag")
            return super().html(utf8)

    monkeypatch.setattr(judging, "make_segmenter", Fragile)
    (found,) = judge(read_dataset("cleaneval", cleaneval), [EVERYTHING]).judgements
    assert found.failures == {"the page cannot be parsed: no tag": ["10"]}
    assert [score.empty for score in found.scores] == [False, True]


def test_batches_do_not_show(
    write_wcxb: WriteWcxb, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = {"ground_truth": {"main_content": "one two three"}}
    pages = {
        str(n): (f"<p>menu<p>one two three {'more ' * n}", truth) for n in range(5)
    }
    dataset = read_dataset("wcxb", write_wcxb(pages))
    whole = judge(dataset, [LONG])
    monkeypatch.setattr(judging, "BATCH", 2)
    parts = judge(dataset, [LONG])
    assert replace(parts.judgements[0], seconds=0) == replace(
        whole.judgements[0], seconds=0
    )
    assert (parts.digest, parts.pages) == (whole.digest, whole.pages)


def test_empty_pages_and_texts(write_wcxb: WriteWcxb) -> None:
    empty: dict[str, object] = {"ground_truth": {"main_content": ""}}
    some: dict[str, object] = {"ground_truth": {"main_content": "one two three"}}
    pages = {"1": ("", empty), "2": ("", some), "3": ("<p>one two three", empty)}
    (found,) = judge(read_dataset("wcxb", write_wcxb(pages)), [LONG]).judgements
    assert [score.word.f1 for score in found.scores] == [1, 0, 0]
    assert [score.empty for score in found.scores] == [True, True, False]


def test_the_digest_is_of_all_that_is_known_of_a_page(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<p>a b c")
    page = JudgedPage("a", path, None, "a", "a.org")
    changed: dict[str, Any] = {
        "name": "b",
        "charset": "koi8-r",
        "gold": "b",
        "site": "b.org",
        "url": "http://a.org",
        "page_type": "forum",
        "annotated": path,
        "language": "el",
        "title": "t",
        "wanted": ("a",),
        "unwanted": ("c",),
        "is_read_as_html": True,
        "labelled": "<p> a",
    }
    assert {"path", *changed} == {field.name for field in fields(JudgedPage)}
    pages = [page, *(replace(page, **{name: value}) for name, value in changed.items())]
    digests = [content_digest(Dataset("folder", tmp_path, [one])) for one in pages]
    assert len(set(digests)) == len(pages)
    assert digests[0] == judge(Dataset("folder", tmp_path, [page]), [LONG]).digest
    path.rename(elsewhere := tmp_path / "b.html")
    moved = Dataset("folder", tmp_path, [replace(page, path=elsewhere)])
    assert content_digest(moved) == digests[0]


def test_the_digest_follows_the_marks_in_a_page(l3s: Path) -> None:
    dataset = read_dataset("l3s-gn1", l3s)
    before = content_digest(dataset)
    annotated = dataset.pages[0].annotated
    assert annotated
    annotated.write_bytes(annotated.read_bytes() + b"<!-- x-nc-sel4 -->")
    assert content_digest(dataset) != before


def test_a_cleaner_twice_is_an_error(cleaneval: Path) -> None:
    with pytest.raises(UsageError, match="words>=3 more often"):
        judge(read_dataset("cleaneval", cleaneval), [LONG, EVERYTHING, LONG])


def test_a_page_that_vanishes_is_an_error(cleaneval: Path) -> None:
    dataset = read_dataset("cleaneval", cleaneval)
    (cleaneval / "input" / "10.html").unlink()
    with pytest.raises(InputError, match=r"10\.html"):
        judge(dataset, [LONG])


def test_strings_in_place_of_gold_texts(snippets: Path) -> None:
    (found,) = judge(read_dataset("snippets", snippets), [LONG]).judgements
    a, b = found.scores
    assert (a.balanced, a.empty) == (1, False)
    # Page b has no block of three words: all three strings are gone, one of which should be.
    assert (b.balanced, b.empty) == (0.5, True)
    assert math.isnan(a.word.f1)


def test_pages_are_known_by_their_decoded_bytes(cleaneval: Path) -> None:
    dataset = read_dataset("cleaneval", cleaneval)
    pages = judge(dataset, [LONG]).pages
    assert pages == [page_digest(page.utf8) for page in dataset.pages]


def test_the_digest_tells_strings_to_keep_from_strings_to_drop(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<p>a b c")
    split = [
        (("a", "b"), ("c",)),
        (("a",), ("b", "c")),
        (("a", "b", "c"), ()),
        (("a\0b",), ("c",)),
    ]
    pages = [
        JudgedPage("a", path, None, "", "a", wanted=wanted, unwanted=unwanted)
        for wanted, unwanted in split
    ]
    digests = {content_digest(Dataset("snippets", tmp_path, [page])) for page in pages}
    assert len(digests) == len(split)


@pytest.mark.skipif(find_spec("jieba") is None, reason="the extra boards is missing")
def test_markdown_is_compared_by_runs_of_five_words(webmainbench: Path) -> None:
    dataset = read_dataset("webmainbench", webmainbench)
    text = Extractor(
        "text", lambda html: f"# Poný\n\n{STORY}\n" if "Pon" in html else ""
    )
    everything, long, extracted = judge(dataset, [EVERYTHING, LONG, text]).judgements
    one, two = long.scores
    # Without the heading of page a; of b all: the address of its link is not written.
    assert one.bag.precision == 1
    assert one.bag.recall == 0.75
    assert (two.bag.f1, two.word.f1) == (1, 1)
    assert (extracted.scores[0].bag.f1, extracted.scores[1].bag.f1) == (1, 0)
    assert everything.scores[0].bag.recall == pytest.approx(
        27 / 28
    )  # no line break at the end
    assert everything.scores[0].bag.precision < 0.95
    assert everything.failed == 0
