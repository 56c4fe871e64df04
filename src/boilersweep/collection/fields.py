"""The small fields of a record: docids and the values of Content-Type headers."""

import re

_MEDIA_TYPE = re.compile(r"""[\s"']*([\w.+-]+/[\w.+-]+)""", re.ASCII)
_CHARSET = re.compile(r"""(?<![\w-])charset\s*=[\s"']*([^\s"';,<>]+)""", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_HTML = frozenset({"text/html", "application/xhtml+xml"})


def decoded(value: bytes) -> str:
    """A field as text: UTF-8, else Latin-1, stripped of surrounding white space."""
    try:
        return value.decode("utf-8").strip()
    except UnicodeDecodeError:
        return value.decode("latin-1").strip()


def without_surrogates(text: str) -> str:
    """A text without lone surrogates, which JSON can escape and UTF-8 cannot hold."""
    try:
        text.encode()  # quicker than to look for one
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def utf8(text: str) -> bytes:
    """A text in UTF-8, lone surrogates replaced."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return without_surrogates(text).encode()


def media_type(content_type: str) -> str | None:
    """The `type/subtype` of a Content-Type header in lower case, None if there is none in it."""
    match = _MEDIA_TYPE.match(content_type)
    return match[1].lower() if match else None


def names_html(content_type: str | None) -> bool:
    """Whether a Content-Type header allows HTML; one that is absent or unparsable does."""
    media = media_type(content_type or "")
    return media is None or media in _HTML


def charset_of(content_type: str | None) -> str | None:
    """The charset a Content-Type header names, as it spells it; None if it names none."""
    match = _CHARSET.search(content_type or "")
    return match[1] if match else None
