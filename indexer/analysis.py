"""Analyse the blocks of a page in one call to Lucene, and get the tokens back block by block."""

from collections.abc import Sequence
from typing import Any

from boilersweep.indexer.analyzer import AnalyzerOptions, make_analyzer
from boilersweep.indexer.lucene import java_errors

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
            return str(self._string.join(self._space, tokens))

    def has_token(self, text: str) -> bool:
        """Whether any token is left of the text; mostly its beginning tells."""
        beginning = text[:_BEGINNING].rpartition(" ")[0]
        return self._analyse(beginning) != "" or self._analyse(text) != ""
