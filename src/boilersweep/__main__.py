"""`python -m boilersweep` is the command `boilersweep`."""

import gc
import sys

# So many new objects, not 700, before garbage is looked for: imports make many and leave none.
_COLLECT_AFTER = 20_000


def main() -> int:
    """Run the command line; Ctrl-C while modules are imported ends it without a traceback."""
    gc.set_threshold(_COLLECT_AFTER)
    try:
        from boilersweep.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
