"""Which analyzers look at single tokens only, and where Lucene's tokenizer ends every token."""

from pathlib import Path

import pytest
from fuzzing.automaton import Automaton, read_automaton

from boilersweep import JavaError
from boilersweep.indexer import AnalyzerOptions
from boilersweep.indexer.analyzer import LANGUAGES, make_analyzer
from boilersweep.indexer.contents import (
    NONCHARACTER,
    STANDARD_BORDERS,
    Borders,
    borders_of,
)
from boilersweep.indexer.jvm import anserini_jar

# Languages whose analyzers look at more than one token.
OUTSIDE = {"ja", "ko", "th", "zh"}

# Languages of which some characters are changed before the text is cut.
OF_OTHER_CHARACTERS = {"fa", "uk"}

BEGIN = 0  # the automaton's state where a match begins


@pytest.fixture(scope="module")
def automaton() -> Automaton:
    return read_automaton(Path(anserini_jar()))


def is_skipped(automaton: Automaton, character: str) -> bool:
    """Whether a match that begins with the character is that alone, and no token."""
    state, of_space = (automaton.step(BEGIN, one) for one in (character, " "))
    assert state is not None
    assert of_space is not None
    return (
        automaton.ends[state]
        and automaton.actions[state] == automaton.actions[of_space]
        and not any(step is not None for step in automaton.steps[state])
    )


def steps_within(automaton: Automaton, character: str) -> list[int]:
    """Return the states in which a match may be behind the character, if it is not the first."""
    states = range(len(automaton.steps))
    steps = [automaton.step(state, character) for state in states if state != BEGIN]
    return [step for step in steps if step is not None]


def test_the_automaton_is_that_of_a_tokenizer(automaton: Automaton) -> None:
    assert not any(BEGIN in steps for steps in automaton.steps)
    letter = automaton.step(BEGIN, "a")
    assert letter is not None
    assert automaton.ends[letter]
    assert not is_skipped(automaton, "a")
    for text, joined in {
        "ab": True,
        "a_b": True,
        "a.b": True,
        "a,b": False,
        "1,2": True,
    }.items():
        state: int | None = BEGIN
        for character in text:
            state = None if state is None else automaton.step(state, character)
        assert (state is not None) == joined


@pytest.mark.parametrize("character", [*STANDARD_BORDERS.at, NONCHARACTER])
def test_no_token_has_a_border(automaton: Automaton, character: str) -> None:
    assert is_skipped(automaton, character)
    assert steps_within(automaton, character) == []


@pytest.mark.parametrize("character", STANDARD_BORDERS.between)
def test_no_token_begins_or_ends_with_what_stands_between(
    automaton: Automaton, character: str
) -> None:
    assert is_skipped(automaton, character)
    assert not any(
        automaton.ends[state] for state in steps_within(automaton, character)
    )


def test_other_ascii_may_be_at_the_ends_of_a_token(automaton: Automaton) -> None:
    left = {chr(n) for n in range(128)} - {
        *STANDARD_BORDERS.at,
        *STANDARD_BORDERS.between,
    }
    assert {c for c in left if not c.isalnum()} == set("_#*'")
    for character in left:
        ends = any(
            automaton.ends[state] for state in steps_within(automaton, character)
        )
        assert ends or not is_skipped(automaton, character)


@pytest.mark.java
@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_most_languages_look_at_single_tokens(java: None, code: str) -> None:
    try:
        analyzer = make_analyzer(AnalyzerOptions(language=code))
    except JavaError as error:
        pytest.skip(str(error))
    if code in OUTSIDE:
        assert borders_of(analyzer) is None
    elif code in OF_OTHER_CHARACTERS:
        assert borders_of(analyzer) == Borders()
    else:
        assert borders_of(analyzer) == STANDARD_BORDERS


@pytest.mark.java
@pytest.mark.parametrize(
    ("options", "borders"),
    [
        (AnalyzerOptions(stemmer="krovetz"), STANDARD_BORDERS),
        (AnalyzerOptions(stemmer="none", keep_stopwords=True), STANDARD_BORDERS),
        (AnalyzerOptions(pretokenized=True), Borders()),
        (AnalyzerOptions(identifiers=True), STANDARD_BORDERS),
    ],
)
def test_other_options(java: None, options: AnalyzerOptions, borders: Borders) -> None:
    assert borders_of(make_analyzer(options)) == borders


@pytest.mark.java
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("shingle", {}),
        ("wordDelimiterGraph", {}),
        ("limitTokenCount", {"maxTokenCount": "2"}),
    ],
)
def test_a_filter_that_is_not_known_is_left_to_lucene(
    java: None, name: str, arguments: dict[str, str]
) -> None:
    from jnius import autoclass

    def settings(**entries: str) -> object:
        made = autoclass("java.util.HashMap")()
        for key, value in entries.items():
            made.put(key, value)
        return made

    builder = autoclass("org.apache.lucene.analysis.custom.CustomAnalyzer").builder()
    builder.withTokenizer("standard", settings())
    assert borders_of(builder.build()) == STANDARD_BORDERS
    builder.addTokenFilter(name, settings(**arguments))
    assert borders_of(builder.build()) is None


@pytest.mark.java
def test_a_filter_of_characters_is_left_to_lucene(java: None) -> None:
    from jnius import autoclass

    builder = autoclass("org.apache.lucene.analysis.custom.CustomAnalyzer").builder()
    none = autoclass("java.util.HashMap")()
    builder.withTokenizer("standard", none)
    builder.addCharFilter("htmlStrip", none)
    assert borders_of(builder.build()) is None
