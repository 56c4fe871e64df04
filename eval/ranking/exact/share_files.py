"""What shares of an exact sweep leave on disk: rows of one pass, and ranked lists.

OUT.parts/rows-0123456789ab/3-of-7.npz     where OUT is the sweep's folder
OUT.parts/ranked-0123456789ab/3-of-7.npz

The name of a folder stands for all that the files in it depend on. A file is NumPy's archive of
plain arrays, text in it UTF-8 and JSON: nothing is unpickled.
"""

import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import read_array
from numpy.typing import NDArray

from boilersweep.cleaners.selection import AlignmentCounts
from boilersweep.errors import StoreError
from boilersweep.eval.ranking.exact.rows import Rows, TermRows
from boilersweep.eval.ranking.exact.top_hits import Lists, Totals
from boilersweep.eval.ranking.exact.vectors import BlockScores
from boilersweep.eval.ranking.hits import PackedDocids
from boilersweep.outputs.atomic import whole_file
from boilersweep.outputs.checking import Checked, CheckRequest, OutputCheck
from boilersweep.outputs.regular_files import open_regular
from boilersweep.work.shares import Share, all_shares, share_named

Arrays = Mapping[str, NDArray[Any]]

ROWS = "rows"
# Beginnings of the names of the folders that shares leave.
RANKED = "ranked"

_COLUMNS = ("documents", "signatures", "tf")
_OF_BLOCKS = ("documents", "signatures", "scores")
_AT_ONCE = 2**20  # bytes
# What reading a damaged archive may raise.
_DAMAGE = (
    *(OSError, EOFError, ValueError, LookupError, TypeError, RuntimeError, OverflowError),
    *(zipfile.BadZipFile, zlib.error, struct.error),
)


def share_file(folder: Path, share: Share) -> Path:
    """Where a folder has what a share left."""
    return folder / f"{share.name}.npz"


def complete_division(folder: Path) -> list[Share]:
    """Return the smallest division into shares that a folder has as a whole; otherwise none."""
    there = {share for path in folder.glob("*.npz") if (share := share_named(path.stem))}
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
        "placed": _json(rows.placed),
        "term_sizes": np.array([len(term.tf) for term in of_terms], dtype=np.int64),
        "all_terms": _json(totals.terms),
        "df": totals.df,
        "occurrences": totals.occurrences,
    }
    if (blocks := rows.block_scores) is not None:
        arrays |= {
            "block_topics": _json(list(blocks.topics)),
            **{f"block_{name}": getattr(blocks, name) for name in _OF_BLOCKS},
        }
    for name in _COLUMNS:
        columns = [getattr(term, name) for term in of_terms]
        arrays[f"term_{name}"] = np.concatenate([np.empty(0, np.int32), *columns])
    _write(path, recipe, arrays)


def read_rows(path: Path, recipe: str) -> Rows:
    """Rows; raises StoreError where the file is damaged or has those of another recipe."""
    with _opened(path, recipe) as arrays:
        bounds = np.cumsum(arrays["term_sizes"])[:-1]
        columns = [np.split(arrays[f"term_{name}"], bounds) for name in _COLUMNS]
        names = _parsed(arrays["terms"])
        terms = zip(names, *columns, strict=True) if names else ()
        blocks = None
        if "block_topics" in arrays:
            topics = {topic: n for n, topic in enumerate(_parsed(arrays["block_topics"]))}
            of_blocks = {name: arrays[f"block_{name}"] for name in _OF_BLOCKS}
            blocks = BlockScores(topics=topics, **of_blocks)
        return Rows(
            docids=PackedDocids(_parsed(arrays["docids"])),
            terms={term: TermRows(*of_term) for term, *of_term in terms},
            signatures=arrays["signatures"],
            codes=arrays["codes"],
            documents=arrays["documents"],
            tokens=arrays["tokens"],
            placed=_placed(arrays),
            block_scores=blocks,
        )


def read_totals(path: Path, recipe: str) -> Totals:
    """Return the statistics of rows, without the rows; raise StoreError as `read_rows`."""
    with _opened(path, recipe) as arrays:
        return Totals(
            terms=tuple(_parsed(arrays["all_terms"])),
            documents=arrays["documents"],
            tokens=arrays["tokens"],
            df=arrays["df"],
            occurrences=arrays["occurrences"],
            placed=_placed(arrays),
        )


