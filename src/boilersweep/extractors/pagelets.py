"""LP: the largest pagelet of a page.

Source: Bar-Yossef and Rajagopalan, Template Detection via Data Mining and its Applications, WWW
2002: an element is a pagelet if none of its children contains at least `LINKS` links and no element
around it is a pagelet. Gottron, Evaluating Content Extraction on HTML Documents, ITA 2007, compares
methods of extraction; the CETR page names LP and does not define it.

We did not have the papers; our choices: the size is the number of characters, white space folded;
a text directly in a divided element is a pagelet of its own, of pagelets of one size the first one
stays. A link is an A with an address. libxml2 makes the tree; what it leaves out of one is lost.
"""

from collections.abc import Iterator

from lxml import etree

from boilersweep.extractors.built_in import BuiltIn
from boilersweep.extractors.markup import text_of, without_code

# The least number of links in a child for which an element is divided; the paper's.
LINKS = 3

# An element, or a text directly in a divided one.
Pagelet = etree._Element | str


def largest_pagelet(page: str) -> str:
    """Extract the text of the pagelet with most characters."""
    utf8 = without_code(page).encode("utf-8", "replace")
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    found = list(pagelets(etree.HTML(b"<html>" + utf8, parser)))
    largest = max(found, key=_size)
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


EXTRACTORS = (BuiltIn("lp", lambda: largest_pagelet),)
