"""Made-up rows of a frame."""

from collections.abc import Mapping, Sequence
from typing import Any

from boilersweep.cleaners.syntax.variants import Sweep, Variant
from boilersweep.eval.stats.frames import Result, Row, points_of


def row_of(
    variant: Variant,
    means: Mapping[str, float],
    counts: tuple[int, int, int] = (1, 0, 1),
    sweeps: Sequence[Sweep] = (),
    **more: Any,
) -> Row:
    """Return a row: measure -> mean; counts of documents, empty ones and tokens."""
    ((feature, threshold),) = points_of([variant], sweeps)
    documents, empty, tokens = counts
    return Row(
        name=variant.name,
        cleaner=str(variant),
        role="cleaner" if feature is None else "swept",
        feature=feature,
        threshold=threshold,
        documents=documents,
        empty=empty,
        tokens=tokens,
        results={measure: Result(mean=mean) for measure, mean in means.items()},
        **more,
    )
