"""Topics and qrels: their readers, and the check that the two speak of the same topics.

topic      one topic, and what every reader demands of it
topic_formats  topics in TREC's `<top>` format, with the variants of real files, as TSV, CSV or JSON
query_log  queries and counts, sampled by traffic
qrels      relevance judgements in TREC's four columns, or as BEIR and CSV have them,
           which topics they judge, which are missing on either side, and ids of one side that begin
           otherwise
read       files, gzip, encodings, recognising the format; names of datasets; what a program holds
"""

from boilersweep.topics.qrels import (
    Agreement,
    Qrels,
    agree,
    describe,
    describe_fields,
    docid_forms,
    parse_qrels,
    prefix_hint,
    renamed,
    require_agreement,
    require_judged_documents,
    with_documents,
)
from boilersweep.topics.query_log import QueryLog
from boilersweep.topics.read import (
    AnyQrels,
    AnyTopics,
    needs_java,
    read_qrels,
    read_query_log,
    read_topics,
)
from boilersweep.topics.topic import FIELDS, Topic
from boilersweep.topics.topic_formats import (
    parse_csv,
    parse_jsonl,
    parse_trec,
    parse_tsv,
)

__all__ = [
    "FIELDS",
    "Agreement",
    "AnyQrels",
    "AnyTopics",
    "Qrels",
    "QueryLog",
    "Topic",
    "agree",
    "describe",
    "describe_fields",
    "docid_forms",
    "needs_java",
    "parse_csv",
    "parse_jsonl",
    "parse_qrels",
    "parse_trec",
    "parse_tsv",
    "prefix_hint",
    "read_qrels",
    "read_query_log",
    "read_topics",
    "renamed",
    "require_agreement",
    "require_judged_documents",
    "with_documents",
]
