"""Topics and judgements: which ones, and reading them."""

import argparse
import math
from dataclasses import replace
from pathlib import Path

from boilersweep.cli.messages import note
from boilersweep.cli.parser import Group, Options
from boilersweep.errors import UsageError, did_you_mean
from boilersweep.eval.assess.decision import judged_folder
from boilersweep.indexer.jvm import start_jvm
from boilersweep.topics import (
    FIELDS,
    Agreement,
    Qrels,
    Topic,
    describe,
    describe_fields,
    needs_java,
    read_qrels,
    read_topics,
    renamed,
    require_agreement,
)


def topics_group(*, boosts: bool = False) -> Group:
    """Return --topics and --fields, which may also take fields of the index with boosts."""
    text = """
        --topics FILE  TREC, TSV, CSV or JSONL; or irds:ID for a dataset of ir_datasets; or a name
            that pyserini knows, such as trec2004-terabyte
        """
    if boosts:
        of_index = """
            --fields FIELD[=BOOST]  which fields of a topic form the query: title, desc, narr
                (default: title); with boosts, which fields of the index to search, such as
                contents=1.0 title=0.5 (default: contents only)
            """
        types = {"fields": _topic_field_or_boost}
        fields = Options(of_index, types=types, nargs="+", default=["title"])
    else:
        names = ",".join(FIELDS)
        of_topic = f"""
            --fields {{{names}}}  which fields of a topic form the query (default: title)
            """
        fields = Options(of_topic, nargs="+", default=["title"])
    return Group(Options(text), fields, PREFIXES, title="topics")


# How ids of topics and runs begin, and how those of the qrels do instead.
PREFIXES = Options(
    """
    --topic-prefix OLD=NEW ...  topic ids that begin with OLD begin with NEW in the qrels; without
        =NEW, the qrels lack OLD. For ids of topics and runs; may be repeated
    """,
    types={"topic_prefix": lambda text: text.partition("=")[::2]},
    default=[],
)


def _topic_field_or_boost(text: str) -> str | tuple[str, float]:
    """Return `desc` unchanged, `title=0.5` as name and boost."""
    name, equals, boost = text.partition("=")
    if not equals and name in FIELDS:
        return name
    try:
        value = float(boost)
    except ValueError:
        value = -1
    if not (equals and name and 0 < value < math.inf):
        raise UsageError(
            f"expected {', '.join(FIELDS)} of the topics, or a field of the index with a boost "
            f"above 0, such as title=0.5, got {text!r}{did_you_mean(name, FIELDS)}"
        )
    return name, value


def qrels_option(*, required: bool = True) -> Options:
    """Return --qrels."""
    text = (
        "--qrels FILE  TREC's, BEIR's or CSV; or irds:ID, or a name that pyserini knows"
    )
    return Options(text, required=required)


def topics(args: argparse.Namespace) -> list[Topic]:
    """Read the topics, and print which fields of the query some of them lack."""
    _start_java_for(args, args.topics, "topics")
    found = read_topics(args.topics)
    ids = renamed([topic.id for topic in found], dict(args.topic_prefix))
    found = [replace(topic, id=ids[topic.id]) for topic in found]
    of_topics = [field for field in args.fields if isinstance(field, str)]
    note(*describe_fields(found, of_topics or FIELDS[:1]))
    return found


def qrels(args: argparse.Namespace) -> Qrels:
    """Read the judgements."""
    _start_java_for(args, args.qrels, "qrels")
    return read_qrels(args.qrels)


def note_judged_folder(args: argparse.Namespace) -> None:
    """Print what judgements of `assess` do not support, where single scores are shown."""
    if judged_folder(args.qrels):
        note(
            f"{args.qrels} has judgements of `boilersweep assess`, of few documents: scores count "
            "all others as not relevant; `boilersweep compare` shows what the judgements support"
        )


def topics_and_qrels(
    args: argparse.Namespace,
) -> tuple[list[Topic], Qrels, Agreement, list[str]]:
    """Read topics and qrels, and print sentences about how they agree.

    Returns:
        Topics, qrels, their agreement, and the printed sentences.

    Raises:
        QrelsError: If they have no topic in common.
    """
    found, judged = topics(args), qrels(args)
    agreement = require_agreement(found, judged)
    sentences = describe(agreement)
    note(*sentences)
    return found, judged, agreement, sentences


def sources(args: argparse.Namespace) -> dict[str, Path]:
    """Return the files of topics and qrels."""
    return {"topics": args.topics, "qrels": args.qrels}


def _start_java_for(args: argparse.Namespace, name: Path, what: str) -> None:
    """Start the JVM with the requested heap if a name needs one."""
    if needs_java(name, what):
        start_jvm(getattr(args, "heap", None))


def runs(args: argparse.Namespace) -> dict[str, Path]:
    """Return the runs made elsewhere; raise UsageError for a duplicate name."""
    names = [name for name, _ in args.runs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(
            f"--runs: expected a different name for each, got {twice[0]} twice"
        )
    return dict(args.runs)


def _named_run(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (equals and name and path):
        raise UsageError(
            f"expected NAME=RUN.trec, such as dense=dense.trec, got {text!r}"
        )
    return name, Path(path)


RUNS = Group(
    Options(
        """
        --runs NAME=RUN.trec ...  a run made elsewhere, by a dense retriever or another engine, to
            compare as well; may be repeated
        """,
        types={"runs": _named_run},
        default=[],
    ),
    runs,
)
