"""`boilersweep judge`: cleaners as extractors, on pages whose main text people have marked."""

import argparse
from functools import partial
from typing import TYPE_CHECKING

from boilersweep.cli import arguments
from boilersweep.cli.dataset_arguments import add_dataset
from boilersweep.cli.terminal import tell
from boilersweep.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boilersweep.cleaners.selection import Cleaner
    from boilersweep.eval.judge.datasets import Dataset
    from boilersweep.eval.judge.judge import Judged

WITH_ARGUMENTS = (
    "words>=10",
    "words>=15",
    "link_density<=0.33",
    "largest-content(density-rules)",
    "main-content(density-rules)",
    "ancestor(density-rules)",
    "ancestor(numwords-rules)",
)
"""Beside the cleaners that need no argument: those of the papers' tables."""


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "judge",
        help="score what cleaners leave of pages against gold texts",
        description="Run cleaners over annotated pages and compare what they leave with the text "
        "that people marked: precision, recall and F1 of bags of words, with intervals and "
        "paired tests, the speed, and what failed.",
    )
    add_dataset(parser)
    arguments.add_cleaners(parser, "cleaners to judge (default: all)")
    parser.add_argument(
        "--papers",
        action="store_true",
        help="reproduce what the papers print of L3S-GN1 (Tables 1 and 2, Figures 1, 2, 4 and 5, "
        "and more; some minutes) or CleanEval, with their figures beside ours, in DIR/papers",
    )
    arguments.add_output(parser, "where scores, tests and figure go")
    arguments.add_reuse(parser)
    arguments.add_progress(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cli.messages import WANTS_DICTIONARY, list_files, note
    from boilersweep.eval.judge.datasets import read_dataset
    from boilersweep.eval.judge.files import judgement_identity, require_same, write_report
    from boilersweep.eval.judge.judge import judge
    from boilersweep.eval.papers.reproduction import check_reproduction, reproduce
    from boilersweep.extras import require
    from boilersweep.files import only_writer
    from boilersweep.pages.words import ESTIMATED, dictionary, has_unspaced

    require("scipy", "matplotlib")
    if options.papers:
        check_reproduction(options.dataset)
    cleaners = [_judged(cleaner) for cleaner in options.cleaners] or _every_cleaner()
    dataset = read_dataset(options.dataset, options.input)
    for line in dataset.describe():
        note(line)
    identity = judgement_identity(dataset, cleaners, papers=options.papers)
    with only_writer(options.output):
        require_same(options.output, identity, overwrite=options.overwrite)
        found = judge(dataset, cleaners)
        papers = partial(reproduce, dataset, found) if options.papers else None
        notes = _training_notes(cleaners, dataset)
        report = write_report(dataset, found, options.output, notes, papers, identity)
    for judgement in found.judgements:
        for reason, names in judgement.failures.items():
            note(f"{judgement.cleaner} failed on {len(names):,} pages ({names[0]}): {reason}")
    if dictionary() == ESTIMATED and any(has_unspaced(page.gold) for page in dataset.pages):
        note(WANTS_DICTIONARY)
    tell(report.table)
    print()
    print(list_files(report.files, options.output))
    return 0


def _training_notes(cleaners: "Sequence[Judged]", dataset: "Dataset") -> list[str]:
    """That a model was trained on the very pages it is judged by, and what it reached elsewhere."""
    notes = []
    for cleaner in cleaners:
        provenance = getattr(cleaner, "provenance", {})
        if provenance.get("trained_on") == dataset.name:
            scores = provenance["cross_validation"]
            notes.append(
                f"{cleaner} was trained on {dataset.name}: its row above flatters. On sites it had "
                f"not seen it reached a mean F1 of {scores['bag_f1']:.3f} and a mean word F1 of "
                f"{scores['word_f1']:.3f}."
            )
    return notes


def _judged(cleaner: "Cleaner") -> "Judged":
    from boilersweep.cleaners.registry import find_text_cleaner
    from boilersweep.cleaners.selection import PageText, leaving_text

    one = leaving_text(cleaner, "judge")
    return find_text_cleaner(one.name) if isinstance(one, PageText) else one


def _every_cleaner() -> "list[Judged]":
    """Every cleaner that needs no argument, some that do, and the extractors that are installed."""
    from boilersweep.cleaners.parsing import parse_rule
    from boilersweep.cleaners.registry import all_rules
    from boilersweep.cli.messages import note
    from boilersweep.extractors.registry import extractor_names, find_extractor

    cleaners: list[Judged] = []
    for rule in all_rules():
        if isinstance(rule, UsageError):
            note(f"left out: {rule}")
        elif 0 in rule.counts():
            cleaners.append(rule.made_of())
    cleaners += map(parse_rule, WITH_ARGUMENTS)
    for name in extractor_names():
        try:
            cleaners.append(find_extractor(name))
        except UsageError as error:
            note(f"left out: {error}")
    return cleaners
