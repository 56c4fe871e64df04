"""Real pages: what `clean` gives of them is, to the character, what an index of them gets."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from boilersweep import Segmentation, clean_many, parse_cleaner, segment_collection
from boilersweep.cleaners.stored import columns_for
from boilersweep.collection.format import Record
from boilersweep.collection.formats import open_collection
from boilersweep.pages.encoding import to_utf8
from tests.indexer.conftest import kept_contents

CLEANERS = ("words>=11", "learned", "resiliparse")


def every_fourth(trec: Path) -> Iterator[Record]:
    collection = open_collection(trec, "blogs06")
    number = 0
    for path in collection.files:
        with path.open("rb") as raw:
            for record in collection.format.read(raw, path.name):
                if isinstance(record, Record):
                    if number % 4 == 0:
                        yield record
                    number += 1


@pytest.mark.application("learned")
@pytest.mark.application("extractors")
@pytest.mark.slow
def test_the_texts_are_those_of_the_store(
    tmp_path: Path, outside_data: Callable[[str], Path]
) -> None:
    trec = outside_data("newsmix") / "trec"
    records = list(every_fourth(trec))
    assert len(records) == 546
    pages = [
        to_utf8(one.body, one.charset).utf8.decode() if one.charset else one.body
        for one in records
    ]
    assert {type(page) for page in pages} == {bytes, str}
    options = Segmentation(collection="blogs06", extractors=["resiliparse"])
    store = segment_collection(trec, tmp_path / "store", options)
    for cleaner in CLEANERS:
        one = parse_cleaner(cleaner)
        stored = {
            docid: text
            for columns in columns_for(store, [one])
            for docid, text in kept_contents(columns, one)
        }
        assert len(stored) > 2100
        found = clean_many(pages, cleaner=cleaner, workers=2)
        for record, text in zip(records, found, strict=True):
            assert text == stored.get(record.docid, ""), (cleaner, record.docid)
