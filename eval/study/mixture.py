"""A threshold without judgements: where long text becomes likelier than short text.

Source: Kohlschütter et al., WSDM 2010, section 5.2. The blocks of a collection are a mixture of
short text (navigation, mostly boilerplate) and long text (mostly content), each with a geometric
number of words. Fitted to the collection's own blocks, the two cross at some number of words.
Likely boilerplate by this model can still matter for retrieval.
"""

from pathlib import Path

import numpy as np
from msgspec import Struct

from boilersweep.cleaners.rules import NOTHING
from boilersweep.eval.figures.drawing import DASHED, open_frame, saved_figure
from boilersweep.eval.study.differences import as_numbers
from boilersweep.eval.study.textmodel import fit_two_class
from boilersweep.pages.columns import IntArray
from boilersweep.store.store import BlockStore

# Blocks of 1 to so many words are drawn; all are fitted.
DRAWN_WORDS = 60


class Suggestion(Struct, frozen=True):
    """The two-class mixture of a collection's blocks.

    Attributes:
        cleaner: Keeps the blocks that are likelier long text than short text, such as `words>=11`;
            None if the two kinds of text do not cross.
        place: The cleaner's place among the study's variants; None if it is not among them.
        blocks: The fitted blocks.
        short_share: As in `TwoClass`, like the next two.
        short_stop: The chance that short text ends after a word.
        long_stop: The chance that long text ends after a word.
        r2_adjusted: Of the fit; None if too few points were fitted.
        rmse: Of the fit; None if too few points were fitted.
        observed: The observed shares of the blocks with 1, 2, ... DRAWN_WORDS words.
        short: The mixture's shares of short text.
        long: The mixture's shares of long text.
    """

    cleaner: str | None
    place: int | None
    blocks: int
    short_share: float
    short_stop: float
    long_stop: float
    r2_adjusted: float | None
    rmse: float | None
    observed: tuple[float, ...]
    short: tuple[float, ...]
    long: tuple[float, ...]

    @property
    def words(self) -> int | None:
        """The number of words from which on a block is likelier long text."""
        return int(self.cleaner.rpartition("=")[2]) if self.cleaner else None

    def __str__(self) -> str:
        """Return the suggestion in a sentence."""
        fit = "" if self.r2_adjusted is None else f" (adjusted R2 {self.r2_adjusted:.3f})"
        if self.cleaner is None:
            return (
                "Without judgements: the blocks are no mixture of short and long text that cross"
                f"{fit}, so nothing is suggested."
            )
        return (
            f"Without judgements: from {self.words} words on a block is likelier long "
            f"text than short by the two-class mixture of the {self.blocks:,} blocks{fit}, which "
            f"suggests {self.cleaner}; it knows nothing of retrieval."
        )


def suggest(store: BlockStore) -> Suggestion | None:
    """Fit the mixture to all blocks of a store, reading numbers only; None without a block."""
    histogram = np.zeros(1, dtype=np.int64)
    for columns in store.columns(NOTHING):
        histogram = _added(histogram, np.bincount(columns.words))
    return suggest_from(histogram)


def suggest_from(histogram: IntArray) -> Suggestion | None:
    """Fit the mixture to blocks.

    Args:
        histogram: Entry x is the number of blocks with x words.

    Returns:
        The mixture, with `place` None; None without a block.
    """
    blocks = int(histogram[1:].sum())
    if not blocks:
        return None
    model = fit_two_class(histogram)
    words = np.arange(1, DRAWN_WORDS + 1)
    drawn = _added(np.zeros(DRAWN_WORDS + 1, dtype=np.int64), histogram)[1 : DRAWN_WORDS + 1]
    crossing = model.crossing
    r2_adjusted, rmse = as_numbers(np.array([model.r2_adjusted, model.rmse]))
    return Suggestion(
        cleaner=None if crossing is None else f"words>={crossing}",
        place=None,
        blocks=blocks,
        short_share=model.short_share,
        short_stop=model.short_stop,
        long_stop=model.long_stop,
        r2_adjusted=r2_adjusted,
        rmse=rmse,
        observed=tuple((drawn / blocks).tolist()),
        short=tuple(model.short(words).tolist()),
        long=tuple(model.long(words).tolist()),
    )


def draw_mixture(suggestion: Suggestion, stem: Path) -> None:
    """Draw `<stem>.svg` and `<stem>.png`: blocks by words, both kinds of text, and their crossing.

    Args:
        suggestion: The mixture.
        stem: The files' path without suffix.

    Raises:
        OutputError: A file cannot be written.
    """
    words = np.arange(1, DRAWN_WORDS + 1)
    short, long = np.array(suggestion.short), np.array(suggestion.long)
    with saved_figure(stem, 6, 3.4) as figure:
        panel = figure.subplots()
        panel.bar(words, suggestion.observed, color="#d5d9dc", width=0.9, label="blocks")
        panel.plot(words, short, color="#c8553d", label="short text")
        panel.plot(words, long, color="#0b6e99", label="long text")
        panel.plot(words, short + long, color="#333333", linewidth=0.9, label="both")
        crossing = suggestion.words
        if crossing and crossing <= DRAWN_WORDS:
            panel.axvline(crossing, **DASHED)
            panel.annotate(
                f" {suggestion.cleaner}",
                (crossing, 0.97),
                xycoords=("data", "axes fraction"),
                va="top",
                color="#555555",
            )
        seen = [share for share in suggestion.observed if share > 0]
        panel.set_yscale("log")
        panel.set_ylim(min(seen, default=1e-4) / 2, 1)
        panel.set_xlabel("words of a block")
        panel.set_ylabel("share of the blocks")
        panel.legend(frameon=False, loc="upper right")  # finding the best place takes long
        open_frame(panel, grid="")
        figure.tight_layout()


def _added(one: IntArray, other: IntArray) -> IntArray:
    """Add two histograms."""
    total = np.zeros(max(len(one), len(other)), dtype=np.int64)
    total[: len(one)] += one
    total[: len(other)] += other
    return total
