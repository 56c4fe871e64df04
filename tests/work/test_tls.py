"""OpenSSL's queue of errors, which a broken TLS connection must not leave to the next one."""

import asyncio
import ctypes
import errno
import socket
from typing import Any

import pytest

from boilersweep.work.tls import isolate_connections

_ERR_LIB_SYS = 2


def crypto() -> Any:
    """Return the OpenSSL of this Python's `ssl`."""
    ssl_module = pytest.importorskip("_ssl")
    library = ctypes.CDLL(ssl_module.__file__)
    if not hasattr(library, "ERR_set_error"):
        pytest.skip("this Python's OpenSSL is older than 3, or linked statically")
    library.ERR_peek_error.restype = ctypes.c_ulong
    return library


@pytest.mark.parametrize("isolated", [False, True])
def test_a_closed_connection_leaves_no_error(
    isolated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error is put there as by a failed write; without isolation it stays."""
    iostream: Any = pytest.importorskip("tornado.iostream")
    close_fd = iostream.IOStream.close_fd
    monkeypatch.setattr(iostream.SSLIOStream, "close_fd", close_fd)
    if isolated:
        isolate_connections.__wrapped__()
    library = crypto()

    async def close_a_connection() -> int:
        connection = iostream.SSLIOStream(socket.socket())
        library.ERR_new()
        library.ERR_set_error(_ERR_LIB_SYS, errno.EPIPE, None)
        connection.close()
        left: int = library.ERR_peek_error()
        return left

    try:
        assert bool(asyncio.run(close_a_connection())) is not isolated
    finally:
        library.ERR_clear_error()
