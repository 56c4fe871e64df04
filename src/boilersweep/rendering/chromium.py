"""Where Chromium is, how it is started, and what pages in it cannot do.

A page is a stranger's code, so it gets a browser that has nothing: no network, no files but the
fresh profile, no scripts, downloads, dialogs, windows or workers. Of the network that holds four
times over: what is drawn names no address (`boilersweep.rendering.marking`), no name resolves,
everything goes through a proxy that is not there, and DevTools blocks every request. The browser is
driven through a pipe, so nobody else on the machine can, and it ends when who drives it does.

Chromium's own sandbox does not start as root. So root draws pages only in a container, or after
asking for it (`allow_no_sandbox`, --no-sandbox): the remaining protection is that no script runs
and nothing can be fetched.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from boilersweep.errors import UsageError

INSTALL_CHROMIUM = "apt-get install chromium chromium-driver"
INSTALL_SELENIUM = "pip install 'boilersweep[render]'"

# Of the window, in CSS pixels.
WIDTH, HEIGHT = 1280, 1024

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_NOWHERE = "127.0.0.1:1"  # tcpmux, which no one serves; and names resolve to nothing anyway
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    f"--window-size={WIDTH},{HEIGHT}",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    f"--proxy-server={_NOWHERE}",
    "--proxy-bypass-list=<-loopback>",  # not even this machine without the proxy
    "--blink-settings=imagesEnabled=false,scriptEnabled=false",
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-features=DialMediaRouteProvider,MediaRouter,OptimizationHints,Translate",
    "--disable-gpu",
    "--disable-plugins",
    "--disable-sync",
    "--disable-webgl",
    "--dns-prefetch-disable",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--password-store=basic",
)
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_CONTAINER_FILES = ("/.dockerenv", "/run/.containerenv", "/run/systemd/container")
_CONTAINER_VARIABLES = ("container", "KUBERNETES_SERVICE_HOST")

_allowed = False  # to run without the sandbox


@dataclass(frozen=True, slots=True)
class Found:
    """Where Chromium and its driver are."""

    chromium: str
    driver: str


def find_chromium() -> Found:
    """Find Chromium and its driver on PATH.

    Raises UsageError with the command that installs a missing part, and for root outside a
    container unless `allow_no_sandbox` was called.
    """
    if missing := missing_for_rendering():
        raise UsageError(f"pages are drawn by headless Chromium: {'; '.join(missing)}")
    chromium = next(filter(None, map(shutil.which, _NAMES)), "")
    return Found(chromium, shutil.which("chromedriver") or "")


def missing_for_rendering() -> list[str]:
    """Return what is missing, each with the way to get it; empty if this process can draw pages."""
    if sys.platform != "linux":
        return ["drawing pages needs Linux; all else works without it"]
    missing = []
    if not any(map(shutil.which, _NAMES)) or not shutil.which("chromedriver"):
        program = "chromedriver" if any(map(shutil.which, _NAMES)) else "Chromium"
        missing.append(f"{program} is not on PATH; run: {INSTALL_CHROMIUM}")
    if selenium_version() is None:
        missing.append(f"selenium is not installed; run: {INSTALL_SELENIUM}")
    if os.geteuid() == 0 and not (_allowed or in_container()):
        missing.append(
            "root cannot use Chromium's sandbox; run the command as another user or in a "
            "container, or pass --no-sandbox if you trust the pages"
        )
    return missing


def selenium_version() -> str | None:
    """Return the version of selenium that is installed, or None."""
    try:
        return version("selenium")
    except PackageNotFoundError:
        return None


def has_sandbox() -> bool:
    """Whether Chromium runs in its own sandbox: as any user but root, unless told otherwise."""
    return os.geteuid() != 0 and not _allowed


def allow_no_sandbox(allowed: bool) -> None:
    """Whether browsers that start from now on run without Chromium's own sandbox."""
    global _allowed
    _allowed = allowed


def in_container() -> bool:
    """Whether this process is in a container, as Docker, Podman, systemd and Kubernetes tell."""
    return any(map(os.path.exists, _CONTAINER_FILES)) or any(map(os.getenv, _CONTAINER_VARIABLES))


def chromium_version(found: Found) -> str:
    """Such as `Chromium 130.0.6723.91`, as boxes carry it; raises UsageError where it fails."""
    try:
        said = subprocess.run(  # noqa: S603
            [found.driver, "--version"], capture_output=True, text=True, timeout=60, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"{found.driver} does not run ({error}); {INSTALL_CHROMIUM}") from error
    return f"Chromium {said.split()[1]}" if len(said.split()) > 1 else said.strip()


def start_driver(found: Found, profile: Path) -> Any:
    """Start Chromium in its own process group; return its selenium driver."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = found.chromium
    options.page_load_strategy = "none"  # the driver would wait for what a page before began
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    if not has_sandbox():
        options.add_argument("--no-sandbox")
    how: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "linux":
        how["preexec_fn"] = _die_with_parent
    return webdriver.Chrome(options, Service(found.driver, popen_kw=how))


def close_room(driver: Any) -> None:
    """Have DevTools forbid what the flags forbid already; raises what selenium does."""
    call = driver.execute_cdp_cmd
    call("Emulation.setScriptExecutionDisabled", {"value": True})
    call("Network.enable", {})
    call("Network.setBlockedURLs", {"urls": ["*"]})
    nothing = {"latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    call("Network.emulateNetworkConditions", {"offline": True, **nothing})
    call("Browser.setDownloadBehavior", {"behavior": "deny"})
    size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    call("Emulation.setDeviceMetricsOverride", size)


def _die_with_parent() -> None:
    """In the driver's process: it is killed when the thread that started it ends, however."""
    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
