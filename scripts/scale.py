"""Measure the way from pages to scores at growing sizes, by one process and by several.

    python scripts/scale.py --pages PATH --topics FILE --qrels FILE --factors 5,20,50 --output DIR

The collection is written so many times over, as gzip'd JSONL (see `benchmarks.scaled`): the first
copy keeps its docids, so topics and judgements fit, later ones get a suffix and another word for
each "the". Rows, lengths and block counts grow as in a real collection, but the vocabulary grows by
one term per copy only.

Each stage is a command in processes of its own, and is measured with all it starts: segment; the
exact engine's pass over 120 thresholds, ranking by it, scoring the lists and the proof of one
threshold against a real index (sweep); the one index to deploy (index); the one index of all blocks
(blocks). Each has as many --threads as asked for. With --cluster the first two run on as many Dask
workers of one thread, which start and end with the stage and are counted in it; the last two,
which one process does, are left out. --heap is Java's.

With --new SHARE only a store and the one index to deploy are built, without that share of the
files, and then brought up to date with them; the largest of --processes are the workers. It prints
what the same two commands took each time.

DIR gets scale.json and scale.md: figures, straight lines fitted to them, and what they come to for
collections of other sizes at the prices given. Sizes that an earlier scale.json there has are not
measured again but taken along, so large ones can be added to small ones.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from benchmarks.machine import describe_machine
from benchmarks.measure import JobError, Measured, run_job
from benchmarks.updates import measure_update
from tabulate import tabulate

TARGETS = {
    "BLOGS06": 3_215_171,
    "ClueWeb09-B": 50_220_423,
    "ClueWeb22-B": 200_000_000,
}
STAGES = ("segment", "sweep", "index", "blocks")
_GB = 1e9


@dataclass(frozen=True, slots=True)
class Figure:
    """A stage at a size, which is a factor and the pages that it gives.

    Attributes:
        wall: seconds.
        cpu: seconds.
        peak: bytes of the largest process.
        together: of all at the same time, pages that they share counted in each; None off Linux.
        left: bytes it leaves on disk.
    """

    factor: int
    pages: int
    processes: int
    stage: str
    wall: float
    cpu: float
    peak: int
    together: int | None
    left: int


def measure(
    source: argparse.Namespace, factor: int, counts: Sequence[int], scratch: Path
) -> list[Figure]:
    """All stages at one size, on each of the numbers of processes."""
    scaled = scratch / "pages"
    arguments = {
        "input": str(source.pages),
        "collection": source.collection,
        "factor": factor,
    }
    found = run_job("write-scaled", arguments, scaled)
    size = (factor, found.result["pages"])
    figures = [_figure(size, 1, "pages", found, scaled)]
    for processes in counts:
        folder = scratch / f"on-{processes}"
        figures += _stages(
            source, scaled, folder, size, processes, last=processes == counts[-1]
        )
        shutil.rmtree(folder)
    shutil.rmtree(scratch)
    return figures


def _stages(
    source: argparse.Namespace,
    scaled: Path,
    folder: Path,
    size: tuple[int, int],
    processes: int,
    *,
    last: bool,
) -> list[Figure]:
    """Measure each stage; the pages go after the last segmentation, so that the disk holds less."""
    figures = []
    shared = [] if source.cluster else ["--threads", processes]
    heap = ["--heap", source.heap] if source.heap else []

    def run(stage: str, output: Path, left: Path, *command: object) -> None:
        arguments = {
            "arguments": list(map(str, (*command, "--output", output, *shared))),
            "processes": 1,
            "workers": processes if source.cluster else 0,
        }
        found = run_job("command", arguments, output)
        figures.append(_figure(size, processes, stage, found, left))
        print(f"{size[1]:>10,} {processes} {stage:>8} {found.wall:9.1f} s", flush=True)

    store, sweep, index = folder / "store", folder / "sweep", folder / "index"
    experiment = ("--topics", source.topics, "--qrels", source.qrels, "--store", store)
    exact = ("--engine", "exact", "--verify", 1)
    keep = ("--keep", "words>=5", "--storeContents")
    run("segment", store, store, "segment", "--input", scaled)
    if last:
        shutil.rmtree(scaled)
    run("sweep", sweep, sweep / ".tasks", "sweep", *exact, *experiment, *heap)
    if source.cluster:
        return figures
    run("index", index, index, "index", "--store", store, *keep, *heap)
    shutil.rmtree(index)
    run("blocks", index, index, "index", "--store", store, "--blocks", *heap)
    return figures


def _figure(
    size: tuple[int, int], processes: int, stage: str, found: Measured, left: Path
) -> Figure:
    memory = (found.largest, found.together)
    return Figure(
        *size, processes, stage, found.wall, found.cpu, *memory, size_of(left)
    )


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder, 0 where there is none."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@dataclass(frozen=True, slots=True)
class Line:
    """once + each * pages, fitted by least squares."""

    once: float
    each: float

    def at(self, pages: float) -> float:
        return max(0.0, self.once + self.each * pages)


def fitted(figures: Sequence[Figure], value: str) -> Line:
    """Return a line through a value of one stage, through the origin if there is one size."""
    pages = np.array([figure.pages for figure in figures], dtype=float)
    values = np.array([getattr(figure, value) for figure in figures], dtype=float)
    if len(set(pages)) < 2:
        return Line(0.0, float(values.mean() / pages.mean()))
    each, once = np.polyfit(pages, values, 1)
    return Line(float(once), float(each))


def report(figures: Sequence[Figure], options: argparse.Namespace) -> str:
    """Everything as Markdown."""
    measured = [
        (f"{f.pages:,}", f.processes, f.stage, f.wall, f.cpu, f.pages / f.wall, f.peak / _GB,
         f.together / _GB if f.together else None, f.left / f.pages)
        for f in sorted(figures, key=lambda f: (f.pages, f.processes))
    ]  # fmt: skip
    header = ["pages", "processes", "stage", "wall s", "cpu s", "pages/s"]
    header += ["largest GB", "together GB", "bytes/page"]
    formats = (*[".1f"] * 5, ".0f", ".2f", ".2f", ".0f")
    parts = ["## Measured", tabulate(measured, header, "pipe", floatfmt=formats)]
    models = cost_models(figures)
    modelled = [
        (stage, line["cpu"].once, line["cpu"].each * 1e3, line["peak"].once / _GB,
         line["peak"].each, line["left"].each)
        for stage, line in models.items()
    ]  # fmt: skip
    header = [
        "stage",
        "cpu s once",
        "cpu ms/page",
        "GB once",
        "bytes/page in memory",
        "on disk",
    ]
    parts += ["## Cost model", tabulate(modelled, header, "pipe", floatfmt=".2f")]
    expected = [
        (name, *extrapolated(models, pages, options)) for name, pages in TARGETS.items()
    ]
    header = ["collection", "core hours", *(f"{stage} GB" for stage in models)]
    header += ["computing", "disk for a month"]
    parts += ["## Extrapolated", tabulate(expected, header, "pipe", floatfmt=",.0f")]
    parts += [
        f"At {options.core_hour} a core hour and {options.gb_month} a GB and month."
    ]
    return "\n\n".join(parts) + "\n"


def cost_models(figures: Sequence[Figure]) -> dict[str, dict[str, Line]]:
    """For each stage, lines of cpu, peak and left; from the largest number of processes."""
    most = max(figure.processes for figure in figures)
    models = {}
    for stage in STAGES:
        some = [f for f in figures if f.stage == stage and f.processes == most]
        if some:
            models[stage] = {
                value: fitted(some, value) for value in ("cpu", "peak", "left")
            }
    return models


def extrapolated(
    models: dict[str, dict[str, Line]], pages: int, options: argparse.Namespace
) -> tuple[float, ...]:
    """Core hours, GB that each stage leaves on disk, and what both cost."""
    hours = sum(line["cpu"].at(pages) for line in models.values()) / 3600
    disk = [line["left"].at(pages) / _GB for line in models.values()]
    return (hours, *disk, hours * options.core_hour, sum(disk) * options.gb_month)


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Measure how the work grows with the pages."
    )
    parser.add_argument("--pages", type=Path, required=True, metavar="PATH")
    parser.add_argument("--collection", metavar="FORMAT", help="(default: recognised)")
    parser.add_argument("--topics", type=Path, required=True, metavar="FILE")
    parser.add_argument("--qrels", type=Path, required=True, metavar="FILE")
    parser.add_argument("--factors", type=numbers, default=[5, 20], metavar="N,...")
    parser.add_argument("--processes", type=numbers, default=[1, 2], metavar="N,...")
    parser.add_argument(
        "--new",
        type=float,
        metavar="SHARE",
        help="measure an update with so many new files",
    )
    parser.add_argument("--cluster", action="store_true", help="on Dask workers")
    parser.add_argument(
        "--heap", metavar="SIZE", help="Java's (default: its command's)"
    )
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--core-hour", type=float, default=0.05, help="its price (default: 0.05)"
    )
    parser.add_argument(
        "--gb-month", type=float, default=0.08, help="its price (default: 0.08)"
    )
    return parser


def measured_before(said: Path) -> list[Figure]:
    """Return the figures in scale.json, none where there is no such file."""
    if not said.exists():
        return []
    return [
        Figure(**figure) for figure in json.loads(said.read_text("utf-8"))["figures"]
    ]


def main() -> int:
    options = make_parser().parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    try:
        return _measure_updates(options) if options.new else _measure_stages(options)
    except JobError as error:
        print(f"scale: {error}", file=sys.stderr)
        return 1


def _measure_updates(options: argparse.Namespace) -> int:
    for factor in options.factors:
        scratch = options.output / f"updates-{factor}"
        print(
            measure_update(options, factor, max(options.processes), scratch), flush=True
        )
    return 0


def _measure_stages(options: argparse.Namespace) -> int:
    said = options.output / "scale.json"
    figures = measured_before(said)
    done = {
        (figure.factor, figure.processes)
        for figure in figures
        if figure.stage != "pages"
    }
    for factor in options.factors:
        counts = [
            number for number in options.processes if (factor, number) not in done
        ]
        if not counts:
            continue
        figures += measure(options, factor, counts, options.output / f"times-{factor}")
        # After each size, so that one that fails costs none of those before.
        content = {"machine": describe_machine(), "figures": list(map(asdict, figures))}
        said.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
        (options.output / "scale.md").write_text(report(figures, options), "utf-8")
    print(report(figures, options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
