"""Datasets of the package ir_datasets, by names such as `irds:gov2/trec-tb-2004`.

The package is optional. It downloads what is free, and says where to put what is not; nothing is
loaded before a dataset is named.

Documents are files that a reader of ours reads: those with a content type become WARC records,
others JSON lines. So their addresses, headers, encodings and dates go the way of every
collection's, and they can be digested as files can.
"""

import difflib
import hashlib
import importlib
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any, Self

from boilersweep.collection.inputs import IRDS
from boilersweep.collection.streams import BytesFile
from boilersweep.errors import BoilersweepError, CollectionError, UsageError
from boilersweep.extras import install_command

# So many documents make a shard.
_AT_A_TIME = 20_000

_STATUS_LINE = re.compile(rb"^HTTP/\d", re.MULTILINE | re.IGNORECASE)
_CONTENT_TYPE = re.compile(rb"^content-type[ \t]*:(.*)", re.MULTILINE | re.IGNORECASE)
_LINE_BREAKS = re.compile(rb"[\r\n]+[ \t\r\n]*")


def load_dataset(id_: str) -> Any:
    """Load a dataset without reading its documents.

    Raises:
        UsageError: ir_datasets is not installed or has no such dataset.
    """
    try:
        package = importlib.import_module("ir_datasets")
        tqdm = importlib.import_module("tqdm").tqdm  # draws its bars, also in workers
        # Its own is a semaphore, left behind by a killed process
        tqdm.set_lock(threading.RLock())
    except ImportError as error:
        raise UsageError(
            f"{IRDS}{id_} needs ir_datasets, which is not installed ({error}); install it with "
            f"`{install_command('irds')}`"
        ) from error
    try:
        return package.load(id_)
    except KeyError as error:
        near = difflib.get_close_matches(id_, list(package.registry), n=3, cutoff=0.5)
        advice = (
            f"did you mean {' or '.join(near)}"
            if near
            else "see https://ir-datasets.com"
        )
        raise UsageError(f"ir_datasets has no dataset {id_!r}; {advice}?") from error


@dataclass(frozen=True, slots=True)
class Documents:
    """Some neighbouring documents of a dataset; for reading, it behaves as a pathlib.Path.

    Attributes:
        start, stop: Their numbers, from 0 on; stop is None for all that there are.
    """

    dataset: str
    start: int
    stop: int | None

    @property
    def name(self) -> str:
        """Such as `0000000-0020000`; `all` where they cannot be divided."""
        return "all" if self.stop is None else f"{self.start:07d}-{self.stop:07d}"

    def __str__(self) -> str:
        return f"irds:{self.dataset}/{self.name}"

    def relative_to(self, _: Path) -> PurePosixPath:
        """Return the name by which a store knows the documents."""
        return PurePosixPath(str(self))

    def resolve(self) -> Self:
        """Return this object, as a path would: the documents are in no folder."""
        return self

    def stat(self) -> SimpleNamespace:
        """Return what is in the place of a file's size and time of change.

        That is the number of documents, 0 if it is not known, and a digest of the version of
        ir_datasets, which may read them otherwise.
        """
        digest = hashlib.sha256(version("ir_datasets").encode()).digest()
        size = 0 if self.stop is None else self.stop - self.start
        return SimpleNamespace(
            st_size=size, st_mtime_ns=int.from_bytes(digest[:6], "big")
        )

    def open(self, _mode: str = "rb", *, buffering: int = 0) -> BytesFile:  # noqa: ARG002
        """Open the documents as a stream of bytes.

        Raises:
            CollectionError: While they are read.
        """
        return BytesFile(self._bytes())

    def _bytes(self) -> Iterator[bytes]:
        try:
            handler = load_dataset(self.dataset).docs_handler()
            written = _warc_record if _has_pages(handler) else _json_line
            documents = handler.docs_iter()
            for one in (
                documents if self.stop is None else documents[self.start : self.stop]
            ):
                yield written(one)
        except (BoilersweepError, MemoryError):
            raise
        except Exception as error:  # foreign code raises what it likes
            raise _unreadable(self.dataset, error) from error


def documents_of(dataset: str) -> tuple[str, list[Documents]]:
    """Return the name of the format in which a dataset is read, and its documents.

    Raises:
        UsageError: As `load_dataset`.
        CollectionError: The dataset has no documents, or they cannot be read.
    """
    loaded = load_dataset(dataset)
    if not loaded.has_docs():
        raise CollectionError(
            f"irds:{dataset} has no documents; name the dataset that has them"
        )
    try:
        handler = loaded.docs_handler()
        # Some are unpacked when they are first read: here, and not by every worker at once.
        next(iter(handler.docs_iter()), None)
        count = handler.docs_count()
        divisible = bool(count) and hasattr(handler.docs_iter(), "__getitem__")
    except MemoryError:
        raise
    except Exception as error:  # foreign code raises what it likes
        raise _unreadable(dataset, error) from error
    format_ = "warc" if _has_pages(handler) else "jsonl"
    if not divisible:
        return format_, [Documents(dataset, 0, None)]
    starts = range(0, count, _AT_A_TIME)
    return format_, [
        Documents(dataset, at, min(at + _AT_A_TIME, count)) for at in starts
    ]


def _has_pages(handler: Any) -> bool:
    return {"body", "body_content_type"} <= set(handler.docs_cls()._fields)


def _warc_record(document: Any) -> bytes:
    """Write a page with its headers, as the last answer of its server, else as a resource."""
    body = _encoded(document.body)
    headers = _encoded(getattr(document, "http_headers", None))
    statuses = list(_STATUS_LINE.finditer(headers))
    if statuses:
        answer = _LINE_BREAKS.sub(b"\r\n", headers[statuses[-1].start() :].strip())
        kind, body = b"response", answer + b"\r\n\r\n" + body
        content_type = b"application/http"
    else:
        kind = b"resource"
        named = _CONTENT_TYPE.search(headers)
        content_type = named[1] if named else _encoded(document.body_content_type)
    head = [b"WARC/1.0", b"WARC-Type: " + kind]
    for name, value in (
        (b"WARC-TREC-ID", _encoded(document.doc_id)),
        (b"WARC-Target-URI", _encoded(getattr(document, "url", None))),
        (b"WARC-Date", _encoded(getattr(document, "date", None))),
        (b"Content-Type", content_type),
        (b"Content-Length", b"%d" % len(body)),
    ):
        if value := _LINE_BREAKS.sub(b" ", value).strip():
            head.append(name + b": " + value)
    return b"\r\n".join(head) + b"\r\n\r\n" + body + b"\r\n\r\n"


def _json_line(document: Any) -> bytes:
    """Write a text with what the dataset states about it."""
    fields = {"id": document.doc_id, "text": _text(document)}
    for name in ("title", "url", "date"):
        if isinstance(value := getattr(document, name, None), str):
            fields[name] = value
    return json.dumps(fields).encode() + b"\n"


def _text(document: Any) -> str:
    for name in ("text", "body"):
        if isinstance(value := getattr(document, name, None), str):
            return value
    return str(document.default_text())


def _encoded(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    return b"" if value is None else str(value).encode("utf-8", "replace")


def _unreadable(dataset: str, error: Exception) -> CollectionError:
    reason = str(error) or type(error).__name__
    return CollectionError(
        f"ir_datasets cannot read the documents of irds:{dataset}: {reason}; where they are "
        "licensed, https://ir-datasets.com says where to put them"
    )
