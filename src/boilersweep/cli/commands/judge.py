"""Score what cleaners keep of pages against gold texts.

Run cleaners on annotated pages and compare what they keep with the text that people marked:
precision, recall and F1 of bags of words, with intervals and paired tests, speed and failures.
"""

import argparse
from typing import TYPE_CHECKING

from boilersweep.cli import options
from boilersweep.cli.parser import Parser
from boilersweep.cli.terminal import tell
from boilersweep.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from boilersweep.cleaners.selection import Cleaner
    from boilersweep.eval.judge.datasets import Dataset
    from boilersweep.eval.judge.judge import Judged, Judgements

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


def add_options(parser: Parser) -> None:
    options.datasets.add(parser)
    options.cleaners.add(parser, "cleaners to judge (default: all)")
    options.collection.add_borders(parser)
    options.work.add_no_sandbox(parser)
    options.output.add(parser, "the folder for scores, tests and figure")
    options.output.add_overwrite(parser)
    options.work.add(parser, threads=False, java=False)


def run(args: argparse.Namespace) -> int:
    from boilersweep.cli.messages import WANTS_DETECTOR, WANTS_DICTIONARY, list_files, note
    from boilersweep.eval.judge.datasets import read_datasets
    from boilersweep.extras import require
    from boilersweep.pages.language import DECLARED_ONLY, detector
    from boilersweep.pages.words import ESTIMATED, dictionary, has_unspaced

    require("scipy", "matplotlib")
    options.work.take_no_sandbox(args)
    named = options.datasets.folders(args)
    cleaners = [_judged(cleaner) for cleaner in args.cleaners] or every_cleaner()
    datasets = read_datasets(named)
    for dataset in datasets:
        for line in dataset.describe():
            note(f"{dataset.label}: {line}" if len(datasets) > 1 else line)
    if len(datasets) > 1:
        table, files = _judge_several(args, datasets, cleaners)
        if detector() == DECLARED_ONLY:
            note(f"languages are {WANTS_DETECTOR}")
    else:
        table, files = _judge_one(args, datasets[0], cleaners)
    golds = (page.gold for dataset in datasets for page in dataset.pages)
    if dictionary() == ESTIMATED and any(map(has_unspaced, golds)):
        note(WANTS_DICTIONARY)
    tell(table)
    print()
    print(list_files(files, args.output))
    return 0


def _judge_one(
    args: argparse.Namespace, dataset: "Dataset", cleaners: "Sequence[Judged]"
) -> "tuple[str, list[Path]]":
    """The table, and the files that were written."""
    from boilersweep.eval.judge.files import JUDGEMENT, judgement_identity, write_report
    from boilersweep.eval.judge.judge import judge
    from boilersweep.eval.judge.training_notes import training_notes
    from boilersweep.outputs.folder import OutputFolder

    identity = judgement_identity(dataset, cleaners, args.borders)
    folder = OutputFolder(args.output, JUDGEMENT)
    with folder.held():
        folder.finished(identity, overwrite=args.overwrite)
        found = judge(dataset, cleaners, args.borders)
        notes = training_notes(cleaners, dataset, found)
        report = write_report(dataset, found, args.output, notes, identity=identity)
    _tell_failures(found)
    return report.table, report.files


def _judge_several(
    args: argparse.Namespace, datasets: "Sequence[Dataset]", cleaners: "Sequence[Judged]"
) -> "tuple[str, list[Path]]":
    """The same of several datasets."""
    from boilersweep.eval.judge.files import JUDGEMENT, identity_of_sources, write_sources
    from boilersweep.eval.judge.judge import judge
    from boilersweep.eval.judge.page_languages import page_languages
    from boilersweep.eval.judge.sources import JudgedSource
    from boilersweep.eval.judge.training_notes import training_notes
    from boilersweep.outputs.folder import OutputFolder

    identity = identity_of_sources(datasets, cleaners, args.borders)
    folder = OutputFolder(args.output, JUDGEMENT)
    with folder.held():
        folder.finished(identity, overwrite=args.overwrite)
        sources = [
            JudgedSource(dataset, judge(dataset, cleaners, args.borders), page_languages(dataset))
            for dataset in datasets
        ]
        notes = [training_notes(cleaners, one.dataset, one.found) for one in sources]
        report = write_sources(sources, args.output, notes, identity=identity)
    for source in sources:
        _tell_failures(source.found, f" of {source.dataset.label}")
    return report.table, report.files


def _tell_failures(found: "Judgements", where: str = "") -> None:
    from boilersweep.cli.messages import note

    for judgement in found.judgements:
        for reason, names in judgement.failures.items():
            note(
                f"{judgement.cleaner} failed on {len(names):,} pages{where} ({names[0]}): {reason}"
            )


def _judged(cleaner: "Cleaner") -> "Judged":
    from boilersweep.cleaners.registry import find_text_cleaner
    from boilersweep.cleaners.selection import PageText, text_of_a_page

    one = text_of_a_page(cleaner, "judge")
    return find_text_cleaner(one.name) if isinstance(one, PageText) else one


def every_cleaner() -> "list[Judged]":
    """Every cleaner that needs no argument, some that do, and the extractors that are installed."""
    from boilersweep.cleaners.parsing import parse_rule
    from boilersweep.cleaners.registry import all_rules
    from boilersweep.cli.messages import note
    from boilersweep.extractors.registry import extractor_names, find_extractor
    from boilersweep.rendering.chromium import missing_for_rendering

    cleaners: list[Judged] = []
    for rule in all_rules():
        if isinstance(rule, UsageError):
            note(f"left out: {rule}")
        elif 0 in rule.counts():
            one = rule.made_of()
            if "boxes" in one.needs and (missing := missing_for_rendering()):
                note(f"left out: {one} needs a browser: {'; '.join(missing)}")
            else:
                cleaners.append(one)
    cleaners += map(parse_rule, WITH_ARGUMENTS)
    for name in extractor_names():
        try:
            cleaners.append(find_extractor(name))
        except UsageError as error:
            note(f"left out: {error}")
    return cleaners
