"""Judge documents until it is certain which cleaner is better.

Open a page on this machine that shows, topic by topic, the documents that decide between cleaners,
and what the judgements make certain. No existing judgements are needed.
"""

import argparse
import shlex

from boilersweep.cli import options
from boilersweep.cli.parser import Options
from boilersweep.errors import UsageError
from boilersweep.eval.assess.agreement import (
    agreements,
    compare_with_people,
    krippendorff_alpha,
)
from boilersweep.eval.assess.assessment import Assessment
from boilersweep.eval.assess.decision import decide
from boilersweep.eval.assess.exchange import judge_by_program
from boilersweep.eval.assess.judgements import TOPICS, consistency, require_assessor
from boilersweep.eval.assess.llm import spending
from boilersweep.extras import require


def _command(text: str) -> str:
    """Return a command line that a shell can read; raise UsageError for another text."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"expected a command, got {text!r}: {error}") from error
    if not words:
        raise UsageError("expected a command, got an empty text")
    return text


def _check(args: argparse.Namespace) -> None:
    for name in ("name", "documents"):
        if getattr(args, name) is not None and args.assessor is None:
            raise UsageError(f"--{name} requires --assessor")
    if args.name:
        require_assessor(args.name)


OPTIONS = (
    options.judging.ASSESSMENT,
    Options(
        """
        --status            print what is certain and how far assessors agree, without a page
        --assessor COMMAND  have a program judge: it reads a document as JSON on standard input and
                            writes a grade; its judgements stay apart from people's
        --name NAME         with --assessor: the program's name in the files (default: program)
        --documents N       with --assessor: judge so many documents (default: until all is certain)
        """,
        types={"assessor": _command},
    ),
    options.judging.PAGE,
    _check,
)


def run(args: argparse.Namespace) -> None:
    if not (args.status or args.assessor):
        require("starlette", "uvicorn", "jinja2")
    with options.judging.assessment(args) as assessment:
        if args.assessor:
            _run_program(args, assessment)
        elif not args.status:
            from boilersweep.eval.serve.judging import judging_routes

            store = assessment.searched.store if assessment.searched else None
            options.judging.serve(args, judging_routes(assessment, store))
        _print_status(args, assessment)


def _run_program(args: argparse.Namespace, assessment: Assessment) -> None:
    name = args.name or "program"
    judged = sum(
        1 for _ in judge_by_program(assessment, args.assessor, name, args.documents)
    )
    print(
        f"{judged:,} judgements by {name}. They decide nothing: a program may favour the documents "
        "of one\ncleaner. If people graded alike:"
    )
    for found in assessment.conclusions("programs"):
        print(
            f"  {found.b} minus {found.a}: {found.estimate:+.3f} on {found.topics:,} topics"
        )


def _print_status(args: argparse.Namespace, assessment: Assessment) -> None:
    judgements = assessment.judgements
    print(f"{len(judgements.grades()):,} documents judged by people")
    decision = decide(assessment)
    print("\n".join([one.text for one in decision.conclusions]))
    for name, records in judgements.records["people"].items():
        same, again = consistency(records)
        if again:
            print(f"{name} graded {same} of {again} repeated documents as before")
    if sum(map(len, judgements.records.values())) > 1:
        for line in agreements(judgements):
            print(line)
        alpha = krippendorff_alpha(judgements)
        if alpha is not None:
            print(f"Krippendorff's alpha of all people: {alpha:.2f}")
    for name, records in judgements.records["programs"].items():
        minutes = sum(record.seconds for record in records) / 60
        cost = spending(judgements.folder / "programs" / name)
        print(
            f"program {name}: {len(records):,} judgements in {minutes:,.1f} minutes{cost}"
        )
        for line in compare_with_people(judgements, name):
            print(line)
    if differing := judgements.differing():
        print(f"{len(differing)} documents need the assessor `adjudicator`")
    print(
        judgements.write_merged(),
        args.output / TOPICS,
        *decision.advice,
        sep="\n",
    )
