"""Texts as they may be shown: without secrets of URLs, control characters escaped."""

import re

# The beginning of a URL; pathlib writes one slash. One letter is a drive.
_SCHEME = r"\b[a-z][a-z0-9+.-]+:/{1,2}"
# A user before a host; a password may have a slash, but a port has digits. Azure's containers are
# no users.
_USER = re.compile(
    rf"(?!abfss?:|wasbs?:)({_SCHEME})"
    r"(?:[^\s/?#\"<>]*@|[^\s/?#@:]+:(?!\d*(?:[/?#\s]|$))[^\s@]*@)",
    re.I,
)
_QUERY = re.compile(rf"({_SCHEME}[^\s?#\"<>]*)\?([^\s#\"'<>`]*[^\s#\"'<>`;,.)])", re.I)
_SIGNATURE = re.compile(
    r"(?<!de)sig(?!nal|ht)|token|secret|passw|pwd|cred|auth(?!or)|key(?!w)|policy|hmac|jwt|session|"
    r"access_?id|^x-(?:amz|goog|ms|oss|cos|obs)-",
    re.I,
)
# All but tabs and line breaks; and what reverses the order of the characters behind it.
_CONTROL = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def without_secrets(text: object) -> str:
    """Return a location or a message with the users, passwords and signatures of URLs left out."""
    return _QUERY.sub(_unsigned, _USER.sub(r"\1", str(text)))


def printable(text: object) -> str:
    """Return a message as a terminal may show it: without secrets, its control characters escaped.

    Names of files, and texts of pages, may hold sequences that a terminal obeys.
    """
    return _CONTROL.sub(lambda one: ascii(one[0])[1:-1], without_secrets(text))


def _unsigned(url: re.Match[str]) -> str:
    """Return a URL without the parts of its query that sign it or let somebody in."""
    parts = re.split("[&;]", url[2])
    kept = [part for part in parts if not _SIGNATURE.search(part.partition("=")[0])]
    query = url[2] if kept == parts else "&".join(kept)
    return f"{url[1]}{'?' * bool(query)}{query}"
