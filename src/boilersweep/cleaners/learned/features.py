"""Sets of features that models read: of paragraphs by compiled code, of blocks by NumPy.

Nothing in a row depends on other documents of the shard. VERSION changes with any feature of
paragraphs: a model names the version it was trained on, and reads no other.

`compiled.pyx` computes the features of paragraphs; this is their specification. A paragraph is a
run of blocks with only inline tags between them. Its element is the innermost one around it that is
not inline.

- log(x) means log(1 + x), the natural logarithm; a share is 0 to 1.
- characters do not count white space; a word has a letter or a digit; a number per word or per
  character divides by 1 if there is none.
- prose: paragraphs of at least 10 words with a link density below .34.
- framing: inside nav, header, footer or aside.
- algorithm 1, algorithm 2: the classifiers of Kohlschütter et al. 2010 (see
  `boilersweep.cleaners.published.boilerpipe`); a paragraph has the share of words they keep.
- commas, sentence ends and the like are those of all scripts (`boilersweep.features.characters`).
- a feature that says "whether" is 1 or 0.
- distances are in paragraphs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from boilersweep.cleaners.consent import Consent
from boilersweep.cleaners.learned.inference import Rows, logistic, ready_network
from boilersweep.cleaners.learned.model import Model, Network
from boilersweep.cleaners.selectors import matching_among
from boilersweep.errors import BoilersweepError
from boilersweep.features import kohlschuetter, schaefer
from boilersweep.features.table import holding
from boilersweep.pages.columns import (
    BlockColumns,
    BoolArray,
    FloatArray,
    IntArray,
    structure_of,
)
from boilersweep.pages.hints import hinting

# Marks of authors for what is no content; `marked` knows more. Manuals mark their code as
# data-pagefind-ignore, and pages of 2007 switch off their main text by comments.
NO_CONTENT = (
    "[data-nosnippet], [data-elastic-exclude], [data-search-exclude], "
    "[data-swiftype-index=false], .robots-nocontent"
)

# Names of elements that are features of their own; all other names are one feature.
TAGS = (
    "body p div span td th tr table ul ol li dl dt dd h1 h2 h3 h4 h5 h6 section article main nav "
    "header footer aside form fieldset label button pre blockquote figure figcaption center "
    "details summary address code time br"
).split()

# Kinds of elements around a block, at any depth -> names of elements.
ENCLOSING = {
    "nav": "nav",
    "header": "header",
    "footer": "footer",
    "aside": "aside",
    "main": "main",
    "article": "article",
    "section": "section",
    "p": "p",
    "li": "li",
    "table": "table",
    "form": "form",
    "button": "button",
    "figure": "figure figcaption",
    "quotation": "blockquote",
    "pre": "pre code",
    "definition": "dl",
    "heading": "h1 h2 h3 h4 h5 h6",
    "dialog": "dialog",
    "details": "details summary",
    "label": "label",
    "search": "search",
    "tab": "",
    "hidden": "",
}

_ROLES = {
    "navigation": "nav",
    "menu": "nav",
    "menubar": "nav",
    "menuitem": "nav",
    "banner": "header",
    "contentinfo": "footer",
    "complementary": "aside",
    "main": "main",
    "article": "article",
    "button": "button",
    "dialog": "dialog",
    "alertdialog": "dialog",
    "search": "search",
    "tab": "tab",
    "tablist": "tab",
    "tabpanel": "tab",
}

# Groups of class and id tokens -> their words.
MARKS = {
    "navigation": "nav navbar navigation navi topnav subnav",
    "menu": "menu menus submenu dropdown hamburger megamenu",
    "footer": "foot footer bottom colophon",
    "header": "head header masthead topbar top logo",
    "side": "side sidebar aside rail left right complementary",
    "comment": "comment comments disqus respond reply replies discussion discuss",
    "related": "related recommend recommended recommendation similar more suggest suggested "
    "trending popular latest recent recirc also",
    "share": "share sharing social follow facebook twitter addthis email print tools",
    "consent": "cookie cookies consent gdpr onetrust privacy ccpa legal copyright terms",
    "modal": "modal popup overlay lightbox dialog tooltip toast offcanvas drawer",
    "promotion": "promo promotion ad ads advert advertisement advertising sponsor sponsored banner "
    "cta newsletter subscribe subscription signup optin",
    "crumbs": "breadcrumb breadcrumbs crumb crumbs",
    "content": "content contents body text copy richtext rte prose markdown wysiwyg",
    "article": "article post entry story blog single hentry news",
    "main": "main primary page center",
    "meta": "meta byline author date time timestamp info published bio credit posted source",
    "title": "title headline heading subtitle hed subhead",
    "tags": "tag tags category categories topic topics cat label labels keywords",
    "pager": "pagination pager pages paging paginate prev previous next",
    "product": "product products price sku description desc detail details spec specs "
    "specification specifications feature features",
    "review": "review reviews rating ratings testimonial testimonials qa stars",
    "item": "item items card cards tile teaser grid result results listing collection list row "
    "col column",
    "control": "search login signin account cart form filter filters facet sort toolbar user "
    "profile button btn input",
    "hidden": "hidden hide sr screen visually collapse collapsed invisible skip",
    "container": "widget block module component section container wrapper plugin box",
    "forum": "message messages thread answer answers question questions signature quote votes "
    "vote postbody forum",
    "figure": "caption figure image img gallery photo photos media video player slider carousel "
    "swiper slide",
    "contents": "toc outline index anchor docs doc documentation",
    "faq": "faq faqs accordion",
    "hero": "hero jumbotron intro lead lede excerpt summary",
}

_ENCLOSING_BITS = {kind: 1 << place for place, kind in enumerate(ENCLOSING)}
NAME_BITS = {
    name: _ENCLOSING_BITS[kind]
    for kind, names in ENCLOSING.items()
    for name in names.split()
}
WORD_BITS = {
    word: 1 << place
    for place, words in enumerate(MARKS.values())
    for word in words.split()
}
ROLE_BITS = {role: _ENCLOSING_BITS[kind] for role, kind in _ROLES.items()}


TEXT = {
    "words": "log(words) / 4",
    "characters": "log(characters) / 6",
    "word_length": "characters per word, at most 40, / 8",
    "sentence_length": "words / (1 + sentence ends), at most 200, / 20",
    "sentences": "log(sentence ends)",
    "capitalised": "share of words that begin in uppercase",
    "all_caps": "share of words with uppercase and without lowercase letters",
    "punctuation": "punctuation and symbols per character * 4",
    "letters": "share of letters among characters",
    "digits": "digits per character * 2",
    "uppercase": "uppercase letters per character * 2",
    "sentence_ends": "sentence ends per word * 4",
    "commas": "commas per word * 8",
    "separators": "bars, bullets, arrows, slashes and dashes, at most 5, / 5",
    "copyright": "whether there is a copyright sign",
    "currency": "currency signs, at most 2, / 2",
    "questions": "question marks, at most 2, / 2",
    "at_signs": "whether there is an at sign",
    "colons": "colons, at most 3, / 3",
    "ends_sentence": "whether the last character ends a sentence",
    "ends_in_punctuation": "whether the last character is punctuation or a symbol",
    "ends_in_colon": "whether the last character is a colon",
    "starts_uppercase": "whether the first character is uppercase",
    "starts_with_digit": "whether the first character is a digit",
    "link_density": "share of words in links",
    "links": "log(links) / 2",
    "links_per_word": "links per word, at most 1",
    "density": "mean text density of its words' blocks / 15",
    "one_word": "whether it has exactly one word",
    "blocks": "log(blocks - 1)",
}

PLACE = {
    "place": "share of the page's other paragraphs before it",
    "word_place": "share of the page's words before its middle",
    "from_middle": "distance of place from .5, * 2",
    "words_from_middle": "distance of word_place from .5, * 2",
    "paragraphs_before": "log(paragraphs before it) / 5",
    "paragraphs_after": "log(paragraphs after it) / 5",
    "share_of_words": "share of the page's words",
    "share_of_longest": "words / words of the page's longest paragraph",
    "tags_before": "log(tags between the text before and it) / 2",
    "tags_after": "log(tags between it and the text after) / 2",
    "tags": "log(tags before its blocks and within them) / 3",
    "depth": "elements around its element, at most 40, / 10",
    "depth_from_mean": "(depth of its element - mean over the page's paragraphs) / 5",
}

# Of the paragraphs two and one before it, one and two after it; 0 where there is none.
NEIGHBOUR = {
    "words": "log(words) / 4",
    "link_density": "share of words in links",
    "in_p": "whether its element is a p",
    "in_heading": "whether it is inside a heading",
    "in_li": "whether it is inside a list item",
    "sentence_ends": "sentence ends per word * 4",
    "ends_sentence": "whether the last character ends a sentence",
    "capitalised": "share of words that begin in uppercase",
    "commas": "commas per word * 8",
    "prose": "whether it is prose",
    "depth": "elements around its element / 10",
    "framing": "whether it is framing",
    "tags_before": "log(tags between the text before and it) / 2",
    "algorithm2": "share of words that algorithm 2 keeps",
    "alike": "whether the element, or names and marks of the three innermost ones, are the same",
    "sibling": "whether both elements have the same parent",
    "there": "whether there is such a paragraph",
}

# The same for all paragraphs of a page. Shares are of the page's words.
DOCUMENT = {
    "paragraphs": "log(paragraphs) / 8",
    "words": "log(words) / 8",
    "linked": "share in links",
    "prose_share": "share in prose",
    "p_share": "share in paragraphs whose element is a p",
    "prose": "log(words of prose) / 8",
    "article_share": "share inside article",
    "main_share": "share inside main",
    "framing_share": "share in framing",
    "articles": "article elements with text, at most 20, / 20",
    "p_elements": "log(p elements with text) / 5",
    "li_elements": "log(li elements with text) / 6",
    "h1_elements": "log(h1 elements with text)",
    "h2_elements": "log(h2 and h3 elements with text) / 4",
    "table_share": "share inside tables",
    "pre_share": "share inside pre or code",
    "tags": "log(tags) / 8",
    "words_per_tag": "words / (words + tags)",
    "currency": "currency signs, at most 50, / 50",
    "longest_share": "share in the longest paragraph",
    "longest": "log(words of the longest paragraph) / 6",
    "algorithm2_share": "share that algorithm 2 keeps",
    "comment_share": "share inside elements with a mark of comments",
    "forum_share": "share inside elements with a mark of forums",
    "product_share": "share inside elements with a mark of products",
    "reviews": "paragraphs whose element has a mark of reviews, at most 20, / 20",
    "questions": "question marks, at most 20, / 20",
}

# Distances are log(distance, at most 50) / 4, and 50 where there is none.
CONTEXT = {
    "before_h1": "whether it is before the first h1",
    "after_h1": "whether it is the first h1 or after it",
    "has_h1": "whether the page has an h1",
    "from_h1": "log(distance from the first h1) / 5, negative before it",
    "from_heading": "distance from the last heading, 0 of a heading",
    "to_heading": "distance from the next heading, 0 of a heading",
    "heading_level": "level of the last heading - 1, at most 8, / 8; 1 without one",
    "from_prose": "distance from the last prose, 0 of prose",
    "to_prose": "distance from the next prose, 0 of prose",
    "repeats": "whether an earlier paragraph has the same text",
    "repeated": "whether a later paragraph has the same text, and no earlier one",
    "prose_within_3": "share of prose in the words up to 3 paragraphs away",
    "prose_within_8": "share of prose in the words up to 8 paragraphs away",
    "prose_within_20": "share of prose in the words up to 20 paragraphs away",
    "prose_before": "share of the page's prose before it",
    "prose_until": "share of the page's prose before it or in it",
}

# Of the element, and of four around it that have more content, one around the other.
OUTER = {
    "words": "log(words) / 6",
    "share": "share of the page's words",
    "links": "share of words in links",
    "prose": "share of words in prose",
    "prose_share": "share of the page's prose",
    "paragraphs": "log(paragraphs) / 5",
    "mean_words": "words per paragraph / 30, at most 4",
    "sentences": "sentence ends per word * 4",
    "p": "share of words in paragraphs whose element is a p",
    "commas": "commas per word * 8",
    "place": "share of its paragraphs that are before this one",
    "algorithm2": "share of words that algorithm 2 keeps",
}

# Of all the page's paragraphs together that look alike: two, their element and its parent have the
# same names and marks; three, also the parent's parent; outer, the parent and its parent have.
# Marks that differ in their digits alone (comment-1, comment-2) are the same.
ALIKE = {
    "paragraphs": "log(paragraphs) / 5",
    "share": "share of the page's words",
    "mean_words": "words per paragraph / 30, at most 4",
    "links": "share of words in links",
    "sentences": "sentence ends per word * 4",
    "prose": "share of words in prose",
}

# Of the run of paragraphs with the highest sum of scores, as in BTE and maximum subsequence
# segmentation. words: words minus tags before them; unlinked: words minus twice the linked ones and
# tags; prose: words of prose minus half of all others and three times the tags.
INTERVAL = {
    "inside": "whether it is in the run",
    "away": "log(distance from the run, at most 60) / 4, negative before it",
}

# Of the innermost element with half, three quarters (most) and nine tenths (nearly_all) of all
# prose.
HOLDER = {
    "inside": "whether it is in the element",
    "side": "-1 before the element, 1 after it",
    "depth": "(depth of its element - depth of the element) / 5, 0 outside",
    "place": "share of the element's paragraphs before it, 0 outside",
    "share": "share of the page's words in the element",
    "prose": "share of prose in the element",
}

# The container is the element that Readability (Arc90, 2009) would choose. A paragraph of at least
# five words scores (1 - link density) * (1 + commas, at most 20, + words / 17, at most 3): in full
# for its element if that contains other paragraphs, else for the next one around; by half and a
# third for the next two around that. An element loses the share of its words that is linked. Of
# elements with the same content the outermost counts; names and marks do not count.
CONTAINER = {
    "inside": "whether it is in the container",
    "away": "log(distance from the container, at most 60) / 4, negative before it",
    "depth": "(depth of its element - depth of the container) / 5, 0 outside",
    "place": "share of the container's paragraphs before it, 0 outside",
    "holds0": "whether it scores in full for the container",
    "score0": "score of the element it scores for in full / highest score",
    "holds1": "whether it scores by half for the container",
    "score1": "score of the element it scores for by half / highest score",
    "holds2": "whether it scores by a third for the container",
    "score2": "score of the element it scores for by a third / highest score",
    "beside0": "whether it scores in full for the element around the container",
    "beside1": "whether it scores by half for the element around the container",
    "second": "highest score of an element beside the container / highest score",
    "share": "share of the page's words in the container",
    "prose_share": "share of the page's prose in the container",
    "links": "share of the container's words in links",
    "words": "log(words of the container) / 8",
    "mean_words": "words per paragraph of the container / 30, at most 4",
    "score": "log(highest score) / 4",
    "start": "share of the page's words before the container",
}


def _meanings() -> dict[str, str]:
    """Return name -> meaning of all features, in their order."""
    meanings = TEXT | PLACE
    for level in range(4):
        around = f"element {level} around it, 0 for its own"
        meanings |= {
            f"{tag}^{level}": f"whether it is a {tag}: {around}" for tag in TAGS
        }
        meanings[f"other^{level}"] = f"whether it has another name: {around}"
    meanings |= {
        f"in:{kind}": f"whether it is inside {kind} (ENCLOSING)" for kind in ENCLOSING
    }
    for name, whose in (
        ("own", "its element"),
        ("near", "one of its three innermost elements"),
        ("all", "an element around it"),
    ):
        meanings |= {
            f"{name}:{group}": f"whether {whose} has a mark of {group}"
            for group in MARKS
        }
    for step in (-2, -1, 1, 2):
        meanings |= {f"{name}[{step:+d}]": text for name, text in NEIGHBOUR.items()}
    meanings |= {f"document_{name}": text for name, text in DOCUMENT.items()}
    meanings |= CONTEXT
    for level in range(5):
        meanings |= {f"outer{level}_{name}": text for name, text in OUTER.items()}
    for group in ("two", "three", "outer"):
        meanings |= {f"alike_{group}_{name}": text for name, text in ALIKE.items()}
    meanings |= {
        "algorithm1": "share of words that algorithm 1 keeps",
        "algorithm2": "share of words that algorithm 2 keeps",
    }
    for score in ("words", "unlinked", "prose"):
        meanings |= {
            f"interval_{score}_{name}": text for name, text in INTERVAL.items()
        }
    for share in ("half", "most", "nearly_all"):
        meanings |= {f"{share}_{name}": text for name, text in HOLDER.items()}
    return meanings | {f"container_{name}": text for name, text in CONTAINER.items()}


# Name -> meaning.
MEANINGS = _meanings()
NAMES = tuple(MEANINGS)


VERSION = 2

# The set of the shipped model.
PARAGRAPHS = "paragraphs"


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """A kind of features.

    Attributes:
        version: Changes with any of the features.
        names: (k,) The names of the columns.
        rows: A function from columns with texts and structure to rows; raises UsageError if they
            are missing.
    """

    version: int
    names: tuple[str, ...]
    rows: Callable[[BlockColumns, object], Rows]


def compiled_reader() -> Any:
    """Return the class that reads paragraphs; raises BoilersweepError if it was not built."""
    try:
        from boilersweep.cleaners.learned.compiled import Reader
    except ImportError as error:
        raise BoilersweepError(
            f"`learned` needs compiled code, which is missing here ({error}): name a cleaner that "
            "needs none, such as `numwords-rules`, or install a C compiler and Python's headers, "
            "then boilersweep again"
        ) from error
    return Reader


def rated_paragraphs(
    columns: BlockColumns, cleaner: object, model: Model, networks: Sequence[Network]
) -> Rows:
    """Return rows without values, rated by small networks of a model of paragraphs.

    Raises:
        UsageError: The columns came without structure.
        BoilersweepError: There is no compiled code.
    """
    return _paragraphs(columns, cleaner, model, tuple(networks))


def _paragraphs(
    columns: BlockColumns,
    cleaner: object,
    model: Model | None = None,
    networks: tuple[Network, ...] = (),
) -> Rows:
    structure = structure_of(columns, cleaner)
    idle = _idle_readers(model, networks)
    try:
        reader = idle.pop()
    except IndexError:
        ready = [ready_network(network) for network in networks]
        reader = compiled_reader()(
            ready, model.columns if model else slice(0), len(NAMES)
        )
    of_blocks, starts, words, relations, logits, values = reader.read(
        columns, structure, model is None
    )
    idle.append(reader)
    owners = np.repeat(np.arange(len(columns)), np.diff(starts))
    return Rows(
        # The layout decides how training rounds its sums
        values=np.asfortranarray(values),
        words=words,
        of_blocks=of_blocks,
        owners=owners,
        starts=starts,
        relations=relations,
        excluded=_excluded(columns, of_blocks, owners, words),
        rated=dict(zip(networks, logistic(logits), strict=True)),
    )


def _excluded(
    columns: BlockColumns, of_blocks: IntArray, owners: IntArray, words: FloatArray
) -> BoolArray:
    """Return (r,) True for rows of banners and marked text, except on pages without other words."""
    dropped = Consent().mask(columns) | _no_content(columns)
    if not dropped.any():
        return np.zeros(len(words), dtype=bool)
    excluded = np.bincount(of_blocks[~dropped], minlength=len(words)) == 0
    rest = np.bincount(owners, np.where(excluded, 0, words), len(columns))
    with_others: BoolArray = excluded & (rest > 0)[owners]
    return with_others


def _no_content(columns: BlockColumns) -> BoolArray:
    """Return (m,) True for the blocks in NO_CONTENT."""
    structure = structure_of(columns, NO_CONTENT)
    attributes = hinting(structure.attribute_list, ("data-",))
    marks = hinting(structure.mark_list, ("nocontent",))
    if not (attributes or marks):
        return np.zeros(len(columns.words), dtype=bool)
    has_data = np.zeros(len(structure.attribute_list), dtype=bool)
    has_data[attributes] = True
    has_word = np.zeros(len(structure.mark_list), dtype=bool)
    has_word[marks] = True
    hinted = has_data[structure.attributes] | has_word[structure.marks]
    chosen = matching_among(NO_CONTENT, structure, hinted)
    return holding(structure, chosen, len(columns.words))


@lru_cache(maxsize=16)
def _idle_readers(_model: Model | None, _networks: tuple[Network, ...]) -> list[Any]:
    """Return the readers that no thread uses now."""
    return []


def _blocks(
    table: Callable[[BlockColumns], FloatArray],
) -> Callable[[BlockColumns, object], Rows]:
    def rows(columns: BlockColumns, _cleaner: object) -> Rows:
        return Rows(
            values=table(columns),
            words=columns.words.astype(np.float64),
            of_blocks=np.arange(len(columns.words)),
            owners=columns.owners,
            starts=columns.starts,
            relations=np.zeros((len(columns.words), 5), dtype=np.int64),
            excluded=np.zeros(len(columns.words), dtype=bool),
        )

    return rows


# kohlschuetter: the 64 of the 2010 paper that need no block frequencies. schaefer: the 37 of the
# perceptron. Both are of blocks.
FEATURE_SETS = {
    PARAGRAPHS: FeatureSet(VERSION, NAMES, _paragraphs),
    "kohlschuetter": FeatureSet(
        1,
        tuple(feature.name for feature in kohlschuetter.FEATURES[:64]),
        _blocks(
            lambda columns: kohlschuetter.kohlschuetter_features(columns, None).values
        ),
    ),
    "schaefer": FeatureSet(
        1,
        tuple(feature.name for feature in schaefer.FEATURES),
        _blocks(lambda columns: schaefer.schaefer_features(columns).values),
    ),
}
