"""Compiled paragraphs and networks on pages of all kinds; their features are in test_features."""

# ruff: noqa: RUF001 (marks of other scripts look like ours)

import math
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boilersweep import BoilersweepError
from boilersweep.cleaners.learned import cleaner
from boilersweep.cleaners.learned.cleaner import SHIPPED, Learned, usable_model
from boilersweep.cleaners.learned.features import FEATURE_SETS, rated_paragraphs
from boilersweep.cleaners.learned.inference import (
    Rows,
    logistic,
    probabilities,
    ready_network,
)
from boilersweep.cleaners.learned.model import Network
from boilersweep.pages.columns import BlockColumns, columns_of
from boilersweep.pages.compiled import make_segmenter
from tests.cleaners.conftest import MakeColumns

pytestmark = pytest.mark.application("learned")

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
    "div p article nav h1 h2 h3 li ul span b td pre x-y section main footer blockquote a dl button "
    "figure"
).split()
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
PAGES = st.lists(st.lists(ELEMENTS, max_size=8).map("".join), min_size=1, max_size=3)


def columns_of_pages(*pages: str) -> BlockColumns:
    return columns_of(
        ["page"] * len(pages), [SEGMENTER.html(page.encode()) for page in pages]
    )


def rows_of(columns: BlockColumns) -> Rows:
    return FEATURE_SETS["paragraphs"].rows(columns, "test")


def assert_sound(columns: BlockColumns) -> None:
    """Features are finite numbers near one, and both ways to a network's result give its bits."""
    values = rows_of(columns).values
    assert np.isfinite(values).all()
    assert (np.abs(values) < 100).all()
    model = usable_model(SHIPPED)
    assert isinstance(model.estimator, Network)
    networks = [model.estimator, *model.classes.values()]
    rated = rated_paragraphs(columns, "test", model, networks).rated
    for network in networks:
        expected = probabilities(network, values[:, model.columns])
        assert rated[network].tolist() == expected.tolist()


@settings(max_examples=80, deadline=None)
@given(PAGES)
def test_pages_have_alone_what_they_have_in_a_batch(pages: list[str]) -> None:
    together = columns_of_pages(*pages)
    assert_sound(together)
    alone = [columns_of_pages(page) for page in pages]
    values = np.concatenate([rows_of(page).values for page in alone])
    assert rows_of(together).values.tolist() == values.tolist()
    ratings = np.concatenate([Learned().ratings(page) for page in alone])
    assert Learned().ratings(together).tolist() == ratings.tolist()


@pytest.mark.parametrize(
    "page",
    [
        "",
        "<p>" + "word " * 9000,
        "".join(f"<p>word {number}" for number in range(17_000)),
        "<div>" * 400 + "<p>one<p>two",
        "<p>one " * 40 + "<ul>" + "<li><a href=x>A link.</a>" * 70,
        "<p>one<h2>two" * 32,
    ],
    ids=["empty", "a long text", "paragraphs", "deep", "links", "rows taken at a time"],
)
def test_large_pages(page: str) -> None:
    assert_sound(columns_of_pages(page, "<h1>Title</h1><p>one"))


def test_texts_may_hold_lone_surrogates() -> None:
    page = columns_of_pages("<p>one<p>two")
    assert_sound(replace(page, texts=["one", "\ud800two \udfff!"]))


def test_blocks_without_texts_are_an_error() -> None:
    page = columns_of_pages("<p>one<p>two")
    with pytest.raises(ValueError, match="expected the texts of 2 blocks, got 0"):
        Learned().mask(replace(page, texts=[]))


def test_sums_are_exact_and_so_the_same_on_every_processor() -> None:
    """The result is that of sums which are rounded once, at their end."""
    model = usable_model(SHIPPED)
    network = model.classes["comment"]
    page = columns_of_pages(
        "<h1>Title</h1><p>One, two, three.<p>four<div class=comment>Five six."
    )
    found = rated_paragraphs(page, "test", model, [network]).rated[network]
    ready = ready_network(network)
    first, last = ready.layers
    for row, result in zip(rows_of(page).values[:, model.columns], found, strict=True):
        inputs = np.clip(
            (row.astype(float) - ready.mean) * ready.scale, -ready.limit, ready.limit
        )
        hidden = exact_sums(
            np.nan_to_num(inputs), first.rounder, first.weights, first.biases
        )
        (logit,) = exact_sums(
            np.maximum(hidden, 0), last.rounder, last.weights, last.biases
        )
        assert logistic(np.array([logit]))[0] == result


