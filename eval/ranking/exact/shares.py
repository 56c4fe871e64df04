"""An exact sweep in shares: rows of each, statistics added up, lists of each, lists joined.

store --a share--> rows and statistics; all of them --statistics added up--> lists of each --> runs

A process holds the rows of one share at a time, whatever the collection's size, and the result
does not depend on how it was divided: a document's score needs of the others only the statistics.
"""

import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.selection import AlignmentCounts, identity_of
from boilersweep.errors import StoreError
from boilersweep.eval.ranking.engines import SearchOptions, VariantRun
from boilersweep.eval.ranking.exact.engine import RANK_CODE, ExactPlan, plan_exact
from boilersweep.eval.ranking.exact.rows import Rows, TermRows
from boilersweep.eval.ranking.exact.top_hits import (
    Lists,
    Totals,
    join_lists,
    rank_rows,
    totals_of,
)
from boilersweep.eval.ranking.runs import PackedDocids, require_hits
from boilersweep.indexer.jvm import anserini_identity
from boilersweep.indexer.manifest import INDEX_CODE
from boilersweep.outputs.atomic import make_folder, remove_leftovers, whole_file
from boilersweep.outputs.folder import Checked, CheckRequest, OutputCheck
from boilersweep.outputs.identity import code_identity
from boilersweep.outputs.regular_files import open_regular
from boilersweep.outputs.typed_files import as_builtins, parse_json
from boilersweep.store.store import BlockStore
from boilersweep.work.progress import steps
from boilersweep.work.shares import Share, all_shares, parts_folder, shares_in

Arrays = Mapping[str, NDArray[Any]]

# The folders of rows have names that begin so.
ROWS = "rows"

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


def share_file(folder: Path, share: Share) -> Path:
    """Return the file with the rows of a share in a folder."""
    return folder / f"{share.name}.npz"


def complete_division(folder: Path) -> list[Share]:
    """Return the smallest division into shares that a folder has as a whole; otherwise none."""
    there = set(shares_in(folder))
    for of in sorted({share.of for share in there}):
        shares = all_shares(of)
        if there.issuperset(shares):
            return shares
    return []


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
    with _read(path, recipe) as (array, _):
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
    with _read(path, recipe) as (array, _):
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


def recipe_name(recipe: str) -> str:
    """Return the name of the folder of the rows that shares leave by a recipe."""
    return f"{ROWS}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"


def _check(path: Path, _: CheckRequest) -> Iterator[Checked]:
    checked = Checked("shares", path)
    if not complete_division(path):
        there = ", ".join(sorted(file.stem for file in path.glob("*.npz")))
        checked.unseen.append(f"shares that are not there; it has {there}")
    checked.collect(check_parts(path))
    yield checked


def _is_of_shares(path: Path) -> bool:
    return path.name.startswith(f"{ROWS}-") and path.parent.suffix == ".parts"


CHECK = OutputCheck(check=_check, recognises=_is_of_shares)


def check_parts(folder: Path) -> Iterator[str]:
    """Yield a sentence for each fault of the files that shares left in a folder."""
    for path in sorted(folder.glob("*.npz")):
        if path.name.startswith("."):
            continue
        try:
            with _read(path) as (array, names):
                recipe = _parsed(array("recipe"))
                for name in names:
                    array(name)
            if recipe_name(recipe) != folder.name:
                yield f"{path.name} is of another sweep"
        except StoreError as error:
            yield str(error)


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
def _read(
    path: Path, recipe: str | None = None
) -> Iterator[tuple[Callable[[str], NDArray[Any]], list[str]]]:
    """Give a function that reads an array, and the names of all arrays.

    Raises:
        StoreError: The file is damaged, or has another recipe than the given one.
    """
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            array = partial(_array, archive)
            if recipe is not None and _parsed(array("recipe")) != recipe:
                raise StoreError(
                    f"{path} is of another sweep; delete it and make it again"
                )
            yield array, [name.removesuffix(".npy") for name in archive.namelist()]
    except _DAMAGE as error:
        raise StoreError(
            f"{path} is damaged or no part of a sweep ({error}); delete it and run "
            "`boilersweep sweep` with its --share again"
        ) from error


def _placed(array: NDArray[np.uint8]) -> dict[str, AlignmentCounts]:
    return {name: AlignmentCounts(**counts) for name, counts in _parsed(array).items()}


