"""Settings of crawlers and scrapers as rules: what they drop of a page by tags, classes and ids.

Each drops whole elements, as `!inside(...)` does; the tools' other steps, such as Markdown, are not
part of it. An A element holds no block, so a list's `a[rel=nofollow]` is left out.
"""

from typing import ClassVar

import numpy as np

from boilersweep.cleaners.rules import NamedRule
from boilersweep.cleaners.selectors import Inside, matching
from boilersweep.features.table import holding
from boilersweep.pages.columns import (
    STRUCTURE,
    BlockColumns,
    BoolArray,
    structure_of,
    subtree_ends,
)


class ToolSetting(NamedRule):
    """Drops the blocks in excluded elements, and those with too few words.

    Attributes:
        excluded: Selectors of what is dropped.
        unless: Selectors of elements that keep the excluded element around them; "" for none.
        least_words: The words that a block must have.
        copied: The setting, as the tool's users write it.
    """

    __slots__ = ()

    needs = STRUCTURE
    excluded: ClassVar[str]
    unless: ClassVar[str] = ""
    least_words: ClassVar[int] = 1
    copied: ClassVar[str]

    def mask(self, columns: BlockColumns) -> BoolArray:
        """Return (m,) True for every block that the tool keeps."""
        structure = structure_of(columns, self)
        excluded = matching(self.excluded, columns, self)
        if self.unless:
            saving = np.cumsum(np.r_[0, matching(self.unless, columns, self)])
            own = np.arange(len(excluded))
            excluded &= saving[subtree_ends(structure)] == saving[own + 1]
        dropped = holding(structure, excluded, len(columns.words))
        mask: BoolArray = ~dropped & (columns.words >= self.least_words)
        return mask


class Elastic(ToolSetting):
    """Drops header, footer and nav."""

    name = "elastic"
    summary = "Elastic Open Crawler's exclude_tags: header, footer, nav"
    source = "issues elastic/crawler 346 and 416; the default is none"
    excluded = "header, footer, nav"
    copied = "exclude_tags: [header, footer, nav]"


class Fess(ToolSetting):
    """Drops header, footer, aside and nav."""

    name = "fess"
    summary = "Fess's default: header, footer, aside, nav"
    source = "Fess's manual, crawler.document.html.pruned.tags"
    excluded = "header, footer, aside, nav"
    copied = (
        "crawler.document.html.pruned.tags=noscript,script,style,header,footer,aside,nav,"
        "a[rel=nofollow]"
    )


class Firecrawl(ToolSetting):
    """Drops tags, classes and ids, but keeps an element around `#main`."""

    name = "firecrawl"
    summary = (
        "Firecrawl's onlyMainContent: 41 tags, classes and ids, but not around #main"
    )
    source = "firecrawl, removeUnwantedElements.ts (2025)"
    excluded = (
        "header, footer, nav, aside, .header, .top, .navbar, #header, .footer, .bottom, #footer, "
        ".sidebar, .side, .aside, #sidebar, .modal, .popup, #modal, .overlay, .ad, .ads, .advert, "
        "#ad, .lang-selector, .language, #language-selector, .social, .social-media, "
        ".social-links, #social, .menu, .navigation, #nav, .breadcrumbs, #breadcrumbs, .share, "
        "#share, .widget, #widget, .cookie, #cookie"
    )
    unless = "#main"
    copied = "onlyMainContent: true"


class Crawl4ai(ToolSetting):
    """Drops form, header, footer and nav, and blocks of fewer than ten words."""

    name = "crawl4ai"
    summary = "crawl4ai's example: form, header, footer, nav, and at least 10 words"
    source = "crawl4ai's manual, Content Selection"
    excluded = "form, header, footer, nav"
    least_words = 10
    copied = (
        "excluded_tags=['form', 'header', 'footer', 'nav'], word_count_threshold=10"
    )


class Landmarks(ToolSetting):
    """Drops what HTML and ARIA call no main content."""

    name = "landmarks"
    summary = "without header, footer, nav, aside, search, and the roles of these"
    source = "W3C, HTML Accessibility API Mappings 1.0; ARIA 1.2, landmark roles"
    excluded = (
        "header, footer, nav, aside, search, [role=banner], [role=contentinfo], "
        "[role=navigation], [role=complementary], [role=search]"
    )
    copied = excluded


SETTINGS: tuple[type[ToolSetting], ...] = (
    Elastic,
    Fess,
    Firecrawl,
    Crawl4ai,
    Landmarks,
)


def setting_of(rule: object) -> ToolSetting | None:
    """Return the setting that is a rule, or drops what a rule by selectors drops."""
    for setting in SETTINGS:
        is_list = not setting.unless and setting.least_words == 1
        if rule == setting() or (
            is_list and str(rule) == f"!{Inside(setting.excluded)}"
        ):
            return setting()
    return None
