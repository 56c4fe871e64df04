"""Which topics and documents the qrels judge: what one side lacks distorts every mean.

One side may write topic ids with another beginning: `clef2015.test.1`, `qtest.1` and `1`. Nothing
is matched unless users say so: a hint names both forms and the option that makes them one.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product, takewhile
from operator import eq

from boilersweep.errors import QrelsError, TopicsError, UsageError
from boilersweep.topics.qrels import Qrels
from boilersweep.topics.topic import Topic

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
                "--topic-prefix: expected prefixes that leave an id of its own to every topic, got "
                f"{new_id!r} for {id_!r}{(other != id_ and f' and {other!r}') or ''}"
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
    pair, found = max(examples.items(), key=lambda one: len(one[1]))
    if 2 * len(found) <= min(len(ids), len(judged), _COMPARED):
        return ""
    option = shlex.quote("=".join(pair) if pair[1] else pair[0])
    return (
        f"{whose} have {found[0][0]!r} where the qrels have {found[0][1]!r}: if these are the "
        f"same topics, --topic-prefix {option} reads them so"
    )


def _shared_end(one: str, other: str) -> str:
    """Return the letters and digits with which both end."""
    alike = map(eq, reversed(one[-_LONGEST:]), reversed(other[-_LONGEST:]))
    count = sum(takewhile(bool, alike))
    found: str = _LAST_PART.findall(one[len(one) - count :])[0]
    return found


_MAX_NAMED = 10
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
        f"{len(ids)} {one if len(ids) == 1 else many}: {_named(ids)}."
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
                "choose other --fields"
            )
        if without:
            sentences.append(
                f"{len(without):,} of {len(topics):,} topics have no {field_name}: "
                f"{_named(without)}."
            )
    if empty:
        sentences.append(
            f"Topics with an empty query, which finds nothing: {_named(empty)}."
        )
    return sentences


def _named(ids: tuple[str, ...]) -> str:
    shown = ", ".join(ids[:_MAX_NAMED])
    return (
        f"{shown} and {len(ids) - _MAX_NAMED} more" if len(ids) > _MAX_NAMED else shown
    )


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
