"""Hosts and what was registered of them."""

import pytest

from boilersweep.pages.metadata_values import domain_of, host_of


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://www.Pony.example:80/x", "pony.example"),
        ("https://news.pony.example", "news.pony.example"),
        ("http://[", ""),
        ("pony", ""),
        ("", ""),
    ],
)
def test_hosts(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("site", "domain"),
    [
        ("news.pony.example", "pony.example"),
        ("a.b.pony.co.uk", "pony.co.uk"),
        ("pony.com.au", "pony.com.au"),
        ("co.uk", "co.uk"),
        ("un.org", "un.org"),
        ("192.168.0.1", "192.168.0.1"),
        ("localhost", "localhost"),
        ("", ""),
    ],
)
def test_domains(site: str, domain: str) -> None:
    assert domain_of(site) == domain
