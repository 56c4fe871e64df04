"""How fast boilersweep is, as ratios to lxml, to a plain run and to separate runs.

    sh scripts/run.sh python scripts/benchmark.py                       the demo collection
    sh scripts/run.sh python scripts/benchmark.py --pages DIR --topics FILE --qrels FILE
    sh scripts/run.sh python scripts/benchmark.py --parts cleaning --against COMMIT

Everything is measured in one run on one machine: absolute figures mean little on another.
Most peers are in the environment as extractors; selectolax is optional and without it its row says
so. It installs with `.venv/bin/python -m pip install --group peers` (pip 25.1 or newer) or
`uv pip install --group peers`.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.against import compare
from benchmarks.machine import describe_machine
from benchmarks.measure import JobError
from benchmarks.parts import (
    Runner,
    Source,
    measure_rules,
    measure_sweep,
    measure_systems,
    write_demo,
)
from benchmarks.report import render

OF_SYSTEMS = ("segmentation", "cleaning")
PARTS = (*OF_SYSTEMS, "sweep", "rules")


def main() -> int:
    """Run the benchmark that the command line asks for."""
    options = _parse()
    options.output.mkdir(parents=True, exist_ok=True)
    try:
        if options.against:
            return compare(
                options.against, sys.argv[1:], options.output, options.repeat
            )
        with TemporaryDirectory(prefix="work-", dir=options.output) as scratch:
            results = _measure(options, Path(scratch))
    except JobError as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 1
    (options.output / "benchmark.json").write_text(
        json.dumps(results, indent=2) + "\n", encoding="utf-8"
    )
    (options.output / "benchmark.md").write_text(
        render(results, "pipe"), encoding="utf-8"
    )
    print(render(results, "simple"))
    print(f"{options.output}/benchmark.json, {options.output}/benchmark.md")
    return 0


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--pages",
        type=Path,
        metavar="PATH",
        help="a collection (default: the demo collection)",
    )
    parser.add_argument(
        "--collection", metavar="FORMAT", help="its format (default: recognised)"
    )
    parser.add_argument("--topics", type=Path, metavar="FILE")
    parser.add_argument("--qrels", type=Path, metavar="FILE")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        default=Path("out/benchmark"),
        help="for the report, and for scratch files while it runs (default: %(default)s)",
    )
    parser.add_argument(
        "--parts",
        type=_parts,
        default=PARTS,
        metavar="PART,...",
        help=f"of {', '.join(PARTS)} (default: all)",
    )
    parser.add_argument(
        "--against",
        metavar="COMMIT",
        help="measure the parts in turns with another commit's, and fail if any row of this "
        "checkout is slower",
    )
    _add_sizes(parser)
    return parser


def _add_sizes(parser: argparse.ArgumentParser) -> None:
    """Declare how much is measured."""
    parser.add_argument(
        "--repeat",
        type=int,
        default=5,
        metavar="N",
        help="rounds of systems and of --against (default: %(default)s)",
    )
    parser.add_argument(
        "--most-pages",
        type=int,
        default=2500,
        metavar="N",
        help="segment and clean the collection's first N pages at most (default: %(default)s)",
    )
    parser.add_argument(
        "--sample",
        type=int,
        default=100,
        metavar="N",
        help="pages for the slow systems of both (default: %(default)s)",
    )
    parser.add_argument(
        "--separate-runs",
        type=int,
        default=12,
        metavar="N",
        help="thresholds at which separate runs are measured (default: %(default)s)",
    )


def _parse() -> argparse.Namespace:
    parser = _make_parser()
    options = parser.parse_args()
    needs_topics = set(options.parts) - set(OF_SYSTEMS)
    if not options.pages and (options.topics or options.qrels):
        parser.error(
            "--topics and --qrels go with --pages: the demo collection has its own"
        )
    if options.pages and needs_topics and not (options.topics and options.qrels):
        parser.error(
            "a sweep of --pages needs --topics and --qrels; or --parts segmentation,cleaning"
        )
    return options


def _parts(text: str) -> tuple[str, ...]:
    wanted = tuple(part.strip() for part in text.split(","))
    if unknown := set(wanted) - set(PARTS):
        raise argparse.ArgumentTypeError(
            f"expected some of {', '.join(PARTS)}, got {', '.join(sorted(unknown))}"
        )
    return wanted


def _measure(options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Everything that was asked for, in the order of the parts."""
    machine = describe_machine()
    if options.pages:
        topics, qrels = (
            str(path) if path else None for path in (options.topics, options.qrels)
        )
        source = Source(str(options.pages), options.collection, topics, qrels)
    else:
        source = write_demo(Runner(scratch / "source"))
    runner = Runner(scratch / "jobs")
    measures: dict[str, Callable[[], Any]] = {
        **{
            part: partial(
                measure_systems,
                runner,
                source,
                part,
                repeat=options.repeat,
                most_pages=options.most_pages,
                sample=options.sample,
            )
            for part in OF_SYSTEMS
        },
        "sweep": lambda: measure_sweep(
            runner,
            source,
            sample=options.separate_runs,
        ),
        "rules": lambda: measure_rules(runner, source),
    }
    results: dict[str, Any] = {
        "machine": machine,
        "command": sys.argv,
        "source": asdict(source),
    }
    for part in PARTS:
        if part in options.parts:
            results[part] = measures[part]()
    machine["load_at_end"] = os.getloadavg()
    return results


if __name__ == "__main__":
    sys.exit(main())
