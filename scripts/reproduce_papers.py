"""Write the papers' tables and figures on L3S-GN1 or CleanEval, their figures beside ours.

    python scripts/reproduce_papers.py --dataset l3s-gn1 --input l3s --output out/papers

L3S-GN1: Tables 1 and 2 and Figures 1, 2, 4 and 5 of the 2010 paper with the fits of its section 5,
Schäfer's classifiers, and the depths of Viveros-Jiménez' filter; this takes some minutes.
CleanEval: Figures 2 and 3 of the 2010 paper, CETR's column and the figures of Viveros-Jiménez.
"""

import argparse
import sys
from pathlib import Path

from papers.published import BY_CLEANER
from papers.reproduction import REPRODUCED, check_reproduction, reproduce

from boilersweep.cleaners.syntax.grammar import parse_cleaner, parse_cleaners
from boilersweep.cli.commands.judge import as_judged, every_cleaner
from boilersweep.errors import BoilersweepError
from boilersweep.eval.judge.datasets import read_dataset
from boilersweep.eval.judge.judge import Judged, judge


def main(arguments: list[str] | None = None) -> int:
    """Judge the cleaners and write the tables; 1 with a message if that is impossible."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dataset", choices=REPRODUCED, required=True)
    parser.add_argument(
        "--input", type=Path, required=True, help="the dataset's folder"
    )
    parser.add_argument(
        "--output", type=Path, required=True, help="an empty or new folder"
    )
    parser.add_argument(
        "--cleaners", help="separated by commas (default: all, and those of the papers)"
    )
    args = parser.parse_args(arguments)
    try:
        check_reproduction(args.dataset)
        dataset = read_dataset(args.dataset, args.input)
        found = judge(dataset, _cleaners(args.dataset, args.cleaners), "paper")
        for path in reproduce(dataset, found, args.output):
            print(path)
    except BoilersweepError as error:
        print(f"reproduce_papers: {error}", file=sys.stderr)
        return error.exit_status
    return 0


def _cleaners(dataset: str, listed: str | None) -> list[Judged]:
    """Return the cleaners of a list, or every one, with those that the papers have figures of."""
    if listed:
        return [as_judged(cleaner) for cleaner in parse_cleaners(listed)]
    cleaners = every_cleaner()
    names = {str(cleaner) for cleaner in cleaners}
    printed = [name for name in BY_CLEANER[dataset] if name not in names]
    return cleaners + [as_judged(parse_cleaner(name)) for name in printed]


if __name__ == "__main__":
    sys.exit(main())
