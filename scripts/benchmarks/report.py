"""The figures as tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tabulate import tabulate

_MB = 1e6


@dataclass(frozen=True, slots=True)
class Table:
    """A table under a title, with what is to be known of it below."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def text(self, form: str) -> str:
        """Return the table in one of tabulate's forms."""
        align = ("left", *("right",) * (len(self.heads) - 1))
        body = tabulate(
            self.rows, self.heads, tablefmt=form, colalign=align, disable_numparse=True
        )
        return "\n\n".join([f"## {self.title}", body, *self.notes])


def render(results: dict[str, Any], form: str) -> str:
    """All that was measured.

    Args:
        results: all that was measured.
        form: "simple" for the terminal, "pipe" for Markdown.
    """
    texts = ["# boilersweep benchmark", _machine(results["machine"], results["source"])]
    texts += [table.text(form) for table in _tables(results)]
    return "\n\n".join(texts) + "\n"


def _machine(machine: dict[str, Any], source: dict[str, Any]) -> str:
    loads = " ".join(f"{load:.1f}" for load in machine["load_at_start"])
    return (
        f"{machine['processor']}, {machine['usable_cores']} of {machine['cores']} cores, "
        f"{machine['memory_bytes'] / 2**30:.0f} GiB, {machine['system']}, "
        f"Python {machine['python']}, Java {machine['java']}; load before: {loads}. "
        f"Collection: {source['input']}."
    )


def _tables(results: dict[str, Any]) -> list[Table]:
    tables = [
        _systems(f"{part.capitalize()}, one core", found)
        for part in ("segmentation", "cleaning")
        if (found := results.get(part))
    ]
    if found := results.get("sweep"):
        tables += [_sweep(found), _ratios(found), _phases(found)]
    if found := results.get("rules"):
        tables.append(_rules(found))
    return tables


def _systems(title: str, found: dict[str, Any]) -> Table:
    rows = [
        [
            one["name"] + (" (on the sample)" if one["on_sample"] else ""),
            f"{one['pages']:,}",
            f"{one['pages_per_second']:,.0f}",
            f"{one['ratio']:.2f}",
            f"{min(one['ratios']):.2f}-{max(one['ratios']):.2f}",
            ", ".join(f"{count:,} {name}" for name, count in one["failures"].items())
            or "0",
        ]
        for one in found["systems"]
    ]
    rows += [
        [name, "", "", "", "", reason] for name, reason in found["missing"].items()
    ]
    return Table(
        title,
        ("system", "pages", "pages/s", "time / lxml", "its range", "exceptions"),
        rows,
        (
            f"{found['pages']:,} pages, {found['bytes'] / _MB:,.1f} MB of UTF-8, decoded before "
            f"the clock starts. CPU time, medians of {found['repeat']} rounds over all systems "
            f"in turn. Slow systems run on {found['sample']:,} of the pages, evenly spread; their "
            "ratio is to lxml on the same pages in the same round.",
        ),
    )


def _sweep(found: dict[str, Any]) -> Table:
    measured = found["separate_runs_measured"]
    extrapolated = any(row.get("measured", 120) < 120 for row in found["rows"])
    note = (
        f"Separate runs: {measured} evenly spread thresholds measured, multiplied to 120"
        if extrapolated
        else "Separate runs: all 120 measured"
    )
    return Table(
        f"Sweep, {found['documents']:,} pages, from HTML to the end",
        (
            "what",
            "seconds",
            "CPU s",
            "largest process MB",
            "all processes MB",
            "kept MB",
            "written MB",
        ),
        [[row["name"], *_cells(row)] for row in found["rows"]],
        (
            f"{note}; one segmentation is added, nothing for scores and reports. "
            "Each is pyserini's LuceneIndexer (2 threads) and one search. Memory is the peak; all "
            "processes: sampled, shared pages counted in each. Kept: files left in the output "
            "folder. The exact sweep includes its default verification by real indexes. "
            f"Segmenter: {found['segmenter']}.",
        ),
    )


def _rules(found: dict[str, Any]) -> Table:
    times, sizes = found["times"], found["sizes"]
    rows = [
        [
            f"a query, {depth:,} hits",
            *(f"{times[f'{name} {depth}']:.2f}" for name in ("new", "known", "index")),
        ]
        for depth in (10, 1000)
    ]
    bare = sizes["no blocks"]
    return Table(
        f"One index under a rule, {found['documents']:,} pages, {found['topics']} topics",
        ("CPU ms", "new terms", "terms asked before", "an index of the rule"),
        [*rows, ["a new rule", f"{times['rule']:.2f}", "", ""]],
        (
            "Medians over topics and rules, all threads, after Java has warmed up. Size: "
            f"{sizes['blocks'] / _MB:.2f} MB, {sizes['blocks'] / bare:.3f} times that of the same "
            f"index without blocks; the index of the rule has {sizes['rule'] / _MB:.2f} MB.",
        ),
    )


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        f"{row['wall']:,.1f}",
        f"{row['cpu']:,.1f}",
        *(
            f"{row[key] / _MB:,.0f}" if row.get(key) is not None else ""
            for key in ("largest", "together", "left", "written")
        ),
    ]


def _ratios(found: dict[str, Any]) -> Table:
    rows = [
        [
            ratio["name"],
            *(f"{ratio[key]:.2f}" if ratio[key] else "" for key in ("wall", "cpu")),
        ]
        for ratio in found["ratios"]
    ]
    return Table("Ratios", ("what", "time", "CPU time"), rows)


def _phases(found: dict[str, Any]) -> Table:
    jobs = [job for job in found["jobs"] if job["job"] != "separate-runs"]
    return Table(
        "Phases of the sweeps",
        _PHASE_HEADS,
        [row for job in jobs for row in _phase_rows(job)],
        (_PHASE_NOTE,),
    )


_PHASE_HEADS = ("what", "seconds", "own CPU s", "own peak so far MB")
_PHASE_NOTE = "Own: of the job's main process; segmentation works in others."


def _phase_rows(job: dict[str, Any]) -> list[list[str]]:
    rows = [
        [
            f"{job['job']}: {phase['name']}",
            f"{phase['wall']:,.1f}",
            f"{phase['cpu']:,.1f}",
            f"{phase['peak'] / _MB:,.0f}",
        ]
        for phase in job["phases"]
    ]
    rest = job["wall"] - sum(phase["wall"] for phase in job["phases"])
    return [
        *rows,
        [f"{job['job']}: start and end of the process", f"{rest:,.1f}", "", ""],
    ]
