"""Run topics or a query against an index.

Run topics against an index and write a TREC run file; or print the hits of one query, with title,
URL and a snippet if the index contains them; or the hits of one query in two indexes, with the
documents that entered, left and moved. The analyzer is that of the index.
"""

import argparse
import re
from pathlib import Path

from boilersweep.cli import options
from boilersweep.cli.messages import note, tell, width
from boilersweep.cli.parser import Options
from boilersweep.errors import UsageError
from boilersweep.eval.explain.hit_list import hit_list, move_lines, moves
from boilersweep.eval.ranking.runs import Run, write_run
from boilersweep.eval.ranking.search import HITS, search_index, stored_documents
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.searcher import index_analyzer, require_index
from boilersweep.outputs.streams import is_stream, make_folder_of, require_kind
from boilersweep.topics import FIELDS

_SHOWN = 10  # hits of a query
_RUN = re.compile(rb"\S+ \S+ \S+ \d+ \S+ \S+\s")  # how a run begins


def _check(args: argparse.Namespace) -> None:
    if args.query is not None and not args.query.strip():
        raise UsageError("--query: expected some words, got none")
    if [args.topics is None, args.output is None] != [args.query is not None] * 2:
        raise UsageError("expected --topics and --output, or --query alone")
    if len(args.indexes) > 2 or (len(args.indexes) == 2 and args.query is None):
        raise UsageError("--index: expected one, or two with --query")
    of_topics = [field for field in args.fields if isinstance(field, str)]
    if args.query is not None and of_topics not in ([], ["title"]):
        raise UsageError(
            "--fields: with --query expected fields of the index, such as title=0.5"
        )


OPTIONS = (
    Options(
        "--index DIR ...  a Lucene index; with --query a second one to compare with the first",
        dest="indexes",
        required=True,
    ),
    options.output.file("the TREC run file to write"),
    Options(
        "--query TEXT  print the hits of this query; replaces --topics and --output"
    ),
    options.topics.topics_group(required=False, boosts=True),
    options.ranking.group(hits=f"1000, with --query {_SHOWN}"),
    options.work.THREADS,
    options.work.HEAP,
    _check,
)


def run(args: argparse.Namespace) -> None:
    for index in args.indexes:
        require_index(index)
    if len(args.indexes) == 2:
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
    found = _found(args, args.indexes[0], queries, HITS)
    write_run(args.output, found, "boilersweep")
    without = [topic for topic, hits in found.items() if not hits]
    if without:
        note(f"{len(without)} topics without a result: {', '.join(without[:10])}")
    hits = sum(map(len, found.values()))
    note(f"{hits:,} hits for {len(found):,} topics with {options.ranking.model(args)}")
    if not is_stream(args.output):
        print(args.output)


def _query(args: argparse.Namespace) -> None:
    [index] = args.indexes
    hits = _found(args, index, {"": args.query}, _SHOWN)[""]
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
        [docid for docid, _ in _found(args, index, queries, _SHOWN)[""]]
        for index in args.indexes
    )
    titles: dict[str, str] = {}
    for index, docids in zip(args.indexes, (before, after), strict=True):
        stored = stored_documents(index, docids)
        titles |= {docid: one.title for docid, one in zip(docids, stored, strict=True)}
    if not titles:
        note("no document contains a word of the query")
        return
    tell("\n".join(move_lines(moves(before, after), titles, width())))


def _found(
    args: argparse.Namespace, index: Path, queries: dict[str, str], hits: int
) -> Run:
    start_jvm(args.heap)
    return search_index(
        index,
        queries,
        options.ranking.model(args),
        fields=dict(field for field in args.fields if not isinstance(field, str)),
        hits=args.hits or hits,
        threads=options.work.threads(args),
    )
