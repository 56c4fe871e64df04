from hypothesis import given
from hypothesis import strategies as st

from boilersweep.features.table import mark_words
from boilersweep.pages.columns import structure_of
from tests.features.conftest import cut

NAMES = st.text(st.sampled_from("ab ΑΣ-")) | st.sampled_from(["Comments", "x comment"])


@given(st.lists(NAMES, max_size=4), st.sets(st.sampled_from(["a", "ας", "comment"])))
def test_elements_that_have_one_of_some_words(
    classes: list[str], wanted: set[str]
) -> None:
    columns = cut(*[f'<div class="{name}">x<p>y</div>' for name in classes], "<p>x")
    structure = structure_of(columns, "a rule")
    words = mark_words(columns, structure)
    assert mark_words(columns, structure) is words
    names = [name for name in words.distinct if name in wanted]
    assert words.marked(structure, names).tolist() == [
        not wanted.isdisjoint(structure.mark_list[mark].lower().split())
        for mark in structure.marks.tolist()
    ]
