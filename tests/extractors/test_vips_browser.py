"""What Chromium draws, and that a page reaches nobody, runs nothing, and is ended by limits."""

import contextlib
import http.client
import os
import shutil
import signal
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from boilersweep import Segmentation, UsageError, segment_collection
from boilersweep.extractors import vips
from boilersweep.extractors.registry import extractor_identity, find_extractor
from boilersweep.extractors.vips import Browser, drawn_page, find_chromium
from boilersweep.extras import install_command
from boilersweep.pages.limits import Limits

Measure = Callable[[str], Any]


@pytest.fixture(scope="module")
def needs_chromium() -> None:
    try:
        find_chromium()
    except UsageError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def chromium(needs_chromium: None) -> Iterator[Browser]:
    browser = Browser()
    yield browser
    browser.close()


def texts(measured: Any) -> list[str]:
    return [row["text"] for row in measured["rows"] if "text" in row]


def words(measured: Any) -> list[str]:
    return [text.strip() for text in texts(measured)]


def profiles() -> set[str]:
    return {
        path.name for path in Path(tempfile.gettempdir()).glob("boilersweep-vips-*")
    }


def gone(names: set[str]) -> bool:
    """Return whether profiles are removed, within two minutes."""
    for _ in range(1200):
        if not names & profiles():
            return True
        time.sleep(0.1)
    return False


PAGE = """<!DOCTYPE html><style>
* { margin: 0; padding: 0 } body { background: #ffffee; font: 20px/30px monospace }
#side { position: absolute; left: 900px; top: 50px; width: 200px; height: 300px;
  background: rgb(0, 0, 255); font-weight: bold }
</style><body><div style="height: 40px">one</div>
<div style="width: 600px; background: red"><p>two <a href=x>three</a><br>four
<hr style="height: 5px; border: 0"></div><div id=side>five</div>
"""


def test_what_is_measured_is_what_the_style_sheet_says(chromium: Browser) -> None:
    found = chromium.measure(PAGE)
    rows = {row.get("text", row["name"]).strip(): row for row in found["rows"]}
    assert texts(found) == ["\none", "\ntwo ", "three", "\nfour ", "\nfive"]
    assert rows["p"]["box"] == [0, 40, 600, 100]
    assert rows["five"]["background"] == "rgb(0, 0, 255)"
    assert rows["two"]["background"] == "rgb(255, 0, 0)"
    assert rows["one"]["background"] == "rgb(255, 255, 238)"
    assert (rows["one"]["first"], rows["five"]["last"]) == ([20, 400], [20, 700])
    assert (rows["p"]["mixed"], rows["body"]["mixed"]) == (False, True)
    assert [row["name"] for row in found["rows"] if row["inline"]].count("a") == 1
    assert (rows["a"]["virtual"], rows["p"]["virtual"]) == (True, False)
    assert (rows["three"]["linked"], rows["two"]["linked"]) == (True, False)
    assert found["rules"] == [[100, 105]]
    assert [row["name"] for row in found["rows"] if row["ruled"]] == ["div"]
    assert rows["p"]["area"] == 600 * 60
    assert len(drawn_page(found).rows) == len(found["rows"])


def test_an_element_without_a_box_has_the_one_around_its_texts(
    chromium: Browser,
) -> None:
    style = "position: absolute; width: 20px; height: 10px;"
    page = (
        f"<div id=a style='display: contents'><p style='{style} left: 50px; top: 60px'>x</p>"
        f"<p style='{style} left: 10px; top: 80px'>y</p></div>"
    )
    boxes = {row["name"]: row["box"] for row in chromium.measure(page)["rows"]}
    left, top, right, bottom = boxes["div"]
    assert (left, right) == (10, 70)
    assert bottom - top == 30


@pytest.mark.parametrize(
    "style",
    [
        "display: none",
        "visibility: hidden",
        "opacity: 0",
        "position: absolute; left: -9999px",
        "position: absolute; top: -9999px",
        "text-indent: -9999px; overflow: hidden",
        "height: 0; overflow: hidden",
        "position: absolute; width: 1px; height: 1px; overflow: hidden",
        "font-size: 0",
    ],
)
def test_what_nobody_sees_is_left_out(chromium: Browser, style: str) -> None:
    page = f"<p>one</p><div style='{style}'>two</div><p>three</p>"
    assert words(chromium.measure(page)) == ["one", "three"]


