"""An exact sweep part by part: rows of each, statistics added up, lists of each, lists joined.

store --a part--> rows and statistics; all of them --statistics added up--> lists of each --> runs

A process holds the rows of one part at a time, whatever the collection's size, and the result
does not depend on who did it: a document's score needs of the others only the statistics.
"""

import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import read_array
from numpy.typing import NDArray

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.selection import AlignmentCounts, identity_of
from boilersweep.cleaners.stored import fingerprint_for
from boilersweep.errors import StoreError, raise_exhausted
from boilersweep.eval.ranking.exact.plan import RANK_CODE, ExactPlan
from boilersweep.eval.ranking.exact.rows import Rows, TermRows
from boilersweep.eval.ranking.exact.top_hits import (
    Lists,
    Totals,
    join_lists,
    rank_rows,
    totals_of,
)
from boilersweep.eval.ranking.runs import PackedDocids
from boilersweep.indexer.jvm import anserini_identity, start_jvm
from boilersweep.indexer.manifest import INDEX_CODE
from boilersweep.outputs.atomic import make_folder, whole_file
from boilersweep.outputs.identity import code_identity
from boilersweep.outputs.locations import open_regular
from boilersweep.outputs.parts import key_of
from boilersweep.outputs.typed_files import as_builtins, parse_json
from boilersweep.store.store import BlockStore
from boilersweep.work.progress import steps
from boilersweep.work.tasks import NOTES, Work, make_all, require_visible

Arrays = Mapping[str, NDArray[Any]]

# The most documents whose rows are held in memory together, on one machine.
MOST_IN_MEMORY = 250_000

# Documents of a part of several shards: a list of each variant and topic is joined for each part.
_TOGETHER = 20_000

_COLUMNS = ("documents", "signatures", "tf")
_AT_ONCE = 2**20  # bytes
# What reading a damaged archive may raise.
_DAMAGE = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    TypeError,
    RuntimeError,
    OverflowError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)


def write_rows(path: Path, rows: Rows, totals: Totals, recipe: str) -> None:
    """Write rows, their statistics and the text of their recipe, whole or not at all.

    Raises:
        OutputError: The output cannot be written.
    """
    of_terms = list(rows.terms.values())
    arrays: dict[str, NDArray[Any]] = {
        "terms": _json(list(rows.terms)),
        "docids": _json(list(rows.docids)),
        "signatures": rows.signatures,
        "codes": rows.codes,
        "documents": rows.documents,
        "tokens": rows.tokens,
        "placed": _json(as_builtins(rows.placed)),
        "term_sizes": np.array([len(term.tf) for term in of_terms], dtype=np.int64),
        "all_terms": _json(totals.terms),
        "df": totals.df,
        "occurrences": totals.occurrences,
    }
    for name in _COLUMNS:
        columns = [getattr(term, name) for term in of_terms]
        arrays[f"term_{name}"] = np.concatenate([np.empty(0, np.int32), *columns])
    _write(path, recipe, arrays)


def read_rows(path: Path, recipe: str) -> Rows:
    """Read rows; raises StoreError if the file is damaged or its rows have another recipe."""
    with _read(path, recipe) as array:
        bounds = np.cumsum(array("term_sizes"))[:-1]
        columns = [np.split(array(f"term_{name}"), bounds) for name in _COLUMNS]
        terms = _parsed(array("terms"))
        rows_of_terms = zip(terms, *columns, strict=True) if terms else ()
        return Rows(
            docids=PackedDocids(_parsed(array("docids"))),
            terms={term: TermRows(*of_term) for term, *of_term in rows_of_terms},
            signatures=array("signatures"),
            codes=array("codes"),
            documents=array("documents"),
            tokens=array("tokens"),
            placed=_placed(array("placed")),
        )


def read_totals(path: Path, recipe: str) -> Totals:
    """Return the statistics of rows, without the rows; raise StoreError as `read_rows`."""
    with _read(path, recipe) as array:
        return Totals(
            terms=tuple(_parsed(array("all_terms"))),
            documents=array("documents"),
            tokens=array("tokens"),
            df=array("df"),
            occurrences=array("occurrences"),
            placed=_placed(array("placed")),
        )


def _write(path: Path, recipe: str, arrays: Arrays) -> None:
    with whole_file(path) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, recipe=_json(recipe), **arrays)


def _array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """Read an array, which is compared with its checksum before NumPy sees it.

    NumPy reads as much as an array's header says, and a checksum is compared at the end.
    """
    with archive.open(f"{name}.npy") as file:
        while file.read(_AT_ONCE):
            pass
    with archive.open(f"{name}.npy") as file:
        array: NDArray[Any] = read_array(file, allow_pickle=False)
    return array


