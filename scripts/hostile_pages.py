"""Find pages on which cutting takes time quadratic in their size, by pages made to be such.

    python scripts/hostile_pages.py [--bytes N] [--seconds S] [--only TEXT]

Every kind of page is cut as `segment` cuts it, limits first, by the compiled segmenter and by the
pure one. Prints the kinds that took more than S seconds of processor time, and how many times as
long they took as half of the bytes. Exit status: 1 if there are any.
"""

import argparse
import multiprocessing
import sys
import time
from multiprocessing.connection import Connection

from robustness.hostile import hostile_pages

from boilersweep.pages import compiled
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.segmenter import Segmenter
from boilersweep.segmenting.limits import Limits, over_limit
from boilersweep.segmenting.nesting import TooDeepError, require_shallow

_HOPELESS = 20  # times the seconds allowed: then the process is ended
_LIMITS = Limits()


def cut(segmenter: Segmenter, page: bytes) -> float:
    """Seconds of processor time to cut a page, or to find that it is over a limit."""
    started = time.process_time()
    if over_limit(page, _LIMITS) is None:
        utf8 = to_utf8(page).utf8
        try:
            require_shallow(utf8, _LIMITS.nesting)
            segmenter.html(utf8)
        except (TooDeepError, ValueError):
            pass
    return time.process_time() - started


def in_a_process(segmenter: Segmenter, page: bytes, seconds: float) -> float:
    """As `cut`, in a process that is ended when it takes far too long."""
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("fork")  # a segmenter cannot be sent to another process
    process = context.Process(target=_send, args=(theirs, segmenter, page))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(_HOPELESS * seconds) else float("inf")
    except EOFError:
        return float("inf")
    finally:
        process.kill()
        process.join()


def _send(connection: Connection, segmenter: Segmenter, page: bytes) -> None:
    connection.send(cut(segmenter, page))


def segmenters() -> dict[str, Segmenter]:
    """The pure segmenter, and the compiled one if it is there."""
    found = {"pure": Segmenter(structure=True)}
    if compiled.available:
        found["compiled"] = compiled.make_segmenter(structure=True)
    return found


def main() -> int:
    """Run the search; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--bytes", type=int, default=2**20, metavar="N", help="(default: 1 MiB)")
    parser.add_argument("--seconds", type=float, default=5.0, metavar="S", help="(default: 5)")
    parser.add_argument("--only", default="", metavar="TEXT", help="kinds whose name holds it")
    arguments = parser.parse_args()
    found = tried = 0
    kinds = segmenters()
    for name, make in hostile_pages():
        if arguments.only not in name:
            continue
        page = make(arguments.bytes)
        for kind, segmenter in kinds.items():
            tried += 1
            seconds = in_a_process(segmenter, page, arguments.seconds)
            if seconds > arguments.seconds:
                found += 1
                half = in_a_process(segmenter, make(arguments.bytes // 2), arguments.seconds)
                print(f"{kind}: {name!r}: {seconds:.1f} s, {seconds / half:.1f} times its half")
    print(f"{tried:,} pages of {arguments.bytes:,} bytes, {found} over {arguments.seconds:g} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
