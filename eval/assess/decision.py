"""What judgements decide: which cleaner to use, or that these queries cannot tell; what to do next.

A sequential test allows for a look after every topic. When all topics are judged, the usual test of
a sample whose size was fixed before stands beside it. `judged_folder` gives a later study what the
judgements of a folder say of its runs.
"""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import Any

from boilersweep.cleaners.rules import Weighted
from boilersweep.command_lines import words_of
from boilersweep.eval.assess.assessment import Assessment, Searched, documents_to_judge
from boilersweep.eval.assess.audit import AuditedFamily
from boilersweep.eval.assess.audit_record import audited, is_audit_of
from boilersweep.eval.assess.judgements import (
    AUDIT,
    QRELS,
    TOPICS,
    Judgements,
    known_topics,
)
from boilersweep.eval.stats.betting import Estimate
from boilersweep.eval.stats.families import (
    ALPHA,
    THESE,
    Conclusion,
    Family,
    Grades,
    judgements_text,
    parse_summed_measure,
    shortest_way,
)
from boilersweep.outputs.identity import file_digest, some_of
from boilersweep.redaction import without_secrets
from boilersweep.store.store import BlockStore

# How many queries are added if nothing tells how many would do, and at least.
_MORE_QUERIES = 50
_FEWEST = 10

_EVERY_ONE = (
    "Every document that decides is judged, so that these queries have no more to tell: the "
    "cleaners are level on them, or nobody could tell the grades that decide."
)

# Queries before which nothing is said of judgements to come.
_EARLY = 5

