"""Run topics or a query against an index, or show why a topic wins or loses.

With --index: run topics and write a TREC run file; or print the hits of one query, with title, URL
and a snippet if the index contains them; or the hits of one query in two indexes, or under two
rules, with the documents that entered, left and moved. An index built with --blocks is searched as
--keep leaves it. The analyzer is that of the index. With --store and --topic:
what two cleaners do to the topic: the documents that enter and leave the top, with their grades and
the matching blocks that are kept or dropped.
"""

import argparse
import re
from collections.abc import Sequence
from typing import TypeVar

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cli import options
from boilersweep.cli.messages import note, tell, width
from boilersweep.cli.parser import Group, Options, apart
from boilersweep.errors import UsageError, did_you_mean
from boilersweep.eval.explain.documents import evidence_json
from boilersweep.eval.explain.evidence import Side, evidence, topic_account
from boilersweep.eval.explain.snippets import hit_list, move_lines, moves
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formulas import FEEDBACK
from boilersweep.eval.ranking.runs import Run, write_run
from boilersweep.eval.ranking.search import (
    HITS,
    SearchOptions,
    search_index,
    stored_documents,
)
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.searcher import index_analyzer, open_index, require_index
from boilersweep.outputs.identity import listed
from boilersweep.outputs.streams import (
    is_stream,
    make_folder_of,
    require_kind,
    write_output,
)
from boilersweep.outputs.typed_files import json_text
from boilersweep.store.store import open_store
from boilersweep.topics import FIELDS, Qrels, Topic

_SHOWN = 10  # hits of a query or a topic
_NAMED_TOPICS = 20  # in a message
_JSON = re.compile(rb"\s*\{")
_RUN = re.compile(rb"\S+ \S+ \S+ \d+ \S+ \S+\s")  # how a run begins


_Asked = TypeVar("_Asked")

# What explaining a topic requires, and what it takes besides.
_OF_A_TOPIC = ("store", "topics", "qrels", "topic")
_BESIDES = ("cleaners", "languages", *options.index.ANALYZER_NAMES)


def _check(args: argparse.Namespace) -> None:
    explains = args.topic or (args.store and not args.keep)
    (_check_topic if explains else _check_index)(args)
    if args.query is not None and not args.query.strip():
        raise UsageError("--query: expected some words, got none")


def _check_index(args: argparse.Namespace) -> None:
    """Raise UsageError unless an index is asked for topics or a query."""
    if not args.indexes:
        raise UsageError("expected --index, or --store to explain a --topic")
    given = [args.typed[one][0] for one in ("qrels", *_BESIDES) if one in args.typed]
    if given:
        raise UsageError(f"{', '.join(given)}: expected --store and --topic, too")
    if [args.topics is None, args.output is None] != [args.query is not None] * 2:
        raise UsageError("expected --topics and --output, or --query alone")
    lists = len(args.indexes) * max(len(args.keep), 1)
    if lists > 2 or (lists == 2 and args.query is None):
        raise UsageError(
            "--index, --keep: expected one of each; with --query two of one of them"
        )
    of_topics = [field for field in args.fields if isinstance(field, str)]
    if args.query is not None and of_topics not in ([], ["title"]):
        raise UsageError(
            "--fields: with --query expected fields of the index, such as title=0.5"
        )


def _check_topic(args: argparse.Namespace) -> None:
    """Raise UsageError unless the call has what explaining a topic requires, and no more."""
    missing = [f"--{name}" for name in _OF_A_TOPIC if getattr(args, name) is None]
    if missing:
        raise UsageError(
            f"expected {', '.join(f'--{name}' for name in _OF_A_TOPIC)}; "
            f"got no {', '.join(missing)}"
        )
    if len(set(args.cleaners)) != 2 or len(args.cleaners) != 2:
        raise UsageError(
            "--cleaners: expected two different ones, such as 'words>=1,bte', got "
            f"{', '.join(map(str, args.cleaners)) or 'none'}"
        )
    if not all(isinstance(field, str) for field in args.fields):
        raise UsageError("--fields: with --topic expected title, desc or narr")


OPTIONS = (
    Options(
        "--index DIR ...  a Lucene index; with --query a second one to compare with the first",
        dest="indexes",
    ),
    options.output.file(
        "the TREC run file to write; with --topic: also write the explanation as JSON"
    ),
    options.cleaners.one(
        "--keep",
        "search what a cleaner keeps, in an index built with --blocks; --store has what it reads "
        "beside words, density, links, classes of blocks and the index's --cleaners; with --query "
        "a second one to compare with the first",
        repeated=True,
    ),
    Options(
        "--query TEXT  print the hits of this query; replaces --topics and --output"
    ),
    options.topics.topics_group(boosts=True),
    Group(
        options.collection.store(required=False),
        Options("--topic ID  the topic to explain"),
        options.topics.qrels_option(required=False),
        options.cleaners.several("the two cleaners to compare"),
        options.collection.languages(),
        title="why a topic wins or loses",
    ),
    options.ranking.group(hits=f"1000; {_SHOWN} with --query and --topic"),
    options.index.ANALYZER,
    options.output.THREADS,
    options.output.HEAP,
    apart("--topic", "--index", "--query", *(f"--{name}" for name in FEEDBACK)),
    _check,
)


