"""Relevance judgements as TREC's qrels, BEIR and CSV have them, and what of the topics they judge.

What one side lacks distorts every mean. One side may write topic ids with another beginning:
`clef2015.test.1`, `qtest.1` and `1`. Nothing is matched unless users say so: a hint names both
forms and the option that makes them one.
"""

import csv
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product, takewhile
from operator import eq

from boilersweep.errors import QrelsError, TopicsError, UsageError
from boilersweep.outputs.identity import listed
from boilersweep.topics.topic import Topic, column_names, named_columns

_EXAMPLE = "'851 0 BLOG06-20051206-000-0000000001 2'"
# ASCII white space only: a docid may hold any other character.
_TOKEN = re.compile(r"[^ \t\r\n\f\v]+")
# Not int() alone, which takes 1_0 and digits of other scripts, and refuses thousands of digits.
_GRADE = re.compile(r"[+-]?[0-9]{1,9}")
# Names of the columns in a first line.
TOPICS = ("topic", "topic_id", "qid", "query_id", "query-id", "query")
DOCIDS = ("docid", "doc_id", "docno", "corpus_id", "corpus-id", "document")
GRADES = ("grade", "relevance", "rel", "label", "score")


@dataclass(frozen=True, slots=True)
class _Table:
    """Columns with a separator between them.

    Attributes:
        separator: The separator.
        width: The number of columns.
        places: The places of topic, docid and grade, from 0.
    """

    separator: str
    width: int
    places: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Qrels:
    """The judgements of one file.

    Attributes:
        grades: The grade, 0 or more, by topic id and docid, in file order. A topic whose pairs are
            all unjudged has an empty dict.
        unjudged: The number of pairs with a negative grade, TREC's "not judged", which `grades`
            leaves out.
        repeated: The number of lines that repeat an earlier line.
    """

    grades: dict[str, dict[str, int]]
    unjudged: int = 0
    repeated: int = 0


def parse_qrels(lines: Iterable[str], source: str) -> Qrels:
    """Parse qrels of four columns separated by tabs or spaces; the second column is not read.

    A first line that names columns of topic, docid and grade, with tabs or commas between them,
    says which they are, as BEIR's does; with commas and no names there are four columns, or three
    without the iteration.

    Args:
        lines: The file's lines, with or without their ends.
        source: The file's name, for messages.

    Raises:
        QrelsError: A line has another number of columns or a grade that is not an integer, a pair
            of topic and docid has two different grades, or there is no judgement; the message names
            source and line.
    """
    grades: dict[str, dict[str, int]] = {}
    first: dict[tuple[str, str], tuple[int, int]] = {}
    unjudged = repeated = 0
    table: _Table | None = None
    begun = False
    for number, raw in enumerate(lines, start=1):
        line = raw.removeprefix("\ufeff") if number == 1 else raw
        if not _TOKEN.search(line):
            continue
        where = f"{source}:{number}"
        if not begun:
            begun = True
            named, table = _named_columns(line, where), _without_names(line)
            if named:
                table = named
                continue
        columns = _cells(table, line, where) if table else _TOKEN.findall(line)
        topic, docid, grade = _judgement(columns, line, where)
        earlier, earlier_number = first.setdefault((topic, docid), (grade, number))
        if earlier != grade:
            raise QrelsError(
                f"{where}: expected one grade for topic {topic[:80]!r} and document "
                f"{docid[:80]!r}, got {_grade_text(grade)} after {_grade_text(earlier)} on line "
                f"{earlier_number}; remove one of the two lines"
            )
        judged = grades.setdefault(topic, {})
        if earlier_number != number:
            repeated += 1
        elif grade < 0:
            unjudged += 1
        else:
            judged[docid] = grade
    if not grades:
        raise QrelsError(
            f"{source}:1: expected qrels, found no line; a line looks like {_EXAMPLE}"
        )
    return Qrels(grades=grades, unjudged=unjudged, repeated=repeated)


def _named_columns(line: str, where: str) -> _Table | None:
    """Return the columns that a first line names; None if it names none."""
    for separator in ("\t", ","):
        if places := named_columns(line, separator, TOPICS, DOCIDS, GRADES):
            topic, docid, grade = places
            names = column_names(line, separator)
            if len(grades := [name for name in names if name in GRADES]) > 1:
                raise QrelsError(
                    f"{where}: expected one column of grades, got {' and '.join(grades)}; rename "
                    "or remove all but one"
                )
            return _Table(separator, line.count(separator) + 1, (topic, docid, grade))
    return None


