"""Settings of other tools that correspond to cleaners."""

import pytest

from boilersweep import parse_cleaner
from boilersweep.cleaners.syntax.grammar import elsewhere


@pytest.mark.parametrize(
    ("cleaner", "sentences"),
    [
        (
            "words>=16",
            [
                "crawl4ai keeps text similar to that of words>=16 with word_count_threshold=16; "
                "it cuts pages differently"
            ],
        ),
        ("words>=2.5", []),
        ("words<=16", []),
        ("density>=10", []),
        ("words>=16 & link_density<=0.33", []),
        pytest.param("learned", [], marks=pytest.mark.application("learned")),
        (
            "trafilatura",
            ["Without boilersweep trafilatura is trafilatura.extract(html)"],
        ),
        (
            "trafilatura-fast",
            [
                "Without boilersweep trafilatura-fast is trafilatura.extract(html, fast=True)"
            ],
        ),
    ],
)
def test_settings(cleaner: str, sentences: list[str]) -> None:
    assert elsewhere(parse_cleaner(cleaner)) == sentences
