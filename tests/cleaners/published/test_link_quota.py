"""The link quota filter, by hand."""

import pytest

from boilersweep.cleaners.published.link_quota import LinkQuota
from boilersweep.errors import UsageError
from tests.cleaners.conftest import Kept

PAGE = (
    "<div><h1>Three linked words? No.</h1>"
    "<ul><li><a>one two</a></li><li>three</li></ul>"
    "<p>four <a>five</a></p></div>"
)


def test_elements_above_the_quota_go_with_all_in_them(kept: Kept) -> None:
    # ul has 2 of 3 words linked, .67, p 1 of 2, the div 3 of 9.
    assert kept(LinkQuota(), PAGE) == [["Three linked words? No.", "four five"]]
    assert kept(LinkQuota(0.7), PAGE) == [["Three linked words? No.", "three", "four five"]]
    assert kept(LinkQuota(1), PAGE) == [
        ["Three linked words? No.", "one two", "three", "four five"]
    ]
    assert kept(LinkQuota(0.4), PAGE) == [["Three linked words? No."]]
    assert kept(LinkQuota(0.33), PAGE) == [[]]


def test_a_page_is_no_list_of_links(kept: Kept) -> None:
    # body has 9 of 10 words linked, and stays; the p goes.
    page = "<body><p><a>1 2 3 4 5 6 7 8 9</a></p>ten</body>"
    assert kept(LinkQuota(), page, page) == [["ten"], ["ten"]]


def test_names_and_errors() -> None:
    assert str(LinkQuota()) == "link-quota"
    assert str(LinkQuota(0.75)) == "link-quota(0.75)"
    for quota in (-0.1, 1.1, float("nan")):
        with pytest.raises(UsageError, match="from 0 to 1"):
            LinkQuota(quota)