@contextmanager
def _read(path: Path, recipe: str) -> Iterator[Callable[[str], NDArray[Any]]]:
    """Give a function that reads an array.

    Raises:
        StoreError: The file is damaged, or has another recipe.
    """
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            array = partial(_array, archive)
            if _parsed(array("recipe")) != recipe:
                raise StoreError(
                    f"{path} is of another sweep; delete it and make it again"
                )
            yield array
    except _DAMAGE as error:
        raise_exhausted(error)
        raise StoreError(
            f"{path} is damaged or no part of a sweep ({error}); delete it and run the same "
            "command again"
        ) from error


def _placed(array: NDArray[np.uint8]) -> dict[str, AlignmentCounts]:
    return {name: AlignmentCounts(**counts) for name, counts in _parsed(array).items()}


def _json(value: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _parsed(array: NDArray[np.uint8]) -> Any:
    return parse_json(array.tobytes())


@dataclass(frozen=True, slots=True)
class RowsTask:
    """A part of a store, one shard or small neighbours, whose rows become a file.

    Attributes:
        store: The part.
        name: The key of all that the rows depend on.
        plan: What the sweep computes.
        folder: The folder of the file.
        heap: Java's heap in a process without Java, as text.
    """

    store: BlockStore
    name: str
    plan: ExactPlan
    folder: Path
    heap: str | None

    @property
    def file(self) -> Path:
        """The file of the rows."""
        return self.folder / f"{self.name}.npz"


def collect_part(task: RowsTask) -> Path:
    """Write the rows of a part, and return their file.

    Raises:
        OutputError: The output cannot be written.
        StoreError: The store cannot be read.
        JavaError: No Java can be started.
    """
    start_jvm(task.heap)
    rows = task.plan.collect(task.store)
    write_rows(task.file, rows, totals_of(rows, task.plan.terms), task.name)
    return task.file


def engine_versions() -> dict[str, Any]:
    """Return what rows depend on where they are collected; raises JavaError without Anserini."""
    return {
        "anserini": anserini_identity(),
        "code": code_identity(CLEAN_CODE, INDEX_CODE, RANK_CODE),
    }


@dataclass(frozen=True, slots=True)
class RowFiles:
    """Where the rows of parts of a store are files, so that memory holds those of one part.

    Attributes:
        output: The folder of the sweep.
        executor: Does the work instead of this process; its workers see the store and the
            sweep's folder at the same paths.
        heap: Java's heap in a process without Java, as text.
    """

    output: Path
    executor: Executor | None = None
    heap: str | None = None

    def tasks(self, store: BlockStore, plan: ExactPlan) -> list[RowsTask]:
        """Return the parts, in the order of the store; raises JavaError without Anserini."""
        # The formula counts by its name alone: its parameters do not change the lengths.
        recipe = {
            "cleaners": list(map(identity_of, plan.cleaners)),
            "terms": plan.terms,
            "analyzer": asdict(plan.analyzer),
            "formula": type(plan.formula).__name__,
            **engine_versions(),
        }
        folder = self.output.absolute() / NOTES  # workers run in other folders
        return [
            RowsTask(
                part,
                key_of([recipe, fingerprint_for(part, plan.cleaners)]),
                plan,
                folder,
                self.heap,
            )
            for part in store.absolute().in_parts(_TOGETHER)
        ]

    def collect(self, tasks: Sequence[RowsTask]) -> None:
        """Have all rows collected that are missing.

        Raises:
            OutputError: The output cannot be written.
            StoreError: The store cannot be read.
            JavaError: No Java can be started.
        """
        make_folder(self.output / NOTES)
        make_all(
            [task for task in tasks if not task.file.exists()],
            collect_part,
            Work("collect", "parts", versions=engine_versions),
            self.executor or 1,
            lambda _, file: require_visible(file),
        )

    def rank(
        self, store: BlockStore, plan: ExactPlan, hits: int
    ) -> tuple[Totals, Lists]:
        """Return the statistics of a store and the ranked lists of its documents.

        Args:
            store: The block store.
            plan: What the pass computes.
            hits: The greatest number of documents per topic.

        Raises:
            OutputError: The output cannot be written.
            StoreError: The store cannot be read, or files of rows are damaged.
            JavaError: No Java can be started.
        """
        tasks = self.tasks(store, plan)
        self.collect(tasks)
        totals = reduce(add, (read_totals(task.file, task.name) for task in tasks))
        joined = Lists(PackedDocids([]), {})
        with steps("rank", len(tasks), "parts") as bar:
            for task in tasks:
                rows = read_rows(task.file, task.name)
                lists = rank_rows(rows, plan.queries, plan.formula, hits, totals)
                joined = join_lists(joined, lists, hits)
                bar.update()
        return totals, joined
