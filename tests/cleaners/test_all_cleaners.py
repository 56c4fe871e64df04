"""What holds for every cleaner: documents apart, hostile pages, missing structure, names."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boilersweep.cleaners.ancestor import Ancestor
from boilersweep.cleaners.boilerpipe import (
    CleanEvalRule,
    DensityRules,
    KeepEverything,
    NumWordsRules,
    OneRule,
)
from boilersweep.cleaners.bte import BodyTextExtraction, MaximumSubsequence
from boilersweep.cleaners.largest_content import LargestContent, MainContent
from boilersweep.cleaners.link_quota import LinkQuota
from boilersweep.cleaners.rules import NamedRule
from boilersweep.cleaners.slope_curves import AdvancedSlopeCurve, DocumentSlopeCurve
from boilersweep.errors import UsageError
from boilersweep.pages.columns import BlockColumns, columns_of
from boilersweep.pages.segmenter import Segmenter
from tests.cleaners.conftest import MakeColumns

BASES = [
    DensityRules(),
    NumWordsRules(),
    OneRule(),
    CleanEvalRule(),
    KeepEverything(),
    BodyTextExtraction(),
    MaximumSubsequence(),
    DocumentSlopeCurve(),
    AdvancedSlopeCurve(),
    LinkQuota(),
]
FILTERS = [
    *(Ancestor(KeepEverything(), depth) for depth in range(1, 6)),
    Ancestor(NumWordsRules()),
    LargestContent(NumWordsRules()),
    MainContent(KeepEverything()),
]
ALL = pytest.mark.parametrize("cleaner", [*BASES, *FILTERS], ids=str)

_MARKUP = st.sampled_from(
    "<p> </p> <div> </div> <td> <table> </table> <a> </a> <b> </b> <br> <ul> <li> </ul> <h1> "
    "</h1> <title>T</title> <body> <span> </span> <script>x</script>".split()
)
_TEXT = st.sampled_from(["w", "some words", "comments", "T", "a b c d e f g h i j k l m n o p q r"])
pages_of = st.lists(
    st.lists(_MARKUP | _TEXT, max_size=20).map(" ".join),
    max_size=4,
)


@ALL
@settings(max_examples=25, deadline=None)
@given(pages=pages_of)
def test_documents_do_not_know_of_each_other(
    columns: MakeColumns, cleaner: NamedRule, pages: list[str]
) -> None:
    together = cleaner.mask(columns(*pages))
    apart = [kept for page in pages for kept in cleaner.mask(columns(page)).tolist()]
    assert together.dtype == bool
    assert together.tolist() == apart


@pytest.mark.parametrize("cleaner", FILTERS, ids=str)
@settings(max_examples=25, deadline=None)
@given(pages=pages_of)
def test_a_filter_keeps_of_what_its_cleaner_keeps(
    columns: MakeColumns, cleaner: Ancestor | LargestContent | MainContent, pages: list[str]
) -> None:
    shard = columns(*pages)
    assert not (cleaner.mask(shard) & ~cleaner.cleaner.mask(shard)).any()


@pytest.fixture(scope="module")
def hostile(columns: MakeColumns) -> BlockColumns:
    deep = 100_000
    return columns(
        "",
        "no tags at all",
        "<br>" * 1000,
        "<p>- - -</p>" * 10,
        "<div>" * deep + "deep words" + "</div>" * deep,
        "<div>a" * 2000,
        "<b>" * 1000 + "<p>x" * 1000,
    )


@ALL
def test_hostile_pages(hostile: BlockColumns, cleaner: NamedRule) -> None:
    mask = cleaner.mask(hostile)
    assert mask.shape == hostile.words.shape
    assert np.array_equal(mask, cleaner.mask(hostile))


@ALL
def test_names_are_of_the_grammar(cleaner: NamedRule) -> None:
    assert str(cleaner).split("(")[0].replace("-", "").isalpha()
    assert hash(cleaner) == hash(cleaner)


@pytest.mark.parametrize(
    "cleaner", [c for c in [*BASES, *FILTERS] if "structure" in c.needs], ids=str
)
def test_missing_structure_is_an_error_with_the_cleaners_name(cleaner: NamedRule) -> None:
    shard = columns_of(["a"], [Segmenter().html(b"<p>words")])
    with pytest.raises(UsageError, match="structure=True") as raised:
        cleaner.mask(shard)
    assert str(cleaner).split("(")[0] in str(raised.value)
