"""Pages named by lines of Common Crawl's index: fetched by HTTP ranges, kept as one WARC file.

index lines --ranges, several at once--> journal --in order--> FILE.warc.gz, FILE.warc.gz.json

A line of the index names a WARC file of the crawl, an offset and a length; the bytes there are one
gzip member with one record. Neighbouring members are fetched in one request. Every fetched member
is compared with the digest of its index line and appended to a hidden journal, so a killed run goes
on where it stopped. When all lines are done, the members are written in the order of the index.
"""

import base64
import contextlib
import gzip
import hashlib
import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

import msgspec

from boilersweep.collection.format import MAX_PAGE_BYTES
from boilersweep.collection.warc_records import WarcRecord, headers_parser, warc_records
from boilersweep.errors import CollectionError, OutputError, UsageError, reason_of
from boilersweep.outputs.atomic import make_folder, output_errors, whole_file
from boilersweep.outputs.identity import __version__, differences, file_digest, some_of
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.regular_files import open_regular
from boilersweep.outputs.streams import write_output
from boilersweep.outputs.typed_files import json_text, read_json
from boilersweep.work.progress import steps

# Where Common Crawl documents its files to be.
COMMON_CRAWL = "https://data.commoncrawl.org/"

USER_AGENT = f"boilersweep/{__version__} (reads single pages of a crawl by its index)"

_SUFFIXES = (".jsonl", ".cdxj", ".json", ".cdx")
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_PAUSE = 300.0  # seconds
_GAP = 64 * 2**10  # bytes between two members that one request still spans
_LONGEST_RANGE = 8 * 2**20
_LONGEST_MEMBER = MAX_PAGE_BYTES
_SAMPLES = 5  # failed lines that the report names for each reason


class IndexLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of an index: where a record is.

    Attributes:
        filename: The WARC file, relative to the crawl's base.
        offset: The first byte of the record's gzip member.
        length: Its bytes.
        digest: SHA-1 of the payload in base32, "" if the index has none.
        url: The page's address.
    """

    filename: str
    offset: int
    length: int
    digest: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOptions:
    """How pages are fetched.

    Attributes:
        base: What the file names of the index are relative to: a URL, `s3://...` or a folder.
        at_once: Requests at the same time.
        per_second: Requests started per second, at most.
        tries: How often a request is tried that the server could not answer.
        first_pause: Seconds before the second try; each further pause is twice as long.
    """

    base: str = COMMON_CRAWL
    at_once: int = 16
    per_second: float = 20.0
    tries: int = 6
    first_pause: float = 1.0


class FetchReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the lines of an index; `FILE.warc.gz.json`.

    Attributes:
        index: SHA-256 of the index files, by name.
        base: See `FetchOptions`.
        lines: Lines of the index.
        pages: Records in the WARC file.
        failed: Lines without a record, by reason.
        samples: Some failed lines of each reason.
        bytes: The size of the WARC file.
        sha256: Its digest.
    """

    index: dict[str, str]
    base: str
    lines: int
    pages: int
    failed: dict[str, int]
    samples: dict[str, list[str]]
    bytes: int
    sha256: str


class FetchError(Exception):
    """A record that could not be fetched; the text is the counted reason."""


