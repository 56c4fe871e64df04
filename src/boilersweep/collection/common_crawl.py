"""Pages named by lines of Common Crawl's index: fetched by HTTP ranges, kept as one WARC file.

index lines --ranges, several at once--> journal --in order--> FILE.warc.gz, FILE.warc.gz.json

A line of the index names a WARC file of the crawl, an offset and a length; the bytes there are one
gzip member with one record. Neighbouring members are fetched in one request. Every fetched member
is compared with the digest of its index line and appended to a hidden journal, so a killed run goes
on where it stopped, after it has compared the journal's members again. When all lines are done, the
members are written in the order of the index.
"""

import base64
import contextlib
import gzip
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import msgspec

from boilersweep.collection.fetch_options import FetchOptions
from boilersweep.collection.format import MAX_PAGE_BYTES, as_token
from boilersweep.collection.index_lines import (
    IndexLine,
    IndexLines,
    index_files,
    read_index,
)
from boilersweep.collection.range_source import FetchError, RangeSource, UnreadError
from boilersweep.collection.streams import pieces, whole
from boilersweep.collection.warc_records import WarcRecord, headers_parser, warc_records
from boilersweep.errors import CollectionError, OutputError
from boilersweep.outputs.atomic import output_errors, whole_file
from boilersweep.outputs.identity import differences, file_digest, some_of
from boilersweep.outputs.locations import BINARY, NO_FOLLOW, refuse_inputs
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.streams import write_output
from boilersweep.outputs.typed_files import decode_json, json_text, read_json
from boilersweep.pages.content_kind import GZIP
from boilersweep.redaction import without_secrets
from boilersweep.work.progress import steps

_LONGEST_LINE = 2000  # bytes; a reason is a few words


