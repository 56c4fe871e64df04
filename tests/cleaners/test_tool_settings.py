"""Settings of crawlers: what each leaves of a page, and how an answer names it."""

import pytest

from boilersweep.cleaners.syntax.grammar import elsewhere, parse_rule
from tests.cleaners.conftest import Kept

PAGE = (
    "<header>a</header><aside>b</aside><form>c</form><div class=menu>d</div>"
    "<div class=overlay><p>e</p><div id=main>f</div></div><div role=search>g</div>"
    "<p>one two three four five six seven eight nine ten</p>"
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("elastic", "b c d e f g"),
        ("fess", "c d e f g"),
        ("firecrawl", "c e f g"),
        ("landmarks", "c d e f"),
        ("crawl4ai", ""),
    ],
)
def test_what_is_left(kept: Kept, name: str, expected: str) -> None:
    last = "one two three four five six seven eight nine ten"
    assert kept(parse_rule(name), PAGE, "") == [[*expected.split(), last], []]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fess", ["The setting of fess is crawler.document.html.pruned.tags="]),
        ("!inside('header,  footer, nav')", ["The setting of elastic is exclude_tags"]),
        ("!inside('header')", []),
        ("crawl4ai", ["The setting of crawl4ai is excluded_tags=["]),
    ],
)
def test_a_setting_is_named_to_copy(text: str, expected: list[str]) -> None:
    found = elsewhere(parse_rule(text))
    assert len(found) == len(expected)
    assert all(a.startswith(b) for a, b in zip(found, expected, strict=True))
