"""Settings of other tools that correspond to cleaners."""

import pytest

from boilersweep import parse_cleaner
from boilersweep.cleaners.language.grammar import elsewhere


@pytest.mark.parametrize(
    ("cleaner", "sentences"),
    [
        ("words>=16", ["words>=16 elsewhere: crawl4ai's word_count_threshold=16"]),
        ("words>=2.5", []),
        ("words<=16", []),
        ("density>=10", []),
        ("words>=16 & link_density<=0.33", []),
        ("learned", []),
        ("trafilatura", ["trafilatura elsewhere: trafilatura.extract(html)"]),
        (
            "trafilatura-fast",
            ["trafilatura-fast elsewhere: trafilatura.extract(html, fast=True)"],
        ),
    ],
)
def test_settings(cleaner: str, sentences: list[str]) -> None:
    assert elsewhere(parse_cleaner(cleaner)) == sentences
