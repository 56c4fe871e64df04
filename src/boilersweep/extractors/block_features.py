"""FE and KFE: the blocks of a page in which text outweighs everything else.

Source: Debnath, Mitra, Pal and Giles, Automatic Identification of Informative Sections of Web
Pages, IEEE TKDE 17(9), 2005: GetBlockSet, FeatureExtractor and K-FeatureExtractor. The tags of a
set cut the page into blocks. A block's value for a feature is that feature's share of all features
in the block. FE keeps the one block with the highest value, KFE the blocks in the cluster of the
highest values, by k-means whose centres begin at equidistant places in the sorted list of values.

We did not have the paper; the following are our choices. The tags are those that the literature
names first. Every tag of the set cuts the whole page, so their order does not matter. The wanted
feature is text, which counts words; the others count their start tags (`FEATURES`). Of blocks with
the same value FE keeps the first. KFE has two clusters; the paper uses two or three. Comments,
scripts and styles go first, and blocks without a word are none.
"""

import re
from collections.abc import Callable

import numpy as np

from boilersweep.extractors.built_in import BuiltIn
from boilersweep.extractors.cetr import k_means
from boilersweep.extractors.markup import text_of, without_code
from boilersweep.pages.columns import BoolArray, FloatArray
from boilersweep.pages.words import count_words

# Elements whose tags cut a page into blocks.
PARTITION = "table tr p hr ul"

# Elements of the features beside text: links, lists, objects, forms and frames; tables cut.
FEATURES = (
    "a li ol dl img object applet embed form input select textarea button frame iframe"
)

CLUSTERS = 2

_CUT = re.compile(rf"</?(?:{PARTITION.replace(' ', '|')})\b[^<>]*>", re.IGNORECASE)
_FEATURE = re.compile(rf"<(?:{FEATURES.replace(' ', '|')})\b", re.IGNORECASE)


def fe(page: str) -> str:
    """FE: the first block with the highest share of text."""
    return _extract(page, lambda values: np.arange(len(values)) == values.argmax())


def kfe(page: str) -> str:
    """KFE: the blocks whose share of text is in the higher cluster."""
    return _extract(page, in_highest_cluster)


def in_highest_cluster(values: FloatArray) -> BoolArray:
    """(b,) True for values in the cluster with the highest centre."""
    places = np.linspace(0, len(values) - 1, CLUSTERS).round().astype(np.int64)
    points = values[:, np.newaxis]
    labels, centres = k_means(points, np.sort(values)[places][:, np.newaxis])
    highest: BoolArray = labels == centres[:, 0].argmax()
    return highest


def _extract(page: str, chosen: Callable[[FloatArray], BoolArray]) -> str:
    texts: list[str] = []
    values: list[float] = []
    for piece in _CUT.split(without_code(page)):
        text = text_of(piece)
        if words := count_words(text):
            texts.append(text)
            values.append(words / (words + len(_FEATURE.findall(piece))))
    if not texts:
        return ""
    kept = chosen(np.array(values))
    return "\n".join(texts[place] for place in np.flatnonzero(kept).tolist())


EXTRACTORS = (BuiltIn("fe", lambda: fe), BuiltIn("kfe", lambda: kfe))
