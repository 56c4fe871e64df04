"""CCB: content code blurring.

Source: Gottron, Content Code Blurring: A New Approach to Content Extraction, DEXA 2008. Every
character is content, 1, or code, 0; the values are blurred by a Gaussian over and over, and the
content characters with a high value stay: long stretches with little code in them.

The paper was not at hand: range and threshold are those that the literature reports of it, the
number of rounds is ours. The repeated Gaussian is one of a larger width, and is computed as three
moving averages, in time linear in the page whatever the width. Comments, scripts and styles go
first, and white space counts as one character. At the ends of the page averages are of what is
there. A word stays if its first character does; in scripts without spaces every character is one.
"""

import re

import numpy as np

from boilersweep.extractors import BuiltIn
from boilersweep.extractors.markup import markup_of, without_code
from boilersweep.pages.columns import FloatArray
from boilersweep.pages.words import is_unspaced

# Characters to each side that one Gaussian reaches, two standard deviations: the range of the
# author's later experiments.
RANGE = 40

# Gaussians one after the other.
ROUNDS = 4

# The least value of content.
THRESHOLD = 0.75

_PASSES = 3


def ccb(page: str) -> str:
    """Extract the text whose neighbourhood is mostly text."""
    markup = markup_of(re.sub(r"\s+", " ", without_code(page)))
    if not len(markup.codes):
        return ""
    content = ~markup.in_tag
    high = blur(content.astype(np.float64)) >= THRESHOLD
    spaces = (markup.codes == ord(" ")) | markup.in_tag
    begins = content & ~spaces
    begins[1:] &= spaces[:-1]
    begins |= content & is_unspaced(markup.codes)
    words = np.cumsum(begins)
    stays = np.concatenate([[False], high[begins]])[words]
    return markup.text(stays & content)


def blur(values: FloatArray) -> FloatArray:
    """Values blurred by `ROUNDS` Gaussians of a standard deviation of half the `RANGE`.

    Three moving averages over w values have the variance (w**2 - 1) / 4.
    """
    variance = ROUNDS * (RANGE / 2) ** 2
    width = round((12 * variance / _PASSES + 1) ** 0.5)
    reach = width // 2
    places = np.arange(len(values))
    starts = np.maximum(places - reach, 0)
    ends = np.minimum(places + reach + 1, len(values))
    for _ in range(_PASSES):
        sums = np.concatenate([[0.0], np.cumsum(values)])
        values = (sums[ends] - sums[starts]) / (ends - starts)
    return values


EXTRACTORS = (BuiltIn("ccb", lambda: ccb),)
