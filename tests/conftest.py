"""What tests of several folders use: markers, data of others, distributions made up for a test."""

import contextlib
import gc
import importlib.abc
import os
import re
import shutil
import signal
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar

import jnius_config
import pytest
from hypothesis import settings
from leaves import applications, is_deleted

from tests.quick import declared_once, sketched, unsynced

# What a loaded machine takes longer for is not wrong.
settings.register_profile("untimed", deadline=None, max_examples=50)
settings.register_profile("exhaustive", deadline=None, max_examples=200)
settings.load_profile("untimed")

# Commands that tests start compile the package once, not each for itself; and pytest rewrites the
# assertions of a file once.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Java compiles for work of a second, not of hours.
jnius_config.add_options("-XX:TieredStopAtLevel=1")

# A shell's background jobs ignore Ctrl-C, and so would the commands that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

Value = TypeVar("Value")

# Fixtures whose tests have a marker.
MARKED_BY = {
    "outside_data": "data",
    "browser": "browser",
    "swift": "swift",
    "java": "java",
}

# Slow tests start clusters, browsers and servers, which a loaded machine may lose. The summary
# names each test that ran again.
RUN_AGAIN = pytest.mark.flaky(reruns=2, reruns_delay=2)

_DATA = Path(
    os.environ.get("BOILERSWEEP_DATA", Path(__file__).parents[2] / "shared" / "data")
).absolute()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--exhaustive", action="store_true", help="run the exhaustive tests, too"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("exhaustive"):
        settings.load_profile("exhaustive")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep Python from looking for garbage in what it collects, which stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    if not config.getoption("exhaustive"):
        left_out = [item for item in items if item.get_closest_marker("exhaustive")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]
    for item in items:
        for fixture in getattr(item, "fixturenames", ()):
            if fixture in MARKED_BY:
                item.add_marker(MARKED_BY[fixture])
        if any(
            item.get_closest_marker(name) for name in ("browser", "swift", "pyserini")
        ):
            item.add_marker("slow")
        if item.get_closest_marker("slow"):
            item.add_marker(RUN_AGAIN)
    # So that no process works on alone at the end
    if "PYTEST_XDIST_WORKER" in os.environ:
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in slow)


_NEEDED_BY_LEARNED = "boilersweep.cleaners.learned.compiled"

# Libraries of recipes that are too heavy for every developer's environment, or break its pins.
OPTIONAL = ("daft", "datatrove", "prefect", "pyspark", "zensical")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test of an application that was deleted, or cannot run here."""
    known = applications()
    for mark in item.iter_markers("application"):
        if is_deleted(known[mark.args[0]]):
            pytest.skip(f"{mark.args[0]} was deleted")
        if mark.args[0] == "learned" and not find_spec(_NEEDED_BY_LEARNED):
            pytest.skip("learned needs compiled code")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    from boilersweep.pages import compiled

    if missing := [name for name in OPTIONAL if find_spec(name) is None]:
        terminalreporter.write_line(
            f"Not installed, so that their tests were skipped: {', '.join(missing)}"
        )
    if why := compiled.why_missing():
        terminalreporter.section(
            "SLOW: the compiled segmenter was not tested", yellow=True
        )
        terminalreporter.write_line(why)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Return the same name in every process: gzip's head has the time."""
    if isinstance(val, bytes) and val.startswith(b"\x1f\x8b"):
        return f"{len(val)} bytes of gzip"
    return None


