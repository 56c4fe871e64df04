"""`boilersweep search`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from boilersweep.applications import required
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.cli.call import Call, ThisCall
from boilersweep.cli.messages import note, tell, width
from boilersweep.cli.options.cleaners import Cleaners, CleanersInTurn
from boilersweep.cli.options.collection import Languages
from boilersweep.cli.options.index import ANALYZER
from boilersweep.cli.options.searching import FeedbackSearching
from boilersweep.cli.options.topics import (
    Topics,
    note_judged_folder,
    read_judgements,
)
from boilersweep.cli.options.values import File, OutputFile, Store, paths, section
from boilersweep.errors import UsageError, did_you_mean
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formulas import FEEDBACK
from boilersweep.eval.ranking.runs import Run, write_run
from boilersweep.eval.ranking.search import (
    HITS,
    SearchOptions,
    search_index,
    stored_documents,
)
from boilersweep.eval.ranking.snippets import hit_list, move_lines, moves
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """What is searched, and how."""

    indexes: Sequence[Path]
    keep: Sequence[Cleaner]
    store: Path | None
    searching: FeedbackSearching
    topics: Topics
    output: Path | None

    @property
    def closed(self) -> list[Path]:
        """The indexes and the store, in which no output lies."""
        return [*self.indexes, *filter(None, [self.store])]

    def lists(self, queries: dict[str, str], hits: int) -> list[Run]:
        """Search each index, under each rule, for so many hits if the call names no number."""
        workers, topics = self.searching.workers, self.topics
        start_jvm(workers.heap)
        rules: Sequence[Cleaner | None] = self.keep or [None]
        runs: list[Run] = []
        for index in self.indexes:
            with open_index(index, store=self.store) as searcher:
                runs += (
                    search_index(
                        searcher,
                        queries,
                        self.searching.ranking.model(),
                        fields=topics.boosts,
                        hits=self.searching.ranking.hits or hits,
                        threads=workers.count,
                        keep=keep,
                    )
                    for keep in rules
                )
        return runs


@Parameter(name="*", group=section("why a topic wins or loses"))
@dataclass(frozen=True, slots=True)
class Explaining:
    """The topic to explain.

    Attributes:
        store: A block store from `boilersweep segment`, or its URL.
        topic: The topic to explain.
        qrels: TREC's, BEIR's or CSV; or irds:ID, or a name that pyserini knows.
        cleaners: The two cleaners to compare, separated by a comma; `boilersweep --list cleaners`
            lists their names.
        languages: Use only documents in these languages, such as de,fr; und means documents whose
            language is unknown (default: all documents).
    """

    store: Store | None = None
    topic: Annotated[str | None, Parameter(metavar="ID")] = None
    qrels: File | None = None
    cleaners: Cleaners = ()
    languages: Languages = ()

    def check(self, call: Call, topics: Topics) -> None:
        """Raise UsageError unless the call has what explaining a topic requires, and no more."""
        missing = [option for option in _OF_A_TOPIC if not call.given(option)]
        if missing:
            raise UsageError(
                f"expected {', '.join(_OF_A_TOPIC)}; got no {', '.join(missing)}"
            )
        call.apart("--topic", "--index", "--query", *(f"--{name}" for name in FEEDBACK))
        if len(set(self.cleaners)) != 2 or len(self.cleaners) != 2:
            raise UsageError(
                "--cleaners: expected two different ones, such as 'words>=1,bte', got "
                f"{', '.join(map(str, self.cleaners)) or 'none'}"
            )
        if topics.boosts:
            raise UsageError("--fields: with --topic expected title, desc or narr")


# What explaining a topic requires, and what it takes besides.
_OF_A_TOPIC = ("--store", "--topics", "--qrels", "--topic")
_BESIDES = ("--qrels", "--cleaners", "--languages", *ANALYZER)


def run(
    *,
    indexes: Annotated[Sequence[Path], paths("DIR"), Parameter("--index")] = (),
    output: OutputFile | None = None,
    keep: CleanersInTurn = (),
    query: Annotated[str | None, Parameter(metavar="TEXT")] = None,
    topics: Topics = Topics(),
    explaining: Explaining = Explaining(),
    searching: FeedbackSearching = FeedbackSearching(),
    call: ThisCall,
) -> None:
    """Run topics or a query against an index, or show why a topic wins or loses.

    With --index: run topics and write a TREC run file; or print the hits of one query, with title,
    URL and a snippet if the index contains them; or the hits of one query in two indexes, or under
    two rules, with the documents that entered, left and moved. An index built with --blocks is
    searched as --keep leaves it. The analyzer is that of the index. With --store and --topic: what
    two cleaners do to the topic: the documents that enter and leave the top, with their grades and
    the matching blocks that are kept or dropped.

    Args:
        indexes: A Lucene index; with --query a second one to compare with the first.
        output: The TREC run file to write; with --topic: also write the explanation as JSON.
        keep: Search what a cleaner keeps, in an index built with --blocks; --store has what it
            reads beside words, density, links, classes of blocks and the index's --cleaners; with
            --query a second one to compare with the first.
        query: Print the hits of this query; replaces --topics and --output.
    """
    request = _Request(
        indexes=indexes,
        keep=keep,
        store=explaining.store,
        searching=searching,
        topics=topics,
        output=output,
    )
    if query is not None and not query.strip():
        raise UsageError("--query: expected some words, got none")
    if explaining.topic or (explaining.store and not keep):
        explaining.check(call, topics)
        _explain(request, explaining)
        return
    lists = len(indexes) * max(len(keep), 1)
    _check_index(call, lists, topics)
    for index in indexes:
        require_index(index)
    if query is None:
        _topics(request)
    elif lists > 1:
        _side_by_side(request, query)
    else:
        _query(request, query)


def _check_index(call: Call, lists: int, topics: Topics) -> None:
    """Raise UsageError unless an index is asked for topics or a query."""
    if not lists:
        raise UsageError("expected --index, or --store to explain a --topic")
    if given := call.given(*_BESIDES):
        raise UsageError(f"{', '.join(given)}: expected --store and --topic, too")
    has_query = bool(call.given("--query"))
    if len(call.given("--topics", "--output")) != (0 if has_query else 2):
        raise UsageError("expected --topics and --output, or --query alone")
    if lists > 2 or (lists == 2 and not has_query):
        raise UsageError(
            "--index, --keep: expected one of each; with --query two of one of them"
        )
    if has_query and topics.of_topics not in ((), ("title",)):
        raise UsageError(
            "--fields: with --query expected fields of the index, such as title=0.5"
        )


def _topics(request: _Request) -> None:
    """Run topics and write a run."""
    searching, output = request.searching, request.output or Path()
    options = request.topics
    topics = options.read(options.topics or Path(), searching.workers.heap)
    read = filter(None, [options.topics])
    make_folder_of(output, inputs=read, closed=request.closed)
    require_kind(output, _RUN, "a run")
    fields = options.of_topics or FIELDS[:1]
    queries = {topic.id: topic.text(fields) for topic in topics}
    [lists] = request.lists(queries, HITS)
    write_run(output, lists, "boilersweep")
    without = [topic for topic, hits in lists.items() if not hits]
    if without:
        note(f"{len(without)} topics without a result: {listed(without)}")
    hits = sum(map(len, lists.values()))
    note(f"{hits:,} hits for {len(lists):,} topics with {searching.ranking.model()}")
    if not is_stream(output):
        print(output)


def _query(request: _Request, query: str) -> None:
    """Print the hits of a query."""
    [index] = request.indexes
    [lists] = request.lists({"": query}, _SHOWN)
    hits = lists[""]
    if not hits:
        note("no document contains a word of the query")
        return
    documents = stored_documents(index, [docid for docid, _ in hits])
    tell(hit_list(query, hits, documents, index_analyzer(index), width()))
    if not any(document.text for document in documents):
        note(
            "no snippets: the index has no texts; `index --keep ... --storeContents` stores them"
        )


def _side_by_side(request: _Request, query: str) -> None:
    """Both lists of one query, and where each document was before."""
    before, after = (
        [docid for docid, _ in lists[""]]
        for lists in request.lists({"": query}, _SHOWN)
    )
    titles: dict[str, str] = {}
    indexes = [*request.indexes, *request.indexes][:2]  # one may have both lists
    for index, docids in zip(indexes, (before, after), strict=True):
        stored = stored_documents(index, docids)
        titles |= {
            docid: document.title
            for docid, document in zip(docids, stored, strict=True)
        }
    if not titles:
        note("no document contains a word of the query")
        return
    tell("\n".join(move_lines(moves(before, after), titles, width())))


def _explain(request: _Request, explaining: Explaining) -> None:
    """Show what two cleaners do to a topic."""
    explain_topic = required(
        "boilersweep.eval.explain.evidence:explain_topic", "--topic"
    )
    output, searching = request.output, request.searching
    if output:
        read = filter(None, [request.topics.topics, explaining.qrels])
        make_folder_of(output, inputs=read, closed=request.closed)
        require_kind(output, _JSON, "JSON")
    topic, judged = _topic(explaining, request)
    store = open_store(explaining.store or Path()).in_languages(explaining.languages)
    queries = {topic.id: topic.text(request.topics.of_topics)}
    analyzer = searching.analyzer.options()
    start_jvm(searching.workers.heap)
    if not BlockAnalyzer(analyzer).is_blockwise:
        raise UsageError(
            f"--language {analyzer.language}: expected an analyzer whose runs can be computed "
            "exactly, as --topic does; the tokens of this one depend on the text before them"
        )
    hits = searching.ranking.hits or _SHOWN
    variants = list(map(Variant, explaining.cleaners))
    search = SearchOptions(
        searching.ranking.model(), hits=max(hits, HITS), analyzer=analyzer
    )
    engine = ExactEngine(store, variants, queries, search)
    runs = [(variant.cleaner, engine.run(variant).run) for variant in variants]
    account, evidence = explain_topic(
        store, queries, judged.grades, runs, analyzer, depth=hits, width=width()
    )
    tell(account)
    if output:
        write_output(output, json_text(evidence))
        note(str(output))


def _topic(explaining: Explaining, request: _Request) -> tuple[Topic, Qrels]:
    """Return the topic to explain and the judgements; raise UsageError without either."""
    wanted, path = explaining.topic or "", request.topics.topics or Path()
    heap = request.searching.workers.heap
    topics = {topic.id: topic for topic in request.topics.read(path, heap)}
    topic = topics.get(wanted)
    if topic is None:
        raise UsageError(
            f"--topic: no topic {wanted!r} in {path}; it has {_some(list(topics))}"
            f"{did_you_mean(wanted, topics)}"
        )
    judgements = explaining.qrels or Path()
    qrels = read_judgements(judgements, heap)
    note_judged_folder(judgements)
    if not qrels.grades.get(topic.id):
        judged = [name for name in topics if qrels.grades.get(name)]
        raise UsageError(
            f"--topic: {judgements} judges no document of topic {topic.id}; of the topics it "
            f"judges {_some(judged) if judged else 'none'}"
        )
    return topic, qrels


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED_TOPICS
    return ", ".join(names[:_NAMED_TOPICS]) + (
        f" and {more:,} more" if more > 0 else ""
    )
