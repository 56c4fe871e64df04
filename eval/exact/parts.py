"""Rows of shares on disk, so that several processes may collect them.

OUT.parts/rows-0123456789ab/3-of-7.npz   where OUT is the sweep's folder

The name of the folder stands for all that rows depend on. A file is NumPy's archive of plain
arrays, text in it UTF-8 and JSON: nothing is unpickled.
"""

import hashlib
import json
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boilersweep import __version__
from boilersweep.errors import StoreError
from boilersweep.eval.exact.joining import join_rows
from boilersweep.eval.exact.rows import Rows, TermRows
from boilersweep.files import only_writer, remove_leftovers, whole_file
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.shares import Share, all_shares, share_named

_PREFIX = "rows-"


@dataclass(frozen=True, slots=True)
class RowsRecipe:
    """What rows depend on; rows of one recipe are the same.

    store: fingerprint of the block store. cleaners: their canonical texts. terms: as analysed,
    each once. formula: name of the one that encodes the lengths.
    """

    store: str
    cleaners: tuple[str, ...]
    terms: tuple[str, ...]
    analyzer: AnalyzerOptions
    formula: str
    boilersweep: str = __version__

    @property
    def name(self) -> str:
        """For the folder of such rows."""
        return _PREFIX + hashlib.sha256(self.as_text().encode()).hexdigest()[:12]

    def as_text(self) -> str:
        """The recipe as JSON, the same for the same."""
        return json.dumps(asdict(self), sort_keys=True)


def write_rows(path: Path, rows: Rows, recipe: str) -> None:
    """Write rows and the text of their recipe, whole or not at all; raises OutputError."""
    header = {"recipe": recipe, "terms": list(rows.terms)}
    of_terms = list(rows.terms.values())
    arrays: dict[str, NDArray[Any]] = {
        "header": _bytes(json.dumps(header)),
        "docids": _bytes(json.dumps(rows.docids)),
        "signatures": rows.signatures,
        "codes": rows.codes,
        "documents": rows.documents,
        "tokens": rows.tokens,
        "term_sizes": np.array([len(term.tf) for term in of_terms], dtype=np.int64),
    }
    for name in ("documents", "signatures", "tf"):
        columns = [getattr(term, name) for term in of_terms]
        arrays[f"term_{name}"] = np.concatenate([np.empty(0, np.int32), *columns])
    with whole_file(path) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_rows(path: Path) -> tuple[Rows, str]:
    """Rows, and their recipe as text; raises StoreError where the file is damaged."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            header = json.loads(arrays["header"].tobytes())
            bounds = np.cumsum(arrays["term_sizes"])[:-1]
            columns = (
                np.split(arrays[f"term_{name}"], bounds)
                for name in ("documents", "signatures", "tf")
            )
            terms = zip(header["terms"], *columns, strict=True) if header["terms"] else ()
            rows = Rows(
                docids=json.loads(arrays["docids"].tobytes()),
                terms={term: TermRows(*of_term) for term, *of_term in terms},
                signatures=arrays["signatures"],
                codes=arrays["codes"],
                documents=arrays["documents"],
                tokens=arrays["tokens"],
            )
            return rows, header["recipe"]
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise StoreError(
            f"{path} is damaged or holds no rows of a sweep ({error}); delete it and run "
            "`boilersweep sweep --shard` again"
        ) from error


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def share_file(folder: Path, share: Share) -> Path:
    """Where the rows of a share stand."""
    return folder / f"{share.name}.npz"


def joined_rows(parts: Path, recipe: RowsRecipe) -> Rows | None:
    """The whole rows of a recipe, joined; None where the rows of some share are missing.

    parts: where shares left rows. Raises StoreError where a file is damaged or another's.
    """
    files = _complete_division(parts / recipe.name)
    return _joined(files, recipe.as_text()) if files else None


@dataclass(frozen=True, slots=True)
class MergedRows:
    """Rows of all shares in one file."""

    path: Path
    documents: int


def merge_rows(parts: Path) -> list[MergedRows]:
    """Join all rows that shares left, each set into one file in place of theirs.

    Raises StoreError where the rows of some share are missing, and as `joined_rows`; OutputError.
    """
    merged = []
    for folder in sorted(parts.glob(f"{_PREFIX}*")):
        with only_writer(folder):
            remove_leftovers(folder)
            files = _complete_division(folder)
            if not files:
                there = sorted(path.stem for path in folder.glob("*.npz"))
                raise StoreError(
                    f"{folder} lacks the rows of some shares: it has {', '.join(there) or 'none'}; "
                    "run `boilersweep sweep --shard` for those that are missing"
                )
            target = share_file(folder, Share(1, 1))
            recipe = read_rows(files[0])[1]
            rows = _joined(files, recipe)
            write_rows(target, rows, recipe)
            for path in folder.glob("*.npz"):
                if path != target:
                    path.unlink()
        merged.append(MergedRows(target, len(rows.docids)))
    return merged


def _complete_division(folder: Path) -> list[Path]:
    """The files of the smallest division into shares that is there as a whole; else none."""
    there = {share for path in folder.glob("*.npz") if (share := share_named(path.stem))}
    for of in sorted({share.of for share in there}):
        shares = all_shares(of)
        if there.issuperset(shares):
            return [share_file(folder, share) for share in shares]
    return []


def _joined(files: Sequence[Path], recipe: str) -> Rows:
    parts = []
    for file in files:
        rows, found = read_rows(file)
        if found != recipe:
            raise StoreError(f"{file} holds rows of another sweep; delete it and make it again")
        parts.append(rows)
    return join_rows(parts, json.loads(recipe)["terms"])