def write_lists(path: Path, lists: Lists, recipe: str) -> None:
    """Write ranked lists and the text of their recipe, whole or not at all; raises OutputError."""
    columns = list(zip(*lists.of.values(), strict=True)) or [(), ()]
    arrays: Arrays = {
        "docids": _json(list(lists.docids)),
        "keys": _json(list(lists.of)),
        "sizes": np.array([len(scores) for scores in columns[1]], dtype=np.int64),
        "numbers": np.concatenate([np.empty(0, np.int32), *columns[0]]).astype(np.int32),
        "scores": np.concatenate([np.empty(0, np.float32), *columns[1]]),
    }
    _write(path, recipe, arrays)


def read_lists(path: Path, recipe: str) -> Lists:
    """Ranked lists; raises StoreError as `read_rows`."""
    with _opened(path, recipe) as arrays:
        keys = [(cleaner, topic) for cleaner, topic in _parsed(arrays["keys"])]
        bounds = np.cumsum(arrays["sizes"])[:-1]
        numbers = np.split(arrays["numbers"].astype(np.int64), bounds)
        columns = zip(numbers, np.split(arrays["scores"], bounds), strict=True)
        return Lists(
            PackedDocids(_parsed(arrays["docids"])),
            dict(zip(keys, columns, strict=True)) if keys else {},
        )


def _write(path: Path, recipe: str, arrays: Arrays) -> None:
    with whole_file(path) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, recipe=_json(recipe), **arrays)


def recipe_name(what: str, recipe: str) -> str:
    """Return the name of the folder of what shares leave by a recipe."""
    return f"{what}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"


def _check(path: Path, _: CheckRequest) -> Iterator[Checked]:
    checked = Checked("shares", path)
    if not complete_division(path):
        there = ", ".join(sorted(file.stem for file in path.glob("*.npz")))
        checked.unseen.append(f"shares that are not there; it has {there}")
    checked.collect(check_parts(path))
    yield checked


def _is_of_shares(path: Path) -> bool:
    named = path.name.startswith((f"{ROWS}-", f"{RANKED}-"))
    return named and path.parent.suffix == ".parts"


CHECK = OutputCheck(check=_check, recognises=_is_of_shares)


def check_parts(folder: Path) -> Iterator[str]:
    """Yield a sentence for each fault of the files that shares left in a folder."""
    for path in sorted(folder.glob("*.npz")):
        if path.name.startswith("."):
            continue
        try:
            with _read(path) as arrays:
                recipe = _parsed(arrays["recipe"])
                for name in arrays:
                    _ = arrays[name]  # reads all of it
            if recipe_name(folder.name.rpartition("-")[0], recipe) != folder.name:
                yield f"{path.name} is of another sweep"
        except StoreError as error:
            yield str(error)


class _Arrays(Arrays):
    """The arrays of an archive, each compared with its checksum before NumPy sees it.

    NumPy reads as much as an array's header says, and a checksum is compared at the end.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = [name.removesuffix(".npy") for name in archive.namelist()]

    def __getitem__(self, name: str) -> NDArray[Any]:
        with self._archive.open(f"{name}.npy") as file:
            while file.read(_AT_ONCE):
                pass
        with self._archive.open(f"{name}.npy") as file:
            array: NDArray[Any] = read_array(file, allow_pickle=False)
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@contextmanager
def _opened(path: Path, recipe: str) -> Iterator[Arrays]:
    with _read(path) as arrays:
        if _parsed(arrays["recipe"]) != recipe:
            raise StoreError(f"{path} is of another sweep; delete it and make it again")
        yield arrays


@contextmanager
def _read(path: Path) -> Iterator[Arrays]:
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            yield _Arrays(archive)
    except _DAMAGE as error:
        raise StoreError(
            f"{path} is damaged or no part of a sweep ({error}); delete it and run "
            "`boilersweep sweep` with its --share again"
        ) from error


def _placed(arrays: Arrays) -> dict[str, AlignmentCounts]:
    return {name: AlignmentCounts(*counts) for name, counts in _parsed(arrays["placed"]).items()}


def _json(value: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _parsed(array: NDArray[np.uint8]) -> Any:
    return json.loads(array.tobytes())
