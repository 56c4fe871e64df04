"""A claim about these queries: a program predicts, people audit, whatever the program does."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from boilersweep.eval.assess.audit import (
    AuditedFamily,
    Population,
    bet,
    least_and_most,
    share_right,
)
from boilersweep.eval.stats.families import THESE, parse_summed_measure

LINE = math.log(2 / 0.05)
ZERO = np.zeros(1)

# Made-up queries: 12 documents decide each, half of them found by one cleaner.
SIGNS = np.tile([1.0, -1.0], 60) / 10
Relevance = Callable[[np.random.Generator], np.ndarray]


def population(
    weights: np.ndarray, grades: np.ndarray, prior: tuple[float, ...] = (0.15, 0.85)
) -> Population:
    """Return a population where each grade and sign is a class."""
    classes = grades.astype(int) * 2 + (weights > 0)
    return Population(weights, classes, np.repeat(prior, 2), 1.0)


def first_claim(of: Population, gains: np.ndarray) -> tuple[int, int]:
    """Return after how many documents the sign is certain, and the sign (0 if never)."""
    wealth = bet(of, gains[:, None], gains[:, None], ZERO)
    signs = (1, wealth.larger[:, 0]), (-1, wealth.smaller[:, 0])
    found = [(int(np.argmax(w >= LINE)), s) for s, w in signs if (w >= LINE).any()]
    return min(found, default=(len(gains), 0))


def ties(chance: np.random.Generator) -> np.ndarray:
    """As many relevant documents on both sides: no difference."""
    gains = np.zeros(len(SIGNS))
    for sign in (1, -1):
        side = np.flatnonzero(SIGNS * sign > 0)
        gains[chance.choice(side, 24, replace=False)] = 1
    return gains


def slightly_worse(chance: np.random.Generator) -> np.ndarray:
    gains = ties(chance)
    gains[np.flatnonzero((SIGNS > 0) & (gains > 0))[:2]] = 0
    return gains


def right_in(share: float) -> Callable[..., np.ndarray]:
    def judge(gains: np.ndarray, chance: np.random.Generator) -> np.ndarray:
        return np.where(chance.random(len(gains)) < share, gains, 1 - gains)

    return judge


def lenient(gains: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Accept 40 % of what is not relevant."""
    rates = np.where(gains > 0, 0.98, 0.4)
    return (chance.random(len(gains)) < rates).astype(float)


def for_one_side(gains: np.ndarray, _: np.random.Generator) -> np.ndarray:
    """Accept all that one cleaner found and nothing of the other."""
    accepted: np.ndarray = (SIGNS > 0).astype(float) + 0 * gains
    return accepted


