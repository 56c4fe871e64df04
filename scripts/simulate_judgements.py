"""Simulate assessors who stop as soon as a comparison is certain.

    python scripts/simulate_judgements.py --runs FOLDER --qrels QRELS --cleaners A,B,... \
        [--assessors 200] [--together] [--figure STEM]

FOLDER contains TREC runs, such as those that `boilersweep compare` writes to OUT/runs. For every
cleaner against the first it prints: the judgements for a certain answer (median); those of an
assessor who judges whole topics of the pool, in the same order; those of one who judges the pool
in a random order; how often the test was wrong, on topics drawn with replacement; how often it
found a difference if the sign of each topic's difference is random; how often the sequence of
intervals covered the mean after every topic; how many claims were withdrawn later; and how often
the estimate of judgements to come was right within a factor of two, and its range contained them.

With --figure it draws the shares of assessors with an answer into STEM.svg and STEM.png.

With --together all cleaners are compared at once, as `boilersweep assess` does, until the best is
certain.
"""

import argparse
import random
import statistics
from itertools import compress
from pathlib import Path
from unittest.mock import patch

from boilersweep.eval.ranking.runs import read_run
from boilersweep.eval.stats.betting import BettingTest
from boilersweep.eval.stats.families import (
    ALPHA,
    BOUND,
    Family,
    difference_bounds,
    parse_summed_measure,
)
from boilersweep.outputs.pictures import MUTED, Picture, layer, lines
from boilersweep.topics import read_qrels


def run_parser(manual: str) -> argparse.ArgumentParser:
    """Return a parser of the options that name runs, their judgements and the measure."""
    parser = argparse.ArgumentParser(description=manual.split("\n")[0])
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--qrels", required=True)
    parser.add_argument("--cleaners", required=True)
    parser.add_argument("--measure", default="P@10")
    return parser


def read_runs(folder: Path, names: list[str]) -> dict[str, dict[str, list[str]]]:
    """Return the runs of some cleaners: cleaner -> topic -> docids, best first."""
    return {
        name: {
            topic: [docid for docid, _ in hits]
            for topic, hits in read_run(folder / f"{name}.trec").items()
        }
        for name in names
    }


def main() -> None:
    parser = run_parser(__doc__)
    parser.add_argument("--assessors", type=int, default=200)
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--figure", type=Path)
    args = parser.parse_args()
    grades = read_qrels(args.qrels).grades
    measure = parse_summed_measure(args.measure)
    names = args.cleaners.split(",")
    runs = read_runs(args.runs, names)
    if args.together:
        # Nobody reads the estimates here, and they would take most of the time.
        with patch.object(BettingTest, "topics_needed", return_value=(0.0, 0.0, 0.0)):
            compare_together(
                Family(runs, sorted(grades), measure), grades, args.assessors
            )
        return
    print(
        f"{'cleaner':24} {'diff.':>6} {'answer':>7} {'judged':>7} {'topics':>7} {'whole':>7} "
        f"{'random':>7} {'pool':>6} {'wrong':>7} {'null':>7} {'covers':>7} {'withdr.':>7} "
        f"{'est.':>5} {'range':>5}"
    )
    drawn = {}
    for name in names[1:]:
        pair = {one: runs[one] for one in (names[0], name)}
        drawn[name] = compare(
            Family(pair, sorted(grades), measure), grades, args.assessors
        )
    if args.figure:
        draw(drawn, args.assessors, args.figure)


