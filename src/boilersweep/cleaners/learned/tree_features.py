"""Features of the elements around a paragraph, and of where the document's prose is."""

from collections.abc import Sequence

import numpy as np

from boilersweep.cleaners.learned.paragraph_columns import HashArray, ParagraphColumns, running_sums
from boilersweep.cleaners.learned.text_features import Features
from boilersweep.cleaners.learned.vocabulary import ENCLOSING, MARKS, TAGS
from boilersweep.pages.columns import FloatArray, IntArray

# Elements whose names are features: the innermost one and those around it.
LEVELS = 4

# Elements of different extent whose contents are features, the innermost one first.
OUTER = 5

# The least words of a paragraph with a score.
SCORED_WORDS = 5

# The largest distance from an interval, in paragraphs.
FURTHEST = 60

_APART = float(2**32)  # more than the words and tags of any document: sums that never meet


def tags(columns: ParagraphColumns) -> Features:
    """Return features of the elements' names."""
    names = np.where(columns.is_root, len(TAGS), columns.element_tags).astype(np.int8)
    elements = columns.elements
    features: Features = {}
    for level in range(LEVELS):
        at = names[elements]
        for code, name in enumerate((*TAGS, "other")):
            features[f"{name}^{level}"] = at == code
        elements = columns.structure.parents[elements]
    kinds = columns.kinds.astype(np.int32)
    for bit, kind in enumerate(ENCLOSING):
        features[f"in:{kind}"] = (kinds & (1 << bit)) != 0
    return features


def marks(columns: ParagraphColumns) -> Features:
    """Return features of class and id tokens."""
    features: Features = {}
    for name, bits in (
        ("own", columns.own_marks),
        ("near", columns.near_marks),
        ("all", columns.all_marks),
    ):
        short = bits.astype(np.int32)
        for bit, group in enumerate(MARKS):
            features[f"{name}:{group}"] = (short & (1 << bit)) != 0
    return features


def ancestors(columns: ParagraphColumns) -> Features:
    """Return features of the contents of elements of growing extent."""
    own = columns.paragraphs
    words, links = running_sums(columns.words), running_sums(columns.link_words)
    prose, sentences = (
        running_sums(columns.prose_words),
        running_sums(columns.counts["sentence_ends"]),
    )
    in_p, commas = (
        running_sums(columns.words * columns.is_in("p")),
        running_sums(columns.counts["commas"]),
    )
    algorithm2 = running_sums(columns.algorithm2_words)
    elements = columns.elements
    features: Features = {}
    for level in range(OUTER):
        first, end = own.first[elements], own.end[elements]
        held = words[end] - words[first]
        some = np.maximum(held, 1)
        count = np.maximum(end - first, 1)
        held_prose = prose[end] - prose[first]
        features |= {
            f"outer{level}_words": np.log1p(held) / 6,
            f"outer{level}_share": held / columns.document_words,
            f"outer{level}_links": (links[end] - links[first]) / some,
            f"outer{level}_prose": held_prose / some,
            f"outer{level}_prose_share": held_prose / columns.document_prose,
            f"outer{level}_paragraphs": np.log1p(count) / 5,
            f"outer{level}_mean_words": np.minimum(held / count / 30, 4),
            f"outer{level}_sentences": (sentences[end] - sentences[first]) / some * 4,
            f"outer{level}_p": (in_p[end] - in_p[first]) / some,
            f"outer{level}_commas": (commas[end] - commas[first]) / some * 8,
            f"outer{level}_place": (columns.places - first) / count,
            f"outer{level}_algorithm2": (algorithm2[end] - algorithm2[first]) / some,
        }
        elements = columns.structure.parents[columns.tops[elements]]
    return features