def run(args: argparse.Namespace) -> None:
    if args.topic:
        _explain(args)
        return
    for index in args.indexes:
        require_index(index)
    if len(args.indexes) == 2 or len(args.keep) == 2:
        _side_by_side(args)
    elif args.query is None:
        _topics(args)
    else:
        _query(args)


def _topics(args: argparse.Namespace) -> None:
    topics = options.topics.topics(args)
    make_folder_of(args.output)
    require_kind(args.output, _RUN, "a run")
    fields = [field for field in args.fields if isinstance(field, str)] or FIELDS[:1]
    queries = {topic.id: topic.text(fields) for topic in topics}
    [found] = _lists(args, queries, HITS)
    write_run(args.output, found, "boilersweep")
    without = [topic for topic, hits in found.items() if not hits]
    if without:
        note(f"{len(without)} topics without a result: {listed(without)}")
    hits = sum(map(len, found.values()))
    note(f"{hits:,} hits for {len(found):,} topics with {options.ranking.model(args)}")
    if not is_stream(args.output):
        print(args.output)


def _query(args: argparse.Namespace) -> None:
    [index] = args.indexes
    [found] = _lists(args, {"": args.query}, _SHOWN)
    hits = found[""]
    if not hits:
        note("no document contains a word of the query")
        return
    documents = stored_documents(index, [docid for docid, _ in hits])
    tell(hit_list(args.query, hits, documents, index_analyzer(index), width()))
    if not any(one.text for one in documents):
        note(
            "no snippets: the index has no texts; `index --keep ... --storeContents` stores them"
        )


def _side_by_side(args: argparse.Namespace) -> None:
    """Both lists of one query, and where each document was before."""
    queries = {"": args.query}
    before, after = (
        [docid for docid, _ in found[""]] for found in _lists(args, queries, _SHOWN)
    )
    titles: dict[str, str] = {}
    for index, docids in zip(_twice(args.indexes), (before, after), strict=True):
        stored = stored_documents(index, docids)
        titles |= {docid: one.title for docid, one in zip(docids, stored, strict=True)}
    if not titles:
        note("no document contains a word of the query")
        return
    tell("\n".join(move_lines(moves(before, after), titles, width())))


def _twice(asked: Sequence[_Asked]) -> Sequence[_Asked]:
    """Return what two lists are of: two different ones, or the same for both."""
    return [*asked, *asked][:2]


def _lists(args: argparse.Namespace, queries: dict[str, str], hits: int) -> list[Run]:
    """Search each index, under each rule."""
    start_jvm(args.heap)
    runs: list[Run] = []
    for index in args.indexes:
        with open_index(index, store=args.store) as searcher:
            runs += (
                search_index(
                    searcher,
                    queries,
                    options.ranking.model(args),
                    fields=dict(f for f in args.fields if not isinstance(f, str)),
                    hits=args.hits or hits,
                    threads=options.output.threads(args),
                    keep=keep,
                )
                for keep in args.keep or [None]
            )
    return runs


def _explain(args: argparse.Namespace) -> None:
    """Show what two cleaners do to a topic."""
    if args.output:
        make_folder_of(args.output)
        require_kind(args.output, _JSON, "JSON")
    topic, judged = _topic(args)
    store = open_store(args.store).in_languages(args.languages)
    queries = {topic.id: topic.text(args.fields)}
    analyzer, model = options.index.analyzer(args), options.ranking.model(args)
    start_jvm(args.heap)
    if not BlockAnalyzer(analyzer).is_blockwise:
        raise UsageError(
            f"--language {analyzer.language}: expected an analyzer whose runs can be computed "
            "exactly, as --topic does; the tokens of this one depend on the text before them"
        )
    hits = args.hits or _SHOWN
    variants = list(map(Variant, args.cleaners))
    search = SearchOptions(model, hits=max(hits, HITS), analyzer=analyzer)
    engine = ExactEngine(store, variants, queries, search)
    before, after = (
        Side(variant.cleaner, engine.run(variant).run) for variant in variants
    )
    grades = judged.grades
    found = evidence(store, queries, grades, before, after, analyzer, depth=hits)
    tell(topic_account(found, found.topics[0], width()))
    if args.output:
        write_output(args.output, json_text(evidence_json(found)))
        note(str(args.output))


def _topic(args: argparse.Namespace) -> tuple[Topic, Qrels]:
    """Return the topic to explain and the judgements; raise UsageError without either."""
    topics = {topic.id: topic for topic in options.topics.topics(args)}
    topic = topics.get(args.topic)
    if topic is None:
        raise UsageError(
            f"--topic: no topic {args.topic!r} in {args.topics}; it has {_some(list(topics))}"
            f"{did_you_mean(args.topic, topics)}"
        )
    qrels = options.topics.qrels(args)
    options.topics.note_judged_folder(args)
    if not qrels.grades.get(topic.id):
        judged = [name for name in topics if qrels.grades.get(name)]
        raise UsageError(
            f"--topic: {args.qrels} judges no document of topic {topic.id}; of the topics it "
            f"judges {_some(judged) if judged else 'none'}"
        )
    return topic, qrels


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED_TOPICS
    return ", ".join(names[:_NAMED_TOPICS]) + (
        f" and {more:,} more" if more > 0 else ""
    )
