"""`boilersweep evaluate`: run files against qrels."""

import argparse
from pathlib import Path

from boilersweep.cli import arguments, topic_arguments
from boilersweep.cli import options as chosen


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "evaluate",
        help="score run files with ir-measures",
        description="Score run files. A topic of the qrels that a run lacks counts as zero.",
    )
    parser.add_argument(
        "measures",
        nargs="*",
        metavar="MEASURE",
        help="any of ir-measures, or trec_eval's names, such as P_10 (default: P@10 nDCG@10 "
        "Judged@10 AP)",
    )
    topic_arguments.add_qrels(parser)
    parser.add_argument(
        "--run",
        dest="run_files",
        action="append",
        type=Path,
        required=True,
        metavar="FILE",
        help="a TREC run file; may be given again",
    )
    parser.add_argument("-q", "--by_query", action="store_true", help="values for each topic, too")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cli.messages import note
    from boilersweep.errors import QrelsError
    from boilersweep.eval.runs import read_run
    from boilersweep.eval.scoring import DEFAULT_MEASURES, parse_measures, score

    measures = parse_measures(options.measures or DEFAULT_MEASURES)
    qrels = chosen.qrels(options)
    grades = {topic: judged for topic, judged in qrels.grades.items() if judged}
    for path in options.run_files:
        found = read_run(path, streams=True)
        missing = [topic for topic in grades if topic not in found]
        unknown = [topic for topic in found if topic not in grades]
        if len(missing) == len(grades):
            raise QrelsError(
                f"{path} and {options.qrels} have no topic in common: the run has "
                f"{', '.join(unknown[:3]) or 'none'}, the qrels have "
                f"{', '.join(missing[:3]) or 'none'}"
            )
        if missing:
            note(f"{path}: {len(missing)} topics count as zero: {', '.join(missing[:10])}")
        if unknown:
            note(f"{path}: {len(unknown)} topics have no qrels: {', '.join(unknown[:10])}")
        scores = score(found, grades, measures)
        name = f"{path}\t" if len(options.run_files) > 1 else ""
        if options.by_query:
            for topic, values in scores.by_topic.items():
                for measure, value in values.items():
                    print(f"{name}{topic}\t{measure}\t{value:.4f}")
        for measure, value in scores.mean.items():
            topic = "all\t" if options.by_query else ""
            print(f"{name}{topic}{measure}\t{value:.4f}")
    return 0