def exact_sums(
    inputs: np.ndarray, rounder: float, weights: np.ndarray, biases: np.ndarray
) -> list[float]:
    inputs = (inputs + rounder) - rounder
    return [
        math.fsum([*(inputs * column).tolist(), bias])
        for column, bias in zip(weights.T, biases.tolist(), strict=True)
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda weights: weights,
        lambda weights: weights * 1e-4,
        lambda weights: weights * 300,
        lambda weights: np.where(np.arange(len(weights))[:, None] % 50, 0, weights),
        lambda weights: weights * (1 + 40 * (np.arange(len(weights))[:, None] == 2)),
        lambda weights: weights * 0,
    ],
    ids=["shipped", "small", "large", "few", "one large", "none"],
)
def test_single_precision_holds_the_sums_of_the_hidden_layer(
    change: Callable[[np.ndarray], np.ndarray],
) -> None:
    shipped = usable_model(SHIPPED)
    network = shipped.classes["comment"]
    first, last = network.weights
    changed = replace(network, weights=(change(first).astype(np.float32), last))
    page = columns_of_pages("<p>one two, three.<p>four<div class=nav>" * 20)
    rated = rated_paragraphs(page, "test", shipped, [changed]).rated[changed]
    values = rows_of(page).values[:, shipped.columns]
    assert rated.tolist() == probabilities(changed, values).tolist()
    layer, _ = ready_network(changed).layers
    step = np.spacing(layer.rounder) * least_step(layer.weights)
    sizes = np.abs(layer.weights)
    # Of inputs, and of differences between those of two rows.
    sums = 2 * network.limit * sizes.sum(axis=0) + np.abs(layer.biases)
    assert sums.max() <= 2**24 * step


def least_step(values: np.ndarray) -> float:
    """Return the largest power of two, up to 1, that all values are multiples of."""
    step = 1.0
    while (np.fmod(values, step) != 0).any():
        step /= 2
    return step


def test_to_round_a_network_hardly_changes_it() -> None:
    model = usable_model(SHIPPED)
    page = columns_of_pages(
        "<nav><a>Home</a></nav><h1>Title</h1><p>One, two, three, and so on: four.</p>"
        * 9
        + "<table><td>5<td>six</table><div class=comments><p>Seven, by Jo</div>" * 9
    )
    values = rows_of(page).values[:, model.columns].astype(np.float64)
    assert isinstance(model.estimator, Network)
    for network in (model.estimator, *model.classes.values()):
        layer = np.clip((values - network.mean) * network.scale, -5, 5)
        first, last = network.weights
        hidden = np.maximum(layer @ first + network.biases[0], 0)
        exact = logistic((hidden @ last + network.biases[1])[:, 0])
        assert np.abs(probabilities(network, values) - exact).max() < 0.005


def test_a_model_may_read_some_features() -> None:
    shipped = usable_model(SHIPPED)
    read = np.arange(0, len(shipped.columns), 3, dtype=np.int32)
    network = shipped.classes["comment"]
    first, last = network.weights
    fewer = replace(
        network,
        mean=network.mean[read],
        scale=network.scale[read],
        weights=(first[read], last),
    )
    model = replace(shipped, columns=read, estimator=fewer, classes={})
    page = columns_of_pages("<p>one two.<p>three<div class=nav>four")
    rated = rated_paragraphs(page, "test", model, [fewer]).rated[fewer]
    assert (
        rated.tolist() == probabilities(fewer, rows_of(page).values[:, read]).tolist()
    )


def test_blocks_with_inline_tags_between_them_are_one_paragraph(
    columns: MakeColumns,
) -> None:
    page = columns(
        "<div><p>one <b>two</b> three</p><p>four</p></div>",
        "",
        "five <i>six</i><br>seven",
        borders="paper",
    )
    rows = rows_of(page)
    assert rows.of_blocks.tolist() == [0, 0, 0, 1, 2, 2, 3]
    assert rows.words.tolist() == [3, 1, 2, 1]
    assert rows.starts.tolist() == [0, 2, 2, 4]
    assert rows.owners.tolist() == [0, 0, 2, 2]


