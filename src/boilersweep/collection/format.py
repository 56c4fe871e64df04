"""What a collection format is: how to find its files and how to read one of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Literal

from boilersweep.collection.record import Item

MAX_PAGE_BYTES = 32 * 2**20
"""The most that a reader loads of a page, whatever `Limits.page_bytes` (--max-page-bytes) allows.

A larger page is skipped with Reason.TOO_LARGE: lxml needs up to 20 times a page's bytes.
"""


DocidOf = Literal["uri", "record", "trec"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What users say of the records of a collection beside its format; None: as is usual there.

    Of JSONL: plain: its contents are plain text, or are HTML. id_field, text_field, url_field: keys
    of its objects. Of WARC: docid: the header that has it, see `boilersweep.collection.warc`.
    """

    plain: bool | None = None
    id_field: str | None = None
    text_field: str | None = None
    url_field: str | None = None
    docid: DocidOf | None = None


USUAL = Reading()


@dataclass(frozen=True, slots=True)
class Format:
    """One collection format.

    name: the word after `--collection`.
    summary: one line for `--help`.
    wants: whether a file of this name belongs to the collection; files of other kinds may lie
        beside its own.
    read: the items of one file, in order. It gets the file opened for reading bytes as it is
        stored (compressed or not; not necessarily seekable) and its name (see SourceLocation).
        It holds at most one record in memory and never raises for what is in the file: what
        cannot be used is yielded as Skipped. OSError from the file itself passes through.
    files_per_task: how many files one worker takes at a time; a task makes one shard.
    """

    name: str
    summary: str
    wants: Callable[[str], bool]
    read: Callable[[BinaryIO, str], Iterator[Item]]
    files_per_task: int = 1
