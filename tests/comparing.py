"""What of a folder's files must be equal where two runs of a command came to the same."""

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

# What tells an index from other folders.
INDEX = "boilersweep.json"

# What a store's folder knows of the state of the input.
NOTES = ".tasks"

# Keys of JSON: a manifest's own digest, what wrote an index, and when a file was written.
_VOLATILE = frozenset({"digest", "by_lucene", "state"})

_TIMES = "ms_per_page"
_TIMES_SHOWN = "ms a page"

# Path below the folder -> its text, or a digest of what must be equal.
Found = dict[str, str]


def comparable(folder: Path) -> Found:
    """Every file and folder below a folder, hidden ones, too, by name, with what must be equal.

    Of an index what it says of itself and what a reader finds in it: Lucene draws random segment
    ids. Starts the JVM where there is an index. Nothing for a folder that is not there.

    Args:
        folder: of the output.
    """
    found: Found = {}
    indexes = {path.parent for path in folder.rglob(INDEX)}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        inside = next((index for index in indexes if index in path.parents), None)
        if NOTES in path.parts or (inside is not None and path.name != INDEX):
            continue
        found[name] = "an index" if path in indexes else _what_must_be_equal(path)
        if path in indexes:
            found[f"{name}: postings"] = _postings(path)
    if folder in indexes:
        found["postings"] = _postings(folder)
    return found


def _what_must_be_equal(path: Path) -> str:
    if path.is_dir():
        return "a folder"
    if path.suffix == ".txt" and _TIMES_SHOWN in path.read_text(errors="replace"):
        return "a table with times"
    read = {".json": _normal, ".parquet": _rows, ".csv": _without_times}
    if path.suffix in read:
        return read[path.suffix](path)
    return _digest(path.read_bytes())


def differences(ours: Found, theirs: Found) -> list[str]:
    """Return what one folder has and the other has not, a few words each."""
    faults = [f"{name} is missing" for name in sorted(theirs.keys() - ours.keys())]
    faults += [f"{name} is left over" for name in sorted(ours.keys() - theirs.keys())]
    for name in sorted(ours.keys() & theirs.keys()):
        if ours[name] != theirs[name]:
            faults.append(f"{name} differs{_where(ours[name], theirs[name])}")
    return faults


def _postings(index: Path) -> str:
    """Return a digest of what is in an index, or why there is none."""
    try:
        return _digest(repr(postings(index)).encode())
    except Exception as error:  # of damaged files Java throws what it likes
        return f"cannot be read: {error}"


def postings(index: Path) -> tuple[Any, ...]:
    """Every term with docids, frequencies and positions, and every document as it is stored."""
    from tests.pyserini_lucene import LuceneIndexReader

    # Java resolves paths in the folder in which it was started.
    reader = LuceneIndexReader(str(index.absolute()))
    try:
        return _read(reader)
    finally:
        reader.reader.close()


def _read(reader: Any) -> tuple[Any, ...]:
    docid = reader.convert_internal_docid_to_collection_docid
    terms = [
        (
            term.term,
            sorted(
                (docid(p.docid), p.tf, tuple(p.positions or ()))
                for p in reader.get_postings_list(term.term, None)
            ),
        )
        for term in reader.terms()
    ]
    documents = sorted(docid(number) for number in range(reader.stats()["documents"]))
    stored = [reader.doc_contents(name) for name in documents]
    return terms, documents, stored


def _normal(path: Path) -> str:
    """JSON without what may differ, see `_VOLATILE`."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        value = _settled(json.loads(text))
        return json.dumps(value, indent=1, ensure_ascii=False)
    except ValueError:
        return text


def _settled(value: Any) -> Any:
    """JSON without times of change; of listed files the names, as each is compared itself."""
    if isinstance(value, list):
        return [_settled(one) for one in value]
    if not isinstance(value, dict):
        return value
    left_out = _VOLATILE | ({"bytes", "sha256"} if "file" in value else set())
    # Of a shard's bytes, in which are inode and times of its input.
    left_out |= {"fingerprint"} if "placed" in value else set()
    return {
        key: _names(one) if key == "files" and isinstance(one, dict) else _settled(one)
        for key, one in value.items()
        if key not in left_out
    }


def _names(files: dict[str, Any]) -> list[str]:
    """Return the names of listed files; an index has as many as threads wrote at a time."""
    is_index = any("segments_" in name for name in files)
    return [] if is_index else sorted(files)


def _rows(path: Path) -> str:
    """Return a digest of a shard's documents and metadata, or why there is none."""
    try:
        table = pq.read_table(path, page_checksum_verification=True)
        said = json.loads((pq.read_metadata(path).metadata or {})[b"boilersweep"])
        return _digest(repr((table.to_pylist(), _settled(said))).encode())
    except Exception as error:  # of damaged files Arrow throws what it likes
        return f"cannot be read: {error}"


def _without_times(path: Path) -> str:
    """Return a table without how long a page took."""
    rows = list(
        csv.reader(path.read_text(encoding="utf-8", errors="replace").splitlines())
    )
    if rows and _TIMES in rows[0]:
        column = rows[0].index(_TIMES)
        rows = [row[:column] + row[column + 1 :] for row in rows]
    return "\n".join(map(str, rows))


def _where(ours: str, theirs: str) -> str:
    for one, other in zip(ours.splitlines(), theirs.splitlines(), strict=False):
        if one != other and max(map(len, (one, other))) < 200 and "\n" in ours:
            return f" ({one.strip()} for {other.strip()})"
    return ""


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
