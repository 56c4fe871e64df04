"""The 67 features of the 2010 paper, on a page worked out by hand."""

import numpy as np
import pytest

from boilersweep import UsageError
from boilersweep.features.kohlschuetter import FEATURES, SETS, kohlschuetter_features
from boilersweep.features.recurrence import block_frequencies
from boilersweep.pages.columns import columns_of
from boilersweep.pages.segmenter import Segmenter
from tests.features.conftest import column, cut

PAGE = """<html><body>
<div><h2><a href=x>Home</a></h2></div>
<div><p>The BBC said so. On 5 May 2008 it | <a href=y>rained</a> at 10:30?</p></div>
<h6>Read more</h6>
</body></html>"""


def test_the_sets_add_up_to_those_of_table_2() -> None:
    sizes = {name: len(names) for name, names in SETS.items()}
    assert sizes == {
        **dict.fromkeys(["sentence length", "word length", "words"], 1),
        **dict.fromkeys(["link density", "text density"], 1),
        **dict.fromkeys(
            ["frequency (P/C/N)", "link density (P/C/N)", "words (P/C/N)"], 3
        ),
        **dict.fromkeys(
            ["text and link density (P/C/N)", "words and link density (P/C/N)"], 6
        ),
        "local (C)": 23,
        "local (C) + TDQ": 25,
        "local (P/C/N)": 64,
        "local and frequency": 67,
    }
    names = {feature.name for feature in FEATURES}
    assert len(names) == len(FEATURES) == 67
    assert names == {name for chosen in SETS.values() for name in chosen}
    assert all(feature.description and feature.source for feature in FEATURES)


def test_every_feature_of_a_block() -> None:
    columns = cut(PAGE)
    table = kohlschuetter_features(columns, block_frequencies([columns]))
    found = dict(zip(table.names, table.values[1].tolist(), strict=True))
    # The words: The BBC said so. On 5 May 2008 it rained at 10:30? - 12 of them, and one bar.
    # Characters of them: 3+3+4+3+2+1+3+4+2+6+2+6 = 39. Two sentences: "... so." and "... 10:30?".
    expected = {
        "in_h1": 0,
        "in_h2": 0,
        "in_h3": 0,
        "in_h4": 0,
        "in_h5": 0,
        "in_h6": 0,
        "in_p": 1,
        "in_div": 1,
        "in_a": 0,
        "word_length": 39 / 12,
        "sentence_length": 12 / 2,
        "words": 12,
        "capitalised": 4,  # The BBC On May
        "all_caps": 1,  # BBC
        "capitalised_share": 4 / 12,
        "all_caps_share": 1 / 12,
        "full_stop_ratio": 1 / 12,
        "dates": 3,  # May 2008 10:30
        "bars": 1,
        "link_density": 1 / 12,
        "text_density": 12,  # 50 characters: one line
        "position": 2,
        "relative_position": 2 / 3,
    }
    assert {name: found[f"curr_{name}"] for name in expected} == pytest.approx(expected)
    assert found["text_density_quotient"] == 12 / 1
    assert found["next_text_density_quotient"] == 2 / 12
    assert found["words_quotient"] == 12 / 1
    # Before: "Home", all of it linked, in h2 and div. Behind: "Read more" in h6.
    before = {
        "in_h2": 1,
        "in_div": 1,
        "in_p": 0,
        "in_a": 1,
        "word_length": 4,
        "words": 1,
    }
    before |= {
        "capitalised_share": 1,
        "all_caps_share": 0,
        "link_density": 1,
        "dates": 0,
    }
    assert {name: found[f"prev_{name}"] for name in before} == before
    behind: dict[str, float] = {
        "in_h6": 1,
        "in_div": 0,
        "in_a": 0,
        "word_length": 4,
        "words": 2,
        "bars": 0,
    }
    behind |= {"sentence_length": 2, "text_density": 2, "capitalised_share": 0.5}
    assert {name: found[f"next_{name}"] for name in behind} == behind
    assert [found[f"{place}_frequency"] for place in ("prev", "curr", "next")] == [
        1,
        1,
        1,
    ]


def test_neighbours_do_not_cross_documents() -> None:
    columns = cut("<p>one two<p>three", "<p>four five six", PAGE)
    table = kohlschuetter_features(columns, block_frequencies([columns]))
    expected = {
        "prev_words": [0, 2, 0, 0, 1, 12],
        "next_words": [1, 0, 0, 12, 2, 0],
        "words_quotient": [0, 1 / 2, 0, 0, 12, 2 / 12],
        "next_text_density_quotient": [1 / 2, 0, 0, 12, 2 / 12, 0],
        "curr_position": [1, 2, 1, 1, 2, 3],
        "curr_relative_position": [0.5, 1, 1, 1 / 3, 2 / 3, 1],
    }
    assert {name: column(table, name).tolist() for name in expected} == expected
    alone = cut(PAGE)
    own = kohlschuetter_features(alone, block_frequencies([columns]))
    assert np.array_equal(own.values, table.values[3:])


def test_the_smaller_sets_come_first_and_need_no_frequencies() -> None:
    columns = cut(PAGE)
    whole = kohlschuetter_features(columns, block_frequencies([columns]))
    local = kohlschuetter_features(columns, None)
    assert local.names == list(SETS["local (P/C/N)"]) == whole.names[:64]
    assert np.array_equal(local.values, whole.values[:, :64])
    assert whole.names[:23] == list(SETS["local (C)"])


def test_enclosing_tags_at_any_depth() -> None:
    columns = cut("<div>a<h1>b<br>c</h1><table><tr><td>d</table></div>e<h1></h1>f")
    table = kohlschuetter_features(columns, None)
    assert columns.texts == ["a", "b", "c", "d", "e", "f"]
    assert column(table, "curr_in_div").tolist() == [1, 1, 1, 1, 0, 0]
    assert column(table, "curr_in_h1").tolist() == [0, 1, 1, 0, 0, 0]


def test_no_blocks_and_no_structure() -> None:
    assert kohlschuetter_features(cut("<p></p>"), None).values.shape == (0, 64)
    plain = columns_of(["d"], [Segmenter().html(b"<p>words")])
    with pytest.raises(UsageError, match="structure"):
        kohlschuetter_features(plain, None)
