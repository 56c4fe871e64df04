"""Change one thing, run again, and say of every cell of the table what came of it.

    python scripts/change_one_thing.py [--column TEXT] [--row TEXT] [--work DIR]

The table is in scripts/robustness/. Prints one line per cell that is wrong, and how often
each verdict was given; exits with 1 unless all are right. The suite runs the same cells.
"""

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from robustness.cells import Bench, columns_of
from robustness.changes import ROWS
from robustness.quick import quick
from tabulate import tabulate


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Change one thing, run again, and compare.")
    parser.add_argument("--column", default="", metavar="TEXT", help="those with it in the name")
    parser.add_argument("--row", default="", metavar="TEXT", help="those with it in the name")
    parser.add_argument("--work", type=Path, metavar="DIR", help="(default: a temporary folder)")
    return parser


def main() -> int:
    options = make_parser().parse_args()
    with quick():
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    work = options.work or Path(tempfile.mkdtemp(prefix="change-one-thing-"))
    bench = Bench(work.resolve())
    counts: Counter[str] = Counter()
    wrong = 0
    for row in ROWS:
        columns = [column for column in columns_of(row) if options.column in column.name]
        if options.row not in row.name:
            continue
        for column, verdict in bench.cells(columns, row):
            counts[verdict.what] += 1
            if not verdict.is_right:
                wrong += 1
                print(f"{column.name} | {row.name} | {verdict.what}", flush=True)
                print(f"    {verdict.detail}", flush=True)
    print(tabulate(counts.most_common(), ("cells", "count")))
    print(f"{wrong} of {counts.total()} cells are wrong")
    if options.work is None:
        shutil.rmtree(work)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
