"""What a word is, with spaces and without, and what is counted of it."""

# ruff: noqa: RUF001 (characters of other scripts look like ours)

import re
import sys
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.pages import words
from boilersweep.pages.page import Page
from boilersweep.pages.segmenter import Segmenter
from boilersweep.pages.words import (
    ESTIMATED,
    UNSPACED,
    count_words,
    dictionary,
    has_unspaced,
    is_word,
    letter_runs,
    measured,
    text_density,
    tokens,
    word_spans,
)

# The first article of the Universal Declaration of Human Rights.
ARTICLES = {
    "English": "All human beings are born free and equal in dignity and rights. They are endowed "
    "with reason and conscience and should act towards one another in a spirit of brotherhood.",
    "Chinese": "人人生而自由，在尊严和权利上一律平等。"
    "他们赋有理性和良心，并应以兄弟关系的精神相对待。",
    "Japanese": "すべての人間は、生まれながらにして自由であり、"
    "かつ、尊厳と権利とについて平等である。"
    "人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。",
    "Thai": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ "
    "ต่างมีเหตุผลและมโนธรรม และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ",
    "Lao": "ມະນຸດທຸກຄົນເກີດມາມີອິດສະຫຼະພາບ ແລະ ສະເໝີໜ້າກັນໃນທາງກຽດຕິສັກ ແລະ ສິດ. "
    "ມະນຸດມີສະຕິສຳປັດຊັນຍະ(ຮູ້ດີຮູ້ຊົ່ວ) ແລະ ມີມະໂນທຳ ຈຶ່ງຕ້ອງປະພຶດຕົນຕໍ່ກັນໃນທາງພີ່ນ້ອງ.",
    "Khmer": "មនុស្សទាំងអស់ កើតមកមានសេរីភាព និងសមភាព ក្នុងផ្នែកសេចក្ដីថ្លៃថ្នូរ និងសិទ្ធិ។ មនុស្ស "
    "មានវិចារណញ្ញាណ និងសតិសម្បជញ្ញៈជាប់ពីកំណើត ហើយគប្បីប្រព្រឹត្ដចំពោះគ្នាទៅវិញទៅមក "
    "ក្នុងស្មារតីភាតរភាពជាបងប្អូន។",
    "Burmese": "လူတိုင်းသည် တူညီ လွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် လည်းကောင်း၊ တူညီလွတ်လပ်သော "
    "အခွင့်အရေးများဖြင့် လည်းကောင်း၊ မွေးဖွားလာသူများ ဖြစ်သည်။ ထိုသူတို့၌ ပိုင်းခြား ဝေဖန်တတ်သော "
    "ဉာဏ်နှင့် ကျင့်ဝတ် သိတတ်သော စိတ်တို့ရှိကြ၍ ထိုသူတို့သည် အချင်းချင်း မေတ္တာထား၍ ဆက်ဆံကျင့်သုံးသင့်၏။",
    "Korean": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. "
    "인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.",
}
HOSTILE = [
    *[
        "a",
        "b",
        "1",
        " ",
        "  ",
        "\n",
        "\u3000",
        "|",
        ".",
        "。",
        "，",
        "-",
        "_",
        "é",
        "я",
        "한",
        "글",
    ],
    *[
        "中",
        "文",
        "𠀀",
        "あ",
        "ア",
        "ー",
        "ｶ",
        "ﾞ",
        "ก",
        "ั",
        "ຂ",
        "່",
        "ក",
        "្",
        "က",
        "္",
        "฿",
        "។",
    ],
    *[
        "\u200b",
        "\u200c",
        "\u200d",
        "\ufe0f",
        "\U000e0100",
        "\u0301",
        "😀",
        "👩\u200d👧",
        "x" * 255,
    ],
    "\ud800",
]
hostile_texts = st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=40).map("".join)
dictionaries = pytest.mark.skipif(
    dictionary() == ESTIMATED, reason="icu4py is not installed"
)


@pytest.fixture
def without_dictionary(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
    words._breaker.cache_clear()
    yield
    words._breaker.cache_clear()


def of(text: str) -> list[str]:
    return [text[start:end] for start, end in word_spans(text)]


@given(st.text().filter(lambda text: not has_unspaced(text)))
def test_with_spaces_words_are_tokens_of_a_letter_or_digit(text: str) -> None:
    assert of(text) == list(filter(is_word, text.split()))
    assert count_words(text) == len(of(text))
    assert tokens(text) == text.split()
    assert letter_runs(text) == re.findall(r"\w+", text)


@dictionaries
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我们喜欢苹果。", "我们|喜欢|苹果"),
        ("繁體中文網站", "繁體|中文|網站"),
        ("コンピューターを使う", "コンピューター|を|使う"),
        ("ｺﾝﾋﾟｭｰﾀｰ", "ｺﾝﾋﾟｭｰﾀｰ"),
        ("ภาษาไทย", "ภาษา|ไทย"),
        ("ภาษาไทย ๒๕๖๐", "ภาษา|ไทย|๒๕๖๐"),
        ("ປະເທດລາວ", "ປະເທດ|ລາວ"),
        ("ប្រទេសកម្ពុជា", "ប្រទេស|កម្ពុជា"),
        ("မြန်မာနိုင်ငံသည်", "မြန်မာနိုင်ငံ|သည်"),
        ("대한민국의 수도", "대한민국의|수도"),
        # What stands between stretches is a token, with what is attached to it.
        (
            "用Python的人，(state-of-the-art)！",
            "用|Python|的|人|，(state-of-the-art)！",
        ),
        ("2011年12月9日", "2011|年|12|月|9|日"),
        ("a | 中文 — b", "a|中文|b"),
        # Marks, joiners and invisible spaces.
        ("ไทย\u200bแลนด์", "ไทย|แลนด์"),
        ("中文\u3000中文", "中文|中文"),
        ("葛\U000e0100城", "葛\U000e0100|城"),
        ("𠀀中文😀", "𠀀|中文"),
        ("フォント・ファミリー", "フォント|ファミリー"),
        ("x" * 255 + "中", "x" * 255 + "|中"),
    ],
)
def test_words_of_scripts_without_spaces(text: str, expected: str) -> None:
    assert of(text) == expected.split("|")


