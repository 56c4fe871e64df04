"""`boilersweep assess`."""

import shlex
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from boilersweep.cli.call import Call, ThisCall
from boilersweep.cli.messages import note
from boilersweep.cli.options.cleaners import Cleaners
from boilersweep.cli.options.searching import OneFormulaSearching
from boilersweep.cli.options.serving import Page
from boilersweep.cli.options.topics import Queries
from boilersweep.cli.options.values import (
    Count,
    File,
    OutputFile,
    OutputFolder,
    Store,
    parsed,
)
from boilersweep.errors import UsageError
from boilersweep.eval.assess.assessment import Assessment, Searched, open_assessment
from boilersweep.eval.assess.decision import decide, prospect
from boilersweep.eval.assess.exchange import read_answers, write_pool
from boilersweep.eval.assess.judgements import (
    QRELS,
    TOPICS,
    Judgements,
    agreements,
    compare_with_people,
    consistency,
    judgements_in,
    krippendorff_alpha,
)
from boilersweep.eval.assess.llm import spending
from boilersweep.eval.assess.program import CLICKS, judge_by_program
from boilersweep.eval.people.assessors import require_assessor
from boilersweep.eval.stats.families import THESE, Claim, parse_summed_measure
from boilersweep.extras import require
from boilersweep.outputs.figures import figure
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.streams import make_folder_of
from boilersweep.store.store import open_store


def _command(text: str) -> str:
    """Return a command line that a shell can read; raise UsageError for another text."""
    if text.startswith(CLICKS):
        return text
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"expected a command, got {text!r}: {error}") from error
    if not words:
        raise UsageError("expected a command, got an empty text")
    return text


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Judging:
    """Who judges in place of the page, or what is done in its place.

    Attributes:
        status: Print what is certain and how far assessors agree, without a page.
        claim: What becomes certain: a difference on queries like these, or on these queries alone,
            of which people judge a random part, and which takes fewer judgements (default: as the
            folder has it; at first queries-like-these).
        assessor: Have a program judge: it reads a document as JSON on standard input and writes a
            grade; or clicks:FILE, a log of User Behavior Insights, or CSV with query, docid,
            position and clicks. Its judgements stay apart from people's. With --claim these-queries
            it judges all that decides, and people audit it on the page.
        documents: With --assessor: until it has judged so many documents in all, also in earlier
            calls (default: until all is certain).
        write: Write the pending documents, those that decide a comparison first: .jsonl with their
            text, otherwise CSV.
        read: Read such a file with its column `grade` filled in.
        name: Who judged: with --read the person, otherwise the program (default: program, or the
            one that the folder's people audit).
    """

    status: bool = False
    claim: Claim | None = None
    assessor: Annotated[str | None, parsed(_command, "COMMAND")] = None
    documents: Count | None = None
    write: OutputFile | None = None
    read: File | None = None
    name: str | None = None

    @property
    def by_page(self) -> bool:
        """Whether people judge on the page."""
        is_alone = self.assessor and (self.claim != THESE or self.documents)
        return not (self.status or is_alone or self.write or self.read)

    def check(self, call: Call) -> None:
        """Raise UsageError for options that do not go together."""
        call.apart("--status", "--assessor", "--write", "--read")
        call.apart("--write", "--assessor", "--read")
        call.apart("--read", "--assessor")
        call.needs("--documents", "--assessor")
        call.needs("--name", "--assessor", "--read", "--claim")
        call.needs("--read", "--name")


