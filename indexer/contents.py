"""The distinct contents a page has over many rules, and the terms of their texts, each found once.

Neighbouring thresholds mostly keep the same blocks of a page, so a page has some ten distinct
contents over a hundred thresholds. Each is made once, from the one before where that is a part
of it, and shared by all the indexes that want it.

Pages say the same words again and again. If an analyzer looks at single tokens only, the tokens of
a text are those of its pieces, if no token goes across where the text is cut. The tokenizers here
end every token at a space, and know of what comes before it nothing more. A filter here makes of a
token, or of several at its place, what it makes of it anywhere.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice, pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.selection import Bits, Repeat
from boilersweep.pages.columns import IntArray

# Never a part of a token: it is between a term and its frequency in an index's input.
NONCHARACTER = "\uffff"

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Borders:
    """The ASCII characters at which texts may be cut, besides spaces.

    Attributes:
        at: Characters that end a piece and are in none.
        between: Characters that belong to a piece inside it, but not at its ends.
    """

    at: str = ""
    between: str = ""


_STANDARD = "standard.StandardTokenizer"

# Where texts may be cut for StandardTokenizer, if nothing changes their characters before it.
#
# In its automaton no token continues across one of `at`, or ends in one of `between`; what begins
# with either is no token that it gives.
STANDARD_BORDERS = Borders(
    at="".join(map(chr, [*range(33), 127])) + "!$%&()+-/<=>?@[\\]^`{|}~",
    between='",.:;',
)

# Classes of Lucene's that look at single tokens.
SINGLE_TOKENS = frozenset(
    {
        _STANDARD,
        "core.WhitespaceTokenizer",
        "LowerCaseFilter",
        "StopFilter",
        "core.DecimalDigitFilter",
        "core.LowerCaseFilter",
        "core.StopFilter",
        "miscellaneous.SetKeywordMarkerFilter",
        "miscellaneous.StemmerOverrideFilter",
        "morfologik.MorfologikFilter",
        "pattern.PatternCaptureGroupTokenFilter",
        "snowball.SnowballFilter",
        "util.ElisionFilter",
        "ar.ArabicNormalizationFilter",
        "ar.ArabicStemFilter",
        "bg.BulgarianStemFilter",
        "bn.BengaliNormalizationFilter",
        "bn.BengaliStemFilter",
        "br.BrazilianStemFilter",
        "ckb.SoraniNormalizationFilter",
        "ckb.SoraniStemFilter",
        "cz.CzechStemFilter",
        "de.GermanLightStemFilter",
        "de.GermanNormalizationFilter",
        "el.GreekLowerCaseFilter",
        "el.GreekStemFilter",
        "en.EnglishPossessiveFilter",
        "en.KStemFilter",
        "en.PorterStemFilter",
        "es.SpanishLightStemFilter",
        "fa.PersianNormalizationFilter",
        "fa.PersianStemFilter",
        "fr.FrenchLightStemFilter",
        "ga.IrishLowerCaseFilter",
        "gl.GalicianStemFilter",
        "hi.HindiNormalizationFilter",
        "hi.HindiStemFilter",
        "id.IndonesianStemFilter",
        "in.IndicNormalizationFilter",
        "it.ItalianLightStemFilter",
        "lv.LatvianStemFilter",
        "pt.PortugueseLightStemFilter",
        "ro.RomanianNormalizationFilter",
        "sr.SerbianNormalizationFilter",
        "te.TeluguNormalizationFilter",
        "te.TeluguStemFilter",
        "tr.ApostropheFilter",
        "tr.TurkishLowerCaseFilter",
    }
)

# Analyzers of Lucene's that change single characters of a text before it is cut, and no spaces.
SINGLE_CHARACTERS = frozenset({"fa.PersianAnalyzer", "uk.UkrainianMorfologikAnalyzer"})

_LUCENE = "org.apache.lucene.analysis."
_CUSTOM = "custom.CustomAnalyzer"  # of parts that its maker names


def chain_of(analyzer: Any) -> list[str]:
    """Return the classes of a Java analyzer's tokenizer and filters, the tokenizer first."""
    from jnius import autoclass, cast

    filters = autoclass("java.lang.Class").forName(f"{_LUCENE}TokenFilter")
    stream = analyzer.tokenStream("contents", "")
    try:
        filters_last_first = []
        part = cast("java.lang.Object", stream)
        while filters.isInstance(part):
            filters_last_first.append(_name(part.getClass()))
            below = cast(f"{_LUCENE}TokenFilter", part).unwrap()
            part = cast("java.lang.Object", below)
        return [_name(part.getClass()), *reversed(filters_last_first)]
    finally:
        stream.close()


