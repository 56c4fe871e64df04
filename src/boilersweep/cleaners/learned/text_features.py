"""Features of a paragraph's text, of its place, of its neighbours and of the document."""

import numpy as np

from boilersweep.cleaners.learned.paragraph_columns import ParagraphColumns, running_sums
from boilersweep.cleaners.learned.vocabulary import MARKS, TAGS
from boilersweep.features.characters import COLON, DIGIT, PUNCTUATION, SENTENCE_END, UPPER
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray

_REVIEW = list(MARKS).index("review")
_H1 = TAGS.index("h1")

Column = FloatArray | BoolArray
# Name -> (p,) column.
Features = dict[str, Column]

# The largest distance, in paragraphs.
FAR = 50


def text(columns: ParagraphColumns) -> Features:
    """Return features of the paragraph's own text."""
    counts = columns.counts
    words, some_words = columns.words, columns.at_least_one
    dense = counts["characters"] - counts["spaces"]
    characters = np.maximum(dense, 1)
    return {
        "words": np.log1p(words) / 4,
        "characters": np.log1p(dense) / 6,
        "word_length": np.minimum(dense / some_words, 40) / 8,
        "sentence_length": np.minimum(words / (counts["sentence_ends"] + 1), 200) / 20,
        "sentences": np.log1p(counts["sentence_ends"]),
        "capitalised": counts["capitalised"] / some_words,
        "all_caps": counts["all_caps"] / some_words,
        "punctuation": counts["punctuation"] / characters * 4,
        "letters": counts["letters"] / characters,
        "digits": counts["digits"] / characters * 2,
        "uppercase": counts["uppercase"] / characters * 2,
        "sentence_ends": counts["sentence_ends"] / some_words * 4,
        "commas": counts["commas"] / some_words * 8,
        "separators": np.minimum(counts["separators"], 5) / 5,
        "copyright": np.minimum(counts["copyright"], 1),
        "currency": np.minimum(counts["currency"], 2) / 2,
        "questions": np.minimum(counts["questions"], 2) / 2,
        "at_signs": np.minimum(counts["at_signs"], 1),
        "colons": np.minimum(counts["colons"], 3) / 3,
        "ends_sentence": (columns.last_class & SENTENCE_END) > 0,
        "ends_in_punctuation": (columns.last_class & PUNCTUATION) > 0,
        "ends_in_colon": (columns.last_class & COLON) > 0,
        "starts_uppercase": (columns.first_class & UPPER) > 0,
        "starts_with_digit": (columns.first_class & DIGIT) > 0,
        "link_density": columns.link_density,
        "links": np.log1p(columns.links) / 2,
        "links_per_word": np.minimum(columns.links / some_words, 1),
        "density": columns.density / 15,
        "one_word": words == 1,
        "blocks": np.log1p(columns.blocks - 1.0),
    }


def place(columns: ParagraphColumns) -> Features:
    """Return features of the paragraph's place in the document."""
    words = columns.words
    count = columns.end - columns.first
    share = columns.offsets / np.maximum(count - 1, 1)
    running_words = running_sums(words)
    before = running_words[:-1] - running_words[columns.first]
    word_share = (before + words / 2) / columns.document_words
    longest = np.maximum.reduceat(words, columns.starts[:-1][columns.filled])
    longest_of = np.repeat(longest, np.diff(columns.starts)[columns.filled])
    depth = columns.depths
    return {
        "place": share,
        "word_place": word_share,
        "from_middle": np.abs(share - 0.5) * 2,
        "words_from_middle": np.abs(word_share - 0.5) * 2,
        "paragraphs_before": np.log1p(columns.offsets) / 5,
        "paragraphs_after": np.log1p(count - 1 - columns.offsets) / 5,
        "share_of_words": words / columns.document_words,
        "share_of_longest": words / np.maximum(longest_of, 1),
        "tags_before": np.log1p(columns.tags_before) / 2,
        "tags_after": np.log1p(columns.tags_after) / 2,
        "tags": np.log1p(columns.tags) / 3,
        "depth": np.minimum(depth, 40) / 10,
        "depth_from_mean": (depth - columns.total(depth) / np.maximum(count, 1)) / 5,
    }


def neighbours(columns: ParagraphColumns) -> Features:
    """Return features of the paragraphs up to two places away, and whether they look alike."""
    some_words = columns.at_least_one
    base: dict[str, Column] = {
        "words": np.log1p(columns.words) / 4,
        "link_density": columns.link_density,
        "in_p": columns.is_in("p"),
        "in_heading": columns.inside_kind("heading"),
        "in_li": columns.inside_kind("li"),
        "sentence_ends": columns.counts["sentence_ends"] / some_words * 4,
        "ends_sentence": columns.full_stop,
        "capitalised": columns.counts["capitalised"] / some_words,
        "commas": columns.counts["commas"] / some_words * 8,
        "prose": columns.prose,
        "depth": columns.depths / 10,
        "framing": columns.framing,
        "tags_before": np.log1p(columns.tags_before) / 2,
        "algorithm2": columns.algorithm2,
    }
    features: Features = {}
    for step in (-2, -1, 1, 2):
        at = columns.places + step
        inside = (at >= columns.first) & (at < columns.end)
        there = np.where(inside, at, 0)
        for name, column in base.items():
            features[f"{name}[{step:+d}]"] = np.where(inside, column[there], 0)
        same = (columns.elements[there] == columns.elements) | (
            columns.alike[1][there] == columns.alike[1]
        )
        features |= {
            f"alike[{step:+d}]": inside & same,
            f"sibling[{step:+d}]": inside & (columns.parents[there] == columns.parents),
            f"there[{step:+d}]": inside,
        }
    return features


