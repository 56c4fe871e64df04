"""Prove an experiment again from its files: its listing, its runs, its scores.

Every file that a manifest lists must be unchanged, with no other file of ours beside it. Scores are
computed once more from runs and qrels. The report names what cannot be checked.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from boilersweep.errors import BoilersweepError, InputError, StoreError
from boilersweep.eval.experiment.folder import (
    EXPERIMENT,
    INDEXES,
    RESULTS,
    RUNS,
    STORE,
    nested_experiments,
    run_name,
)
from boilersweep.eval.ranking.runs import read_run
from boilersweep.indexer.manifest import IndexManifest, read_manifest
from boilersweep.outputs.figures import figure
from boilersweep.outputs.folder import (
    MANIFEST,
    Checked,
    CheckRequest,
    OutputCheck,
    OutputFolder,
)
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.locations import driver_errors, location, read_regular
from boilersweep.outputs.manifest_file import fault
from boilersweep.store.store import BlockStore, open_store
from boilersweep.topics import read_qrels

_COUNTS = ("documents", "empty", "tokens")

# The store of an experiment that cut its pages itself, as the manifest lists it.
_OWN_STORE = f"{STORE}/{MANIFEST}"


class FinishedExperiment:
    """An experiment's folder as its manifest describes it.

    Raises:
        OutputError: There is no manifest, or it was changed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = OutputFolder(folder, EXPERIMENT).require()
        self.identity = self.manifest.experiment
        self.files = self.manifest.files
        self.variants = self.manifest.kept or self.identity.variants
        self.outside = self.identity.runs

    @property
    def runs(self) -> list[tuple[str, str]]:
        """The name and the file of each run, in the order of the tables' rows."""
        names = list(self.variants)
        end = len(names) - (self.identity.gold is not None)
        outside = [(name, run_name(name)) for name in self.outside]
        formulas = self.identity.formulas or ("",)
        own = [(name, run_name(name, one)) for one in formulas for name in names]
        return [*own[:end], *outside, *own[end:]]

    @property
    def nested(self) -> list[Path]:
        """The folders of further experiments in this one."""
        return [self.folder / name for name in nested_experiments(self.files)]

    @property
    def store_path(self) -> Path:
        """The path of the block store."""
        if _OWN_STORE in self.files:
            return self.folder / STORE
        return location(self.manifest.store)

    @cached_property
    def store(self) -> BlockStore | None:
        """The block store that was searched, or its documents in the chosen languages.

        None if the store is no longer there.

        Raises:
            StoreError: Another store is in its place, or it is damaged.
        """
        try:  # a recorded address has no password
            with driver_errors(f"cannot reach {self.store_path}"):
                is_there = self.store_path.is_dir()
        except OSError:
            return None
        if not is_there:
            return None
        store = open_store(self.store_path)
        if store.fingerprint != self.manifest.store_fingerprint:
            raise StoreError(
                f"{self.store_path} is another block store than the one that {self.folder} was "
                "made from, or has changed since; rebuild the results with --overwrite"
            )
        return store.in_languages(self.identity.languages)

    def source(self, name: str) -> Path:
        """Return the file of `topics` or `qrels`; raise InputError unless it is as it was read."""
        source = self.manifest.sources.get(name)
        if source is None:
            raise InputError(
                f"the experiment does not say which file its {name} were read from"
            )
        path = Path(source["path"])
        if change := fault(path, source):
            raise InputError(f"the {name} {path}: the file {change}")
        return path


def _check(path: Path, _: CheckRequest) -> Iterator[Checked]:
    try:
        experiment = FinishedExperiment(path)
    except BoilersweepError as error:
        yield Checked(EXPERIMENT.name, path, [str(error)])
        return
    yield from check_experiment(experiment)


CHECK = OutputCheck(
    check=_check,
    manifest=EXPERIMENT.name,
    marks=(MANIFEST, RUNS, *RESULTS),
    parts=(RUNS,),
    store_of=lambda path: FinishedExperiment(path).store,
)


def check_experiment(experiment: FinishedExperiment) -> Iterator[Checked]:
    """Check the runs of an experiment, then all the rest but for its store and its indexes."""
    store, lacking = None, ""
    try:
        store = experiment.store
    except BoilersweepError as error:
        lacking = str(error)
    yield from _check_runs(experiment, store)
    # Of the store its fingerprint counts: its manifest also says where the input was.
    whole = OutputFolder(experiment.folder, EXPERIMENT).check(
        apart=lambda name: _is_run(name) or name == _OWN_STORE
    )
    whole.kind = experiment.identity.kind
    if lacking:
        whole.faults.insert(0, lacking)
    elif store is None:
        is_own = _OWN_STORE in experiment.files
        (whole.faults if is_own else whole.unseen).insert(
            0, f"the block store {experiment.store_path}: it is not there"
        )
    _check_scores(experiment, whole)
    yield whole


