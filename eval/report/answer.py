"""The first screen of the report: which cleaner, how sure, at what cost."""

from dataclasses import dataclass
from typing import Any

from boilersweep.eval.report.selection import StudyDocument, chosen_place
from boilersweep.eval.report.wording import (
    count,
    megabytes,
    p_equals,
    score,
    share,
    signed,
    signed_interval,
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A question, its answer in large, and what else to know."""

    question: str
    answer: str
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """verb and cleaner: the headline. lede: one sentence. sure: the verdict holds.

    command: builds the index to deploy, None where nothing was chosen.
    """

    verb: str
    cleaner: str
    lede: str
    sure: bool
    facts: list[Fact]
    command: str | None


def answer_of(study: StudyDocument) -> Answer:
    """Put what was chosen into words; without a choice what is best, and why that says less."""
    place = chosen_place(study)
    variant = study["variants"][place]
    sure = _is_sure(study, place)
    return Answer(
        verb="Index with" if study["choice"] else "Best here:",
        cleaner=variant["cleaner"],
        lede=_lede(study, place, sure),
        sure=sure,
        facts=[_gain(study, place), _certainty(study, place, sure), _cost(study, place)],
        command=study["advice"]["command"] if study["advice"] else None,
    )


def _is_sure(study: StudyDocument, place: int) -> bool:
    """Whether held-out topics and the corrected test of the chosen one agree."""
    p = _corrected_p(study, place)
    if p is None or p >= study["statistics"]["significant"]:
        return False
    return study["choice"] is None or bool(study["choice"]["gain_interval"][0] > 0)


def _corrected_p(study: StudyDocument, place: int) -> float | None:
    difference = _result(study, place)["difference"]
    tests = difference and difference["tests"]
    return tests["randomisation_holm"] if tests else None


def _result(study: StudyDocument, place: int) -> dict[str, Any]:
    result: dict[str, Any] = study["variants"][place]["results"][study["measures"]["tested"][0]]
    return result


def _lede(study: StudyDocument, place: int, sure: bool) -> str:
    measure, topics = study["measures"]["tested"][0], count(len(study["topics"]), "topic")
    baseline = study["variants"][0]["cleaner"]
    if place == 0:
        mean = score(_result(study, 0)["mean"])
        return f"No other cleaner has a better {measure} on the {topics}: {mean}."
    before, after = _result(study, 0)["mean"], _result(study, place)["mean"]
    verdict = "a gain that is hardly chance" if sure else "a gain that may be chance"
    if study["choice"]:
        after = study["choice"]["mean"]
        if after <= before:
            verdict = "no gain at all"
        return (
            f"On topics that had no say in the choice {measure} goes from {score(before)} with "
            f"{baseline} to {score(after)}, {verdict}."
        )
    return (
        f"On {topics} {measure} goes from {score(before)} with {baseline} to {score(after)}, "
        f"{verdict}. It was picked by the topics it is scored on, which flatters it; compare "
        "--choose tells what such a choice is worth."
    )


def _gain(study: StudyDocument, place: int) -> Fact:
    measure, choice = study["measures"]["tested"][0], study["choice"]
    level = f"{study['statistics']['level']:.0%} interval"
    difference = _result(study, place)["difference"]
    notes = []
    if choice:
        answer = signed(choice["gain"])
        notes = [
            f"{level} {signed_interval(choice['gain_interval'])}",
            "on held-out topics, by cross-validation",
        ]
        if difference:
            notes.append(
                f"{signed(difference['mean'])} on the topics it was chosen by, which flatters"
            )
    elif difference:
        answer = signed(difference["mean"])
        notes = [f"{level} {signed_interval(difference['interval'])}"]
    else:
        answer = signed(0.0)
    closed = _result(study, place)["closed"]
    if closed is not None and place:
        notes.append(f"{share(closed, 0)} of the way to the gold text")
    return Fact(f"How much better, {measure}", answer, notes)


def _certainty(study: StudyDocument, place: int, sure: bool) -> Fact:
    choice, p = study["choice"], _corrected_p(study, place)
    difference = _result(study, place)["difference"]
    if place == 0 or difference is None:
        return Fact("How sure", "nothing to test", [])
    answer = "hardly chance" if sure else "may be chance"
    notes = []
    if p is not None:
        notes.append(
            f"p {p_equals(p)}, corrected for {study['statistics']['comparisons']:,} comparisons"
        )
    notes.append(
        f"{count(difference['wins'], 'topic')} better, {difference['losses']:,} worse, "
        f"{difference['ties']:,} the same"
    )
    if choice:
        notes.append(_votes(study, place))
    judged = [study["variants"][n]["results"].get("Judged@10", {}).get("mean") for n in (0, place)]
    if None not in judged and judged[1] < judged[0] - 0.01:
        notes.append(
            f"its top 10 is judged less ({share(judged[1], 0)}; {share(judged[0], 0)} before), "
            "so the gain may be larger"
        )
    return Fact("How sure", answer, notes)


def _votes(study: StudyDocument, place: int) -> str:
    """How many folds chose the same, and what the others did."""
    choice = study["choice"]
    votes = dict(choice["votes"])
    text = f"{votes.pop(place, 0)} of {len(choice['folds'])} folds chose the same"
    others = [f"{folds} {study['variants'][other]['cleaner']}" for other, folds in votes.items()]
    return f"{text}; {', '.join(others)}" if others else text


def _cost(study: StudyDocument, place: int) -> Fact:
    variant, baseline = study["variants"][place], study["variants"][0]
    notes = [
        f"index {megabytes(variant['index'])} for {megabytes(baseline['index'])}",
        f"{variant['empty']:,} of {count(variant['empty'] + variant['documents'], 'document')} "
        "left empty",
    ]
    losses = variant["losses"]
    if losses:
        notes[1] += f", {losses['relevant_empty']:,} relevant"
        if losses["terms_lost"] is not None:
            notes.append(
                f"{share(losses['terms_lost'])} of the topics\u2019 terms lost from relevant "
                "documents"
            )
    kept = variant["tokens_kept"]
    answer = f"{share(kept, 0)} kept" if kept is not None else megabytes(variant["index"])
    return Fact("At what cost, of the tokens", answer, notes)
