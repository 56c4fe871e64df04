"""The first screen of the report: which cleaner, how sure, at what cost."""

from dataclasses import dataclass

from boilersweep.eval.report.about import about
from boilersweep.eval.report.wording import count, p_equals, score, share, signed, signed_interval
from boilersweep.eval.study.advice import why_not_weighted
from boilersweep.eval.study.choice import Choice
from boilersweep.eval.study.noise import within_noise
from boilersweep.eval.study.results import Result, Study, StudyRow, Verdict
from boilersweep.eval.study.tables import size_text

_GAINS: dict[Verdict | None, str] = {
    "significant": "a statistically significant gain",
    "unconfirmed": "a gain that held-out topics do not confirm",
    "not significant": "a gain that is not statistically significant",
    None: "a gain that was not tested",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """A question, its answer in large, and what else to know."""

    question: str
    answer: str
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """verb and cleaner: the headline. about: what the cleaner is. lede: one sentence. noise: what
    is as good, if anything.

    command: builds the index to deploy, None where nothing was chosen.
    """

    verb: str
    cleaner: str
    about: list[str]
    lede: str
    noise: str | None
    facts: list[Fact]
    command: str | None


def answer_of(study: Study) -> Answer:
    """Put what was chosen into words; without a choice what is best, and why that says less."""
    return Answer(
        verb="Index with" if study.choice else "Best here:",
        cleaner=str(study.chosen.variant),
        about=about(study, study.chosen),
        lede=_lede(study),
        noise=" ".join(filter(None, (within_noise(study), why_not_weighted(study)))) or None,
        facts=[_gain(study), _certainty(study), _cost(study.chosen, study.baseline)],
        command=study.advice.command if study.advice else None,
    )


def _result(study: Study, row: StudyRow) -> Result:
    return row.results[study.tested[0]]


def _lede(study: Study) -> str:
    measure, topics = study.tested[0], count(len(study.topics), "topic")
    before, after = _result(study, study.baseline).mean, _result(study, study.chosen).mean
    if study.chosen is study.baseline:
        return f"No other cleaner has a better {measure} on the {topics}: {score(before)}."
    gain, baseline = _GAINS[study.verdict], study.baseline.variant
    if study.choice:
        after = study.choice.mean
        if after <= before:
            gain = "no gain at all"
        return (
            f"On topics that had no say in the choice {measure} goes from {score(before)} with "
            f"{baseline} to {score(after)}, {gain}."
        )
    return (
        f"On {topics} {measure} goes from {score(before)} with {baseline} to {score(after)}, "
        f"{gain}. It was picked by the topics it is scored on, which flatters it; compare "
        "--choose tells what such a choice is worth."
    )


def _gain(study: Study) -> Fact:
    measure, choice = study.tested[0], study.choice
    level = f"{study.statistics.level:.0%} interval"
    result = _result(study, study.chosen)
    difference = result.difference
    notes = []
    if choice:
        answer = signed(choice.gain)
        notes = [
            f"{level} {signed_interval(choice.gain_interval)}",
            "on held-out topics, by cross-validation",
        ]
        if difference:
            seen = signed(difference.mean)
            flatters = difference.mean > choice.gain and seen != answer
            notes.append(
                f"{seen} on the topics it was chosen by{', which flatters' if flatters else ''}"
            )
    elif difference:
        answer = signed(difference.mean)
        notes = [f"{level} {signed_interval(difference.interval)}"]
    else:
        answer = signed(0.0)
    if result.closed is not None and study.chosen is not study.baseline:
        closed = f"{share(result.closed, 0)} of the way to the gold text"
        if result.closed_interval:
            low, high = (share(end, 0) for end in result.closed_interval)
            closed += f" ({low} to {high})"
        notes.append(closed)
    return Fact(f"How much better, {measure}", answer, notes)


def _certainty(study: Study) -> Fact:
    row, baseline = study.chosen, study.baseline
    difference = _result(study, row).difference
    if difference is None:
        return Fact("How sure", "nothing to test", [])
    notes = []
    if difference.tests:
        notes.append(
            f"p {p_equals(difference.tests.decisive)} after Holm\u2019s correction for "
            f"{study.statistics.comparisons:,} comparisons"
        )
        if difference.tests.is_near:
            notes.append("within the error of its draws: others could tell otherwise")
    if study.verdict == "unconfirmed":
        notes.append("the interval of the held-out gain includes zero")
    if difference.effect is not None:
        notes.append(f"{signed(difference.effect, 2)} standard deviations over topics")
    outcomes = difference.outcomes
    notes.append(
        f"{count(outcomes.wins, 'topic')} better, {outcomes.losses:,} worse, "
        f"{outcomes.ties:,} the same"
    )
    if study.choice:
        notes.append(_votes(study, study.choice))
    if "Judged@10" in row.results:
        before, after = (one.results["Judged@10"].mean for one in (baseline, row))
        if after < before - 0.01:
            notes.append(
                f"its top 10 is judged less ({share(after, 0)}; {share(before, 0)} before), "
                "so the gain may be larger"
            )
    return Fact("How sure", study.verdict or "not tested", notes)


def _votes(study: Study, choice: Choice) -> str:
    """How many folds chose the same, and what the others did."""
    votes = dict(choice.votes)
    text = f"{votes.pop(choice.chosen, 0)} of {len(choice.folds)} folds chose the same"
    others = [f"{folds} {study.rows[other].variant}" for other, folds in votes.items()]
    return f"{text}; {', '.join(others)}" if others else text


def _cost(row: StudyRow, baseline: StudyRow) -> Fact:
    empty, documents = row.empty or 0, row.documents or 0
    notes = [f"{empty:,} of {count(empty + documents, 'document')} left empty"]
    if row.index and baseline.index:
        notes.insert(0, f"index {size_text(row.index)} for {size_text(baseline.index)}")
    if row.losses:
        notes[-1] += f", {row.losses.relevant_empty:,} relevant"
        if row.losses.terms_lost is not None:
            notes.append(
                f"{share(row.losses.terms_lost)} of the topics\u2019 terms lost from relevant "
                "documents"
            )
    kept = row.tokens_kept
    size = size_text(row.index) if row.index else "unknown"
    answer = f"{share(kept, 0)} kept" if kept is not None else size
    return Fact("At what cost, of the tokens", answer, notes)
