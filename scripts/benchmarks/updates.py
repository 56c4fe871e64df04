"""What it takes to bring a store and its index up to date, beside what their first build took."""

import json
import shutil
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from benchmarks.measure import Measured, run_job


@dataclass(frozen=True, slots=True)
class Round:
    """All commands once.

    Attributes:
        documents: in the store then.
        took: each command's, in their order.
    """

    documents: int
    took: list[Measured]


def measure_update(
    source: Namespace, factor: int, processes: int, scratch: Path
) -> str:
    """Build a store and an index without some files, then update both; a table of what it took.

    Args:
        source: `pages`, `collection`, and `new`, the share of the files that the first build lacks;
            they stand evenly among the others.
        factor: copies of the collection.
        processes: shares that work at the same time.
        scratch: a folder for everything that is written.

    Raises:
        JobError: the request is impossible.
    """
    pages, later, store = scratch / "pages", scratch / "later", scratch / "store"
    arguments = {
        "input": str(source.pages),
        "collection": source.collection,
        "factor": factor,
    }
    run_job("write-scaled", arguments, pages)
    new = sorted(pages.iterdir())[:: round(1 / source.new)]
    later.mkdir()
    for path in new:
        path.rename(later / path.name)
    end = ("--threads", processes, "--output")
    keep = ("--keep", "words>=5", "--storeContents")
    commands = (
        ("segment", "--input", pages, *end, store),
        ("index", "--store", store, *keep, "--update", *end, scratch / "index"),
    )
    first = _done(commands, store)
    for path in new:
        (later / path.name).rename(path)
    update = _done(commands, store)
    shutil.rmtree(scratch)
    return _table([command[0] for command in commands], first, update)


def _done(commands: Sequence[Sequence[object]], store: Path) -> Round:
    took = []
    for command in commands:
        words = list(map(str, command))
        took.append(
            run_job("command", {"arguments": words, "processes": 1}, Path(words[-1]))
        )
    manifest = json.loads((store / "manifest.json").read_text("utf-8"))
    return Round(manifest["facts"]["documents"], took)


def _table(names: Sequence[str], first: Round, update: Round) -> str:
    new = update.documents - first.documents
    header = ["command", f"{first.documents:,} pages: wall s", "cpu s"]
    header += [
        f"{new:,} new: wall s",
        "cpu s",
        "wall, of the first",
        "cpu, of the first",
    ]
    rows = {
        name: [one.wall, one.cpu, other.wall, other.cpu]
        for name, one, other in zip(names, first.took, update.took, strict=True)
    }
    rows["both"] = [sum(values) for values in zip(*rows.values(), strict=True)]
    whole = [
        (name, *row, f"1/{row[0] / row[2]:.0f}", f"1/{row[1] / row[3]:.0f}")
        for name, row in rows.items()
    ]
    return tabulate(whole, header, "pipe", floatfmt=".1f")
