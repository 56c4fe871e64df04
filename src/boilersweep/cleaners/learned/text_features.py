"""Features of a paragraph's text, of its place, of its neighbours and of the document."""

from collections.abc import Iterator

import numpy as np

from boilersweep.cleaners.learned.paragraph_columns import Sight, running
from boilersweep.cleaners.learned.vocabulary import MARKS, TAGS
from boilersweep.features.characters import COLON, DIGIT, PUNCTUATION, SENTENCE_END, UPPER
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray

_REVIEW = list(MARKS).index("review")
_H1 = TAGS.index("h1")

Column = FloatArray | BoolArray
Named = Iterator[tuple[str, Column]]

FAR = 50
"""Paragraphs; what is further away counts as this far."""


def text(sight: Sight) -> Named:
    """The text of the paragraph itself."""
    counts = sight.counts
    words, some_words = sight.words, sight.at_least_one
    dense = counts["characters"] - counts["spaces"]
    characters = np.maximum(dense, 1)
    yield "words", np.log1p(words) / 4
    yield "characters", np.log1p(dense) / 6
    yield "word_length", np.minimum(dense / some_words, 40) / 8
    yield "sentence_length", np.minimum(words / (counts["sentence_ends"] + 1), 200) / 20
    yield "sentences", np.log1p(counts["sentence_ends"])
    yield "capitalised", counts["capitalised"] / some_words
    yield "all_caps", counts["all_caps"] / some_words
    yield "punctuation", counts["punctuation"] / characters * 4
    yield "letters", counts["letters"] / characters
    yield "digits", counts["digits"] / characters * 2
    yield "uppercase", counts["uppercase"] / characters * 2
    yield "sentence_ends", counts["sentence_ends"] / some_words * 4
    yield "commas", counts["commas"] / some_words * 8
    yield "separators", np.minimum(counts["separators"], 5) / 5
    yield "copyright", np.minimum(counts["copyright"], 1)
    yield "currency", np.minimum(counts["currency"], 2) / 2
    yield "questions", np.minimum(counts["questions"], 2) / 2
    yield "at_signs", np.minimum(counts["at_signs"], 1)
    yield "colons", np.minimum(counts["colons"], 3) / 3
    yield "ends_sentence", (sight.last_class & SENTENCE_END) > 0
    yield "ends_in_punctuation", (sight.last_class & PUNCTUATION) > 0
    yield "ends_in_colon", (sight.last_class & COLON) > 0
    yield "starts_uppercase", (sight.first_class & UPPER) > 0
    yield "starts_with_digit", (sight.first_class & DIGIT) > 0
    yield "link_density", sight.link_density
    yield "links", np.log1p(sight.links) / 2
    yield "links_per_word", np.minimum(sight.links / some_words, 1)
    yield "density", sight.density / 15
    yield "one_word", words == 1
    yield "blocks", np.log1p(sight.blocks - 1.0)


def place(sight: Sight) -> Named:
    """Where in the document the paragraph stands."""
    words = sight.words
    count = sight.end - sight.first
    share = sight.offsets / np.maximum(count - 1, 1)
    running_words = running(words)
    before = running_words[:-1] - running_words[sight.first]
    word_share = (before + words / 2) / sight.document_words
    longest = np.maximum.reduceat(words, sight.starts[:-1][sight.filled])
    longest_of = np.repeat(longest, np.diff(sight.starts)[sight.filled])
    depth = sight.depths
    yield "place", share
    yield "word_place", word_share
    yield "from_middle", np.abs(share - 0.5) * 2
    yield "words_from_middle", np.abs(word_share - 0.5) * 2
    yield "paragraphs_before", np.log1p(sight.offsets) / 5
    yield "paragraphs_after", np.log1p(count - 1 - sight.offsets) / 5
    yield "share_of_words", words / sight.document_words
    yield "share_of_longest", words / np.maximum(longest_of, 1)
    yield "tags_before", np.log1p(sight.tags_before) / 2
    yield "tags_after", np.log1p(sight.tags_after) / 2
    yield "tags", np.log1p(sight.tags) / 3
    yield "depth", np.minimum(depth, 40) / 10
    yield "depth_from_mean", (depth - sight.total(depth) / np.maximum(count, 1)) / 5


def neighbours(sight: Sight) -> Named:
    """What stands up to two paragraphs away, and whether it stands alike in the tree."""
    framing = np.zeros(len(sight.words), dtype=bool)
    for kind in ("nav", "header", "footer", "aside"):
        framing |= sight.inside_kind(kind)
    some_words = sight.at_least_one
    base: dict[str, Column] = {
        "words": np.log1p(sight.words) / 4,
        "link_density": sight.link_density,
        "in_p": sight.is_in("p"),
        "in_heading": sight.inside_kind("heading"),
        "in_li": sight.inside_kind("li"),
        "sentence_ends": sight.counts["sentence_ends"] / some_words * 4,
        "ends_sentence": sight.full_stop,
        "capitalised": sight.counts["capitalised"] / some_words,
        "commas": sight.counts["commas"] / some_words * 8,
        "prose": sight.prose,
        "depth": sight.depths / 10,
        "framing": framing,
        "tags_before": np.log1p(sight.tags_before) / 2,
        "algorithm2": sight.algorithm2,
    }
    for step in (-2, -1, 1, 2):
        at = sight.places + step
        inside = (at >= sight.first) & (at < sight.end)
        there = np.where(inside, at, 0)
        for name, column in base.items():
            yield f"{name}[{step:+d}]", np.where(inside, column[there], 0)
        same = (sight.elements[there] == sight.elements) | (sight.alike[1][there] == sight.alike[1])
        yield f"alike[{step:+d}]", inside & same
        yield f"sibling[{step:+d}]", inside & (sight.parents[there] == sight.parents)
        yield f"there[{step:+d}]", inside


