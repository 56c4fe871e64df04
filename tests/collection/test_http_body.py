import gzip
import time
import tracemalloc
import zlib

import brotli
import pytest

from boilersweep.collection.format import Reason
from boilersweep.collection.warc import BodyError, decoded_body

PAGE = b"<p>" + b"text " * 500
BOMB = bytes(4 * 10**7)  # twice what inflating may take
RAW_DEFLATE = zlib.compress(PAGE)[2:-4]


def body(
    payload: bytes,
    content: str | None = None,
    transfer: str | None = None,
    cap: int = 10_000,
) -> bytes:
    return decoded_body(
        payload, transfer_encoding=transfer, content_encoding=content, cap=cap
    )


def chunked(data: bytes) -> bytes:
    return (
        b"5\r\n"
        + data[:5]
        + b"\r\n%x;x=y\r\n" % len(data[5:])
        + data[5:]
        + b"\r\n0\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("payload", "content", "transfer"),
    [
        (PAGE, None, None),
        (PAGE, "identity", ""),
        (PAGE, "utf-8", None),
        (gzip.compress(PAGE, mtime=0), "GZIP", None),
        (gzip.compress(PAGE, mtime=0), "x-gzip", None),
        (
            gzip.compress(PAGE[:9], mtime=0)
            + gzip.compress(PAGE[9:], mtime=0)
            + b"tail",
            "gzip",
            None,
        ),
        (gzip.compress(brotli.compress(PAGE), mtime=0), "br, gzip", None),
        (zlib.compress(PAGE), "deflate", None),
        (RAW_DEFLATE, "deflate", None),
        (brotli.compress(PAGE), "br", None),
        (chunked(PAGE), None, "Chunked"),
        (chunked(gzip.compress(PAGE, mtime=0)), "gzip", "chunked"),
        (PAGE, "gzip", "chunked"),
        (chunked(PAGE)[:-2] + b"X-Sum: ab:c\r\nExpires: 0\r\n\r\n", None, "chunked"),
        (chunked(PAGE)[:-2] + b"X-Sum: cut", None, "chunked"),
        (chunked(PAGE)[:-2], None, "chunked"),
        (b"%X ; a=b\r\n" % len(PAGE) + PAGE, None, "chunked"),
        (b"%x\r\n" % (len(PAGE) + 9) + PAGE, None, "chunked"),
        (PAGE, "deflate", None),
        (PAGE, "br", None),
    ],
)
def test_decodes(payload: bytes, content: str | None, transfer: str | None) -> None:
    assert body(payload, content, transfer) == PAGE


@pytest.mark.parametrize(
    ("payload", "content", "message"),
    [
        (gzip.compress(PAGE, mtime=0)[:-9], "gzip", "too early"),
        (b"\x1f\x8b\x08nonsense", "gzip", "."),
        (brotli.compress(PAGE)[:-2], "br", "too early"),
        (b"\xff\xff\xff", "br", "brotli"),
        (b"\xff\xff\xff", "deflate", "."),
        (b"(\xb5/\xfd", "zstd", "zstd"),
    ],
)
def test_undecodable(payload: bytes, content: str, message: str) -> None:
    with pytest.raises(BodyError, match=message) as caught:
        body(payload, content)
    assert caught.value.reason is Reason.UNDECODABLE_BODY


@pytest.mark.parametrize(
    ("payload", "content"),
    [
        (gzip.compress(BOMB, 1, mtime=0), "gzip"),
        (gzip.compress(bytes(6_000), mtime=0) * 2, "gzip"),
        (zlib.compress(BOMB, 1), "deflate"),
        (brotli.compress(BOMB, quality=1), "br"),
        (b"x" * 10_001, None),
    ],
)
def test_bombs_are_not_inflated(payload: bytes, content: str | None) -> None:
    tracemalloc.start()
    with pytest.raises(BodyError) as caught:
        body(payload, content)
    assert caught.value.reason is Reason.TOO_LARGE
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * 2**20


def test_the_cap_itself_is_allowed() -> None:
    assert len(body(gzip.compress(bytes(10_000), mtime=0), "gzip")) == 10_000


def test_many_gzip_members_take_no_longer_than_others() -> None:
    before = time.process_time()
    assert (
        body(gzip.compress(b"x", mtime=0) * 150_000, "gzip", cap=10**6)
        == b"x" * 150_000
    )
    # 20 seconds when each copied what follows it
    assert time.process_time() - before < 5
