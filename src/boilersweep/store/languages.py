"""The documents of some languages, and how many are of others."""

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from boilersweep.errors import UsageError
from boilersweep.store.store import BlockStore


class Chosen(NamedTuple):
    """A store less the documents of other languages, and how many these are, by language."""

    store: BlockStore
    others: dict[str, int]


def of_languages(store: BlockStore, languages: Collection[str]) -> Chosen:
    """The documents of some languages, under the store's fingerprint; of all, where none is named.

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
    return Chosen(chosen, dict(sorted(others.items())))
