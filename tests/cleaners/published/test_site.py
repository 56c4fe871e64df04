"""The site filter."""

from dataclasses import replace

import numpy as np
import pytest

import boilersweep
from boilersweep.cleaners.language.grammar import parse_cleaner, parse_rule
from boilersweep.cleaners.language.variants import Variant, parse_sweep
from boilersweep.cleaners.published.boilerpipe import KeepEverything
from boilersweep.cleaners.published.site import Site
from boilersweep.cleaners.rules import RECURRENCE, STRUCTURE, TEXTS, Comparison
from boilersweep.cleaners.selection import needs_of
from boilersweep.errors import UsageError
from boilersweep.pages.columns import columns_of, documents_of
from boilersweep.pages.segmenter import Segmenter

PAGES = [Segmenter().html(html) for html in (b"<p>a<p>b b<p>c c<p>d", b"<p>e e")]
ALONE = columns_of(["x", "y"], PAGES)
COLUMNS = replace(ALONE, recurrence=np.array([9, 3, 2, 0, 5]))


def test_what_recurs_on_enough_pages_goes() -> None:
    everything = KeepEverything()
    assert Site(everything).mask(COLUMNS).tolist() == [False, False, True, True, False]
    assert Site(everything, 2).mask(COLUMNS).tolist() == [False, False, False, True, False]
    assert Site(everything, 9).mask(COLUMNS).tolist() == [False, True, True, True, True]


def test_it_keeps_of_what_its_cleaner_keeps() -> None:
    longer = Comparison("words", ">=", 2)
    assert Site(longer, 4).mask(COLUMNS).tolist() == [False, True, True, False, False]


def test_some_documents_of_the_columns() -> None:
    some = documents_of(COLUMNS, np.array([False, True]))
    assert Site(KeepEverything(), 6).mask(some).tolist() == [True]
    assert documents_of(ALONE, np.array([False, True])).recurrence is None


def test_the_text_of_a_cleaner() -> None:
    rule = parse_rule("site( learned )")
    assert str(rule) == "site(learned, 3)"
    assert parse_rule(str(rule)) == rule
    assert rule.needs == TEXTS | STRUCTURE | RECURRENCE
    assert needs_of([parse_cleaner("weighted(site(words>=2) | bte, 2)")]) == rule.needs
    assert Variant(parse_rule("site(words>=11, 5)")).name == "site-words-ge-11-5"
    assert [str(v) for v in parse_sweep("site(bte, {2:4})").thresholds] == [
        "site(bte, 2)",
        "site(bte, 3)",
        "site(bte, 4)",
    ]


@pytest.mark.parametrize("pages", ["1", "0", "2.5"])
def test_pages_are_two_at_least(pages: str) -> None:
    with pytest.raises(UsageError, match=f"expected a whole number of pages from 2, got {pages}"):
        parse_rule(f"site(bte, {pages})")


def test_blocks_without_their_recurrence_are_refused() -> None:
    with pytest.raises(UsageError, match=r"site\(keep-everything, 3\) counts over the pages of a"):
        Site(KeepEverything()).mask(ALONE)


def test_a_page_alone_is_refused() -> None:
    for call in (boilersweep.clean, boilersweep.blocks):
        with pytest.raises(UsageError, match="expected a cleaner of a page alone, got !site"):
            call("<p>one", "!site(words>=2)")
    with pytest.raises(UsageError, match="clean: expected a cleaner of a page alone"):
        boilersweep.clean_many(["<p>one"], cleaner="site(words>=2)", workers=2)