def _without_names(line: str) -> _Table | None:
    """Return the columns of a first line with commas and no other space between them."""
    if len(_TOKEN.findall(line)) == 4:
        return None
    width = line.count(",") + 1
    return {3: _Table(",", 3, (0, 1, 2)), 4: _Table(",", 4, (0, 2, 3))}.get(width)


def _cells(table: _Table, line: str, where: str) -> list[str]:
    """Return a line's columns as TREC has them."""
    try:
        [cells] = csv.reader([line.rstrip("\r\n")], delimiter=table.separator)
    except (csv.Error, ValueError) as error:
        raise QrelsError(
            f"{where}: expected columns as in the first line ({error})"
        ) from error
    if len(cells) != table.width:
        raise QrelsError(
            f"{where}: expected {table.width} columns as in the first line, got {len(cells)} in "
            f"{line.strip()[:80]!r}"
        )
    topic, docid, grade = (cells[place].strip() for place in table.places)
    for value in (topic, docid):
        if _TOKEN.findall(value) != [value]:
            raise QrelsError(
                f"{where}: expected a topic and a docid without white space, got {value[:80]!r}; "
                "boilersweep writes a space in a docid as %20"
            )
    return [topic, "0", docid, grade]


def _judgement(columns: list[str], line: str, where: str) -> tuple[str, str, int]:
    if len(columns) != 4:
        came = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
        raise QrelsError(
            f"{where}: expected 4 columns, topic iteration docid grade, got {came} in "
            f"{line.strip()[:80]!r}; a line looks like {_EXAMPLE}"
        )
    topic, _, docid, grade = columns
    if "\0" in topic or "\0" in docid:
        raise QrelsError(
            f"{where}: expected a topic and a docid without NULs, where trec_eval ends them, got "
            f"{line.strip()[:80]!r}; boilersweep writes one in a docid as %00"
        )
    if not _GRADE.fullmatch(grade):
        raise QrelsError(
            f"{where}: expected an integer as grade, got {grade[:80]!r} in "
            f"{line.strip()[:80]!r}; a line looks like {_EXAMPLE}"
        )
    # Every negative grade says the same: not judged.
    return topic, docid, max(int(grade), -1)


def _grade_text(grade: int) -> str:
    return "a negative grade (not judged)" if grade < 0 else f"grade {grade}"


_COMPARED = 200  # ids of each side
_LONGEST = 100  # characters of an end that are compared
_LAST_PART = re.compile(r"[0-9A-Za-z]*\Z")


def renamed(ids: Iterable[str], prefixes: Mapping[str, str]) -> dict[str, str]:
    """Map ids of topics or runs to the ids of the qrels.

    The longest old prefix counts. An id that begins with its new prefix already stays.

    Args:
        ids: The ids.
        prefixes: How ids begin -> how those of the qrels begin instead.

    Raises:
        UsageError: An id would be empty, or two would be one.
    """
    longest = sorted(prefixes.items(), key=lambda one: -len(one[0]))
    old_ids: dict[str, str] = {}
    for id_ in ids:
        fitting = [pair for pair in longest if id_.startswith(pair[0])]
        new_id = id_
        if fitting and not (fitting[0][1] and id_.startswith(fitting[0][1])):
            new_id = fitting[0][1] + id_.removeprefix(fitting[0][0])
        other = old_ids.setdefault(new_id, id_)
        if not new_id or other != id_:
            raise UsageError(
                "expected prefixes that leave an id of its own to every topic, got "
                f"{new_id!r} for {id_!r}{(other != id_ and f' and {other!r}') or ''}",
                parameter="topic_prefix",
            )
    return {old: new for new, old in old_ids.items()}


def prefix_hint(ids: Sequence[str], judged: Sequence[str], whose: str) -> str:
    """Say that ids differ from those of the qrels by their beginning alone, "" if they do not.

    Args:
        ids: Ids that the qrels lack.
        judged: Ids of the qrels that are not among the others.
        whose: What has the ids, such as "the topics".
    """
    examples: dict[tuple[str, str], list[tuple[str, str]]] = {("", ""): []}
    for ours, theirs in product(ids[:_COMPARED], judged[:_COMPARED]):
        core = _shared_end(ours, theirs)
        pair = ours.removesuffix(core), theirs.removesuffix(core)
        inside = any(f"{one[-1:]}{core[:1]}".isdigit() and one for one in pair)
        if core and ours != theirs and not inside:
            examples.setdefault(pair, []).append((ours, theirs))
    pair, docids = max(examples.items(), key=lambda one: len(one[1]))
    if 2 * len(docids) <= min(len(ids), len(judged), _COMPARED):
        return ""
    option = shlex.quote("=".join(pair) if pair[1] else pair[0])
    return (
        f"{whose} have {docids[0][0]!r} where the qrels have {docids[0][1]!r}: if these are the "
        f"same topics, --topic-prefix {option} reads them so"
    )


