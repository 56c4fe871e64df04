"""On how many pages of its host a block's text stands: what single pages cannot tell.

Sources: Bar-Yossef and Rajagopalan, Template Detection via Data Mining and its Applications, WWW
2002; Gibson, Punera and Tomkins, The Volume and Evolution of Web Page Templates, WWW 2005: what
recurs on the pages of a site is template. Both as they are commonly cited; that whole blocks are
compared, and that pages of one title count once, is ours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from boilersweep.features.frequency import BlockFrequencies, HashArray, count_hashes, text_hashes
from boilersweep.pages.columns import BlockColumns, BoolArray, IntArray
from boilersweep.pages.hosts import host_of

# Pages of different titles that a host must have for anything to be counted on it.
LEAST_PAGES = 5

_AT_A_TIME = 10_000  # documents whose titles are in memory


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
        """(m,) on how many pages of its host a block's text occurs.

        0 where that is on less than two, and on hosts that have too few.

        Args:
            columns: The blocks of the documents.
            hosts: (n,) The hosts of the documents.
        """
        recurrence = np.zeros(len(columns.texts), dtype=np.int64)
        for number, host in enumerate(hosts):
            if host in self.pages:
                here = slice(columns.starts[number], columns.starts[number + 1])
                hashes = text_hashes(_with_host(host, columns.texts[here]))
                recurrence[here] = self.counts.of_hashes(hashes)
        return recurrence


def site_texts(addresses: Iterable[Address], collection: Iterable[BlockColumns]) -> SiteTexts:
    """Count on how many pages of its host every text of a block occurs.

    Of pages of one host and title, such as one page crawled twice or under two addresses, one
    stands for all, which the docids decide; a page without a title stands for itself. So nothing
    depends on the documents' order.

    Args:
        collection: The blocks of all documents, some at a time.
        addresses: The addresses of all documents, in the collection's order, whose blocks' texts
            are read. Both are passed once.
    """
    hosts, stands = _pages(iter(addresses))
    counted = _counted(hosts, stands)
    documents = zip(hosts, stands.tolist(), strict=True)
    counts = count_hashes(_hashes(collection, documents, counted))
    again = counts.counts > 1
    recurring = BlockFrequencies(counts.hashes[again], counts.counts[again])
    return SiteTexts(counted, recurring, addressed=sum(map(bool, hosts)))


def _pages(addresses: Iterator[Address]) -> tuple[list[str], BoolArray]:
    """(n,) the host of each document, and whether it stands for all of its host and title."""
    names: dict[str, str] = {}  # so that each host is kept once
    hosts: list[str] = []
    keys = [text_hashes(())]
    ranks = [text_hashes(())]
    while some := list(islice(addresses, _AT_A_TIME)):
        found = [address.host for address in some]
        hosts += [names.setdefault(host, host) for host in found]
        keys.append(text_hashes(map(_page, found, some)))
        ranks.append(text_hashes(address.docid for address in some))
    key = np.concatenate(keys)
    order = np.lexsort((np.concatenate(ranks), key))
    key = key[order]
    stands = np.zeros(len(hosts), dtype=bool)
    stands[order] = np.concatenate([[True], key[1:] != key[:-1]])[: len(key)]
    return hosts, stands


def _page(host: str, address: Address) -> str:
    """Return what pages that count once have in common."""
    return f"{host}\0{address.title}" if address.title else f"\0{address.docid}"


def _counted(hosts: Sequence[str], stands: BoolArray) -> dict[str, int]:
    """Host -> pages, of those that have enough."""
    pages: dict[str, int] = {}
    for number in np.flatnonzero(stands).tolist():
        pages[hosts[number]] = pages.get(hosts[number], 0) + 1
    return {host: count for host, count in pages.items() if host and count >= LEAST_PAGES}


def _hashes(
    collection: Iterable[BlockColumns],
    documents: Iterator[tuple[str, bool]],
    counted: Mapping[str, int],
) -> Iterator[HashArray]:
    """Yield the hashes of the different texts of each page that counts, with its host."""
    for columns in collection:
        texts: list[str] = []
        for number, (host, stands) in enumerate(islice(documents, len(columns))):
            if stands and host in counted:
                here = slice(columns.starts[number], columns.starts[number + 1])
                texts += _with_host(host, dict.fromkeys(columns.texts[here]))
        yield text_hashes(texts)


def _with_host(host: str, texts: Iterable[str]) -> Iterator[str]:
    return (f"{host}\0{text}" for text in texts)
