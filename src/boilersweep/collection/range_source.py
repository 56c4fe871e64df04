"""Ranges of files on a server, read through fsspec at a polite pace, with retries."""

import contextlib
import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from threading import Lock

from boilersweep.errors import UsageError
from boilersweep.outputs.identity import __version__

# Where Common Crawl documents its files to be.
COMMON_CRAWL = "https://data.commoncrawl.org/"

USER_AGENT = f"boilersweep/{__version__} (reads single pages of a crawl by its index)"

_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_PAUSE = 300.0  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOptions:
    """How pages are fetched.

    Attributes:
        base: What the file names of the index are relative to: a URL, `s3://...` or a folder.
        at_once: Requests at the same time.
        per_second: Requests started per second, at most.
        tries: How often a request is tried that the server could not answer.
        first_pause: Seconds before the second try; each further pause is twice as long.
    """

    base: str = COMMON_CRAWL
    at_once: int = 16
    per_second: float = 20.0
    tries: int = 6
    first_pause: float = 1.0


class FetchError(Exception):
    """A record that could not be fetched; the text is the counted reason."""


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
        is_http = options.base.startswith(("http://", "https://"))
        arguments = (
            {"client_kwargs": {"headers": {"User-Agent": USER_AGENT}}}
            if is_http
            else {}
        )
        try:
            from fsspec.core import url_to_fs

            self._files, self._root = url_to_fs(options.base, **arguments)
        except (ImportError, ValueError) as error:
            raise UsageError(
                f"--cdx-base {options.base}: its driver is missing ({error}); install it with "
                "`pip install 'boilersweep[remote]'`"
            ) from error

    def read(self, filename: str, start: int, end: int) -> bytes:
        """Read the bytes [start, end) of a file.

        Raises:
            FetchError: They cannot be had, after all tries.
        """
        path = f"{self._root.rstrip('/')}/{filename}"
        reason, asked = "not tried", ""
        for attempt in range(self._options.tries):
            pause = (
                retry_pause(asked, attempt, self._options.first_pause)
                if attempt
                else 0.0
            )
            self._wait(pause)
            try:
                data: bytes = self._files.cat_file(path, start=start, end=end)
            except FileNotFoundError:
                raise FetchError("no such file in the crawl") from None
            except Exception as error:  # drivers raise what they like
                status = getattr(error, "status", None)
                reason = (
                    f"HTTP status {status}" if status else "no answer from the server"
                )
                if isinstance(status, int) and status not in _RETRIED:
                    raise FetchError(reason) from error
                asked = (getattr(error, "headers", None) or {}).get("Retry-After", "")
                continue
            if len(data) == end - start:
                return data
            reason, asked = "another number of bytes than in the index", ""
            if len(data) > end - start:
                break  # the server ignores ranges
        raise FetchError(reason)

    def _wait(self, pause: float) -> None:
        """Wait for the turn of a request; a busy server's pause holds up the others, too."""
        with self._lock:
            start = max(self._next, time.monotonic() + pause)
            self._next = start + 1 / self._options.per_second
        time.sleep(max(0.0, start - time.monotonic()))


def retry_pause(asked: str, attempt: int, first: float) -> float:
    """Return the seconds to wait before the next try: `Retry-After`, or ever longer ones.

    Args:
        asked: The value of Retry-After, "" without any.
        attempt: How many tries have failed.
        first: Seconds after the first.
    """
    seconds: float = first * 2 ** (attempt - 1) * random.uniform(1, 1.25)  # noqa: S311
    if asked.isdigit():
        seconds = float(asked)
    elif asked:
        with contextlib.suppress(ValueError):
            seconds = parsedate_to_datetime(asked).timestamp() - time.time()
    return min(max(seconds, 0.0), _LONGEST_PAUSE)