def borders_of(analyzer: Any) -> Borders | None:
    """Return where texts for a Java analyzer may be cut; None if they must not be."""
    chain = chain_of(analyzer)
    if not SINGLE_TOKENS.issuperset(chain):
        return None
    changes = _changes_characters(analyzer)
    if changes is not None:
        return Borders() if changes in SINGLE_CHARACTERS else None
    return STANDARD_BORDERS if chain[0] == _STANDARD else Borders()


def _changes_characters(analyzer: Any) -> str | None:
    """Return the class of an analyzer that puts something before its tokenizer, or None."""
    from jnius import cast

    own = cast("java.lang.Object", analyzer).getClass()
    if _name(own) == _CUSTOM and analyzer.getCharFilterFactories().isEmpty():
        return None
    while _name(own) != "Analyzer":
        if any(method.getName() == "initReader" for method in own.getDeclaredMethods()):
            return _name(own)
        own = own.getSuperclass()
    return None


def _name(java_class: Any) -> str:
    return str(java_class.getName()).removeprefix(_LUCENE)


@dataclass(frozen=True, slots=True)
class Cut:
    """Texts as pieces.

    Attributes:
        pieces: (p,) the numbers of the pieces.
        starts: (n + 1,) text i has pieces starts[i] to starts[i + 1].
        new: The pieces that were not met before, in the order of their new numbers.
    """

    pieces: Numbers
    starts: IntArray
    new: list[str]


class PurePieces:
    """Numbers the distinct pieces of texts from 0 on, in the order in which they come.

    Without compiled code texts are cut at spaces alone: that is fast in Python.
    """

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._characters = 0

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def characters(self) -> int:
        """The number of characters of all pieces together."""
        return self._characters

    def cut(self, texts: Sequence[str]) -> Cut:
        """Cut some texts; NONCHARACTER, which cannot be part of a token, is left out."""
        before = len(self._numbers)
        number_of = self._numbers.__getitem__
        numbers: list[int] = []
        starts = [0]
        for text in texts:
            whole = text.replace(NONCHARACTER, " ") if NONCHARACTER in text else text
            numbers += map(number_of, whole.split(" "))
            starts.append(len(numbers))
        new = list(islice(reversed(self._numbers), len(self._numbers) - before))[::-1]
        self._characters += sum(map(len, new))
        return Cut(
            np.array(numbers, dtype=np.int32), np.array(starts, dtype=np.int64), new
        )


class _Numbers(dict[str, int]):
    def __missing__(self, piece: str) -> int:
        self[piece] = number = len(self)
        return number


if TYPE_CHECKING:
    from boilersweep.indexer.compiled.pieces import CompiledPieces

    Pieces: TypeAlias = PurePieces | CompiledPieces


# A table with more pieces, or with more characters in all of them together, begins anew.
MOST_PIECES = 2**19
MOST_CHARACTERS = 2**23

Analyse = Callable[[Sequence[str]], list[str]]
CountStacked = Callable[[Sequence[str]], list[int] | None]