class _NoJava(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Keeps Java from tests that do not say that they start it."""

    on = False

    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if self.on and name == "jnius" else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:  # noqa: ARG002
        raise RuntimeError("this test starts Java: give it the marker java")

    def exec_module(self, module: ModuleType) -> None:
        """Never called; importlib wants it beside `create_module`."""


_NO_JAVA = _NoJava()
sys.meta_path.insert(0, _NO_JAVA)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    _NO_JAVA.on = item.get_closest_marker("java") is None
    try:
        return (yield)
    finally:
        _NO_JAVA.on = False


@pytest.fixture(scope="session", autouse=True)
def sketched_figures() -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Figures are files of what is in them, no file is waited for, options are read once.

    Drawing takes a tenth of the suite's time, reading options a twentieth.

    Yields a context in which they are drawn in full; see `drawn_figures`.
    """
    with unsynced(), declared_once(), sketched() as drawn:
        yield drawn


@pytest.fixture(scope="module")
def drawn_figures(
    sketched_figures: Callable[[], AbstractContextManager[None]],
) -> Iterator[None]:
    """From here to the end of the file, figures are drawn in full."""
    with sketched_figures():
        yield


@pytest.fixture(scope="session")
def outside_data() -> Callable[[str], Path]:
    """Where a file or folder of others' research data lies; skips the test where it does not.

    They are looked for in $BOILERSWEEP_DATA, else in shared/data beside the checkout.
    """

    def find(name: str) -> Path:
        if not _DATA.is_dir():
            pytest.skip(
                f"no data of others: {_DATA} is not there, and BOILERSWEEP_DATA not set"
            )
        if not (_DATA / name).exists():
            pytest.skip(f"no data of others: {name} is not in {_DATA}")
        return _DATA / name

    return find


@pytest.fixture
def unusable_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every model unusable, as without compiled code."""
    from boilersweep.errors import BoilersweepError

    def usable_model(_path: Path) -> None:
        raise BoilersweepError("no compiled code")

    name = "boilersweep.cleaners.learned.cleaner.usable_model"
    monkeypatch.setattr(name, usable_model)


def annotated_pages(outside_data: Callable[[str], Path]) -> Iterator[bytes]:
    """Yield the annotated pages of L3S-GN1 as UTF-8."""
    from boilersweep.pages.encoding import to_utf8

    with tarfile.open(outside_data("l3s-gn1.tar.xz"), "r:xz") as archive:
        for member in archive:
            if re.search(r"l3s/annotated/[^/]*\.html$", member.name):
                yield to_utf8(known(archive.extractfile(member)).read()).utf8


def known(value: Value | None) -> Value:
    """Return a value that must not be None."""
    assert value is not None
    return value


def ended(group: int) -> bool:
    """Whether no process of a group is left; needs Linux's /proc."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, of = path.read_text().rpartition(")")[2].split()[:3]
            if int(of) == group and state != "Z":
                return False
    return True


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a folder of modules that commands and workers find, too; they are forgotten after."""
    before = set(sys.modules)
    folder = tmp_path / "code"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    yield folder
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


class Install(Protocol):
    def __call__(
        self,
        name: str,
        source: str,
        group: str,
        points: Mapping[str, str],
        version: str = "1.0",
    ) -> Path: ...


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a distribution of one module, as pip leaves it: into a folder of sys.path."""
    modules: list[str] = []

    def install_one(
        name: str,
        source: str,
        group: str,
        points: Mapping[str, str],
        version: str = "1.0",
    ) -> Path:
        """Return the module's file.

        Args:
            name: of the distribution and its module.
            source: of the module.
            group: of the entry points.
            points: name of each entry point of the group -> its place.
            version: of the distribution.
        """
        folder = tmp_path / f"site-of-{name}"
        info = folder / f"{name}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        lines = [
            f"[{group}]",
            *(f"{point} = {place}" for point, place in points.items()),
        ]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
        module = folder / f"{name}.py"
        module.write_text(source)
        modules.append(name)
        monkeypatch.syspath_prepend(folder)
        return module

    yield install_one
    for name in modules:
        sys.modules.pop(name, None)


@pytest.fixture(scope="session")
def start_browser(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[], Any]]:
    """Yield a function that starts headless Chromium and records its log and all requests."""
    webdriver = pytest.importorskip(
        "selenium.webdriver", reason="selenium is not installed"
    )
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("no Chromium with chromedriver on this machine")
    from selenium.webdriver.chrome.service import Service

    started = []

    def start() -> Any:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        flags = (
            "--headless --no-sandbox --disable-gpu --disable-background-networking "
            "--disable-component-update --no-first-run --disable-dev-shm-usage"
        ).split()
        for flag in (*flags, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
            options.add_argument(flag)
        options.set_capability(
            "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
        )
        started.append(webdriver.Chrome(options, Service(driver)))
        return started[-1]

    yield start
    for one in started:
        one.quit()


@pytest.fixture(scope="session")
def browser(start_browser: Callable[[], Any]) -> Any:
    """Return the browser of all tests that need one."""
    return start_browser()


def size(browser: Any, width: int, *, dark: bool = False) -> None:
    """Show pages at a width, in light or dark colours, without moving them."""
    size = {
        "width": width,
        "height": 850,
        "deviceScaleFactor": 1,
        "mobile": width < 500,
    }
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


@pytest.fixture(scope="session")
def java() -> None:
    """Start Java."""
    from boilersweep.indexer import start_jvm

    start_jvm()
