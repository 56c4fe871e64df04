"""What a collection format is: how to find its files and how to read one of them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Literal

from boilersweep.collection.record import Item

# The most that a reader loads of a page, whatever `Limits.page_bytes` (--max-page-bytes) allows.
#
# A larger page is skipped with Reason.TOO_LARGE: lxml needs up to 20 times a page's bytes.
MAX_PAGE_BYTES = 32 * 2**20


DocidOf = Literal["uri", "record", "uuid", "trec"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How users want the records of a collection to be read; None for the format's usual way.

    Every field belongs to one format, which declares its option (`Format.options`).

    Attributes:
        plain: JSONL: the contents are plain text (True), or HTML (False).
        id_field: JSONL: the key of the docid.
        text_field: JSONL: the key of the contents.
        url_field: JSONL: the key of the address.
        docid: WARC: the header with the docid, see `boilersweep.collection.warc`.
    """

    plain: bool | None = None
    id_field: str | None = None
    text_field: str | None = None
    url_field: str | None = None
    docid: DocidOf | None = None


USUAL = Reading()


def any_name(_name: str) -> bool:
    """Want a file whatever its name is."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One collection format: all that is known of it.

    Attributes:
        name: The word after `--collection`.
        summary: One line for `--help`.
        files: The names of its files, as messages describe them.
        reader: Gives the items of one file in order. It gets the file opened for reading bytes as
            it is stored (compressed or not; not necessarily seekable), its name (see
            `SourceLocation`) and how to read it. It holds at most one record in memory and never
            raises for what is in the file: it yields unusable records as Skipped. OSError from the
            file itself passes through.
        wants: True or a match for a name of its files. Files of other names may lie
            beside its own. `any_name`: names do not tell the format.
        first_bytes: How its files begin, in capitals, behind white space; empty if that tells
            nothing.
        named: Whether names of files tell the format; others have such names, too.
        options: The fields of `Reading` that it reads, with their options of the command line.
        check: The options to check if no record has a document, for a message.
        files_per_task: The number of files that a worker takes at a time; a task makes one shard.
        reading: How users want the records to be read.
    """

    name: str
    summary: str
    files: str
    reader: Callable[[BinaryIO, str, Reading], Iterator[Item]]
    wants: Callable[[str], object] = any_name
    first_bytes: bytes = b""
    named: bool = True
    options: Mapping[str, str] = field(default_factory=dict)
    check: str = "--collection"
    files_per_task: int = 1
    reading: Reading = USUAL

    def read(self, raw: BinaryIO, source: str) -> Iterator[Item]:
        """Return the items of one file; see `reader`."""
        return self.reader(raw, source, self.reading)
