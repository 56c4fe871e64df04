"""CETR: content extraction by the ratio of text to tags of a page's lines.

Source: Weninger, Hsu and Han, CETR -- Content Extraction with Tag Ratios, WWW 2010, and the
authors' page on it. Comments, scripts, styles and blank lines go first. A line's ratio is its
characters outside tags by its tags, or by 1 where there are none. Ratios are smoothed with a
Gaussian, then lines are told apart by a threshold or by clusters.

What the paper leaves to chance or open: a line break within a tag is none; at the ends of the
page the Gaussian's weights are those within it; clusters begin at fixed centres (`spread`).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from boilersweep.extractors import BuiltIn, Whole
from boilersweep.extractors.markup import Markup, covered, markup_of, without_code
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray

_MOST_ROUNDS = 100


def k_means(
    points: FloatArray, centres: FloatArray, *, pinned: bool = False
) -> tuple[IntArray, FloatArray]:
    """Labels (l,) and centres (k, d) of points (l, d).

    A centre without points stays where it is; a point between two centres goes to the first.

    Args:
        points: (l, d) The points.
        centres: (k, d) Where the centres begin.
        pinned: Centre 0 stays where it is.
    """
    centres = centres.astype(np.float64)
    labels = np.full(len(points), -1, dtype=np.int64)
    for _ in range(_MOST_ROUNDS):
        squares = ((points[:, np.newaxis] - centres) ** 2).sum(axis=2)
        nearest = squares.argmin(axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        for number in range(1 if pinned else 0, len(centres)):
            if (labels == number).any():
                centres[number] = points[labels == number].mean(axis=0)
    return labels, centres


# Of the Gaussian, in lines; the paper's is its standard deviation, rounded up.
RADIUS = 3

# Lines whose mean, less the line itself, is its derivative.
AHEAD = 3

CLUSTERS = 3

# Characters after which a page that is one line gets line breaks, behind the tag if in one.
FOLDED = 60

# A page is folded if its lines are longer than this in the mean.
LONG = 1000

_ASCII = np.array([chr(code).isspace() for code in range(128)])


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The lines of a page that are not blank.

    Attributes:
        starts, ends: (l,) a line's characters, without blanks at its ends.
        ratios: (l,) characters outside tags by tags.
    """

    starts: IntArray
    ends: IntArray
    ratios: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """What CETR sees of a page: its lines along the page.

    Attributes:
        ratios: (l,) characters outside tags by tags.
        smoothed: (l,) the ratios, blurred.
        changes: (l,) the absolute derivative of the smoothed ratios, blurred as well.
    """

    ratios: FloatArray
    smoothed: FloatArray
    changes: FloatArray

    def by_threshold(self) -> BoolArray:
        """(l,) True for lines whose smoothed ratio is at least the standard deviation of all."""
        content: BoolArray = self.smoothed >= self.smoothed.std()
        return content

    def by_ratio(self, k: int = CLUSTERS) -> BoolArray:
        """(l,) True for lines outside the cluster that is nearest to 0; all if lines are alike."""
        points = self.smoothed[:, np.newaxis]
        labels, centres = k_means(points, spread(points, k))
        content: BoolArray = labels != np.abs(centres[:, 0]).argmin()
        return content if content.any() else np.ones(len(self.smoothed), dtype=bool)

    def by_ratio_and_change(self, k: int = CLUSTERS) -> BoolArray:
        """(l,) True for lines outside the cluster whose centre stays at the origin."""
        points = np.stack([self.smoothed, self.changes], axis=1)
        labels, _ = k_means(points, spread(points, k, pinned=True), pinned=True)
        content: BoolArray = labels != 0
        return content


def profile(ratios: FloatArray, radius: int = RADIUS) -> Profile:
    """Return the profile of (l,) ratios, l > 0, blurred by a Gaussian of so many lines."""
    smoothed = smooth(ratios, radius)
    changes = np.abs(smooth(derivative(smoothed), radius))
    return Profile(ratios, smoothed, changes)


def page_profile(page: str, radius: int = RADIUS) -> Profile:
    """Return the profile of a page's HTML; of no line for a page without text and tags."""
    ratios = lines_of(markup_of(without_code(page))).ratios
    return profile(ratios, radius) if len(ratios) else Profile(ratios, ratios, ratios)


def cetr_tm(page: str, radius: int = RADIUS) -> str:
    """CETR-TM: lines of content by a threshold of one dimension."""
    return _extract(page, radius, Profile.by_threshold)


def cetr_km(page: str, k: int = CLUSTERS, radius: int = RADIUS) -> str:
    """CETR-KM: lines of content by k clusters of one dimension."""
    return _extract(page, radius, lambda lines: lines.by_ratio(k))


