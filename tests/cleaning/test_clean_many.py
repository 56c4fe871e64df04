"""clean_many in worker processes: order, laziness, and pages that hang, crash or fail."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from boilersweep import BoilersweepError, PageError, UsageError, clean, clean_many
from boilersweep.pages.limits import Limits
from boilersweep.work import pool

HOSTILE = """
import os, signal, time

def text(page):
    if "CRASH" in page:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "HANG" in page:
        while True:
            time.sleep(60)
    if "RAISE" in page:
        raise ValueError("no such page")
    return page.upper()
"""


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return an extractor that crashes, hangs and raises on some pages."""
    (tmp_path / "plugin_hostile.py").write_text(HOSTILE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "plugin_hostile:text"


def pages(count: int) -> list[str]:
    return [f"<p>{number} one two three four five" for number in range(count)]


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2", None])
def test_workers_are_a_whole_number(workers: Any) -> None:
    with pytest.raises(
        UsageError, match="workers: expected a whole number of at least 1, got"
    ):
        clean_many([], workers=workers)


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 250])
def test_all_come_in_order(workers: int, count: int) -> None:
    found = list(clean_many(pages(count), cleaner="words>=3", workers=workers))
    assert found == [clean(page, "words>=3") for page in pages(count)]


@pytest.mark.slow
def test_a_page_that_crashes_its_process_costs_no_other(hostile: str) -> None:
    given = pages(250)
    given[7] = given[203] = "<p>CRASH"
    given[8] = "<p>RAISE"
    found = list(clean_many(given, cleaner=hostile, workers=2))
    errors = {
        place: str(one) for place, one in enumerate(found) if isinstance(one, PageError)
    }
    assert errors == {
        7: "the page cannot be cleaned, crashed its worker: signal SIGSEGV",
        8: "plugin_hostile:text failed on the page (ValueError: no such page)",
        203: "the page cannot be cleaned, crashed its worker: signal SIGSEGV",
    }
    assert [one for one in found if isinstance(one, str)] == [
        page.upper() for place, page in enumerate(given) if place not in errors
    ]


def test_a_page_that_hangs_costs_no_other(
    hostile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boilersweep.cleaning.clean.Limits", lambda: Limits(seconds=1))
    given = ["<p>a b", "<p>HANG", "<p>c d", "<p>e f"]
    assert [str(text) for text in clean_many(given, cleaner=hostile, workers=2)] == [
        "<P>A B",
        "the page cannot be cleaned, over the time cap: more than 1 s",
        "<P>C D",
        "<P>E F",
    ]


def test_pages_are_read_as_they_are_needed() -> None:
    read = 0

    def endless() -> Iterator[str]:
        nonlocal read
        while True:
            read += 1
            yield f"<p>{read} one two three"

    found = clean_many(endless(), cleaner="words>=3", workers=2)
    assert read == 0
    assert next(found) == "1 one two three"
    assert read <= 500
    for _ in range(1000):
        next(found)
    assert read <= 1500
    assert isinstance(found, Generator)
    found.close()


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the workers that are started."""
    begun: list[Any] = []
    give = pool._Worker.give

    def noting(worker: Any, given: Any) -> None:
        give(worker, given)
        if worker not in begun:
            begun.append(worker)

    monkeypatch.setattr(pool._Worker, "give", noting)
    return begun


def test_the_processes_end_with_the_iterator(begun: list[Any]) -> None:
    found = clean_many(pages(250), cleaner="words>=3", workers=2)
    assert isinstance(found, Generator)
    next(found)
    found.close()
    assert [worker.exit_reason() for worker in begun] == ["signal SIGKILL"] * 2


@pytest.mark.parametrize(
    ("count", "workers", "most"), [(2, 200, 1), (250, 200, 3), (250, 2, 2), (0, 200, 0)]
)
def test_no_more_processes_than_batches_or_workers(
    begun: list[Any], count: int, workers: int, most: int
) -> None:
    assert (
        len(list(clean_many(pages(count), cleaner="words>=3", workers=workers)))
        == count
    )
    assert min(count, 1) <= len(begun) <= most


def test_an_error_of_the_pages_iterator_comes_through() -> None:
    def broken() -> Iterator[str]:
        yield from pages(120)
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(clean_many(broken(), cleaner="words>=3", workers=2))


NO_PAGES = (
    None,
    float("nan"),
    7,
    {"html": "<p>a"},
    ["<p>a"],
    pa.scalar(None),
    pa.scalar(7),
)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_no_page_is_an_error_in_its_place(workers: int) -> None:
    mixed: list[Any] = []
    for page, none in zip(pages(len(NO_PAGES)), NO_PAGES, strict=True):
        mixed += [page, none]
    found = list(clean_many(mixed, cleaner="words>=3", workers=workers))
    assert found[::2] == list(clean_many(pages(len(NO_PAGES)), cleaner="words>=3"))
    names = ("None", "float", "int", "dict", "list", "None", "int")
    for error, name in zip(found[1::2], names, strict=True):
        assert isinstance(error, PageError)
        assert str(error) == (
            "expected a page's HTML as bytes or text, or its file as a Path, got "
            + name
        )


@pytest.mark.parametrize("workers", [1, 2])
def test_forms_of_a_page(workers: int) -> None:
    page = "<p>één twee drie</p>"
    octets = page.encode()
    forms = (
        page,
        octets,
        bytearray(octets),
        memoryview(octets),
        memoryview(octets + octets)[: len(octets)],
        pa.scalar(page),
        pa.scalar(octets),
        pa.scalar(octets, pa.large_binary()),
        pa.scalar(page, pa.string_view()),
        pa.array([page]).dictionary_encode()[0],
    )
    found = list(clean_many(forms, cleaner="words>=3", workers=workers))
    assert found == ["één twee drie"] * len(forms)


def test_a_worker_that_cannot_begin_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("boilersweep.cleaning.clean._work", os.abort)
    with pytest.raises(BoilersweepError, match="died before it read anything"):
        list(clean_many(pages(3), cleaner="words>=3", workers=2))
