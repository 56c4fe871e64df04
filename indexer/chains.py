"""The parts of an analyzer, and whether it looks at single tokens only.

If it does, the tokens of a text are those of its pieces, if no token goes across where the text
is cut. The tokenizers here end every token at a space, and know of what comes before it nothing
more. A filter here makes of a token, or of several at its place, what it makes of it anywhere.
"""

from typing import Any

from boilersweep.indexer.pieces import Borders

_STANDARD = "standard.StandardTokenizer"

# Of texts that StandardTokenizer reads as they are.
#
# In its automaton nothing but a token that is left out begins with any of these, and no token
# goes on over one of `at`, or ends in one of `between`.
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
        "miscellaneous.SetKeywordMarkerFilter",
        "miscellaneous.StemmerOverrideFilter",
        "morfologik.MorfologikFilter",
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
    while _name(own) != "Analyzer":
        if any(method.getName() == "initReader" for method in own.getDeclaredMethods()):
            return _name(own)
        own = own.getSuperclass()
    return None


def _name(java_class: Any) -> str:
    return str(java_class.getName()).removeprefix(_LUCENE)