def by_topic(gains: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Be wrong about all documents of some queries."""
    wrong = np.repeat(chance.random(len(gains) // 12) < 0.3, 12)
    return np.where(wrong, 1 - gains, gains)


def opposite(gains: np.ndarray, _: np.random.Generator) -> np.ndarray:
    return 1 - gains


PROGRAMS = [right_in(0.8), right_in(0.5), lenient, for_one_side, by_topic, opposite]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("truth", [ties, slightly_worse], ids=lambda one: one.__name__)
def test_no_program_brings_more_false_claims_than_are_allowed(
    program: Callable[..., np.ndarray], truth: Relevance
) -> None:
    chance, false, reps = np.random.default_rng(73), 0, 400
    for _ in range(reps):
        gains = truth(chance)
        grades = program(gains, chance)
        order = chance.permutation(len(SIGNS))
        of = population(SIGNS[order], grades[order])
        _, sign = first_claim(of, gains[order])
        false += sign > 0 or (sign < 0 and truth is ties)
    # .05 are allowed; at .05 the count exceeds 36 with a probability of 2 in 1,000.
    assert false <= 36


def test_the_wealth_is_a_supermartingale() -> None:
    # Whatever is drawn next, the mean wealth over all orders of 6 documents is at most 1.
    from itertools import permutations

    weights = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    gains = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    grades = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
    wealths = []
    for order in map(list, permutations(range(6))):
        one = bet(
            population(weights[order], grades[order]),
            gains[order][:4, None],
            gains[order][:4, None],
            ZERO,
        )
        wealths.append(np.exp(np.stack([one.larger, one.smaller])[:, :, 0]))
    mean = np.mean(wealths, axis=0)
    assert mean[:, 0] == pytest.approx([1, 1])
    assert (mean <= 1 + 1e-9).all()
    assert mean.min() > 0.5


def test_a_better_program_needs_fewer_judgements() -> None:
    chance = np.random.default_rng(1)
    needed: dict[float, list[int]] = {0.0: [], 0.8: [], 0.95: []}
    for _ in range(60):
        gains = (chance.random(len(SIGNS)) < np.where(SIGNS > 0, 0.7, 0.3)).astype(
            float
        )
        order = chance.permutation(len(SIGNS))
        for share, counts in needed.items():
            if share:
                grades = right_in(share)(gains, chance)
                of = population(SIGNS[order], grades[order])
            else:
                of = population(SIGNS[order], 0 * gains, (0.5,))
            count, sign = first_claim(of, gains[order])
            assert sign == 1
            counts.append(count)
    alone, good, better = (float(np.median(one)) for one in needed.values())
    assert better < good < alone < 60


def test_intervals_cover_and_shrink() -> None:
    chance, missed = np.random.default_rng(5), 0
    for _ in range(100):
        gains = (chance.random(len(SIGNS)) < np.where(SIGNS > 0, 0.6, 0.4)).astype(
            float
        )
        order = chance.permutation(len(SIGNS))
        of = population(SIGNS[order], right_in(0.8)(gains, chance)[order])
        given = gains[order]
        low, high = least_and_most(of, given[:50], given[:50], 0.05)
        missed += not low <= SIGNS @ gains <= high
        inner = least_and_most(of, given[:90], given[:90], 0.05)
        assert inner[1] - inner[0] < high - low
    assert missed <= 10
    whole = least_and_most(of, given, given, 0.05)
    assert whole == pytest.approx([SIGNS @ gains] * 2)


@pytest.mark.parametrize("count", [0, 1])
def test_one_document_and_none(count: int) -> None:
    of = population(np.full(count, 0.1), np.ones(count))
    gains = np.ones(count)
    # All are judged, and what is judged is known.
    assert first_claim(of, gains) == ((1, 1) if count else (0, 0))
    low, high = least_and_most(of, gains, gains, 0.05)
    assert low <= 0.1 * count <= high


def test_share_of_right_grades() -> None:
    assert share_right([], 40)[1:] == (0, 1)
    share, low, high = share_right([(1.0, 1.0)] * 9 + [(0.0, 0.0)], 40)
    assert share == pytest.approx(0.9)
    assert 0.4 < low < 0.9 < high <= 1
    assert share_right([(0.0, 1.0)] * 10, 40)[1:] == (0, 1)  # nobody could tell


TOPICS = [f"t{number:02}" for number in range(40)]


def family(names: str = "ab", **given: object) -> AuditedFamily:
    """Return a family where b finds two relevant documents more than a, and c is nearly a."""
    runs = {
        "a": {t: ["x", f"n1-{t}", "n2", "n3"] for t in TOPICS},
        "b": {t: ["x", f"r1-{t}", "r2", "n3"] for t in TOPICS},
        "c": {t: ["x", f"n1-{t}", "n2", "n4"] for t in TOPICS},
    }
    chosen = {name: runs[name] for name in names}
    return AuditedFamily(chosen, TOPICS, parse_summed_measure("P@4"), **given)  # type: ignore[arg-type]


def grade(docid: str) -> tuple[int, int]:
    return (1, 1) if docid.startswith(("r", "x")) else (0, 0)


def judge(
    found: AuditedFamily, most: int = 200
) -> dict[str, dict[str, tuple[int, int]]]:
    """Judge in the order of the audit until nothing is open, or `most` documents are judged."""
    grades: dict[str, dict[str, tuple[int, int]]] = {}
    for _ in range(most):
        pairs = found.open_pairs(found.conclusions(grades))
        wanted = found.next_documents(grades, pairs, rest=False)
        if not wanted:
            break
        topic, docid = wanted[0]
        grades.setdefault(topic, {})[docid] = grade(docid)
    return grades


def test_an_audit_of_a_pair_becomes_certain() -> None:
    predicted = {one: grade(one[1])[0] for one in family().order}
    alone, audited = family(), family(predicted=predicted)
    counts = [sum(map(len, judge(one).values())) for one in (alone, audited)]
    assert 5 < counts[1] < counts[0] < 40
    [conclusion] = audited.conclusions(judge(audited))
    assert conclusion.claim == THESE
    assert conclusion.order == ("b", "a")
    assert conclusion.text.endswith(": certain for these queries")
    assert conclusion.low >= 0
    assert conclusion.low <= 0.5 <= conclusion.high
    assert "these 40 queries alone" in audited.about


def test_three_cleaners_and_holm() -> None:
    found = family("abc")
    grades = judge(found)
    certain = {one.order for one in found.conclusions(grades) if one.certain}
    assert certain == {("b", "a"), ("b", "c")}
    assert found.open_pairs(found.conclusions(grades)) == []
    levels = [one.confidence for one in found.conclusions(grades)]
    assert all(level >= 0.95 for level in (levels[0], levels[2]))


def test_the_order_is_that_of_the_key_alone() -> None:
    found = family(key="1 1 model")
    order = found.order
    assert order != family(key="2 1 model").order
    assert {*order} == {*family(key="2 1 model").order}
    grades = judge(found, 9)
    left = found.next_documents(grades, found.pairs, rest=False)
    assert left == order[9:]
    again = family("ba", key="1 1 model")
    assert again.order == order


def test_what_is_passed_over_counts_as_the_worst() -> None:
    found = family(key="k")
    first, second = found.order[:2]
    grades = {topic: {docid: grade(docid)} for topic, docid in [second]}
    [skipped] = found.conclusions(grades)
    unsure = {**{t: dict(g) for t, g in grades.items()}}
    unsure.setdefault(first[0], {})[first[1]] = (0, 3)
    [told] = found.conclusions(unsure)
    assert skipped == told
    assert skipped.topics == 2
    # It comes back at once, and then its grade counts
    assert found.next_documents(grades, found.pairs)[0] == first
    sure = judge(found)
    late = {
        t: {d: g for d, g in known.items() if (t, d) != first}
        for t, known in sure.items()
    }
    [with_gap], [whole] = found.conclusions(late), found.conclusions(sure)
    assert with_gap.evidence < whole.evidence == 1


def test_what_was_judged_before_is_known_and_out_of_the_order() -> None:
    before = family().order[:6]
    found = family(before=frozenset(before))
    assert not {*before} & {*found.order}
    grades: dict[str, dict[str, tuple[int, int]]] = {}
    for topic, docid in before:
        grades.setdefault(topic, {})[docid] = grade(docid)
    [known], [unknown] = found.conclusions(grades), found.conclusions({})
    assert known.topics == unknown.topics == 0
    assert known.high - known.low < unknown.high - unknown.low
    assert known.evidence == 0  # no bet was made on them


def test_a_tie_is_never_certain() -> None:
    found = family("ac")
    grades = judge(found)
    [conclusion] = found.conclusions(grades)
    assert sum(map(len, grades.values())) == len(found.order)
    assert not conclusion.certain
    assert conclusion.low < 0 < conclusion.high
    assert math.isinf(conclusion.more[1])


def test_one_topic_with_one_document() -> None:
    runs = {"a": {"t": ["n"]}, "b": {"t": ["r"]}}
    found = AuditedFamily(runs, ["t"], parse_summed_measure("P@1"))
    [open_one] = found.conclusions({})
    assert not open_one.certain
    [certain] = found.conclusions({"t": {"r": (1, 1), "n": (0, 0)}})
    assert certain.order == ("b", "a")
    assert certain.certain


def test_graded_measures() -> None:
    found = AuditedFamily(family().runs, TOPICS, parse_summed_measure("DCG@4"))
    [conclusion] = found.conclusions(judge(found))
    assert conclusion.certain
    assert conclusion.order == ("b", "a")


def test_the_course_ends_at_what_is_certain_now() -> None:
    found = family(key="k")
    grades = judge(found)
    judged = [one for one in found.order if one[1] in grades.get(one[0], {})]
    course = found.course(grades, judged)
    [conclusion] = found.conclusions(grades)
    assert course[len(judged)] == pytest.approx(conclusion.confidence)
    assert max(course) == len(judged)
    assert course[1] < 0.5


def test_judgements_to_come_are_estimated() -> None:
    found = family(predicted={one: grade(one[1])[0] for one in family().order})
    low, middle, high = found.conclusions({})[0].more
    needed = sum(map(len, judge(found).values()))
    assert needed / 2 <= middle <= 2 * needed
    assert low <= middle <= high
