"""How blocks and words are spread over classes, text densities and numbers of words.

Tables and figures of the 2010 paper: Table 1, and Figures 3, 4 and 5.
"""

import numpy as np

from boilersweep.eval.judge.datasets.judged_page import CLASSES
from boilersweep.pages.columns import BlockColumns, FloatArray, IntArray
from boilersweep.pages.words import text_density
from papers.published import SHARES, TOTALS

# Words within A, which Figure 5 draws apart from the classes.
LINKED = "linked text"


def table1(columns: BlockColumns, classes: IntArray) -> list[dict[str, object]]:
    """Table 1: blocks, words and tokens of every class and in all, with the paper's figures.

    Args:
        columns: the blocks, with texts.
        classes: (m,) places in CLASSES. Tokens stand between white space, with or without a letter;
            those of blocks without a word are not there. Shares are from 0 to 1.
    """
    counts = {
        "blocks": np.ones(len(classes), dtype=np.int64),
        "words": columns.words,
        "tokens": np.array([len(text.split()) for text in columns.texts]),
    }
    sums = {
        unit: np.bincount(classes, column, len(CLASSES))
        for unit, column in counts.items()
    }
    total: dict[str, object] = {"class": "total"}
    for unit, by_class in sums.items():
        total |= {unit: int(by_class.sum()), f"paper_{unit}": TOTALS[unit]}
    rows = [total]
    for number, name in enumerate(CLASSES):
        row: dict[str, object] = {"class": name}
        for (unit, by_class), paper in zip(sums.items(), SHARES[name], strict=True):
            row[unit] = int(by_class[number])
            row[f"{unit}_share"] = round(
                float(by_class[number] / max(by_class.sum(), 1)), 4
            )
            row[f"paper_{unit}_share"] = paper
        rows.append(row)
    return rows


def words_by_class(columns: BlockColumns, classes: IntArray) -> dict[str, FloatArray]:
    """Figure 5: class -> words in blocks whose text density rounds to 0, 1, 2, ...

    Words within A are of the class LINKED, whatever the block's class.
    """
    places = np.floor(columns.density + 0.5).astype(np.int64)
    length = int(places.max(initial=0)) + 1
    plain = columns.words - columns.link_words
    spread = {
        name: _float_counts(places[classes == n], plain[classes == n], length)
        for n, name in enumerate(CLASSES)
    }
    return spread | {LINKED: _float_counts(places, columns.link_words, length)}


def _float_counts(places: IntArray, weights: IntArray, length: int) -> FloatArray:
    return np.bincount(places, weights, length).astype(np.float64)


def blocks_by_class(columns: BlockColumns, classes: IntArray) -> dict[str, FloatArray]:
    """Figure 4: class -> blocks with 0, 1, 2, ...

    words.
    """
    length = int(columns.words.max(initial=0)) + 1
    return {
        name: np.bincount(columns.words[classes == n], minlength=length).astype(
            np.float64
        )
        for n, name in enumerate(CLASSES)
    }


def token_density(columns: BlockColumns) -> FloatArray:
    """(m,) the text densities over all tokens, with or without a letter or digit."""
    texts = columns.texts
    return np.array([text_density(text, len(text.split())) for text in texts])


def words_of_long_text(columns: BlockColumns, least: int = 11) -> dict[str, float]:
    """Return the words of section 5.1: in blocks of at least 11 words, or of that text density.

    The same counted in tokens, with or without a letter or digit. Differences are signed: above 0
    where the blocks of that density have more.
    """
    tokens = np.array([len(text.split()) for text in columns.texts])
    found: dict[str, float] = {}
    for unit, counts, density, densities in (
        ("words", columns.words, "density", columns.density),
        ("tokens", tokens, "density over tokens", token_density(columns)),
    ):
        long = float(counts[counts >= least].sum())
        dense = float(counts[densities >= least].sum())
        found |= {
            f"{unit}>={least}": long,
            f"{density}>={least}": dense,
            f"difference of {density}": (dense - long) / max(long, 1),
        }
    return found
