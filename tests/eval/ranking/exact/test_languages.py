"""Every language's analyzer on real text: the exact engine and real indexes."""
# ruff: noqa: S311

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from boilersweep import BlockStore, JavaError, UsageError, collect_variants
from boilersweep.cleaners.syntax.variants import Grid, parse_sweep
from boilersweep.eval import BM25, QueryLikelihood, SearchOptions
from boilersweep.eval.experiment.engines import parallel_engine
from boilersweep.eval.ranking.exact.engine import ExactEngine, GridEngine
from boilersweep.indexer import AnalyzerOptions
from boilersweep.indexer.analyzer import LANGUAGES, STACKING, make_analyzer
from tests.eval.conftest import MakeStore
from tests.indexer.declaration import ARTICLES, contextual

pytestmark = pytest.mark.java

WITHOUT_SPACES = ("ja", "th", "zh")
ABBREVIATED = "np."  # of which Polish makes one token of two words
VARIANTS = collect_variants([parse_sweep("words=1,6")], ["weighted(words>=6, 3)"])


@pytest.fixture
def options(java: None, language: str) -> AnalyzerOptions:
    made = AnalyzerOptions(language=language)
    try:
        make_analyzer(made)
    except JavaError as error:
        if language != "th":
            raise
        pytest.skip(str(error))
    return made


@pytest.fixture
def language_store(language: str, make_store: MakeStore) -> BlockStore:
    """20 pages of pieces of the article, and one that is all of it and more."""
    dice = random.Random(language)
    pages = {"whole": f"<p>{ARTICLES[language].text} {ABBREVIATED} 😀 x0blk0x</p>"}
    for number in range(20):
        blocks = (
            f"<p>{some_piece(dice, language, 20)}</p>"
            for _ in range(dice.randint(1, 9))
        )
        pages[f"page-{number:02d}"] = "".join(blocks)
    return make_store(pages)


@pytest.fixture
def language_queries(language: str) -> Mapping[str, str]:
    dice = random.Random(f"{language} queries")
    pieces = {str(number): some_piece(dice, language, 4) for number in range(8)}
    return {"form": ARTICLES[language].query, "abbreviated": ABBREVIATED, **pieces}


def some_piece(dice: random.Random, language: str, most: int) -> str:
    """Up to so many words of the article, or characters where it has no spaces, twice as many."""
    text = ARTICLES[language].text
    between = "" if language in WITHOUT_SPACES else " "
    units = text.split() if between else list(text)
    length = dice.randint(1, most if between else 2 * most)
    start = dice.randrange(len(units))
    return between.join(units[start : start + length])


def test_every_language_has_a_text() -> None:
    assert set(ARTICLES) == set(LANGUAGES)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_exact_and_real_runs_are_equal(
    language: str,
    options: AnalyzerOptions,
    language_store: BlockStore,
    language_queries: Mapping[str, str],
    tmp_path: Path,
) -> None:
    search = SearchOptions(analyzer=options)
    real = parallel_engine(language_store, VARIANTS, language_queries, tmp_path, search)
    if language in contextual():
        with pytest.raises(
            UsageError,
            match=rf"'{language}': the tokens of a block .*`engine` indexes",
        ):
            ExactEngine(language_store, VARIANTS, language_queries, search)
        assert len(real.run(VARIANTS[0]).run["form"]) > 2
        return
    exact = ExactEngine(language_store, VARIANTS, language_queries, search)
    for model in (BM25(), QueryLikelihood(100)):
        computed, searched = exact.under(model), real.under(model)
        assert computed
        for variant in VARIANTS:
            expected = searched.run(variant)
            assert len(expected.run["form"]) > 2
            assert computed.run(variant) == expected


@pytest.mark.parametrize("language", sorted(STACKING))
def test_a_grid_counts_stacked_tokens_as_a_sweep_does(
    language: str,
    options: AnalyzerOptions,
    language_store: BlockStore,
    language_queries: Mapping[str, str],
) -> None:
    grid = Grid(parse_sweep("words=1,6"), parse_sweep("words<12,99"))
    variants = list(map(grid.variant, grid.places()))
    search = SearchOptions(hits=100, analyzer=options)
    one_by_one = ExactEngine(language_store, variants, language_queries, search)
    of_grid = GridEngine(language_store, grid, language_queries, search)
    for variant in variants:
        assert of_grid.run(variant) == one_by_one.run(variant)
