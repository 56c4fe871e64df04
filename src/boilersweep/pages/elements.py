"""What segmentation takes the elements of HTML for, by their names."""

OTHER_TITLE = "#icon"
"""The segmenter's name for a title behind an svg that a start tag ended: not the page's title.

No page can contain this name; it has as many characters as `title`, which `markup` counts.
"""

SKIPPED = frozenset(
    "script style noscript option select template iframe object svg textarea noframes "
    "noembed".split()
) | {OTHER_TITLE}
"""Elements whose text is not the page's; each is a border. Of noscript see `Segmenter.html`."""

CONTAINERS = frozenset(
    "h1 h2 h3 h4 h5 h6 p div li td th dt dd pre blockquote article section nav header footer aside "
    "main figcaption caption label button form address summary details center".split()
)
"""Elements that a block's tag may name."""

INLINE = frozenset(
    "abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark nobr q s samp small span "
    "strike strong sub sup time tt u var wbr".split()
)
"""Elements that are no border where inline tags are transparent."""

PARAGRAPH = INLINE | {"a"}
"""Elements that do not end a paragraph as people see it."""

_TABLE_PARTS = frozenset("caption col colgroup tbody td tfoot th thead tr".split())
_HTML_IN_SVG = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul "
    "var".split()
)

LEFT_BY = {
    "svg": _HTML_IN_SVG,
    "option": _HTML_IN_SVG | _TABLE_PARTS,
    "select": _TABLE_PARTS | {"input", "select"},
}
"""Skipped elements -> the start tags that end one which its page forgot to close.

Source: HTML Standard, section 13.2.6. It lets a paragraph stay in an option outside a select, but
browsers show the option's text, so the paragraph ends the option here.
"""

SHELTERS = {
    "svg": frozenset({"foreignobject", "desc"}),
    **dict.fromkeys(("option", "select"), frozenset({"table", "template"})),
}
"""Skipped elements -> the elements in them that may contain those start tags."""
