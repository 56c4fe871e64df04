"""The run of a variant: written and scored some topics at a time.

A run of 1,000 hits takes some 200 KB of memory a topic, with what scores it: of 10,000 topics it
would take 2 GB.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boilersweep.cleaners.variants import Variant
from boilersweep.eval.engines import Engine, VariantRun
from boilersweep.eval.runs import as_written, run_file
from boilersweep.eval.scoring import Scores, join_scores, score

TOPICS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """found: without the run itself, which is in its file."""

    found: VariantRun
    scores: Scores


def batches(topics: Sequence[str]) -> list[Sequence[str]]:
    """The topics in their order, some at a time; one batch at least."""
    starts = range(0, max(len(topics), 1), TOPICS_AT_ONCE)
    return [topics[start : start + TOPICS_AT_ONCE] for start in starts]


def write_scored_run(
    engine: Engine,
    variant: Variant,
    topics: Sequence[str],
    grades: Mapping[str, Mapping[str, int]],
    measures: Sequence[Any],
    path: Path,
) -> ScoredRun:
    """Run topics, write the run file to `path`, and score it as the file will be read.

    grades: topic -> docid -> grade, with those of the topics to score. Raises OutputError and what
    the engine raises.
    """
    parts = []
    with run_file(path, f"boilersweep-{variant.name}") as add:
        for some in batches(topics):
            found = engine.run(variant, some)
            add(found.run)
            judged = {topic: grades[topic] for topic in some if topic in grades}
            if judged:
                parts.append(score(as_written(found.run), judged, measures))
    return ScoredRun(replace(found, run={}), join_scores(parts, grades, measures))
