"""Cleaners that read words, text density and link density of a block and of its neighbours.

Source: Kohlschütter, Fankhauser and Nejdl, Boilerplate Detection using Shallow Text Features,
WSDM 2010, section 4.3. All features of a neighbour that is missing count as 0, as in the authors'
own boilerpipe, so the last block of a page has a next text density of 0.
"""

from dataclasses import dataclass

import numpy as np

from boilersweep.cleaners.rules import NamedRule
from boilersweep.pages.columns import NOTHING, BlockColumns, BoolArray, neighbours

# The thresholds of Algorithms 1 and 2 as the paper prints them.
THIRD = 0.333333
FIVE_NINTHS = 0.555556


@dataclass(frozen=True, slots=True)
class DensityRules(NamedRule):
    """Algorithm 1, the densitometric classifier."""

    name = "density-rules"
    summary = "by text and link density"
    source = "Kohlschütter et al. 2010, Algorithm 1"
    needs = NOTHING

    def mask(self, columns: BlockColumns) -> BoolArray:
        current = columns.density
        owners = columns.owners
        before, after = neighbours(current, owners, -1), neighbours(current, owners, 1)
        links = columns.link_density
        links_before = neighbours(links, owners, -1)
        dense = np.where(current <= 9, (after > 10) | (before > 4), after > 0)
        return (links <= THIRD) & np.where(
            links_before <= FIVE_NINTHS, dense, after > 11
        )


@dataclass(frozen=True, slots=True)
class NumWordsRules(NamedRule):
    """Algorithm 2, the classifier based on the number of words."""

    name = "numwords-rules"
    summary = "by words and link density"
    source = "Kohlschütter et al. 2010, Algorithm 2"
    needs = NOTHING

    def mask(self, columns: BlockColumns) -> BoolArray:
        current = columns.words
        owners = columns.owners
        before, after = neighbours(current, owners, -1), neighbours(current, owners, 1)
        links = columns.link_density
        links_before = neighbours(links, owners, -1)
        long = (current > 16) | (after > 15) | (before > 4)
        very_long = (current > 40) | (after > 17)
        return (links <= THIRD) & np.where(links_before <= FIVE_NINTHS, long, very_long)


@dataclass(frozen=True, slots=True)
class OneRule(NamedRule):
    """1R, section 4.3.1: a block with a text density below 10.5 is boilerplate."""

    name = "one-rule"
    summary = "text density of at least 10.5"
    source = "Kohlschütter et al. 2010, Table 2"
    needs = NOTHING

    def mask(self, columns: BlockColumns) -> BoolArray:
        return columns.density >= 10.5


@dataclass(frozen=True, slots=True)
class CleanEvalRule(NamedRule):
    """The tree trained on CleanEval, section 4.3.2: text density from 7, link density to .35."""

    name = "cleaneval-rule"
    summary = "text density of at least 7, link density of at most .35"
    source = "Kohlschütter et al. 2010, section 4.3.2"
    needs = NOTHING

    def mask(self, columns: BlockColumns) -> BoolArray:
        return (columns.density >= 7) & (columns.link_density <= 0.35)


@dataclass(frozen=True, slots=True)
class KeepEverything(NamedRule):
    """Every block stays: the baseline of Figure 2."""

    name = "keep-everything"
    summary = "every block"
    source = "Kohlschütter et al. 2010, Figure 2"
    needs = NOTHING

    def mask(self, columns: BlockColumns) -> BoolArray:
        return np.ones(len(columns.words), dtype=bool)