@dictionaries
def test_tokens_and_runs_of_letters_are_those_words_too() -> None:
    text = "Hello, world! | 我们喜欢，state-of-the-art ก็_a"
    assert tokens(text) == [
        "Hello,",
        "world!",
        "|",
        "我们",
        "喜欢",
        "，state-of-the-art",
        "ก็",
        "_a",
    ]
    assert letter_runs(text) == (
        ["Hello", "world", "我们", "喜欢", "state", "of", "the", "art", "ก็", "_a"]
    )


@given(hostile_texts)
def test_every_letter_stands_in_one_word_whatever_comes(text: str) -> None:
    spans = word_spans(text)
    ends = [0, *(place for span in spans for place in span), len(text)]
    assert ends == sorted(ends)
    assert all(
        is_word(text[start:end]) and len(text[start:end].split()) == 1
        for start, end in spans
    )
    within = {place for span in spans for place in range(*span)}
    assert all(place in within for place, letter in enumerate(text) if letter.isalnum())
    assert count_words(text) == len(spans)
    for token in tokens(text):
        assert is_word(token) or not has_unspaced(token)
    assert [one for one in tokens(text) if is_word(one)] == [
        text[a:b] for a, b in spans
    ]


@given(hostile_texts)
def test_a_text_is_cut_alike_with_others_and_alone(text: str) -> None:
    text = " ".join(text.split())
    if has_unspaced(text) and is_word(text.replace(" ", "")):
        counts, density, _ = measured(["中文 a", text, text], [[], [], []])
        assert counts[1:] == [count_words(text)] * 2
        assert density[1:] == measured([text], [[]])[1] * 2


@given(st.lists(st.text("ab|é", min_size=1, max_size=90), min_size=1, max_size=60))
def test_lines_are_those_of_equation_1_where_words_have_spaces(
    pieces: list[str],
) -> None:
    found = list(filter(is_word, pieces))
    if found:
        counts, density, _ = measured([" ".join(pieces)], [[]])
        assert (counts[0], density[0]) == (
            len(found),
            text_density(" ".join(found), len(found)),
        )


@given(hostile_texts, st.lists(st.integers(0, 400), max_size=6))
def test_a_word_is_linked_if_a_part_of_it_is(text: str, places: list[int]) -> None:
    text = " ".join(text.split())
    if not text or not is_word(text.replace(" ", "")):
        return
    borders = sorted(min(place, len(text)) for place in places)
    ends = [*borders, len(text)] if len(borders) % 2 else borders
    linked = {
        at for a, b in zip(ends[::2], ends[1::2], strict=True) for at in range(a, b)
    }
    expected = sum(not linked.isdisjoint(range(*span)) for span in word_spans(text))
    assert measured([text], [borders])[2] == [expected]


@dictionaries
def test_a_line_holds_as_much_text_in_every_script() -> None:
    held = {
        language: Segmenter().html(f"<p>{' '.join([text] * 8)}".encode()).density[0]
        for language, text in ARTICLES.items()
    }
    del held["Korean"]  # has spaces, and is counted as it was
    assert all(10.5 < density < 16 for density in held.values()), held


@dictionaries
@pytest.mark.parametrize(
    "language", [one for one in ARTICLES if one not in ("English", "Korean")]
)
def test_an_estimate_is_near_the_dictionary(
    language: str, request: pytest.FixtureRequest
) -> None:
    known = count_words(ARTICLES[language])
    request.getfixturevalue("without_dictionary")
    assert dictionary() == ESTIMATED
    assert 0.7 < count_words(ARTICLES[language]) / known < 1.4


@pytest.mark.usefixtures("without_dictionary")
@given(hostile_texts)
def test_without_a_dictionary_every_letter_stands_in_a_word_too(text: str) -> None:
    spans = word_spans(text)
    within = {place for span in spans for place in range(*span)}
    assert all(place in within for place, letter in enumerate(text) if letter.isalnum())
    assert sum(end - start for start, end in spans) == len(within)


@pytest.mark.usefixtures("without_dictionary")
def test_without_a_dictionary_a_stretch_has_a_word_for_so_many_columns() -> None:
    assert of("我们喜欢苹果 a 中") == ["我们", "喜", "欢苹", "果", "a", "中"]
    assert of("ภาษาไทย") == ["ภาษา", "ไทย"]


@pytest.mark.parametrize("letter", ["中", "ア", "ก", "က", "ក", "𠀀", "中\ufe0f"])
def test_a_megabyte_without_a_break_takes_little_time(letter: str) -> None:
    text = letter * (10**6 // len(letter.encode()))
    begin = time.process_time()
    page: Page = Segmenter().html(f"<p>{text}".encode())
    assert page.words[0] > 10_000
    assert time.process_time() - begin < 10


def test_the_ranges_are_of_letters_marks_and_digits_and_do_not_overlap() -> None:
    ends = [place for span in UNSPACED for place in span]
    assert ends == sorted(ends)
    assert not any(
        chr(code).isspace()
        for first, last in UNSPACED
        for code in range(first, last + 1)
    )
    for spaced in "aéя한글1١अآ.，。「・฿។၊\u200b\u3000":
        assert not has_unspaced(spaced), spaced
