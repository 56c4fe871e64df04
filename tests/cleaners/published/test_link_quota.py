"""The link quota filter, by hand."""

import pytest

from boilersweep import UsageError
from boilersweep.cleaners.published.filters import LinkQuota
from tests.cleaners.conftest import Kept

PAGE = (
    "<div><h1>Three linked words? No.</h1>"
    "<ul><li><a>one two</a></li><li>three</li></ul>"
    "<p>four <a>five</a></p></div>"
)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        # ul has 2 of 3 words linked, .67, p 1 of 2, the div 3 of 9.
        (LinkQuota(), ["Three linked words? No.", "four five"]),
        (LinkQuota(0.7), ["Three linked words? No.", "three", "four five"]),
        (LinkQuota(1), ["Three linked words? No.", "one two", "three", "four five"]),
        (LinkQuota(0.4), ["Three linked words? No."]),
        (LinkQuota(0.33), []),
    ],
    ids=str,
)
def test_elements_above_the_quota_go_with_all_in_them(
    kept: Kept, rule: LinkQuota, expected: list[str]
) -> None:
    assert kept(rule, PAGE) == [expected]


def test_a_page_is_no_list_of_links(kept: Kept) -> None:
    # body has 9 of 10 words linked, and stays; the p goes.
    page = "<body><p><a>1 2 3 4 5 6 7 8 9</a></p>ten</body>"
    assert kept(LinkQuota(), page, page) == [["ten"], ["ten"]]


@pytest.mark.parametrize("quota", [-0.1, 1.1, float("nan")])
def test_quotas_are_shares(quota: float) -> None:
    with pytest.raises(UsageError, match="from 0 to 1"):
        LinkQuota(quota)
