"""Time the systems on one core, in turns: round after round, each once over its pages."""

import gc
import itertools
import logging
import os
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchmarks.marks import Marks
from benchmarks.scaled import html_pages
from benchmarks.systems import BARE, SYSTEMS, Form, NotThereError, Run, System
from boilersweep.pages.encoding import to_utf8

_WARM_UP_PAGES = 10


@dataclass(slots=True)
class _Timed:
    """A system and what it took.

    Attributes:
        seconds: of CPU, one value per round; on one core the same as wall, less what others took of
            it.
        wall: seconds, one value per round.
        failures: in one round.
    """

    system: System
    run: Run
    pages: list[Any]
    seconds: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)

    def take_turn(self) -> None:
        """Time one pass over the pages."""
        run, failures = self.run, Counter[str]()
        turns = [self.pages] if self.system.together else self.pages
        gc.collect()
        begun, wall = time.process_time(), time.perf_counter()
        for pages in turns:
            try:
                run(pages)
            except Exception as error:  # whatever a peer raises is counted
                failures[type(error).__name__] += 1
        self.seconds.append(time.process_time() - begun)
        self.wall.append(time.perf_counter() - wall)
        self.failures = failures


def time_systems(
    marks: Marks,
    *,
    part: str,
    input: str,  # noqa: A002 - as the other jobs name it
    collection: str | None,
    output: str,  # noqa: ARG001 - of all jobs
    repeat: int,
    most_pages: int,
    sample: int,
) -> dict[str, Any]:
    """Seconds of every system of a part of the benchmark.

    Args:
        marks: notes the phases.
        part: segmentation or cleaning.
        input: the collection.
        collection: its format, None to recognise it.
        output: a folder.
        repeat: rounds.
        most_pages: the first so many of the collection.
        sample: pages for the slow systems, evenly spread over those; lxml is timed on them as well,
            for their ratio.
    """
    logging.disable(logging.CRITICAL)  # a peer's complaints about pages would take time
    core = _pin_to_one_core()
    pages = [
        to_utf8(record.body, record.charset).utf8
        for record in itertools.islice(html_pages(Path(input), collection), most_pages)
    ]
    marks.mark("read and decode")
    sets = _Pages(pages, _spread(pages, sample))
    bare = {slow: _prepared(replace(BARE, slow=slow), sets) for slow in (False, True)}
    timed = [*bare.values()]
    missing = {}
    for system in SYSTEMS[part]:
        try:
            timed.append(_prepared(system, sets))
        except ImportError:
            missing[system.name] = "not installed"
        except NotThereError as reason:
            missing[system.name] = str(reason)
    marks.mark("prepare")
    with tqdm(total=repeat * len(timed), desc=part, disable=None) as bar:
        for _ in range(repeat):
            for one in timed:
                one.take_turn()
                bar.update()
    marks.mark("time")
    return {
        "core": core,
        "pages": len(sets.every),
        "bytes": sum(map(len, sets.every)),
        "sample": len(sets.sample),
        "repeat": repeat,
        "missing": missing,
        "systems": [_summary(one, bare[one.system.slow]) for one in timed],
    }


@dataclass(slots=True)
class _Pages:
    """The pages as UTF-8, all of them and a sample, and what has been made of them."""

    every: list[bytes]
    sample: list[bytes]
    _made: dict[tuple[Form, bool], list[Any]] = field(default_factory=dict)

    def wanted_by(self, system: System) -> list[Any]:
        """Return the pages for a system, in the form it wants."""
        key = system.form, system.slow
        if key not in self._made:
            pages = self.sample if system.slow else self.every
            self._made[key] = (
                [page.decode("utf-8") for page in pages]
                if system.form == "str"
                else list(pages)
            )
        return self._made[key]


def _spread(pages: Sequence[bytes], count: int) -> list[bytes]:
    """So many of the pages, evenly spread."""
    count = min(count, len(pages))
    return [pages[number * len(pages) // count] for number in range(count)]


def _prepared(system: System, pages: _Pages) -> _Timed:
    """Return the system with its pages, warmed up."""
    run, wanted = system.prepare(), pages.wanted_by(system)
    _Timed(system, run, wanted[:_WARM_UP_PAGES]).take_turn()
    return _Timed(system, run, wanted)


def _pin_to_one_core() -> int | None:
    """Bind this process to the last core it may use; None where that is not possible."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


def _summary(one: _Timed, bare: _Timed) -> dict[str, Any]:
    """Return what the report shows of a system, and the raw seconds.

    Ratios are taken within a round and their median over the rounds, so that what slows the machine
    down for a while slows both.
    """
    ratios = [own / base for own, base in zip(one.seconds, bare.seconds, strict=True)]
    return {
        "name": one.system.name,
        "on_sample": one.system.slow,
        "pages": len(one.pages),
        "pages_per_second": len(one.pages) / statistics.median(one.seconds),
        "ratio": statistics.median(ratios),
        "failures": dict(one.failures),
        "seconds": one.seconds,
        "wall": one.wall,
        "ratios": ratios,
    }
