"""What a store says of its collection: pages per host, doctypes, phrases of short blocks.

The news collection of Kohlschütter, Fankhauser and Nejdl (WSDM 2010, section 4.1.1) is described by
these; its one feature of the whole corpus finds "phrases commonly used in boilerplate".
"""

import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress

import numpy as np

from boilersweep.features.recurrence import Address, text_hashes
from boilersweep.outputs.figures import figure
from boilersweep.outputs.tables import text_table
from boilersweep.pages.columns import IntArray
from boilersweep.store.store import BlockStore

# Blocks with fewer words are short: the paper's threshold of long text is 11.
SHORT = 11
_TOP = 5  # hosts, as in the paper
_PHRASES = 20
_BUCKETS = 1 << 22
_CANDIDATES = 10_000  # buckets whose texts are counted
_WIDTH = 60  # of a phrase, in characters


@dataclass(frozen=True, slots=True)
class StoreStatistics:
    """Statistics of a store.

    Attributes:
        hosts: Host -> its pages, the most frequent host first.
        doctypes: Doctype -> its pages, likewise; "" for none.
        phrases: Texts of short blocks -> their blocks, likewise; the most frequent ones.
        short: The number of short blocks.
    """

    hosts: dict[str, int]
    doctypes: dict[str, int]
    phrases: dict[str, int]
    short: int


def store_statistics(store: BlockStore) -> StoreStatistics:
    """Compute the statistics of a store, in three passes over some of its columns.

    It keeps 32 MB, the names of the hosts, and some texts. A first pass over the texts counts
    buckets of hashes, which have no fewer blocks than each of their texts; a second one counts the
    texts of the largest buckets.

    Raises:
        StoreError: A shard is missing or damaged.
    """
    hosts: Counter[str] = Counter()
    doctypes: Counter[str] = Counter()
    for docid, url, doctype in store.fields(["docid", "url", "doctype"]):
        doctypes[doctype] += 1
        if host := Address(docid, url, "").host:
            hosts[host] += 1
    buckets = np.zeros(_BUCKETS, dtype=np.int64)
    for texts in _short_texts(store):
        buckets += np.bincount(_buckets(texts), minlength=_BUCKETS)
    least = max(int(np.partition(buckets, -_CANDIDATES)[-_CANDIDATES]), 1)
    phrases: Counter[str] = Counter()
    for texts in _short_texts(store):
        phrases.update(compress(texts, buckets[_buckets(texts)] >= least))
    return StoreStatistics(
        _ranked(hosts, len(hosts)),
        _ranked(doctypes, len(doctypes)),
        _ranked(phrases, _PHRASES),
        int(buckets.sum()),
    )


def _short_texts(store: BlockStore) -> Iterator[list[str]]:
    for columns in store.progress("Counting short blocks"):
        yield list(compress(columns.texts, columns.words < SHORT))


def _buckets(texts: list[str]) -> IntArray:
    return (text_hashes(texts) % _BUCKETS).astype(np.int64)


def _ranked(counts: Counter[str], most: int) -> dict[str, int]:
    """Return the most frequent names in order, by name where they are equally frequent."""
    return dict(
        heapq.nsmallest(most, counts.items(), key=lambda one: (-one[1], one[0]))
    )


def describe_statistics(statistics: StoreStatistics) -> str:
    """Return the statistics as a text."""
    hosts = statistics.hosts
    lines = ["hosts: no page has an address"]
    if hosts:
        pages = np.array([*hosts.values()])
        top = ", ".join(f"{host} {hosts[host]:,}" for host in [*hosts][:_TOP])
        lines = [
            f"pages with an address: {pages.sum():,} of {len(hosts):,} hosts; a host has "
            f"{pages.max():,} at most, {figure(float(pages.mean()), '.2f')} on average, median "
            f"{figure(float(np.median(pages)), 'g')}",
            f"most frequent hosts: {top}",
        ]
    doctypes = (
        f"{doctype or 'none'} {n:,}" for doctype, n in statistics.doctypes.items()
    )
    lines.append(f"doctypes: {', '.join(doctypes)}")
    rows = [
        (f"{blocks:,}", text if len(text) <= _WIDTH else f"{text[:_WIDTH]}...")
        for text, blocks in statistics.phrases.items()
    ]
    heads = ["blocks", f"of {statistics.short:,} with fewer than {SHORT} words"]
    return "\n".join([*lines, "", text_table(rows, heads, left=(1,))])
