"""`python -m boilersweep` is the command `boilersweep`."""

import gc
import signal
import sys
from types import FrameType

# So many new objects, not 700, before garbage is looked for: imports make many and leave none.
_COLLECT_AFTER = 20_000


def main() -> int:
    """Run the command line; Ctrl-C ends it without a traceback.

    Compiled code that is interrupted while it is imported may raise another error instead.
    """
    gc.set_threshold(_COLLECT_AFTER)
    interrupted = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        signal.default_int_handler(number, frame)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    try:
        from boilersweep.cli.main import main as run

        return run()
    except (Exception, KeyboardInterrupt) as error:
        if interrupted or isinstance(error, KeyboardInterrupt):
            return 128 + signal.SIGINT
        raise


if __name__ == "__main__":
    sys.exit(main())
