"""What is said where the analyzer is not for the language of most documents."""

import pytest

from boilersweep.indexer.analyzer import AnalyzerOptions, unlike_documents


@pytest.mark.parametrize(
    ("options", "documents"),
    [
        (AnalyzerOptions(), {"en": 50, "de": 50}),
        (AnalyzerOptions(), {"en": 1, "und": 99}),
        (AnalyzerOptions(), {"und": 99}),
        (AnalyzerOptions(), {}),
        (AnalyzerOptions(language="pt-br"), {"pt": 3, "es": 1}),
        (AnalyzerOptions(pretokenized=True), {"de": 100}),
    ],
)
def test_nothing_where_half_of_the_known_are_in_its_language(
    options: AnalyzerOptions, documents: dict[str, int]
) -> None:
    assert unlike_documents(options, documents) is None


def test_the_language_of_most_is_named_with_its_analyzer() -> None:
    documents = {"en": 5, "zh": 1200, "und": 40, "ru": 30}
    assert unlike_documents(AnalyzerOptions(), documents) == (
        "The analyzer is for English (--language en), which 5 of the 1,235 documents with a known "
        "language are in (zh 1,200, ru 30, en 5); --language zh is for the most frequent one."
    )


def test_a_language_without_an_analyzer_is_said_to_have_none() -> None:
    said = unlike_documents(AnalyzerOptions(), {"he": 9, "en": 1})
    assert said
    assert said.endswith("there is none for the most frequent one, he.")


def test_where_its_own_is_the_most_frequent_the_others_can_be_left_out() -> None:
    said = unlike_documents(AnalyzerOptions(language="de"), {"de": 4, "fr": 3, "it": 3})
    assert said
    assert said.endswith("--languages de leaves the others out.")