@dataclass(frozen=True, slots=True, eq=False)
class Analysed:
    """Texts as pieces with their terms.

    Attributes:
        pieces: (p,) the numbers of the pieces.
        starts: (n + 1,) text i has pieces starts[i] to starts[i + 1].
        terms: For each piece, its terms with repeats, joined by spaces. The list belongs to the
            table: it grows as more pieces come, and is replaced when the table begins again.
        counts: How many terms each piece has.
        stacked: How many of a piece's terms are at the position of the one before; None for an
            analyzer that stacks none.
    """

    pieces: Numbers
    starts: IntArray
    terms: list[str]
    counts: Numbers
    stacked: Numbers | None

    @property
    def lengths(self) -> IntArray:
        """(n,) the terms of each text, with repeats."""
        return self._summed(self.counts)

    @property
    def stacked_lengths(self) -> IntArray | None:
        """(n,) of these, those at the position of the one before; None as `stacked`."""
        return None if self.stacked is None else self._summed(self.stacked)

    def _summed(self, of_pieces: Numbers) -> IntArray:
        running = np.zeros(len(self.pieces) + 1, dtype=np.int64)
        np.cumsum(of_pieces[self.pieces], out=running[1:])
        return np.diff(running[self.starts])

    def tokens(self) -> list[str]:
        """Return the terms of each text, joined by spaces ("" for none)."""
        filled = np.flatnonzero(self.counts[self.pieces])
        bounds = np.searchsorted(filled, self.starts).tolist()
        terms = [self.terms[piece] for piece in self.pieces[filled].tolist()]
        return [" ".join(terms[start:end]) for start, end in pairwise(bounds)]


def of_whole_texts(tokens: list[str], stacked: list[int] | None) -> Analysed:
    """Return texts of which each is one piece, given the joined tokens and the stacked ones."""
    return Analysed(
        np.arange(len(tokens), dtype=np.int32),
        np.arange(len(tokens) + 1),
        tokens,
        _counts(tokens),
        None if stacked is None else np.array(stacked, dtype=np.int32),
    )


class TermTable:
    """What an analyzer makes of pieces; any number of threads may ask it."""

    def __init__(
        self,
        new_pieces: Callable[[], "Pieces"],
        analyse: Analyse,
        count_stacked: CountStacked,
    ) -> None:
        """Begin an empty table.

        Args:
            new_pieces: Makes what cuts texts and numbers their pieces.
            analyse: Gives the tokens of new pieces, joined by spaces; may raise.
            count_stacked: Gives the stacked tokens of new pieces, see `Analysed`; may raise.
        """
        self._new_pieces = new_pieces
        self._analyse = analyse
        self._count_stacked = count_stacked
        self._lock = Lock()
        self._begin()

    def _begin(self) -> None:
        self._pieces = self._new_pieces()
        self._terms: list[str] = []
        self._counts = np.empty(0, dtype=np.int32)
        self._stacked: Numbers | None = None

    def analysed(self, texts: Sequence[str]) -> Analysed:
        """Return the texts with their terms; raise what asking for those of new pieces raises."""
        with self._lock:
            if (
                len(self._pieces) > MOST_PIECES
                or self._pieces.characters > MOST_CHARACTERS
            ):
                self._begin()
            try:
                cut = self._pieces.cut(texts)
                self._add(cut.new)
            except BaseException:
                self._begin()  # pieces without terms would be taken for known ones
                raise
            return Analysed(
                cut.pieces, cut.starts, self._terms, self._counts, self._stacked
            )

    def _add(self, pieces: Sequence[str]) -> None:
        if not pieces:
            return
        terms = self._analyse(pieces)
        counts = _counts(terms)
        # Only of several terms is one at the position of another.
        several = np.flatnonzero(counts > 1)
        stacked = self._count_stacked([pieces[place] for place in several.tolist()])
        self._terms += terms
        self._counts = np.concatenate([self._counts, counts])
        if stacked is not None:
            more = np.zeros_like(counts)
            more[several] = stacked
            self._stacked = (
                more if self._stacked is None else np.r_[self._stacked, more]
            )


def _counts(tokens: Sequence[str]) -> Numbers:
    counts = (text.count(" ") + 1 if text else 0 for text in tokens)
    return np.fromiter(counts, dtype=np.int32, count=len(tokens))


_BLOCKS_AT_A_TIME = 8192  # a multiple of 8


@dataclass(frozen=True, slots=True, eq=False)
class PageContents:
    """The distinct contents of a page that have a token, each after the other.

    Attributes:
        rules: For each content, the rules that keep it.
        lengths: The tokens of each content, with repeats.
        ends: For each content, where its terms end.
        terms: The numbers of the distinct terms of all contents.
        frequencies: How often each term occurs.
    """

    rules: list[list[int]]
    lengths: list[int]
    ends: list[int]
    terms: Numbers
    frequencies: Numbers


