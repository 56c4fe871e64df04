"""Cleaners keep the same blocks of a page whether or not its script puts spaces between words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.pages.columns import BlockColumns, columns_of
from boilersweep.pages.segmenter import Segmenter
from boilersweep.pages.words import ESTIMATED, dictionary

WORDS = {
    "Chinese": ("世界", "经济", "我们", "问题", "社会"),
    "Japanese": ("世界", "テレビ", "経済", "ニュース", "問題"),
    "Thai": ("ประเทศ", "โรงเรียน", "หนังสือ", "ภาษา", "อาหาร"),
    "Khmer": ("សាលារៀន", "សៀវភៅ", "ប្រទេស", "ភាសា", "អាហារ"),
    "Burmese": ("ကျောင်း", "စာအုပ်", "သစ်ပင်", "မိုး", "စားပွဲ"),
}


ENGLISH = ("world", "lesson", "we", "question", "people")
CLEANERS = ("words>=11", "bte", "numwords-rules", "words>=11 & link_density<=0.33")


paragraphs = st.lists(
    st.tuples(
        st.sampled_from(["p", "li", "h2", "div"]),
        st.lists(st.integers(0, len(ENGLISH) - 1), min_size=1, max_size=40),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


def columns(
    found: list[tuple[str, list[int], bool]], words: tuple[str, ...]
) -> BlockColumns:
    """Return the blocks of a page.

    Args:
        words: The number of words.
        found: Elements with the numbers of their words, linked or not.
    """
    space = " " if words is ENGLISH else ""
    html = ""
    for tag, numbers, linked in found:
        text = space.join(words[number] for number in numbers)
        html += (
            f"<{tag}>" + (f"<a href='x'>{text}</a>" if linked else text) + f"</{tag}>"
        )
    return columns_of(["page"], [Segmenter(structure=True).html(html.encode())])


@pytest.mark.skipif(dictionary() == ESTIMATED, reason="icu4py is not installed")
@pytest.mark.parametrize("language", WORDS)
@settings(deadline=None, max_examples=40)
@given(found=paragraphs)
def test_the_same_blocks_stay(
    language: str, found: list[tuple[str, list[int], bool]]
) -> None:
    english, other = columns(found, ENGLISH), columns(found, WORDS[language])
    assert other.words.tolist() == english.words.tolist()
    assert other.link_words.tolist() == english.link_words.tolist()
    for cleaner in map(parse_rule, CLEANERS):
        assert cleaner.mask(other).tolist() == cleaner.mask(english).tolist()
