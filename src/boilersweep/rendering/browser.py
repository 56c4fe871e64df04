"""One headless Chromium: a page in, what a script says of it out, or why there is nothing."""

import contextlib
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from boilersweep.collection.record import Reason
from boilersweep.errors import BoilersweepError
from boilersweep.rendering.chromium import WIDTH, Found, close_room, find_chromium, start_driver

_LOOK_AFTER = 0.25  # seconds between two looks at the browser
_PAGES = 250  # that one browser draws before it is replaced
_TRIES = 3  # to start a browser
_BLANK = "about:blank"

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class RenderLimits:
    """What one page may cost.

    Attributes:
        seconds: until it is drawn and measured.
        bytes: of memory, of each of the browser's processes; without /proc memory is not looked at.
    """

    seconds: float = 30.0
    bytes: int = 2 * 2**30


class UndrawnError(Exception):
    """A page was not drawn.

    Attributes:
        reason: the kind of failure.
        detail: what the browser did.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Browser:
    """Draws one page after another; a context manager, for one thread.

    A browser that takes too long or too much is killed, and another one takes its place.

    Raises:
        UsageError: there is no Chromium.
    """

    def __init__(self, limits: RenderLimits | None = None) -> None:
        self._limits = limits or RenderLimits()
        self._found: Found = find_chromium()
        self._driver: Any = None
        self._profile: tempfile.TemporaryDirectory[str] | None = None
        self._frame = ""
        self._drawn = 0
        self._turn = 0.0  # when the page was begun, 0 for none
        self._verdict: UndrawnError | None = None
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._watchman = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Browser":
        self._start()
        self._watchman.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the browser; a page that is at work in another thread ends as one that crashed."""
        self._closed.set()
        if self._watchman.is_alive():
            self._watchman.join()
        self._end()

    def measure(self, html: str, script: str) -> Any:
        """Return the value of a script in a page, as JSON has it.

        Raises:
            UndrawnError: the page could not be drawn.
        """
        return self._with_page(html, lambda: self._value(script))

    def picture(self, html: str, scripts: Sequence[str], most: int) -> tuple[Any, str]:
        """Return the value of the last script in a page, and the page as PNG in base64.

        Args:
            html: the page.
            scripts: they run in the page, one after the other.
            most: pixels of its height.

        Raises:
            UndrawnError: the page could not be drawn.
        """

        def take() -> tuple[Any, str]:
            found = [self._value(script) for script in scripts][-1]
            height = self._value("document.documentElement.scrollHeight")
            clip = {"x": 0, "y": 0, "width": WIDTH, "height": min(height, most), "scale": 1}
            shot = self._call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
            return found, str(shot["data"])

        return self._with_page(html, take)

    def _with_page(self, html: str, then: Callable[[], _Found]) -> _Found:
        if self._drawn >= _PAGES:
            self._end()
            self._start()
        with self._timed():
            self._call("Page.navigate", url=_BLANK)  # away from whatever the page before did
            self._call("Page.setDocumentContent", frameId=self._frame, html=html)
            self._drawn += 1
            return then()

    def _value(self, script: str) -> Any:
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"the script failed: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def _call(self, command: str, **parameters: Any) -> Any:
        return self._driver.execute_cdp_cmd(command, parameters)

    @contextlib.contextmanager
    def _timed(self) -> Iterator[None]:
        """Turn what goes wrong in the browser into an UndrawnError, and have it replaced."""
        with self._lock:
            self._verdict, self._turn = None, time.monotonic()
        try:
            yield
        except Exception as error:  # of selenium, of its connection, of the page
            verdict = self._replaced()
            said = str(error).strip().partition("\n")[0][:200]
            raise verdict or UndrawnError(Reason.CRASHED, said) from error
        else:
            with self._lock:
                late, self._turn = self._verdict, 0.0
            if late:  # the browser was killed when its answer was here
                self._replaced()
                raise late
        finally:
            with self._lock:
                self._turn = 0.0

    def _replaced(self) -> UndrawnError | None:
        """Put another browser in the place of this one; what it was killed for."""
        with self._lock:
            verdict, self._turn = self._verdict, 0.0
        if not self._closed.is_set():
            self._end()
            self._start()
        return verdict

    def _start(self) -> None:
        """Start a browser with a fresh profile; raises BoilersweepError where none starts."""
        for attempt in range(_TRIES):
            self._profile = tempfile.TemporaryDirectory(
                prefix="boilersweep-browser-", ignore_cleanup_errors=True
            )
            try:
                self._driver = start_driver(self._found, Path(self._profile.name))
                close_room(self._driver)
                self._call("Page.navigate", url=_BLANK)
                self._frame = self._call("Page.getFrameTree")["frameTree"]["frame"]["id"]
                self._drawn = 0
            except Exception as error:  # selenium's own, and what its connection raises
                self._end()
                if attempt == _TRIES - 1:
                    said = str(error).strip().partition("\n")[0]
                    raise BoilersweepError(
                        f"{self._found.chromium} does not start ({said}); see `boilersweep doctor`"
                    ) from error
            else:
                return

    def _end(self) -> None:
        """Kill the browser, if there is one, and remove its profile."""
        if self._driver is not None:
            process = self._driver.service.process
            self._kill()
            process.wait()
            for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):
                pipe.close()
            with contextlib.suppress(Exception):  # all there is to end is a connection to nobody
                self._driver.command_executor.close()
            self._driver.service.process = None  # its end would wait for the dead
            self._driver = None
        if self._profile is not None:
            self._profile.cleanup()
            self._profile = None

    def _kill(self) -> None:
        """Kill the driver's process group, which has the browser's processes, too."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._driver.service.process.pid, signal.SIGKILL)

    def _watch(self) -> None:
        """End a browser that is too long at a page, or holds too much for it."""
        while not self._closed.wait(_LOOK_AFTER):
            with self._lock:
                if not self._turn or self._verdict or self._driver is None:
                    continue
                self._verdict = self._excess()
                if self._verdict:
                    self._kill()

    def _excess(self) -> UndrawnError | None:
        if time.monotonic() - self._turn > self._limits.seconds:
            return UndrawnError(Reason.OVER_TIME, f"more than {self._limits.seconds:g} s")
        if (held := _most_held(self._driver.service.process.pid)) > self._limits.bytes:
            most = self._limits.bytes
            return UndrawnError(Reason.OVER_MEMORY, f"{held:,} bytes, at most {most:,}")
        return None


def _most_held(group: int) -> int:
    """Bytes of memory of the largest process of a process group; 0 without /proc."""
    most = 0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:  # gone meanwhile
            continue
        if int(fields[2]) == group:
            most = max(most, int(fields[21]))
    return most * os.sysconf("SC_PAGE_SIZE")
