"""What users get: speed in environments that the README's commands make, with and without tools.

    python scripts/benchmarks/installs.py OUTPUT [OPTIONS OF benchmark.py]

Clones this checkout's commit four times: with and without a C compiler and a JDK on the PATH. Each
clone is installed by `pip install '.[lucene]'` into a new environment, runs `boilersweep demo`, and
is measured by `benchmark.py --parts cleaning,sweep`. OUTPUT gets the clones and installs.md.
"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

from tabulate import tabulate

COMPILER = re.compile(r"(.*-)?(cc|gcc|c\+\+|g\+\+|c[89]9|clang)(-[\d.]+)?")
JDK = re.compile("javac")
_QUICK = ["--repeat", "2", "--separate-runs", "1", "--sample", "10"]


def main() -> int:
    """Measure the four environments and write their table."""
    output = Path(sys.argv[1]).absolute()
    columns = {}
    for compiler, jdk in product((True, False), repeat=2):
        name = f"{'a' if compiler else 'no'} C compiler, {'a' if jdk else 'no'} JDK"
        hidden = [*([] if compiler else [COMPILER]), *([] if jdk else [JDK])]
        folder = output / name.replace(", ", "-").replace(" ", "-")
        columns[name] = measure(folder, hidden, sys.argv[2:] or _QUICK)
    rows = list(dict.fromkeys(row for column in columns.values() for row in column))
    cells = [[row, *(column.get(row) for column in columns.values())] for row in rows]
    table = tabulate(cells, ["", *columns], "pipe", floatfmt=".2f", missingval="none")
    (output / "installs.md").write_text(table + "\n", "utf-8")
    print(table)
    return 0


def measure(
    folder: Path, hidden: list[re.Pattern[str]], options: list[str]
) -> dict[str, float | None]:
    """Install in a folder with some programs hidden; return each figure by its name."""
    clone, python = folder / "clone", folder / "venv" / "bin" / "python"
    environment = {
        **{name: value for name, value in os.environ.items() if name != "JAVA_HOME"},
        "PATH": os.pathsep.join([str(python.parent), programs(folder, hidden)]),
    }

    def run(*command: object) -> tuple[float, float]:
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(list(map(str, command)), check=True, cwd=clone, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return time.monotonic() - begun, cpu

    root = Path(__file__).resolve().parents[2]
    subprocess.run(["git", "clone", "-q", root, clone], check=True)  # noqa: S607
    run(sys.executable, "-m", "venv", python.parent.parent)
    figures: dict[str, float | None] = {}
    commands = {
        "pip install '.[lucene]'": (python, "-m", "pip", "install", "-q", ".[lucene]"),
        "boilersweep demo": (python.with_name("boilersweep"), "demo"),
    }
    for name, command in commands.items():
        figures[f"{name}, s"], figures[f"{name}, CPU s"] = run(*command)
    results = folder / "results"
    benchmark = [python, "scripts/benchmark.py", "--parts", "cleaning,sweep"]
    run(*benchmark, "--output", results, *options)
    return figures | ratios(json.loads((results / "benchmark.json").read_text("utf-8")))


def programs(folder: Path, hidden: list[re.Pattern[str]]) -> str:
    """Return a folder of links to all programs on the PATH but those with a hidden name."""
    links = folder / "programs"
    links.mkdir(parents=True)
    for place in os.environ["PATH"].split(os.pathsep):
        for path in sorted(Path(place).glob("*")):
            if any(pattern.fullmatch(path.name) for pattern in hidden):
                continue
            if not (links / path.name).is_symlink() and shutil.which(path):
                (links / path.name).symlink_to(path)
    return str(links)


def ratios(found: dict[str, Any]) -> dict[str, float | None]:
    """Return the ratios of a benchmark's CPU time by name; None where a system fails on pages."""
    return {
        **{
            f"{one['name']} / lxml, parsing alone": None
            if one["failures"]
            else one["ratio"]
            for one in found["cleaning"]["systems"]
            if one["name"].startswith("clean")
        },
        **{f"{one['name']}, CPU": one["cpu"] for one in found["sweep"]["ratios"]},
    }


if __name__ == "__main__":
    sys.exit(main())
