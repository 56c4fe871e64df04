"""Measures by their names, and runs scored with ir-measures.

A name is one of ir-measures, such as P(rel=2)@10, or one of trec_eval.
"""

import ast
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boilersweep.errors import UsageError, did_you_mean, excerpt
from boilersweep.eval.ranking.runs import ArrayHits, Hits, PackedDocids, Run, top_of
from boilersweep.outputs.figures import figure, rounded
from boilersweep.outputs.notebook import Framed
from boilersweep.pages.columns import BoolArray, IntArray

if TYPE_CHECKING:
    import pandas as pd


# Flat, and without a way back over spaces (`*+`): no name is too deep or slow for a parser.
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_GAIN = r"\s*+\d+\s*+:\s*+\d+\s*+"
_GAINS = rf"{{\s*+(?:{_GAIN}(?:,{_GAIN})*(?:,\s*+)?)?}}"
_VALUE = rf"{_NUMBER}|True|False|'[\w-]+'|\"[\w-]+\"|{_GAINS}"
_PARAMETER = rf"\s*+(\w+)\s*+=\s*+({_VALUE})\s*+"
_NAME = re.compile(
    rf"(?P<measure>\w+)\s*+"
    rf"(?:\((?P<given>\s*+(?:{_PARAMETER}(?:,{_PARAMETER})*(?:,\s*+)?)?)\)\s*+)?"
    rf"(?:@\s*+(?P<at>{_NUMBER})\s*+)?"
)
_PARAMETERS = re.compile(_PARAMETER)
_TREC_EVAL = re.compile(r"(?P<measure>\w+?)([._][\d.]+(,[\d.]+)*)?")
_CUTOFF = re.compile(r"([A-Za-z]+)(\d+)")

_MAX_CUTOFF = 2**31 - 1

# The measures that messages propose.
_FAMILIAR = ("P", "nDCG", "AP", "R", "RR", "Bpref", "ERR", "RBP", "Success")


def parse_measures(names: Sequence[str] | str) -> list[Any]:
    """Parse one name of a measure or several, of ir-measures or of trec_eval, each once.

    A name of trec_eval may stand for several measures: `P` is P@5, P@10 and so on.

    Args:
        names: The names, or one name.

    Raises:
        UsageError: ir-measures does not know some of them, or cannot compute them as installed.
    """
    measures: dict[Any, None] = {}
    unknown = []
    for name in dict.fromkeys([names] if isinstance(names, str) else names):
        meant = _named(name)
        measures |= dict.fromkeys(meant)
        if not meant:
            unknown.append(name)
    if unknown:
        raise UsageError(
            "measures: expected those that ir-measures computes here, such as P@10, nDCG@10 or "
            "Bpref, or trec_eval's names of them, such as P_10, ndcg_cut_10 or bpref, "
            f"got {', '.join(map(_nearly, unknown))}"
        )
    return list(measures)


def parse_measure(name: str) -> Any:
    """Parse a name as ir-measures writes and documents it, NAME(parameter=value)@cutoff.

    ir-measures 0.4.3 parses names itself, but by classes that Python 3.14 no longer has.

    Args:
        name: The name.

    Raises:
        ValueError: It is malformed.
        LookupError: ir-measures has no such measure.
    """
    from ir_measures.measures import registry  # of the extra `lucene`

    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"expected NAME(parameter=value)@cutoff, got {name!r}")
    measure = registry[match["measure"]]
    given = _PARAMETERS.findall(match["given"] or "")
    parameters = {key: ast.literal_eval(value) for key, value in given}
    if len(parameters) < len(given):
        raise ValueError(f"a parameter is given twice: {name!r}")
    if match["at"]:
        parameters[measure.AT_PARAM] = ast.literal_eval(match["at"])
    return measure(**parameters)


def _named(name: str) -> list[Any]:
    """Return the measures that a name means; nothing if one of them cannot be computed."""
    for parse in (lambda one: [parse_measure(one)], _of_trec_eval):
        try:
            measures: list[Any] = parse(name)
        except (ValueError, SyntaxError, LookupError):
            continue
        if measures and all(map(_is_computable, measures)):
            return measures
    return []


