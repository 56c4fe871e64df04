"""What is shown of locations and messages: neither secrets nor what a terminal obeys."""

import pickle

import pytest

from boilersweep import UsageError
from boilersweep.redaction import printable, without_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://user:geheim@host/p?x=1", "http://host/p?x=1"),
        ("https://geheim@host/p", "https://host/p"),
        ("ftp://user:ge:h@eim@host:21/p", "ftp://host:21/p"),
        ("s3://AKIA:ge/he/im@bucket/pages", "s3://bucket/pages"),
        ("simplecache::https://u:geheim@[::1]:80/p", "simplecache::https://[::1]:80/p"),
        ("http:/u:geheim@host/p", "http:/host/p"),  # as pathlib writes it
        ("HTTPS://U:geheim@HOST/p", "HTTPS://HOST/p"),
        ("https://h/p?X-Amz-Signature=geheim&X-Amz-Credential=geheim", "https://h/p"),
        ("https://h/p?v=1&X-Goog-Signature=geheim#top", "https://h/p?v=1#top"),
        ("https://h/p?sv=2024&sig=geheim&sp=r", "https://h/p?sv=2024&sp=r"),
        ("https://h/p?AWSAccessKeyId=geheim;a=2", "https://h/p?a=2"),
        ("https://h/p?access_token=geheim", "https://h/p"),
        ("https://h/p?api_key=geheim&page=2", "https://h/p?page=2"),
        ("cannot read https://u:geheim@h/p; try", "cannot read https://h/p; try"),
        ("`curl https://h/p?token=geheim | cat`", "`curl https://h/p | cat`"),
        ("a ftp://u:geheim@h/x and s3://u:geheim@b.", "a ftp://h/x and s3://b."),
    ],
)
def test_passwords_and_signatures_are_left_out(text: str, shown: str) -> None:
    assert without_secrets(text) == shown
    assert without_secrets(shown) == shown
    error = UsageError(text)
    assert str(error) == str(pickle.loads(pickle.dumps(error))) == shown  # noqa: S301


@pytest.mark.parametrize(
    "text",
    [
        "https://host:8080/@user/post",
        "https://host/a@b?q=c@d",
        "https://host/p?keyword=a&author=b&design=c;d",
        "abfs://container@account.dfs.core.windows.net/pages",
        "C:/me@work/pages",
        "pages?token=1/x@y",
        "see http://host/p?x=1; or mail a@b.org",
    ],
)
def test_other_locations_and_texts_stay(text: str) -> None:
    assert without_secrets(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc ä 漢 \u200f😀", "a\tb\nc ä 漢 \u200f😀"),
        ("a\x1b[31mred\x1b]0;title\x07", r"a\x1b[31mred\x1b]0;title\x07"),
        ("a\rb\x08\x7f\x9b31m", r"a\rb\x08\x7f\x9b31m"),
        ("exe\u202etxt.\u2066", r"exe\u202etxt.\u2066"),
        ("\x1b http://u:geheim@host/", r"\x1b http://host/"),
    ],
)
def test_messages_have_nothing_that_a_terminal_obeys(text: str, shown: str) -> None:
    assert printable(text) == shown
