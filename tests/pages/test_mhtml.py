"""Pages saved as one file, as the standard library's email package and browsers write them."""

from email.mime.image import MIMEImage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

import boilersweep
from boilersweep import PageError
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.mhtml import is_mhtml, saved_page

PAGE = "<!DOCTYPE html><title>t</title><p>na\u00efve caf\u00e9 =3D soft</p>"
FRAME = "<p>a frame of another host"


def saved(page: str = PAGE, *, encoding: str = "utf-8", start: str = "<page>") -> bytes:
    """Write a file as browsers do: a frame, the page, and a picture."""
    message = MIMEMultipart("related", start=start)
    message["Snapshot-Content-Location"] = "http://x/\n page"
    for text, name in ((FRAME, "<frame>"), (page, "<page>")):
        part = MIMEText(text, "html", encoding)
        part["Content-ID"] = name
        message.attach(part)
    message.attach(MIMEImage(b"\x89PNG\r\n\x1a\n" + bytes(99), "png"))
    return message.as_bytes()


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
@pytest.mark.application("cleaning")
def test_the_page_is_decoded(encoding: str, line_end: bytes) -> None:
    content = saved(encoding=encoding).replace(b"\n", line_end)
    found = saved_page(content)
    assert found
    assert found.body.decode(encoding) == PAGE
    assert (found.url, found.is_whole) == ("http://x/page", True)
    assert to_utf8(content).utf8.decode() == PAGE
    assert (
        boilersweep.clean(content, "keep-everything") == "na\u00efve caf\u00e9 =3D soft"
    )


def test_without_a_start_the_first_page_counts() -> None:
    found = saved_page(saved(start="<gone>"))
    assert found
    assert found.body.decode() == FRAME


def test_headers_in_any_order_and_folded() -> None:
    content = saved()
    head, _, rest = content.partition(b"\n\n")
    lines = head.replace(b"; ", b";\n\t").split(b"\nMIME-Version: 1.0")
    changed = b"From: <Saved by Blink>\nMIME-Version: 1.0\n" + b"".join(lines)
    assert saved_page(changed + b"\n\n" + rest) == saved_page(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<p>Content-Type: multipart/related",
        b"Subject: x\n\nContent-Type: multipart/related",
        b"Content-Type: text/html\n\n<p>x",
        b"a: b\n" * 100_000,
        b" \n" * 100_000,
    ],
)
def test_what_is_no_saved_page(content: bytes) -> None:
    assert not is_mhtml(content)
    assert saved_page(content) is None


NESTED = b"".join(
    b"--b%d\nContent-Type: multipart/related; boundary=b%d\n\n" % (n, n + 1)
    for n in range(3000)
)
HEAD = b"Content-Type: multipart/related; boundary=b0\n\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (saved()[:-40], "truncated record: the MHTML file ends too early"),
        (HEAD + b"--b0\n\nx\n--b0--\n", "it looks like MHTML without a page"),
        (HEAD + NESTED, "it looks like MHTML without a page"),
        (HEAD + b"--b0\n\n" * 200_000, "it looks like MHTML without a page"),
        (
            HEAD + b"--b0\nContent-Type: text/html\n\n%PDF-1.4\n--b0--\n",
            "it looks like a PDF document",
        ),
    ],
    ids=["cut", "no page", "parts within parts", "many parts", "a PDF"],
)
@pytest.mark.application("cleaning")
def test_what_has_no_page(content: bytes, message: str) -> None:
    with pytest.raises(PageError, match=message):
        boilersweep.clean(content, "words>=1")
