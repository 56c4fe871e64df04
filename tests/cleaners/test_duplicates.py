"""find_duplicates: which documents are left out, for which twin, against all pairs compared."""
# ruff: noqa: S311

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest import mock

import pytest

from boilersweep import BlockStore, UsageError
from boilersweep.cleaners.duplicates import (
    Dedup,
    Duplicate,
    bands_of,
    by_shard,
    duplicates_csv,
    find_duplicates,
    shingles_of,
)
from boilersweep.cleaners.syntax.grammar import parse_cleaners
from tests.running import python
from tests.stores import make_store_of

EXACT, MINHASH = Dedup("exact"), Dedup("minhash")
EVERYTHING = parse_cleaners("words>=1")

MakeStore = Callable[..., BlockStore]


@pytest.fixture
def make_store(tmp_path: Path) -> MakeStore:
    return lambda *groups: make_store_of(tmp_path, *groups, on_duplicate="first")


def jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)


def twins(
    store: BlockStore, dedup: Dedup, cleaners: str = "words>=1"
) -> dict[str, str]:
    (found,) = find_duplicates(store, parse_cleaners(cleaners), dedup, store.path)
    return {one.docid: one.twin for one in found}


def words(dice: random.Random, count: int) -> list[str]:
    return [f"w{dice.randrange(500)}" for _ in range(count)]


def alike(dice: random.Random, count: int = 120) -> list[str]:
    """Texts, and others made of them by changing some words: similarities of every size."""
    texts: list[str] = []
    for _ in range(count):
        if texts and dice.random() < 0.6:
            share = dice.choice([0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1])
            one = [
                f"x{dice.random()}" if dice.random() < share else w
                for w in texts[-1].split()
            ]
        else:
            one = words(dice, dice.choice([1, 4, 5, 6, 30, 200, 400]))
        texts.append(" ".join(one))
    return texts


def expected(texts: Mapping[str, str], threshold: float) -> dict[str, str]:
    """Find the same by comparing each with all that stay."""
    stays: dict[str, set[str]] = {}
    found = {}
    for docid, text in texts.items():
        shingles = shingles_of(text)
        like = (
            one for one, those in stays.items() if jaccard(shingles, those) >= threshold
        )
        if (twin := next(like, None)) is None:
            stays[docid] = shingles
        else:
            found[docid] = twin
    return found


@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.8, 0.95, 1.0])
def test_minhash_finds_what_comparing_all_finds(
    make_store: MakeStore, threshold: float
) -> None:
    texts = {
        f"d{n:03d}": text
        for n, text in enumerate(alike(random.Random(int(threshold * 20))))
    }
    store = make_store({docid: f"<p>{text}" for docid, text in texts.items()})
    found = twins(store, Dedup("minhash", threshold))
    assert len(found) > 5
    assert found == expected(texts, threshold)


STORY = "<p>a story of eleven words that two sites tell in full"


SPACES: list[Mapping[str, str]] = [
    {"a": "<p>one  two<p>three four", "b": "<p>One two<p>three four"},
    {"c": "<b>one two three</b> four", "d": "<p>one two three four five"},
]
SITES: list[Mapping[str, str]] = [
    {"a": f"<p>menu one{STORY}", "b": f"{STORY}<p>all rights"}
]


@pytest.mark.parametrize(
    ("groups", "cleaner", "dedup", "found"),
    [
        (SPACES, "words>=1", EXACT, {"c": "a"}),  # the same text but for white space
        (SPACES, "words>=1", MINHASH, {"c": "a"}),
        (SITES, "words>=1", EXACT, {}),
        # The kept text counts and not the page
        (SITES, "words>=11", EXACT, {"b": "a"}),
    ],
)
def test_what_is_the_same(
    make_store: MakeStore,
    groups: list[Mapping[str, str]],
    cleaner: str,
    dedup: Dedup,
    found: dict[str, str],
) -> None:
    assert twins(make_store(*groups), dedup, cleaner) == found


def test_a_twin_is_one_that_stays(make_store: MakeStore) -> None:
    """Each is like the one before it, and the last not like the first: that stays, too."""
    base = [f"w{n}" for n in range(200)]
    chain = [base[3 * n :] + [f"x{m}" for m in range(3 * n)] for n in range(12)]
    texts = {f"d{n:02d}": " ".join(one) for n, one in enumerate(chain)}
    found = twins(make_store({d: f"<p>{t}" for d, t in texts.items()}), MINHASH)
    assert found == expected(texts, 0.8)
    assert not set(found.values()) & set(found)
    assert len(set(found.values())) > 1


