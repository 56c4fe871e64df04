"""Shares of indexes, built by separate commands, and joined.

OUT.parts/3-of-7/words-011/...   an index of a share, where OUT/words-011 is to be the whole
OUT.parts/3-of-7/...             where OUT itself is to be the one index

Lucene's addIndexes joins them exactly.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from pathlib import Path

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.selection import Cleaner, sum_alignments
from boilersweep.errors import IndexingError
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.lucene import IndexWriter, buffer_megabytes, lucene_errors
from boilersweep.indexer.manifest import (
    INDEX,
    IndexManifest,
    IndexRecipe,
    index_recipe,
    indexes_in,
    read_manifest,
    seal,
    sealed_index,
)
from boilersweep.indexer.options import ALL_TEXTS, IndexOptions, ParallelOptions
from boilersweep.indexer.parallel_indexes import (
    ParallelIndex,
    build_parallel_indexes,
    unfinished,
)
from boilersweep.indexer.single import build_index
from boilersweep.outputs.atomic import (
    output_errors,
    remove_folder,
    remove_leftovers,
    whole_folder,
)
from boilersweep.outputs.folder import OutputFolder, visible
from boilersweep.outputs.identity import differences, some_of
from boilersweep.outputs.locks import only_writer
from boilersweep.store.store import BlockStore, part_fingerprint
from boilersweep.work.shares import Share, all_shares, parts_folder, shares_in


def merge_indexes(output: Path) -> dict[Path, IndexManifest]:
    """Join what shares left beside `output`, and remove that; indexes that are whole stay.

    A joined index has every document of the shares' indexes, in the store's order, and gives the
    lists and scores of one that was built at once. Called again it gives the same indexes.

    Returns:
        The manifest of each whole index by its path.

    Raises:
        IndexingError: A share's index is missing or another's.
        OutputError: The output cannot be written.
        JavaError: No Java can be started.
    """
    parts = parts_folder(output)
    remove_leftovers(parts.parent)
    if not parts.exists() and (whole := _whole(output)):
        return whole
    shares = _shares(parts)
    folders = [folder for share in shares if (folder := parts / share.name).is_dir()]
    single = any(read_manifest(folder) for folder in folders)
    paths = [path for folder in folders for path in visible(folder) if path.is_dir()]
    names = [""] if single else sorted({path.name for path in paths})
    lock = f".{output.name}.lock" if single else ".lock"
    folder = output.parent if single else output
    with only_writer(folder, lock, output=output):
        start_jvm()
        # All manifests are compared before anything is written.
        joins = [_planned(output / name, parts, name, shares) for name in names]
        # In one thread: to call one of several addIndexes, pyjnius keeps state all threads share.
        merged = {join.path: _make(join) for join in joins}
        with output_errors(parts):
            remove_folder(parts)
    return merged


def _whole(output: Path) -> dict[Path, IndexManifest]:
    """Return the one index that is at `output`, or all that are in it."""
    paths = (output, *indexes_in(output))
    return {path: manifest for path in paths if (manifest := read_manifest(path))}


def _shares(parts: Path) -> list[Share]:
    """Return the shares of the one division; raise IndexingError for none or several."""
    counts = sorted({share.of for share in shares_in(parts)})
    if len(counts) != 1:
        raise IndexingError(
            f"expected in {parts} indexes of the shares of one division, got "
            f"{' and '.join(f'shares of {count}' for count in counts) or 'none'}; build them with "
            "`boilersweep index --share`, and delete those that are not wanted"
        )
    return all_shares(counts[0])


@dataclass(frozen=True, slots=True)
class _Join:
    """An index to join.

    Attributes:
        path: Where the joined index belongs.
        parts: The shares' indexes; none if the index is whole already.
        whole: The manifest that the joined index will have, or has already.
    """

    path: Path
    parts: Sequence[Path]
    whole: IndexManifest


def _planned(path: Path, parts: Path, name: str, shares: Sequence[Share]) -> _Join:
    """Plan one joined index.

    An index that is whole is not joined again: a kill between two joins leaves the first index
    whole, and the parts of all.
    """
    indexes = [parts / share.name / name for share in shares]
    manifests = dict(zip(shares, map(read_manifest, indexes), strict=True))
    found = {share: one for share, one in manifests.items() if one is not None}
    if found:
        share, first = next(iter(found.items()))
        store = first.identity.store.removesuffix(f":{share}")
        recipe = replace(first.identity, store=store)
        if (whole := sealed_index(path, recipe)) is not None:
            return _Join(path, (), whole)
    if missing := [str(share) for share in shares if share not in found]:
        raise IndexingError(
            f"{path} cannot be joined yet: the indexes of {len(missing)} of {len(shares)} shares "
            f"are missing ({', '.join(missing[:5])}); run `boilersweep index --share` for these"
        )
    for index, (share, manifest) in zip(indexes, found.items(), strict=True):
        wanted = replace(recipe, store=part_fingerprint(store, share))
        if manifest.identity != wanted:
            raise IndexingError(
                f"{index} is not of the same work as {indexes[0]}: "
                f"{'; '.join(differences(asdict(wanted), asdict(manifest.identity)))}; "
                "delete one of them and build it again"
            )
        if damaged := OutputFolder(index, INDEX).damage(manifest):
            raise IndexingError(
                f"{index} is damaged: {some_of(damaged)}; delete it and build it again"
            )
    return _Join(path, indexes, _joined(recipe, list(found.values())))


def _joined(recipe: IndexRecipe, parts: Sequence[IndexManifest]) -> IndexManifest:
    """Return the manifest of the index that these indexes are parts of."""
    skipped: Counter[str] = Counter()
    for part in parts:
        skipped.update(part.skipped)
    # Without compiled code, Lucene's analyzer reads all texts of a share.
    read_all = all(part.by_lucene == ALL_TEXTS for part in parts)
    return IndexManifest(
        identity=recipe,
        documents=sum(part.documents for part in parts),
        empty=sum(part.empty for part in parts),
        tokens=sum(part.tokens for part in parts),
        skipped=dict(skipped),
        shards={name: entry for part in parts for name, entry in part.shards.items()},
        placed=reduce(sum_alignments, (part.placed for part in parts), {}),
        by_lucene=ALL_TEXTS if read_all else "",
    )


def _make(join: _Join) -> IndexManifest:
    """Join the parts, count again what came of it, and give it its final name."""
    from jnius import autoclass

    if not join.parts:
        return join.whole
    whole = join.whole
    with lucene_errors(join.path), whole_folder(join.path) as folder:
        analyzer = autoclass("org.apache.lucene.analysis.core.KeywordAnalyzer")()
        writer = IndexWriter(folder, analyzer, buffer_megabytes(1))
        try:
            writer.add_indexes(join.parts)
            if whole.identity.layout.optimize:
                writer.optimize()
            writer.commit()
        finally:
            writer.abandon()
        return seal(folder, whole)


def build_parallel_share(
    store: BlockStore,
    share: Share,
    variants: Sequence[Variant],
    output: Path,
    options: ParallelOptions | None = None,
) -> list[ParallelIndex]:
    """Build a share of the indexes of `build_parallel_indexes`, and raise what it raises.

    Processes that see the same folders may build other shares at the same time, in any order.
    Variants whose whole index is finished are left out.
    """
    options = options or ParallelOptions()
    missing = unfinished(store, variants, output, options)
    if not missing:
        return []
    part = parts_folder(output) / share.name
    return build_parallel_indexes(store.part(share), list(missing), part, options)


def build_index_share(
    store: BlockStore,
    share: Share,
    cleaner: Cleaner,
    output: Path,
    options: IndexOptions | None = None,
) -> IndexManifest:
    """Build a share of the index of `build_index`, and raise what it raises."""
    options = options or IndexOptions()
    recipe = index_recipe(store.fingerprint, cleaner, options)
    whole = sealed_index(output, recipe, overwrite=options.overwrite)
    part = parts_folder(output) / share.name
    return whole or build_index(store.part(share), cleaner, part, options)
