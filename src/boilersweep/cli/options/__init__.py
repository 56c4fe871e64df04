"""The options of the commands, in groups.

A module has the options of its group as data, checks them, and builds from the parsed
call what the package takes; defaults come from there.

collection  the pages or the block store, how pages become blocks, and the stores made of them
cleaners    what to keep of them: cleaners, sweeps, grids
topics      topics and qrels
ranking     ranking formulas and feedback
index       what an index holds, and its analyzer
experiment  engine, measures, documents and queries of an experiment or an assessment
export      files of an export, near-duplicates
datasets    annotated pages
output      what is written, what becomes of existing results; threads, Java's memory, progress
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boilersweep.cli.options import (
        cleaners,
        collection,
        datasets,
        experiment,
        export,
        index,
        output,
        ranking,
        topics,
    )

__all__ = [
    "cleaners",
    "collection",
    "datasets",
    "experiment",
    "export",
    "index",
    "output",
    "ranking",
    "topics",
]


def __getattr__(name: str) -> object:
    """Import a group when a command first uses it; all together take a quarter of a second."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
