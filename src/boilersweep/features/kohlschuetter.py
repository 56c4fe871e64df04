"""The 67 features of Kohlschütter, Fankhauser and Nejdl, WSDM 2010, section 3 and Table 2.

Table 2 gives their numbers only: 23 local ones of the current block, 25 with the text density
quotient, 64 with those of the previous and the next block, 67 with the block's frequency in the
collection. The features that section 3 names add up to them as follows.

    21  of a block itself: 9 enclosing tags and 12 of its text
    23  and its absolute and relative position            "All Local Features (C)"
    25  and its text density over that of the block before, and that of the block behind over its
        own                                               "All Local Features (C) + TDQ"
    64  and its number of words over that of the block before (Figure 1), and 19 features of each
        of the two neighbours                             "All Local Features (P/C/N)"
    67  and the frequency of the texts of all three       "All Local Features + Global Freq."

Which 19 the neighbours have is our reading: all of the 21 but the two numbers of uppercase words,
which follow from their shares and the number of words.
"""

import numpy as np

from boilersweep.features.characters import (
    DATE_OR_TIME,
    count_characters,
    count_matches,
)
from boilersweep.features.recurrence import BlockFrequencies, text_hashes
from boilersweep.features.table import (
    Feature,
    FeatureTable,
    enclosed_by,
    table_of,
)
from boilersweep.pages.columns import (
    BlockColumns,
    FloatArray,
    IntArray,
    neighbours,
    structure_of,
)

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_TAGS = (*_HEADINGS, "p", "div")

_OF_A_BLOCK = (
    *(
        Feature(
            f"in_{tag}",
            f"1 where an element {tag} encloses the block, at any depth",
            "3.2",
        )
        for tag in _TAGS
    ),
    Feature("in_a", "1 where A encloses the block: all its words are linked", "3.2"),
    Feature("word_length", "mean characters of a word", "3.3"),
    Feature(
        "sentence_length",
        "mean words of a sentence, which ends at . ! ? or ; with no letter or digit behind it, "
        "or with the block",
        "3.3; the pattern is ours",
    ),
    Feature("words", "number of words", "3.3"),
    Feature("capitalised", "number of words whose first character is uppercase", "3.3"),
    Feature("all_caps", "number of words with uppercase letters only", "3.3"),
    Feature("capitalised_share", "words that begin uppercase, of all words", "3.3"),
    Feature("all_caps_share", "words with uppercase letters only, of all words", "3.3"),
    Feature("full_stop_ratio", "full stops over words", "3.3"),
    Feature(
        "dates",
        "parts of dates and times: years, numeric dates, times of day, English names of months, "
        "weekdays and time zones",
        "3.3; the pattern is ours",
    ),
    Feature("bars", "number of vertical bars", "3.3"),
    Feature("link_density", "words within A, of all words", "3.3"),
    Feature(
        "text_density", "text density, words a line of 80 characters", "3.4, Equation 1"
    ),
)
_ONLY_CURRENT = frozenset({"capitalised", "all_caps"})
_POSITION = (
    Feature("position", "number of the block in its page, from 1", "3.3"),
    Feature("relative_position", "that number over the page's blocks", "3.3"),
)
_DENSITY_QUOTIENTS = (
    Feature(
        "text_density_quotient",
        "text density over that of the previous block, 0 for a page's first",
        "4.3.1, Figure 1",
    ),
    Feature(
        "next_text_density_quotient",
        "text density of the next block over this one's, 0 for a page's last",
        "4.3.1; that TDQ adds two features says Table 2, which two it does not say",
    ),
)
_WORDS_QUOTIENT = Feature(
    "words_quotient",
    "number of words over that of the previous block, 0 for a page's first",
    "4.3.1, Figure 1",
)
_FREQUENCY = Feature(
    "frequency", "blocks of the collection that have the block's text", "3.1; Table 2"
)


def _named(feature: Feature, place: str, which: str) -> Feature:
    description = f"of the {which} block: {feature.description}"
    if which != "current":
        description += "; 0 where there is none"
    return Feature(f"{place}_{feature.name}", description, feature.source)


