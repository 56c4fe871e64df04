"""Mutate what our readers read, and see that they refuse it properly or account for all of it.

    python scripts/fuzz_readers.py --inputs N [--seed S] [--only READER]

Collections are read as a good record, a mutated stretch, and a good record: the first must come
out whole, the last, too, or else something must be reported as skipped. Pages are decoded and cut.
Topics, qrels, runs, keep rules and sweeps must be read or be refused with the package's own error.
Any other exception, more than 5 seconds for an input and a record unaccounted for is a failure; its
input is saved. The same seed gives the same inputs. Exits with 1 for any failure.
"""

import argparse
import faulthandler
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from types import FrameType

import numpy as np
from robustness.readers import Reader, mutated, readers
from tabulate import tabulate

SECONDS = 5.0
_HOPELESS = 60
_SHOWN = 10


class TooSlowError(Exception):
    """An input took more than SECONDS."""


def attempt(reader: Reader, data: bytes, chance: np.random.Generator) -> tuple[str, str]:
    """What came of an input, and what is wrong with it; the alarm cannot end what is in C."""
    started = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    faulthandler.dump_traceback_later(_HOPELESS, exit=True)
    try:
        outcome = reader.read(data, chance)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return "failed", f"{type(error).__name__}: {error}"[:300]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
    seconds = time.monotonic() - started
    return (outcome, "") if seconds <= SECONDS else ("failed", f"took {seconds:.0f} s")


def _too_slow(_number: int, _frame: FrameType | None) -> None:
    raise TooSlowError(f"more than {SECONDS:.0f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description="Feed mutated files to every reader.")
    parser.add_argument("--inputs", type=int, required=True, metavar="N", help="in all")
    parser.add_argument("--seed", type=int, default=2010, metavar="S", help="(default: 2010)")
    parser.add_argument("--only", metavar="READER", help="one of the names in the table")
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, _too_slow)
    saved = Path(tempfile.mkdtemp(prefix="fuzz-"))
    outcomes: Counter[tuple[str, str]] = Counter()
    seconds: defaultdict[str, float] = defaultdict(float)
    with tempfile.TemporaryDirectory() as folder:
        chosen = [r for r in readers(Path(folder)) if options.only in (None, r.name)]
        for number in range(options.inputs):
            reader = chosen[number % len(chosen)]
            chance = np.random.default_rng([options.seed, number])
            seed = reader.seeds[int(chance.integers(len(reader.seeds)))]
            data = mutated(seed, reader.words, reader.seeds, chance)
            started = time.monotonic()
            outcome, fault = attempt(reader, data, chance)
            seconds[reader.name] += time.monotonic() - started
            outcomes[reader.name, outcome] += 1
            if fault:
                path = saved / f"{reader.name.replace(' ', '-')}-{number}"
                path.write_bytes(data)
                if outcomes[reader.name, outcome] <= _SHOWN:
                    print(f"{reader.name}: {fault}\n    seed {options.seed}, {path}", flush=True)
    failed = sum(count for (_, outcome), count in outcomes.items() if outcome == "failed")
    rows = [
        (
            reader.name,
            sum(count for (name, _), count in outcomes.items() if name == reader.name),
            f"{seconds[reader.name]:.0f}",
            outcomes[reader.name, "failed"],
            ", ".join(
                f"{count:,} {outcome}"
                for (name, outcome), count in sorted(outcomes.items())
                if name == reader.name and outcome != "failed"
            ),
        )
        for reader in chosen
    ]
    print(tabulate(rows, ("reader", "inputs", "seconds", "failed", "the others"), intfmt=","))
    print(f"{outcomes.total():,} inputs, {failed:,} failures")
    if not failed:
        saved.rmdir()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
