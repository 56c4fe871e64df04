"""TLS connections of Dask that do not end one another: Dask's `--preload boilersweep.work.tls`.

With OpenSSL 3.2 or newer, a system call that fails, as on a connection whose other end is gone,
stays in the thread's queue of errors, and Python's `ssl` takes it for an error of the next
connection that it reads: https://github.com/python/cpython/issues/148594. A process of Dask has all
its connections in one thread. Seen on Python 3.13.5 and 3.14.10; whether a Python is concerned
depends on its patch level and its OpenSSL.
"""

import contextlib
import functools
import importlib
import ssl
from typing import Any


@functools.cache
def isolate_connections() -> None:
    """Let each TLS connection of this process empty the queue of errors when it is closed."""
    stream: Any = importlib.import_module("tornado.iostream").SSLIOStream
    close = stream.close_fd
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    def close_fd(connection: Any) -> None:
        close(connection)
        # Ciphers that do not exist: Python empties the queue when it says so
        with contextlib.suppress(ssl.SSLError):
            context.set_ciphers("none")

    stream.close_fd = close_fd


def dask_setup(_: object) -> None:
    """Isolate the connections of the scheduler, worker or nanny that loads this module."""
    isolate_connections()
