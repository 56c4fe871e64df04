"""Words as they stand that carry a term, and snippets around them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.eval.ranking.snippets import TermFinder, snippet
from boilersweep.indexer import AnalyzerOptions
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.outputs.terminal import ELLIPSIS, cut


def marked(text: str, terms: list[str], options: AnalyzerOptions) -> list[str]:
    spans = TermFinder(BlockAnalyzer(options), options).spans([text], terms)[0]
    return [text[start:end] for start, end in spans]


ZEBRAS = "Zebras, the zebra's, zebra-crossing/ZEBRA zebrafish u.s. PONY 😀 zebra"


@pytest.mark.java
@pytest.mark.usefixtures("java")
@pytest.mark.parametrize(
    ("text", "terms", "options", "words"),
    [
        (ZEBRAS, ["zebra"], {}, ["Zebras", "zebra's", "zebra", "ZEBRA", "zebra"]),
        (ZEBRAS, ["u.", "u.s"], {}, ["u.s"]),
        (ZEBRAS, [], {}, []),
        ("", ["zebra"], {}, []),
        (
            "a zebra-crossing, zebra",
            ["zebra-crossing,"],
            {"pretokenized": True},
            ["zebra-crossing,"],
        ),
        ("see os.path.zebras()", ["zebra"], {"identifiers": True}, ["os.path.zebras"]),
        (
            "The zebras and the zebra",
            ["the", "zebra"],
            {"stemmer": "none", "keep_stopwords": True},
            ["The", "the", "zebra"],
        ),
    ],
)
def test_words_that_carry_a_term(
    text: str, terms: list[str], options: dict[str, Any], words: list[str]
) -> None:
    assert marked(text, terms, AnalyzerOptions(**options)) == words


@pytest.mark.java
@pytest.mark.usefixtures("java")
@pytest.mark.parametrize(
    ("language", "text", "query", "words"),
    [
        ("zh", "我们每天早上用旧面包炉烤面包。", "面包炉", ["面包炉", "面包"]),
        ("en", "我们每天早上烤面包。", "面包", ["面包"]),
        ("hi", "हर सुबह हम रोटी पकाते हैं और हिन्दी में लिखते हैं", "हिन्दी", ["हिन्दी"]),
        ("ar", "كل صباح نضع الخبز في الفرن", "خبز", ["الخبز"]),
        ("en", "בכל בוקר אופים לֶחֶם טרי", "לֶחֶם", ["לֶחֶם"]),
        ("fa", "ما هر روز نان می\u200cپزیم", "نان", ["نان"]),
    ],
)
def test_words_of_other_scripts(
    language: str, text: str, query: str, words: list[str]
) -> None:
    options = AnalyzerOptions(language=language)
    terms = BlockAnalyzer(options).tokens([query])[0].split()
    assert marked(text, terms, options) == words


def test_a_short_text_is_its_own_snippet() -> None:
    assert snippet("a zebra", [(2, 7)]) == ("a ", "zebra", "")
    assert snippet("zebra zebra", [(0, 5), (6, 11)]) == ("", "zebra", " ", "zebra", "")
    assert snippet("none", []) == ("none",)


def test_a_long_text_is_cut_around_most_of_the_words() -> None:
    text = "zebra " + "x " * 500 + "zebra and zebra " + "y " * 500
    spans = [(0, 5), (1006, 1011), (1016, 1021)]
    pieces = snippet(text, spans)
    assert pieces[1::2] == ("zebra", "zebra")
    assert pieces[0].startswith(ELLIPSIS + "x x")
    assert pieces[-1].endswith("y" + ELLIPSIS) or pieces[-1].endswith("y " + ELLIPSIS)
    assert snippet(text, [])[0].startswith("zebra x")


@given(st.text(alphabet="ab 😀", max_size=900), st.integers(61, 400))
def test_a_snippet_is_a_stretch_of_the_text(text: str, most: int) -> None:
    spans = [(place, place + 1) for place, letter in enumerate(text) if letter == "b"]
    pieces = snippet(text, spans, most)
    assert len(pieces) % 2 == 1
    assert set(pieces[1::2]) <= {"b"}
    stretch = "".join(pieces).replace(ELLIPSIS, "")
    assert stretch in text
    assert len(stretch) == min(most, len(text))
    assert "".join(pieces[::2]).count("b") == 0
    assert bool(pieces[1::2]) == bool(spans)


def test_cut() -> None:
    assert cut("zebra", 5) == "zebra"
    assert cut("zebras", 5) == "zebra…"