def _shared_end(one: str, other: str) -> str:
    """Return the letters and digits with which both end."""
    alike = map(eq, reversed(one[-_LONGEST:]), reversed(other[-_LONGEST:]))
    count = sum(takewhile(bool, alike))
    found: str = _LAST_PART.findall(one[len(one) - count :])[0]
    return found


_EXAMPLES = 3  # documents in a sentence


@dataclass(frozen=True, slots=True)
class MissingDocuments:
    """Judged documents that the collection lacks.

    Attributes:
        judged: The numbers of judged documents that it lacks, and of all.
        relevant: The same of relevant documents.
        examples: Some that it lacks.
        forms: Docids of the collection beside those of the qrels.
        topics: Topics whose relevant documents it all lacks.
    """

    judged: tuple[int, int] = (0, 0)
    relevant: tuple[int, int] = (0, 0)
    examples: tuple[str, ...] = ()
    forms: str = ""
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Agreement:
    """Topic ids by what topics and qrels say of them, each in the order of its file.

    Attributes:
        evaluated: Topics with at least one judgement.
        without_qrels: Topics the qrels do not name.
        without_topic: Ids the qrels name and no topic has.
        without_relevant: Topics the qrels name, but with no grade of 1 or more.
        missing: The judged documents that the collection lacks, once it is known.
    """

    evaluated: tuple[str, ...]
    without_qrels: tuple[str, ...]
    without_topic: tuple[str, ...]
    without_relevant: tuple[str, ...]
    missing: MissingDocuments = field(default_factory=MissingDocuments)


def agree(topics: Sequence[Topic], qrels: Qrels) -> Agreement:
    """Compare the ids of topics and qrels; they are equal only as strings."""
    ids = dict.fromkeys(topic.id for topic in topics)
    grades = qrels.grades
    named = [id_ for id_ in ids if id_ in grades]
    return Agreement(
        evaluated=tuple(id_ for id_ in named if grades[id_]),
        without_qrels=tuple(id_ for id_ in ids if id_ not in grades),
        without_topic=tuple(id_ for id_ in grades if id_ not in ids),
        without_relevant=tuple(
            id_
            for id_ in named
            if not any(grade >= 1 for grade in grades[id_].values())
        ),
    )


def require_agreement(topics: Sequence[Topic], qrels: Qrels) -> Agreement:
    """As `agree`; raises QrelsError if not a single topic could be evaluated."""
    agreement = agree(topics, qrels)
    if agreement.evaluated:
        return agreement
    if agreement.without_relevant:
        raise QrelsError(
            "expected qrels with a judgement for at least one topic, got negative grades (not "
            f"judged) only, as for topic {agreement.without_relevant[0]!r}; check the last column"
        )
    hint = _prefix_hint(agreement)
    raise QrelsError(
        "expected qrels for at least one topic, got no id in common: topics have "
        f"{_sample(agreement.without_qrels)}, qrels have {_sample(agreement.without_topic)}; "
        + (hint or "give topics and qrels of the same track, with ids written alike")
    )


def describe(agreement: Agreement) -> list[str]:
    """One sentence for each kind of topic that is not as it should be; none if all is well."""
    groups = (
        (
            agreement.without_qrels,
            "topic has no qrels and is not evaluated",
            "topics have no qrels and are not evaluated",
        ),
        (
            agreement.without_topic,
            "topic of the qrels is not among the topics",
            "topics of the qrels are not among the topics",
        ),
        (
            agreement.without_relevant,
            "topic has no relevant document in the qrels",
            "topics have no relevant document in the qrels",
        ),
        (
            agreement.missing.topics,
            "topic has no relevant document in the collection and scores zero",
            "topics have no relevant document in the collection and score zero",
        ),
    )
    sentences = [
        f"{len(ids)} {one if len(ids) == 1 else many}: {listed(ids)}."
        for ids, one, many in groups
        if ids
    ]
    if hint := _prefix_hint(agreement):
        sentences.append(f"{hint[0].upper()}{hint[1:]}.")
    (missing, judged), relevant = agreement.missing.judged, agreement.missing.relevant
    if missing:
        sentences.append(
            f"{missing:,} of {judged:,} judged documents, among them {relevant[0]:,} of "
            f"{relevant[1]:,} relevant ones, are not in the collection, and no ranking can find "
            f"them: {', '.join(agreement.missing.examples)}{' ...' * (missing > _EXAMPLES)}; the "
            f"collection has docids such as {agreement.missing.forms}."
        )
    return sentences


