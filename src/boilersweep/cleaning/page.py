"""A page with all that people and programs want of it: text, Markdown, metadata and blocks."""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from boilersweep.cleaners.extractor_blocks import ExtractorBlocks
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.learned.page_kinds import likeliest
from boilersweep.cleaners.parsing import as_cleaner
from boilersweep.cleaners.registry import find_text_cleaner
from boilersweep.cleaners.selection import Cleaner, PageText, text_of_a_page
from boilersweep.cleaning.blocks import Blocks, blocks_of
from boilersweep.cleaning.markdown import markdown
from boilersweep.cleaning.page_cleaner import Html, cut_page
from boilersweep.cleaning.page_texts import extracted
from boilersweep.pages.metadata import Metadata, metadata


@dataclass(frozen=True, slots=True)
class CleanedPage:
    """What a cleaner keeps of a page, and what the page states of itself; None for nothing stated.

    text: one block per line, as `boilersweep.clean` gives it. markdown: the same blocks with
    their markup. title: of the title element. headline: of the article, as its heading says it.
    url: canonical, else the one that was given. language: as the page spells it, such as "de-AT".
    author: of several, with ", " between them. published, modified: ISO 8601, a date, or a moment
    with the time zone if the page states one. image: the address of the one that shows the page.
    blocks: all of them, and which the cleaner keeps; for an extractor those that its text contains.
    """

    text: str
    markdown: str
    title: str | None
    headline: str | None
    url: str | None
    language: str | None
    author: str | None
    published: str | None
    modified: str | None
    site_name: str | None
    image: str | None
    blocks: Blocks

    @property
    def kind(self) -> str:
        """ "article", "documentation", "forum", "listing", "product" or "service", as `learned`
        tells it of the blocks."""
        return likeliest(Learned().kinds(self.blocks.columns))[0]

    def __repr__(self) -> str:
        return (
            f"CleanedPage({self.headline or self.title!r}, {len(self.text):,} characters of text, "
            f"{len(self.blocks):,} blocks)"
        )


def page(
    html: Html, cleaner: Cleaner | str = "learned", url: str | None = None, *, images: bool = False
) -> CleanedPage:
    """What a cleaner keeps of a page, as text and as Markdown, with the page's metadata.

    html, cleaner: as `boilersweep.clean` takes them. url: the page's address; relative addresses
    of links and images are completed with it. images: write images into the Markdown.
    Raises PageError and UsageError as `boilersweep.clean`.
    """
    cleaner = text_of_a_page(as_cleaner(cleaner), "page")
    cut = cut_page(html)
    if isinstance(cleaner, PageText):
        found = blocks_of(cut, ExtractorBlocks(cleaner.name))
        text = extracted(find_text_cleaner(cleaner.name), cut.utf8)
    else:
        found = blocks_of(cut, cleaner)
        text = found.text
    stated = metadata(cut.utf8, found.title, url)
    kept = [] if found.kept is None else found.kept.tolist()
    return CleanedPage(
        text=text,
        markdown=markdown(cut.utf8, kept, url=url, images=images),
        title=found.title or None,
        blocks=found,
        **asdict(stated) | {"url": stated.url or url},
    )


def as_json(page: CleanedPage, cleaner: Cleaner) -> str:
    """A page as JSON: the metadata, the text, and every block if the cleaner keeps blocks.

    A block's start and end are places in the text, in characters; null where it is dropped.
    """
    names = ["title", *(field.name for field in fields(Metadata))]
    found: dict[str, Any] = {name: getattr(page, name) for name in names}
    found |= {"kind": page.kind, "cleaner": str(cleaner), "text": page.text}
    if not isinstance(cleaner, PageText):
        found["blocks"] = _listed(page.blocks)
    return json.dumps(found, ensure_ascii=False, indent=2)


def _listed(blocks: Blocks) -> list[dict[str, Any]]:
    listed = []
    at = 0
    kept = [False] * len(blocks) if blocks.kept is None else blocks.kept.tolist()
    classes = blocks.classes
    for place, text in enumerate(blocks.texts):
        end = at + len(text)
        probabilities = {name: round(float(p[place]), 4) for name, p in classes.items()}
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
                **({"probabilities": probabilities} if probabilities else {}),
            }
        )
        at = end + 1 if kept[place] else at
    return listed
