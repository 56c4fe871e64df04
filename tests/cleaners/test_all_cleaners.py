"""What holds for every registered cleaner: documents apart, hostile pages, names, the manual."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boilersweep import UsageError, cleaners
from boilersweep.cleaners.page_model import why_no_model
from boilersweep.cleaners.published.boilerpipe import NumWordsRules
from boilersweep.cleaners.published.headed import Headed
from boilersweep.cleaners.registry import NAMED
from boilersweep.cleaners.rules import Filter, NamedRule, Weighted
from boilersweep.cleaners.selectors import Inside
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.extractors.registry import extractor_names
from boilersweep.pages.columns import BlockColumns, Need, columns_of
from boilersweep.pages.segmenter import Segmenter
from tests.cleaners.conftest import MakeColumns

CLEANERS = [
    Inside("div > p, td, ul")
    if rule is Inside
    else rule.made_of(*([NumWordsRules()] if issubclass(rule, Filter) else []))
    for rule in NAMED.values()
    if rule.name != "learned" or not why_no_model()
]
ALONE = [cleaner for cleaner in CLEANERS if "recurrence" not in cleaner.needs]
EVERY = pytest.mark.parametrize("cleaner", ALONE, ids=str)

_MARKUP = st.sampled_from(
    "<p> </p> <div> </div> <td> <table> </table> <a> </a> <b> </b> <br> <ul> <li> </ul> <h1> "
    "</h1> <title>T</title> <body> <span> </span> <script>x</script>".split()
)
_TEXT = st.sampled_from(
    ["w", "some words", "comments", "T", "a b c d e f g h i j k l m n o p q r"]
)
PAGES = st.lists(st.lists(_MARKUP | _TEXT, max_size=20).map(" ".join), max_size=4)


@EVERY
@settings(max_examples=25, deadline=None)
@given(pages=PAGES)
def test_documents_do_not_know_of_each_other(
    columns: MakeColumns, cleaner: NamedRule, pages: list[str]
) -> None:
    together = cleaner.mask(shard := columns(*pages))
    apart = [kept for page in pages for kept in cleaner.mask(columns(page)).tolist()]
    assert together.dtype == bool
    assert together.tolist() == apart
    if isinstance(cleaner, Filter) and not isinstance(cleaner, Headed):
        assert not (together & ~cleaner.cleaner.mask(shard)).any()


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


@EVERY
def test_hostile_pages(hostile: BlockColumns, cleaner: NamedRule) -> None:
    mask = cleaner.mask(hostile)
    assert mask.shape == hostile.words.shape
    assert np.array_equal(mask, cleaner.mask(hostile))


@pytest.mark.parametrize("cleaner", CLEANERS, ids=str)
def test_a_cleaner_describes_itself_and_is_read_from_its_text(
    cleaner: NamedRule,
) -> None:
    assert cleaner.signature().startswith(cleaner.name)
    assert cleaner.name.replace("-", "").isalnum()
    assert cleaner.summary
    assert cleaner.source
    assert parse_rule(str(cleaner)) == cleaner
    assert hash(parse_rule(str(cleaner))) == hash(cleaner)


@pytest.mark.parametrize(
    ("need", "message"),
    [
        ("structure", "reads the pages' structure.*structure=True"),
        ("recurrence", "counts over the pages of a host"),
    ],
)
def test_missing_columns_are_an_error_with_the_cleaners_name(
    need: Need, message: str
) -> None:
    shard = columns_of(["a"], [Segmenter().html(b"<p>words")])
    for cleaner in CLEANERS:
        if need in cleaner.needs:
            with pytest.raises(
                UsageError, match=rf"{re.escape(str(cleaner))} {message}"
            ):
                cleaner.mask(shard)


def test_the_manual_lists_every_cleaner() -> None:
    manual = Path(cleaners.__file__).with_name("README.md").read_text("utf-8")
    rows = re.findall(
        r"^\| (`.*?) \|", manual.partition("## Which one?")[0], re.MULTILINE
    )
    listed = {
        name
        for row in rows
        for name in re.findall(r"`([a-z][a-z0-9-]*[a-z0-9])[`(.]", row)
    }
    extractors = {
        name for name in extractor_names() if not name.startswith("boilerpy3-")
    }
    assert {*NAMED, Weighted.name, *extractors} <= listed
