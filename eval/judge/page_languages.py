"""The languages of judged pages: the dataset's own, else read in the gold text, else declared."""

from boilersweep.eval.judge.datasets import Dataset, JudgedPage
from boilersweep.pages.language import UNKNOWN, declared_language, language_of

LEAST_PAGES = 10
"""The least number of pages of a language with its own scores."""


def page_languages(dataset: Dataset) -> list[str]:
    """(n,) languages as of `boilersweep.pages.language`. Raises InputError for a lost page."""
    return [_language(page) for page in dataset.pages]


def _language(page: JudgedPage) -> str:
    if page.language:
        return page.language
    found = language_of(page.gold.splitlines() or page.wanted)
    if found.certainty is not None:
        return found.language
    return declared_language(page.utf8) or UNKNOWN


def frequent(languages: list[str]) -> list[str]:
    """The languages of at least LEAST_PAGES pages, the most frequent first."""
    counts = {one: languages.count(one) for one in sorted(set(languages) - {UNKNOWN})}
    return sorted((one for one in counts if counts[one] >= LEAST_PAGES), key=lambda k: -counts[k])
