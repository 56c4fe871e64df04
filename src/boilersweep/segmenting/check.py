"""Compare the files that a block store was made from with those that are there now."""

from collections.abc import Iterator
from pathlib import Path

from boilersweep.collection.formats import open_collection
from boilersweep.collection.irds import Documents
from boilersweep.outputs.identity import file_digest
from boilersweep.outputs.manifest_file import FileEntry, fault
from boilersweep.segmenting.segment import options_of
from boilersweep.segmenting.tasks import named_files
from boilersweep.store.shard import InputFile
from boilersweep.store.store import BlockStore


def check_input(store: BlockStore, root: Path) -> Iterator[str]:
    """Yield what has changed in the input of a block store, a sentence for each file.

    root: the input as it is now, wherever that is. Files are known by their SHA-256; of one that
    was set aside when it was read, the size alone is known.
    Raises CollectionError where nothing of the store's format is there.
    """
    options = options_of(store)
    now = open_collection(
        root,
        options.collection,
        reading=options.reading,
        follow_links=store.manifest.follow_links,
    )
    there = {name: path for path, name in named_files(root, now.files)}
    known = {read["path"]: read for shard in store.manifest.shards for read in shard["input"]}
    for name, read in known.items():
        if name not in there:
            yield f"{name} is missing"
        elif read["sha256"] is None:
            if there[name].stat().st_size != read["bytes"]:
                yield f"{name} was changed after it was read"
        elif _is_other(there[name], read):
            yield f"{name} was changed after it was read"
    yield from (f"{name} is new" for name in there if name not in known)


def _is_other(path: Path, read: InputFile) -> bool:
    if isinstance(path, Documents):
        return file_digest(path) != read["sha256"]
    entry: FileEntry = {"bytes": read["bytes"], "sha256": str(read["sha256"])}
    return fault(path, entry) is not None
