"""The made-up study, and readers of studies."""

import csv
import json
from pathlib import Path
from typing import Any

import ir_measures

from boilersweep.eval.stats.scoring import RunScores
from boilersweep.pages.columns import FloatArray
from boilersweep.topics import Qrels
from tests.eval.made_up import document, read, study

__all__ = ["document", "read", "study"]


def run_scores(values: dict[str, FloatArray]) -> list[RunScores]:
    """Return the scores of runs, from measure -> (t, v) scores of topics and runs."""
    topics, runs = next(iter(values.values())).shape
    return [
        RunScores(
            {name: float(scores[:, run].mean()) for name, scores in values.items()},
            {
                str(topic): {
                    m: float(scores[topic, run]) for m, scores in values.items()
                }
                for topic in range(topics)
            },
        )
        for run in range(runs)
    ]


def written_study(output: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((output / "study.json").read_text())
    return value


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def scores_of_runs(
    study: Any, output: Path, qrels: Qrels, measures: dict[str, Any]
) -> dict[str, dict[str, list[float]]]:
    """Return scores by variant, measure and topic as ir_measures computes them."""
    topics = [topic["id"] for topic in study["topics"]]
    found: dict[str, dict[str, list[float]]] = {}
    for variant in study["variants"]:
        run = list(ir_measures.read_trec_run(str(output / variant["run"])))
        values: dict[str, dict[str, float]] = {name: {} for name in measures}
        for metric in ir_measures.iter_calc(measures.values(), qrels.grades, run):
            values[str(metric.measure)][metric.query_id] = metric.value
        found[variant["name"]] = {
            name: [by_topic.get(topic, 0.0) for topic in topics]
            for name, by_topic in values.items()
        }
    return found
