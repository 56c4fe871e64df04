"""Prove an experiment again from its files: its listing, its runs, its scores.

What a manifest lists must be there as it was written, and nothing of ours beside it. Scores are
computed once more from runs and qrels. What cannot be looked at is said.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from boilersweep.errors import BoilersweepError, StoreError
from boilersweep.eval.experiment import EXPERIMENT, INDEXES, RUNS, STORE, nested_experiments
from boilersweep.eval.runs import read_run
from boilersweep.indexer.manifest import IndexManifest, read_manifest
from boilersweep.outputs.files import read_regular
from boilersweep.outputs.folder import MANIFEST, Checked, Manifest, OutputFolder
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.locations import location
from boilersweep.outputs.manifest_file import fault
from boilersweep.store.language_selection import of_languages
from boilersweep.store.store import BlockStore, open_store
from boilersweep.topics import read_qrels

_COUNTS = ("documents", "empty", "tokens")


class FinishedExperiment:
    """An experiment's folder as its manifest has it.

    Raises OutputError where there is none, or it was changed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: Manifest = OutputFolder(folder, EXPERIMENT).require()
        manifest = self.manifest
        self.files: dict[str, Any] = manifest["files"]
        self.variants: dict[str, str] = manifest.get("kept") or manifest["identity"]["variants"]
        self.outside: dict[str, str] = manifest["identity"].get("runs", {})

    @property
    def runs(self) -> list[tuple[str, str]]:
        """The name and the file of each run, in the order of the tables' rows."""
        names, identity = list(self.variants), self.manifest["identity"]
        end = len(names) - (identity.get("gold") is not None)
        outside = [(name, f"{RUNS}/{name}.trec") for name in self.outside]
        folders = [f"{RUNS}/{name}" for name in identity.get("formulas", {})] or [RUNS]
        found = [(name, f"{folder}/{name}.trec") for folder in folders for name in names]
        return [*found[:end], *outside, *found[end:]]

    @property
    def nested(self) -> list[Path]:
        """The folders of further experiments in this one."""
        return [self.folder / name for name in nested_experiments(self.files)]

    @property
    def store_path(self) -> Path:
        """Where the block store is."""
        if f"{STORE}/{MANIFEST}" in self.files:
            return self.folder / STORE
        return location(self.manifest["store"])

    @cached_property
    def store(self) -> BlockStore | None:
        """The block store it was made from, or its documents in the languages that were chosen.

        None where it is not there any more.

        Raises StoreError where another is there, or a damaged one.
        """
        if not self.store_path.is_dir():
            return None
        store = open_store(self.store_path)
        if store.fingerprint != self.manifest["store_fingerprint"]:
            raise StoreError(
                f"{self.store_path} is another block store than the one that {self.folder} was "
                "made from"
            )
        return of_languages(store, self.manifest["identity"].get("languages", ())).store


def check_experiment(experiment: FinishedExperiment) -> Iterator[Checked]:
    """Check the runs of an experiment, then all the rest but for its store and its indexes."""
    store, lacking = None, ""
    try:
        store = experiment.store
    except BoilersweepError as error:
        lacking = str(error)
    yield from _check_runs(experiment, store)
    whole = OutputFolder(experiment.folder, EXPERIMENT).check(apart=_is_run)
    whole.kind = str(experiment.manifest["identity"]["kind"])
    if lacking:
        whole.faults.insert(0, lacking)
    elif store is None:
        whole.unseen.insert(0, f"the block store {experiment.store_path}: it is not there")
    _check_scores(experiment, whole)
    yield whole


def _check_runs(experiment: FinishedExperiment, store: BlockStore | None) -> Iterator[Checked]:
    docids: frozenset[str] | None = None
    for name in filter(_is_run, experiment.files):
        run = Checked("run", experiment.folder / name)
        what = fault(run.path, experiment.files[name])
        run.faults += [f"it {what}"] if what else []
        try:
            if store and docids is None:
                docids = frozenset(store.docids())
            made_here = run.path.stem not in experiment.outside or run.path.parent.name != RUNS
            if run.path.exists() and made_here:
                run.faults += _strange_documents(run.path, docids)
        except BoilersweepError as error:
            run.faults.append(str(error))
        yield run


def _strange_documents(run: Path, docids: frozenset[str] | None) -> list[str]:
    ranked = {docid for hits in read_run(run).values() for docid, _ in hits}
    strange = ranked.difference(docids) if docids is not None else set()
    if not strange:
        return []
    return [f"{len(strange):,} ranked documents are not in the store: {min(strange)}"]


def _is_run(name: str) -> bool:
    return name.startswith(f"{RUNS}/")


def _check_scores(experiment: FinishedExperiment, whole: Checked) -> None:
    """Compare tables with what runs, qrels and indexes give."""
    source = experiment.manifest["sources"].get("qrels")
    if source is None:
        whole.unseen.append("scores: the file of the qrels is not known")
        return
    if what := fault(Path(source["path"]), source):
        whole.unseen.append(f"scores: the qrels {source['path']}: the file {what}")
        return
    try:
        wrong = list(_wrong_scores(experiment, Path(source["path"])))
    except BoilersweepError as error:
        wrong = [str(error)]
    except (OSError, ValueError, LookupError, TypeError) as error:  # a table that was changed
        wrong = [f"its tables cannot be compared with its runs ({error!r})"]
    if wrong:
        whole.faults.append(some_of(wrong))


def _wrong_scores(experiment: FinishedExperiment, qrels: Path) -> Iterator[str]:
    from boilersweep.eval.scoring import parse_measures, score  # stores are checked without it

    folder, manifest = experiment.folder, experiment.manifest
    grades = read_qrels(qrels).grades
    judged = {topic: grades[topic] for topic in manifest["topics"]["evaluated"]}
    measures = parse_measures(manifest["measures"])
    kind = manifest["identity"]["kind"]
    table = "scores.csv" if kind in ("sweep", "grid") else "compare.csv"
    rows, topic_rows = _rows(folder / table), _rows(folder / "topics.csv")
    if kind == "grid":  # which keeps the runs of some of its variants
        if len(rows) != manifest["variants"]:
            yield f"{table} has {len(rows):,} rows, expected {manifest['variants']:,}"
            return
        by_cleaner = {row["cleaner"]: row for row in rows}
        rows = [by_cleaner[text] for text in experiment.variants.values() if text in by_cleaner]
    for what, found, expected in (
        (table, len(rows), len(experiment.runs)),
        ("topics.csv", len(topic_rows), len(experiment.runs) * len(judged)),
    ):
        if found != expected:
            yield f"{what} has {found:,} rows, expected {expected:,}"
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
    except BoilersweepError:  # said where the index is checked
        return None


def _rows(path: Path) -> list[dict[str, str]]:
    text = read_regular(path).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def _differing(where: str, row: Mapping[str, str], values: Mapping[str, float]) -> Iterator[str]:
    for measure, value in values.items():
        if row[measure] != f"{value:.4f}":
            yield f"{where}: {measure} is {row[measure]}, its run gives {value:.4f}"