def fetch_pages(index: Path, warc: Path, options: FetchOptions | None = None) -> FetchReport:
    """Fetch the records that an index names, and keep them as one WARC file.

    A finished file of the same index and base is used again; an unfinished run is continued.

    Args:
        index: A file of index lines (JSON, or CDXJ with a key before the JSON; plain or gzip), or
            a folder of such files.
        warc: The file to write, `*.warc.gz`. The report is beside it, as `*.warc.gz.json`.
        options: How to fetch.

    Returns:
        The report: how many records were fetched, and why others were not.

    Raises:
        CollectionError: The index cannot be read, has no line, or no record could be fetched.
        OutputError: The file cannot be written, or holds other pages.
        UsageError: The base cannot be used.
    """
    options = options or FetchOptions()
    files = _index_files(index)
    digests = {path.name: file_digest(path) for path in files}
    make_folder(warc.parent)
    with only_writer(warc.parent, f".{warc.name}.lock"):
        finished = _finished(warc, digests, options.base)
        if finished is not None:
            return finished
        entries = list(_read_lines(files))
        if not entries:
            raise CollectionError(
                f"{index} has no line of an index; expected JSON with filename, offset and length"
            )
        with Journal.opened(warc, {"index": digests, "base": options.base}) as journal:
            _fetch_missing(entries, journal, options)
            report = _assemble(entries, journal, warc, digests, options.base)
            write_output(report_path(warc), json_text(report))
            journal.remove()
    return report


