"""Prove an experiment again from its files: its runs and its scores.

Scores are computed once more from runs and qrels. The check names what it could not look at.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from boilersweep.errors import (
    BoilersweepError,
    InputError,
    OutputError,
    StoreError,
    UsageError,
)
from boilersweep.eval.experiment.folder import (
    EXPERIMENT,
    INDEXES,
    RESULTS,
    RUNS,
    STORE,
    ExperimentFacts,
    ExperimentRecipe,
    run_name,
)
from boilersweep.eval.experiment.scored import WrittenRun
from boilersweep.eval.ranking.runs import read_run
from boilersweep.indexer.manifest import INDEX, IndexManifest, read_manifest
from boilersweep.outputs.figures import figure
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.locations import driver_errors, location, read_regular
from boilersweep.outputs.manifest_file import fault
from boilersweep.outputs.parts import MANIFEST, Manifest, NotChecked
from boilersweep.outputs.typed_files import as_type
from boilersweep.store.store import BlockStore, open_store
from boilersweep.topics import read_qrels

_COUNTS = ("documents", "empty", "tokens")


class FinishedExperiment:
    """An experiment's folder as its manifest describes it.

    Raises:
        OutputError: There is no manifest, or it was changed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.listing = EXPERIMENT.require(folder)
        try:
            self.manifest = as_type(self.listing.facts, ExperimentFacts)
        except ValueError as error:
            raise OutputError(
                f"{folder / MANIFEST} is damaged ({error}); run the command again"
            ) from error
        self.identity = as_type(self.listing.recipe, ExperimentRecipe)
        self.files = self.listing.files
        self.variants = self.manifest.kept or self.identity.variants
        self.external_runs = self.identity.runs

    @property
    def runs(self) -> list[tuple[str, str]]:
        """The name and the file of each run, in the order of the tables' rows."""
        names = list(self.variants)
        end = len(names) - (self.identity.gold is not None)
        external = [(name, run_name(name)) for name in self.external_runs]
        formulas = self.identity.formulas or ("",)
        own = [
            (name, run_name(name, formula)) for formula in formulas for name in names
        ]
        return [*own[:end], *external, *own[end:]]

    @property
    def written(self) -> dict[str, WrittenRun]:
        """Text of a variant of a sweep -> its run."""
        parts = self.listing.parts
        return {
            text: WrittenRun(self.folder / file, parts[file].facts)
            for text, file in (
                (text, run_name(name)) for name, text in self.variants.items()
            )
        }

    @property
    def nested(self) -> list[Path]:
        """The folders of further experiments in this one."""
        return [self.folder / name for name in self.manifest.nested]

    @property
    def store_path(self) -> Path:
        """The path of the block store."""
        if self.manifest.own_store:
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
                "made from, or has changed since; rebuild the results with `overwrite`"
            )
        return store.in_languages(self.identity.languages)

    def source(self, name: str) -> Path:
        """Return the file of `topics` or `qrels`; raise InputError unless it is as it was read."""
        source = self.manifest.sources.get(name)
        if source is None:
            raise InputError(
                f"the experiment does not say which file its {name} were read from"
            )
        try:
            path = location(source["path"])
        except UsageError as error:  # it cannot be reached now
            raise InputError(f"the {name} {error}") from error
        if change := fault(path, source):
            raise InputError(f"the {name} {path}: the file {change}")
        return path


def check_experiment(
    folder: Path, manifest: Manifest[dict[str, Any]], _: Any
) -> Iterator[str]:
    """Yield what is wrong with an experiment beside its files: its store, runs and tables."""
    experiment = FinishedExperiment(folder)
    store = None
    try:
        store = experiment.store
        if store is None:
            missing = f"the block store {experiment.store_path}: it is not there"
            yield missing if experiment.manifest.own_store else NotChecked(missing)
    except BoilersweepError as error:
        yield str(error)
    yield from _wrong_runs(experiment, store)
    for name in manifest.parts:
        if name.startswith(f"{INDEXES}/"):
            index = INDEX.require(folder / name)
            verified = INDEX.verify(folder, index, store)
            yield from (
                f"{name}: {n}" for n in verified if not isinstance(n, NotChecked)
            )
    yield from _check_scores(experiment)


def _wrong_runs(
    experiment: FinishedExperiment, store: BlockStore | None
) -> Iterator[str]:
    """Yield a sentence for each run with documents that the store lacks."""
    docids = frozenset(store.docids()) if store else None
    for name, file in experiment.runs:
        path = experiment.folder / file
        if name in experiment.external_runs and path.parent.name == RUNS:
            continue
        try:
            run = read_run(path)
        except BoilersweepError as error:
            yield f"{file}: {error}"
            continue
        ranked = {docid for hits in run.values() for docid, _ in hits}
        if docids is not None and (strange := ranked - docids):
            yield (
                f"{file}: {len(strange):,} ranked documents are not in the store: {min(strange)}"
            )


def _check_scores(experiment: FinishedExperiment) -> Iterator[str]:
    """Compare tables with what runs, qrels and indexes give."""
    try:
        qrels = experiment.source("qrels")
    except InputError as error:
        yield NotChecked(f"scores: {error}")
        return
    try:
        wrong = list(_wrong_scores(experiment, qrels))
    except BoilersweepError as error:
        wrong = [str(error)]
    # A table that was changed
    except (OSError, ValueError, LookupError, TypeError) as error:
        wrong = [f"its tables cannot be compared with its runs ({error!r})"]
    if wrong:
        yield some_of(wrong)


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
        index = (
            None
            if name in experiment.external_runs
            else _index(folder / INDEXES / name)
        )
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


def _has_lost_its_manifest(path: Path) -> bool:
    names = [name for name in RESULTS if (path / name).is_file()]
    return bool(names) and (path / RUNS).is_dir() and not (path / MANIFEST).is_file()


# An experiment with all that is checked of it.
CHECKED = replace(
    EXPERIMENT,
    verify=check_experiment,
    marks=_has_lost_its_manifest,
    within=(RUNS, INDEXES),
    store_of=lambda path: FinishedExperiment(path).store,
)