def document(columns: ParagraphColumns) -> Features:
    """Return features of the document, which are the same for all of its paragraphs."""
    words = columns.document_sums(columns.words)
    prose = columns.document_sums(columns.prose_words)
    tags = columns.document_sums(columns.tags)
    longest = np.zeros(columns.documents)
    longest[columns.filled] = np.maximum.reduceat(
        columns.words, columns.starts[:-1][columns.filled]
    )

    def share(of: BoolArray) -> FloatArray:
        return columns.document_sums(columns.words * of) / (words + 1e-6)

    own_reviews = (columns.own_marks >> _REVIEW) & 1 > 0
    of_documents = {
        "paragraphs": np.log1p(np.diff(columns.starts)) / 8,
        "words": np.log1p(words) / 8,
        "linked": columns.document_sums(columns.link_words) / (words + 1e-6),
        "prose_share": share(columns.prose),
        "p_share": share(columns.is_in("p")),
        "prose": np.log1p(prose) / 8,
        "article_share": share(columns.inside_kind("article")),
        "main_share": share(columns.inside_kind("main")),
        "framing_share": share(columns.framing),
        "articles": np.minimum(columns.elements_named("article"), 20) / 20,
        "p_elements": np.log1p(columns.elements_named("p")) / 5,
        "li_elements": np.log1p(columns.elements_named("li")) / 6,
        "h1_elements": np.log1p(columns.elements_named("h1")),
        "h2_elements": np.log1p(columns.elements_named("h2") + columns.elements_named("h3")) / 4,
        "table_share": share(columns.inside_kind("table")),
        "pre_share": share(columns.inside_kind("pre")),
        "tags": np.log1p(tags) / 8,
        "words_per_tag": words / (words + tags + 1e-6),
        "currency": np.minimum(columns.document_sums(columns.counts["currency"]), 50) / 50,
        "longest_share": longest / (words + 1e-6),
        "longest": np.log1p(longest) / 6,
        "algorithm2_share": columns.document_sums(columns.algorithm2_words) / (words + 1e-6),
        "comment_share": share(columns.inside_mark("comment")),
        "forum_share": share(columns.inside_mark("forum")),
        "product_share": share(columns.inside_mark("product")),
        "reviews": np.minimum(columns.document_sums(own_reviews), 20) / 20,
        "questions": np.minimum(columns.document_sums(columns.counts["questions"]), 20) / 20,
    }
    features: Features = {}
    for name, column in of_documents.items():
        features[f"document_{name}"] = column[columns.owners]
    return features


def context(columns: ParagraphColumns) -> Features:
    """Return features of headings, prose and repeated texts around the paragraph."""
    is_h1 = columns.is_in("h1")
    heading = columns.inside_kind("heading")
    h1 = np.full(columns.documents, -1)
    at = np.flatnonzero(is_h1)[::-1]
    h1[columns.owners[at]] = at  # the first one of a document is written last
    first_h1 = h1[columns.owners]
    has_h1 = first_h1 >= 0
    away = columns.places - first_h1
    before = _last(columns, heading)
    levels = np.clip(columns.element_tags[columns.elements[before]] - _H1, 0, 8)
    _, first, group, counts = np.unique(
        columns.text_hashes, return_index=True, return_inverse=True, return_counts=True
    )
    repeats = first[group] != columns.places
    prose = running_sums(columns.prose_words)
    features: Features = {
        "before_h1": has_h1 & (away < 0),
        "after_h1": has_h1 & (away >= 0),
        "has_h1": has_h1,
        "from_h1": np.where(has_h1, np.sign(away) * np.log1p(np.abs(away)) / 5, 0.0),
        "from_heading": _distance(columns, before),
        "to_heading": _distance(columns, _next(columns, heading)),
        "heading_level": np.where(before >= 0, levels, 8) / 8,
        "from_prose": _distance(columns, _last(columns, columns.prose)),
        "to_prose": _distance(columns, _next(columns, columns.prose)),
        "repeats": repeats,
        "repeated": (counts[group] > 1) & ~repeats,
    }
    words = running_sums(columns.words)
    for reach in (3, 8, 20):
        low = np.maximum(columns.places - reach, columns.first)
        high = np.minimum(columns.places + reach + 1, columns.end)
        features[f"prose_within_{reach}"] = (prose[high] - prose[low]) / (
            words[high] - words[low] + 1e-6
        )
    features |= {
        "prose_before": (prose[:-1] - prose[columns.first]) / columns.document_prose,
        "prose_until": (prose[1:] - prose[columns.first]) / columns.document_prose,
    }
    return features


def _last(columns: ParagraphColumns, marked: BoolArray) -> IntArray:
    """Return (p,) the document's nearest marked paragraph at or before each, or -1."""
    found = np.maximum.accumulate(np.where(marked, columns.places, -1))
    return np.where(found >= columns.first, found, -1)


def _next(columns: ParagraphColumns, marked: BoolArray) -> IntArray:
    """Return (p,) the document's nearest marked paragraph at or behind each, or -1."""
    beyond = len(columns.places)
    found = np.minimum.accumulate(np.where(marked, columns.places, beyond)[::-1])[::-1]
    return np.where(found < columns.end, found, -1)


def _distance(columns: ParagraphColumns, to: IntArray) -> FloatArray:
    steps = np.where(to >= 0, np.minimum(np.abs(columns.places - to), FAR), FAR)
    return np.log1p(steps) / 4
