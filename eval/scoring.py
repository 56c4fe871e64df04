"""Score runs with ir-measures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ir_measures

from boilersweep.errors import UsageError
from boilersweep.eval.runs import Run

DEFAULT_MEASURES = ("P@10", "nDCG@10", "Judged@10", "AP")


@dataclass(frozen=True, slots=True)
class Scores:
    """mean: measure -> mean over topics. by_topic: topic -> measure -> value."""

    mean: dict[str, float]
    by_topic: dict[str, dict[str, float]]


def parse_measures(names: Sequence[str]) -> list[Any]:
    """Measures of ir-measures by name.

    Raises UsageError that names all that it does not know, or cannot compute as installed.
    """
    measures, unknown = [], []
    pipeline: Any = ir_measures.DefaultPipeline
    for name in dict.fromkeys(names):
        try:
            measure = ir_measures.parse_measure(name)
            computable = pipeline.supports(measure)
        except (NameError, ValueError, SyntaxError, AssertionError, LookupError):
            computable = False
        # trec_eval ends the process for a cutoff below 1.
        if computable and measure.params.get("cutoff", 1) >= 1:
            measures.append(measure)
        else:
            unknown.append(name)
    if unknown:
        raise UsageError(
            f"measures: expected those that ir-measures computes here, such as P@10, nDCG@10 or "
            f"Bpref, got {', '.join(unknown)}"
        )
    return measures


def score(run: Run, grades: Mapping[str, Mapping[str, int]], measures: Sequence[Any]) -> Scores:
    """Score a run on the topics of the judgements; a topic that the run lacks counts as zero.

    run: its scores count as they are, so a file that was read gives what ir-measures gives of it;
    one that is still to be written goes through `as_written` first. grades: topic -> docid ->
    grade, with the topics to average over.
    """
    # In the order of the run, as ir-measures adds them up: the means are the same to the last bit.
    ranked = {topic: dict(hits) for topic, hits in run.items() if hits and topic in grades}
    judged = {topic: dict(documents) for topic, documents in grades.items()}
    names = {measure: str(measure) for measure in measures}
    by_topic: dict[str, dict[str, float]] = {
        topic: dict.fromkeys(names.values(), 0.0) for topic in grades
    }
    calculated: Any = ir_measures.calc(measures, judged, ranked)
    for metric in calculated[1]:
        by_topic[metric.query_id][names[metric.measure]] = metric.value
    mean = {name: float(calculated[0][measure]) for measure, name in names.items()}
    return Scores(mean, by_topic)


def join_scores(parts: Sequence[Scores], topics: Iterable[str], measures: Sequence[Any]) -> Scores:
    """The scores of a run that was scored some topics at a time. topics: all, in their order."""
    found = {topic: values for part in parts for topic, values in part.by_topic.items()}
    by_topic = {topic: found[topic] for topic in topics}
    mean = {}
    for measure in measures:
        aggregator = measure.aggregator()
        for values in by_topic.values():
            aggregator.add(values[str(measure)])
        mean[str(measure)] = float(aggregator.result())
    return Scores(mean, by_topic)
