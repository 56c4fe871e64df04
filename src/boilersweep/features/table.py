"""Tables of features: one row per block, one column per feature with its name and source."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from boilersweep.pages.columns import (
    BlockColumns,
    BoolArray,
    FloatArray,
    IntArray,
    Structure,
    nearest,
)


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of blocks.

    Attributes:
        name: The name of its column.
        description: What it counts, and in which unit.
        source: Where the paper has it, and what the paper leaves open.
    """

    name: str
    description: str
    source: str


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """The features of some blocks.

    Attributes:
        features: The k columns in their order.
        values: (m, k), one row per block.
    """

    features: tuple[Feature, ...]
    values: FloatArray

    @property
    def names(self) -> list[str]:
        """(k,) the columns' names."""
        return [feature.name for feature in self.features]


def table_of(
    features: Sequence[Feature], columns: Sequence[FloatArray | IntArray | BoolArray]
) -> FeatureTable:
    """Join (m,) columns, one per feature, to a table."""
    stacked = np.column_stack(
        [np.asarray(column, dtype=np.float64) for column in columns]
    )
    return FeatureTable(tuple(features), stacked)


def window_sums(values: IntArray, columns: BlockColumns, reach: int) -> IntArray:
    """(m,) sums over every block and the `reach` before and behind it in its document."""
    sums = np.concatenate([[0], np.cumsum(values)])
    places = np.arange(len(values))
    owners = columns.owners
    low = np.maximum(places - reach, columns.starts[:-1][owners])
    high = np.minimum(places + reach + 1, columns.starts[1:][owners])
    summed: IntArray = sums[high] - sums[low]
    return summed


def document_sums(values: IntArray, columns: BlockColumns) -> IntArray:
    """(m,) of every block the sum over its document."""
    sums = np.concatenate([[0], np.cumsum(values)])
    return np.repeat(np.diff(sums[columns.starts]), np.diff(columns.starts))


def named(structure: Structure, names: Iterable[str]) -> BoolArray:
    """(e,) whether an element has one of these names."""
    wanted = set(names)
    chosen = np.array([name in wanted for name in structure.name_list], dtype=bool)
    elements: BoolArray = chosen[structure.names]
    return elements


@dataclass(frozen=True, slots=True, eq=False)
class MarkWords:
    """The w words of all marks of a structure, in lower case: classes, ids, roles and others.

    Attributes:
        distinct: Each word's number.
        places: (w,) the numbers of the words.
        owners: (w,) places in `mark_list`.
    """

    distinct: dict[str, int]
    places: IntArray
    owners: IntArray

    def marked(self, structure: Structure, names: Iterable[str]) -> BoolArray:
        """(e,) whether an element has one of some of the words."""
        wanted = np.zeros(len(self.distinct), dtype=bool)
        wanted[[self.distinct[name] for name in names]] = True
        chosen = np.zeros(len(structure.mark_list), dtype=bool)
        chosen[self.owners[wanted[self.places]]] = True
        found: BoolArray = chosen[structure.marks]
        return found


def mark_words(columns: BlockColumns, structure: Structure) -> MarkWords:
    """Return the words of the columns' marks, which several rules ask for."""
    if MarkWords not in columns.memo:
        # One text, as it is split in a third of the time; no page has a NUL
        words = "\0".join([f" {marks} " for marks in structure.mark_list])
        flat = words.lower().split()
        distinct = {word: number for number, word in enumerate(dict.fromkeys(flat))}
        places = np.array([*map(distinct.__getitem__, flat)], dtype=np.int64)
        ends = places == distinct.get("\0", -1)
        words_alone = ~ends
        columns.memo[MarkWords] = MarkWords(
            distinct, places[words_alone], np.cumsum(ends)[words_alone]
        )
    found: MarkWords = columns.memo[MarkWords]
    return found


def holding(structure: Structure, chosen: BoolArray, count: int) -> BoolArray:
    """(count,) whether one of the chosen elements holds the block, at any depth."""
    opened = np.bincount(structure.first[chosen], minlength=count + 1)
    closed = np.bincount(structure.end[chosen], minlength=count + 1)
    inside: BoolArray = np.cumsum(opened - closed)[:count] > 0
    return inside


def enclosed_by(structure: Structure, names: Iterable[str], count: int) -> BoolArray:
    """(count,) whether an element of one of these names holds the block, at any depth."""
    return holding(structure, named(structure, names), count)


def innermost(structure: Structure, names: Iterable[str]) -> IntArray:
    """(m,) the place in `names` of the innermost element around a block that has one, else -1."""
    places = {name: index for index, name in enumerate(names)}
    kinds = np.array(
        [places.get(name, -1) for name in structure.name_list], dtype=np.int64
    )
    of_elements = kinds[structure.names]
    elements: IntArray = of_elements[nearest(of_elements >= 0, structure.parents)][
        structure.elements
    ]
    return elements
