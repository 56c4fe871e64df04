"""Write the documents that people are to judge, and read their answers back.

Write the pending documents of an assessment as CSV or JSON lines, for a spreadsheet, Quepid or a
program; read the graded file back under an assessor's name.
"""

import argparse

from boilersweep.cli import options
from boilersweep.cli.parser import Options
from boilersweep.errors import UsageError
from boilersweep.eval.assess.exchange import read_answers, write_pool
from boilersweep.eval.assess.judgements import require_assessor
from boilersweep.outputs.locations import output_path


def _check(args: argparse.Namespace) -> None:
    if (args.write is None) == (args.read is None):
        raise UsageError("expected --write or --read, one of the two")
    if (args.read is None) != (args.name is None):
        raise UsageError("--read and --name require each other")
    if args.name:
        require_assessor(args.name)


OPTIONS = (
    options.judging.ASSESSMENT,
    Options(
        """
        --write FILE  write the pending documents, those that decide a comparison first: .jsonl with
                      their text, otherwise CSV
        --read FILE   read such a file with its column `grade` filled in
        --name NAME   with --read: the assessor
        """,
        types={"write": output_path},
    ),
    _check,
)


def run(args: argparse.Namespace) -> None:
    with options.judging.assessment(args) as assessment:
        if args.write:
            print(f"{write_pool(assessment, args.write):,} documents: {args.write}")
            return
        print(
            f"{read_answers(assessment, args.read, args.name):,} new judgements of {args.name}"
        )
        for conclusion in assessment.conclusions():
            print(conclusion.text)