_OF_THE_ANALYZER = (
    "language",
    "stemmer",
    "keepStopwords",
    "pretokenized",
    "identifiers",
    "no_title",
    "keep_apostrophes",
)
_OF_ASSESS = frozenset(
    "store topics queries columns sample seed cleaners output measure status "
    "assessor name documents write read address claim".split()
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What the judgements decide.

    Attributes:
        conclusions: The comparison of each pair.
        best: The cleaner that is certainly best; None if none is yet.
        judged: How many documents people judged.
        left: How many documents can still decide which is best.
        confidence: How certain it is that some cleaner is best, by the shortest way to that.
        more: About how many more judgements this way needs.
        way: How far the way to a certain answer is gone, from 0 to 1, as evidence grows.
        topics: How many queries there are.
        queries: How many queries to add when these cannot tell; 0 if there are none.
        title: The decision as a title; "" while documents are left.
        sentences: Its reasons.
        commands: What to do next -> the command.
        about: Which claim stands, and how often an audited program was right.
        size: How much there is to judge, in what the conclusions count.
    """

    conclusions: Sequence[Conclusion]
    best: str | None
    judged: int
    left: int
    confidence: float
    more: Estimate
    way: float
    topics: int
    queries: int
    title: str
    sentences: Sequence[str]
    commands: Mapping[str, str]
    about: Sequence[str]
    size: str

    @property
    def advice(self) -> list[str]:
        """The decision, its reasons and the next commands as lines; none while it is open."""
        commands = [
            f"{what}:\n    {command}" for what, command in self.commands.items()
        ]
        return [*filter(None, [self.title]), *self.sentences, *commands]

    @property
    def progress(self) -> str:
        """How certain it is, and how many judgements to expect; no cleaner is named."""
        if self.best:
            return "decided"
        is_early = min(conclusion.topics for conclusion in self.conclusions) < _EARLY
        more = (
            "too early to estimate the rest" if is_early else judgements_text(self.more)
        )
        is_beyond = self.more[1] > self.left and not is_early
        beyond = f"; these queries have {self.left}" if is_beyond else ""
        judged = min(conclusion.topics for conclusion in self.conclusions)
        return (
            f"{self.confidence:.0%} certain ({1 - ALPHA:.0%} decides), {self.way:.0%} of the "
            f"evidence, {judged:,} of {self.size}; {more}{beyond}"
        )


def decide(assessment: Assessment) -> Decision:
    """Conclude from people's judgements."""
    conclusions, left, family = (
        assessment.conclusions(),
        assessment.left(),
        assessment.family,
    )
    pairs = family.open_pairs(conclusions)
    open_ones = [
        conclusion
        for conclusion in conclusions
        if (conclusion.a, conclusion.b) in pairs
    ]
    beaten = {conclusion.order[1] for conclusion in conclusions if conclusion.certain}
    unbeaten = [name for name in family.runs if name not in beaten]
    best = None if open_ones else [*unbeaten, conclusions[0].order[0]][0]
    confidence, more = shortest_way(family.runs, conclusions)
    by_evidence = [
        replace(conclusion, confidence=conclusion.evidence)
        for conclusion in conclusions
    ]
    queries = 0 if best else min(_queries_to_add(family, more), len(assessment.reserve))
    title, sentences = "", []
    if best:
        title = f"You are done: use {best}"
    elif not left and len(family.topics) > 1:
        names = dict.fromkeys(name for pair in pairs for name in pair)
        title = f"These queries cannot tell {' from '.join(names)}"
        limits = assessment.judgements.limits()
        if family.claim == THESE:
            sentences = [_EVERY_ONE]
        else:
            sentences = [
                _fixed_test(family, one, family.values((one.a, one.b), limits))
                for one in open_ones
            ]
            sentences += [_outlook(family, one) for one in open_ones]
    return Decision(
        conclusions=conclusions,
        best=best,
        judged=len(assessment.judgements.grades()),
        left=left,
        confidence=1.0 if best else confidence,
        more=more,
        way=1.0 if best else shortest_way(family.runs, by_evidence)[0],
        topics=len(family.topics),
        queries=queries,
        title=title,
        sentences=sentences,
        commands=_commands(assessment, assessment.searched, best, queries)
        if title and assessment.searched
        else {},
        about=[f"{family.about}.", *_accuracy(assessment)],
        size=family.size,
    )


def _accuracy(assessment: Assessment) -> list[str]:
    """Say how often the audited program was right."""
    family, program = assessment.family, assessment.program
    if not program or not isinstance(family, AuditedFamily):
        return []
    judged, share, low, high = family.accuracy(assessment.judgements.limits())
    if not judged:
        return [f"They audit {program}, whose grades alone decide nothing."]
    return [
        f"They audit {program}, which was right about {share:.0%} of {judged:,} documents "
        f"({low:.0%} to {high:.0%} of all that decide)."
    ]


def prospect(family: Family) -> str:
    """Say before judging what difference the queries can show, or how many judgements tell.

    Without any judgement both are of a prior: that a document's grade may be any, or, in an audit,
    that a program is right about 85 % of the documents.
    """
    if isinstance(family, AuditedFamily):
        return _prospect_of_audit(family)
    least, queries = family.least_difference(), f"{len(family.topics):,} queries"
    if math.isinf(least):
        return (
            f"{queries} are too few to tell these cleaners apart by {family.measure}: "
            "give more"
        )
    return (
        f"{queries} can show a difference of about {least:.2g} in {family.measure}, in four of "
        "five cases if any grade is as likely; smaller ones need more queries"
    )


def _prospect_of_audit(family: AuditedFamily) -> str:
    more = max(
        (conclusion.more for conclusion in family.conclusions({})), key=itemgetter(1)
    )
    if not family.predicted or math.isinf(more[1]):
        return (
            f"{family.size} decide; how many judgements tell depends on the difference, and all of "
            "them tell any"
        )
    return (
        f"{family.size} decide; if the program is right about 85 % of them, "
        f"{judgements_text(more)}"
    )


def _queries_to_add(family: Family, more: Estimate) -> int:
    """Return about how many queries have the judgements that are needed."""
    if math.isinf(more[1]):
        return _MORE_QUERIES
    deciding = sum(len(family.deciding(topic, family.pairs)) for topic in family.topics)
    return max(_FEWEST, math.ceil(more[1] * len(family.topics) / max(deciding, 1)))


def _outlook(family: Family, conclusion: Conclusion) -> str:
    if math.isinf(conclusion.more[1]):
        return (
            "No number of queries like these is in sight that would tell "
            f"{conclusion.a} from {conclusion.b}: for searchers, they may be equally good."
        )
    return (
        f"With {_queries_to_add(family, conclusion.more)} more queries like these {conclusion.a} "
        f"and {conclusion.b} would perhaps be told apart."
    )


def _fixed_test(
    family: Family, conclusion: Conclusion, values: Sequence[tuple[float, float]]
) -> str:
    """Report the t-test of a sample whose size was fixed before, and how it differs."""
    from scipy.stats import ttest_1samp

    middles = [(low + high) / 2 for low, high in values]
    p = (
        float(ttest_1samp(middles, 0).pvalue) * len(family.pairs)
        if any(middles)
        else 1.0
    )
    corrected = (
        f", corrected for {len(family.pairs)} comparisons"
        if len(family.pairs) > 1
        else ""
    )
    return (
        f"The paired t-test of {conclusion.a} and {conclusion.b} on all {conclusion.topics:,} "
        f"queries gives p = {min(p, 1.0):.2g}{corrected}. It is right only for those who had fixed "
        "this number of queries before and look once; the interval here stays right although it is "
        "looked at after every query, and is wider for that."
    )


def _commands(
    assessment: Assessment, searched: Searched, best: str | None, queries: int
) -> dict[str, str]:
    """Return what to do next, each with its command."""
    call, folder = assessment.call, assessment.judgements.folder
    store = str(searched.store.path)
    baseline, *others = assessment.family.runs
    analyzer = [word for name in _OF_THE_ANALYZER for word in call.get(name, ())]
    compare = words_of(
        "compare",
        store=store,
        topics=folder / TOPICS,
        qrels=folder / QRELS,
        baseline=baseline,
        cleaners=",".join(others),
        measures=searched.measure,
        output=f"{folder}.study",
    )
    compare += [
        word for name, words in call.items() if name not in _OF_ASSESS for word in words
    ]
    commands = {"See all figures of these judgements": compare}
    if best:
        index = words_of(
            "index",
            store=store,
            keep=best,
            storeContents=True,
            output=f"{folder}.index",
        )
        export = words_of(
            "export", store=store, keep=best, format="bulk", output=f"{folder}.export"
        )
        commands["Build the Lucene index"] = [*index, *analyzer]
        if best not in [
            str(cleaner)
            for cleaner in searched.cleaners
            if isinstance(cleaner, Weighted)
        ]:
            commands["Write the cleaned text for OpenSearch or Elasticsearch"] = export
    elif queries:
        words = [
            word for name, words in call.items() if name != "sample" for word in words
        ]
        more = words_of("assess", sample=len(assessment.topics) + queries)
        commands["Judge more queries later"] = [*more[:2], *words, *more[2:]]
    return {
        what: shlex.join(map(without_secrets, words))
        for what, words in commands.items()
    }


@dataclass(frozen=True, slots=True)
class JudgedFolder:
    """A folder of `assess`.

    Attributes:
        folder: The folder.
        left_out: The measures that were asked for and are not shown.
    """

    folder: Path
    left_out: tuple[str, ...] = ()

    def without(self, measures: Sequence[str]) -> "JudgedFolder":
        """Return the folder with the measures that it cannot support."""
        return replace(self, left_out=tuple(measures))

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that the answers depend on."""
        files = [
            self.folder / TOPICS,
            *sorted((self.folder / "people").glob("*.jsonl")),
            *(self.folder / name for name in (AUDIT,) if (self.folder / name).exists()),
        ]
        return {"files": {path.name: file_digest(path) for path in files}}

    def answers(
        self,
        runs: Mapping[str, Mapping[str, Sequence[str]]],
        measure: str,
        store: BlockStore | None = None,
    ) -> tuple[list[str], list[Conclusion]]:
        """Describe the judgements, which comparisons they make certain, and what is unjudged.

        Args:
            runs: Cleaner -> topic -> docids, best first.
            measure: The measure, as `supported_measure` gives it.
            store: The block store, whose documents may have changed since they were judged.

        Returns:
            Sentences, and what the judgements say about each pair of cleaners that they compare.
        """
        judgements = Judgements(self.folder, complete=False)
        if store is not None:
            documents_to_judge(store, (), judgements)
        summed = parse_summed_measure(measure)
        topics = list(known_topics(self.folder))
        limits = judgements.limits()
        family = Family(runs, topics, summed)
        audit = judgements.audit
        if audit and is_audit_of(audit, family, judgements, audit.program):
            family = audited(family, judgements, audit.program, audit.seed)
            compared = list(runs)
        else:
            compared = _compared(family, limits)
            family = Family({name: runs[name] for name in compared}, topics, summed)
        conclusions = family.conclusions(limits)
        judged, names = (
            sum(map(len, limits.values())),
            sorted(judgements.records["people"]),
        )
        sentences = [
            f"These qrels are {judged:,} judgements by {', '.join(names)} of {len(limits):,} of "
            f"{len(topics):,} topics, collected by `boilersweep assess`. {family.about}. With "
            f"{1 - ALPHA:.0%} confidence for all comparisons together ({len(conclusions):,}), by "
            f"{summed}:",
            *(
                f"{conclusion.text} ({conclusion.counted})."
                for conclusion in conclusions
            ),
            f"Only differences in {summed}, with these intervals, are shown: the mean scores count "
            "unjudged documents as irrelevant. Left out are other measures "
            f"({', '.join(self.left_out) or 'none asked for'}), as they depend on documents that "
            "nobody judged; and the usual p-values and intervals, the choice by held-out topics "
            "and comparisons of all pairs, as judging stops where it is certain.",
        ]
        if changed := judgements.changed:
            sentences.append(
                f"{len(changed):,} documents changed since they were judged "
                f"({some_of([docid for _, docid in changed])}): these conclusions leave their "
                "grades out, the scores still count them. `boilersweep assess` asks for them again."
            )
        if differing := judgements.differing():
            sentences.append(
                f"{len(differing):,} documents were graded differently and not yet adjudicated; "
                "the intervals allow for every grade given."
            )
        if others := [name for name in runs if name not in compared]:
            sentences.append(
                f"No document that decides about {', '.join(others)} is judged yet."
            )
        return sentences, conclusions


def _compared(family: Family, limits: Mapping[str, Grades]) -> list[str]:
    """Return the cleaners with a judged topic that tells them from another one."""
    tests = {pair: family.test(pair, limits) for pair in family.pairs}
    judged = {
        name
        for pair, test in tests.items()
        if any(
            family.weights[pair][topic] for topic in family.topics[: len(test.values)]
        )
        for name in pair
    }
    return [name for name in family.runs if name in judged]