def _of_trec_eval(name: str) -> list[Any]:
    import ir_measures
    import pytrec_eval

    # ir-measures would read P_10x as P_10, and print what it leaves out of `all_trec`.
    match = _TREC_EVAL.fullmatch(name)
    if match is None or match["measure"] not in pytrec_eval.supported_measures:
        return []
    parse: Any = ir_measures.parse_trec_measure
    measures: list[Any] = parse(name)
    return measures


def _is_computable(measure: Any) -> bool:
    """Return whether ir-measures scores a run with it: not all values of parameters work."""
    import ir_measures

    # trec_eval ends the process for a cutoff below 1, and cannot take one above a long integer.
    cutoff = measure.params.get("cutoff", 1)
    if not isinstance(cutoff, int) or not 0 < cutoff <= _MAX_CUTOFF:
        return False
    pipeline: Any = ir_measures.DefaultPipeline
    try:
        pipeline.calc_aggregate([measure], {"1": {"a": 1}}, {"1": {"a": 1.0}})
    except (ValueError, TypeError, AssertionError, LookupError):
        return False
    return True


def _nearly(name: str) -> str:
    """Return a name, for a message, with the familiar measures of a similar name and cutoff."""
    if os.path.isfile(name):  # noqa: PTH113 - takes names that are too long for a file
        return f"{name} (a file: did you mean --run {name}?)"
    name = excerpt(name)
    if "," in name:
        return f"{name} (separate measures by spaces)"
    _, at, cutoff = name.partition("@")
    if match := _CUTOFF.fullmatch(name):  # P10 for P@10
        at, cutoff = "@", match[2]
    if cutoff == "0":
        return f"{name} (a cutoff is at least 1)"
    near = did_you_mean(name, [f"{familiar}{at}{cutoff}" for familiar in _FAMILIAR])
    return name + near


TOP_MEASURES = ("P@10", "nDCG@10", "Judged@10")
DEFAULT_MEASURES = (*TOP_MEASURES, "AP")


@dataclass(frozen=True, slots=True)
class RunScores(Framed):
    """The scores of a run; as a frame, a row for each topic.

    Attributes:
        mean: Measure -> mean over topics.
        by_topic: Topic -> measure -> value.
    """

    mean: dict[str, float]
    by_topic: dict[str, dict[str, float]]

    @property
    def by_measure(self) -> dict[str, list[float]]:
        """Measure -> the values of the topics, with the digits that figures have."""
        topics = self.by_topic.values()
        return {m: [rounded(by_measure[m]) for by_measure in topics] for m in self.mean}

    def to_pandas(self) -> "pd.DataFrame":
        """Return a row for each topic, with a column for each measure."""
        import pandas as pd

        return pd.DataFrame([{"topic": t, **of} for t, of in self.by_topic.items()])

    def __repr__(self) -> str:
        means = ", ".join(
            f"{name} {figure(mean, '.4f')}" for name, mean in self.mean.items()
        )
        return f"<RunScores: {means}; {len(self.by_topic)} topics>"


# Reduces the hits of a topic to those that its measures look at.
Cut = Callable[[str, Hits], Hits]