@pytest.mark.parametrize(
    ("page", "seen"),
    [
        ("", []),
        ("<frameset><frame src=x></frameset>", []),
        ("<p>yes<noscript>no</noscript><script>no</script><style>no</style>", ["yes"]),
        ("<table>one<tr><td>two</table>", ["one", "two"]),
        ("plain text & more", ["plain text & more"]),
        ("<div>" * 3000 + "deep", ["deep"]),
        # Names that hide properties of forms and documents.
        *(
            (f"<form><input name={name}>text</form><form name={name}></form>", ["text"])
            for name in (
                "parentElement nodeType localName matches getBoundingClientRect checkVisibility "
                "body documentElement createRange createTreeWalker querySelectorAll"
            ).split()
        ),
    ],
)
def test_odd_pages_are_drawn(chromium: Browser, page: str, seen: list[str]) -> None:
    assert words(chromium.measure(page)) == seen


class Listener(socketserver.TCPServer):
    """Listens on a port of this machine; `heard` has an entry for each call."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), socketserver.BaseRequestHandler)
        self.port = self.server_address[1]
        self.heard: list[bytes] = []

    def process_request(self, request: Any, _: object) -> None:
        request.settimeout(60)
        self.heard.append(b"")
        with contextlib.suppress(TimeoutError):
            self.heard[-1] = request.recv(1000)
        self.shutdown_request(request)


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as one:
        threading.Thread(target=one.serve_forever).start()
        yield one
        one.shutdown()


def fetching(address: str) -> str:
    """Return a page that fetches whatever a page can."""
    return f"""<!DOCTYPE html><html manifest={address}/manifest><head><title>here</title>
<meta http-equiv=refresh content="0;url={address}/refresh"><base href={address}>
<meta http-equiv=Content-Security-Policy content="default-src *; report-uri {address}/report">
<link rel=stylesheet href={address}/style><link rel=preload as=image href={address}/preload>
<link rel=prefetch href={address}/prefetch><link rel=preconnect href={address}>
<link rel=dns-prefetch href={address}><link rel=icon href={address}/icon>
<link rel=manifest href={address}/webmanifest><link rel=modulepreload href={address}/module>
<style>@import url({address}/import); @font-face {{ font-family: f; src: url({address}/font) }}
p {{ font-family: f; background: url({address}/background); cursor: url({address}/cursor), auto }}
</style><script src={address}/script></script><script type=speculationrules>
{{"prefetch": [{{"urls": ["{address}/rules"], "eagerness": "immediate"}}]}}</script>
<script>fetch("{address}/fetch"); new WebSocket("{address}/socket".replace("http", "ws"));
navigator.sendBeacon("{address}/beacon"); window.open("{address}/window");
top.location = "{address}/top"; location = "{address}/location"; alert(1)</script></head>
<body background={address}/body onload="location = '{address}/load'"><p>text</p>
<img src={address}/image srcset="{address}/set 2x"><iframe src={address}/frame></iframe>
<object data={address}/object></object><embed src={address}/embed>
<video src={address}/video autoplay poster={address}/poster></video>
<audio src={address}/audio autoplay></audio>
<svg><image href={address}/svg /><use href={address}/use#x /></svg>
<form action={address}/form><input type=image src={address}/input autofocus></form>
<a href={address}/link ping={address}/ping>link</a>
<iframe srcdoc="<img src={address}/inner><script>fetch('{address}/s')</script>"></iframe></body>"""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
def test_nothing_is_fetched(chromium: Browser, listener: Listener, host: str) -> None:
    page = fetching(f"http://{host}:{listener.port}")
    for _ in range(2):
        assert words(chromium.measure(page)) == ["text", "link"]
    time.sleep(1)
    assert listener.heard == []


def test_the_listener_hears_whoever_calls(listener: Listener) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", listener.port, timeout=60)
    connection.request("GET", "/x")
    with pytest.raises(http.client.HTTPException):
        connection.getresponse()
    assert listener.heard[0].startswith(b"GET /x")


def test_no_script_runs(chromium: Browser) -> None:
    page = (
        "<p id=a>still<script>a.textContent = 'ran'; for (;;);</script>"
        "<body onload='a.textContent = 1'><img src=x onerror='a.textContent = 2'>"
        "<svg onload='a.textContent = 3'></svg><iframe srcdoc='<script>"
        "parent.a.textContent = 4</script>'></iframe>"
    )
    assert words(chromium.measure(page)) == ["still"]


def test_no_file_is_read(chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("p { width: 123px }")
    link = (tmp_path / "a.css").as_uri()
    page = f"<link rel=stylesheet href={link}><iframe src={link}></iframe><p>text"
    box = chromium.measure(page)["rows"][1]["box"]
    assert box[2] - box[0] > 123


# An extractor like vips, for which some pages have no end. Only their time counts: on a loaded
# machine a browser takes long to start.
HANGING = """
from boilersweep.extractors import vips
from boilersweep.work.processes import HERE
vips._SCRIPT = "if (arguments[0].includes('endless')) for (;;);" + vips._SCRIPT
measured = vips.vips()
def text(page):
    with HERE.waiting():
        found = measured(page.replace("endless", "started"))
    return measured(page) if "endless" in page else found