def compare(
    family: Family, grades: dict[str, dict[str, int]], assessors: int
) -> list[list[float]]:
    """Print one row; the judgements of the assessors with an answer, in % of the pool.

    First for deciding documents alone, then for whole topics.
    """
    [pair] = family.pairs
    known = {t: {d: (g, g) for d, g in judged.items()} for t, judged in grades.items()}
    values, costs, pools = [], [], []
    for topic in family.topics:
        weights = family.weights[pair][topic]
        every = {docid: known[topic].get(docid, (0, 0)) for docid in weights}
        values.append(difference_bounds(weights, every, family.measure)[0])
        costs.append(len(weights))
        pools.append(len(family.pool(topic)))
    mean, count, pool = statistics.mean(values), len(values), sum(pools)
    bound = BOUND * family.measure.top
    judged, topics_needed, whole, shuffled = [], [], [], []
    answers: list[bool] = []
    wrong = false = covered = withdrawn = 0
    estimates: list[tuple[bool, bool]] = []
    for seed in range(assessors):
        chance = random.Random(seed)
        order = chance.sample(range(count), count)
        test, stopped = run_test(values, order, bound)
        answers.append(test.e_value >= 1 / ALPHA)
        judged.append(sum(costs[i] for i in order[:stopped]))
        whole.append(sum(pools[i] for i in order[:stopped]))
        topics_needed.append(stopped)
        shuffled.append(judge_in_random_order(family, pair, values, order, chance))
    for seed in range(5 * assessors):
        chance = random.Random(seed)
        order = chance.choices(range(count), k=count)  # topics of a large population
        test, _ = run_test(values, order, bound)
        wrong += test.e_value >= 1 / ALPHA and test.estimate * mean < 0
        no_difference = [values[one] * chance.choice((-1, 1)) for one in order]
        chance_test, _ = run_test(no_difference, list(range(count)), bound)
        false += chance_test.e_value >= 1 / ALPHA
        whole_test, first = run_test(values, order, bound, stop=False)
        low, high = whole_test.interval(ALPHA)
        covered += low <= mean <= high
        withdrawn += first < count and low < 0 < high
        if seed < assessors:
            estimates += judge_estimates(values, costs, order, bound)
    many = 5 * assessors
    print(
        f"{pair[1]:24} {mean:+6.3f} {sum(answers) / assessors:7.0%} "
        f"{statistics.median(judged):7.0f} {statistics.median(topics_needed):7.0f} "
        f"{statistics.median(whole):7.0f} "
        f"{statistics.median(shuffled):7.0f} {pool:6} {wrong / many:7.1%} {false / many:7.1%} "
        f"{covered / many:7.1%} {withdrawn:7} "
        f"{statistics.mean(close for close, _ in estimates or [(False, False)]):5.0%} "
        f"{statistics.mean(within for _, within in estimates or [(False, False)]):5.0%}"
    )
    return [
        [100 * count / pool for count in compress(counts, answers)]
        for counts in (judged, whole)
    ]


def run_test(
    values: list[float], order: list[int], bound: float, *, stop: bool = True
) -> tuple[BettingTest, int]:
    """Return the test, and after how many topics it was certain."""
    test, certain = BettingTest(bound), len(order)
    for number, one in enumerate(order, start=1):
        test.extend([(values[one], values[one])])
        if test.e_value >= 1 / ALPHA and certain == len(order):
            certain = number
            if stop:
                break
    return test, certain


def judge_estimates(
    values: list[float], costs: list[int], order: list[int], bound: float
) -> list[tuple[bool, bool]]:
    """Compare estimates of judgements to come with those that came, at every fifth topic.

    Returns:
        Whether an estimate was within a factor of two, and whether its range contained the truth;
        nothing where no answer came.
    """
    test, certain = run_test(values, order, bound)
    if test.e_value < 1 / ALPHA:
        return []
    found = []
    for number in range(5, certain, 5):
        test, _ = run_test(values, order[:number], bound, stop=False)
        needed = test.topics_needed(1 / ALPHA)
        each = sum(costs) / len(costs)
        low, middle, high = (topics * each for topics in needed)
        came = max(1, sum(costs[i] for i in order[number:certain]))
        found.append((came / 2 <= middle <= 2 * came, low <= came <= high))
    return found


