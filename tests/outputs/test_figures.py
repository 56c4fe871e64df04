"""One figure is printed as one number, whatever computed it and wherever it is read."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.outputs.figures import figure, rounded

SCORES = st.lists(st.integers(0, 10), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [
        (0.5125, ".3f", "0.512"),
        (0.5135, ".3f", "0.514"),
        (np.float64(0.0625), ".3f", "0.062"),
        (0.51249999999, ".3f", "0.512"),
        (0.1235, ".1%", "12.4%"),
        (-0.0005, "+.3f", "-0.000"),
        (0.00012345678, ".4g", "0.0001235"),
        (1234.5, ",.0f", "1,234"),
        (7, ",", "7"),
        (float("nan"), ".2f", "nan"),
        (None, ".3f", ""),
    ],
)
def test_half_goes_to_even(value: float | None, style: str, text: str) -> None:
    assert figure(value, style) == text


@given(SCORES)
def test_ways_to_add_up_and_files_do_not_matter(scores: list[int]) -> None:
    values = [score / 10 for score in scores]
    means = [
        sum(values) / len(values),
        sum(values[::-1]) / len(values),
        float(np.mean(values)),
        json.loads(json.dumps(rounded(float(np.mean(values))))),
    ]
    for style in (".3f", "+.3f", ".4f", ".1%"):
        assert len({figure(mean, style) for mean in means}) == 1


@given(st.floats(0, 1e6))
def test_figures_stay_as_they_are(value: float) -> None:
    assert rounded(rounded(value)) == rounded(value)
