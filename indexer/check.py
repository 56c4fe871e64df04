"""Prove an index again from its files: that it opens, and holds what its manifest says."""

from collections.abc import Iterator
from pathlib import Path

from boilersweep.errors import IndexingError
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.lucene import count_index, lucene_errors, open_directory
from boilersweep.indexer.manifest import MANIFEST, file_faults, read_manifest
from boilersweep.store.near_duplicates import check_duplicate_counts
from boilersweep.store.store import BlockStore


def check_index(path: Path, store: BlockStore | None) -> Iterator[str]:
    """What is wrong with an index, one sentence for each fault; nothing for one that is right.

    store: the block store it was built from, where that is known. Every file is compared with its
    digest in the manifest, and by Lucene with its own checksum. Raises IndexingError where there is
    no whole index of boilersweep.
    """
    manifest = read_manifest(path)
    if manifest is None:
        raise IndexingError(f"{path} is no whole index: it has no {MANIFEST}; build it again")
    yield from (f"{path.name}: {what}" for what in file_faults(path, manifest))
    start_jvm()
    try:
        _read_all(path)
        counts = count_index(path)
    except IndexingError as error:
        yield str(error)
        return
    for name in ("documents", "tokens"):
        held, said = getattr(counts, name), getattr(manifest, name)
        if held != said:
            yield f"{path.name} holds {held:,} {name}, its manifest says {said:,}"
    if manifest.recipe.dedup:
        said = {manifest.recipe.cleaner_text: manifest.duplicates}
        yield from (f"{path.name}: {what}" for what in check_duplicate_counts(path, said))
    if store is None:
        return
    if manifest.recipe.store != store.fingerprint:
        yield f"{path.name} was built from another block store than {store.path}"
        return
    others = sum(manifest.other_languages.values())
    there = store.documents_of_all_languages
    if manifest.documents + manifest.empty + manifest.duplicates + others != there:
        duplicates = f", {manifest.duplicates:,} duplicates" if manifest.duplicates else ""
        languages = f", {others:,} in other languages" if others else ""
        yield (
            f"{path.name}: {manifest.documents:,} documents indexed, {manifest.empty:,} left "
            f"empty{duplicates}{languages} are not the {there:,} of {store.path}"
        )


def _read_all(path: Path) -> None:
    from jnius import autoclass

    with lucene_errors(path):
        directory = open_directory(path)
        once = autoclass("org.apache.lucene.store.IOContext").READONCE
        infos = autoclass("org.apache.lucene.index.SegmentInfos").readLatestCommit(directory)
        for name in infos.files(True).toArray():
            data = directory.openInput(name, once)
            try:
                autoclass("org.apache.lucene.codecs.CodecUtil").checksumEntireFile(data)
            finally:
                data.close()
