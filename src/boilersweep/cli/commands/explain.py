"""`boilersweep explain`: because of which text a topic wins or loses; every cleaner on one page."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from boilersweep.cli import arguments, topic_arguments
from boilersweep.cli import options as chosen
from boilersweep.cli.terminal import tell, width
from boilersweep.errors import InputError, UsageError

_OF_A_TOPIC = ("store", "topics", "qrels", "topic")
_NAMED_TOPICS = 20  # in a message


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "explain",
        help="show the text because of which a topic wins or loses, or every cleaner on a page",
        description="For a topic and two cleaners: the documents that enter and leave the top, "
        "with their judgements and the blocks that matched and are kept or dropped. For a page: "
        "its blocks with features and every cleaner's verdict.",
    )
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="explain a page; - reads standard input"
    )
    parser.add_argument(
        "--picture",
        type=Path,
        metavar="FILE",
        help="with --page and one or two --cleaners: draw the page in headless Chromium as a PNG, "
        "what each keeps in one colour, what it drops in another",
    )
    arguments.add_no_sandbox(parser)
    topic_arguments.add_topics(parser, required=False)
    parser.add_argument("--topic", metavar="ID", help="the topic to explain")
    parser.add_argument("--qrels", type=Path, metavar="FILE", help="TREC qrels")
    parser.add_argument(
        "--store", type=Path, metavar="DIR", help="a block store, as `boilersweep segment` makes it"
    )
    arguments.add_languages(parser, "for a topic: ")
    arguments.add_cleaners(parser, "for a topic two cleaners, for a page any beside all with names")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="write what was found as JSON, too"
    )
    topic_arguments.add_ranking(parser, hits=10)
    arguments.add_analyzer(parser)
    arguments.add_java(parser)
    arguments.add_progress(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.outputs.files import make_folder_of

    arguments.take_no_sandbox(options)
    given = [name for name in _OF_A_TOPIC if getattr(options, name) is not None]
    if options.page and given:
        raise UsageError(f"--page goes without --{given[0]}: explain a page, or a topic")
    if options.page and options.languages:
        raise UsageError("--page goes without --languages: they choose documents of a store")
    if options.picture:
        _check_picture(options)
    if not options.page:
        _check_topic_arguments(options, given)
    for file in filter(None, (options.output, options.picture)):
        make_folder_of(file)
    return _page(options) if options.page else _topic(options)


def _check_topic_arguments(options: argparse.Namespace, given: Sequence[str]) -> None:
    missing = [f"--{name}" for name in _OF_A_TOPIC if name not in given]
    if missing:
        raise UsageError(
            f"expected --page, or {', '.join(f'--{name}' for name in _OF_A_TOPIC)}; "
            f"got no {', '.join(missing)}"
        )
    if len(set(options.cleaners)) != 2 or len(options.cleaners) != 2:
        raise UsageError(
            "--cleaners: expected two that differ, such as 'words>=1,bte', got "
            f"{', '.join(map(str, options.cleaners)) or 'none'}"
        )


def _check_picture(options: argparse.Namespace) -> None:
    from boilersweep.extras import require
    from boilersweep.rendering.chromium import find_chromium

    if not options.page:
        raise UsageError("--picture goes with --page: it is one of a page")
    if len(set(options.cleaners)) not in (1, 2):
        raise UsageError(
            "--picture: expected one or two --cleaners, such as 'words>=11,learned', got "
            f"{', '.join(map(str, options.cleaners)) or 'none'}"
        )
    find_chromium()
    require("PIL")


def _topic(options: argparse.Namespace) -> int:
    from boilersweep.eval.exact.engine import ExactSweep
    from boilersweep.eval.explain.evidence import Side, evidence
    from boilersweep.eval.explain.evidence_json import evidence_json
    from boilersweep.eval.explain.topic_text import topic_account
    from boilersweep.eval.search import HITS
    from boilersweep.indexer.analyzer import BlockAnalyzer
    from boilersweep.indexer.jvm import start_jvm
    from boilersweep.store.language_selection import of_languages
    from boilersweep.store.store import open_store

    topics = {topic.id: topic for topic in chosen.topics(options)}
    topic = topics.get(options.topic)
    if topic is None:
        raise UsageError(
            f"--topic: no topic {options.topic!r} in {options.topics}; it has {_some(list(topics))}"
        )
    grades = chosen.qrels(options).grades
    if not grades.get(topic.id):
        judged = [name for name in topics if grades.get(name)]
        raise UsageError(
            f"--topic: {options.qrels} judges no document of topic {topic.id}; of the topics it "
            f"judges {_some(judged) if judged else 'none'}"
        )
    store = of_languages(open_store(options.store), options.languages).store
    queries = {topic.id: topic.text(options.fields)}
    analyzer, model = chosen.analyzer(options), chosen.ranking(options)
    start_jvm(options.heap)
    if not BlockAnalyzer(analyzer).is_blockwise:
        raise UsageError(
            f"--language {analyzer.language}: expected an analyzer whose runs can be computed "
            "exactly, as explain does; the tokens of this one depend on what stands before"
        )
    sweep = ExactSweep(store, options.cleaners, queries, model.formula, analyzer=analyzer)
    depth = max(options.hits, HITS)
    before, after = (
        Side(cleaner, sweep.run(number, depth).run)
        for number, cleaner in enumerate(options.cleaners)
    )
    found = evidence(store, queries, grades, before, after, analyzer, depth=options.hits)
    tell(topic_account(found, found.topics[0], width()))
    _write(options.output, evidence_json(found))
    return 0


def _page(options: argparse.Namespace) -> int:
    from dataclasses import asdict

    from boilersweep.cleaning.page_file import read_page
    from boilersweep.eval.explain.page_table import page_account
    from boilersweep.eval.explain.verdicts import explain_page

    body = read_page(options.page)
    if not body:
        raise InputError(f"{options.page} is empty; expected a page of HTML")
    found = explain_page(body, options.cleaners)
    tell(page_account(found, width()))
    _write(options.output, asdict(found))
    if options.picture:
        _draw(options, body, {one.cleaner: one.kept for one in found.verdicts})
    return 0


def _draw(options: argparse.Namespace, body: bytes, kept: Mapping[str, Sequence[bool]]) -> None:
    """Write the picture. kept: cleaner's text -> what it keeps."""
    from boilersweep.cli.messages import note
    from boilersweep.outputs.files import write_output
    from boilersweep.pages.encoding import to_utf8
    from boilersweep.rendering.browser import Browser
    from boilersweep.rendering.marking import MarkingSegmenter
    from boilersweep.rendering.picture import Panel, page_picture

    panels = [Panel(name, kept[name]) for name in dict.fromkeys(map(str, options.cleaners))]
    page = MarkingSegmenter(structure=True).html(to_utf8(body, None).utf8)
    with Browser() as browser:
        drawn = page_picture(page, panels, browser)
    write_output(options.picture, drawn)
    note(str(options.picture))


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED_TOPICS
    return ", ".join(names[:_NAMED_TOPICS]) + (f" and {more:,} more" if more > 0 else "")


def _write(path: Path | None, value: dict[str, Any]) -> None:
    from boilersweep.cli.messages import note
    from boilersweep.outputs.files import json_text, write_output

    if path is not None:
        write_output(path, json_text(value))
        note(str(path))
