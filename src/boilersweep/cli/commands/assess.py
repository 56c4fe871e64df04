"""Judge documents until it is certain which cleaner is better.

Open a page on this machine that shows, topic by topic, the documents that decide between cleaners,
and what the judgements make certain. No existing judgements are needed. A spreadsheet, Quepid or a
program can judge in place of the page: write the pending documents, and read the graded file back.
"""

import argparse
import shlex

from boilersweep.cli import options
from boilersweep.cli.messages import note
from boilersweep.cli.parser import Options, apart, needs
from boilersweep.errors import UsageError
from boilersweep.eval.assess.assessment import Assessment
from boilersweep.eval.assess.decision import decide, prospect
from boilersweep.eval.assess.exchange import (
    judge_by_program,
    read_answers,
    write_pool,
)
from boilersweep.eval.assess.judgements import (
    TOPICS,
    agreements,
    compare_with_people,
    consistency,
    krippendorff_alpha,
    require_assessor,
)
from boilersweep.eval.assess.llm import spending
from boilersweep.extras import require
from boilersweep.outputs.figures import figure
from boilersweep.outputs.locations import output_path

# What a call does in place of serving the page.
_WITHOUT_PAGE = ("status", "assessor", "write", "read")


def _command(text: str) -> str:
    """Return a command line that a shell can read; raise UsageError for another text."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"expected a command, got {text!r}: {error}") from error
    if not words:
        raise UsageError("expected a command, got an empty text")
    return text


def _check_name(args: argparse.Namespace) -> None:
    if args.name:
        args.name = require_assessor(args.name)


OPTIONS = (
    options.experiment.ASSESSMENT,
    Options(
        """
        --status            print what is certain and how far assessors agree, without a page
        --assessor COMMAND  have a program judge: it reads a document as JSON on standard input and
                            writes a grade; its judgements stay apart from people's
        --documents N       with --assessor: until it has judged so many documents in all, also in
                            earlier calls (default: until all is certain)
        --write FILE        write the pending documents, those that decide a comparison first:
                            .jsonl with their text, otherwise CSV
        --read FILE         read such a file with its column `grade` filled in
        --name NAME         who judged: with --read the person, with --assessor the program
                            (default: program)
        """,
        types={"assessor": _command, "write": output_path},
    ),
    options.experiment.PAGE,
    apart("--status", "--assessor", "--write", "--read"),
    apart("--write", "--assessor", "--read"),
    apart("--read", "--assessor"),
    needs("--documents", "--assessor"),
    needs("--name", "--assessor", "--read"),
    needs("--read", "--name"),
    _check_name,
)


def run(args: argparse.Namespace) -> None:
    by_page = not any(getattr(args, name) for name in _WITHOUT_PAGE)
    if by_page:
        require("starlette", "uvicorn", "jinja2")
    with options.experiment.assessment(args) as assessment:
        if not assessment.judgements.grades():
            note(prospect(assessment.family))
        if args.write:
            count, deciding = write_pool(assessment, args.write)
            print(
                f"{count:,} documents, of which the first {deciding:,} decide a comparison "
                f"(column decides): {args.write}"
            )
            return
        if args.read:
            _read_answers(args, assessment)
            return
        if args.assessor:
            _run_program(args, assessment)
        elif by_page:
            from boilersweep.eval.serve.judging import judging_routes

            store = assessment.searched.store if assessment.searched else None
            options.experiment.serve(args, judging_routes(assessment, store))
        _print_status(args, assessment)


def _read_answers(args: argparse.Namespace, assessment: Assessment) -> None:
    count = read_answers(assessment, args.read, args.name)
    print(f"{count:,} new judgements of {args.name}")
    for conclusion in assessment.conclusions():
        print(conclusion.text)


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
            f"  {found.b} minus {found.a}: {figure(found.estimate, '+.3f')} on "
            f"{found.topics:,} topics"
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
            print(f"Krippendorff's alpha of all people: {figure(alpha, '.2f')}")
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
