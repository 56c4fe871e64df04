"""Pages as they were collected, read again from a store's input if that is a folder or file."""

from functools import cached_property
from pathlib import Path

from boilersweep.collection.format import Record, SourceLocation, as_token
from boilersweep.collection.formats import named_format
from boilersweep.errors import CollectionError
from boilersweep.segmenting.input_file import InputDigests, input_errors, listed_input
from boilersweep.segmenting.tasks import reading_in
from boilersweep.store.manifest import STORE
from boilersweep.store.store import BlockStore


class Originals:
    """Reads pages of a store's input again, from files that did not change.

    Args:
        store: The store.
    """

    def __init__(self, store: BlockStore) -> None:
        self._store = store
        root = Path(store.manifest.input)
        # A manifest has absolute paths; URLs, datasets and pipes are none
        self._is_here = root.is_absolute()
        self._base = root if root.is_dir() else root.parent
        self._digests_then = {
            file["path"]: file["sha256"]
            for shard in store.manifest.shards
            for file in shard["input"]
        }

    def has(self, place: SourceLocation) -> bool:
        """Return whether the file of a page exists; `read` says whether it is as it was."""
        is_known = self._is_here and place.source in self._digests_then
        return is_known and (self._base / place.source).is_file()

    def read(self, docid: str, place: SourceLocation) -> Record:
        """Return a page in its original bytes.

        Args:
            docid: The docid, as the store has it.
            place: Where the store says it is.

        Raises:
            CollectionError: The file is gone, has changed or cannot be read.
            StoreError: The store's manifest has an unknown option.
        """
        if not self.has(place):
            raise CollectionError(
                f"{place.source} is not in {self._store.manifest.input} any more"
            )
        path = self._base / place.source
        if self._digests_now.of(path, place.source) != self._digests_then[place.source]:
            raise CollectionError(
                f"{path} was changed after it was read; run `boilersweep segment` again"
            )
        format_ = named_format(
            self._store.manifest.options["collection"], reading_in(self._store)
        )
        # A WARC file is read from the record on, if it is not compressed as a whole
        for start in (place.offset, 0) if format_.name == "warc" else (0,):
            with input_errors(path), path.open("rb") as raw:
                raw.seek(start)
                for item in format_.read(raw, place.source):
                    is_there = item.place.offset + start == place.offset
                    if (
                        is_there
                        and isinstance(item, Record)
                        and as_token(item.docid) == docid
                    ):
                        return item
                    if start and not is_there:
                        break
        raise CollectionError(f"{path} has no page {docid[:80]!r}")

    @cached_property
    def _digests_now(self) -> InputDigests:
        return InputDigests(listed_input(STORE.require(self._store.path)))