def document(sight: Sight) -> Named:
    """What kind of document it is: the same for all of its paragraphs."""
    words = sight.document_sums(sight.words)
    prose = sight.document_sums(sight.prose_words)
    tags = sight.document_sums(sight.tags)
    framing = np.zeros(len(sight.words), dtype=bool)
    for kind in ("nav", "header", "footer", "aside"):
        framing |= sight.inside_kind(kind)
    longest = np.zeros(sight.documents)
    longest[sight.filled] = np.maximum.reduceat(sight.words, sight.starts[:-1][sight.filled])

    def share(of: Column) -> FloatArray:
        return sight.document_sums(sight.words * of) / (words + 1e-6)

    own_reviews = (sight.own_marks >> _REVIEW) & 1 > 0
    columns = {
        "paragraphs": np.log1p(np.diff(sight.starts)) / 8,
        "words": np.log1p(words) / 8,
        "linked": share(sight.link_density),
        "prose_share": share(sight.prose),
        "p_share": share(sight.is_in("p")),
        "prose": np.log1p(prose) / 8,
        "article_share": share(sight.inside_kind("article")),
        "main_share": share(sight.inside_kind("main")),
        "framing_share": share(framing),
        "articles": np.minimum(sight.elements_named("article"), 20) / 20,
        "p_elements": np.log1p(sight.elements_named("p")) / 5,
        "li_elements": np.log1p(sight.elements_named("li")) / 6,
        "h1_elements": np.log1p(sight.elements_named("h1")),
        "h2_elements": np.log1p(sight.elements_named("h2") + sight.elements_named("h3")) / 4,
        "table_share": share(sight.inside_kind("table")),
        "pre_share": share(sight.inside_kind("pre")),
        "tags": np.log1p(tags) / 8,
        "words_per_tag": words / (words + tags + 1e-6),
        "currency": np.minimum(sight.document_sums(sight.counts["currency"]), 50) / 50,
        "longest_share": longest / (words + 1e-6),
        "longest": np.log1p(longest) / 6,
        "algorithm2_share": share(sight.algorithm2),
        "comment_share": share(sight.inside_mark("comment")),
        "forum_share": share(sight.inside_mark("forum")),
        "product_share": share(sight.inside_mark("product")),
        "reviews": np.minimum(sight.document_sums(own_reviews), 20) / 20,
        "questions": np.minimum(sight.document_sums(sight.counts["questions"]), 20) / 20,
    }
    for name, column in columns.items():
        yield f"document_{name}", column[sight.owners]


def context(sight: Sight) -> Named:
    """Headings, prose and doubles before and behind the paragraph."""
    is_h1 = sight.is_in("h1")
    heading = sight.inside_kind("heading")
    h1 = np.full(sight.documents, -1)
    at = np.flatnonzero(is_h1)[::-1]
    h1[sight.owners[at]] = at  # the first one of a document is written last
    first_h1 = h1[sight.owners]
    has_h1 = first_h1 >= 0
    away = sight.places - first_h1
    before = _last(sight, heading)
    levels = np.clip(sight.element_tags[sight.elements[before]] - _H1, 0, 8)
    _, first, group, counts = np.unique(
        sight.text_hashes, return_index=True, return_inverse=True, return_counts=True
    )
    repeats = first[group] != sight.places
    prose = running(sight.prose_words)
    yield "before_h1", has_h1 & (away < 0)
    yield "after_h1", has_h1 & (away >= 0)
    yield "has_h1", has_h1
    yield "from_h1", np.where(has_h1, np.sign(away) * np.log1p(np.abs(away)) / 5, 0.0)
    yield "from_heading", _distance(sight, before)
    yield "to_heading", _distance(sight, _next(sight, heading))
    yield "heading_level", np.where(before >= 0, levels, 8) / 8
    yield "from_prose", _distance(sight, _last(sight, sight.prose))
    yield "to_prose", _distance(sight, _next(sight, sight.prose))
    yield "repeats", repeats
    yield "repeated", (counts[group] > 1) & ~repeats
    words = running(sight.words)
    for reach in (3, 8, 20):
        low = np.maximum(sight.places - reach, sight.first)
        high = np.minimum(sight.places + reach + 1, sight.end)
        yield (
            f"prose_within_{reach}",
            (prose[high] - prose[low]) / (words[high] - words[low] + 1e-6),
        )
    yield "prose_before", (prose[:-1] - prose[sight.first]) / sight.document_prose
    yield "prose_until", (prose[1:] - prose[sight.first]) / sight.document_prose


def _last(sight: Sight, marked: BoolArray) -> IntArray:
    """(p,) the nearest marked paragraph of the document at or before each, or -1."""
    found = np.maximum.accumulate(np.where(marked, sight.places, -1))
    return np.where(found >= sight.first, found, -1)


def _next(sight: Sight, marked: BoolArray) -> IntArray:
    """(p,) the nearest marked paragraph of the document at or behind each, or -1."""
    beyond = len(sight.places)
    found = np.minimum.accumulate(np.where(marked, sight.places, beyond)[::-1])[::-1]
    return np.where(found < sight.end, found, -1)


def _distance(sight: Sight, to: IntArray) -> FloatArray:
    steps = np.where(to >= 0, np.minimum(np.abs(sight.places - to), FAR), FAR)
    return np.log1p(steps) / 4
