"""How often texts occur in a collection, and on how many pages of their host."""

import random
from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.features import recurrence as features
from boilersweep.features.recurrence import (
    LEAST_PAGES,
    Address,
    SiteTexts,
    block_frequencies,
    site_texts,
    text_hashes,
)
from boilersweep.pages.columns import BlockColumns, columns_of
from boilersweep.pages.segmenter import Segmenter

Document = tuple[Address, tuple[str, ...]]


def document(
    number: int, *texts: str, title: str | None = None, host: str = "a.org"
) -> Document:
    title = f"title {number}" if title is None else title
    return Address(f"d{number}", f"http://{host}/{number}", title), texts


def columns(documents: list[Document]) -> BlockColumns:
    pages = ["".join(f"<p>{text}</p>" for text in texts) for _, texts in documents]
    return columns_of(
        [address.docid for address, _ in documents],
        [Segmenter().html(page.encode()) for page in pages],
    )


def counted(*shards: list[Document]) -> SiteTexts:
    addresses = (address for shard in shards for address, _ in shard)
    return site_texts(addresses, map(columns, shards))


def recurrence(sites: SiteTexts, *texts: str, host: str = "a.org") -> list[int]:
    one = columns([document(0, *texts)])
    return list(map(int, sites.recurrence(one, [host])))


def test_a_page_counts_once_and_what_stands_on_one_not_at_all() -> None:
    documents = [
        document(n, "Home", "Home", "News" if n < 2 else f"own {n}") for n in range(5)
    ]
    sites = counted(documents)
    assert sites.pages == {"a.org": 5}
    assert sites.addressed == 5
    assert recurrence(sites, "Home", "News", "own 3", "home", "Home News") == [
        5,
        2,
        0,
        0,
        0,
    ]
    assert recurrence(sites, "Home", host="b.org") == [0]


# The same article under four addresses would else be its host's boilerplate.
STORY = [document(n, "Home", "A story", title="Story") for n in range(4)]
FEW = [document(n, "Home") for n in range(LEAST_PAGES - 1)]


@pytest.mark.parametrize(
    ("documents", "pages", "counts"),
    [
        pytest.param([], {}, [0, 0], id="no documents"),
        pytest.param(FEW, {}, [0, 0], id="few pages"),
        pytest.param(
            STORY + [document(n, "Home") for n in range(4, 8)], {"a.org": 5}, [5, 0]
        ),
        pytest.param(
            [document(n, "Home", title="x") for n in range(9)],
            {},
            [0, 0],
            id="one title",
        ),
        pytest.param(
            [document(n, "Home", title="") for n in range(5)], {"a.org": 5}, [5, 0]
        ),
        pytest.param(
            [(Address(f"d{n}", "", ""), ("Home",)) for n in range(9)], {}, [0, 0]
        ),
        pytest.param(
            [(Address(f"http://a.org/{n}", "", ""), ("Home",)) for n in range(5)],
            {"a.org": 5},
            [5, 0],
            id="a docid may be the address",
        ),
    ],
)
def test_which_pages_count(
    documents: list[Document], pages: dict[str, int], counts: list[int]
) -> None:
    sites = counted(documents)
    assert sites.pages == pages
    assert recurrence(sites, "Home", "A story") == counts


@pytest.mark.parametrize(
    ("own", "elsewhere", "count"),
    [
        ("A story", "<a>A story</a>", 0),
        ("<a>A story</a>", "A story", 0),
        ("<a>A story</a>", "<a>A story</a>", 4),
        ("A story", "A story", 4),
        ("A <a>story</a>", "A story", 4),
        ("A new <a>story</a>", "<a>A new story</a>", 0),
    ],
)
def test_a_headline_and_the_links_to_it_are_two_texts(
    own: str, elsewhere: str, count: int
) -> None:
    # Half of the words or less in links: no link.
    others = [document(n, elsewhere) for n in range(4)]
    sites = counted([*others, document(4, own)])
    assert recurrence(sites, own) == [count and count + 1]


_documents = st.lists(
    st.tuples(
        st.sampled_from(["a.org", "b.org", ""]),
        st.sampled_from(["", "t", "u", "v", "w", "x"]),
        st.lists(st.sampled_from("abcdef"), max_size=4).map(tuple),
    ),
    max_size=24,
)


@given(_documents, st.randoms(use_true_random=False), st.integers(1, 5))
def test_neither_order_nor_shards_matter(
    made: list[tuple[str, str, tuple[str, ...]]], dice: random.Random, size: int
) -> None:
    documents = [
        (Address(f"d{number}", f"http://{host}/" if host else "", title), texts)
        for number, (host, title, texts) in enumerate(made)
    ]
    whole = counted(documents)
    dice.shuffle(documents)
    shards = [
        documents[start : start + size] for start in range(0, len(documents), size)
    ]
    other = counted(*shards)
    assert whole.pages == other.pages
    for host in whole.pages:
        assert recurrence(whole, *"abcdef", host=host) == recurrence(
            other, *"abcdef", host=host
        )


@given(_documents)
def test_as_counted_one_by_one(made: list[tuple[str, str, tuple[str, ...]]]) -> None:
    documents = [
        (
            Address(
                f"d{number}", f"http://{host}/" if host else "", f"{number} {title}"
            ),
            texts,
        )
        for number, (host, title, texts) in enumerate(made)
    ]
    pages: dict[str, int] = defaultdict(int)
    texts: dict[tuple[str, str], int] = defaultdict(int)
    for host, _, of_page in made:
        pages[host] += 1
        for text in set(of_page):
            texts[host, text] += 1
    sites = counted(documents)
    assert sites.pages == {h: n for h, n in pages.items() if h and n >= LEAST_PAGES}
    for host in ("a.org", "b.org", ""):
        expected = [texts[host, t] if host in sites.pages else 0 for t in "abcdef"]
        assert recurrence(sites, *"abcdef", host=host) == [
            n if n > 1 else 0 for n in expected
        ]


def blocks(*texts: str) -> BlockColumns:
    return columns([document(0, *texts)])


def test_counts_over_the_collection() -> None:
    counted = block_frequencies([blocks("Home", "News"), blocks("Home"), blocks()])
    assert counted.of(text_hashes(["Home", "News", "home", ""])).tolist() == [
        2,
        1,
        0,
        0,
    ]
    assert len(counted.hashes) == 2


def test_an_empty_collection() -> None:
    assert block_frequencies([]).of(text_hashes(["a", "b"])).tolist() == [0, 0]
    assert block_frequencies([blocks()]).of(text_hashes([])).tolist() == []


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), max_size=6))
def test_merging_now_and_then_changes_nothing(shards: list[list[str]]) -> None:
    expected = Counter(text for shard in shards for text in shard)
    for pending in (1, features._PENDING):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(features, "_PENDING", pending)
            counted = block_frequencies(blocks(*shard) for shard in shards)
            assert counted.of(text_hashes(list("abcdef"))).tolist() == [
                expected[text] for text in "abcdef"
            ]
            assert counted.counts.sum() == expected.total()
