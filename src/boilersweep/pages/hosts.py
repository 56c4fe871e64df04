"""Hosts of pages, and what was registered of them."""

from urllib.parse import urlsplit

_SECOND_LEVEL = frozenset("ac co com edu gov ltd me mil net nom org plc sch".split())


def host_of(url: str) -> str:
    """Return the host of an address in lower case without "www.", "" without any."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:  # such as an unclosed [ of IPv6
        return ""
    return host.removeprefix("www.")


def domain_of(site: str) -> str:
    """Return what was registered of a host: two labels, three under the likes of co.uk and com.au.

    A guess without the Public Suffix List; where it is wrong, sites are joined, never split.
    """
    labels = site.split(".")
    if len(labels) < 2 or site.replace(".", "").isdigit():
        return site
    three = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3:] if three else labels[-2:])
