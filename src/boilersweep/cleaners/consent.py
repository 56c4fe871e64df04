"""Consent banners: what asks readers for their consent to cookies, told by names and by words.

Names are those that makers of consent tools give their elements, and names such as `cookie-banner`.
Words are a notice of cookies beside a button such as "Accept all", in eleven languages.
"""

import re

import numpy as np

from boilersweep.cleaners.rules import NamedRule
from boilersweep.features.table import holding, named
from boilersweep.pages.columns import (
    STRUCTURE,
    TEXTS,
    BlockColumns,
    BoolArray,
    IntArray,
    Structure,
    starts_of,
    structure_of,
)
from boilersweep.pages.hints import hinting
from boilersweep.pages.page import ROOT

# Makers' classes and ids, in lower case; `*` is any end.
#
# Sources: the rules of DuckDuckGo's autoconsent (1eb5122b, August 2026) and of Consent-O-Matic
# (55e6df9, October 2025), which name the element of each maker that they look for.
_MAKERS = {
    "Axeptio": "axeptio_*",
    "Borlabs": "borlabscookiebox* _brlbs-* brlbs-cmpnt-dialog*",
    "Cassie": "cassie-cookie-module cassie-pre-banner",
    "Civic": "ccc-module ccc-notify ccc-overlay",
    "Clickio": "cl-consent",
    "Complianz": "cmplz-cookiebanner* cmplz-manage-consent cmplz-soft-cookiewall",
    "consentmanager": "cmpbox cmpbox2 cmpwrapper",
    "Cookie Information": "cookie-information-template-wrapper coioverlay coi-banner* "
    "coiconsentbanner",
    "Cookie Notice, Hu-manity": "cookie-notice hu-wrapper",
    "Cookie Script": "cookiescript_*",
    "CookieFirst": "cookiefirst-root",
    "CookieHub": "ch2-container ch2-dialog",
    "CookieYes": "cky-* cookie-law-info-* cli-modal* cli-popupbar-overlay",
    "Cookiebot": "cybotcookiebotdialog* cookiebotdialog* dtcookie-container",
    "Didomi": "didomi-host didomi-popup* didomi-notice* didomi-consent-popup*",
    "Drupal": "eu-cookie-compliance-* sliding-popup cookiesjsr*",
    "Ensighten": "ensnotifybanner ensmodal",
    "EU Cookie Law": "eu-cookie-law widget_eu_cookie_law_widget pea_cook_*",
    "Evidon": "_evidon* evidon-*",
    "Fides": "fides-banner* fides-modal* fides-overlay*",
    "Funding Choices": "fc-consent-root fc-dialog* fc-choice-dialog",
    "HubSpot": "hs-eu-cookie-*",
    "iubenda": "iubenda-cs-*",
    "Ketch": "ketch-banner ketch-modal lanyard_root",
    "Klaro": "klaro",
    "LiveRamp": "gdpr-consent-tool-wrapper",
    "Moove": "moove_gdpr_* moove-gdpr-*",
    "OneTrust": "onetrust-* ot-pc-* otpccenter optanon-alert-box* optanon-popup*",
    "CookieConsent": "cc--main cc_div",
    "Osano": "osano-cm-* cc-window cc-banner cc-revoke",
    "Pandectes": "pandectes-banner",
    "Piwik PRO": "ppms_cm_*",
    "Quantcast, InMobi": "qc-cmp-* qc-cmp2-*",
    "Shopify": "shopify-pc__*",
    "Sirdata": "sd-cmp",
    "Snigel": "snigel-cmp-framework",
    "Sourcepoint": "sp_message_container* sp_privacy_manager*",
    "tarteaucitron": "tarteaucitron*",
    "Tealium": "__tealium*",
    "TermsFeed": "termsfeed-com---*",
    "Termly": "termly-code-snippet-support",
    "Transcend": "transcend-consent-manager",
    "TrustArc": "truste-consent-* truste_popframe truste_overlay truste_box_overlay "
    "trustarc-banner* trustarc_newcm_container consent_blackbar",
    "Truyo": "truyo-consent-module truyo-cookiebarcontent",
    "UniConsent": "unic-box unic-bar unic-modal",
    "Usercentrics": "usercentrics-* uc-banner-*",
    "WP DSGVO Tools": "sp-dsgvo-popup* sp-dsgvo-privacy-popup*",
}
_NAMES = " ".join(_MAKERS.values()).split()
_EXACT = frozenset(name for name in _NAMES if not name.endswith("*"))
_BEGINNINGS = tuple(name.removesuffix("*") for name in _NAMES if name.endswith("*"))
_WORDS = ("cookie", "consent", "gdpr", "dsgvo")
_HINTS = (*sorted(_EXACT), *_BEGINNINGS, *_WORDS)
_COMMON = re.compile(
    r"(?:[\w-]*[-_])?(?:cookies?|gdpr|dsgvo|consent)[-_]?"
    r"(?:acceptance|alert|banner|bar|box|consent|dialog|disclaimer|hinweis|law|message|modal|"
    r"notice|notification|overlay|panel|popup|prompt|toast|warning)(?:[-_]?"
    r"(?:body|buttons?|container|content|inner|message|root|text|wrap|wrapper))*(?:[-_]?\d+)?"
)

