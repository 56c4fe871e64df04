"""An explained topic in a terminal, to which text of pages can do nothing."""
# ruff: noqa: RUF001

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.eval.explain.documents import (
    DocumentEvidence,
    Evidence,
    Match,
    PageView,
    TopicEvidence,
)
from boilersweep.eval.explain.evidence import BLOCKS, topic_account
from boilersweep.outputs.terminal import harmless, wrapped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", " [31mred [0m"),
        ("\x9b2Jgone", " 2Jgone"),
        ("\x1b]0;title\x07", " ]0;title "),
        ("line\r\x08\nline\x7f\x00", "line   line  "),
        ("abc\u202edef\u202c\u2066x\u2069\u200f", "abcdefx"),
        ("one\u2028two\u2029three\x85", "one two three "),
        ("soft\xadhyphen\ufeff\U000e0041", "softhyphen"),
        ("lone \ud83d half", "lone  half"),
        (
            "naïve 日本語 👩\u200d💻 می\u200cخواهم",
            "naïve 日本語 👩\u200d💻 می\u200cخواهم",
        ),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    ],
)
def test_harmless(text: str, shown: str) -> None:
    assert harmless(text) == shown


@given(st.text())
def test_nothing_but_characters_is_left(text: str) -> None:
    left = {
        unicodedata.category(one) for one in harmless(text) if one not in "\u200c\u200d"
    }
    assert left.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})
    assert harmless(harmless(text)) == harmless(text)


def test_wrapped() -> None:
    assert wrapped("one two-three four", "  ", 12) == "  one\n  two-three\n  four"
    assert wrapped("", "  ", 12) == ""


EVIL = "\x1b[2J\u202e<script>alert(1)</script>\x9b1m"


SHOWN = " [2J<script>alert(1)</script> 1m"


def match(
    block: int, kept: tuple[bool, bool], text: str = "a ", word: str = "zebra"
) -> Match:
    return Match(block=block, kept=kept, counts=(1, 0), snippet=(text, word, ""))


def document(docid: str = "d1", **changes: object) -> DocumentEvidence:
    values: dict[str, object] = {
        "docid": docid,
        "title": "T",
        "change": "left",
        "grade": 2,
        "rank": (3, None),
        "score": (1.0, None),
        "tokens": (800, 100),
        "counts": ((9, 0), (2, 0)),
        "sentence": "7 of its 9 matches stood in 3 dropped blocks.",
        "verdict": "loss",
        "matches": (),
    }
    return DocumentEvidence(**{**values, **changes})  # type: ignore[arg-type]


def shown(
    *documents: DocumentEvidence, extractors: tuple[str, ...] = (), text: str = "t"
) -> str:
    topic = TopicEvidence(
        id="851",
        query=text,
        terms=("zebra", "otter"),
        judged=7,
        relevant=3,
        top_relevant=(2, 1),
        top_judged=(6, 5),
        documents=documents,
    )
    page = PageView(text, (text,) * 20, (1,) * 20, ("1" * 20, "0" * 20), extractors)
    pages = {one.docid: page for one in documents}
    return topic_account(Evidence(("words>=1", "bte"), 10, (topic,), pages), topic, 80)


def test_a_document_with_its_blocks() -> None:
    blocks = (match(4, (True, False)), match(7, (True, True)), match(19, (False, True)))
    lines = shown(document(matches=blocks), extractors=("gold",)).splitlines()
    assert "1 document left the top 10" in lines
    assert "0 documents entered the top 10" in lines
    place = lines.index("   3 -> none  d1  relevant (2): a loss")
    assert lines[place + 1 : place + 7] == [
        "      t",
        "      7 of its 9 matches stood in 3 dropped blocks.",
        "      zebra 9 -> 2",
        "        a- block 4: a *zebra*",
        "        ab block 7: a *zebra*",
        "        -b text of gold: a *zebra*",
    ]


def test_of_many_blocks_those_the_cleaners_differ_on_are_shown() -> None:
    alike = [match(number, (True, True)) for number in range(BLOCKS)]
    different = match(BLOCKS, (True, False))
    text = shown(document(matches=(*alike, different)))
    assert f"a- block {BLOCKS}:" in text
    assert "and 1 more block with a term" in text
    assert text.count("*zebra*") == BLOCKS


def test_documents_that_stayed_are_a_table() -> None:
    stayed = document("d2", change="moved", rank=(2, 1), grade=None, verdict=None)
    text = shown(
        stayed, document("d3", change="same", rank=(4, 4), grade=0, verdict=None)
    )
    assert "2 documents stayed" in text
    rows = [
        line.split("  ")
        for line in text.splitlines()
        if line.startswith(("2 -> 1", "4 -> 4"))
    ]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert cells == [
        ["2 -> 1", "d2", "not judged", "9 -> 2", "800 -> 100"],
        ["4 -> 4", "d3", "not relevant", "9 -> 2", "800 -> 100"],
    ]


def test_no_document_at_all() -> None:
    assert shown().endswith(
        "Neither cleaner leaves a document with a term of the query."
    )


def test_hostile_text_is_harmless_wherever_it_stands() -> None:
    evil = document(EVIL, sentence=EVIL, matches=(match(0, (True, False), EVIL, EVIL),))
    text = shown(evil, document(EVIL, change="same"), extractors=(EVIL,), text=EVIL)
    assert all(character.isprintable() or character == "\n" for character in text)
    assert text.count(SHOWN.strip()) >= 6
