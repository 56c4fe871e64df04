"""FE, KFE and LP: parts of a page by a partition of its own, and those of most text.

FE and KFE keep the blocks in which text outweighs everything else. Source: Debnath, Mitra, Pal and
Giles, Automatic Identification of Informative Sections of Web Pages, IEEE TKDE 17(9), 2005:
GetBlockSet, FeatureExtractor and K-FeatureExtractor. The tags of a set cut the page into blocks. A
block's value for a feature is that feature's share of all features in the block. FE keeps the one
block with the highest value, KFE the blocks in the cluster of the highest values, by k-means whose
centres begin at equidistant places in the sorted list of values.

We did not have the paper; the following are our choices. The tags are those that the literature
names first. Every tag of the set cuts the whole page, so their order does not matter. The wanted
feature is text, which counts words; the others count their start tags (`FEATURES`). Of blocks with
the same value FE keeps the first. KFE has two clusters; the paper uses two or three. Comments,
scripts and styles go first, and blocks without a word are none.

LP keeps the largest pagelet. Source: Bar-Yossef and Rajagopalan, Template Detection via Data Mining
and its Applications, WWW 2002: an element is a pagelet if none of its children contains at least
`LINKS` links and no element around it is a pagelet. Gottron, Evaluating Content Extraction on HTML
Documents, ITA 2007, compares methods of extraction; the CETR page names LP and does not define it.

We did not have these papers either; our choices: the size is the number of characters, white space
folded; a text directly in a divided element is a pagelet of its own, of pagelets of one size the
first one stays. A link is an A with an address. libxml2 makes the tree; what it leaves out of one
is lost.
"""

import re
from collections.abc import Callable, Iterator

import numpy as np
from lxml import etree

from boilersweep.extractors import BuiltIn
from boilersweep.extractors.cetr import k_means
from boilersweep.extractors.markup import text_of, without_code
from boilersweep.pages.columns import BoolArray, FloatArray
from boilersweep.pages.words import count_words

# Elements whose tags cut a page into blocks.
PARTITION = "table tr p hr ul"

# Elements of the features beside text: links, lists, objects, forms and frames; tables cut.
FEATURES = (
    "a li ol dl img object applet embed form input select textarea button frame iframe"
)

CLUSTERS = 2

_CUT = re.compile(rf"</?(?:{PARTITION.replace(' ', '|')})\b[^<>]*>", re.IGNORECASE)
_FEATURE = re.compile(rf"<(?:{FEATURES.replace(' ', '|')})\b", re.IGNORECASE)


def fe(page: str) -> str:
    """FE: the first block with the highest share of text."""
    return _extract(page, lambda values: np.arange(len(values)) == values.argmax())


def kfe(page: str) -> str:
    """KFE: the blocks whose share of text is in the higher cluster."""
    return _extract(page, in_highest_cluster)


def in_highest_cluster(values: FloatArray) -> BoolArray:
    """(b,) True for values in the cluster with the highest centre."""
    places = np.linspace(0, len(values) - 1, CLUSTERS).round().astype(np.int64)
    points = values[:, np.newaxis]
    labels, centres = k_means(points, np.sort(values)[places][:, np.newaxis])
    highest: BoolArray = labels == centres[:, 0].argmax()
    return highest


def _extract(page: str, chosen: Callable[[FloatArray], BoolArray]) -> str:
    texts: list[str] = []
    values: list[float] = []
    for piece in _CUT.split(without_code(page)):
        text = text_of(piece)
        if words := count_words(text):
            texts.append(text)
            values.append(words / (words + len(_FEATURE.findall(piece))))
    if not texts:
        return ""
    kept = chosen(np.array(values))
    return "\n".join(texts[place] for place in np.flatnonzero(kept).tolist())


# The least number of links in a child for which an element is divided; the paper's.
LINKS = 3

# An element, or a text directly in a divided one.
Pagelet = etree._Element | str


def largest_pagelet(page: str) -> str:
    """Extract the text of the pagelet with most characters."""
    utf8 = without_code(page).encode("utf-8", "replace")
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    candidates = list(pagelets(etree.HTML(b"<html>" + utf8, parser)))
    largest = max(candidates, key=_size)
    if isinstance(largest, str):
        return " ".join(largest.split())
    return text_of(etree.tostring(largest, encoding="unicode", with_tail=False))


def pagelets(root: etree._Element) -> Iterator[Pagelet]:
    """Yield the pagelets of a tree, in the order of the page."""
    links: dict[Pagelet, int] = {}
    for element in reversed(list(root.iter(etree.Element))):
        own = element.tag == "a" and "href" in element.attrib
        links[element] = own + sum(links.get(child, 0) for child in element)
    waiting: list[Pagelet] = [root]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str) or all(links.get(c, 0) < LINKS for c in part):
            yield part
            continue
        parts: list[Pagelet] = [part.text or ""]
        for child in part:
            parts += [child, child.tail or ""]
        waiting += reversed(parts)


def _size(pagelet: Pagelet) -> int:
    text = pagelet if isinstance(pagelet, str) else str(pagelet.xpath("string()"))
    return len(" ".join(text.split()))


EXTRACTORS = (
    BuiltIn("fe", lambda: fe),
    BuiltIn("kfe", lambda: kfe),
    BuiltIn("lp", lambda: largest_pagelet),
)