class Scorer:
    """Scores runs on the topics of the judgements; a topic missing from a run counts as zero."""

    def __init__(
        self, grades: Mapping[str, Mapping[str, int]], measures: Sequence[Any]
    ) -> None:
        """Prepare the measures.

        Args:
            grades: Topic -> docid -> grade, of the topics to average over.
            measures: The measures.
        """
        import ir_measures

        judged = {topic: dict(documents) for topic, documents in grades.items()}
        pipeline: Any = ir_measures.DefaultPipeline
        # For Judged alone, ir-measures sorts all hits in Python.
        sorting = [measure for measure in measures if measure.NAME == "Judged"]
        of_graded = [measure for measure in measures if _is_of_graded(measure)]
        others = [
            measure for measure in measures if measure not in (*sorting, *of_graded)
        ]
        cuts: list[tuple[list[Any], Cut]] = [
            (others, lambda _, hits: hits),
            (of_graded, self._to_last_graded),
            (sorting, lambda _, hits: top_of(hits, depth_of(sorting))),
        ]
        self._evaluators = [
            (pipeline.evaluator(same_cut, judged), cut)
            for same_cut, cut in cuts
            if same_cut
        ]
        self._topics = list(grades)
        self._names = {measure: str(measure) for measure in measures}
        self._graded = {
            topic: [docid for docid, grade in documents.items() if grade]
            for topic, documents in judged.items()
        }
        self._numbers: tuple[PackedDocids, dict[str, IntArray]] = (PackedDocids([]), {})
        self._is_graded: BoolArray = np.zeros(1, dtype=bool)

    def score(self, run: Run) -> RunScores:
        """Score a run as it is.

        A run that is still to be written goes through `as_written` first, so that its scores are
        those that ir-measures gives for the file.
        """
        # Topics stay in the order of the run, in which ir-measures adds them up: so the means are
        # the same to the last bit.
        topics, names = frozenset(self._topics), self._names
        scored = {
            topic: hits for topic, hits in run.items() if hits and topic in topics
        }
        by_topic = {topic: dict.fromkeys(names.values(), 0.0) for topic in self._topics}
        mean = dict.fromkeys(names.values(), 0.0)
        for evaluator, cut in self._evaluators:
            means, metrics = evaluator.calc(
                {topic: dict(cut(topic, hits)) for topic, hits in scored.items()}
            )
            for metric in metrics:
                by_topic[metric.query_id][names[metric.measure]] = metric.value
            mean |= {names[measure]: float(value) for measure, value in means.items()}
        return RunScores(mean, by_topic)

    def _to_last_graded(self, topic: str, hits: Hits) -> Hits:
        """Return the hits up to the last one with a grade, with its ties; at least one."""
        if isinstance(hits, ArrayHits):
            if self._numbers[0] is not hits.docids:
                graded = self._graded
                numbers = hits.docids.numbers_of(
                    [docid for some in graded.values() for docid in some]
                )
                parts = np.split(
                    numbers, np.cumsum(list(map(len, graded.values())))[:-1]
                )
                self._numbers = hits.docids, dict(zip(graded, parts, strict=True))
                # Of all documents and, at its end, of those that are not among them.
                self._is_graded = np.zeros(len(hits.docids) + 1, dtype=bool)
            graded_here = self._numbers[1][topic]
            self._is_graded[graded_here] = True
            places = np.flatnonzero(self._is_graded[hits.numbers])
            self._is_graded[graded_here] = False
        else:
            wanted = frozenset(self._graded[topic])
            places = np.flatnonzero([docid in wanted for docid, _ in hits])
        return top_of(hits, int(places.max(initial=0)) + 1)


def score(
    run: Run, grades: Mapping[str, Mapping[str, int]], measures: Sequence[Any]
) -> RunScores:
    """Score one run, as `Scorer` does."""
    return Scorer(grades, measures).score(run)


_OF_THE_TOP = frozenset({"P", "nDCG", "Judged", "R", "AP", "RR", "Success"})


def depth_of(measures: Sequence[Any]) -> int | None:
    """Return how many documents of a topic the measures look at; None if one may look at all.

    Documents after these and after the ties of the last one change nothing.
    """
    cutoffs = [_cutoff(measure) for measure in measures]
    known = [cutoff for cutoff in cutoffs if cutoff is not None]
    return max(known) if known and len(known) == len(cutoffs) else None


def _is_of_graded(measure: Any) -> bool:
    """Return whether documents after the last one with a grade other than 0 change nothing."""
    given = dict(measure.params)
    given.pop("cutoff", None)
    known = measure.NAME in _OF_THE_TOP - {"Judged"}
    return known and given.pop("rel", 1) > 0 and not given


def _cutoff(measure: Any) -> int | None:
    given = dict(measure.params)
    cutoff = given.pop("cutoff", None)
    given.pop("rel", None)
    return (
        None
        if cutoff is None or given or measure.NAME not in _OF_THE_TOP
        else int(cutoff)
    )


def join_scores(
    parts: Sequence[RunScores], topics: Iterable[str], measures: Sequence[Any]
) -> RunScores:
    """Join the scores of a run that was scored some topics at a time.

    Args:
        parts: The scores of some topics each.
        topics: All topics, in their order.
        measures: The measures.
    """
    scores = {
        topic: values for part in parts for topic, values in part.by_topic.items()
    }
    by_topic = {topic: scores[topic] for topic in topics}
    mean = {}
    for measure in measures:
        aggregator = measure.aggregator()
        for values in by_topic.values():
            aggregator.add(values[str(measure)])
        mean[str(measure)] = float(aggregator.result())
    return RunScores(mean, by_topic)
