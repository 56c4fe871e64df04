"""A small budget of scripts/fuzz.py with a fixed seed, and that it sees what is wrong."""

from collections.abc import Sequence

import pytest
from fuzzing.tokens import Comparison, CutComparison, compare, mutations

from boilersweep.indexer import AnalyzerOptions, compiled
from boilersweep.indexer.contents import Cut, PurePieces, TermTable

BLOCKS = [
    "The ponies don't run 1,000.5 miles (U.S.A.)",
    "l'été à Straßburg, naïve “so”",
    "本語 ไทย 😀",
]


@pytest.mark.java
@pytest.mark.parametrize("language", ["en", "fa"])
def test_mutated_blocks_have_the_tokens_of_lucene(java: None, language: str) -> None:
    comparison = Comparison(AnalyzerOptions(language=language))
    assert len(comparison.tables) == 1 + compiled.built
    assert list(compare(mutations(BLOCKS, 1500, 1), comparison)) == []


@pytest.mark.skipif(not compiled.built, reason="the extension module is not built")
def test_mutated_blocks_are_cut_as_they_are_to_be() -> None:
    assert list(compare(mutations(BLOCKS, 5000, 2), CutComparison())) == []


class AtEveryT(PurePieces):
    def cut(self, texts: Sequence[str]) -> Cut:
        return super().cut([text.replace("t", " ") for text in texts])


@pytest.mark.java
def test_a_difference_is_made_small(java: None) -> None:
    comparison = Comparison(AnalyzerOptions())
    asked = comparison.lucene.tokens, comparison.lucene.stacked
    comparison.tables = [TermTable(AtEveryT, *asked)]
    (found,) = compare(iter(["a pony", "much better ponies", "pony"]), comparison)
    assert found == "t"
