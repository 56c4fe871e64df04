"""Ranges of files on a server, read through fsspec at a polite pace, with retries."""

import contextlib
import random
import time
from email.utils import parsedate_to_datetime
from threading import Event, Lock
from typing import TYPE_CHECKING

from boilersweep.collection.fetch_options import FetchOptions
from boilersweep.errors import CollectionError, UsageError, reason_of
from boilersweep.extras import install_command
from boilersweep.outputs.identity import __version__
from boilersweep.work.progress import say_if_asked

if TYPE_CHECKING:
    from yarl import URL


USER_AGENT = f"boilersweep/{__version__} (reads single pages of a crawl by its index)"

_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_PAUSE = 300.0  # seconds
_LONGEST_REQUEST, _LONGEST_CONNECTING, _LONGEST_SILENCE = 300, 10, 60  # seconds
_REDIRECTED = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 5
# After so many failures of the connection itself, or answers with whole files, nothing is asked.
_HOPELESS = 3


class FetchError(Exception):
    """A record that the server does not have as the index says; the text is the counted reason."""


class UnreadError(Exception):
    """A read that failed in all tries, and may succeed later; the text is the reason."""


class RangeSource:
    """Ranges of the files of a crawl; several threads may read at once.

    Raises:
        UsageError: The driver of the base is not installed.
    """

    def __init__(self, options: FetchOptions) -> None:
        self._options = options
        # When the next request may start, for all threads
        self._next = time.monotonic()
        self._lock = Lock()
        self._stopped = Event()
        self._answers = 0  # of the server, with a range or a status
        self._whole_files = 0  # in place of a range
        self._told: dict[str, Exception] = {}  # the first of each reason
        self._is_http = options.base.startswith(("http://", "https://"))
        # Compressed answers would be larger than what was asked for
        client = {"headers": {"User-Agent": USER_AGENT}, "auto_decompress": False}
        arguments = {"client_kwargs": client} if self._is_http else {}
        try:
            from fsspec.core import url_to_fs

            self._files, self._root = url_to_fs(options.base, **arguments)
            is_here = "file" in self._files.protocol
            self._pause = 0.0 if is_here else 1 / options.per_second
        except (ImportError, ValueError) as error:
            raise UsageError(
                f"--cdx-base {options.base}: its driver is missing ({error}); install it with "
                f"`{install_command('remote')}`"
            ) from error

    def read(self, filename: str, start: int, end: int) -> bytes:
        """Read the bytes [start, end) of a file.

        Raises:
            FetchError: The server does not have them.
            UnreadError: They could not be read, after all tries.
            CollectionError: The server cannot be reached, or has no ranges.
        """
        path = f"{self._root.rstrip('/')}/{filename}"
        failure: Exception = UnreadError("not tried")
        asked = ""
        answers = self._answers
        self._require_ranges()  # other threads may have found out
        for attempt in range(self._options.tries):
            self._wait(
                retry_pause(asked, attempt, self._options.first_pause)
                if attempt
                else 0.0
            )
            try:
                data = self._range(path, start, end)
            except FileNotFoundError:
                raise FetchError("no such file in the crawl") from None
            except (FetchError, CollectionError):
                raise
            except Exception as error:  # drivers raise what they like
                reason, asked = self._trouble(error)
                failure = UnreadError(reason)
                if attempt + 1 >= _HOPELESS and self._answers == answers:
                    raise CollectionError(
                        f"{self._options.base} does not answer "
                        f"({type(error).__name__}: {reason_of(error)}); check `cdx_base` and the "
                        "network, and run the command again to continue"
                    ) from error
                continue
            self._answers += 1
            if len(data) == end - start:
                return data
            failure = FetchError("another number of bytes than in the index")
            asked = ""
        raise failure

    def stop(self) -> None:
        """Let the threads that wait fail at once."""
        self._stopped.set()

    def _range(self, path: str, start: int, end: int) -> bytes:
        """Read a range once, or the beginning of something longer; raise what drivers raise."""
        if self._is_http:
            from fsspec.asyn import sync

            data: bytes = sync(self._files.loop, self._http_range, path, start, end)
        else:
            data = self._files.cat_file(path, start=start, end=end)
        return data

    async def _http_range(self, path: str, start: int, end: int) -> bytes:
        from aiohttp import ClientTimeout

        session = await self._files.set_session()
        limits = ClientTimeout(
            total=_LONGEST_REQUEST,
            sock_connect=_LONGEST_CONNECTING,
            sock_read=_LONGEST_SILENCE,
        )
        headers = {"Range": f"bytes={start}-{end - 1}"}
        url: URL = self._files.encode_url(path)
        for _ in range(_MOST_REDIRECTS):
            async with session.get(
                url, headers=headers, timeout=limits, allow_redirects=False
            ) as answer:
                if answer.status in _REDIRECTED:
                    url = _redirection(answer.url, answer.headers.get("Location", ""))
                    continue
                answer.raise_for_status()
                if answer.status != 206:
                    self._whole_files += 1
                    self._require_ranges()
                    raise FetchError("the server ignores ranges")
                data = bytearray()
                async for part in answer.content.iter_any():
                    data += part
                    if len(data) > end - start:
                        break
                return bytes(data)
        raise FetchError("too many redirections")

    def _require_ranges(self) -> None:
        """Raise CollectionError if the server seems to have no ranges at all."""
        if self._whole_files >= _HOPELESS and not self._answers:
            raise CollectionError(
                f"{self._options.base} ignores ranges: it answers with whole files; expected a "
                "server that sends the bytes that it is asked for; check `cdx_base`"
            )

    def _trouble(self, error: Exception) -> tuple[str, str]:
        """Return the reason of a failure that may pass, and `Retry-After`.

        Raises:
            FetchError: It does not pass.
        """
        if isinstance(error, ValueError):
            raise FetchError("an impossible address") from error
        status = getattr(error, "status", None)
        reason = "no answer from the server"
        if isinstance(status, int) and status:
            self._answers += 1
            if status == 404:
                raise FetchError("no such file in the crawl") from error
            reason = f"HTTP status {status}"
            if status not in _RETRIED:
                raise FetchError(reason) from error
        if self._told.setdefault(reason, error) is error:
            say_if_asked(f"fetching pages: {reason}; asking again")
        return reason, (getattr(error, "headers", None) or {}).get("Retry-After", "")

    def _wait(self, pause: float) -> None:
        """Wait for the turn of a request; a busy server's pause holds up the others, too.

        Raises:
            FetchError: The source was stopped.
        """
        with self._lock:
            start = max(self._next, time.monotonic() + pause)
            self._next = start + self._pause
        if self._stopped.wait(max(0.0, start - time.monotonic())):
            raise FetchError("stopped")


def _redirection(asked: "URL", location: str) -> "URL":
    """Return where a server redirects to; raise FetchError for another server."""
    target = asked.join(type(asked)(location))
    secure = asked.with_scheme("https").with_port(None)
    if target.origin() not in (asked.origin(), secure.origin()):
        raise FetchError("redirected to another server")
    return target


def retry_pause(asked: str, attempt: int, first: float) -> float:
    """Return the seconds to wait before the next try: `Retry-After`, or ever longer ones.

    Args:
        asked: The value of Retry-After, "" without any.
        attempt: How many tries have failed.
        first: Seconds after the first.
    """
    seconds: float = first * 2 ** (attempt - 1) * random.uniform(1, 1.25)  # noqa: S311
    if asked.isascii() and asked.isdigit():
        seconds = float(asked)
    elif asked:
        with contextlib.suppress(ValueError, OverflowError):
            seconds = parsedate_to_datetime(asked).timestamp() - time.time()
    return min(max(seconds, 0.0), _LONGEST_PAUSE)