def _json(value: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _parsed(array: NDArray[np.uint8]) -> Any:
    return parse_json(array.tobytes())


@dataclass(frozen=True, slots=True)
class SharedSweep:
    """An exact sweep that several processes share.

    Attributes:
        plan: What the sweep computes.
        hits: The greatest number of documents per topic.
        store: The block store.
        parts: The folder for the files of all shares.

    Raises:
        UsageError: There would be fewer than one hit.
    """

    plan: ExactPlan
    hits: int
    store: BlockStore
    parts: Path

    def __post_init__(self) -> None:
        require_hits(self.hits)

    def shares(self) -> list[Share]:
        """Return all shares if the rows of each exist; else none."""
        return complete_division(self.rows_folder)

    def collect(self, share: Share) -> Path:
        """Write the rows of a share, unless they exist.

        Raises:
            OutputError: The output cannot be written.
            StoreError: The store cannot be read.
            JavaError: No Java can be started.
        """
        file = share_file(self.rows_folder, share)
        if not file.exists():
            rows = self.plan.collect(self.store.part(share))
            make_folder(file.parent)
            remove_leftovers(file.parent)
            write_rows(file, rows, totals_of(rows, self.plan.terms), self._rows_recipe)
        return file

    def totals(self) -> Totals:
        """Return the statistics of the collection, of all `shares`; raise StoreError."""
        files = (share_file(self.rows_folder, share) for share in self.shares())
        return reduce(add, (read_totals(file, self._rows_recipe) for file in files))

    def lists(self, totals: Totals) -> Lists:
        """Return the ranked lists of the collection with these totals; raise StoreError."""
        shares = self.shares()
        joined = Lists(PackedDocids([]), {})
        with steps("rank", len(shares), "shares") as bar:
            for share in shares:
                rows = read_rows(share_file(self.rows_folder, share), self._rows_recipe)
                lists = rank_rows(
                    rows, self.plan.queries, self.plan.formula, self.hits, totals
                )
                joined = join_lists(joined, lists, self.hits)
                bar.update()
        return joined

    @property
    def rows_folder(self) -> Path:
        """The folder of the shares' rows."""
        return self.parts / recipe_name(self._rows_recipe)

    @property
    def _rows_recipe(self) -> str:
        """What rows depend on, as JSON.

        The formula counts by its name alone: its parameters do not change the lengths.
        """
        recipe = {
            "store": self.store.fingerprint,
            "languages": self.store.chosen_languages,
            "cleaners": list(map(identity_of, self.plan.cleaners)),
            "terms": self.plan.terms,
            "analyzer": asdict(self.plan.analyzer),
            "formula": type(self.plan.formula).__name__,
            "anserini": anserini_identity(),
            "code": code_identity(CLEAN_CODE, INDEX_CODE, RANK_CODE),
        }
        return json.dumps(recipe, sort_keys=True)


def shared_sweep(
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    output: Path,
    options: SearchOptions,
) -> SharedSweep:
    """Plan an exact engine's work in shares; `output` is the sweep's folder.

    Raises:
        UsageError: The analyzer cannot be swept exactly.
        JavaError: No Java can be started.
    """
    plan = plan_exact([variant.cleaner for variant in variants], queries, options)
    return SharedSweep(plan, options.hits, store, parts_folder(output))


class SharedEngine:
    """Ranks every variant from the rows that the shares of an exact sweep wrote.

    Attributes:
        placed: By name of the texts that are matched to blocks, how much of them was matched.
    """

    needs_java = False

    def __init__(self, variants: Sequence[Variant], sweep: SharedSweep) -> None:
        """Read the shares, whose rows are there; raise StoreError for damaged ones."""
        self._documents = sweep.store.documents
        self._numbers = {variant: number for number, variant in enumerate(variants)}
        self._topics = list(sweep.plan.queries)
        self._totals = sweep.totals()
        self._lists = sweep.lists(self._totals)
        self.placed = self._totals.placed

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Return the run of a variant, see `Engine.run`."""
        number = self._numbers[variant]
        documents = int(self._totals.documents[number])
        tokens = int(self._totals.tokens[number])
        run = self._lists.run(number, self._topics if topics is None else topics)
        return VariantRun(variant, documents, self._documents - documents, tokens, run)