def _check_runs(
    experiment: FinishedExperiment, store: BlockStore | None
) -> Iterator[Checked]:
    docids: frozenset[str] | None = None
    for name in filter(_is_run, experiment.files):
        run = Checked("run", experiment.folder / name)
        problem = fault(run.path, experiment.files[name])
        run.faults += [f"it {problem}"] if problem else []
        try:
            if store and docids is None:
                docids = frozenset(store.docids())
            made_here = (
                run.path.stem not in experiment.outside or run.path.parent.name != RUNS
            )
            if run.path.exists() and made_here:
                ranked = {
                    docid for hits in read_run(run.path).values() for docid, _ in hits
                }
                strange = ranked.difference(docids) if docids is not None else set()
                if strange:
                    run.faults.append(
                        f"{len(strange):,} ranked documents are not in the store: {min(strange)}"
                    )
        except BoilersweepError as error:
            run.faults.append(str(error))
        yield run


def _is_run(name: str) -> bool:
    return name.startswith(f"{RUNS}/")


def _check_scores(experiment: FinishedExperiment, whole: Checked) -> None:
    """Compare tables with what runs, qrels and indexes give."""
    try:
        qrels = experiment.source("qrels")
    except InputError as error:
        whole.unseen.append(f"scores: {error}")
        return
    try:
        wrong = list(_wrong_scores(experiment, qrels))
    except BoilersweepError as error:
        wrong = [str(error)]
    # A table that was changed
    except (OSError, ValueError, LookupError, TypeError) as error:
        wrong = [f"its tables cannot be compared with its runs ({error!r})"]
    if wrong:
        whole.faults.append(some_of(wrong))


def _wrong_scores(experiment: FinishedExperiment, qrels: Path) -> Iterator[str]:
    # Stores are checked without it.
    from boilersweep.eval.stats.scoring import parse_measures, score

    folder, manifest = experiment.folder, experiment.manifest
    grades = read_qrels(qrels).grades
    judged = {topic: grades[topic] for topic in manifest.topics["evaluated"]}
    measures = parse_measures(manifest.measures)
    kind = experiment.identity.kind
    table = "scores.csv" if kind in ("sweep", "grid") else "compare.csv"
    rows, topic_rows = _rows(folder / table), _rows(folder / "topics.csv")
    if kind == "grid":  # which keeps the runs of some of its variants
        if len(rows) != manifest.variants:
            yield f"{table} has {len(rows):,} rows, expected {manifest.variants:,}"
            return
        by_cleaner = {row["cleaner"]: row for row in rows}
        rows = [
            by_cleaner[text]
            for text in experiment.variants.values()
            if text in by_cleaner
        ]
    for file, length, expected in (
        (table, len(rows), len(experiment.runs)),
        ("topics.csv", len(topic_rows), len(experiment.runs) * len(judged)),
    ):
        if length != expected:
            yield f"{file} has {length:,} rows, expected {expected:,}"
            return
    by_topic = iter(topic_rows)
    for (name, run), row in zip(experiment.runs, rows, strict=True):
        scores = score(read_run(folder / run), judged, measures)
        yield from _differing(f"{table}, {run}", row, scores.mean)
        for topic in judged:
            where = f"topics.csv, {run}, topic {topic}"
            yield from _differing(where, next(by_topic), scores.by_topic[topic])
        index = None if name in experiment.outside else _index(folder / INDEXES / name)
        if index is not None:
            for count in _COUNTS:
                if row[count] != str(getattr(index, count)):
                    yield f"{table}, {name}: {row[count]} {count}, its index has another number"


def _index(path: Path) -> IndexManifest | None:
    try:
        return read_manifest(path)
    except BoilersweepError:  # the check of the index reports it
        return None


def _rows(path: Path) -> list[dict[str, str]]:
    text = read_regular(path).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def _differing(
    where: str, row: Mapping[str, str], values: Mapping[str, float]
) -> Iterator[str]:
    for measure, value in values.items():
        if row[measure] != figure(value, ".4f"):
            yield f"{where}: {measure} is {row[measure]}, its run gives {figure(value, '.4f')}"
