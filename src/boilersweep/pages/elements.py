"""What segmentation takes the elements of HTML for, by their names."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

# The segmenter's names for elements that are not what their own name says.
#
# No page can contain them; each has as many characters as the own name, which `markup` counts.
OTHER_TITLE = (
    "#icon"  # a title behind an svg that a start tag ended: not the page's title
)
SHADOW = "#shadow-"  # a template that browsers show
FOREIGN = "#foreign-text"  # a foreignObject, whose HTML browsers show within svg
FORMULA = "#latex"  # a script whose text is a formula
# Elements without a text of their page: numbers of lines, buttons of code, formulas once more.
LEFT_OUT = {name: "#" * len(name) for name in "a b button div i pre span td th".split()}

# Elements whose text is not the page's. Of noscript see `Segmenter.html`.
SKIPPED = frozenset(
    "script style noscript option select template iframe object svg textarea noframes "
    "noembed annotation annotation-xml".split()
) | {OTHER_TITLE, *LEFT_OUT.values()}

# Elements that a block's tag may name.
CONTAINERS = frozenset(
    "h1 h2 h3 h4 h5 h6 p div li td th dt dd pre blockquote article section nav header footer aside "
    "main figcaption caption label button form address summary details center".split()
)

# Elements that do not end a paragraph as people see it.
PARAGRAPH = frozenset(
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark nobr q s samp small "
    "span strike strong sub sup time tt u var wbr".split()
)

HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())

# These and others that people link to, with a sign that is no part of them.
LINKED_TO = HEADINGS | {"caption", "dt", "figcaption"}

# In ruby: the base, the readings, and brackets for browsers that do not draw readings above it.
BASE = "rb"
READINGS = frozenset({"rt", "rtc"})
BRACKETS = "rp"

# Blocks in which adjacent items stay one word, as in prose and code.
RUNNING = frozenset({"p", "pre"})

# Where blocks end.
#
# block: at block elements alone, as browsers show text. paper: at every tag but A.
Borders = Literal["block", "paper"]


class Role(IntEnum):
    """What an element does to the blocks around its tags.

    Blocks run on across the roles below SKIPPED. Text is skipped from HIDDEN to TITLE. Elements
    from BORDER on are in a page's structure.
    """

    INLINE = 0  # nothing
    LINK = 1  # an item, too, but under the paper's borders
    ITEM = 2  # separates words where it directly follows another item
    SPACE = 3  # separates words
    HIDDEN = 4
    REPLACED = 5  # separates words
    SKIPPED = 6
    TITLE = 7
    BORDER = 8
    CONTAINER = 9  # a block's tag may name it


class Roles(dict[str, Role]):
    """The roles of elements by name.

    Args:
        default: The role of all other names.
    """

    def __init__(self, roles: Mapping[str, Role], default: Role) -> None:
        super().__init__(roles)
        self.default = default

    def __missing__(self, name: str) -> Role:
        return self.default


# Elements that browsers show as blocks, beside CONTAINERS, and br.
#
# Source: HTML Standard, section 15.3. Browsers show elements that they do not know inline.
_BORDERS = frozenset(
    "body br col colgroup dir dl fieldset frame frameset head hgroup hr html legend listing "
    "menu ol optgroup plaintext search table tbody tfoot thead tr ul xmp".split()
) | {FOREIGN, SHADOW}

# Boxes within a line: text around them belongs to other words.
_SPACES = frozenset(
    "audio canvas embed image img input marquee math meter mi mn mo ms mtext progress video".split()
) | {FORMULA}

# Elements that mark a part of a text; others may be laid out beside each other, as in menus.
_MARKING = (PARAGRAPH - {"a", "small", "span", "time"}) | READINGS
_MARKING |= {"ruby", BASE, BRACKETS}

_REPLACED = frozenset("iframe object select svg textarea".split())
_HIDDEN = frozenset(
    "script style template noscript noframes noembed annotation annotation-xml".split()
) | {LEFT_OUT[name] for name in ("a", "span")}


def roles_of(borders: Borders) -> Roles:
    """Return the roles of elements under one kind of borders."""
    roles = dict.fromkeys(CONTAINERS, Role.CONTAINER) | dict.fromkeys(
        SKIPPED, Role.SKIPPED
    )
    roles |= {"a": Role.LINK, "title": Role.TITLE}
    if borders == "paper":
        return Roles(roles, Role.BORDER)
    roles |= dict.fromkeys(_BORDERS, Role.BORDER) | dict.fromkeys(_SPACES, Role.SPACE)
    roles |= dict.fromkeys(_REPLACED, Role.REPLACED) | dict.fromkeys(
        _HIDDEN, Role.HIDDEN
    )
    roles |= dict.fromkeys(_MARKING, Role.INLINE)
    roles["label"] = Role.ITEM
    return Roles(roles, Role.ITEM)


_TABLE_PARTS = frozenset("caption col colgroup tbody td tfoot th thead tr".split())
_HTML_IN_SVG = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul "
    "var".split()
)

# Skipped elements -> the start tags that end one which its page forgot to close.
#
# Source: HTML Standard, section 13.2.6. It lets a paragraph stay in an option outside a select,
# but browsers show the option's text, so the paragraph ends the option here.
LEFT_BY = {
    "svg": _HTML_IN_SVG,
    "option": _HTML_IN_SVG | _TABLE_PARTS,
    "select": _TABLE_PARTS | {"input", "select"},
}

# Skipped elements -> the elements in them that may contain those start tags.
SHELTERS = {
    "svg": frozenset({"desc"}),
    **dict.fromkeys(("option", "select"), frozenset({"table", "template"})),
}


@dataclass(slots=True)
class Around:
    """What is known of the page around an element.

    Attributes:
        code: A pre or code element is open.
        heading: One of LINKED_TO is open.
        has_math: A math element came before.
        has_formulas: The page has scripts whose text is a formula.
    """

    code: bool = False
    heading: bool = False
    has_math: bool = False
    has_formulas: bool = False


# Classes of numbers of lines: of Pygments, Chroma, Rouge, highlight.js, Prism and others.
_NUMBERS = frozenset(
    "hljs-ln-n hljs-ln-numbers line-no line-number line-numbers lineNumber linenum linenumber "
    "linenumbers lineno linenos lineno-col ln lnt react-code-line-number react-line-number".split()
)
_GUTTERS = frozenset("gutter lineno linenos linenumbers rouge-gutter".split())

# Classes of what MathJax 2 draws, or shows before it has drawn, beside a script with the formula.
_DRAWN = frozenset(
    "MathJax MathJax_CHTML MathJax_MathML MathJax_Preview MathJax_SVG".split()
)


def told_as(name: str, attributes: Mapping[str, str], around: Around) -> str:
    """Return the segmenter's name for an element, which is another one where its text needs it.

    A template that browsers show is SHADOW, a script with a formula is FORMULA. LEFT_OUT has those
    for what repeats a formula (KaTeX writes it as MathML for readers aloud and again as spans;
    MathJax 2 draws it beside its script), for numbers of lines, buttons of code, and the links with
    which wikis let people edit a section.
    """
    if name == "template":
        mode = attributes.get("shadowrootmode", "").lower()
        return SHADOW if mode in ("open", "closed") else name
    if name == "script":
        is_formula = attributes.get("type", "").startswith("math/tex")
        return FORMULA if is_formula else name
    return LEFT_OUT[name] if _is_left_out(name, attributes, around) else name


def _is_left_out(name: str, attributes: Mapping[str, str], around: Around) -> bool:
    if name == "button":
        return around.code
    classes = attributes.get("class", "").split()
    if around.code and not _NUMBERS.isdisjoint(classes):
        return True
    if name in ("td", "th", "pre"):
        return not _GUTTERS.isdisjoint(classes)
    return name == "span" and (
        (around.has_math and "katex-html" in classes)
        or (around.heading and "mw-editsection" in classes)
        or (around.has_formulas and not _DRAWN.isdisjoint(classes))
    )
