"""The compiled features and networks against NumPy's: the same bits, alone and together."""

# ruff: noqa: RUF001 (marks of other scripts look like ours)

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boilersweep.cleaners.learned.cleaner import SHIPPED, Learned, usable_model
from boilersweep.cleaners.learned.features import (
    FEATURE_SETS,
    compiled_path,
    names,
    paragraph_features,
    rated_rows,
)
from boilersweep.cleaners.learned.inference import probabilities
from boilersweep.cleaners.learned.model import Model
from boilersweep.pages.columns import BlockColumns, columns_of
from boilersweep.pages.compiled import make_segmenter

pytestmark = pytest.mark.skipif(not compiled_path(), reason="the compiled path was not built")

SEGMENTER = make_segmenter(structure=True)
TEXTS = (
    "One two.",
    "a, b; c: d",
    "A",
    "7 %",
    "ALL CAPS Here",
    "Ends here?! Yes...",
    "x @ y © €",
    "中文。我们",
    "Ünïcode ẞ",
    "𝔘𝔫𝔦 𝟘 😀",
    "।॥",
    "·•›",
    "\u00a0",
    "no. 5.5",
    "word " * 70,
    "| /",
)
MARKS = (
    "nav",
    "MainContent",
    "comment-12",
    "comment-13",
    "hidden",
    "role=main x",
    "hiddenItems",
    "NAVBar",
    "articles",
    "s",
    "é٣",
    "é٤",
    "role=",
    "role=Navigation",
    "a  b",
    "ads_2 ads_3",
)
NAMES = (
    "div",
    "p",
    "article",
    "nav",
    "h1",
    "h2",
    "h3",
    "li",
    "ul",
    "span",
    "b",
    "td",
    "pre",
    "section",
    "x-y",
    "main",
    "footer",
    "blockquote",
    "a",
    "dl",
    "button",
    "figure",
)
ELEMENTS = st.recursive(
    st.sampled_from(TEXTS),
    lambda inner: st.builds(
        lambda name, mark, parts: f'<{name} class="{mark}">{"".join(parts)}</{name}>',
        st.sampled_from(NAMES),
        st.sampled_from(MARKS),
        st.lists(inner, min_size=1, max_size=6),
    ),
    max_leaves=30,
)


def columns(*pages: str) -> BlockColumns:
    return columns_of(["page"] * len(pages), [SEGMENTER.html(page.encode()) for page in pages])


def assert_same(batch: BlockColumns, model: Model) -> None:
    """Both paths give the same rows and probabilities."""
    paragraphs, values = paragraph_features(batch, "test")
    rows = FEATURE_SETS["paragraphs"].rows(batch, "test")
    assert rows.of_blocks.tolist() == paragraphs.of_blocks.tolist()
    assert rows.starts.tolist() == paragraphs.starts.tolist()
    assert rows.owners.tolist() == paragraphs.owners.tolist()
    assert rows.words.tolist() == np.bincount(paragraphs.of_blocks, batch.words).tolist()
    differ = np.flatnonzero((bits(rows.values) != bits(values)).any(axis=0))
    assert [names()[place] for place in differ] == []
    networks = (model.estimator, *model.classes.values())
    rated = rated_rows(batch, "test", model, networks)
    assert rated is not None
    for network in networks:
        expected = probabilities(network, values[:, model.columns])
        assert rated.rated[network].tolist() == expected.tolist()


def bits(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(ELEMENTS, max_size=8).map("".join), min_size=1, max_size=3))
def test_both_paths_agree_together_and_alone(pages: list[str]) -> None:
    model = usable_model(SHIPPED)
    together = columns(*pages)
    assert_same(together, model)
    alone = [Learned().ratings(columns(page)) for page in pages]
    assert Learned().ratings(together).tolist() == np.concatenate(alone).tolist()


@pytest.mark.parametrize(
    "page",
    [
        "",
        "<p>" + "word " * 9000,
        "".join(f"<p>word {number}" for number in range(300)),
        "<div>" * 400 + "<p>one<p>two",
        "<p>one " * 40 + "<ul>" + "<li><a href=x>A link.</a>" * 70,
    ],
    ids=["empty", "a long text", "paragraphs", "deep", "links"],
)
def test_both_paths_agree_on_large_pages(page: str) -> None:
    assert_same(columns(page, "<h1>Title</h1><p>one"), usable_model(SHIPPED))


def test_texts_may_hold_lone_surrogates() -> None:
    page = columns_of(["page"], [SEGMENTER.html(b"<p>one<p>two")])
    assert_same(replace(page, texts=["one", "\ud800two \udfff!"]), usable_model(SHIPPED))


def test_a_model_may_read_some_features() -> None:
    shipped = usable_model(SHIPPED)
    read = np.arange(0, len(shipped.columns), 3, dtype=np.int32)
    network = shipped.classes["comment"]
    first, last = network.weights
    fewer = replace(
        network, mean=network.mean[read], scale=network.scale[read], weights=(first[read], last)
    )
    model = replace(shipped, columns=read, estimator=fewer, classes={})
    assert_same(columns("<p>one two.<p>three<div class=nav>four"), model)


def test_blocks_without_texts_are_an_error() -> None:
    page = columns("<p>one<p>two")
    with pytest.raises(ValueError, match="expected the texts of 2 blocks, got 0"):
        Learned().mask(replace(page, texts=[]))


def test_the_path_in_pure_python_keeps_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    page = columns("<h1>Title</h1><p>One, two, three.<p>four<div class=comment>Five six.</div>")
    found = Learned().ratings(page).tolist()
    monkeypatch.setenv("BOILERSWEEP_PURE", "1")
    assert Learned().ratings(replace(page)).tolist() == found