def _prefix_hint(agreement: Agreement) -> str:
    return prefix_hint(agreement.without_qrels, agreement.without_topic, "the topics")


def describe_fields(topics: Sequence[Topic], fields: Sequence[str]) -> list[str]:
    """Return a sentence for each field that some topics lack, and one for empty queries.

    Args:
        topics: The topics.
        fields: The fields that form the query.

    Raises:
        TopicsError: No topic has one of the fields, so that it could change no query.
        UsageError: A name is no field.
    """
    empty = tuple(topic.id for topic in topics if not topic.text(fields))
    sentences = []
    for field_name in dict.fromkeys(fields):
        without = tuple(one.id for one in topics if not getattr(one, field_name))
        if topics and len(without) == len(topics):
            raise TopicsError(
                f"expected topics with the field {field_name}, got {len(topics):,} without it; "
                "choose other `fields`"
            )
        if without:
            sentences.append(
                f"{len(without):,} of {len(topics):,} topics have no {field_name}: "
                f"{listed(without)}."
            )
    if empty:
        sentences.append(
            f"Topics with an empty query, which finds nothing: {listed(empty)}."
        )
    return sentences


def _sample(ids: tuple[str, ...]) -> str:
    return f"ids such as {ids[0]!r}" if ids else "none"


def with_documents(
    agreement: Agreement, docids: Sequence[str], grades: Mapping[str, Mapping[str, int]]
) -> Agreement:
    """Return an agreement that knows the judged documents that the collection lacks.

    Args:
        agreement: The agreement of topics and qrels.
        docids: The docids of the collection.
        grades: Topic -> docid -> grade, of the topics that are evaluated.
    """
    judged = {docid for documents in grades.values() for docid in documents}
    here = judged.intersection(docids)
    relevant = {
        topic: {docid for docid, grade in documents.items() if grade >= 1}
        for topic, documents in grades.items()
    }
    wanted: set[str] = set().union(*relevant.values())
    missing = MissingDocuments(
        judged=(len(judged - here), len(judged)),
        relevant=(len(wanted - here), len(wanted)),
        examples=tuple(sorted(judged - here)[:_EXAMPLES]),
        forms=docid_forms(
            [docid for docid in docids if docid not in here] or docids, judged - here
        ),
        topics=tuple(t for t, some in relevant.items() if some and not some & here),
    )
    return replace(agreement, missing=missing)


def require_judged_documents(docids: Iterable[str], qrels: Qrels) -> int:
    """How many of the judged documents are among the docids of a collection.

    Raises:
        QrelsError: None is: then every score would be zero.
    """
    judged = {docid for grades in qrels.grades.values() for docid in grades}
    in_collection = set()
    others = []
    for docid in docids:
        if docid in judged:
            in_collection.add(docid)
        elif not in_collection:
            others.append(docid)
    if not in_collection:
        raise QrelsError(
            "expected qrels that judge documents of the collection, got none in common: the "
            f"collection has docids such as {docid_forms(others, judged)}; give qrels of this "
            "collection, with docids written alike"
        )
    return len(in_collection)


def docid_forms(docids: Iterable[str], judged: Iterable[str]) -> str:
    """Return a docid of a collection beside one of the qrels, for a message.

    If possible, both name the same document: WARC files have `urn:uuid:...`, while the qrels of
    several collections have the UUID alone.

    Args:
        docids: Docids of the collection, none of them judged.
        judged: Docids of the qrels.
    """
    by_core = {_core(docid): docid for docid in sorted(judged, reverse=True)}
    example = ""
    for docid in docids:
        example = example or docid
        if _core(docid) in by_core:
            forms = (
                f"{docid!r}, the qrels {by_core[_core(docid)]!r} for the same document"
            )
            if docid == f"urn:uuid:{by_core[_core(docid)]}":
                forms += (
                    " (--docid uuid of `boilersweep segment` names pages like that)"
                )
            return forms
    return f"{example!r}, the qrels such as {min(by_core.values(), default='')!r}"


def _core(docid: str) -> str:
    """Return a docid without brackets, last slash, `.html`, case, and `urn:uuid:` or `http:`."""
    name = docid.strip("<>").rstrip("/").rpartition(":")[2].removeprefix("//").lower()
    return name.removesuffix(".html")