def run(
    *,
    store: Store,
    queries: Queries = Queries(),
    seed: int = 1,
    cleaners: Cleaners,
    output: OutputFolder,
    measure: str = "P@10",
    judging: Judging = Judging(),
    page: Page = Page(),
    searching: OneFormulaSearching = OneFormulaSearching(),
    call: ThisCall,
) -> None:
    """Judge documents until it is certain which cleaner is better.

    Open a page on this machine that shows, topic by topic, the documents that decide between
    cleaners, and what the judgements make certain. No existing judgements are needed. A
    spreadsheet, Quepid or a program can judge in place of the page: write the pending documents,
    and read the graded file back.

    Args:
        store: A block store from `boilersweep segment`, or its URL.
        seed: Of the sample and of the order in which topics are judged.
        cleaners: Cleaners to tell apart, separated by commas; `boilersweep --list cleaners` lists
            their names.
        output: The folder of the judgements; later sessions continue there.
        measure: P@k or DCG@k, whose difference is to become certain.
    """
    queries.check(call)
    judging.check(call)
    if judging.name:
        judging = replace(judging, name=require_assessor(judging.name))
    summed = parse_summed_measure(measure)
    if judging.by_page:
        require("starlette", "uvicorn", "jinja2")
    topics, log = queries.topics, queries.log
    now, later = queries.read(seed)
    options = searching.options(topics.of_topics)
    searched = Searched(open_store(store), cleaners, options, summed)
    searching.start_java("exact")
    given = (store, topics.topics, log.queries, judging.read)
    inputs = [path for path in given if path]
    if judging.write:
        make_folder_of(judging.write, inputs=inputs, closed=[output, store])
    with ExitStack() as held:
        # --status only reads: it works where others judge now, and in a read-only folder.
        judgements = (
            Judgements(output, complete=False)
            if judging.status
            else held.enter_context(judgements_in(output, inputs))
        )
        opened = open_assessment(searched, now, judgements, seed, later)
        opened.call = {
            name[2:].replace("-", "_"): words for name, words in call.typed.items()
        }
        _note_changes(opened)
        if judging.assessor:
            _run_program(opened, judging)
        _claim(opened, judging)
        if not opened.judgements.grades():
            note(prospect(opened.family))
        _judge(opened, judging, page)


def _note_changes(opened: Assessment) -> None:
    """Print what of the judgements no longer counts."""
    note(*opened.judgements.notes)
    if changed := opened.judgements.changed:
        note(
            f"{len(changed):,} documents changed since they were judged; their grades do not "
            f"count, and they are asked for again: {some_of([docid for _, docid in changed])}"
        )


def _judge(assessment: Assessment, judging: Judging, page: Page) -> None:
    """Write, read or collect judgements, and print what they make certain."""
    if judging.write:
        count, deciding = write_pool(assessment, judging.write)
        print(
            f"{count:,} documents, of which the first {deciding:,} decide a comparison "
            f"(column decides): {judging.write}"
        )
        return
    if judging.read:
        _read_answers(assessment, judging.read, judging.name or "")
        return
    if judging.by_page:
        from boilersweep.eval.serve.judging import judging_routes

        store = assessment.searched.store if assessment.searched else None
        page.serve(judging_routes(assessment, store))
    _print_status(assessment)


def _read_answers(assessment: Assessment, path: Path, name: str) -> None:
    count = read_answers(assessment, path, name)
    print(f"{count:,} new judgements of {name}")
    print("\n".join([*(conclusion.text for conclusion in assessment.conclusions())]))


def _claim(assessment: Assessment, judging: Judging) -> None:
    """Have the claim be the one that was asked for, or the folder's."""
    audit = assessment.judgements.audit
    if judging.claim == THESE or (audit and judging.claim is None):
        known = audit.program if audit else ""
        program = "program" if judging.assessor else known
        assessment.audit(program if judging.read else judging.name or program)


def _run_program(assessment: Assessment, judging: Judging) -> None:
    name, program = judging.name or "program", judging.assessor or ""
    every = judging.claim == THESE
    judged = sum(
        1
        for _ in judge_by_program(
            assessment, program, name, judging.documents, every=every
        )
    )
    if every:
        print(f"{judged:,} judgements by {name}, which people audit")
        return
    print(
        f"{judged:,} judgements by {name}. They decide nothing: a program may favour the documents "
        "of one\ncleaner. If people graded alike:"
    )
    for conclusion in assessment.conclusions("programs"):
        print(
            f"  {conclusion.b} minus {conclusion.a}: {figure(conclusion.estimate, '+.3f')} on "
            f"{conclusion.topics:,} topics"
        )


def _print_status(assessment: Assessment) -> None:
    judgements = assessment.judgements
    print(f"{len(judgements.grades()):,} documents judged by people")
    decision = decide(assessment)
    print(
        "\n".join(
            [*decision.about, *(conclusion.text for conclusion in decision.conclusions)]
        )
    )
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
        judgements.folder / QRELS,
        judgements.folder / TOPICS,
        *decision.advice,
        sep="\n",
    )
