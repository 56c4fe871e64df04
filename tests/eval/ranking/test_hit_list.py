"""The hits of a query as a terminal shows them."""

import pytest

from boilersweep.eval.ranking.search import StoredDocument
from boilersweep.eval.ranking.snippets import hit_list, move_lines, moves
from boilersweep.indexer import AnalyzerOptions

pytestmark = [pytest.mark.java, pytest.mark.usefixtures("java")]


def shown(
    *documents: StoredDocument, query: str = "zebras", width: int = 60
) -> list[str]:
    hits = [(f"d{number}", 9.87654 - number) for number in range(len(documents))]
    return hit_list(query, hits, documents, AnalyzerOptions(), width).splitlines()


def test_rank_score_docid_title_address_and_snippet() -> None:
    page = StoredDocument(
        "A page", "http://x.example/", "The zebra's foal\nsaw a Zebra.", "2006-01-31"
    )
    assert shown(page) == [
        "1  9.8765  d0",
        "   A page",
        "   http://x.example/  2006-01-31",
        "   The *zebra's* foal saw a *Zebra*.",
    ]


def test_the_snippet_does_not_repeat_the_title() -> None:
    page = StoredDocument(title="Of a zebra", text="Of a zebra\nthe zebra ran")
    assert shown(page)[1:] == ["   Of a zebra", "   the *zebra* ran"]


def test_what_is_not_there_has_no_line() -> None:
    assert shown(*[StoredDocument()] * 10)[::9] == [" 1  9.8765  d0", "10  0.8765  d9"]


def test_a_long_text_is_cut_around_the_words_and_wrapped() -> None:
    lines = shown(StoredDocument(text="word " * 500 + "zebra " + "word " * 500))
    assert "*zebra*" in "".join(lines)
    assert "…" in lines[1]
    assert lines[-1].endswith("…")
    assert max(map(len, lines)) <= 60
    assert len(lines) < 9


def test_texts_are_harmless_for_terminals() -> None:
    evil = "\x1b[2J zebra \u202e"
    lines = shown(StoredDocument(evil, evil, evil))
    assert all(line.isprintable() for line in lines)


def test_second_list_names_what_entered_moved_and_left() -> None:
    found = moves(["a", "b", "c"], ["b", "x\x1b[31m", "c"])
    lines = move_lines(found, {"b": "Title", "a": "t" * 99}, 60)
    assert lines[0] == "  1  was 2    b  Title"
    assert lines[1].startswith("  2  entered  x")
    assert "\x1b" not in lines[1]
    assert lines[2] == "  3           c"
    assert lines[3].startswith("     left 1   a  ttt")
    assert len(lines[3]) == 60