def distinct_weights(
    bits: Bits, rules: int, repeats: Mapping[int, Repeat]
) -> Iterator[tuple[list[int], Bits, Bits | None, int]]:
    """Yield the rules of each distinct non-empty selection of one page, and what they select.

    That is which blocks they keep, a bit each as NumPy packs them, which of these count several
    times, None for none, and how often they do.

    The rules that count blocks once come first, from the last to the first: rules in ascending
    order of a threshold yield a chain, each selection extending the one before. Then, by rising
    numbers, come the rules that count some blocks several times.

    Args:
        bits: The page's part of the bits of `Selection`.
        rules: The number of rules.
        repeats: The rules that count blocks several times, as in `Selection`.
    """
    rules_of: dict[bytes, list[int]] = {}
    weighted: dict[tuple[bytes, int], list[int]] = {}
    rows = max([rules - 1, *(repeat.row for repeat in repeats.values())]) + 1
    packed = _by_rule(bits, rows)
    for rule in range(rules - 1, -1, -1):
        repeat = repeats.get(rule)
        if repeat and packed[repeat.row].any():
            key = (packed[repeat.row].tobytes(), repeat.times)
            weighted.setdefault(key, []).append(rule)
        else:
            rules_of.setdefault(packed[rule].tobytes(), []).append(rule)
    for row, same in rules_of.items():
        if any(row):
            yield same, packed[same[0]], None, 1
    for (_, times), same in sorted(weighted.items()):
        yield same, packed[same[0]], packed[repeats[same[0]].row], times


def _by_rule(bits: Bits, rules: int) -> Bits:
    """(rules, ceil(blocks / 8)) which blocks a rule keeps, a bit each."""
    blocks = bits.shape[1]
    packed = np.empty((rules, -(-blocks // 8)), dtype=np.uint8)
    for start in range(0, blocks, _BLOCKS_AT_A_TIME):
        masks = np.unpackbits(
            bits[:, start : start + _BLOCKS_AT_A_TIME], axis=0, count=rules
        )
        by_rule = np.packbits(masks, axis=1)
        packed[:, start // 8 : start // 8 + by_rule.shape[1]] = by_rule
    return packed


class KeptText(NamedTuple):
    """A page's kept text.

    Attributes:
        text: The text.
        title: What precedes it in an index; "" for nothing.
        repeated: The part of the text that counts several times.
        times: How often that part counts.
    """

    text: str
    title: str = ""
    repeated: str = ""
    times: int = 1

    @property
    def contents(self) -> str:
        """The title and the text."""
        return f"{self.title}\n{self.text}" if self.title else self.text

    @property
    def characters(self) -> int:
        """The number of characters that are analysed."""
        return len(self.contents) + (self.times - 1) * len(self.repeated)


def kept_texts(
    texts: Sequence[str],
    bits: Bits,
    rules: int,
    repeats: Mapping[int, Repeat],
    *,
    has_title: bool = False,
) -> Iterator[tuple[list[int], KeptText]]:
    """Yield each distinct text of a page with its rules, one block per line, no NONCHARACTER.

    Args:
        texts: The texts of the page's blocks.
        bits: The page's part of the bits of `Selection`.
        rules: The number of rules.
        repeats: The rules that count blocks several times, as in `Selection`.
        has_title: Whether the first block is the title.
    """
    title = texts[0].replace(NONCHARACTER, " ") if has_title else ""
    texts, bits = texts[has_title:], bits[:, has_title:]
    for same, row, again, times in distinct_weights(bits, rules, repeats):
        repeated = "" if again is None else _joined(texts, again)
        yield same, KeptText(_joined(texts, row), title, repeated, times)


def _joined(texts: Sequence[str], packed: Bits) -> str:
    mask = np.unpackbits(packed, count=len(texts)).tolist()
    return "\n".join(compress(texts, mask)).replace(NONCHARACTER, " ")
