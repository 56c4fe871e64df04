"""How many blocks of the collection, and how many pages of its host, have a block's text.

Sources of the second: Bar-Yossef and Rajagopalan, Template Detection via Data Mining and its
Applications, WWW 2002; Gibson, Punera and Tomkins, The Volume and Evolution of Web Page Templates,
WWW 2005: what recurs on the pages of a site is template. Both as they are commonly cited; that
whole blocks are compared, and that pages of one title count once, is ours.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import compress, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boilersweep.pages.columns import BlockColumns, BoolArray, IntArray
from boilersweep.pages.metadata_values import host_of

HashArray = NDArray[np.uint64]

# Pages of different titles that a host must have for anything to be counted on it.
LEAST_PAGES = 5

_PENDING = 1 << 20  # hashes gathered, at least, before they are merged


@dataclass(frozen=True, slots=True, eq=False)
class BlockFrequencies:
    """How often texts occur.

    Attributes:
        hashes: (d,) The hashes of the distinct texts, ascending.
        counts: (d,) The number of blocks with that text.
    """

    hashes: HashArray
    counts: IntArray

    def of(self, wanted: HashArray) -> IntArray:
        """Return (m,) the blocks of the collection that have each text, given by its hash."""
        if not len(self.hashes):
            return np.zeros(len(wanted), dtype=np.int64)
        places = np.minimum(np.searchsorted(self.hashes, wanted), len(self.hashes) - 1)
        return np.where(self.hashes[places] == wanted, self.counts[places], 0)


def block_frequencies(collection: Iterable[BlockColumns]) -> BlockFrequencies:
    """Count the blocks' texts, white space folded, over a collection.

    It passes it once; memory and certainty as of `count_hashes`.
    """
    return count_hashes(text_hashes(columns.texts) for columns in collection)


def count_hashes(parts: Iterable[HashArray]) -> BlockFrequencies:
    """Count texts by their hashes.

    It keeps 16 bytes per distinct text. Texts are told apart by 64 bits of BLAKE2b: of ten million
    distinct ones two collide with a chance of 3 in a million.
    """
    merged = BlockFrequencies(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64))
    pending: list[HashArray] = []
    waiting = 0
    for hashes in parts:
        pending.append(hashes)
        waiting += len(hashes)
        # So that each is merged a few times at most
        if waiting > max(_PENDING, len(merged.hashes)):
            merged = _merged(merged, pending)
            pending.clear()
            waiting = 0
    return _merged(merged, pending)


def text_hashes(texts: Iterable[str]) -> HashArray:
    """Return (m,) the hash of each text."""
    return np.frombuffer(b"".join(map(_digest, texts)), dtype="<u8").astype(np.uint64)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _merged(
    counted: BlockFrequencies, pending: Sequence[HashArray]
) -> BlockFrequencies:
    hashes, places = np.unique(
        np.concatenate([counted.hashes, *pending]), return_inverse=True
    )
    ones = np.ones(len(places) - len(counted.hashes), dtype=np.int64)
    counts = np.bincount(places, np.concatenate([counted.counts, ones]))
    return BlockFrequencies(hashes, counts.astype(np.int64))


class Address(NamedTuple):
    """What is known of a document beside its blocks; "" where it has none."""

    docid: str
    url: str
    title: str

    @property
    def host(self) -> str:
        """That of its address, or of its docid where that is one; "" for none."""
        return host_of(self.url or self.docid)


@dataclass(frozen=True, slots=True, eq=False)
class SiteTexts:
    """The texts of blocks that recur on a host.

    Attributes:
        pages: Host -> its pages of different titles, of the hosts with at least LEAST_PAGES.
        counts: Of the texts that are on two of these or more, each with its host.
        addressed: Documents that have a host.
    """

    pages: Mapping[str, int]
    counts: BlockFrequencies
    addressed: int

    def recurrence(self, columns: BlockColumns, hosts: Sequence[str]) -> IntArray:
        """(m,) on how many pages of its host a block's text occurs, as a link or as no link.

        0 where that is on less than two, and on hosts that have too few.

        Args:
            columns: The blocks of the documents.
            hosts: (n,) The hosts of the documents.
        """
        recurrence = np.zeros(len(columns.texts), dtype=np.int64)
        for index, host in enumerate(hosts):
            if host in self.pages:
                here = slice(columns.starts[index], columns.starts[index + 1])
                hashes = text_hashes(_kinds(host, columns, here))
                recurrence[here] = self.counts.of(hashes)
        return recurrence


def site_texts(
    addresses: Iterable[Address], collection: Iterable[BlockColumns]
) -> SiteTexts:
    """Count on how many pages of its host every text of a block occurs.

    A text that is a link, by most of its words, and the same text that is none are two: the teasers
    of an article on other pages must not make its headline a text that recurs.

    Of pages of one host and title, such as one page crawled twice or under two addresses, one
    stands for all, which the docids decide; a page without a title stands for itself. So nothing
    depends on the documents' order.

    Args:
        collection: The blocks of all documents, some at a time.
        addresses: The addresses of all documents, in the collection's order, whose blocks' texts
            are read. Both are passed once.
    """
    hosts, stands = _pages(addresses)
    standing = Counter(filter(None, compress(hosts, stands)))
    counted = {host: pages for host, pages in standing.items() if pages >= LEAST_PAGES}
    documents = zip(hosts, stands.tolist(), strict=True)
    counts = count_hashes(_hashes(collection, documents, counted))
    again = counts.counts > 1
    recurring = BlockFrequencies(counts.hashes[again], counts.counts[again])
    return SiteTexts(counted, recurring, addressed=sum(map(bool, hosts)))


def _pages(addresses: Iterable[Address]) -> tuple[list[str], BoolArray]:
    """Return (n,) each document's host, and whether it stands for all of its host and title."""
    hosts: list[str] = []
    # hashes: pages of one key count once, the lowest rank
    keys, ranks = bytearray(), bytearray()
    for address in addresses:
        host = sys.intern(address.host)  # each host is kept once
        hosts.append(host)
        keys += _digest(
            f"{host}\0{address.title}" if address.title else f"\0{address.docid}"
        )
        ranks += _digest(address.docid)
    key = np.frombuffer(keys, dtype="<u8")
    order = np.lexsort((np.frombuffer(ranks, dtype="<u8"), key))
    stands = np.zeros(len(hosts), dtype=bool)
    stands[order[np.unique(key[order], return_index=True)[1]]] = True
    return hosts, stands


def _hashes(
    collection: Iterable[BlockColumns],
    documents: Iterator[tuple[str, bool]],
    counted: Mapping[str, int],
) -> Iterator[HashArray]:
    """Yield the hashes of the different texts of each page that counts, with its host."""
    for columns in collection:
        texts: list[str] = []
        for index, (host, stands) in enumerate(islice(documents, len(columns))):
            if stands and host in counted:
                here = slice(columns.starts[index], columns.starts[index + 1])
                texts += dict.fromkeys(_kinds(host, columns, here))
        yield text_hashes(texts)


def _kinds(host: str, columns: BlockColumns, here: slice) -> Iterator[str]:
    """Yield the texts of some blocks with their host, and whether they are links."""
    linked = columns.link_words[here] * 2 > columns.words[here]
    for text, is_linked in zip(columns.texts[here], linked.tolist(), strict=True):
        yield f"{host}\0{'a' * is_linked}\0{text}"
