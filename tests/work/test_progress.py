"""Progress: a bar on a terminal, elsewhere lines now and then, for commands alone."""

import io
import sys
from collections.abc import Callable, Iterator

import pytest

from boilersweep.work import progress
from boilersweep.work.progress import DocumentsBar, begin, log_every, steps, waiting

Wait = Callable[[float], None]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wait]:
    """Lets so many seconds go by; lines are asked for every 30."""
    now = [1000.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])

    def pass_by(seconds: float) -> None:
        now[0] += seconds

    log_every(30)
    yield pass_by
    log_every(None)


def test_without_a_terminal_a_line_comes_now_and_then(
    wait: Wait, capsys: pytest.CaptureFixture[str]
) -> None:
    with steps("index", 10_000, "documents") as bar:
        for _ in range(4):
            wait(10)
            bar.update(1000)
        wait(60)
        bar.update(6000)
    assert capsys.readouterr().err.splitlines() == [
        "index: 3,000 of 10,000 documents, 100/s, 01:10 left",
        "index: 10,000 of 10,000 documents, 100/s",
        "index: 10,000 of 10,000 documents in 01:40",
    ]


@pytest.mark.parametrize(
    ("every", "seconds", "lines"),
    [
        # And not 0 a second
        (30, 45, "search: 1 of 3 variants, 45 s each, 01:30 left\n"),
        (30, 29, ""),
        (None, 1e6, ""),  # a library
    ],
)
def test_slow_and_quick_steps(
    wait: Wait,
    capsys: pytest.CaptureFixture[str],
    every: float | None,
    seconds: float,
    lines: str,
) -> None:
    log_every(every)
    with steps("search", 3, "variants") as bar:
        wait(seconds)
        bar.update()
        assert capsys.readouterr().err == lines
    nothing = DocumentsBar("segment", 0)
    nothing.show(0, 0)
    nothing.close()
    assert "segment" not in capsys.readouterr().err


def test_documents_have_the_share_of_bytes(
    wait: Wait, capsys: pytest.CaptureFixture[str]
) -> None:
    bar = DocumentsBar("segment", 1000)
    bar.show(0, 0)
    wait(30)
    bar.show(0, 0)
    wait(30)
    bar.show(600, 250)
    bar.close()
    assert capsys.readouterr().err.splitlines() == [
        "segment: 0%, 0 documents",
        "segment: 25%, 600 documents, 10/s, 03:00 left",
        "segment: 25%, 600 documents in 01:00",
    ]


def test_a_terminal_has_a_bar(wait: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    with steps("index", 10, "documents") as bar:
        wait(100)
        bar.update(10)
    documents = DocumentsBar("segment", 1000)
    documents.show(600, 1000)
    documents.close()
    assert "index: 100%" in stderr.getvalue()
    assert "600 documents" in stderr.getvalue()
    assert " in 01:40" not in stderr.getvalue()


def test_a_terminal_shows_what_the_program_waits_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for stream, shown in (
        (Terminal(), "Starting Java ...\r\x1b[K"),
        (io.StringIO(), ""),
    ):
        monkeypatch.setattr(sys, "stderr", stream)
        with waiting("Starting Java"):
            pass
        assert stream.getvalue() == shown


def test_silence_is_counted_over_several_steps(
    wait: Wait, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):  # each too short for a line of its own
        with steps("short", 2, "parts") as bar:
            wait(12)
            bar.update(2)
    assert (
        capsys.readouterr().err.count("short: 2 of 2 parts") == 2
    )  # a line, and its end


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_the_first_part_is_named_and_others_if_it_was_silent(
    wait: Wait, monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO]
) -> None:
    written = stream()
    monkeypatch.setattr(sys, "stderr", written)
    begin("read")
    begin("rank")
    wait(8)
    begin("tests")
    wait(0.5)
    begin("figures")
    wait(1)
    begin("report")
    lines = written.getvalue().replace("\r", "").splitlines()
    assert lines == ["read ...", "tests ...", "report ..."]


def test_a_library_names_no_parts(
    wait: Wait, capsys: pytest.CaptureFixture[str]
) -> None:
    log_every(None)
    wait(100)
    begin("more")
    assert capsys.readouterr().err == ""
