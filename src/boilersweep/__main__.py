"""`python -m boilersweep` is the command `boilersweep`."""

import sys

from boilersweep.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
