"""Kinds of pages: a sample that any reader could count again."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from boilersweep import BlockStore, Segmentation, parse_cleaner, segment_collection
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.page_model import KINDS
from boilersweep.cleaners.rules import Weighted
from boilersweep.cleaners.selection import PageText
from boilersweep.cleaners.stored import columns_for
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.demo.collection import write_demo
from boilersweep.eval.experiment import costs
from boilersweep.eval.experiment.costs import kinds_of_pages
from boilersweep.pages.words import count_words

pytestmark = [pytest.mark.application("extractors"), pytest.mark.application("learned")]

CLEANERS = ("words>=1", "words>=11", "learned", "weighted(bte, 3)")


def variants(names: Sequence[str]) -> list[Variant]:
    return [Variant(parse_cleaner(name)) for name in names]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> BlockStore:
    folder = tmp_path_factory.mktemp("kinds")
    pages = write_demo(folder / "demo", pages=60).trec
    options = Segmentation(collection="blogs06", extractors=["resiliparse"])
    return segment_collection(pages, folder / "store", options)


def test_a_small_collection_is_counted_whole(store: BlockStore) -> None:
    named = [*variants(CLEANERS), Variant(PageText("resiliparse"))]
    pages, words = Counter[str](), Counter[tuple[str, str]]()
    for columns in columns_for(store, [one.cleaner for one in named]):
        probabilities = Learned().kinds(columns)
        for number, (first, end) in enumerate(
            zip(columns.starts, columns.starts[1:], strict=False)
        ):
            kind = KINDS[int(np.argmax(probabilities[number]))]
            here = slice(first, end)
            counts = columns.words[here]
            pages[kind] += 1
            for name in ("words>=11", "learned"):
                cleaner = parse_cleaner(name)
                assert not isinstance(cleaner, PageText | Weighted)
                words[name, kind] += int(counts[cleaner.mask(columns)[here]].sum())
            for name in ("words>=1", "weighted(bte, 3)"):
                words[name, kind] += int(counts.sum())
            words["resiliparse", kind] += count_words(
                columns.page_texts["resiliparse"][number]
            )
    found = kinds_of_pages(store, named, seed=1)
    assert {one.kind: one.pages for one in found} == pages
    assert pages.total() == store.documents
    assert [one.pages for one in found] == sorted(pages.values(), reverse=True)
    for one in found:
        assert one.words == words["words>=1", one.kind]
        assert one.kept == {v.name: words[str(v), one.kind] for v in named}


def test_a_sample_is_of_all_shards_and_of_the_seed(
    store: BlockStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = len(store.manifest.shards)
    assert shards > 1
    monkeypatch.setattr(costs, "SAMPLE", 3 * shards)
    first, again, other = (
        kinds_of_pages(store, variants(CLEANERS), seed) for seed in (1, 1, 2)
    )
    assert sum(one.pages for one in first) == 3 * shards
    assert first == again
    assert first != other
    monkeypatch.setattr(costs, "SAMPLE", 2)
    assert sum(one.pages for one in kinds_of_pages(store, variants(CLEANERS), 1)) == 2


def test_without_a_model_there_are_no_kinds(
    store: BlockStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "why_no_model", lambda: "deleted")
    assert kinds_of_pages(store, variants(CLEANERS), 1) == []