def cetr(page: str, k: int = CLUSTERS, radius: int = RADIUS) -> str:
    """CETR: lines of content by k clusters of two dimensions, ratio and change."""
    return _extract(page, radius, lambda lines: lines.by_ratio_and_change(k))


def lines_of(markup: Markup) -> Lines:
    """Cut a page into its lines, folded if it has hardly any."""
    codes, in_tag = markup.codes, markup.in_tag
    blank = _ASCII[np.minimum(codes, 127)] & ~in_tag
    breaks = ((codes == ord("\n")) | (codes == ord("\r"))) & ~in_tag
    places = np.flatnonzero(~blank)
    if not len(places):
        return Lines(places, places, np.zeros(0))
    numbers, first = _numbered(breaks, places)
    if len(places) > LONG * len(first):
        breaks[_folds(markup)] = True
        numbers, first = _numbered(breaks, places)
    starts = places[first]
    ends = places[np.append(first[1:], len(places)) - 1] + 1
    outside = np.concatenate([[0], np.cumsum(~in_tag)])
    tags = np.bincount(numbers[markup.starts], minlength=int(numbers[-1]) + 1)[
        numbers[starts]
    ]
    return Lines(starts, ends, (outside[ends] - outside[starts]) / np.maximum(tags, 1))


def smooth(values: FloatArray, radius: int = RADIUS) -> FloatArray:
    """Values blurred by a Gaussian over so many neighbours to each side."""
    weights = np.exp(-(np.arange(-radius, radius + 1) ** 2) / (2 * radius**2))
    inside = slice(radius, radius + len(values))
    total = np.convolve(np.ones(len(values)), weights)[inside]
    blurred: FloatArray = np.convolve(values, weights)[inside] / total
    return blurred


def derivative(values: FloatArray) -> FloatArray:
    """Return the mean of each value and those after it, `AHEAD` in all, less the value itself."""
    sums = np.concatenate([[0], np.cumsum(values)])
    places = np.arange(len(values))
    ends = np.minimum(places + AHEAD, len(values))
    means: FloatArray = (sums[ends] - sums[places]) / (ends - places)
    return means - values


def spread(
    points: FloatArray, k: int = CLUSTERS, *, pinned: bool = False
) -> FloatArray:
    """(k, d) Where the centres of points (l, d) begin, k > 1.

    Centre i begins at the first point whose distance from the origin is nearest to i / (k - 1) of
    the largest; centre 0, if it is pinned, at the origin.
    """
    distances = np.hypot.reduce(points, axis=1)
    wanted = distances.max() * np.arange(k) / (k - 1)
    centres: FloatArray = points[
        np.abs(distances - wanted[:, np.newaxis]).argmin(axis=1)
    ]
    if pinned:
        centres[0] = 0
    return centres


def _extract(page: str, radius: int, is_content: Callable[[Profile], BoolArray]) -> str:
    markup = markup_of(without_code(page))
    lines = lines_of(markup)
    if not len(lines.ratios):
        return ""
    content = is_content(profile(lines.ratios, radius))
    return markup.text(
        covered(lines.starts[content], lines.ends[content], len(markup.codes))
    )


def _numbered(breaks: BoolArray, places: IntArray) -> tuple[IntArray, IntArray]:
    """Return the line of each character, and which characters are the first of their line."""
    numbers = np.cumsum(breaks, dtype=np.int64)
    return numbers, np.flatnonzero(np.diff(numbers[places], prepend=-1))


def _folds(markup: Markup) -> IntArray:
    """Where the lines begin that a page on one line is folded into."""
    places: list[int] = []
    length = len(markup.codes)
    at = FOLDED
    while at < length:
        if markup.in_tag[at]:
            at = int(markup.ends[np.searchsorted(markup.ends, at, side="right")])
        if at < length:
            places.append(at)
        at += FOLDED
    return np.array(places, dtype=np.int64)


def _loads(extract: Callable[..., str]) -> Callable[..., Callable[[str], str]]:
    """Return what gives an extractor with values of its parameters."""

    def load(*values: int) -> Callable[[str], str]:
        return (lambda page: extract(page, *values)) if values else extract

    return load


_K = Whole("k", CLUSTERS, least=2)
_RADIUS = Whole("radius", RADIUS, least=1)

EXTRACTORS = (
    BuiltIn("cetr", _loads(cetr), parameters=(_K, _RADIUS)),
    BuiltIn("cetr-km", _loads(cetr_km), parameters=(_K, _RADIUS)),
    BuiltIn("cetr-tm", _loads(cetr_tm), parameters=(_RADIUS,)),
)
