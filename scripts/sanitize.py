"""Run the compiled code under the sanitizers of addresses and of undefined behaviour.

    python scripts/sanitize.py --pages DIR [--pages DIR ...] [--mutations N] [--seed S]

Builds the package with both sanitizers into build/sanitized, and runs on it
scripts/fuzz_segmentation.py, by which each page is cut with all options, and scripts/fuzz_tokens.py
without Lucene: the first read or write outside of what was allocated, use of what was freed,
overflow or bad shift ends the run with a report. Needs Linux, GCC with its libasan, and what builds
the package.
Exit status: 0 nothing found, 1 a report or a difference, 2 something needed is not here.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUTPUT = ROOT / "build" / "sanitized"
LIBRARY = OUTPUT / "lib"
SANITIZERS = "-fsanitize=address,undefined"
FLAGS = f"{SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer -fno-wrapv -g -O1"
"""Python's own -fwrapv would hide overflows; the last -O counts."""

ENVIRONMENT = {
    "PYTHONPATH": str(LIBRARY),
    "PYTHONMALLOC": "malloc",  # in Python's own pools neighbours would look like one block
    "ASAN_OPTIONS": "detect_leaks=0",  # Python keeps memory until its end
    "UBSAN_OPTIONS": "print_stacktrace=1",
}

REPORT = re.compile(r"runtime error: |ERROR: AddressSanitizer")


class MissingError(Exception):
    """Something needed is not here."""


def runtime() -> str:
    """The path of GCC's libasan, which must be loaded before all else."""
    compiler = os.environ.get("CC", "cc")
    if shutil.which(compiler) is None:
        raise MissingError(f"expected GCC as {compiler}, got no such program")
    command = [compiler, "-print-file-name=libasan.so"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    if not Path(found).is_absolute():
        raise MissingError(f"expected GCC with libasan as {compiler}, got {found!r} from it")
    return found


def build() -> None:
    """The whole package, its extension modules with sanitizers, into LIBRARY.

    Modules that have not changed since an earlier build are not compiled again.
    """
    command = [sys.executable, "setup.py", "--quiet", "build", "--build-base", str(OUTPUT)]
    done = subprocess.run(
        [*command, "--build-lib", str(LIBRARY)],
        cwd=ROOT,
        env=os.environ | {"CFLAGS": FLAGS, "LDFLAGS": SANITIZERS},
        capture_output=True,
        text=True,
        check=False,
    )
    folders = (ROOT / "src", ROOT / "indexer")
    wanted = sorted(path.stem for folder in folders for path in folder.rglob("*.pyx"))
    built = {path.name.partition(".")[0] for path in LIBRARY.rglob("*.so")}
    if done.returncode or not built.issuperset(wanted):
        raise MissingError(
            f"expected {', '.join(wanted)} to be built with {SANITIZERS}, got "
            f"{', '.join(sorted(built)) or 'none'} (sh scripts/run.sh brings what builds them):\n"
            f"{(done.stdout + done.stderr)[-2000:]}"
        )


def fuzz(library: str, name: str, arguments: list[str]) -> tuple[int, bool]:
    """Run a script on what was built: its exit status, and whether it reports.

    library: to load before all else.
    """
    script = ROOT / "scripts" / name
    done = subprocess.run(
        [sys.executable, str(script), *arguments],
        env=os.environ | ENVIRONMENT | {"LD_PRELOAD": library},
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    print(done.stderr, end="", file=sys.stderr)
    return done.returncode, bool(REPORT.search(done.stderr))


def main() -> int:
    """Build and run; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--pages", action="append", default=[], metavar="DIR")
    parser.add_argument("--mutations", type=int, default=20_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    options = parser.parse_args()
    pages = [f"--pages={folder}" for folder in options.pages]
    budget = [f"--mutations={options.mutations}", f"--seed={options.seed}"]
    try:
        library = runtime()
        build()
    except MissingError as error:
        print(error, file=sys.stderr)
        return 2
    runs = [
        fuzz(library, "fuzz_segmentation.py", pages + budget),
        fuzz(library, "fuzz_tokens.py", ["--without-lucene", *budget]),
    ]
    reported = any(found for _, found in runs)
    print(
        f"sanitizers of addresses and undefined behaviour: {'a report' if reported else 'silent'}"
    )
    statuses = {status for status, _ in runs}
    return 1 if reported or statuses - {0, 2} else max(statuses)


if __name__ == "__main__":
    sys.exit(main())
