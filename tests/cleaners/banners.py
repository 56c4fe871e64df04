"""44 short made-up pages with consent banners: four banners in each of eleven languages."""

# ruff: noqa: RUF001

from collections.abc import Iterator

# Language -> a headline, an article, a notice of cookies, accept, reject.
TEXTS = {
    "en": (
        "New bridge opens",
        "The town opened its new bridge on Monday after four years of work. Cyclists use it, too.",
        "We and our partners use cookies to show you personalised content and to measure our site.",
        "Accept all",
        "Reject all",
    ),
    "de": (
        "Neue Brücke eröffnet",
        "Die Stadt hat am Montag nach vier Jahren Bauzeit ihre neue Brücke eröffnet.",
        "Wir verwenden Cookies, um Inhalte zu personalisieren und Zugriffe zu messen.",
        "Alle akzeptieren",
        "Ablehnen",
    ),
    "fr": (
        "Un nouveau pont",
        "La ville a inauguré lundi son nouveau pont après quatre ans de travaux.",
        "Nous utilisons des cookies pour personnaliser les contenus et mesurer l'audience.",
        "Tout accepter",
        "Tout refuser",
    ),
    "es": (
        "Abre el nuevo puente",
        "La ciudad inauguró el lunes su nuevo puente después de cuatro años de obras.",
        "Utilizamos cookies propias y de terceros para mostrar contenidos y medir el uso.",
        "Aceptar todo",
        "Rechazar",
    ),
    "it": (
        "Apre il nuovo ponte",
        "La città ha inaugurato lunedì il suo nuovo ponte dopo quattro anni di lavori.",
        "Utilizziamo i cookie per personalizzare i contenuti e misurare le visite al sito.",
        "Accetta tutti",
        "Rifiuta",
    ),
    "nl": (
        "Nieuwe brug open",
        "De stad heeft maandag na vier jaar werk haar nieuwe brug geopend.",
        "Wij gebruiken cookies om inhoud aan te passen en het bezoek aan deze site te meten.",
        "Alles accepteren",
        "Weigeren",
    ),
    "pt": (
        "Abre a nova ponte",
        "A cidade inaugurou na segunda-feira a sua nova ponte depois de quatro anos de obras.",
        "Este site utiliza cookies para personalizar os conteúdos e medir as visitas.",
        "Aceitar todos",
        "Recusar",
    ),
    "pl": (
        "Otwarto nowy most",
        "Miasto otworzyło w poniedziałek nowy most po czterech latach budowy.",
        "Używamy plików cookie, aby dopasować treści i mierzyć ruch na naszej stronie.",
        "Akceptuję wszystkie",
        "Odrzucam",
    ),
    "ru": (
        "Открыт новый мост",
        "Город открыл в понедельник новый мост после четырёх лет строительства.",
        "Мы используем файлы cookie, чтобы показывать нужное и считать посещения сайта.",
        "Принять все",
        "Отклонить",
    ),
    "el": (
        "Άνοιξε η νέα γέφυρα",
        "Η πόλη εγκαινίασε τη Δευτέρα τη νέα γέφυρά της μετά από τέσσερα χρόνια εργασιών.",
        "Χρησιμοποιούμε cookies για να προσαρμόζουμε το περιεχόμενο και να μετράμε τις επισκέψεις.",
        "Αποδοχή όλων",
        "Απόρριψη",
    ),
    "zh": (
        "新桥通车",
        "这座城市的新桥经过四年建设,于星期一正式通车。",
        "我们使用 Cookie 来个性化内容并统计网站的访问情况。",
        "全部接受",
        "拒绝",
    ),
}

# The makers of banners as they mark them, and one without a name.
BANNERS = (
    "<div id=onetrust-consent-sdk><div id=onetrust-banner-sdk role=region><div "
    "id=onetrust-policy-text>{0}</div><div id=onetrust-button-group><button>{1}</button> "
    "<button>{2}</button></div></div></div>",
    "<div id=CybotCookiebotDialog><div><p>{0}</p><a id=CybotCookiebotDialogBodyButtonAccept "
    "href=#>{1}</a> <a href=#>{2}</a></div></div>",
    "<section class='site-cookie-banner'><p>{0}</p><p><button>{1}</button></p></section>",
    "<div class=xk7><div><p>{0}</p></div><div><button>{1}</button> <button>{2}</button></div>"
    "</div>",
)


def pages() -> Iterator[tuple[str, str, list[str], list[str]]]:
    """Yield the name of each page, its HTML, the blocks of its article, and its banner's texts."""
    for language, (headline, article, *banner) in TEXTS.items():
        for number, markup in enumerate(BANNERS):
            html = (
                f"<!doctype html><html lang={language}><title>{headline}</title><body>"
                "<nav><a href=a>A</a> <a href=b>B</a></nav>"
                f"<div class=page><h1>{headline}</h1><p>{article}</p></div>"
                f"{markup.format(*banner)}<footer>© 2026</footer></body></html>"
            )
            yield f"{language}-{number}", html, [headline, article], banner
