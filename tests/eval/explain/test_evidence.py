"""What two cleaners do to topics, on pages that are counted by hand in conftest.py."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from boilersweep import BlockStore, UsageError, parse_cleaner
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval import SearchOptions
from boilersweep.eval.explain.documents import (
    DocumentEvidence,
    Evidence,
    PageView,
    evidence_json,
)
from boilersweep.eval.explain.evidence import Side, evidence
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.indexer import AnalyzerOptions

pytestmark = pytest.mark.usefixtures("java")

QUERIES = {"1": "zebra"}
GRADES = {"1": {"menu": 2, "body": 0, "elsewhere": 1}}


def side(cleaner: str, docids: Sequence[str], topic: str = "1") -> Side:
    """Return a run of these documents with the scores 9, 8, ..."""
    hits = [(docid, float(9 - place)) for place, docid in enumerate(docids)]
    return Side(parse_cleaner(cleaner), {topic: hits})


def explained(store: BlockStore, before: Side, after: Side, **options: Any) -> Evidence:
    queries, grades = options.pop("queries", QUERIES), options.pop("grades", GRADES)
    return evidence(store, queries, grades, before, after, AnalyzerOptions(), **options)


@pytest.fixture(scope="session")
def found(zoo: BlockStore, java: None) -> Evidence:
    before = side("words>=1", ["menu", "plain", "short", "body"])
    after = side("words>=3", ["body", "plain", "menu"])
    return explained(zoo, before, after, depth=2)


def by_docid(evidence: Evidence) -> dict[str, DocumentEvidence]:
    return {document.docid: document for document in evidence.topics[0].documents}


def test_the_topic_and_its_tops(found: Evidence) -> None:
    topic = found.topics[0]
    assert found.cleaners == ("words>=1", "words>=3")
    assert (topic.id, topic.query, topic.terms) == ("1", "zebra", ("zebra",))
    assert (topic.judged, topic.relevant) == (3, 2)
    # menu (relevant), plain (not judged) before; body (irrelevant), plain after.
    assert (topic.top_relevant, topic.top_judged) == ((1, 0), (1, 1))
    changes = [(document.docid, document.change) for document in topic.documents]
    assert changes == [("menu", "left"), ("body", "entered"), ("plain", "same")]


def test_a_document_that_left_because_of_its_dropped_blocks(found: Evidence) -> None:
    menu = by_docid(found)["menu"]
    assert (menu.rank, menu.score) == ((1, 3), (9.0, 7.0))
    assert (menu.grade, menu.verdict) == (2, "loss")
    # 1 token of the title and 2 + 1 + 7 + 2, of which the third block keeps 7; 2 + 1 + 1 zebras.
    assert (menu.tokens, menu.counts) == ((13, 8), ((4,), (1,)))
    assert menu.sentence == (
        "3 of its 4 matches stood in 2 dropped blocks; its text shrinks from 13 to 8 tokens."
    )
    assert [(match.block, match.kept, match.counts) for match in menu.matches] == [
        (0, (True, False), (2,)),
        (1, (True, False), (1,)),
        (2, (True, True), (1,)),
    ]
    assert [match.snippet for match in menu.matches] == [
        ("", "zebra", " ", "zebras", ""),
        ("", "Zebra", "!"),
        ("the quick brown fox saw a ", "zebra", " today here"),
    ]


def test_documents_that_entered_and_stayed(found: Evidence) -> None:
    body, plain = by_docid(found)["body"], by_docid(found)["plain"]
    assert (body.rank, body.grade, body.verdict) == ((4, 1), 0, "loss")
    assert body.sentence == "Keeps its only match; its text shrinks from 9 to 8 tokens."
    assert (plain.rank, plain.grade, plain.verdict) == ((2, 2), None, None)
    assert plain.sentence == "Keeps its only match and its length."
    assert [(match.block, plain.title) for match in plain.matches] == [(0, "")]


def test_pages_of_the_documents_that_left_or_entered(found: Evidence) -> None:
    assert set(found.pages) == {"menu", "body"}
    assert found.pages["menu"] == PageView(
        title="The menu",
        texts=("zebra zebras", "Zebra!", "the quick brown fox saw a zebra today here",
               "nothing here"),
        words=(2, 1, 9, 2),
        kept=("1111", "0010"),
        extractors=(),
    )  # fmt: skip


def test_the_other_way_round_matches_are_found(zoo: BlockStore) -> None:
    before = side("words>=3", ["body", "plain", "menu"])
    after = side("words>=1", ["short", "menu", "plain", "body"])
    documents = by_docid(explained(zoo, before, after, depth=3))
    assert documents["short"].rank == (None, 1)
    assert documents["short"].score == (None, 9.0)
    assert (
        documents["short"].sentence
        == "Found now: 1 match in 1 block that words>=3 drops."
    )
    assert documents["menu"].sentence == (
        "Keeps its only match, and it has 3 more in 2 blocks that words>=3 drops; "
        "its text grows from 8 to 13 tokens."
    )
    assert (documents["body"].change, documents["body"].verdict) == ("left", "gain")
    # One match in 8 tokens, then in 9.
    assert documents["body"].sentence == (
        "Keeps its only match; its text grows from 8 to 9 tokens, where they are sparser."
    )
    assert documents["plain"].sentence == (
        "Keeps its only match and its length; other documents moved."
    )


def test_what_counts_several_times(zoo: BlockStore) -> None:
    before = side("words>=1", ["menu", "plain"])
    after = side("weighted(words>=3, 4)", ["plain", "menu"])
    found = explained(zoo, before, after, depth=1)
    menu = by_docid(found)["menu"]
    # The third block, with a zebra and 7 of the 13 tokens, counts 4 times.
    assert (menu.tokens, menu.counts) == ((13, 13 + 3 * 7), ((4,), (4 + 3,)))
    assert menu.sentence.startswith(
        "Has 7 matches in place of 4; its text grows from 13 to 34"
    )
    assert [match.kept for match in menu.matches] == [
        (True, False),
        (True, False),
        (True, True),
    ]
    assert found.pages["menu"].kept == ("1111", "0010")
    once = explained(
        zoo, side("words>=3", ["menu"]), side("weighted(words>=3, 1)", []), depth=1
    )
    assert once.pages["menu"].kept[1] == "1111"
    none = side("weighted(words>=99, 2)", [])
    assert explained(zoo, before, none, depth=1).pages["menu"].kept[1] == "0000"


def test_the_blocks_that_a_text_holds(zoo: BlockStore) -> None:
    before, after = (
        side("words>=1", ["menu", "body"]),
        side("gold | words==1", ["body", "menu"]),
    )
    found = explained(zoo, before, after, depth=1)
    page = found.pages["menu"]
    assert page.extractors == ()
    assert page.kept[1] == "0110"
    assert by_docid(found)["menu"].tokens == (13, 9)


def test_an_extractors_text_stands_behind_the_blocks_it_keeps(zoo: BlockStore) -> None:
    before = side("words>=1", ["menu", "short"])
    after = side("gold", ["body", "menu"])
    found = explained(zoo, before, after, depth=1)
    menu, page = by_docid(found)["menu"], found.pages["menu"]
    assert page.extractors == ("gold",)
    assert page.words == (2, 1, 9, 2, None)
    assert page.kept == ("11110", "00101")
    # The gold text is the third block.
    assert (menu.tokens, menu.counts) == ((13, 8), ((4,), (1,)))
    assert menu.sentence.startswith("3 of its 4 matches stood in 2 dropped blocks;")
    assert [match.block for match in menu.matches] == [0, 1, 2, 4]
    assert [match.kept for match in menu.matches][2:] == [(True, True), (False, True)]


def test_a_title_counts_where_more_is_left(zoo: BlockStore) -> None:
    before, after = side("words>=1", ["menu"]), side("words>=99", [])
    queries = {"1": "menu"}
    [menu] = explained(zoo, before, after, queries=queries).topics[0].documents
    assert (menu.tokens, menu.counts) == ((13, 0), ((1,), (0,)))
    assert menu.sentence == "Nothing of it is left: its only match is gone."
    untitled = AnalyzerOptions(title=False)
    found = evidence(zoo, queries, {}, before, after, untitled)
    assert found.topics[0].documents[0].counts == ((0,), (0,))


def test_documents_that_nothing_is_left_of(zoo: BlockStore) -> None:
    before = side("words>=1", ["short", "plain", "menu"])
    nothing = by_docid(explained(zoo, before, side("gold", ["menu"]), depth=2))
    assert nothing["short"].sentence == "Nothing of it is left: its only match is gone."
    assert (nothing["short"].rank, nothing["short"].tokens) == ((1, None), (2, 0))


def test_a_document_without_a_match_left(zoo: BlockStore) -> None:
    before = Side(parse_cleaner("words>=1"), {"1": [("menu", 1.0)]})
    after = Side(parse_cleaner("words<=2"), {"1": []})
    menu = by_docid(explained(zoo, before, after, queries={"1": "fox"}))["menu"]
    assert (menu.tokens, menu.counts) == ((13, 6), ((1,), (0,)))
    assert (
        menu.sentence
        == "Its only match stood in 1 dropped block: it is not found any more."
    )


def test_terms_of_a_query_in_their_order_each_once(zoo: BlockStore) -> None:
    before = side("words>=1", ["plain"])
    queries = {"1": "zebras the Otters zebra"}
    found = explained(zoo, before, side("words>=11", []), queries=queries)
    assert found.topics[0].terms == ("zebra", "otter")
    plain = by_docid(found)["plain"]
    assert plain.counts == ((1, 1), (0, 0))
    assert plain.matches[0].snippet[1::2] == ("otter", "zebra")
    assert plain.sentence == "Nothing of it is left: all its 2 matches are gone."


def test_many_topics_and_one_without_hits_or_judgements(zoo: BlockStore) -> None:
    before = Side(
        parse_cleaner("words>=1"), {"1": [("menu", 1.0)], "2": [("menu", 1.0)]}
    )
    after = Side(parse_cleaner("words>=3"), {"1": [("menu", 1.0)]})
    queries = {"1": "zebra", "2": "fox", "3": "..."}
    found = explained(zoo, before, after, queries=queries)
    assert [len(topic.documents) for topic in found.topics] == [1, 1, 0]
    assert found.topics[1].judged is None
    assert found.topics[1].documents[0].grade is None
    assert found.topics[2].terms == ()


def test_counts_and_lengths_are_those_the_exact_engine_scores_by(
    store: BlockStore, java: None
) -> None:
    cleaners = [parse_cleaner("words>=1"), parse_cleaner("words>=3")]
    queries = {"all": "pony zebra otter heron lynx"}
    variants = list(map(Variant, cleaners))
    engine = ExactEngine(store, variants, queries, SearchOptions())
    sides = [Side(variant.cleaner, engine.run(variant).run) for variant in variants]
    found = explained(store, sides[0], sides[1], queries=queries, depth=1000)
    documents = by_docid(found)
    assert len(documents) == 40  # the page with the emoji has no animal
    terms = found.topics[0].terms
    for number, _ in enumerate(cleaners):
        counts: dict[str, Counter[str]] = {docid: Counter() for docid in documents}
        for term in engine.rows.terms:
            numbers, frequencies, _ = engine.rows.postings(term, number)
            for document, tf in zip(
                numbers.tolist(), frequencies.tolist(), strict=True
            ):
                counts[engine.rows.docids[document]][term] = tf
        for docid, document in documents.items():
            assert document.counts[number] == tuple(
                counts[docid][term] for term in terms
            )
        in_all = sum(document.tokens[number] for document in documents.values())
        # On the page with the emoji
        assert in_all + 5 == engine.run(variants[number]).tokens


def test_json_of_the_evidence(found: Evidence) -> None:
    value = json.loads(json.dumps(evidence_json(found)))
    assert value["explain_version"] == 1
    assert value["cleaners"] == ["words>=1", "words>=3"]
    assert value["pages"]["menu"]["kept"] == ["1111", "0010"]
    menu = value["topics"][0]["documents"][0]
    assert menu["rank"] == [1, 3]
    assert menu["matches"][0] == {
        "block": 0,
        "kept": [1, 0],
        "counts": [2],
        "snippet": ["", "zebra", " ", "zebras", ""],
    }


def test_what_is_refused(zoo: BlockStore) -> None:
    with pytest.raises(UsageError, match="depth: expected at least 1, got 0"):
        explained(zoo, side("words>=1", []), side("words>=2", []), depth=0)
    with pytest.raises(UsageError, match="has no text of trafilatura"):
        explained(zoo, side("words>=1", []), side("trafilatura", []))
    with pytest.raises(UsageError, match="got document 'unknown', which it lacks"):
        explained(zoo, side("words>=1", ["unknown"]), side("words>=2", []))
