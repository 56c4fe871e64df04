"""A threshold without judgements: where long text becomes likelier than short text.

Source: Kohlschütter et al., WSDM 2010, section 5.2. The blocks of a collection are a mixture of
short text (navigation, mostly boilerplate) and long text (mostly content), each with a geometric
number of words. Fitted to the collection's own blocks, the two cross at some number of words.
What is likely boilerplate by it need not be what retrieval can do without.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boilersweep.cleaners.rules import NOTHING
from boilersweep.cleaners.variants import Variant
from boilersweep.eval.drawing import DASHED, open_frame, saved_figure
from boilersweep.eval.study.textmodel import fit_two_class
from boilersweep.pages.columns import IntArray
from boilersweep.store.store import BlockStore

DRAWN_WORDS = 60
"""Blocks of 1 to so many words are drawn; all are fitted."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The two-class mixture of a collection's blocks.

    variant: the least number of words at which a block is likelier long text than short; None
    where the two do not cross. blocks: that were fitted. short_share, short_stop, long_stop: as
    `TwoClass` has them. r2_adjusted, rmse: of the fit; None where too few points were fitted.
    observed, short, long: shares of the blocks that have 1, 2, ... DRAWN_WORDS words, seen and
    as the mixture has either kind.
    """

    variant: Variant | None
    blocks: int
    short_share: float
    short_stop: float
    long_stop: float
    r2_adjusted: float | None
    rmse: float | None
    observed: tuple[float, ...]
    short: tuple[float, ...]
    long: tuple[float, ...]

    def __str__(self) -> str:
        fit = "" if self.r2_adjusted is None else f" (adjusted R2 {self.r2_adjusted:.3f})"
        point = self.variant.point if self.variant else None
        if point is None:
            return (
                "Without judgements: the blocks are no mixture of short and long text that cross"
                f"{fit}, so nothing is suggested."
            )
        return (
            f"Without judgements: from {point.value:.0f} words on a block is likelier long "
            f"text than short by the two-class mixture of the {self.blocks:,} blocks{fit}, which "
            f"suggests {point}; it knows nothing of retrieval."
        )


def suggest(store: BlockStore) -> Suggestion | None:
    """Fit the mixture to all blocks of a store, reading numbers only; None without a block."""
    histogram = np.zeros(1, dtype=np.int64)
    for columns in store.columns(NOTHING):
        histogram = _added(histogram, np.bincount(columns.words))
    return suggest_from(histogram)


def suggest_from(histogram: IntArray) -> Suggestion | None:
    """The same. histogram: its entry x is the number of blocks with x words."""
    blocks = int(histogram[1:].sum())
    if not blocks:
        return None
    model = fit_two_class(histogram)
    words = np.arange(1, DRAWN_WORDS + 1)
    drawn = _added(np.zeros(DRAWN_WORDS + 1, dtype=np.int64), histogram)[1 : DRAWN_WORDS + 1]
    crossing = model.crossing
    return Suggestion(
        variant=None if crossing is None else Variant.at_least("words", float(crossing)),
        blocks=blocks,
        short_share=model.short_share,
        short_stop=model.short_stop,
        long_stop=model.long_stop,
        r2_adjusted=_known(model.r2_adjusted),
        rmse=_known(model.rmse),
        observed=tuple((drawn / blocks).tolist()),
        short=tuple(model.short(words).tolist()),
        long=tuple(model.long(words).tolist()),
    )


def draw_mixture(suggestion: Suggestion, stem: Path) -> None:
    """Draw `<stem>.svg` and `<stem>.png`: blocks by words, both kinds of text, where they cross.

    Raises OutputError.
    """
    words = np.arange(1, DRAWN_WORDS + 1)
    short, long = np.array(suggestion.short), np.array(suggestion.long)
    with saved_figure(stem, 6, 3.4) as figure:
        panel = figure.subplots()
        panel.bar(words, suggestion.observed, color="#d5d9dc", width=0.9, label="blocks")
        panel.plot(words, short, color="#c8553d", label="short text")
        panel.plot(words, long, color="#0b6e99", label="long text")
        panel.plot(words, short + long, color="#333333", linewidth=0.9, label="both")
        point = suggestion.variant.point if suggestion.variant else None
        if point and point.value <= DRAWN_WORDS:
            crossing = point.value
            panel.axvline(crossing, **DASHED)
            panel.annotate(
                f" {point}", (crossing, 0.97), xycoords=("data", "axes fraction"),
                va="top", color="#555555",
            )  # fmt: skip
        seen = [share for share in suggestion.observed if share > 0]
        panel.set_yscale("log")
        panel.set_ylim(min(seen, default=1e-4) / 2, 1)
        panel.set_xlabel("words of a block")
        panel.set_ylabel("share of the blocks")
        panel.legend(frameon=False, loc="upper right")  # to look for the best place takes long
        open_frame(panel, grid="")
        figure.tight_layout()


def _added(one: IntArray, other: IntArray) -> IntArray:
    """Two histograms together."""
    total = np.zeros(max(len(one), len(other)), dtype=np.int64)
    total[: len(one)] += one
    total[: len(other)] += other
    return total


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
