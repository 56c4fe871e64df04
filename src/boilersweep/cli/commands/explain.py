"""Show why a topic wins or loses, or what every cleaner keeps of a page.

For a topic and two cleaners: the documents that enter and leave the top, with their grades and the
matching blocks that are kept or dropped. For a page: its blocks with features and every cleaner's
verdict.
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaning.page_file import read_page
from boilersweep.cli import options
from boilersweep.cli.messages import note, tell, width
from boilersweep.cli.parser import Options
from boilersweep.errors import InputError, UsageError, did_you_mean
from boilersweep.eval.explain.documents import evidence_json
from boilersweep.eval.explain.evidence import Side, evidence, topic_account
from boilersweep.eval.explain.verdicts import explain_page, page_account
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.search import HITS, SearchOptions
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.indexer.jvm import start_jvm
from boilersweep.outputs.streams import make_folder_of, require_kind, write_output
from boilersweep.outputs.typed_files import json_text
from boilersweep.store.store import open_store

_OF_A_TOPIC = ("store", "topics", "qrels", "topic")
_HITS = 10
_NAMED_TOPICS = 20  # in a message
_JSON = re.compile(rb"\s*\{")


def _check_page(args: argparse.Namespace) -> None:
    if args.page:
        for name in (*_OF_A_TOPIC, "languages"):
            if getattr(args, name):
                raise UsageError(
                    f"--page cannot be used with --{name}: explain a page, or a topic"
                )


def _check_topic(args: argparse.Namespace) -> None:
    if args.page:
        return
    missing = [f"--{name}" for name in _OF_A_TOPIC if getattr(args, name) is None]
    if missing:
        raise UsageError(
            f"expected --page, or {', '.join(f'--{name}' for name in _OF_A_TOPIC)}; "
            f"got no {', '.join(missing)}"
        )
    if len(set(args.cleaners)) != 2 or len(args.cleaners) != 2:
        raise UsageError(
            "--cleaners: expected two different ones, such as 'words>=1,bte', got "
            f"{', '.join(map(str, args.cleaners)) or 'none'}"
        )


OPTIONS = (
    Options(
        """
        --page FILE  explain a page; - reads standard input
        --topic ID   the topic to explain
        """
    ),
    options.topics.topics_group(required=False),
    options.topics.qrels_option(required=False),
    options.collection.store(required=False),
    options.collection.languages("for a topic: "),
    options.cleaners.several(
        "for a topic two cleaners; for a page any besides all named ones"
    ),
    options.output.file("also write the results as JSON to this file"),
    options.ranking.group(hits=str(_HITS), feedback=False),
    options.index.ANALYZER,
    options.work.HEAP,
    options.work.LOG_EVERY,
    _check_page,
    _check_topic,
)


def run(args: argparse.Namespace) -> None:
    if args.output:
        make_folder_of(args.output)
        require_kind(args.output, _JSON, "JSON")
    if args.page:
        _page(args)
    else:
        _topic(args)


def _topic(args: argparse.Namespace) -> None:
    topics = {topic.id: topic for topic in options.topics.topics(args)}
    topic = topics.get(args.topic)
    if topic is None:
        raise UsageError(
            f"--topic: no topic {args.topic!r} in {args.topics}; it has {_some(list(topics))}"
            f"{did_you_mean(args.topic, topics)}"
        )
    grades = options.topics.qrels(args).grades
    options.topics.note_judged_folder(args)
    if not grades.get(topic.id):
        judged = [name for name in topics if grades.get(name)]
        raise UsageError(
            f"--topic: {args.qrels} judges no document of topic {topic.id}; of the topics it "
            f"judges {_some(judged) if judged else 'none'}"
        )
    store = open_store(args.store).in_languages(args.languages)
    queries = {topic.id: topic.text(args.fields)}
    analyzer, model = options.index.analyzer(args), options.ranking.model(args)
    start_jvm(args.heap)
    if not BlockAnalyzer(analyzer).is_blockwise:
        raise UsageError(
            f"--language {analyzer.language}: expected an analyzer whose runs can be computed "
            "exactly, as explain does; the tokens of this one depend on the text before them"
        )
    hits = args.hits or _HITS
    variants = list(map(Variant, args.cleaners))
    search = SearchOptions(model, hits=max(hits, HITS), analyzer=analyzer)
    engine = ExactEngine(store, variants, queries, search)
    before, after = (
        Side(variant.cleaner, engine.run(variant).run) for variant in variants
    )
    found = evidence(store, queries, grades, before, after, analyzer, depth=hits)
    tell(topic_account(found, found.topics[0], width()))
    _write(args.output, evidence_json(found))


def _page(args: argparse.Namespace) -> None:
    from dataclasses import asdict

    page = read_page(args.page)
    try:
        found = explain_page(page, args.cleaners)
    except InputError as error:
        raise InputError(f"{args.page}: {error}") from error
    tell(page_account(found, width()))
    _write(args.output, asdict(found))


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED_TOPICS
    return ", ".join(names[:_NAMED_TOPICS]) + (
        f" and {more:,} more" if more > 0 else ""
    )


def _write(path: Path | None, value: dict[str, Any]) -> None:
    if path is not None:
        write_output(path, json_text(value))
        note(str(path))
