"""Select a store's documents by language."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

import msgspec

from boilersweep.errors import UsageError
from boilersweep.store.store import BlockStore, open_store


def of_languages(store: BlockStore, languages: Collection[str]) -> BlockStore:
    """Select the documents in these languages; without languages, all documents.

    The selection keeps the store's fingerprint; its manifest records the languages, so that they
    are part of the identity of an index or export made from it.

    Raises UsageError if no document is in these languages, StoreError for a missing or damaged
    shard.
    """
    if not languages:
        return store
    others: Counter[str] = Counter()
    left_out: dict[str, list[int]] = {}
    for name, shard in store.by_shard():
        found = [language for (language,) in shard.fields(["language"])]
        left_out[name] = [row for row, one in enumerate(found) if one not in languages]
        others.update(found[row] for row in left_out[name])
    chosen = store.without(left_out)
    if not chosen.documents:
        there = ", ".join(name for name, _ in others.most_common()) or "none"
        raise UsageError(
            f"{store.path} has no document in {', '.join(languages)}; its languages are {there}"
        )
    counts = {name: n for name, n in store.languages.items() if name in languages}
    return replace(
        store,
        manifest=msgspec.structs.replace(chosen.manifest, languages=counts),
        chosen_languages=tuple(sorted(set(languages))),
        other_languages=dict(sorted(others.items())),
    )


def docids_left_out(store: BlockStore) -> set[str]:
    """Return the docids of the documents that a language selection left out.

    Raises StoreError for a missing or damaged shard.
    """
    if not store.other_languages:
        return set()
    return set(open_store(store.path).docids()).difference(store.docids())