class _Entry(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The line before a member: the number of its index line, its length, and why it is missing."""

    number: int
    length: Annotated[int, msgspec.Meta(ge=0)]
    failure: str


class Journal:
    """Members by the numbers of their index lines, in the order in which they came.

    The file begins with the request that it belongs to. For every index line that is done it has a
    line of JSON, its number, the member's length and why there is none, and then the member. A kill
    leaves at most a part of the last one; a machine that loses power may leave anything, so whoever
    takes up a journal verifies its members.

    Attributes:
        path: The file.
        failures: Number of an index line -> why it has no member.
    """

    def __init__(self, path: Path, file: BinaryIO, request: dict[str, Any]) -> None:
        """Take up a journal; one of another request is emptied."""
        self.path = path
        self.failures: dict[int, str] = {}
        self._file = file
        self._places: dict[int, tuple[int, int]] = {}  # offset and length
        head = json.dumps(request, sort_keys=True).encode() + b"\n"
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        if file.readline() != head:
            size = 0
            file.seek(0)
            file.write(head)
        end = file.tell()
        with contextlib.suppress(ValueError):  # damage
            while end < size:
                entry = decode_json(file.readline(_LONGEST_LINE), _Entry)
                if file.tell() + entry.length > size:
                    break
                self._note(entry.number, file.tell(), entry.length, entry.failure)
                end = file.seek(entry.length, os.SEEK_CUR)
        file.truncate(end)

    def __contains__(self, number: int) -> bool:
        """Whether an index line is done."""
        return number in self._places or number in self.failures

    def add(self, number: int, member: bytes, failure: str) -> None:
        """Keep the member of an index line, or record why it has none."""
        self._file.seek(0, os.SEEK_END)
        self._file.write(json.dumps([number, len(member), failure]).encode() + b"\n")
        self._note(number, self._file.tell(), len(member), failure)
        self._file.write(member)
        self._file.flush()

    def _note(self, number: int, offset: int, length: int, failure: str) -> None:
        self.failures.pop(number, None)
        if failure:
            self.failures[number] = failure
        else:
            self._places[number] = (offset, length)

    def member(self, number: int) -> bytes:
        """Read the member of an index line."""
        offset, length = self._places[number]
        self._file.seek(offset)
        return self._file.read(length)


@contextlib.contextmanager
def open_journal(path: Path, request: dict[str, Any]) -> Iterator[Journal]:
    """Open the journal of a request, which is made where there is none.

    Raises:
        OutputError: The file cannot be read or written.
    """
    flags = os.O_RDWR | os.O_CREAT | NO_FOLLOW | BINARY
    with output_errors(path), os.fdopen(os.open(path, flags, 0o666), "r+b") as file:
        yield Journal(path, file, request)


_GAP = 64 * 2**10  # bytes between two members that one request still spans
_LONGEST_RANGE = 8 * 2**20
_SHOWN_EVERY = 1.0  # seconds, while no request ends
_SAMPLES = 5  # failed lines that the report names for each reason


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


def fetch_pages(
    index: Path, warc: Path, options: FetchOptions | None = None
) -> FetchReport:
    """Fetch the records that an index names, and keep them as one WARC file.

    A finished file of the same index and base is used again; an unfinished run is continued.

    Args:
        index: A file of index lines (JSON, or CDXJ with a key before the JSON; plain or gzip), or
            a folder of such files; or another form that `index_lines` knows.
        warc: The file to write, `*.warc.gz`. The report is beside it, as `*.warc.gz.json`.
        options: How to fetch.

    Returns:
        The report: how many records were fetched, and why others were not.

    Raises:
        CollectionError: The index cannot be read, has no line, no record could be fetched, or a
            read failed in all tries; the next run tries it again.
        OutputError: The file cannot be written, or holds other pages.
        UsageError: The base cannot be used.
    """
    options = options or FetchOptions()
    files = index_files(index)
    written = [warc.name, report_path(warc).name]
    refuse_inputs(warc.parent, written, inputs=files)
    request = {
        "index": {path.name: file_digest(path) for path in files},
        "base": without_secrets(options.base),
    }
    with only_writer(warc.parent, f".{warc.name}.lock"):
        finished = _finished(warc, request)
        if finished is not None:
            return finished
        lines = read_index(files)
        if not lines.texts:
            raise CollectionError(
                f"{index} has no line of an index; expected JSON with filename, offset and length"
            )
        journal_path = warc.with_name(f".{warc.name}.journal")
        with open_journal(journal_path, request) as journal:
            _fetch_missing(lines.usable, journal, options)
            report = _assemble(lines, journal, warc, request)
            write_output(report_path(warc), json_text(report))
            journal_path.unlink()
    return report


def report_path(warc: Path) -> Path:
    """Return the path of the report beside a WARC file."""
    return warc.with_name(f"{warc.name}.json")


def _finished(warc: Path, request: dict[str, Any]) -> FetchReport | None:
    """Return the report of a finished file of the same request, None if it must be fetched.

    Raises:
        OutputError: The file has pages of another index, or was changed.
    """
    path = report_path(warc)
    if not warc.exists() and not path.exists():
        return None
    advice = "choose another `save`, or delete the file and its report"
    try:
        report = read_json(path, FetchReport)
    except FileNotFoundError:
        raise OutputError(
            f"{warc} exists, but was not fetched by an index; {advice}"
        ) from None
    except (OSError, ValueError) as error:
        raise OutputError(
            f"{path} is no report of fetched pages ({error}); {advice}"
        ) from error
    if changes := differences({"index": report.index, "base": report.base}, request):
        raise OutputError(
            f"{warc} has pages of another request: {some_of(changes)}; {advice}"
        )
    if not warc.exists():
        path.unlink()
        return None
    if file_digest(warc) != report.sha256:
        raise OutputError(f"{warc} was changed after it was fetched; {advice}")
    return report


# Neighbouring members of one WARC file, which one request fetches, with the numbers of their lines.
_Batch = list[tuple[int, IndexLine]]


def _joined(lines: Mapping[int, IndexLine]) -> list[_Batch]:
    """Join members of one file that are near each other, in the order of files and offsets."""
    batches: list[_Batch] = []
    filename, start, end = "", 0, 0  # of the last batch
    for number, line in sorted(
        lines.items(), key=lambda one: (one[1].filename, one[1].offset)
    ):
        is_near = line.filename == filename and line.offset - end <= _GAP
        if not is_near or max(end, line.end) - start > _LONGEST_RANGE:
            batches.append([])
            filename, start, end = line.filename, line.offset, line.end
        batches[-1].append((number, line))
        end = max(end, line.end)
    return batches


def _fetch_missing(
    lines: Mapping[int, IndexLine], journal: Journal, options: FetchOptions
) -> None:
    missing = {
        number: line
        for number, line in lines.items()
        if number not in journal.failures and not _is_kept(journal, number, line)
    }
    if not missing:
        return
    source = RangeSource(options)
    unread: list[tuple[str, _Batch]] = []
    with (
        steps("fetching pages", len(missing), "pages") as bar,
        ThreadPoolExecutor(options.at_once) as pool,
    ):
        given = {
            pool.submit(_fetched, source, joined): joined for joined in _joined(missing)
        }
        try:
            while given:
                for future in wait(given, _SHOWN_EVERY, FIRST_COMPLETED).done:
                    batch = given.pop(future)
                    try:
                        fetched, again = future.result()
                    except UnreadError as error:
                        unread.append((str(error), batch))
                        continue
                    for number, member, failure in fetched:
                        journal.add(number, member, failure)
                    bar.update(len(fetched))
                    for joined in again:
                        given[pool.submit(_fetched, source, [joined])] = [joined]
                bar.update(0)
        except BaseException:
            source.stop()
            pool.shutdown(cancel_futures=True)
            raise
    if unread:
        reason, [(_, line), *_] = unread[0]
        pages = sum(len(batch) for _, batch in unread)
        raise CollectionError(
            f"{pages:,} of {len(lines):,} pages could not be read, such as offset {line.offset:,} "
            f"of {line.filename} ({reason}); what was fetched is kept: run the same command again "
            "to try them again"
        )


def _is_kept(journal: Journal, number: int, line: IndexLine) -> bool:
    """Return whether a journal has the member of a line, whole and undamaged."""
    if number not in journal:
        return False
    member = journal.member(number)
    return len(member) == line.length and not _member_fault(member, line.digest)


def _fetched(
    source: RangeSource, batch: _Batch
) -> tuple[list[tuple[int, bytes, str]], _Batch]:
    """Fetch a batch.

    Returns:
        For every line its number, its member, and why there is none, "" if there is one; and the
        lines to ask for one by one, because they cannot be had together.

    Raises:
        UnreadError: They could not be read, but may be later.
        CollectionError: The server cannot be reached, or has no ranges.
    """
    start = batch[0][1].offset
    end = max(line.end for _, line in batch)
    try:
        data = source.read(batch[0][1].filename, start, end)
    except FetchError as error:
        if len(batch) > 1:
            return [], batch
        return [(batch[0][0], b"", str(error))], []
    members: list[tuple[int, bytes, str]] = []
    for number, line in batch:
        member = data[line.offset - start : line.end - start]
        fault = _member_fault(member, line.digest)
        members.append((number, b"" if fault else member, fault))
    return members, []


def _member_fault(member: bytes, digest: str) -> str:
    """Return why bytes are not the gzip member of one whole record with this payload, "" if so.

    Args:
        member: As fetched.
        digest: SHA-1 of the payload in base32, with or without `sha1:`; "" if unknown.
    """
    records = list(warc_records(BytesIO(member), MAX_PAGE_BYTES))
    if len(records) != 1 or not isinstance(records[0], WarcRecord):
        return "not one whole WARC record"
    record = records[0]
    if not digest or len(record.content) < record.size:
        return ""
    stream = BytesIO(record.content)
    if record.content[:5].upper() == b"HTTP/":
        headers_parser().parse(stream)
    payload = record.content[stream.tell() :]
    expected = digest.rpartition(":")[2].upper()
    actual = base64.b32encode(
        hashlib.sha1(payload, usedforsecurity=False).digest()
    ).decode()
    return "" if actual == expected else "payload with another digest than in the index"


def _with_docid(member: bytes, docid: str) -> bytes:
    """Return a member of gzip whose record has the docid of its line, if the line has one."""
    if not docid and member.startswith(GZIP):
        return member
    record = whole(pieces(BytesIO(member)), MAX_PAGE_BYTES)
    if docid:
        version, line_break, rest = record.partition(b"\n")
        name = b"WARC-TREC-ID: " + as_token(docid).encode("utf-8", "replace")
        record = b"".join((version, line_break, name, b"\r\n", rest))
    return gzip.compress(record, mtime=0)


def _assemble(
    lines: IndexLines, journal: Journal, warc: Path, request: dict[str, Any]
) -> FetchReport:
    """Write the members in the order of the index."""
    failures = lines.failures | {
        number: reason
        for number, reason in journal.failures.items()
        if number in lines.usable
    }
    failed: Counter[str] = Counter()
    samples: dict[str, list[str]] = {}
    digest = hashlib.sha256()
    with whole_file(warc) as temporary, temporary.open("wb") as target:
        for number, text in enumerate(lines.texts):
            if reason := failures.get(number):
                failed[reason] += 1
                if failed[reason] <= _SAMPLES:
                    samples.setdefault(reason, []).append(text[:500])
            else:
                line = lines.usable[number]
                member = _with_docid(journal.member(number), line.docid)
                target.write(member)
                digest.update(member)
        size = target.tell()
        if not size:
            counts = "; ".join(
                f"{count:,} x {reason}" for reason, count in failed.most_common()
            )
            raise CollectionError(
                f"no page could be fetched from {request['base']}: {counts}; check `cdx_base`, "
                f"then delete {journal.path} to try again"
            )
    return FetchReport(
        **request,
        lines=len(lines.texts),
        pages=len(lines.texts) - len(failures),
        failed=dict(failed),
        samples=samples,
        bytes=size,
        sha256=digest.hexdigest(),
    )
