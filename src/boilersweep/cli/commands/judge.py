"""`boilersweep judge`."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

from boilersweep.cleaners.registry import all_rules, find_text_cleaner
from boilersweep.cleaners.selection import Cleaner, PageText, leaving_text
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.cli.annotating import Annotating, annotate
from boilersweep.cli.call import ThisCall
from boilersweep.cli.messages import (
    list_files,
    note,
    tell,
    wants_detector,
    wants_dictionary,
)
from boilersweep.cli.options.cleaners import Cleaners
from boilersweep.cli.options.datasets import MarkedPages
from boilersweep.cli.options.output import Existing
from boilersweep.cli.options.serving import Page
from boilersweep.cli.options.values import OutputFolder as OutputPath
from boilersweep.cli.options.values import parsed_each
from boilersweep.errors import BoilersweepError, UsageError
from boilersweep.eval.judge.comparison import JudgedSource, page_languages
from boilersweep.eval.judge.datasets import Dataset
from boilersweep.eval.judge.files import (
    Report,
    identity_of_sources,
    judgement_identity,
    judging,
    write_report,
    write_sources,
)
from boilersweep.eval.judge.judge import Judged, judge
from boilersweep.eval.judge.leaks import training_notes
from boilersweep.eval.judge.texts import GivenTexts, parse_given, read_texts
from boilersweep.extractors.registry import extractor_names, find_extractor
from boilersweep.extras import require
from boilersweep.features.recurrence import LEAST_PAGES
from boilersweep.pages.elements import Borders
from boilersweep.pages.language import DECLARED_ONLY, detector
from boilersweep.pages.words import ESTIMATED, dictionary, has_unspaced

# Beside the cleaners that need no argument: those of the papers' tables.
WITH_ARGUMENTS = (
    "words>=10",
    "words>=15",
    "link_density<=0.33",
    "largest-content(density-rules)",
    "main-content(density-rules)",
    "ancestor(density-rules)",
    "ancestor(numwords-rules)",
)


def run(
    *,
    marked: MarkedPages | None = None,
    cleaners: Cleaners = (),
    texts: Annotated[
        Sequence[tuple[str, Path]], parsed_each(parse_given, "NAME=PATH")
    ] = (),
    borders: Borders = "block",
    output: OutputPath,
    existing: Existing = Existing(),
    annotating: Annotating = Annotating(),
    page: Page = Page(),
    call: ThisCall,
) -> None:
    """Score what cleaners keep of pages against gold texts.

    Run cleaners on annotated pages and compare what they keep with the text that people marked:
    precision, recall and F1 of bags of words, with intervals and paired tests, speed and failures.

    Args:
        cleaners: Cleaners to judge, separated by commas; `boilersweep --list cleaners` lists their
            names (default: all).
        texts: Texts that somebody else took from the pages, judged beside the cleaners: a folder
            with PAGE.txt for each page, or a file of JSON lines with id and contents; repeat for
            more.
        borders: Where a block ends: at block elements, as browsers show text, or at every tag but
            a, as in the paper.
        output: The folder for scores, tests and figure; with --annotate, for the marks.
    """
    annotating.check(call)
    if annotating.annotate:
        annotate(annotating, page, output)
        return
    if marked is None:
        raise UsageError("expected --dataset NAME=DIR, or --annotate PAGES")
    require("rapidfuzz", "scipy", "vl_convert")
    judged = [as_judged(cleaner) for cleaner in cleaners] or every_cleaner()
    datasets = marked.read()
    if texts and len(datasets) > 1:
        raise UsageError("expected one `dataset` with `texts`, got several")
    given = [read_texts(name, path, datasets[0].pages) for name, path in texts]
    every = [*judged, *given]
    report = _judge(datasets, every, borders, output, existing.overwrite)
    if len(datasets) > 1 and detector() == DECLARED_ONLY:
        note(f"languages are {wants_detector()}")
    golds = (page.gold for dataset in datasets for page in dataset.pages)
    if dictionary() == ESTIMATED and any(map(has_unspaced, golds)):
        note(wants_dictionary())
    tell(f"{report.table}\n")
    print(list_files(report.files, output))


def _judge(
    datasets: Sequence[Dataset],
    cleaners: Sequence[Judged],
    borders: Borders,
    output: Path,
    overwrite: bool,
) -> Report:
    """Judge the cleaners and write the results."""
    (first, *others) = datasets
    if others:
        identity = identity_of_sources(datasets, cleaners, borders)
    else:
        identity = judgement_identity(first, cleaners, borders)
    given = [cleaner for cleaner in cleaners if isinstance(cleaner, GivenTexts)]
    with judging(
        output, datasets, identity, texts=given, overwrite=overwrite
    ) as writer:
        judgements = [judge(dataset, cleaners, borders) for dataset in datasets]
        judged = list(zip(datasets, judgements, strict=True))
        described = list(
            chain.from_iterable(judged_cleaner.describe() for judged_cleaner in given)
        )
        notes = [
            training_notes(cleaners, dataset, result) + described
            for dataset, result in judged
        ]
        if others:
            sources = [JudgedSource(*pair, page_languages(pair[0])) for pair in judged]
            report = write_sources(writer, sources, notes)
        else:
            report = write_report(writer, *judged[0], notes[0])
    for dataset, result in judged:
        where = f" of {dataset.label}" if others else ""
        if result.counted is not None:
            note(
                f"{result.counted:,} of {len(result.pages):,} pages{where} are of hosts with "
                f"at least {LEAST_PAGES} titles; what recurs is counted on these alone"
            )
        for judged_cleaner in result.judgements:
            for reason, names in judged_cleaner.failures.items():
                pages = f"{len(names):,} pages{where} ({names[0]})"
                note(f"{judged_cleaner.cleaner} failed on {pages}: {reason}")
    return report


def as_judged(cleaner: Cleaner) -> Judged:
    """Return a rule, or the extractor that a text's name stands for; raises UsageError."""
    one = leaving_text(cleaner, "judge")
    return find_text_cleaner(one.name) if isinstance(one, PageText) else one


def every_cleaner() -> list[Judged]:
    """Return cleaners without arguments, some with arguments, and the installed extractors."""
    cleaners: list[Judged] = []
    for rule in all_rules():
        if isinstance(rule, UsageError):
            note(f"left out: {rule}")
        elif 0 in rule.counts():
            try:
                cleaners.append(rule.made_of())
            except BoilersweepError as error:  # a model without its compiled code
                note(f"{rule.name} is left out: {error}")
    cleaners += map(parse_rule, WITH_ARGUMENTS)
    for name in extractor_names():
        try:
            cleaners.append(find_extractor(name))
        except UsageError as error:
            note(f"{name} is left out: {error}")
    return cleaners
