"""A regression gate: this checkout's benchmark in turns with that of another commit.

Each is measured by its own scripts, which know its functions, with the libraries of this
environment. The other commit is checked out and compiled below the output folder.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tabulate import tabulate

from benchmarks.measure import JobError

_CHECKOUT = Path(__file__).resolve().parents[2]
_FOLDERS = ("indexer", "eval", "topics")
# A row is slower if it is by more than this in every round.
NOISE = 0.02


def compare(commit: str, arguments: Sequence[str], output: Path, rounds: int) -> int:
    """Measure both in turns and print every row's ratio; 1 if any row is slower here.

    Args:
        commit: the other checkout.
        arguments: of this benchmark.
        output: a folder.
        rounds: how often both are measured.

    Raises:
        JobError: a commit cannot be built or measured.
    """
    given = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("--against", "--repeat", "--output"):
        given.add_argument(name)
    _, asked = given.parse_known_args(arguments)
    found: dict[str, list[dict[str, float]]] = {"before": [], "after": []}
    with TemporaryDirectory(prefix="against-", dir=output) as scratch:
        before = Path(scratch, "before")
        with _worktree(commit, before):
            sides = {"before": before, "after": _CHECKOUT}
            for number in range(rounds):
                # Who is first changes, as a machine slows down and recovers.
                for side in sorted(sides, reverse=bool(number % 2)):
                    print(f"round {number + 1} of {rounds}: {side}", file=sys.stderr)
                    found[side].append(
                        _measure(sides[side], asked, Path(scratch, "out"))
                    )
    text, slower = rendered(commit, found["before"], found["after"])
    (output / "against.md").write_text(text, encoding="utf-8")
    print(text)
    return 1 if slower else 0


def rendered(
    commit: str,
    before: Sequence[Mapping[str, float]],
    after: Sequence[Mapping[str, float]],
) -> tuple[str, list[str]]:
    """Return the table of all rows, and the names of those that are slower.

    One mapping per round.
    """
    rows, slower = [], []
    for name in before[0]:
        if name not in after[0]:
            continue
        pairs = [new[name] / old[name] for old, new in zip(before, after, strict=True)]
        verdict = "slower" if min(pairs) > 1 + NOISE else ""
        verdict = "faster" if max(pairs) < 1 - NOISE else verdict
        if verdict == "slower":
            slower.append(name)
        old, new = (
            statistics.median(one[name] for one in side) for side in (before, after)
        )
        ratio = f"{statistics.median(pairs):.2f} ({min(pairs):.2f}-{max(pairs):.2f})"
        rows.append([name, f"{old:,.3f}", f"{new:,.3f}", ratio, verdict])
    heads = ("row", f"{commit}", "this checkout", "ratio (its range)", "")
    table = tabulate(rows, heads, tablefmt="pipe", disable_numparse=True)
    note = (
        f"{len(before)} rounds in turns; medians. Slower, faster: by more than {NOISE:.0%} in "
        f"every round. {len(slower)} of {len(rows)} rows are slower."
    )
    return f"{table}\n\n{note}\n", slower


@contextmanager
def _worktree(commit: str, folder: Path) -> Iterator[None]:
    """Provide the commit in a folder, with its compiled modules."""
    git = ["git", "-C", str(_CHECKOUT), "worktree"]
    _run([*git, "add", "--detach", str(folder), commit])
    try:
        _run([sys.executable, "setup.py", "build_ext", "--inplace"], folder)
        yield
    finally:
        _run([*git, "remove", "--force", str(folder)])


def _run(command: Sequence[str], folder: Path | None = None) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise JobError(f"{' '.join(command)} failed:\n{done.stderr}")


def _measure(
    checkout: Path, arguments: Sequence[str], output: Path
) -> dict[str, float]:
    """Return the rows of one round of a checkout's code, in seconds or relative to lxml."""
    package = _linked(checkout, output.with_name(f"{checkout.name}-package"))
    script = [sys.executable, str(checkout / "scripts" / "benchmark.py")]
    rounds = ["--repeat", "1", "--separate-runs", "1", "--output", str(output)]
    done = subprocess.run(
        [*script, *arguments, *rounds],
        env=os.environ | {"PYTHONPATH": str(package)},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        raise JobError(f"the benchmark of {checkout} failed; it may have other --parts")
    return dict(
        _rows(json.loads((output / "benchmark.json").read_text(encoding="utf-8")))
    )


def _linked(checkout: Path, package: Path) -> Path:
    """Link the package `boilersweep` in a folder that precedes the installed package."""
    folder = package / "boilersweep"
    if not folder.exists():
        folder.mkdir(parents=True)
        parts = (checkout / "src" / "boilersweep").iterdir()
        for part in (*parts, *(checkout / name for name in _FOLDERS)):
            (folder / part.name).symlink_to(part)
    return package


def _rows(results: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for part in ("segmentation", "cleaning"):
        for one in results.get(part, {}).get("systems", ()):
            yield f"{part}: {one['name']}, / lxml", one["ratio"]
    for row in results.get("sweep", {}).get("rows", ()):
        for measure in ("wall", "cpu"):
            yield f"sweep: {row['name']}, {measure} s", row[measure]