def test_places_and_similarity(make_store: MakeStore, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    text = " ".join(f"w{n}" for n in range(30))
    store = make_store(
        {"a": "<p>first", "b": f"<p>{text}"},
        {
            "b": "<p>a docid again",
            "c": "<p>... ---",
            "d": f"<p>{text} end",
            "e": "<p>first",
        },
    )
    (found,) = find_duplicates(store, EVERYTHING, MINHASH, scratch)
    assert list(scratch.iterdir()) == []
    names = [shard["file"] for shard in store.manifest.shards]
    assert found == [
        Duplicate("d", "b", 26 / 27, names[1], 1),
        Duplicate("e", "a", 1.0, names[1], 2),
    ]
    left = store.without(by_shard(found))
    assert [d for columns in left.columns() for d in columns.docids] == ["a", "b", "c"]


def test_each_cleaner_has_its_own(make_store: MakeStore) -> None:
    store = make_store(
        {"a": "<p>one<p>two three four", "b": "<p>two three four", "c": "<p>one"}
    )
    found = find_duplicates(
        store, parse_cleaners("words>=1,words>=2"), EXACT, store.path
    )
    assert [[(one.docid, one.twin) for one in some] for some in found] == [
        [],
        [("b", "a")],
    ]


@pytest.mark.slow
def test_hostile_texts(make_store: MakeStore) -> None:
    huge = " ".join(f"w{n % 70_000}" for n in range(300_000))
    pages = {
        "empty": "",
        "mute": "<p>... ---",
        "mute-again": "<p>... ---",
        "one": "<p>one",
        "one-again": "<p>one",
        "surrogate": "<p>a &#xd800; b \udfff c",
        "surrogate-again": "<p>a &#xd800; b \udfff c",
        "huge": f"<p>{huge}",
        "huge-again": f"<p>{huge} more",
        "long": f"<p>{'w' * 1_000_000}",
        "long-again": f"<p>{'w' * 1_000_000}",
    }
    found = {
        docid: docid.removesuffix("-again")
        for docid in pages
        if docid.endswith("again")
    }
    del found["mute-again"]
    store = make_store(pages)
    assert twins(store, MINHASH) == found
    del found["huge-again"]
    assert twins(store, EXACT) == found


def test_scripts_without_spaces_are_compared_by_characters() -> None:
    assert shingles_of("天地玄黄宇宙") == {"天 地 玄 黄 宇", "地 玄 黄 宇 宙"}
    assert shingles_of("ไทย abc") == {"ไ ท ย abc"}
    assert shingles_of("한국어 는 다섯 단어 이상") == {"한국어 는 다섯 단어 이상"}
    dice = random.Random(3)
    text = "".join(chr(dice.randrange(0x4E00, 0x9FA5)) for _ in range(400))
    other = text[:200] + "新" + text[200:]
    assert 0.97 < jaccard(shingles_of(text), shingles_of(other)) < 0.99


def test_nearly_every_pair_shares_a_band() -> None:
    assert bands_of(0.8) == (25, 5)
    assert bands_of(1.0) == (1, 128)
    for hundredths in range(50, 101):
        bands, rows = bands_of(hundredths / 100)
        assert bands * rows <= 128
        assert (1 - (hundredths / 100) ** rows) ** bands <= 1e-4


def test_sketches_are_the_same_on_every_machine() -> None:
    """What rensa makes of some words, in another process: seeds are not of the process."""
    code = (
        "import zlib, rensa; s = rensa.RMinHash(num_perm=125, seed=1);"
        "s.update(list({f'some words {n}' for n in range(300)}));"
        "print(zlib.crc32(repr(s.digest()).encode()))"
    )
    assert int(python("-c", code).stdout) == 1139664203


@pytest.mark.parametrize(
    ("method", "threshold", "said"),
    [
        ("simhash", 0.8, "expected one of exact, minhash"),
        ("minhash", 0.49, "from 0.5 to 1"),
        ("minhash", 1.01, "from 0.5 to 1"),
        ("minhash", float("nan"), "from 0.5 to 1"),
    ],
)
def test_what_cannot_be_is_refused(method: str, threshold: float, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Dedup(method, threshold)


def test_without_rensa_the_extra_is_named(make_store: MakeStore) -> None:
    store = make_store({"a": "<p>one"})
    with mock.patch("boilersweep.extras.find_spec", return_value=None):
        assert twins(store, EXACT) == {}
        with pytest.raises(UsageError, match=r"pip install 'rensa>="):
            twins(store, MINHASH)
        with pytest.raises(UsageError, match="rensa"):
            MINHASH.identity()


def test_the_list_of_duplicates() -> None:
    some = [
        Duplicate("=b", "a,\n", 0.87654, "shard", 1),
        Duplicate("c", "a", 1.0, "shard", 2),
    ]
    text = duplicates_csv({"bte": some, "learned": []})
    assert text.splitlines()[0] == "docid,twin,similarity,cleaner"
    assert "'=b" in text
    assert "0.8765,bte" in text