# Elements that hold more than a banner.
_PAGE = (ROOT, "html", "body", "main", "article")
_MOST_WORDS = 250

_NOTICE = re.compile(
    r"\b(?:use|using|store|place|accept|agree|consent|continu|allow|help us|"
    r"verwend|nutz|benutz|einwillig|zustimm|einverstanden|akzeptier|erlaub|"
    r"utilis|recour|consent|poursui|acceptez|dépos|"
    r"utiliz|usamos|usa|acept|continú|"
    r"utilizz|accett|consens|gebruik|plaats|toestemming|akkoord|"
    r"używa|korzyst|wykorzyst|stosuj|akcept|zgod|aceit|"
    r"использу|применя|соглас|принима|χρησιμοποι|αποδέχ|συγκατάθεσ|συμφων)|"
    r"使用|同意|接受|允许",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:accept|agree|allow|reject|decline|deny|refuse|got it|i understand|consent|"
    r"akzeptier|zustimm|einverstanden|ablehn|verstanden|erlaub|zulassen|"
    r"accepte|autoris|refus|j'ai compris|acept|rechaz|permit|entendid|de acuerdo|"
    r"accett|rifiut|ho capito|akkoord|toestaan|accepteer|weiger|"
    r"akcept|zgadzam|zgoda|odrzu|rozumiem|zezw|aceit|recus|rejeit|"
    r"принять|принима|соглас|отклон|понятно|разреш|αποδοχ|αποδέχ|συμφων|απόρριψ|κατάλαβα|επιτρ|"
    r"ok\b|okay\b|хорошо\b)|接受|同意|拒绝|允许|知道了|确定",
    re.IGNORECASE,
)
_NOTICE_WORDS, _CHOICE_WORDS = range(5, 151), 5


class Consent(NamedRule):
    """Keeps consent banners: elements of makers and of such names, and small ones of such words."""

    name = "consent"
    summary = "banners that ask for consent to cookies"
    source = "boilersweep; names from autoconsent and Consent-O-Matic"
    needs = STRUCTURE | TEXTS

    def mask(self, columns: BlockColumns) -> BoolArray:
        """Return (m,) True for every block of a banner."""
        structure = structure_of(columns, self)
        chosen = _with_names(structure)
        chosen[_with_words(columns, structure)] = True
        if not chosen.any():
            return np.zeros(len(columns.words), dtype=bool)
        return holding(structure, chosen & ~named(structure, _PAGE), len(columns.words))


def _with_names(structure: Structure) -> BoolArray:
    """Return (e,) True for the elements whose classes and ids are those of a banner."""
    chosen = np.zeros(len(structure.mark_list), dtype=bool)
    for place in hinting(structure.mark_list, _HINTS):
        names = structure.mark_list[place].lower().split()
        chosen[place] = any(map(_is_banner, names))
    banners: BoolArray = chosen[structure.marks]
    return banners


def _is_banner(name: str) -> bool:
    is_makers = name in _EXACT or name.startswith(_BEGINNINGS)
    return is_makers or _COMMON.fullmatch(name) is not None


def _with_words(columns: BlockColumns, structure: Structure) -> list[int]:
    """Return the innermost small element around each notice of cookies and a choice."""
    notices = [
        block
        for block in hinting(columns.texts, ("ookie", "уки", "ciastecz"))
        if (
            "ookie" in (text := columns.texts[block])
            or "OOKIE" in text
            or "уки" in text
            or "ciastecz" in text
        )
        and int(columns.words[block]) in _NOTICE_WORDS
        and _NOTICE.search(text)
    ]
    if not notices:
        return []
    words = starts_of(columns.words)
    banners = (
        _around(int(structure.elements[block]), columns, structure, words)
        for block in notices
    )
    return [element for element in banners if element is not None]


def _around(
    element: int, columns: BlockColumns, structure: Structure, words: IntArray
) -> int | None:
    """Return the first one of an element and its ancestors that holds a choice, if it is small."""
    while True:
        first, end = structure.first[element], structure.end[element]
        if words[end] - words[first] > _MOST_WORDS:
            return None
        for block in range(first, end):
            if columns.words[block] <= _CHOICE_WORDS and _CHOICE.search(
                columns.texts[block]
            ):
                return element
        parent = int(structure.parents[element])
        if parent == element:
            return None
        element = parent
