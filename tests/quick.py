"""Stand-ins for what takes long and shows nothing but numbers that are compared anyway."""

import contextlib
import copy
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from unittest import mock

from boilersweep.applications import provided

GRID = ("words=1,11", "density=14")

_PAGE = "boilersweep.eval.report.report_page"


@contextlib.contextmanager
def quick() -> Iterator[None]:
    """Figures sketched, the paper's grid of 120 thresholds as three; no fsync.

    A figure's file still says what is in the figure. Workers import what is the main module: here
    nothing, as it may be pytest.
    """
    from boilersweep.cleaners.syntax.variants import parse_sweep

    main = sys.modules["__main__"]
    grid = tuple(map(parse_sweep, GRID))
    with (
        sketched(),
        unsynced(),
        mock.patch("boilersweep.cli.blogs06.PAPER_SWEEPS", grid),
        mock.patch.dict(vars(main), __spec__=None),
    ):
        vars(main).pop("__file__", None)  # it comes back with the others
        yield


@contextlib.contextmanager
def declared_once() -> Iterator[None]:
    """Read the options of a command from its signature once; each call has a copy of them.

    Reading them takes most of the time of a call that only says what is wrong.
    """
    from cyclopts import App

    read = App.assemble_argument_collection
    known: dict[object, Any] = {}

    def copied(app: App, **how: Any) -> Any:
        if any(how.values()):
            return read(app, **how)
        command = app.default_command
        if command not in known:
            known[command] = read(app)
        return copy.deepcopy(known[command], dict(_shared(known[command])))

    with mock.patch.object(App, "assemble_argument_collection", copied):
        yield


def _shared(arguments: Iterable[Any]) -> Iterator[tuple[int, object]]:
    """Yield, by their ids, what no call changes of the declarations of arguments."""
    for one in arguments:
        for value in (one.parameter, one.field_info, one.hint):
            yield id(value), value
        yield from _shared(one.children)


def unsynced() -> AbstractContextManager[object]:
    """Do not wait for the disk: what tests write need not outlast a power cut."""
    return mock.patch("os.fsync", _nothing)


@contextlib.contextmanager
def sketched() -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Figures are files of what is in them, and reports draw no charts.

    Yields a context in which they are drawn in full.
    """
    import vl_convert

    names = ("vegalite_to_svg", "svg_to_png", "vegalite_to_vega")
    in_full = {name: getattr(vl_convert, name) for name in names}
    script = provided(f"{_PAGE}:vega_script")  # None without reports

    def scripts(made: object) -> AbstractContextManager[object]:
        return mock.patch(f"{_PAGE}.vega_script", made) if script else nullcontext()

    @contextlib.contextmanager
    def drawn() -> Iterator[None]:
        with mock.patch.multiple(vl_convert, **in_full), scripts(script):
            yield

    with (
        mock.patch.multiple(
            vl_convert,
            vegalite_to_svg=json.dumps,
            svg_to_png=lambda *_, **__: b"\x89PNG\r\n\x1a\n",
            vegalite_to_vega=lambda _: {"marks": [{"name": "named"}]},
        ),
        scripts(lambda: "window.vegaEmbed = async () => {};"),
    ):
        yield drawn


def _nothing(*_: Any, **__: Any) -> None:
    pass
