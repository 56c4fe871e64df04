"""The documents of some languages, and how many are of others."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from boilersweep.errors import UsageError
from boilersweep.store.store import BlockStore, open_store


class Chosen(NamedTuple):
    """A store less the documents of other languages, and how many these are, by language."""

    store: BlockStore
    others: dict[str, int]


def of_languages(store: BlockStore, languages: Collection[str]) -> Chosen:
    """The documents of some languages, under the store's fingerprint; of all, where none is named.

    The store says itself which were chosen, for the identity of what is made from it.

    Raises UsageError where no document is of any, StoreError where a shard is missing or damaged.
    """
    if not languages:
        return Chosen(store, {})
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
    counts = dict(sorted(others.items()))
    manifest = {
        **chosen.manifest,
        "languages": {name: n for name, n in store.languages.items() if name in languages},
        "chosen_languages": sorted(set(languages)),
        "other_languages": counts,
    }
    return Chosen(replace(store, manifest=manifest), counts)


def docids_left_out(store: BlockStore) -> set[str]:
    """The docids of the documents of other languages than those that were chosen.

    Raises StoreError where a shard is missing or damaged.
    """
    if not store.other_languages:
        return set()
    return set(open_store(store.path).docids()).difference(store.docids())
