"""Sets of features that models read: of paragraphs by compiled code, of blocks by NumPy.

Nothing in a row depends on other documents of the shard. VERSION changes with any feature of
paragraphs: a model names the version it was trained on, and reads no other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from boilersweep.cleaners.learned.inference import Rows, logistic, ready_network
from boilersweep.cleaners.learned.model import Model, Network
from boilersweep.cleaners.learned.paragraph_features import NAMES
from boilersweep.errors import BoilersweepError
from boilersweep.features import kohlschuetter, schaefer
from boilersweep.pages.columns import BlockColumns, FloatArray, structure_of

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
            f"`learned` needs compiled code, which is missing here ({error}): install a wheel of "
            "boilersweep, or a C compiler and Python's headers, then boilersweep again"
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
    return Rows(
        # The layout decides how training rounds its sums
        values=np.asfortranarray(values),
        words=words,
        of_blocks=of_blocks,
        owners=np.repeat(np.arange(len(columns)), np.diff(starts)),
        starts=starts,
        relations=relations,
        rated=dict(zip(networks, logistic(logits), strict=True)),
    )


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
