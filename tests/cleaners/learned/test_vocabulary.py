import pytest

from boilersweep.cleaners.learned.vocabulary import (
    ENCLOSING,
    MARKS,
    TAGS,
    enclosing_bits,
    mark_bits,
    mark_kinds,
    tag_places,
)


def groups(marks: str) -> set[str]:
    bits = mark_bits([marks])[0][0]
    return {name for place, name in enumerate(MARKS) if bits >> place & 1}


def kinds(bits: int) -> set[str]:
    return {name for place, name in enumerate(ENCLOSING) if bits >> place & 1}


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("mainNav", {"main", "navigation"}),
        ("post-comments_12", {"article", "comment"}),
        ("SIDEBAR", {"side"}),
        ("widgets", {"container"}),  # the plural of a word that is there
        ("xyz", set()),
    ],
)
def test_tokens_are_cut_where_their_words_end(mark: str, expected: set[str]) -> None:
    assert groups(mark) == expected


@pytest.mark.parametrize(
    ("mark", "expected"),
    [("role=navigation", {"nav"}), ("menu hidden", {"hidden"}), ("role=none", set())],
)
def test_roles_and_hidden_are_kinds_of_elements(mark: str, expected: set[str]) -> None:
    assert kinds(mark_bits([mark])[1][0]) == expected


def test_names_of_elements() -> None:
    assert kinds(enclosing_bits(["h3"])[0]) == {"heading"}
    assert kinds(enclosing_bits(["div"])[0]) == set()
    assert tag_places(["p", "blink"]).tolist() == [TAGS.index("p"), len(TAGS)]


def test_numbers_in_marks_do_not_tell_them_apart() -> None:
    one, two, other = mark_kinds(["comment-12", "comment-7", "comment"])
    assert one == two != other
