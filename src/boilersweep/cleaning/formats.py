"""A cleaned page as text, as Markdown, or as JSON with all that is known of it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from boilersweep.cleaners.selection import Cleaner, PageText, TextCleaner, text_of_a_page
from boilersweep.cleaning.blocks import Blocks, blocks_of
from boilersweep.cleaning.clean import clean
from boilersweep.cleaning.markdown import markdown
from boilersweep.cleaning.page_cleaner import Html, cut_page
from boilersweep.cleaning.stated import stated
from boilersweep.errors import UsageError
from boilersweep.segmenting.cutting import CutPage


@dataclass(frozen=True, slots=True, eq=False)
class CleanedPage:
    """A page and what a cleaner keeps of it.

    text: as `clean` gives it. blocks: with those that it keeps; an extractor keeps a text and no
    blocks.
    """

    cut: CutPage
    cleaner: TextCleaner
    text: str
    blocks: Blocks


def cleaned_page(html: Html, cleaner: Cleaner) -> CleanedPage:
    """A page with all that the formats tell of it; raises as `clean`."""
    cleaner = text_of_a_page(cleaner, "clean")
    cut = cut_page(html)
    if isinstance(cleaner, PageText):
        return CleanedPage(cut, cleaner, clean(html, cleaner), blocks_of(cut, None))
    kept = blocks_of(cut, cleaner)
    return CleanedPage(cut, cleaner, kept.text, kept)


def as_text(page: CleanedPage) -> str:
    """The kept text, one block per line."""
    return page.text


def as_json(page: CleanedPage) -> str:
    """Title, URL and language as the page states them, the kept text, and every block.

    A block's start and end are places in the text, in characters; null where it is dropped.
    """
    said = stated(page.cut.utf8)
    found: dict[str, Any] = {
        "title": page.blocks.title or None,
        "url": said.url,
        "language": said.language,
        "cleaner": str(page.cleaner),
        "text": page.text,
    }
    if page.blocks.kept is not None:
        found["blocks"] = _listed(page.blocks)
    return json.dumps(found, ensure_ascii=False, indent=2)


def _listed(blocks: Blocks) -> list[dict[str, Any]]:
    listed = []
    at = 0
    kept = [False] * len(blocks) if blocks.kept is None else blocks.kept.tolist()
    for place, text in enumerate(blocks.texts):
        end = at + len(text)
        listed.append(
            {
                "text": text,
                "tag": blocks.tags[place],
                "words": int(blocks.words[place]),
                "density": float(blocks.density[place]),
                "link_density": float(blocks.link_density[place]),
                "kept": kept[place],
                "start": at if kept[place] else None,
                "end": end if kept[place] else None,
            }
        )
        at = end + 1 if kept[place] else at
    return listed


def as_markdown(page: CleanedPage) -> str:
    """The kept blocks with headings, lists, quotes, tables, code and links.

    Raises UsageError for an extractor, whose text has none of these.
    """
    if isinstance(page.cleaner, PageText):
        raise UsageError(
            f"markdown: expected a cleaner that keeps blocks, got {page.cleaner}, an extractor, "
            "which takes a text without their structure"
        )
    return markdown(page.cut.utf8, page.cleaner)


FORMATS: dict[str, Callable[[CleanedPage], str]] = {
    "text": as_text,
    "json": as_json,
    "markdown": as_markdown,
}
"""How a page can be written, by name."""
