"""Which jobs make which part of the benchmark, and what their figures come to."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchmarks.measure import Measured, run_job

# Of the paper's sweep: words 1 to 100, density 1 to 20.
THRESHOLDS = 120

# The phases of one separate run.
_OF_A_RUN = ("index", "search")


@dataclass(frozen=True, slots=True)
class Source:
    """A collection with its topics and qrels; these two are None for segmentation alone."""

    input: str
    collection: str | None = None
    topics: str | None = None
    qrels: str | None = None

    def pages(self) -> dict[str, Any]:
        """Return what a job that reads the pages is given."""
        return {"input": self.input, "collection": self.collection}

    def judged(self) -> dict[str, Any]:
        """Return what a job that runs and scores topics is given."""
        return {"topics": self.topics, "qrels": self.qrels}


class Runner:
    """Runs jobs below one scratch folder, with a bar over the jobs of a part."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self._bar: tqdm[Any] | None = None

    @contextmanager
    def part(self, name: str, jobs: int) -> Iterator[None]:
        """Provide a part of so many jobs; what they wrote is removed at its end."""
        with tqdm(total=jobs, desc=name, unit=" jobs", disable=None) as self._bar:
            yield
        self._bar = None
        shutil.rmtree(self.scratch, ignore_errors=True)

    def run(
        self,
        job: str,
        arguments: Mapping[str, Any],
        name: str,
        *,
        keep: bool = False,
    ) -> Measured:
        """Run a job in a folder of that name, which stays to the part's end if `keep`.

        Args:
            job: a name in `jobs.JOBS`.
            arguments: of the job.
            name: of the job.
            keep: whether the output stays to the end of the part.
        """
        if self._bar:
            self._bar.set_postfix_str(name)
        output = self.folder(name)
        measured = run_job(job, dict(arguments), output, shows=self._bar is None)
        if not keep:
            shutil.rmtree(output)
        if self._bar:
            self._bar.update()
        return measured

    def folder(self, name: str) -> Path:
        """Return the folder of a job."""
        return self.scratch / name


def measure_systems(
    runner: Runner,
    source: Source,
    part: str,
    *,
    repeat: int,
    most_pages: int,
    sample: int,
) -> dict[str, Any]:
    """Ours and peers on one core.

    Args:
        runner: runs the jobs.
        source: the collection.
        part: segmentation or cleaning.
        repeat: rounds.
        most_pages: the first pages that are measured.
        sample: pages for slow systems.
    """
    options = {
        "part": part,
        "repeat": repeat,
        "most_pages": most_pages,
        "sample": sample,
    }
    return runner.run("time-systems", source.pages() | options, part).result


def measure_sweep(runner: Runner, source: Source, *, sample: int) -> dict[str, Any]:
    """Return a plain run, both sweeps, and separate runs, which are measured on a sample."""
    everything = source.pages() | source.judged()
    count = min(sample, THRESHOLDS)
    with runner.part("sweep", 4 + count):
        plain = runner.run(
            "plain-run", source.pages() | {"topics": source.topics}, "plain", keep=True
        )
        exact = runner.run("exact-sweep", everything, "exact")
        indexes = runner.run("index-sweep", everything, "indexes")
        options = {
            "store": plain.result["store"],
            "topics": source.topics,
            "sample": count,
        }
        separate = [
            runner.run(
                "separate-runs", options | {"numbers": [number]}, f"separate-{number}"
            )
            for number in range(count)
        ]
        together = runner.run(
            "separate-runs", options | {"numbers": list(range(count))}, "in-one-process"
        )
    rows = [
        _row("plain run: segment, one index, one search", plain),
        _row(f"exact sweep, {THRESHOLDS} thresholds", exact),
        _row(f"sweep with {THRESHOLDS} real indexes", indexes),
        _index_phase("of it, building the indexes", indexes),
        _separate("separate runs, a process each", plain, separate),
        _separate("separate runs, in one process", plain, [together]),
    ]
    return {
        "documents": plain.result["documents"],
        "segmenter": plain.result["segmenter"],
        "separate_runs_measured": count,
        "rows": rows,
        "ratios": _sweep_ratios(plain, rows),
        "jobs": [asdict(job) for job in (plain, exact, indexes, *separate, together)],
    }


def measure_rules(runner: Runner, source: Source) -> dict[str, Any]:
    """Return what an index of blocks takes under a rule, beside an index of the rule."""
    arguments = source.pages() | {"topics": source.topics}
    found = runner.run("search-under-rules", arguments, "rules")
    return found.result | {"largest": found.largest}


def _row(name: str, job: Measured) -> dict[str, Any]:
    return {
        "name": name,
        "wall": job.wall,
        "cpu": job.cpu,
        "largest": job.largest,
        "together": job.together,
        "left": job.left,
        "written": job.written,
    }


def _index_phase(name: str, job: Measured) -> dict[str, Any]:
    phase = job.phase("index")
    return {"name": name, "wall": phase["wall"], "cpu": phase["cpu"]}


def _separate(name: str, plain: Measured, jobs: list[Measured]) -> dict[str, Any]:
    """Separate runs at all thresholds, from those measured, with one segmentation before them.

    In one process the start and the first run, with Java still cold, count once.
    """
    runs = sum(len(job.result["thresholds"]) for job in jobs)
    factor = THRESHOLDS / runs

    def total(measure: str) -> float:
        whole: float = sum(getattr(job, measure) for job in jobs)
        if len(jobs) > 1 or runs == 1:
            return whole * factor
        warm = [
            phase[measure] for phase in jobs[0].phases if phase["name"] in _OF_A_RUN
        ]
        later: float = sum(warm[len(_OF_A_RUN) :])
        return whole + later / (runs - 1) * (THRESHOLDS - runs)

    return {
        "name": name,
        "wall": plain.phase("segment")["wall"] + total("wall"),
        "cpu": plain.cpu
        - sum(phase["cpu"] for phase in plain.phases[1:])
        + total("cpu"),
        "largest": max(job.largest for job in jobs),
        "together": max((job.together or 0 for job in jobs), default=0) or None,
        "left": sum(job.left for job in jobs) * factor,
        "written": sum(job.written for job in jobs) * factor,
        "measured": runs,
    }


def _sweep_ratios(plain: Measured, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    one, exact, indexes, index_phase, separate, in_one = rows
    one_index = _index_phase("one plain index", plain)
    pairs = [
        ("exact sweep / plain run", exact, one),
        ("real indexes / plain run", indexes, one),
        (
            f"building {THRESHOLDS} indexes / building one plain index",
            index_phase,
            one_index,
        ),
        ("separate runs / real indexes", separate, indexes),
        ("separate runs / exact sweep", separate, exact),
        ("separate runs in one process / real indexes", in_one, indexes),
        ("separate runs in one process / exact sweep", in_one, exact),
    ]
    return [
        {
            "name": name,
            **{
                measure: above[measure] / below[measure] if below[measure] else None
                for measure in ("wall", "cpu")
            },
        }
        for name, above, below in pairs
    ]


def write_demo(runner: Runner) -> Source:
    """Return the demo collection, made anew."""
    written = runner.run("write-demo", {}, "demo", keep=True).result
    return Source(written["input"], None, written["topics"], written["qrels"])
