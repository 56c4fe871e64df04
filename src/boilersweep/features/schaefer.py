"""The 37 features of Schäfer's multilayer perceptron, scaled to 0 to 1.

Source: Schäfer, Efficient high-precision boilerplate detection using multilayer perceptrons,
section 2. The paper lists 22 numbers, and the container and the doctype as arrays of zeros and
ones. With its four doctypes, containers must be 11 to make 37; it names three of them. The
constants that counts are divided by are ours: the paper has none.

Markup is what the structure holds of it: the tags without their attributes. Empty blocks are no
longer there when a page has been cut, so every two tags before a block beyond the two that must
part it from its neighbour count as one.
"""

import numpy as np

from boilersweep.features.characters import (
    EMAIL,
    HASHTAG,
    PUNCTUATION,
    URL,
    count_characters,
    count_matches,
)
from boilersweep.features.table import (
    Feature,
    FeatureTable,
    document_sums,
    innermost,
    table_of,
    window_sums,
)
from boilersweep.pages.columns import BlockColumns, FloatArray, IntArray, structure_of

# Characters of a block from which on its length is 1.
LENGTH = 1000

# Words of a sentence from which on the mean sentence length is 1.
SENTENCE_LENGTH = 40

# Sentences from which on their count is 1.
SENTENCES = 20

# Empty blocks from which on their count is 1.
EMPTY_BLOCKS = 10

_CONTAINERS: dict[str, tuple[str, ...]] = {
    "article": ("article",),
    "section": ("section",),
    "div": ("div",),
    "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
    "p": ("p",),
    "li": ("li",),
    "cell": ("td", "th"),
    "blockquote": ("blockquote",),
    "pre": ("pre",),
    "definition": ("dt", "dd"),
    "form": ("form",),
}
_KIND_OF = {
    name: kind for kind, names in enumerate(_CONTAINERS.values()) for name in names
}
_DOCTYPES = ("html4", "html5", "xhtml", "")

# All 37, in the order of the paper's list.
FEATURES = (
    Feature("markup", "characters of tags, of those of tags and text (bytes)", "1a"),
    Feature("markup_window_1", "the same over the block and one on both sides", "1b"),
    Feature("markup_window_2", "the same over the block and two on both sides", "1c"),
    *(
        Feature(
            f"container_{kind}",
            f"1 where the innermost expected container is {' or '.join(names)}",
            "1d; names article, div, h and leaves the others open",
        )
        for kind, names in _CONTAINERS.items()
    ),
    Feature("no_container", "1 where no expected container holds the block", "1e"),
    Feature(
        "empty_blocks",
        f"empty blocks before this one / {EMPTY_BLOCKS}, at most 1",
        "1f",
    ),
    Feature("anchors", "A elements over characters, at most 1", "1g"),
    Feature("emails", "e-mail addresses over characters", "2a"),
    Feature("urls", "URLs in the text over characters", "2b"),
    Feature("hashtags", "hashtags over characters", "2c"),
    Feature("length", f"characters / {LENGTH}, at most 1", "3a"),
    Feature("length_share", "characters, of those of the document", "3b"),
    Feature(
        "text_position",
        "distance of the block's middle from the middle of the document's characters: 0 there, 1 "
        "at both ends",
        "3c",
    ),
    Feature(
        "block_position", "middle of the block in the document's blocks, 0 to 1", "3d"
    ),
    Feature("punctuation", "punctuation and symbols, of all characters", "4a"),
    Feature("letters", "letters, of all characters", "4b"),
    Feature("digits", "digits, of all characters", "4c"),
    Feature("uppercase", "uppercase letters, of all characters", "4d"),
    Feature("copyright", "1 where a copyright sign stands in the block", "4e"),
    Feature(
        "sentence_length",
        f"mean words of a sentence / {SENTENCE_LENGTH}, at most 1",
        "5a",
    ),
    Feature("sentences", f"sentences / {SENTENCES}, at most 1", "5b"),
    Feature("ends_in_punctuation", "1 where the last character is punctuation", "5c"),
    *(
        Feature(
            f"doctype_{kind or 'undeclared'}",
            f"1 where the doctype is {kind or 'missing'}",
            "6a",
        )
        for kind in _DOCTYPES
    ),
    Feature("document_markup", "the same as markup, over the whole document", "6b"),
)


def schaefer_features(columns: BlockColumns) -> FeatureTable:
    """Compute the 37 features of every block, each from 0 to 1.

    The columns have texts and structure.

    Raises:
        UsageError: The structure is missing.
    """
    structure = structure_of(columns, "a feature")
    characters = count_characters(columns.texts)
    length = characters["characters"]
    own_length = np.maximum(length, 1)
    utf8 = [text.encode("utf-8", "surrogatepass") for text in columns.texts]
    sizes = np.array([len(text) for text in utf8], dtype=int)
    container = innermost(structure, _KIND_OF)
    kinds = np.array([*_KIND_OF.values(), -1])[container]
    blocks = np.diff(columns.starts)
    of_pages = [_DOCTYPES.index(kind) for kind in structure.doctypes]
    doctypes = np.repeat(np.array(of_pages, dtype=np.int64), blocks)
    counts = np.repeat(blocks, blocks)
    place = np.arange(len(sizes)) - columns.starts[:-1][columns.owners]
    whole = np.maximum(document_sums(length, columns), 1)
    sums = np.concatenate([[0], np.cumsum(length)])
    before = sums[:-1] - sums[columns.starts[:-1]][columns.owners]
    sentences = np.maximum(characters["sentences"], 1)

    def markup(reach: int) -> FloatArray:
        tags = window_sums(structure.markup, columns, reach)
        return _share(tags, tags + window_sums(sizes, columns, reach))

    tags = document_sums(structure.markup, columns)
    return table_of(
        FEATURES,
        [
            markup(0),
            markup(1),
            markup(2),
            *(kinds == kind for kind in range(len(_CONTAINERS))),
            kinds < 0,
            np.clip((structure.tags_before - 2) // 2 / EMPTY_BLOCKS, 0, 1),
            np.minimum(structure.links / own_length, 1),
            count_matches(EMAIL, columns.texts) / own_length,
            count_matches(URL, columns.texts) / own_length,
            count_matches(HASHTAG, columns.texts) / own_length,
            np.minimum(length / LENGTH, 1),
            length / whole,
            np.abs(2 * (before + length / 2) / whole - 1),
            (place + 0.5) / np.maximum(counts, 1),
            characters["punctuation"] / own_length,
            characters["letters"] / own_length,
            characters["digits"] / own_length,
            characters["uppercase"] / own_length,
            characters["copyright"] > 0,
            np.minimum(columns.words / sentences / SENTENCE_LENGTH, 1),
            np.minimum(characters["sentences"] / SENTENCES, 1),
            (characters["last"] & PUNCTUATION) != 0,
            *(doctypes == kind for kind in range(len(_DOCTYPES))),
            _share(tags, tags + document_sums(sizes, columns)),
        ],
    )


def _share(part: IntArray, whole: IntArray) -> FloatArray:
    return part / np.maximum(whole, 1)
