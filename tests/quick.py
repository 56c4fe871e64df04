"""Stand-ins for what takes long and shows nothing but numbers that are compared anyway."""

import contextlib
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest import mock

GRID = ("words=1,11", "density=14")


@contextlib.contextmanager
def quick() -> Iterator[None]:
    """Figures sketched, the paper's grid of 120 thresholds as three; no fsync.

    A figure's file still says what is in the figure. Workers import what is the main module: here
    nothing, as it may be pytest.
    """
    from boilersweep.cleaners.language.variants import parse_sweep

    main = sys.modules["__main__"]
    grid = tuple(map(parse_sweep, GRID))
    with (
        sketched(),
        mock.patch("boilersweep.outputs.atomic._sync", _nothing),
        mock.patch("boilersweep.cli.blogs06.PAPER_SWEEPS", grid),
        mock.patch.dict(vars(main), __spec__=None),
    ):
        vars(main).pop("__file__", None)  # it comes back with the others
        yield


@contextlib.contextmanager
def sketched() -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Figures are files of what is in them, and reports have no charts.

    Yields a context in which they are drawn in full.
    """
    from matplotlib.figure import Figure

    from boilersweep.eval.report import page

    figure: dict[str, Any] = {
        "savefig": Figure.savefig,
        "tight_layout": Figure.tight_layout,
    }
    charts = page._charts

    @contextlib.contextmanager
    def drawn() -> Iterator[None]:
        with (
            mock.patch.multiple(Figure, **figure),
            mock.patch.object(page, "_charts", charts),
        ):
            yield

    with (
        mock.patch.multiple(Figure, savefig=_save, tight_layout=_nothing),
        mock.patch.object(page, "_charts", return_value=(defaultdict(list), {})),
    ):
        yield drawn


def _nothing(*_: Any, **__: Any) -> None:
    pass


def _save(figure: Any, path: Path, *, format: str, **_options: Any) -> None:  # noqa: A002
    said = [format]
    for axes in figure.axes:
        said += [axes.get_title(), *(text.get_text() for text in axes.texts)]
        said += [str(line.get_xydata().tolist()) for line in axes.lines]
        said += [str(patch.get_extents()) for patch in axes.patches]
        said += [str(points.get_offsets()) for points in axes.collections]
    path.write_text("\n".join(said))
