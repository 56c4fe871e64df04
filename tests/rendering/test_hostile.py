"""Pages that would harm: each is drawn or ended, counted, and heard of by nobody.

What is written for the browser (`marking.py`) has nothing that acts; so that the browser's own
walls are tried, most of these are given to it as they came.
"""

import contextlib
import http.client
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from boilersweep.collection.record import Reason
from boilersweep.rendering.browser import Browser, RenderLimits, UndrawnError
from boilersweep.rendering.drawing import draw
from boilersweep.rendering.marking import MarkingSegmenter
from tests.rendering.conftest import Draw, Listener


def fetching(address: str) -> str:
    """Return a page that fetches whatever a page can."""
    return f"""<!DOCTYPE html><html manifest={address}/manifest><head><title>here</title>
<meta http-equiv=refresh content="0;url={address}/refresh">
<link rel=stylesheet href={address}/style><link rel=preload as=image href={address}/preload>
<link rel=prefetch href={address}/prefetch><link rel=preconnect href={address}>
<link rel=dns-prefetch href={address}><link rel=icon href={address}/icon>
<link rel=manifest href={address}/webmanifest>
<style>@import url({address}/import); @font-face {{ font-family: f; src: url({address}/font) }}
p {{ font-family: f; background: url({address}/background); cursor: url({address}/cursor), auto }}
</style><script src={address}/script></script>
<script>fetch("{address}/fetch"); new WebSocket("{address}/socket".replace("http", "ws"));
navigator.sendBeacon("{address}/beacon"); window.open("{address}/window");
location = "{address}/location"; new Worker("{address}/worker");
navigator.serviceWorker.register("{address}/serviceworker"); alert(1)</script></head>
<body background={address}/body onload="location = '{address}/load'"><p>text</p>
<img src={address}/image srcset="{address}/set 2x"><iframe src={address}/frame></iframe>
<object data={address}/object></object><embed src={address}/embed>
<video src={address}/video autoplay poster={address}/poster></video>
<audio src={address}/audio autoplay></audio>
<svg><image href={address}/svg /><use href={address}/use#x /></svg>
<form action={address}/form><input type=image src={address}/input autofocus></form>
<a href={address}/link ping={address}/ping>link</a>
<iframe srcdoc="<img src={address}/inner>"></iframe></body></html>"""


def measured(browser: Browser, html: str, script: str) -> Any:
    """Return what a script says of a page.

    Where the page before led itself away, the browser may end on this one: it is tried once more,
    as `draw` does.
    """
    try:
        return browser.measure(html, script)
    except UndrawnError:
        return browser.measure(html, script)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
def test_nobody_hears_of_a_page(chromium: Browser, listener: Listener, host: str) -> None:
    address = f"http://{host}:{listener.port}"
    with contextlib.suppress(UndrawnError):  # it may have led itself away before it is read
        chromium.measure(fetching(address), "1")
    time.sleep(1)
    page = MarkingSegmenter(structure=True).html(fetching(address).encode())
    found = draw(page, chromium)
    assert found.outcome == ""
    assert found.blocks.matched.all()
    time.sleep(1)
    assert listener.heard == []


def test_the_listener_hears_whoever_calls(listener: Listener) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", listener.port, timeout=5)
    connection.request("GET", "/x")
    with pytest.raises(http.client.HTTPException):
        connection.getresponse()
    assert listener.heard[0].startswith(b"GET /x")


def test_scripts_are_off(chromium: Browser) -> None:
    page = (
        "<title>still</title><body onload='document.title = 1'><script>document.title = 'ran'; "
        "for (;;) window.open('about:blank')</script><p>text<img src=x onerror='document.title=2'>"
        "<svg onload='document.title=3'></svg><a href='javascript:document.title=4'>a</a>"
    )
    begin = time.monotonic()
    assert measured(chromium, page, "document.title") == "still"
    assert time.monotonic() - begin < 60  # the script has no end
    targets = chromium._call("Target.getTargets")["targetInfos"]
    assert len([one for one in targets if one["type"] == "page"]) == 1


@pytest.mark.parametrize(
    ("limits", "script", "reason"),
    [
        (RenderLimits(seconds=2), "for (;;);", Reason.OVER_TIME),
        (
            RenderLimits(seconds=60, bytes=600 * 2**20),
            "const a = []; for (;;) a.push(new Array(1e6).fill(a));",
            Reason.OVER_MEMORY,
        ),
    ],
    ids=["time", "memory"],
)
def test_what_takes_too_much_is_ended(
    needs_chromium: None, limits: RenderLimits, script: str, reason: Reason
) -> None:
    with Browser(limits) as browser:
        begin = time.monotonic()
        with pytest.raises(UndrawnError) as ended:
            browser.measure("<p>one", script)
        assert ended.value.reason is reason
        assert time.monotonic() - begin < limits.seconds + 13
        assert browser.measure("<p>two", "document.body.innerText") == "two"


def test_a_crash_is_counted_and_costs_no_page(chromium: Browser) -> None:
    os.killpg(chromium._driver.service.process.pid, signal.SIGKILL)
    with pytest.raises(UndrawnError) as ended:
        chromium.measure("<p>one", "1")
    assert ended.value.reason is Reason.CRASHED
    assert chromium.measure("<p>two", "document.body.innerText") == "two"
    os.killpg(chromium._driver.service.process.pid, signal.SIGKILL)
    page = MarkingSegmenter(structure=True).html(b"<p>one")
    assert draw(page, chromium).outcome == ""


