"""`python -m boilersweep` is the command `boilersweep`."""

import sys


def main() -> int:
    """Run the command line; Ctrl-C while modules are imported ends it without a traceback."""
    try:
        from boilersweep.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
