"""One headless Chromium: a page in, what `measure.js` says of it out.

A page is a stranger's code, so it is shown in a frame that runs no script, leads nowhere and loads
nothing (`sandbox`, and the policy of the document around it). Beneath that, no name resolves in the
browser, everything goes through a proxy that does not exist, and the profile is a fresh folder. The
browser is driven through a pipe, so no port of it is open.

The browser and its profile go with the process that started them, however that ends: a shell waits
for the end of a pipe that this process holds, kills the browser, and removes the profile.
"""

import os
import shutil
import subprocess
import tempfile
import weakref
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from itertools import count
from typing import Any

from boilersweep.errors import UsageError
from boilersweep.extras import install_command

# Of the window, in CSS pixels.
WIDTH, HEIGHT = 1280, 1024

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--dns-prefetch-disable",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-sync",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
)
_SCRIPT = (files(__package__) / "measure.js").read_text(encoding="utf-8")
_EMPTY = (
    "data:text/html,<!DOCTYPE html><meta http-equiv=Content-Security-Policy "
    "content=\"default-src 'none'; style-src 'unsafe-inline'\"><body>"
)
_WATCH = 'read -r _; kill -s KILL -- "-$1"; sleep 0.1; rm -rf -- "$2"'


def find_chromium() -> tuple[str, str]:
    """Return the paths of Chromium and its driver.

    Raises:
        UsageError: One of them, or selenium, is not installed.
    """
    chromium = next(filter(None, map(shutil.which, _NAMES)), None)
    driver = shutil.which("chromedriver")
    if not chromium or not driver or not find_spec("selenium"):
        raise UsageError(
            "vips draws pages with Chromium, chromedriver and selenium; run: apt-get install "
            f"chromium chromium-driver; {install_command('vips')}"
        )
    return chromium, driver


@cache
def drawing_identity() -> str:
    """Return the browser's version and the digest of the script: what is drawn depends on them."""
    driver = shutil.which("chromedriver")
    version = subprocess.check_output([driver, "--version"]) if driver else b""  # noqa: S603
    release = " ".join(version.decode().split()[:2]) or "Chromium (not installed)"
    return f"{release}, {sha256(_SCRIPT.encode()).hexdigest()}"


class Browser:
    """A running Chromium, for one thread; raises what selenium does, and OSError.

    Attributes:
        close: Ends it at once, whatever it is at; happens by itself when nobody has it any more.
    """

    def __init__(self) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location, driver = find_chromium()
        profile = tempfile.mkdtemp(prefix="boilersweep-vips-")
        # Chromium's own sandbox does not start as root.
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        for flag in (*_FLAGS, *root, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        service = Service(
            driver, popen_kw={"start_new_session": True, "preexec_fn": _unlimited}
        )
        service.start()
        watch = subprocess.Popen(  # noqa: S603
            ["/bin/sh", "-c", _WATCH, "sh", str(service.process.pid), profile],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        self.close = weakref.finalize(self, _end, watch, service)
        self._driver = webdriver.Remote(service.service_url, options=options)
        self._pages = count()

    def measure(self, page: str) -> Any:
        """Return what `measure.js` says of a page, within half a minute."""
        if next(self._pages) % 100 == 0:
            self._driver.get(_EMPTY)  # what pages left in memory goes
        return self._driver.execute_script(_SCRIPT, page, WIDTH, HEIGHT)


def _end(watch: "subprocess.Popen[bytes]", service: Any) -> None:
    watch.communicate()
    with service.process:  # killed by now
        service.process = None  # or selenium would talk to it once more


def _unlimited() -> None:
    """Lift, in the driver's process, a worker's limit of address space: Chromium reserves more."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
