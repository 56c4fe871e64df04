"""`vips`: the visual block of a page with most words outside links.

Source: Cai et al., MSR-TR-2003-79. VIPS finds visual blocks and does not say which is the content.
Weninger, Hsu and Han (CETR, WWW 2010) print its figures as an extractor, but, as far as we could
read, not how a block was chosen or how coherent it had to be. Decided here: the block with the most
words outside links, the first of equals; and `PDOC`.
"""

from collections.abc import Callable

from boilersweep.extractors.built_in import BuiltIn
from boilersweep.extractors.vips.blocks import (
    Drawn,
    Node,
    drawn_page,
    texts_in,
    visual_regions,
)
from boilersweep.extractors.vips.browser import (
    Browser,
    drawing_identity,
    find_chromium,
)
from boilersweep.pages.stray_characters import without_surrogates
from boilersweep.pages.words import count_words

# The permitted degree of coherence, from 1 to 10: the larger it is, the smaller are the blocks.
PDOC = 6


def content(page: Drawn) -> str:
    """Return the text of the visual block with the most words outside links."""
    largest = max(visual_regions(page, PDOC), key=_unlinked_words, default=[])
    lines = "".join(text for text, _ in texts_in(largest)).split("\n")
    return "\n".join(" ".join(line.split()) for line in lines).strip()


def _unlinked_words(region: list[Node]) -> int:
    return sum(count_words(text) for text, linked in texts_in(region) if not linked)


def vips() -> Callable[[str], str]:
    """Return the extractor, whose browser starts with the first page.

    A browser whose page fails, or is stopped by a limit, is ended and replaced.

    Raises:
        UsageError: Chromium, its driver or selenium is not installed.
    """
    find_chromium()
    browser: Browser | None = None

    def extract(page: str) -> str:
        nonlocal browser
        try:
            browser = browser or Browser()
            return content(drawn_page(browser.measure(without_surrogates(page))))
        except BaseException:
            # In this order: while the end takes time, a limit may stop the call again.
            ended, browser = browser, None
            if ended:
                ended.close()
            raise

    return extract


EXTRACTORS = (BuiltIn("vips", vips, "selenium", drawing_identity),)
