"""What segmentation takes the elements of HTML for, by their names."""

SKIPPED = frozenset(
    "script style noscript option select template iframe object svg textarea noframes "
    "noembed".split()
)
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
