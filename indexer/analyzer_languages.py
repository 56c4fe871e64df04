"""The languages that Lucene's analyzers are for, by their codes."""

from boilersweep.errors import UsageError

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


def checked_language(code: str) -> str:
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