def test_repeats_in_other_elements_and_paragraphs_that_look_alike() -> None:
    rows = rows_of(
        columns_of_pages(
            "<p>a",
            "<main><p>a<p>b<p class=n1>a<p class=n2>c</main><div class=print><p>a<p>b</div>",
        )
    )
    repeats, alike = rows.relations.T[:2].tolist()
    assert repeats == [0, 0, 0, 2, 0, 4, 4]
    assert alike == [0, 0, 1, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("html", "lists", "before", "after"),
    [
        ("<p>a<dl><dt>b<dd>c<p>d</dl><p>e", [0, 0, 1, 2, 0], [0] * 5, [0] * 5),
        # A list within a description belongs to the outermost one.
        ("<dl><dt>a<dd>b<dl><dt>c<dd>d</dl></dl>", [0, 1, 2, 3], [0] * 4, [0] * 4),
        # Texinfo and Sphinx make a list of each definition.
        ("<dl><dt>a<dd>b</dl><p>c<dl><dt>d</dl>", [0, 1, 0, 3], [0] * 4, [0] * 4),
        ("<dl><dt>a</dl><div><dl><dt>b<dd>c</dl></div>", [0, 0, 1], [0] * 3, [0] * 3),
        # The code of a section is among the text of the section alone.
        (
            "<p>a<section><h2>b</h2><pre>c</pre><p>d</section><p>e",
            [0] * 5,
            [0, 0, 1, 0, 0],
            [0, 0, 2, 0, 0],
        ),
        # What has no text but code is no element around it.
        (
            "<p>a<div><div><pre>b</pre></div><pre>c</pre></div>",
            [0] * 3,
            [0, 1, 2],
            [0, 2, 1],
        ),
        ("<pre>a</pre><div><pre>b</pre></div>", [0, 0], [0, 0], [0, 0]),
        ("<dl><dt>a<dd>b<pre>c</pre></dl>", [0, 1, 2], [0, 0, 1], [0, 0, 1]),
    ],
)
def test_definition_lists_and_the_text_around_code(
    html: str, lists: list[int], before: list[int], after: list[int]
) -> None:
    first = columns_of_pages("<p>x", html)
    found = rows_of(first).relations[1:].T[2:].tolist()
    assert found == [lists, before, after]


def test_terms_come_near_to_their_descriptions() -> None:
    told = "The pony, which nobody had seen for {} days, crossed the river again, they said."
    items = "".join(
        f"<dt><a href=#x>run_{name}</a><dd><p>{told.format(name)}"
        for name in ("two", "six", "ten")
    )
    page = columns_of_pages(
        f"<nav><a href=/>Home</a></nav><h1>A pony</h1><dl>{items}</dl>"
    )
    ratings = Learned().ratings(page)
    # By themselves links are about .4 less likely than prose.
    assert (ratings[3::2] - ratings[2::2] < 0.3).all()


def test_an_article_that_is_there_twice_is_kept_once() -> None:
    text = "".join(
        f"<p>The pony, which nobody had seen for {days} days, crossed the river again, they said."
        for days in ("two", "three", "four")
    )
    page = columns_of_pages(
        f"<!DOCTYPE html><main><h1>A pony</h1>{text}</main><section class=print>{text}</section>"
    )
    assert Learned().mask(page).tolist() == [True] * 4 + [False] * 3


def test_no_block_at_all(columns: MakeColumns) -> None:
    rows = rows_of(columns("", "<p></p>"))
    assert rows.values.shape == (0, 563)
    assert rows.starts.tolist() == [0, 0, 0]


def test_probabilities_of_the_shipped_model() -> None:
    page = columns_of_pages(
        "<!DOCTYPE html><nav class=menu><a>Home</a> <a>News</a></nav><main><h1>A pony</h1>"
        "<p>The pony, which nobody had seen since <b>May</b>, crossed the river again today.</p>"
        "<p>It rained. It rained on, and the pony did not care at all about that, they said.</p>"
        "<div class=comments><p>Jo: I saw it, too.</p></div></main><footer>© Pony Press</footer>"
    )
    found = Learned().class_probabilities(page)
    assert {name: found[name].round(6).tolist() for name in found} == {
        "main text": [0.015169, 0.469552, 0.992935, 0.996476, 0.343708, 0.035207],
        "headline": [0.032091, 0.486784, 0.004295, 0.000744, 0.000897, 0.006384],
        "comment": [0.003212, 0.000275, 3.8e-05, 0.000154, 0.031443, 0.001543],
        "rest": [0.949528, 0.043389, 0.002732, 0.002627, 0.623952, 0.956867],
    }


def test_without_compiled_code_learned_ends_with_an_error_before_any_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "boilersweep.cleaners.learned.compiled", None)
    cleaner._loaded.cache_clear()
    with pytest.raises(BoilersweepError, match="install a C compiler and Python's"):
        Learned.made_of()
