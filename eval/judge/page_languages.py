"""The languages of judged pages: the dataset's, else the gold text's, else the declared one."""

from collections import Counter

from boilersweep.eval.judge.datasets import Dataset, JudgedPage
from boilersweep.pages.language import UNKNOWN, declared_language, language_of

# The least number of pages of a language with its own scores.
LEAST_PAGES = 10


def page_languages(dataset: Dataset) -> list[str]:
    """Return (n,) languages as of `boilersweep.pages.language`; raises InputError."""
    return [_language(page) for page in dataset.pages]


def _language(page: JudgedPage) -> str:
    if page.language:
        return page.language
    found = language_of(page.gold.splitlines() or page.wanted)
    if found.certainty is not None:
        return found.language
    return declared_language(page.utf8) or UNKNOWN


def frequent(languages: list[str]) -> list[str]:
    """Return the languages of at least LEAST_PAGES pages, the most frequent first."""
    counts = Counter(sorted(language for language in languages if language != UNKNOWN))
    return [language for language, count in counts.most_common() if count >= LEAST_PAGES]