"""


def test_a_page_that_takes_too_long_costs_its_text_and_no_other(
    needs_chromium: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pages").mkdir()
    for name in ("first", "endless", "third"):
        (tmp_path / "pages" / f"{name}.html").write_text(f"<p>{name}")
    (tmp_path / "plugin_hangs.py").write_text(HANGING)
    monkeypatch.syspath_prepend(tmp_path)
    before = profiles()
    store = segment_collection(
        tmp_path / "pages",
        tmp_path / "store",
        Segmentation(extractors=["plugin_hangs:text"], limits=Limits(seconds=5)),
        workers=1,
    )
    [shard] = store.columns(frozenset(), ["plugin_hangs:text"])
    texts = dict(zip(shard.docids, shard.page_texts["plugin_hangs:text"], strict=True))
    assert sorted(texts.values()) == ["", "first", "third"]
    assert store.manifest.failed_extractions == {"plugin_hangs:text": 1}
    assert gone(profiles() - before)


def test_after_a_failure_another_browser_draws(
    needs_chromium: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    extract = find_extractor("vips").text
    assert extract("<p>one") == "one"
    monkeypatch.setattr(vips, "_SCRIPT", "throw new Error('no')")
    before = profiles()
    with pytest.raises(Exception, match="no"):
        extract("<p>two")
    monkeypatch.undo()
    assert extract("<p>three") == "three"
    assert len(profiles() - before) == 1


def test_no_browser_outlives_who_started_it(needs_chromium: None) -> None:
    script = (
        "import time\nfrom boilersweep.extractors.vips import Browser\n"
        "browser = Browser()\nprint(browser.close.peek()[2][1].process.pid, flush=True)\n"
        "time.sleep(1000)\n"
    )
    before = profiles()
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    group = int(process.stdout.readline())
    mine = profiles() - before
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert gone(mine)
    assert living(group) == []


def living(group: int) -> list[str]:
    """Return the processes of a group that have not ended."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = entry.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(entry.parent.name)
    return found


def test_the_identity_names_browser_and_script(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vips.drawing_identity.cache_clear()
    identity = extractor_identity("vips")
    assert identity.startswith("selenium ")
    monkeypatch.setattr(vips, "_SCRIPT", "another")
    vips.drawing_identity.cache_clear()
    assert extractor_identity("vips") != identity
    monkeypatch.setenv("PATH", "")
    vips.drawing_identity.cache_clear()
    assert "Chromium (not installed)" in extractor_identity("vips")
    monkeypatch.undo()
    vips.drawing_identity.cache_clear()
    assert extractor_identity("vips") == identity


def test_without_chromium_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    driver = tmp_path / "chromedriver"
    driver.write_text("#!/bin/sh\n")
    driver.chmod(0o755)
    for folder in (tmp_path, tmp_path / "empty"):
        monkeypatch.setenv("PATH", str(folder))
        assert shutil.which("chromium") is None
        with pytest.raises(UsageError, match="apt-get install chromium") as error:
            find_extractor("vips")
        assert install_command("vips") in str(error.value)
        assert "\n" not in str(error.value)