def report_path(warc: Path) -> Path:
    """Return the path of the report beside a WARC file."""
    return warc.with_name(f"{warc.name}.json")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of the index. line: None if it cannot be used, for the reason `failure`."""

    number: int
    line: IndexLine | None
    text: str
    failure: str = ""


def _index_files(index: Path) -> list[Path]:
    if not index.exists():
        raise CollectionError(f"{index} does not exist: expected a file or a folder of index lines")
    if not index.is_dir():
        return [index]
    files = [
        path
        for path in sorted(index.iterdir())
        if path.is_file() and path.name.removesuffix(".gz").endswith(_SUFFIXES)
    ]
    if not files:
        raise CollectionError(
            f"{index} has no file of index lines: expected {', '.join(_SUFFIXES)}, plain or .gz"
        )
    return files


def _read_lines(files: Sequence[Path]) -> Iterator[_Entry]:
    seen: set[tuple[str, int]] = set()
    number = 0
    for path in files:
        try:
            with open_regular(path) as raw:
                for text in _lines_of(raw):
                    entry = _entry(number, text, seen)
                    number += 1
                    yield entry
        except (OSError, EOFError) as error:
            raise CollectionError(f"{path} cannot be read: {reason_of(error)}") from error


def _lines_of(raw: BinaryIO) -> Iterator[str]:
    is_gzip = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    with gzip.open(raw) if is_gzip else contextlib.nullcontext(raw) as stream:
        for line in stream:
            text = line.decode("utf-8", "replace").strip()
            if text:
                yield text


def _entry(number: int, text: str, seen: set[tuple[str, int]]) -> _Entry:
    try:
        line = msgspec.json.decode(text[max(text.find("{"), 0) :], type=IndexLine, strict=False)
    except (msgspec.DecodeError, RecursionError):
        return _Entry(number, None, text, "index line without filename, offset and length")
    if line.offset < 0 or line.length <= 0 or not line.filename or ".." in line.filename:
        return _Entry(
            number, None, text, "index line with an impossible filename, offset or length"
        )
    if line.length > _LONGEST_MEMBER:
        return _Entry(number, None, text, "over the size cap")
    place = (line.filename, line.offset)
    if place in seen:
        return _Entry(number, None, text, "repeated index line")
    seen.add(place)
    return _Entry(number, line, text)


def _finished(warc: Path, digests: dict[str, str], base: str) -> FetchReport | None:
    """Return the report of a finished file of the same request, None if it must be fetched.

    Raises:
        OutputError: The file has pages of another index, or was changed.
    """
    path = report_path(warc)
    if not warc.exists() and not path.exists():
        return None
    advice = "choose another --save, or delete the file and its report"
    try:
        report = read_json(path, FetchReport)
    except FileNotFoundError:
        raise OutputError(f"{warc} exists, but was not fetched by an index; {advice}") from None
    except (OSError, ValueError) as error:
        raise OutputError(f"{path} is no report of fetched pages ({error}); {advice}") from error
    changes = differences(
        {"index": report.index, "base": report.base}, {"index": digests, "base": base}
    )
    if changes:
        raise OutputError(f"{warc} has pages of another request: {some_of(changes)}; {advice}")
    if not warc.exists():
        path.unlink()
        return None
    if file_digest(warc) != report.sha256:
        raise OutputError(f"{warc} was changed after it was fetched; {advice}")
    return report


@dataclass(slots=True)
class Journal:
    """The fetched members of an unfinished run, in the order in which they came.

    A member is appended to the data first, then its line to the log, so that a kill leaves at most
    bytes that no line names.

    Attributes:
        data: The members.
        log: A JSON line for each line of the index that is done.
        places: Number of an index line -> offset and length in the data.
        failures: Number of an index line -> why it has no record.
    """

    data_path: Path
    log_path: Path
    data: BinaryIO
    log: BinaryIO
    places: dict[int, tuple[int, int]] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)

    @classmethod
    @contextlib.contextmanager
    def opened(cls, warc: Path, identity: dict[str, Any]) -> Iterator["Journal"]:
        """Open the journal beside a WARC file; one of another request is emptied."""
        data_path = warc.with_name(f".{warc.name}.fetched")
        log_path = warc.with_name(f".{warc.name}.journal")
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with output_errors(data_path), contextlib.ExitStack() as stack:
            data, log = (
                stack.enter_context(os.fdopen(os.open(path, flags, 0o666), "r+b"))
                for path in (data_path, log_path)
            )
            journal = cls(data_path, log_path, data, log)
            journal._recover(identity)
            yield journal

    def _recover(self, identity: dict[str, Any]) -> None:
        head = json.dumps(identity, sort_keys=True).encode() + b"\n"
        size = self.data.seek(0, os.SEEK_END)
        end = 0
        if self.log.readline() == head:
            end = len(head)
            for line in self.log:
                if not line.endswith(b"\n") or not self._read_line(line, size):
                    break
                end += len(line)
        else:
            self.log.truncate(0)
            self.log.seek(0)
            self.log.write(head)
            end = len(head)
        self.log.truncate(end)
        self.log.seek(end)
        whole = max((at + length for at, length in self.places.values()), default=0)
        self.data.truncate(whole)
        self.data.seek(whole)

    def _read_line(self, line: bytes, size: int) -> bool:
        try:
            number, at, length, failure = json.loads(line)
        except ValueError:
            return False
        if failure:
            self.failures[number] = failure
        elif at + length <= size:
            self.places[number] = (at, length)
        else:
            return False
        return True

    def add(self, number: int, member: bytes) -> None:
        """Keep the member of an index line."""
        at = self.data.tell()
        self.data.write(member)
        self.data.flush()
        self._write([number, at, len(member), ""])
        self.places[number] = (at, len(member))

    def fail(self, number: int, reason: str) -> None:
        """Record why an index line has no member."""
        self._write([number, 0, 0, reason])
        self.failures[number] = reason

    def _write(self, values: list[Any]) -> None:
        self.log.write(json.dumps(values).encode() + b"\n")
        self.log.flush()

    def member(self, number: int) -> bytes:
        """Read the member of an index line."""
        at, length = self.places[number]
        self.data.seek(at)
        return self.data.read(length)

    def remove(self) -> None:
        """Delete the journal, when the WARC file is written."""
        for path in (self.log_path, self.data_path):
            path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _Range:
    """Neighbouring members of one WARC file, which one request fetches."""

    filename: str
    start: int
    end: int
    entries: tuple[_Entry, ...]


def joined_ranges(entries: Sequence[_Entry]) -> list[_Range]:
    """Join members of one file that are near each other, in the order of files and offsets."""
    ordered = sorted(
        (entry for entry in entries if entry.line is not None),
        key=lambda entry: (_line(entry).filename, _line(entry).offset),
    )
    ranges: list[_Range] = []
    for entry in ordered:
        line = _line(entry)
        end = line.offset + line.length
        last = ranges[-1] if ranges else None
        if (
            last is not None
            and last.filename == line.filename
            and line.offset - last.end <= _GAP
            and max(end, last.end) - last.start <= _LONGEST_RANGE
        ):
            members = (*last.entries, entry)
            ranges[-1] = _Range(line.filename, last.start, max(end, last.end), members)
        else:
            ranges.append(_Range(line.filename, line.offset, end, (entry,)))
    return ranges


def _line(entry: _Entry) -> IndexLine:
    assert entry.line is not None  # noqa: S101 - unusable lines are left out
    return entry.line


def _fetch_missing(entries: Sequence[_Entry], journal: Journal, options: FetchOptions) -> None:
    done = journal.places.keys() | journal.failures.keys()
    for entry in entries:
        if entry.failure and entry.number not in done:
            journal.fail(entry.number, entry.failure)
    missing = [entry for entry in entries if entry.number not in done and entry.line is not None]
    if not missing:
        return
    source = RangeSource(options)
    with (
        steps("fetching pages", len(missing), "pages") as bar,
        ThreadPoolExecutor(options.at_once) as pool,
    ):
        futures = [pool.submit(_members_of, source, one) for one in joined_ranges(missing)]
        try:
            for future in as_completed(futures):
                for entry, member in future.result():
                    if isinstance(member, bytes):
                        journal.add(entry.number, member)
                    else:
                        journal.fail(entry.number, str(member))
                    bar.update()
                futures.remove(future)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _members_of(source: "RangeSource", wanted: _Range) -> list[tuple[_Entry, bytes | FetchError]]:
    """Fetch a range and cut it into its members; a failed one is tried member by member."""
    try:
        data = source.read(wanted.filename, wanted.start, wanted.end)
    except FetchError as failure:
        if len(wanted.entries) == 1:
            return [(wanted.entries[0], failure)]
        singles = [_single(entry) for entry in wanted.entries]
        return [pair for single in singles for pair in _members_of(source, single)]
    members: list[tuple[_Entry, bytes | FetchError]] = []
    for entry in wanted.entries:
        line = _line(entry)
        first = line.offset - wanted.start
        member = data[first : first + line.length]
        fault = member_fault(member, line.digest)
        members.append((entry, FetchError(fault) if fault else member))
    return members


def _single(entry: _Entry) -> _Range:
    line = _line(entry)
    return _Range(line.filename, line.offset, line.offset + line.length, (entry,))


def member_fault(member: bytes, digest: str) -> str | None:
    """Return why bytes are not the gzip member of one whole record with this payload.

    Args:
        member: As fetched.
        digest: SHA-1 of the payload in base32, with or without `sha1:`; "" if unknown.

    Returns:
        The reason, None if the member is good.
    """
    records = list(warc_records(BytesIO(member), _LONGEST_MEMBER))
    if len(records) != 1 or not isinstance(records[0], WarcRecord):
        return "not one whole WARC record"
    record = records[0]
    if not digest or len(record.content) < record.size:
        return None
    stream = BytesIO(record.content)
    if record.content[:5].upper() == b"HTTP/":
        headers_parser().parse(stream)
    payload = record.content[stream.tell() :]
    expected = digest.rpartition(":")[2].upper()
    actual = base64.b32encode(hashlib.sha1(payload, usedforsecurity=False).digest()).decode()
    return None if actual == expected else "payload with another digest than in the index"


class RangeSource:
    """Ranges of the files of a crawl, read through fsspec at a polite pace.

    Several threads may read at once.

    Raises:
        UsageError: The driver of the base is not installed.
    """

    def __init__(self, options: FetchOptions) -> None:
        self._options = options
        self._pace = _Pace(options.per_second)
        is_http = options.base.startswith(("http://", "https://"))
        arguments = {"client_kwargs": {"headers": {"User-Agent": USER_AGENT}}} if is_http else {}
        try:
            from fsspec.core import url_to_fs

            self._files, self._root = url_to_fs(options.base, **arguments)
        except (ImportError, ValueError) as error:
            raise UsageError(
                f"--cdx-base {options.base}: its driver is missing ({error}); install it with "
                "`pip install 'boilersweep[remote]'`"
            ) from error

    def read(self, filename: str, start: int, end: int) -> bytes:
        """Read the bytes [start, end) of a file.

        Raises:
            FetchError: They cannot be had, after all tries.
        """
        path = f"{self._root.rstrip('/')}/{filename}"
        failure = FetchError("not tried")
        for attempt in range(self._options.tries):
            if attempt:
                self._pace.pause(failure_pause(failure, attempt, self._options.first_pause))
            self._pace.wait()
            try:
                data: bytes = self._files.cat_file(path, start=start, end=end)
            except FileNotFoundError:
                raise FetchError("no such file in the crawl") from None
            except Exception as error:  # drivers raise what they like
                status = getattr(error, "status", None)
                if isinstance(status, int) and status not in _RETRIED:
                    raise FetchError(f"HTTP status {status}") from error
                failure = FetchError(
                    f"HTTP status {status}" if status else "no answer from the server"
                )
                failure.__cause__ = error
                continue
            if len(data) == end - start:
                return data
            failure = FetchError("another number of bytes than in the index")
            if len(data) > end - start:
                break  # the server ignores ranges
        raise failure


def failure_pause(failure: FetchError, attempt: int, first: float) -> float:
    """Return the seconds to wait before the next try: `Retry-After`, or ever longer ones.

    Args:
        failure: Of the last try; its cause may have the server's headers.
        attempt: How many tries have failed.
        first: Seconds after the first.
    """
    headers: Mapping[str, str] = getattr(failure.__cause__, "headers", None) or {}
    asked = headers.get("Retry-After", "")
    seconds: float = first * 2 ** (attempt - 1) * random.uniform(1, 1.25)  # noqa: S311
    if asked.isdigit():
        seconds = float(asked)
    elif asked:
        with contextlib.suppress(ValueError):
            seconds = parsedate_to_datetime(asked).timestamp() - time.time()
    return min(max(seconds, 0.0), _LONGEST_PAUSE)


class _Pace:
    """When the next request may start, for all threads."""

    def __init__(self, per_second: float, sleep: Callable[[float], None] = time.sleep) -> None:
        self._interval = 1 / per_second
        self._next = time.monotonic()
        self._lock = Lock()
        self._sleep = sleep

    def wait(self) -> None:
        """Wait for the turn of this request."""
        with self._lock:
            start = max(self._next, time.monotonic())
            self._next = start + self._interval
        self._sleep(max(0.0, start - time.monotonic()))

    def pause(self, seconds: float) -> None:
        """Start no request for some seconds, as a server that is too busy asks of all."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


def _assemble(
    entries: Sequence[_Entry], journal: Journal, warc: Path, digests: dict[str, str], base: str
) -> FetchReport:
    failed: Counter[str] = Counter()
    samples: dict[str, list[str]] = {}
    digest = hashlib.sha256()
    with whole_file(warc) as temporary, temporary.open("wb") as target:
        for entry in entries:
            if entry.number in journal.places:
                member = journal.member(entry.number)
                target.write(member)
                digest.update(member)
                continue
            reason = journal.failures[entry.number]
            failed[reason] += 1
            if failed[reason] <= _SAMPLES:
                samples.setdefault(reason, []).append(entry.text[:500])
        size = target.tell()
        if not size:
            counts = "; ".join(f"{count:,} x {reason}" for reason, count in failed.most_common())
            raise CollectionError(
                f"no page could be fetched from {base}: {counts}; check --cdx-base, then delete "
                f"{journal.log_path} to try again"
            )
    return FetchReport(
        index=digests,
        base=base,
        lines=len(entries),
        pages=len(journal.places),
        failed=dict(failed),
        samples=samples,
        bytes=size,
        sha256=digest.hexdigest(),
    )
