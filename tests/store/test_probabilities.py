"""A model's probabilities beside the shards: they change no result, and no other model has them."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from boilersweep import Segmentation, add_extractors, segment_collection, update_collection
from boilersweep.cleaners.learned.cleaner import SHIPPED, Learned
from boilersweep.cleaners.learned.inference import RatedRows
from boilersweep.cleaners.learned.model import Network, load_model, save_model
from boilersweep.errors import StoreError, UsageError
from boilersweep.store import probability_files
from boilersweep.store.check import check_store
from boilersweep.store.probabilities import add_probabilities
from boilersweep.store.store import BlockStore, open_store
from boilersweep.work.shares import Share

LEARNED = Learned.made_of()
OPTIONS = Segmentation(on_duplicate="first")


def write(pages: Path, name: str, *docids: str) -> None:
    """Pages of several blocks, and one without a word."""
    pages.mkdir(exist_ok=True)
    html = "<h1>title of {0}</h1><p>text of {0} <b>is</b> long enough to keep, it seems<p>menu"
    found = {docid: html.format(docid) * (1 + len(docid)) for docid in docids} | {f"{name}-": ""}
    lines = [json.dumps({"id": docid, "html": text}) for docid, text in found.items()]
    (pages / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Three files, of which the last has a docid of the first."""
    write(tmp_path / "pages", "a", "one", "two", "three")
    write(tmp_path / "pages", "b", "four")
    write(tmp_path / "pages", "c", "five", "two", "six")
    return tmp_path / "pages"


@pytest.fixture
def store(pages: Path, tmp_path: Path) -> BlockStore:
    """Make a store of three shards."""
    return segment_collection(pages, tmp_path / "store", OPTIONS, workers=1)


@pytest.fixture
def plain(store: BlockStore) -> list[bytes]:
    """Results before probabilities are stored."""
    return results(store)


def rate(store: BlockStore, rule: Learned = LEARNED) -> BlockStore:
    return add_probabilities(store.path, [rule], workers=1)


def results(store: BlockStore, rule: Learned = LEARNED) -> list[bytes]:
    """Everything that is computed from probabilities."""
    found = []
    for columns in store.columns_for([rule]):
        classes = rule.class_probabilities(columns).values()
        arrays = [rule.mask(columns), rule.ratings(columns), *classes]
        found += [array.tobytes() for array in arrays]
    return found


def stored(store: BlockStore, rule: Learned = LEARNED) -> list[bool]:
    """For each shard, whether its blocks come with the probabilities."""
    key = RatedRows, rule.model_digest()
    return [key in columns.memo for columns in store.columns_for([rule])]


def files(store: BlockStore) -> list[Path]:
    return sorted(store.path.glob("learned-*.parquet"))


@pytest.mark.parametrize("pure", ["", "1"])
def test_results_and_identity_stay(
    store: BlockStore, plain: list[bytes], pure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOILERSWEEP_PURE", pure)
    rated = rate(store)
    assert stored(rated) == [True] * 3
    assert results(rated) == plain
    assert rated.fingerprint == store.fingerprint
    shares = [rated.part(Share(number, 3)) for number in (1, 2, 3)]
    assert [one for share in shares for one in results(share)] == plain
    for without in ([0, 2], [0, 1, 2]):
        some = [one.without({"shard-00000.parquet": without}) for one in (rated, store)]
        assert results(some[0]) == results(some[1]) != plain
    assert check_store(store.path).faults == []


def test_whole_files_are_not_made_again_and_may_be_removed(
    store: BlockStore, plain: list[bytes]
) -> None:
    rate(store)
    first, second, third = files(store)
    written = third.stat().st_mtime_ns
    second.unlink()
    (store.path / "learned.json").unlink()  # as if killed before it was written
    first.write_bytes(first.read_bytes()[:-20])
    assert stored(open_store(store.path)) == [False] * 3
    (fault,) = check_store(store.path).faults
    assert fault.startswith("learned.json does not list learned-00000-")
    assert results(rate(store)) == plain
    assert third.stat().st_mtime_ns == written
    for path in (*files(store), store.path / "learned.json"):
        path.unlink()
    assert stored(open_store(store.path)) == [False] * 3
    assert check_store(store.path).faults == []


def test_another_model_or_other_code_does_not_read_them(
    store: BlockStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.npz"
    shutil.copy(SHIPPED, path)
    rate(store)
    rated = rate(store, Learned.made_of(str(path)))
    assert len(files(store)) == 3  # a model is known by its content
    model = load_model(path)
    assert isinstance(model.estimator, Network)
    first, *rest = model.estimator.biases
    save_model(replace(model, estimator=replace(model.estimator, biases=(first + 1, *rest))), path)
    mine = Learned.made_of(str(path))
    assert stored(rated, mine) == [False] * 3
    assert results(rated, mine) == results(store, mine) != results(rated)
    both = rate(store, mine)
    assert results(both, mine) == results(store, mine)
    assert stored(both) == stored(both, mine) == [True] * 3
    monkeypatch.setattr(probability_files, "code_identity", lambda stage: {stage.name: "other"})
    assert stored(open_store(store.path)) == [False] * 3
    rate(store)
    assert len(files(store)) == 3


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (flip, "was changed or damaged after it was written"),
        (Path.unlink, "is missing"),
        (lambda path: path.write_bytes(b""), "has 0 bytes, and was written with"),
        (lambda path: shutil.copy(min(path.parent.glob("learned-*.parquet")), path), "was "),
    ],
    ids=["a flipped byte", "a missing file", "an empty file", "another shard's file"],
)
def test_damage_is_an_error(
    store: BlockStore, plain: list[bytes], damage: Callable[[Path], object], message: str
) -> None:
    listed = rate(store).probabilities
    first, second, _ = files(store)
    damage(second)
    with pytest.raises(StoreError, match=f"{second.name} .*{message}.*extract --extractors lear"):
        results(open_store(store.path))
    (fault,) = check_store(store.path).faults
    assert fault.startswith(f"{second.name} ")
    if message == "was ":  # even if it were listed
        forged = replace(store, probabilities={**listed, second.name: listed[first.name]})
        with pytest.raises(StoreError, match="not the documents and blocks of the shard"):
            results(forged)
    assert results(rate(store)) == plain
    flip(store.path / "learned.json")
    assert stored(open_store(store.path)) == [False] * 3


def test_changes_of_the_store(store: BlockStore, pages: Path) -> None:
    rate(store)
    assert all(stored(add_extractors(pages, store.path, ["cetr"], workers=1)))
    write(pages, "b", "seven", "eight")
    write(pages, "d", "nine")
    options = replace(OPTIONS, extractors=("cetr",))
    updated = update_collection(pages, store.path, options, workers=1).store
    assert stored(updated) == [True, False, True, False]
    assert check_store(store.path).faults == []
    assert all(stored(rate(updated)))
    assert len(files(store)) == 4
    other = replace(OPTIONS, borders="paper")
    rebuilt = segment_collection(pages, store.path, other, overwrite=True, workers=1)
    assert not any(stored(rebuilt))


def test_a_model_whose_sums_depend_on_their_order(store: BlockStore, tmp_path: Path) -> None:
    model = load_model(SHIPPED)
    assert isinstance(model.estimator, Network)
    save_model(replace(model, estimator=replace(model.estimator, limit=1e9)), tmp_path / "x.npz")
    with pytest.raises(UsageError, match="expected a model with exact sums"):
        rate(store, Learned.made_of(str(tmp_path / "x.npz")))
