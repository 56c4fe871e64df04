"""Mutate input and compare what reads it with what is right.

    python scripts/fuzz.py segmentation --pages DIR [--pages DIR ...] [--mutations N] [--seed S]
    python scripts/fuzz.py tokens [--store DIR ...] [--mutations N] [--seed S] [--language CODE]
    python scripts/fuzz.py readers --inputs N [--seed S] [--only READER]

`segmentation` compares the compiled segmenter with the pure one. `tokens` compares the tokens of
text pieces with those of Lucene's analyzer. `readers` reads mutated collections, pages, topics,
qrels, runs and rules: every input must be read or rejected with the package's own error, within
five seconds, and every record must be accounted for.

Each prints the failing inputs, as small as possible. Exit status: 0 without a failure, 1 with
failures, 2 if the compiled code or a suitable analyzer is missing.
"""

import argparse
import sys

from fuzzing import readers, segmentation, tokens


def main() -> int:
    """Run the part that the command line names; return the exit status."""
    parser = argparse.ArgumentParser(description="Compare on mutated input.")
    parts = parser.add_subparsers(required=True)
    for part in (segmentation, tokens, readers):
        name = part.__name__.rpartition(".")[2]
        chosen = parts.add_parser(name, help=part.HELP)
        part.add_options(chosen)
        chosen.set_defaults(run=part.run)
    options = parser.parse_args()
    status: int = options.run(options)
    return status


if __name__ == "__main__":
    sys.exit(main())
