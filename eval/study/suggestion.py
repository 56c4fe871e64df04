"""A threshold without judgements: where long text becomes likelier than short text.

Source: Kohlschütter et al., WSDM 2010, section 5.2. The blocks of a collection are a mixture of
short text (navigation, mostly boilerplate) and long text (mostly content), each with a geometric
number of words. Fitted to the collection's own blocks, the two cross at some number of words.
Likely boilerplate by this model can still matter for retrieval.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from msgspec import Struct

from boilersweep.errors import InputError
from boilersweep.eval.figures.drawing import DASHED
from boilersweep.outputs.figures import figure
from boilersweep.outputs.pictures import (
    ACCENT,
    GOLD,
    INK,
    LINE,
    Picture,
    Spec,
    axis,
    layer,
    tooltip,
)
from boilersweep.pages.columns import NOTHING, FloatArray, IntArray
from boilersweep.store.store import BlockStore

# The stops of short and of long text that the search starts from.
_STOPS = (np.geomspace(0.005, 0.98, 60), np.geomspace(0.002, 0.95, 60))


@dataclass(frozen=True, slots=True)
class Fit:
    """The goodness of a fit.

    r2 and r2_adjusted are NaN if all points are equal; r2_adjusted and rmse if there are no more
    points than parameters.

    Attributes:
        r2: 1 - SSE / SST.
        r2_adjusted: The same with both over their degrees of freedom.
        rmse: The root of SSE over its degrees of freedom.
        points: The number of fitted points.
    """

    r2: float
    r2_adjusted: float
    rmse: float
    points: int


@dataclass(frozen=True, slots=True)
class TwoClass:
    """A mixture of short and long text.

    If the blocks show only one kind of text, short_share is 1 or 0 or both stops are equal, and
    nothing separates the two: `crossing` is None.

    Attributes:
        short_share: P_N(S), the share of short text among the blocks.
        short_stop: P_S(N), the chance that short text ends after a word (Equation 3).
        long_stop: P_L(N), the chance that long text ends after a word.
        fit: The goodness of the fit.
    """

    short_share: float
    short_stop: float
    long_stop: float
    fit: Fit

    @property
    def crossing(self) -> int | None:
        """The least number of words at which a block is likelier long text than short.

        1 if this holds for any number; None if for none, or if one kind is missing.
        """
        short, long = (
            self.short_share * self.short_stop,
            (1 - self.short_share) * self.long_stop,
        )
        if short <= 0 or long <= 0 or self.long_stop >= self.short_stop:
            return None
        if self.short_stop >= 1:  # short text has one word
            return 2 if short >= long else 1
        # long * (1 - long_stop)^(x - 1) > short * (1 - short_stop)^(x - 1)
        fall = math.log1p(-self.long_stop) - math.log1p(-self.short_stop)
        return max(1, 1 + math.floor(math.log(short / long) / fall) + 1)

    def short(self, words: IntArray) -> FloatArray:
        """Return the proportions of blocks that are short text and have so many words."""
        return self.short_share * geometric(words, self.short_stop)

    def long(self, words: IntArray) -> FloatArray:
        """Return the proportions of blocks that are long text and have so many words."""
        return (1 - self.short_share) * geometric(words, self.long_stop)


def fit_two_class(histogram: IntArray) -> TwoClass:
    """Fit the mixture of short and long text (Equation 3).

    The search starts from a grid of both stops, with the best share for each, so every call gives
    the same result.

    Args:
        histogram: Entry x is the number of blocks with x words; entry 0 is ignored.

    Raises:
        InputError: There is no block.
    """
    from scipy.optimize import minimize

    words, observed = proportions(histogram)
    shorts = np.array([geometric(words, stop) for stop in _STOPS[0]])
    longs = np.array([geometric(words, stop) for stop in _STOPS[1]])
    best = (math.inf, 0.0, 0.0)
    for short_stop, short in zip(_STOPS[0], shorts, strict=True):
        for long_stop, long in zip(_STOPS[1], longs, strict=True):
            if long_stop < short_stop:
                error = _squared_error(observed, short, long)
                best = min(best, (error, short_stop, long_stop))

    def error_of(stops: FloatArray) -> float:
        short, long = (geometric(words, stop) for stop in stops.tolist())
        return _squared_error(observed, short, long)

    fitted = minimize(
        error_of,
        best[1:],
        method="Nelder-Mead",
        bounds=((1e-6, 1), (1e-6, 1)),
        options={"xatol": 1e-7, "fatol": 1e-14, "maxiter": 2000},
    )
    long_stop, short_stop = sorted(fitted.x.tolist())
    short, long = geometric(words, short_stop), geometric(words, long_stop)
    share = _best_share(observed, short, long)
    fit = goodness(observed, share * short + (1 - share) * long, 3)
    return TwoClass(share, short_stop, long_stop, fit)


def proportions(histogram: IntArray) -> tuple[IntArray, FloatArray]:
    """Return the numbers of words that blocks have, and the share of blocks with each.

    Args:
        histogram: Entry x is the number of blocks with x words; entry 0 is ignored.

    Raises:
        InputError: There is no block.
    """
    words = (
        np.flatnonzero(histogram[1:]) + 1
        if len(histogram)
        else np.zeros(0, dtype=np.int64)
    )
    if not len(words):
        raise InputError(
            "a model of the numbers of words needs blocks with words; there are none"
        )
    counts = histogram[words].astype(np.float64)
    return words, counts / float(counts.sum())


def geometric(words: IntArray, stop: float) -> FloatArray:
    """Return how likely a block has each number of words, if it ends after a word by `stop`."""
    chances: FloatArray = stop * np.power(1 - stop, words - 1.0)
    return chances


def _best_share(observed: FloatArray, short: FloatArray, long: FloatArray) -> float:
    """Return the share of `short`, from 0 to 1, with the least squared error."""
    apart = short - long
    weight = float(apart @ apart)
    return (
        min(max(float((observed - long) @ apart) / weight, 0.0), 1.0) if weight else 1.0
    )


def _squared_error(observed: FloatArray, short: FloatArray, long: FloatArray) -> float:
    """Return the squared error of the mixture with the best share of `short`."""
    share = _best_share(observed, short, long)
    return float(((observed - share * short - (1 - share) * long) ** 2).sum())


def goodness(observed: FloatArray, fitted: FloatArray, parameters: int) -> Fit:
    """Return how well a curve with some fitted parameters describes (n,) observed values."""
    points = len(observed)
    errors = float(((observed - fitted) ** 2).sum())
    total = float(((observed - observed.mean()) ** 2).sum())
    free = points - parameters
    per_degree = errors / free if free > 0 else np.nan
    return Fit(
        r2=1 - errors / total if total > 0 else np.nan,
        r2_adjusted=1 - per_degree * (points - 1) / total if total > 0 else np.nan,
        rmse=float(np.sqrt(per_degree)),
        points=points,
    )


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
        fit = (
            ""
            if self.r2_adjusted is None
            else f" (adjusted R2 {figure(self.r2_adjusted)})"
        )
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
    drawn = _added(np.zeros(DRAWN_WORDS + 1, dtype=np.int64), histogram)[
        1 : DRAWN_WORDS + 1
    ]
    crossing = model.crossing
    fit = (model.fit.r2_adjusted, model.fit.rmse)
    r2_adjusted, rmse = (None if math.isnan(one) else one for one in fit)
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


def mixture_chart(suggestion: Suggestion) -> Spec:
    """Return a chart of blocks by words, both kinds of text, and their crossing."""
    short, long = np.array(suggestion.short), np.array(suggestion.long)
    shares = {
        "seen": suggestion.observed,
        "short text": suggestion.short,
        "long text": suggestion.long,
        "both": (short + long).tolist(),
    }
    rows = [
        {"words": words, "share": share, "kind": kind, "text": figure(share)}
        for kind, by_words in shares.items()
        for words, share in enumerate(by_words, start=1)
        if share > 0  # the scale has no zero
    ]
    least = min((share for share in suggestion.observed if share > 0), default=1e-4) / 2
    x = axis("words", "words of a block", axis={"grid": False}, scale={"nice": False})
    scale = {"type": "log", "domain": [least, 1], "nice": False}
    y = axis("share", "share of the blocks", scale=scale, axis={"grid": False})
    of_kind = dict(zip(shares, (LINE, GOLD, ACCENT, INK), strict=True))
    drawn_kinds = list(dict.fromkeys(row["kind"] for row in rows))
    colours = {"domain": drawn_kinds, "range": [of_kind[k] for k in drawn_kinds]}
    kind = {"field": "kind", "type": "nominal", "title": None, "scale": colours}
    shown = tooltip({"words": "words", "kind": "", "text": "share"})
    drawn = {"x": x, "y": y, "color": kind, "tooltip": shown}
    layers = [
        layer(
            {"type": "bar", "clip": True},
            [row for row in rows if row["kind"] == "seen"],
            **drawn,
            y2={"datum": least},
        ),
        layer(
            {"type": "line", "clip": True},
            [row for row in rows if row["kind"] != "seen"],
            **drawn,
        ),
    ]
    crossing = suggestion.words
    if crossing and crossing <= DRAWN_WORDS:
        at = [{"words": crossing, "cleaner": suggestion.cleaner}]
        name = {"type": "text", "align": "left", "dx": 4, "dy": 8, "color": INK}
        layers += [
            layer({"type": "rule", **DASHED}, at, x=x),
            layer(name, at, x=x, y={"value": 0}, text={"field": "cleaner"}),
        ]
    return {"layer": layers}


def draw_mixture(suggestion: Suggestion, stem: Path) -> list[Path]:
    """Draw `<stem>.svg` and `<stem>.png` and return them; raises OutputError."""
    size = {"width": 440, "height": 240}
    return Picture({**size, **mixture_chart(suggestion)}).write(stem)


def _added(one: IntArray, other: IntArray) -> IntArray:
    """Add two histograms."""
    total = np.zeros(max(len(one), len(other)), dtype=np.int64)
    total[: len(one)] += one
    total[: len(other)] += other
    return total
