"""Jobs on one, two and four cores, as whole commands; and what `segment` takes to start."""

import json
import os
import statistics
from collections.abc import Mapping
from typing import Any

from benchmarks.measure import Measured
from benchmarks.parts import THRESHOLDS, Runner, Source

CORES = (1, 2, 4)

_ONE_PAGE = "<html><head><title>One page</title></head><body><p>Some words.</p></body></html>"


def measure_cores(runner: Runner, source: Source, *, repeat: int) -> dict[str, Any]:
    """Index, both sweeps and `segment`, each round once on every number of cores there is."""
    here = len(os.sched_getaffinity(0))
    jobs = _jobs(source)
    with runner.part("cores", repeat * (len(jobs) * sum(n <= here for n in CORES) + 2) + 2):
        stored = runner.run("segment", source.pages(), "segment", keep=True).result
        store = ["--store", stored["store"]]
        measured: dict[tuple[str, int], list[Measured]] = {}

        def run(name: str, arguments: list[str], cores: int) -> None:
            output = runner.folder("job")
            command = [*arguments, "--output", str(output / "out")]
            one = runner.run("command", {"arguments": command, "shares": 0}, "job", cores=cores)
            measured.setdefault((name, cores), []).append(one)

        page = runner.folder("page.jsonl")
        page.write_text(json.dumps({"id": "one", "contents": _ONE_PAGE}) + "\n", encoding="utf-8")
        given = ["--input", source.input]
        given += ["--collection", source.collection] if source.collection else []
        for _ in range(repeat):
            run(_SEGMENT, ["segment", *given, "--threads", "1"], 1)
            run(_START, ["segment", "--input", str(page), "--threads", "1"], 1)
            for name, command in jobs.items():
                for cores in (n for n in CORES if n <= here):
                    run(name, [*command, *store], cores)
        parsing = _parsing(runner, source, repeat, stored["documents"])
    rows = [_row(name, cores, found) for (name, cores), found in measured.items()]
    cpu = {name: [one.cpu for one in found] for (name, _), found in measured.items()}
    whole, start = cpu[_SEGMENT], cpu[_START]
    own = [all_ - begun for all_, begun in zip(whole, start, strict=True)]
    return {
        "documents": stored["documents"],
        "repeat": repeat,
        "rows": _with_speedups(rows),
        "parsing": parsing,
        "segment / parsing": _over(whole, parsing),
        "segment without its start / parsing": _over(own, parsing),
    }


_SEGMENT, _START = "segment --threads 1", "segment --threads 1, one page"


def _jobs(source: Source) -> Mapping[str, list[str]]:
    """Return the commands, less their store and output."""
    judged = ["--topics", str(source.topics), "--qrels", str(source.qrels)]
    return {
        "index --keep 'words>=5'": ["index", "--keep", "words>=5"],
        "index --keep learned": ["index", "--keep", "learned"],
        f"exact sweep, {THRESHOLDS} thresholds": ["sweep", "--engine", "exact", *judged],
        f"sweep with {THRESHOLDS} real indexes": ["sweep", "--engine", "indexes", *judged],
    }


def _row(name: str, cores: int, found: list[Measured]) -> dict[str, Any]:
    return {
        "name": name,
        "cores": cores,
        **{
            measure: [getattr(one, measure) for one in found]
            for measure in ("wall", "cpu", "largest")
        },
    }


def _with_speedups(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With how many times as fast as on one core a row is, round by round."""
    alone = {row["name"]: row["wall"] for row in rows if row["cores"] == 1}
    return [
        {**row, "times": [a / b for a, b in zip(alone[row["name"]], row["wall"], strict=True)]}
        for row in rows
    ]


def _parsing(runner: Runner, source: Source, repeat: int, pages: int) -> list[float]:
    """CPU seconds of lxml's parsing of all pages, round by round."""
    options = {"part": "parsing", "repeat": repeat, "most_pages": pages, "sample": 1}
    found = runner.run("time-systems", source.pages() | options, "parsing").result
    seconds: list[float] = found["systems"][0]["seconds"]
    return seconds


def _over(seconds: list[float], parsing: list[float]) -> list[float]:
    median = statistics.median(parsing)
    return [one / median for one in seconds]
