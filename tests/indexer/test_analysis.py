"""BlockAnalyzer: the tokens of a page's blocks are those of each block alone."""
# ruff: noqa: RUF001

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boilersweep.errors import JavaError
from boilersweep.indexer.analyzer import (
    NONCHARACTER,
    AnalyzerOptions,
    BlockAnalyzer,
    make_analyzer,
)
from boilersweep.indexer.languages import LANGUAGES
from tests.indexer.declaration import ARTICLES

pytestmark = pytest.mark.usefixtures("java")

OPTIONS = {
    "en": AnalyzerOptions(),
    "none": AnalyzerOptions(stemmer="none", keep_stopwords=True),
    "krovetz": AnalyzerOptions(stemmer="krovetz"),
    "pretokenized": AnalyzerOptions(pretokenized=True),
    **{code: AnalyzerOptions(language=code) for code in ("de", "fr", "ja", "zh", "pl", "ar")},
}
BLOCKWISE = [name for name in OPTIONS if name != "ja"]
WORDS = (
    "the running of x0blk0x X0BLK0X x0blk0xx  ponies' U+FFFF \uffff a\uffffb \u3000 \u200d 😀 𝒳𝓎𝓏 "
    "l'été Straße 検索 の 本 \u0301 \u00a0 \t \n | ... don't"
).split(" ")
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=6).map(" ".join), max_size=8
).map(lambda texts: [t.encode("utf-8", "replace").decode() for t in texts])


@pytest.fixture(scope="module")
def analyzer(java: None) -> Callable[[str], BlockAnalyzer]:
    made: dict[str, BlockAnalyzer] = {}

    def get(name: str) -> BlockAnalyzer:
        return made.setdefault(name, BlockAnalyzer(OPTIONS[name]))

    return get


def alone(analyzer: BlockAnalyzer, text: str) -> str:
    """The tokens of one text, by Anserini's own utility and one at a time."""
    from jnius import autoclass

    utilities = autoclass("io.anserini.analysis.AnalyzerUtils")
    text = text.replace(NONCHARACTER, " ")
    tokens = utilities.analyze(analyzer.analyzer, text).toArray()
    return " ".join(token.replace(" ", "\u00a0") for token in tokens)


@pytest.mark.parametrize("name", OPTIONS)
@settings(max_examples=25, deadline=None)
@given(texts=TEXTS)
def test_tokens_are_those_of_each_text_alone(
    analyzer: Callable[[str], BlockAnalyzer], name: str, texts: list[str]
) -> None:
    made = analyzer(name)
    assert made.tokens(texts) == [alone(made, text) for text in texts]


def test_a_page_of_many_blocks_is_taken_in_slices(
    analyzer: Callable[[str], BlockAnalyzer], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [" ".join(WORDS[number:]) for number in range(len(WORDS))]
    whole = analyzer("en").tokens(texts)
    monkeypatch.setattr("boilersweep.indexer.analyzer._BLOCKS_AT_A_TIME", 4)
    assert analyzer("en").tokens(texts) == whole


@pytest.mark.parametrize("mark", ["\ufeff", "\ufffe"])
def test_a_token_that_begins_with_a_byte_order_mark(
    analyzer: Callable[[str], BlockAnalyzer], mark: str
) -> None:
    texts = [f"{mark}a b", mark, "", f"c {mark}a", "d"]
    assert analyzer("pretokenized").tokens(texts) == texts
    assert [analyzer("pretokenized").tokens([text]) for text in texts] == [[t] for t in texts]
    assert analyzer("pretokenized").has_token(mark)
    assert analyzer("en").tokens([f"{mark}pony b", "c"]) == ["poni b", "c"]


@pytest.mark.parametrize("name", BLOCKWISE)
@settings(max_examples=25, deadline=None)
@given(texts=TEXTS)
def test_where_blockwise_the_blocks_have_the_tokens_of_the_joined_text(
    analyzer: Callable[[str], BlockAnalyzer], name: str, texts: list[str]
) -> None:
    made = analyzer(name)
    assert made.is_blockwise
    assert " ".join(filter(None, made.tokens(texts))) == alone(made, "\n".join(texts))


@pytest.mark.parametrize(
    "texts",
    [
        ["x0blk0x", "the", "running"],
        ["the", "X0BLK0X", "running ponies"],
        ["X0BLK0X", "the", "X0BLK0X", "the", "ponies"],
        ["a x0blk0x b x0blk0x", "", "", "c"],
    ],
)
def test_a_text_with_the_sentinel_moves_no_token(
    analyzer: Callable[[str], BlockAnalyzer], texts: list[str]
) -> None:
    made = analyzer("en")
    assert made.tokens(texts) == [alone(made, text) for text in texts]


def test_blocks_without_a_token_cost_no_second_analysis(
    analyzer: Callable[[str], BlockAnalyzer], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = analyzer("en")
    analysed: list[str] = []
    analyse = BlockAnalyzer._analyse

    def counted(self: BlockAnalyzer, text: str) -> str:
        analysed.append(text)
        return analyse(self, text)

    monkeypatch.setattr(BlockAnalyzer, "_analyse", counted)
    assert made.tokens(["", "the", "of and", "running", "the"]) == ["", "", "", "run", ""]
    assert len(analysed) == 1


def test_no_text_no_tokens(analyzer: Callable[[str], BlockAnalyzer]) -> None:
    made = analyzer("en")
    assert made.tokens([]) == []
    assert made.tokens([""]) == [""]
    assert made.tokens(["", ""]) == ["", ""]


def test_the_noncharacter_parts_tokens(analyzer: Callable[[str], BlockAnalyzer]) -> None:
    assert analyzer("pretokenized").tokens(["a\uffffb c", "7\uffff3"]) == ["a b c", "7 3"]


@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_all_but_japanese_are_blockwise(code: str) -> None:
    options = AnalyzerOptions(language=code)
    try:
        make_analyzer(options)
    except JavaError as error:
        pytest.skip(str(error))
    made = BlockAnalyzer(options)
    assert made.is_blockwise == (code != "ja")
    assert made.is_bag_of_words == (code not in ("ja", "pl", "uk"))
    text = ARTICLES[code].text
    texts = [text, "", *text.split(" "), text[:7], *WORDS, text[9:]]
    if made.is_blockwise:
        assert " ".join(filter(None, made.tokens(texts))) == alone(made, "\n".join(texts))


def test_stacked_tokens_are_counted_by_text(analyzer: Callable[[str], BlockAnalyzer]) -> None:
    texts = ["równi", "", "prawo i prawo", "x\uffffprawo 😀", "np. ludzie"]
    tokens = analyzer("pl").tokens(texts)
    assert tokens == [
        *("równia równy rówień", "", "prawo prawy i prawo prawy", "x prawo prawy 😀"),
        "na\u00a0przykład ludzie lud człowiek",
    ]
    assert analyzer("pl").stacked(texts) == [2, 0, 2, 1, 2]
    assert analyzer("de").stacked(texts) is None
    raw = BlockAnalyzer(AnalyzerOptions(language="pl", pretokenized=True))
    assert raw.stacked(texts) is None


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
def test_has_token(analyzer: Callable[[str], BlockAnalyzer], text: str, has: bool) -> None:
    assert analyzer("en").has_token(text) == has
