"""The site filter."""

from dataclasses import replace

import numpy as np
import pytest

import boilersweep
from boilersweep import UsageError, parse_cleaner
from boilersweep.cleaners.published.boilerpipe import KeepEverything
from boilersweep.cleaners.published.filters import Site
from boilersweep.cleaners.rules import Comparison
from boilersweep.cleaners.selection import needs_of
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.cleaners.syntax.variants import parse_sweep
from boilersweep.pages.columns import (
    RECURRENCE,
    STRUCTURE,
    TEXTS,
    columns_of,
    documents_of,
)
from boilersweep.pages.segmenter import Segmenter

PAGES = [Segmenter().html(html) for html in (b"<p>a<p>b b<p>c c<p>d", b"<p>e e")]
ALONE = columns_of(["x", "y"], PAGES)
COLUMNS = replace(ALONE, recurrence=np.array([9, 3, 2, 0, 5]))


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        (Site(KeepEverything()), [0, 0, 1, 1, 0]),
        (Site(KeepEverything(), 2), [0, 0, 0, 1, 0]),
        (Site(KeepEverything(), 9), [0, 1, 1, 1, 1]),
        (Site(Comparison("words", ">=", 2), 4), [0, 1, 1, 0, 0]),
    ],
    ids=str,
)
def test_what_recurs_on_enough_pages_goes(rule: Site, kept: list[int]) -> None:
    assert rule.mask(COLUMNS).tolist() == list(map(bool, kept))


def test_some_documents_of_the_columns() -> None:
    some = documents_of(COLUMNS, np.array([False, True]))
    assert Site(KeepEverything(), 6).mask(some).tolist() == [True]
    assert documents_of(ALONE, np.array([False, True])).recurrence is None


def test_what_it_needs_is_known_through_weights_and_its_pages_are_swept() -> None:
    needs = TEXTS | STRUCTURE | RECURRENCE
    assert needs_of([parse_cleaner("weighted(site(words>=2) | bte, 2)")]) == needs
    swept = parse_sweep("site(bte, {2:3})").thresholds
    assert [str(v) for v in swept] == ["site(bte, 2)", "site(bte, 3)"]


@pytest.mark.parametrize("pages", ["1", "0", "2.5"])
def test_pages_are_two_at_least(pages: str) -> None:
    with pytest.raises(
        UsageError, match=f"expected a whole number of pages from 2, got {pages}"
    ):
        parse_rule(f"site(bte, {pages})")


@pytest.mark.application("cleaning")
def test_a_page_alone_is_refused() -> None:
    for call in (boilersweep.clean, boilersweep.blocks):
        with pytest.raises(
            UsageError, match="expected a cleaner of a page alone, got !site"
        ):
            call("<p>one", "!site(words>=2)")
    with pytest.raises(UsageError, match="clean: expected a cleaner of a page alone"):
        boilersweep.clean_many(["<p>one"], cleaner="site(words>=2)", workers=2)