_CURRENT = tuple(
    _named(feature, "curr", "current") for feature in (*_OF_A_BLOCK, *_POSITION)
)
_TO_NEIGHBOURS = [
    n for n, feature in enumerate(_OF_A_BLOCK) if feature.name not in _ONLY_CURRENT
]
_BESIDE = tuple(
    _named(_OF_A_BLOCK[n], place, which)
    for place, which in (("prev", "previous"), ("next", "next"))
    for n in _TO_NEIGHBOURS
)
_FREQUENCIES = tuple(
    _named(_FREQUENCY, place, which)
    for place, which in (("prev", "previous"), ("curr", "current"), ("next", "next"))
)

# All 67. Those of Table 2's smaller sets come first: 23, then 25, then 64.
FEATURES = (*_CURRENT, *_DENSITY_QUOTIENTS, _WORDS_QUOTIENT, *_BESIDE, *_FREQUENCIES)


def _of_three(*names: str) -> tuple[str, ...]:
    """Features of the previous, the current and the next block."""
    return tuple(
        f"{place}_{name}" for name in names for place in ("prev", "curr", "next")
    )


_NAMES = tuple(feature.name for feature in FEATURES)
# The sets of features of Table 2: name -> names of the features.
SETS: dict[str, tuple[str, ...]] = {
    "sentence length": ("curr_sentence_length",),
    "frequency (P/C/N)": tuple(feature.name for feature in _FREQUENCIES),
    "word length": ("curr_word_length",),
    "words": ("curr_words",),
    "link density": ("curr_link_density",),
    "text density": ("curr_text_density",),
    "link density (P/C/N)": _of_three("link_density"),
    "words (P/C/N)": _of_three("words"),
    "local (C)": _NAMES[:23],
    "local (C) + TDQ": _NAMES[:25],
    "text and link density (P/C/N)": _of_three("text_density", "link_density"),
    "words and link density (P/C/N)": _of_three("words", "link_density"),
    "local (P/C/N)": _NAMES[:64],
    "local and frequency": _NAMES,
}


def kohlschuetter_features(
    columns: BlockColumns, frequencies: BlockFrequencies | None
) -> FeatureTable:
    """All 67 features of every block; the first 64 where there are no frequencies.

    The columns have texts and structure.

    Raises:
        UsageError: The structure is missing.
    """
    owners = columns.owners
    block = _of_blocks(columns)
    words, density = columns.words.astype(np.float64), columns.density
    counts = np.diff(columns.starts)
    position = np.arange(len(words)) - np.repeat(columns.starts[:-1], counts) + 1
    beside = block[:, _TO_NEIGHBOURS]
    parts = [
        block,
        position,
        position / np.repeat(counts, counts),
        _over_previous(density, owners),
        neighbours(_over_previous(density, owners), owners, 1),
        _over_previous(words, owners),
        neighbours(beside, owners, -1),
        neighbours(beside, owners, 1),
    ]
    if frequencies is None:
        return table_of(FEATURES[:64], parts)
    own = frequencies.of(text_hashes(columns.texts)).astype(np.float64)
    parts += [neighbours(own, owners, -1), own, neighbours(own, owners, 1)]
    return table_of(FEATURES, parts)


def _of_blocks(columns: BlockColumns) -> FloatArray:
    """(m, 21) the features of a block itself."""
    structure = structure_of(columns, "a feature")
    characters = count_characters(columns.texts)
    count = len(columns.words)
    words: IntArray = np.maximum(columns.words, 1)
    return np.column_stack(
        [
            *(enclosed_by(structure, {tag}, count) for tag in _TAGS),
            columns.link_words == columns.words,
            characters["word_characters"] / words,
            columns.words / np.maximum(characters["sentences"], 1),
            columns.words,
            characters["capitalised"],
            characters["all_caps"],
            characters["capitalised"] / words,
            characters["all_caps"] / words,
            characters["full_stops"] / words,
            count_matches(DATE_OR_TIME, columns.texts),
            characters["bars"],
            columns.link_density,
            columns.density,
        ]
    ).astype(np.float64)


def _over_previous(values: FloatArray, owners: IntArray) -> FloatArray:
    """(m,) every value over the one of the block before, 0 for a document's first block."""
    before = neighbours(values, owners, -1)
    return np.divide(values, before, out=np.zeros_like(values), where=before > 0)
