"""Groups of pages that stand on one side of a split."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from boilersweep.eval.judge.datasets import JudgedPage
from boilersweep.eval.judge.leaks import groups, near_duplicates
from boilersweep.pages.metadata_values import domain_of

STORY = " ".join(f"word{number}" for number in range(30))


def page(name: str, site: str, gold: str = "") -> JudgedPage:
    return JudgedPage(name, Path(name), None, gold, site)


def test_groups_join_sites_and_near_duplicates() -> None:
    pages = [
        page("0", "a.example", "one of its own"),
        page("1", "b.example", STORY),
        page("2", "news.a.example"),
        page("3", "c.example", f"{STORY} and a little more".upper()),
        page("4", "d.example", "another text altogether"),
        page("5", "c.example", "which is on the site of a duplicate"),
    ]
    assert groups(pages) == [0, 1, 0, 1, 2, 1]
    assert groups([]) == []


def test_resemblance_by_hand() -> None:
    # 30 words have 26 shingles of five. With 25 more words behind, 51: 26 / 51 is above a half;
    # with 27 more, 53: 26 / 53 is below.
    more = [f"more{number}" for number in range(27)]
    assert near_duplicates([STORY, " ".join([STORY, *more[:25]])]) == [(0, 1)]
    assert near_duplicates([STORY, " ".join([STORY, *more])]) == []


def test_short_and_empty_texts() -> None:
    assert near_duplicates(["", "", "Two words", "two, WORDS", "two"]) == [(2, 3)]


@given(st.lists(st.sampled_from(["a.x", "b.x", "c.y", "d.z"]), max_size=8))
def test_pages_of_a_domain_are_one_group(sites: list[str]) -> None:
    found = groups([page(str(number), site) for number, site in enumerate(sites)])
    pairs = {(domain_of(site), group) for site, group in zip(sites, found, strict=True)}
    assert len(pairs) == len({domain for domain, _ in pairs}) == len(set(found))
    assert sorted(set(found)) == list(range(len(set(found))))
