"""Write collections: the demo, and any collection several times over."""

import gzip
import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

from benchmarks.marks import Marks
from boilersweep.collection.format import Record
from boilersweep.collection.formats import open_collection
from boilersweep.demo.collection import write_demo
from boilersweep.pages.encoding import to_utf8

_PAGES_A_FILE = 250  # one file is one worker's task
_LEVEL = 1  # as quick as reading it, a quarter of the pages' bytes
_AFTER_DOCID = b', "contents": '


def write_demo_collection(_marks: Marks, *, output: str) -> dict[str, str]:
    """Write the demo collection; says where its pages, topics and qrels are."""
    demo = write_demo(Path(output))
    return {
        "input": str(demo.trec),
        "topics": str(demo.topics),
        "qrels": str(demo.qrels),
    }


def write_scaled(
    marks: Marks,
    *,
    input: str,  # noqa: A002 - as the other jobs name it
    collection: str | None,
    output: str,
    factor: int,
) -> dict[str, Any]:
    """Write a collection so many times over, as gzip'd JSONL.

    The first copy keeps its docids, so topics and qrels fit; later ones get a suffix, and another
    word for each "the", so that no two copies have the same text. A process on each core
    holds one file's pages.
    """
    first = _write_once(Path(input), collection, Path(output))
    marks.mark("first copy")
    pages = sum(count for _, count in first)
    with ProcessPoolExecutor() as pool:
        for _ in pool.map(_write_copies, [path for path, _ in first], repeat(factor)):
            pass
    marks.mark("further copies")
    return {"pages": pages * factor}


def _write_copies(path: Path, factor: int) -> None:
    """Write the later copies of a file of the first one."""
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    for copy in range(2, factor + 1):
        suffix = f'-copy-{copy}"'.encode()
        word = f" the{copy} ".encode()
        with _create(_copy_of(path, copy)) as out:
            for line in lines:
                docid, rest = line.split(_AFTER_DOCID, 1)
                rest = rest.replace(b" the ", word)
                out.write(docid[:-1] + suffix + _AFTER_DOCID + rest)


def _create(path: Path) -> gzip.GzipFile:
    return gzip.GzipFile(path, "wb", compresslevel=_LEVEL, mtime=0)


def _copy_of(path: Path, copy: int) -> Path:
    return path.with_name(f"copy-{copy:04d}-{path.name}")


def _write_once(
    root: Path, collection: str | None, output: Path
) -> list[tuple[Path, int]]:
    """Return the files written and the pages in each."""
    files: list[tuple[Path, int]] = []
    lines: list[bytes] = []

    def write() -> None:
        path = output / f"pages-{len(files):05d}.jsonl.gz"
        with _create(path) as out:
            out.write(b"".join(lines))
        files.append((path, len(lines)))
        lines.clear()

    for record in html_pages(root, collection):
        html = to_utf8(record.body, record.charset).utf8.decode("utf-8")
        # JSON escapes quotes, so the text behind the docid stands nowhere before it.
        docid = json.dumps(record.docid).encode()
        lines.append(
            b'{"id": ' + docid + _AFTER_DOCID + json.dumps(html).encode() + b"}\n"
        )
        if len(lines) == _PAGES_A_FILE:
            write()
    if lines:
        write()
    return files


def html_pages(root: Path, collection: str | None) -> Iterator[Record]:
    """Yield the HTML pages of a collection, one after the other."""
    opened = open_collection(root, collection)
    base = root if root.is_dir() else root.parent
    for path in opened.files:
        with path.open("rb") as raw:
            for item in opened.format.read(raw, path.relative_to(base).as_posix()):
                if isinstance(item, Record) and not item.plain:
                    yield item
