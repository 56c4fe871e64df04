"""The link quota filter: elements whose text is mostly links go.

Sources: Mantratzis, Orgun and Cassidy, Separating XHTML Content from Navigation Clutter using
DOM-structure Block Analysis, HT 2005; Gottron, Evaluating Content Extraction on HTML Documents,
ITA 2007, who names the filter and runs it with quotas of .25, .5 and .75. Both as they are commonly
cited; we did not have the papers themselves.
"""

from dataclasses import dataclass

import numpy as np

from boilersweep.cleaners.rules import STRUCTURE, NamedRule, Parameter
from boilersweep.errors import UsageError
from boilersweep.pages.columns import BlockColumns, BoolArray, structure_of
from boilersweep.pages.structure import ROOT

# The middle one of Gottron's quotas.
QUOTA = 0.5

# Elements that are never dropped: the filter is for lists of links within a page.
WHOLE_PAGE = frozenset({ROOT, "html", "body"})


@dataclass(frozen=True, slots=True)
class LinkQuota(NamedRule):
    """Drops every element, `WHOLE_PAGE` aside, with a larger share of linked words than the quota.

    Attributes:
        quota: From 0 to 1; another number raises UsageError.
    """

    name = "link-quota"
    parameters = (Parameter("QUOTA", "a number", optional=True),)
    summary = "elements with at most a share of .5 of their words in links"
    source = "Mantratzis et al. 2005"
    needs = STRUCTURE

    quota: float = QUOTA

    def __post_init__(self) -> None:
        if not 0 <= self.quota <= 1:
            raise UsageError(
                f"{self.name}: expected a quota from 0 to 1, got {self.quota}"
            )

    def mask(self, columns: BlockColumns) -> BoolArray:
        structure = structure_of(columns, self)
        words = np.concatenate([[0], np.cumsum(columns.words)])
        links = np.concatenate([[0], np.cumsum(columns.link_words)])
        first, end = structure.first, structure.end
        may_go = np.array(
            [name not in WHOLE_PAGE for name in structure.name_list], dtype=bool
        )
        gone = (links[end] - links[first]) > self.quota * (words[end] - words[first])
        gone &= may_go[structure.names]
        covers = np.bincount(first[gone], minlength=len(words))
        covers -= np.bincount(end[gone], minlength=len(words))
        mask: BoolArray = np.cumsum(covers)[:-1] == 0
        return mask