def container(columns: ParagraphColumns) -> Features:
    """Return features of the element with most of the document's text, and of its distance.

    Source of the scores: Readability (Arc90, 2009). A paragraph scores by its length and commas: in
    full for the element that contains it and others, by half and a third for the next two around
    that. An element loses the share of its words that is linked. Here lengths are in words; of
    elements with the same content the outermost counts; names and marks do not count.
    """
    own, parents, tops = columns.paragraphs, columns.structure.parents, columns.tops
    words, links = running_sums(columns.words), running_sums(columns.link_words)
    prose = running_sums(columns.prose_words)
    elements = columns.elements
    alone = own.end[elements] - own.first[elements] == 1
    holder = np.where(alone, parents[tops[elements]], elements)
    outer = parents[tops[holder]]
    holders = [holder, outer, parents[tops[outer]]]
    scores = _element_scores(columns, holders)
    best, highest, second = _best_elements(columns, scores)
    element = best[columns.owners]
    around = parents[tops[element]]
    most = highest[columns.owners] + 1e-6
    first, end = own.first[element], own.end[element]
    inside = (columns.places >= first) & (columns.places < end)
    away = np.where(columns.places < first, columns.places - first, columns.places - end + 1)
    steps = _steps(away)
    of_best = words[end] - words[first]
    count = np.maximum(end - first, 1)
    features: Features = {
        "container_inside": inside,
        "container_away": np.where(inside, 0.0, np.sign(away) * steps),
        "container_depth": (columns.depths - columns.element_depths[element]) / 5 * inside,
        "container_place": (columns.places - first) / count * inside,
    }
    for level, element_around in enumerate(holders):
        features |= {
            f"container_holds{level}": element_around == element,
            f"container_score{level}": scores[element_around] / most,
        }
    features |= {
        "container_beside0": holders[0] == around,
        "container_beside1": holders[1] == around,
        "container_second": (second / (highest + 1e-6))[columns.owners],
        "container_share": of_best / columns.document_words,
        "container_prose_share": (prose[end] - prose[first]) / columns.document_prose,
        "container_links": (links[end] - links[first]) / np.maximum(of_best, 1),
        "container_words": np.log1p(of_best) / 8,
        "container_mean_words": np.minimum(of_best / count / 30, 4),
        "container_score": np.log1p(most) / 4,
        "container_start": (words[first] - words[columns.first]) / columns.document_words,
    }
    return features


def _element_scores(columns: ParagraphColumns, holders: Sequence[IntArray]) -> FloatArray:
    """Return (e,) the scores of elements, given (p,) three elements for each paragraph."""
    own = columns.paragraphs
    words, links = running_sums(columns.words), running_sums(columns.link_words)
    score = (
        (columns.words >= SCORED_WORDS)
        * (1 - columns.link_density)
        * (1 + np.minimum(columns.counts["commas"], 20) + np.minimum(columns.words / 17, 3))
    )
    scores = np.zeros(len(own.first))
    for level, holder in enumerate(holders):
        scores += np.bincount(holder, score / (level + 1), len(scores))
    held = words[own.end] - words[own.first]
    scores *= 1 - (links[own.end] - links[own.first]) / np.maximum(held, 1)
    return scores