def compare_together(
    family: Family, grades: dict[str, dict[str, int]], assessors: int
) -> None:
    """Judge as the page asks until the best is certain, or nothing decides; print one line."""
    scores = {
        name: statistics.mean(
            sum(
                grades[topic].get(docid, 0) > 0
                for docid in run.get(topic, ())[: family.measure.k]
            )
            for topic in family.topics
        )
        for name, run in family.runs.items()
    }
    best = max(scores, key=lambda name: scores[name])
    judged, wrong, withdrawn, decided = [], 0, 0, 0
    for seed in range(assessors):
        order = random.Random(seed).sample(family.topics, len(family.topics))
        drawn = Family(family.runs, order, family.measure)
        known: dict[str, dict[str, tuple[int, int]]] = {}
        claims: set[tuple[str, str]] = set()
        while True:
            conclusions = drawn.conclusions(known)
            now = {one.order for one in conclusions if one.certain}
            withdrawn += not claims <= now
            claims = now
            wanted = drawn.next_documents(
                known, drawn.open_pairs(conclusions), rest=False
            )
            if not wanted:
                break
            topic = wanted[0][0]
            for docid in (docid for one, docid in wanted if one == topic):
                grade = grades[topic].get(docid, 0)
                known.setdefault(topic, {})[docid] = (grade, grade)
        is_decided = not drawn.open_pairs(conclusions)
        decided += is_decided
        wrong += any(scores[better] < scores[worse] for better, worse in claims)
        judged.append(sum(map(len, known.values())))
    print(
        f"{len(family.runs)} cleaners together, best {best}: {decided / assessors:.0%} decided, "
        f"{statistics.median(judged):.0f} judgements (median), {wrong / assessors:.1%} with "
        f"a wrong claim, {withdrawn} claims withdrawn"
    )


def judge_in_random_order(
    family: Family,
    pair: tuple[str, str],
    values: list[float],
    order: list[int],
    chance: random.Random,
) -> int:
    """Judgements for the same answer by somebody who judges the pool in a random order.

    A topic counts when its last deciding document is judged; topics come in the order in which they
    are complete.
    """
    documents = [
        (i, docid) for i in order for docid in sorted(family.pool(family.topics[i]))
    ]
    chance.shuffle(documents)
    left = [set(family.weights[pair][topic]) for topic in family.topics]
    test = BettingTest(BOUND * family.measure.top)
    for number, (i, docid) in enumerate(documents, start=1):
        if docid in left[i]:
            left[i].remove(docid)
            if not left[i]:
                test.extend([(values[i], values[i])])
                if test.e_value >= 1 / ALPHA:
                    return number
    return len(documents)


def draw(drawn: dict[str, list[list[float]]], assessors: int, stem: Path) -> None:
    """Shares of assessors with a certain answer by the number of judgements."""
    rows = [
        {"x": place, "y": height, "name": name, "kind": kind}
        for name, both in drawn.items()
        for kind, counts in zip(("single", "whole"), both, strict=True)
        for place, height in steps_of(counts, assessors)
    ]
    chart = lines(
        rows,
        "judgements, % of the pool",
        "assessors with an answer, %",
        title=["against the first cleaner", "(dotted: whole topics)"],
    )
    chart["mark"] = {"type": "line", "interpolate": "step-after"}
    chart["encoding"]["strokeDash"] = {
        "field": "kind",
        "scale": {"domain": ["single", "whole"], "range": [[], [2, 3]]},
        "legend": None,
    }
    sixth = layer({"type": "rule", "color": MUTED}, [{}], x={"datum": 100 / 6})
    Picture({"width": 480, "height": 220, "layer": [chart, sixth]}).write(stem)


def steps_of(counts: list[float], assessors: int) -> list[tuple[float, float]]:
    """Return where the share of assessors with an answer rises, and how far."""
    shares = [100 * (place + 1) / assessors for place in range(len(counts))]
    places = [0.0, *sorted(counts), 100.0]
    heights = [0.0, *shares, shares[-1] if shares else 0.0]
    return list(zip(places, heights, strict=True))


if __name__ == "__main__":
    main()