def test_a_huge_page_is_drawn_or_ended(drawn: Draw) -> None:
    page = drawn("".join(f"<div><p>block {number}</div>" for number in range(20_000)))
    assert page.outcome in ("", Reason.OVER_TIME, Reason.OVER_MEMORY)
    assert len(page.blocks) == 20_000


@pytest.mark.parametrize(
    "html",
    [
        "<style>" + "".join(f".a{n} > .b{n} ~ p:not(.c) {{ color: red }}" for n in range(20_000)),
        "<style>p { width: " + "calc(" * 5000 + "1px" + ")" * 5000 + "}",
        "<style>:root{--a:x x x x x x x x}" + "".join(
            f":root{{--a{n}:" + f"var(--a{n - 1}) " * 8 + "}" for n in range(1, 40)
        ),
        "<style>p::before { content: counter(a); counter-increment: a 1000000000 }",
        "<style>body { height: 1e30px; width: 1e30px; font-size: 1e9px }",
        "<div style='display: grid; grid-template-columns: repeat(100000, 1px)'>",
        "<div style='columns: 1px 100000'>" + "x " * 10_000,
        "<table>" * 300,
        "<b>" * 3000,
        "<div><p>x" * 2000,
        "<svg>" * 3000,
        "<div style='filter: blur(99px)'>" * 200,
        "<p " + " ".join(f"data-a{n}=1" for n in range(5000)) + ">",
        "<input autofocus>" * 3000,
        "<p>\ufdd0 \ufdd099\ufdd1 \ufdd0x\ufdd1",
        "\0\x01\x1b\ud800".encode("utf-8", "replace").decode() + "<p>",
    ],
    ids=lambda html: html[:24],
)  # fmt: skip
def test_hostile_markup_is_drawn_or_ended(chromium: Browser, html: str) -> None:
    segmenter = MarkingSegmenter(structure=True)
    page = segmenter.html(f"{html}</style><p>the text".encode())
    found = draw(page, chromium)
    assert found.outcome in ("", Reason.OVER_TIME, Reason.OVER_MEMORY)
    assert len(found.blocks) == len(page)
    # What is slow to paint may still be at it, and cost the next page its first try.
    assert draw(segmenter.html(b"<p>next"), chromium).blocks.shown.tolist() == [True]


def test_files_are_not_read(chromium: Browser, tmp_path: Path) -> None:
    secret = tmp_path / "secret.html"
    secret.write_text("<p>the secret")
    style = tmp_path / "secret.css"
    style.write_text("p { width: 123px }")
    page = (
        f"<link rel=stylesheet href={style.as_uri()}><iframe src={secret.as_uri()}></iframe>"
        f"<object data={secret.as_uri()}></object><embed src={secret.as_uri()}>"
        f"<meta http-equiv=refresh content='0;url={secret.as_uri()}'><p>text"
    )
    said = measured(
        chromium,
        page,
        "[location.href, document.querySelector('p').offsetWidth, document.body.innerText, "
        "[...document.querySelectorAll('iframe, object')].map(o => "
        "  { try { return o.contentDocument?.body?.innerText ?? '' } catch { return '' } })]",
    )
    assert said[0] == "about:blank"
    assert said[1] != 123
    assert "secret" not in str(said[2:])
    time.sleep(0.5)
    assert "secret" not in measured(chromium, "<p>next", "document.body.innerText")


def test_nothing_is_downloaded(chromium: Browser) -> None:
    folder = Path.home() / "Downloads"
    before = sorted(folder.iterdir()) if folder.is_dir() else None
    page = (
        "<meta http-equiv=refresh content='0;url=data:application/zip,PK'>"
        "<a download href='data:,x'>a</a><iframe src='data:application/octet-stream,x'></iframe>"
    )
    with contextlib.suppress(UndrawnError):
        chromium.measure(page, "1")
    time.sleep(0.5)
    assert (sorted(folder.iterdir()) if folder.is_dir() else None) == before


def test_no_browser_outlives_who_started_it(needs_chromium: None, tmp_path: Path) -> None:
    script = (
        "import time\nfrom boilersweep.rendering.browser import Browser\n"
        "with Browser() as browser:\n"
        "    print(browser._driver.service.process.pid, flush=True)\n    time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdout is not None
    group = int(process.stdout.readline())
    process.kill()
    process.wait()
    process.stdout.close()
    for _ in range(100):
        if not living(group):
            return
        time.sleep(0.1)
    pytest.fail(f"processes of group {group} are left: {living(group)}")


def living(group: int) -> list[str]:
    """Return the processes of a group that have not ended."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(entry.parent.name)
    return found


def test_a_browser_killed_with_its_answer_is_replaced(
    chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = UndrawnError(Reason.OVER_TIME, "a moment too late")

    def answered_and_killed(script: str) -> object:
        monkeypatch.undo()
        with chromium._lock:  # as the watchman does, who else would write over it
            chromium._verdict = over
            chromium._kill()
        return script

    monkeypatch.setattr(chromium, "_value", answered_and_killed)
    with pytest.raises(UndrawnError, match="a moment too late"):
        chromium.measure("<p>one", "1")
    assert chromium.measure("<p>two", "1 + 1") == 2