def _best_elements(
    columns: ParagraphColumns, scores: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return (n,) each document's best element, its score, and the best score apart from it."""
    own = columns.paragraphs
    of_elements = columns.element_owners
    starts = columns.structure.starts[:-1][columns.filled]
    highest = np.zeros(columns.documents)
    highest[columns.filled] = np.maximum.reduceat(scores, starts)
    at = np.flatnonzero((scores > 0) & (scores >= highest[of_elements]))
    best = np.zeros(columns.documents, dtype=np.int64)
    best[columns.filled] = starts  # the document itself, where nothing has a score
    best[of_elements[at]] = at  # the last one of a document, the innermost of equals, stays
    apart = (own.end <= own.first[best][of_elements]) | (own.first >= own.end[best][of_elements])
    second = np.zeros(columns.documents)
    second[columns.filled] = np.maximum.reduceat(np.where(apart, scores, 0.0), starts)
    return best, highest, second


def _steps(away: IntArray) -> FloatArray:
    """Return (p,) the logarithms of distances in paragraphs."""
    return np.log1p(np.minimum(np.abs(away), FURTHEST)) / 4


def look_alikes(columns: ParagraphColumns) -> Features:
    """Return features of all paragraphs in elements of the same names and marks, together."""
    features: Features = {}
    for name, hashes in zip(("two", "three", "outer"), columns.alike, strict=True):
        features |= _group(columns, name, hashes)
    return features


def _group(columns: ParagraphColumns, name: str, hashes: HashArray) -> Features:
    distinct, group = np.unique(hashes, return_inverse=True)

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(group, values, len(distinct)).astype(np.float64)[group]

    count = np.bincount(group, minlength=len(distinct))[group]
    words = total(columns.words)
    some = np.maximum(words, 1)
    return {
        f"alike_{name}_paragraphs": np.log1p(count) / 5,
        f"alike_{name}_share": words / columns.document_words,
        f"alike_{name}_mean_words": np.minimum(words / count / 30, 4),
        f"alike_{name}_links": total(columns.link_words) / some,
        f"alike_{name}_sentences": total(columns.counts["sentence_ends"]) / some * 4,
        f"alike_{name}_prose": total(columns.prose_words) / some,
    }


def centre(columns: ParagraphColumns) -> Features:
    """Return the results of Algorithms 1 and 2, and features of the place of the prose.

    Three intervals of highest score, as in BTE and maximum subsequence segmentation: words minus
    tags; unlinked minus linked words and tags; prose minus half of other words and three times
    tags. Three elements: the innermost ones with one half, three quarters and nine tenths of all
    prose.
    """
    features: Features = {
        "algorithm1": columns.algorithm1,
        "algorithm2": columns.algorithm2,
    }
    words, between = columns.words, columns.tags_between
    scores = {
        "words": words - between,
        "unlinked": words - 2 * columns.link_words - between,
        "prose": np.where(columns.prose, words, -words / 2) - 3 * between,
    }
    for name, score in scores.items():
        features |= _interval(columns, name, score)
    own = columns.paragraphs
    running_words, prose = running_sums(words), running_sums(columns.prose_words)
    of_document = columns.document_sums(columns.prose_words)[columns.element_owners] + 1e-6
    shares = (prose[own.end] - prose[own.first]) / of_document
    for name, share in (("half", 0.5), ("most", 0.75), ("nearly_all", 0.9)):
        holds = np.where((shares >= share) | columns.is_root, np.arange(len(shares)), 0)
        innermost = np.zeros(columns.documents, dtype=np.int64)
        innermost[columns.filled] = np.maximum.reduceat(
            holds, columns.structure.starts[:-1][columns.filled]
        )
        element = innermost[columns.owners]
        first, end = own.first[element], own.end[element]
        inside = (columns.places >= first) & (columns.places < end)
        held = running_words[end] - running_words[first]
        features |= {
            f"{name}_inside": inside,
            f"{name}_side": np.where(inside, 0.0, np.where(columns.places < first, -1.0, 1.0)),
            f"{name}_depth": (columns.depths - columns.element_depths[element]) / 5 * inside,
            f"{name}_place": (columns.places - first) / np.maximum(end - first, 1) * inside,
            f"{name}_share": held / columns.document_words,
            f"{name}_prose": (prose[end] - prose[first]) / np.maximum(held, 1),
        }
    return features


def _interval(columns: ParagraphColumns, name: str, scores: FloatArray) -> Features:
    """Return features of the interval of a document's paragraphs with the highest sum of scores."""
    sums = running_sums(scores)
    apart = columns.owners * _APART
    before = sums[:-1] - sums[columns.first] - apart
    lowest = np.minimum.accumulate(before)
    start = np.maximum.accumulate(np.where(before <= lowest, columns.places, 0))
    gains = sums[1:] - sums[start]
    highest = np.maximum.reduceat(gains, columns.starts[:-1][columns.filled])
    best = np.repeat(highest, np.diff(columns.starts)[columns.filled])
    ends = np.full(columns.documents, -1)
    at = np.flatnonzero(gains >= best)[::-1]
    ends[columns.owners[at]] = at  # the first one of a document is written last
    end = ends[columns.owners]
    first = start[end]
    inside = (columns.places >= first) & (columns.places <= end)
    away = np.where(columns.places < first, columns.places - first, columns.places - end)
    steps = _steps(away)
    return {
        f"interval_{name}_inside": inside,
        f"interval_{name}_away": np.where(inside, 0.0, np.sign(away) * steps),
    }
