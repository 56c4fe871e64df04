"""What is as good as the chosen cleaner for all that the topics tell, in words."""

from collections.abc import Iterable

from boilersweep.eval.study.results import Study
from boilersweep.eval.study.tables import and_so_on

_MOST_NAMES = 5


def within_noise(study: Study) -> str | None:
    """Which cleaners the test does not tell apart from the chosen one by the first measure.

    Whether the baseline is among them is the study's verdict, of another correction. None where
    nothing else was compared.
    """
    pairs, measure = study.pairs, study.tested[0]
    chosen = study.rows.index(study.chosen)
    others = len({*pairs.rows} - {0, chosen}) if pairs else 0
    if pairs is None or not others:
        return None
    count = len(study.topics)
    topics = f"these {count:,} topics" if count > 1 else "this one topic"
    peers = [place for place in pairs.peers(measure, chosen) if place]
    if not peers:
        what = f"each of the {others:,} others" if others > 1 else "the other cleaner"
        return f"On {topics} {what} that it was compared with in pairs is told apart from it."
    peers.sort(key=lambda place: (-study.rows[place].results[measure].mean, place))
    names = [str(study.rows[place].variant) for place in peers]
    if len(names) > _MOST_NAMES:
        names[_MOST_NAMES - 1 :] = [f"{len(names) - _MOST_NAMES + 1:,} more"]
    are = "are" if len(peers) > 1 else "is"
    text = f"{and_so_on(names)} {are} within noise of it on {topics}."
    found = [pairs.of(measure, chosen, place) for place in peers]
    alone = _range(pair.difference.detectable for pair in found)
    corrected = _range(pair.detectable_corrected for pair in found)
    if not alone or not corrected:
        return text
    return (
        f"{text} The smallest difference in {measure} that they would show is {corrected} among "
        f"the {pairs.comparisons:,} pairs and measures tested here, {alone} if it were tested "
        "alone."
    )


def _range(values: Iterable[float | None]) -> str:
    """From the least to the largest; nothing where there is none."""
    known = sorted(f"{value:.3f}" for value in values if value is not None)
    if not known:
        return ""
    return known[0] if known[0] == known[-1] else f"{known[0]} to {known[-1]}"
