"""Consent banners, by hand: names of makers, common names, words, and what is no banner."""

import pytest

from boilersweep.cleaners.consent import Consent
from boilersweep.cleaners.syntax.grammar import parse_rule
from tests.cleaners.banners import pages
from tests.cleaners.conftest import Kept

NOTICE = "<p>We use cookies to measure the use of this site.</p>"
NAMES = (
    "id=onetrust-banner-sdk",
    "id=CybotCookiebotDialog",
    "id=didomi-host",
    "class='qc-cmp2-container x'",
    "id=usercentrics-root",
    "id=sp_message_container_733",
    "id=iubenda-cs-banner",
    "id=truste-consent-track",
    "class=cmplz-cookiebanner",
    "id=BorlabsCookieBox",
    "class=osano-cm-window",
    "class=cky-consent-container",
    "class=cookie-bar",
    "id=js-cookieNotice",
    "class='shop__cookie-consent-wrapper'",
    "class=gdpr_popup-2",
)


@pytest.mark.parametrize("name", NAMES)
def test_names(kept: Kept, name: str) -> None:
    page = f"<p>a</p><div {name}><p>b</p><ul><li>c</ul></div><p>d</p>"
    assert kept(Consent(), page, "<p>e</p>") == [["b", "c"], []]


@pytest.mark.parametrize(
    "page",
    [
        # On the whole page such names say that it has a banner, or had one.
        f"<body class=cookie-notice><p>a</p>{NOTICE}</body>",
        "<main class=cookie-bar><p>a</p></main>",
        "<div class=cookies-not-set><p>a</p></div><div class=cookie-recipe><p>b</p></div>",
        # A notice without a choice, as in privacy policies.
        f"<div><h2>Cookies</h2>{NOTICE}<p>You may delete them.</p></div>",
        # Cookies to eat, and a choice that is far away.
        "<div><p>Mix the dough for the cookies with care.</p><button>OK</button></div>",
        f"<div>{NOTICE}<p>{'word ' * 250}</p><button>OK</button></div>",
        f"<body>{NOTICE}<p>a</p><button>Accept</button></body>",
        f"<article>{NOTICE}<p>a</p><p>Accept all</p></article>",
    ],
)
def test_no_banners(kept: Kept, page: str) -> None:
    assert kept(Consent(), page) == [[]]


@pytest.mark.parametrize(("name", "html", "article", "banner"), list(pages()))
@pytest.mark.application("learned")
def test_short_pages(
    kept: Kept, name: str, html: str, article: list[str], banner: list[str]
) -> None:
    [found] = kept(Consent(), html)
    assert all(text in " ".join(found) for text in banner[: 2 if "-2" in name else 3])
    assert not {*article, "A B", "© 2026"} & {*found}
    [rest] = kept(parse_rule("!consent"), html)
    assert rest == ["A B", *article, "© 2026"]
    # `learned` keeps the article, and nothing of the banner.
    [learned] = kept(parse_rule("learned"), html)
    assert article[1] in learned
    assert not set(found) & set(learned)
