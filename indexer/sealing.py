"""Before an index counts as one: count what it holds, and write its manifest."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from boilersweep.errors import IndexingError
from boilersweep.identity import differences
from boilersweep.indexer.lucene import count_index
from boilersweep.indexer.manifest import (
    MANIFEST,
    IndexManifest,
    IndexRecipe,
    manifest_json,
    read_manifest,
    versions,
)
from boilersweep.store.store import BlockStore


@dataclass(slots=True)
class Added:
    """What was added to an index. tokens: with repeats, None where Lucene alone counts them."""

    documents: int = 0
    tokens: int | None = None


def seal(folder: Path, recipe: IndexRecipe, added: Added, store: BlockStore) -> IndexManifest:
    """Reopen a committed index, compare it with what was added, write its manifest into it.

    Raises IndexingError where it holds something else.
    """
    empty = store.documents - added.documents
    return seal_counts(folder, recipe, added, empty, store.skipped)


def seal_counts(
    folder: Path, recipe: IndexRecipe, added: Added, empty: int, skipped: Mapping[str, int]
) -> IndexManifest:
    """As `seal`, where the store need not be there. empty, skipped: see `IndexManifest`."""
    counts = count_index(folder)
    if added.documents != counts.documents or added.tokens not in (None, counts.tokens):
        raise IndexingError(
            f"the index for {recipe.rule} was given {added.documents:,} documents with "
            f"{added.tokens or 0:,} tokens, but holds {counts.documents:,} with "
            f"{counts.tokens:,}; build it again"
        )
    manifest = IndexManifest(
        recipe=recipe,
        documents=counts.documents,
        empty=empty,
        tokens=counts.tokens,
        skipped=dict(skipped),
        versions=versions(),
    )
    (folder / MANIFEST).write_text(manifest_json(manifest), encoding="utf-8")
    return manifest


def sealed_index(path: Path, recipe: IndexRecipe) -> IndexManifest | None:
    """The manifest of the index if it is there, whole and of this recipe; None if nothing is.

    Raises IndexingError where something else stands there.
    """
    manifest = read_manifest(path)
    if manifest is None:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise IndexingError(
                f"{path} is in the way: it is no index of boilersweep; move it, or choose "
                "another --output"
            )
        return None
    if manifest.recipe != recipe:
        raise IndexingError(
            f"{path} is not the index asked for: "
            f"{'; '.join(differences(asdict(manifest.recipe), asdict(recipe)))}; "
            "choose another --output, or delete it to build it anew"
        )
    return manifest
