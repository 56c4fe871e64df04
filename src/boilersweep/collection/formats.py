"""From what the user names as input to a collection format and its files."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from boilersweep.collection.blogs06 import BLOGS06, is_permalinks_name
from boilersweep.collection.files import regular_files
from boilersweep.collection.format import Format
from boilersweep.collection.html_folder import HTML, is_html_name
from boilersweep.collection.jsonl import is_jsonl_name, jsonl_format
from boilersweep.collection.streams import decompressed
from boilersweep.collection.trec_web import TREC_WEB
from boilersweep.collection.warc import WARC, is_warc_name
from boilersweep.errors import CollectionError, UsageError

FORMATS: dict[str, Format] = {
    form.name: form for form in (TREC_WEB, BLOGS06, WARC, HTML, jsonl_format(plain=False))
}
"""All formats by the word after `--collection`; JSONL as its HTML variant."""

_BY_NAME: dict[str, Callable[[str], bool]] = {
    "blogs06": is_permalinks_name,
    "warc": is_warc_name,
    "html": is_html_name,
    "jsonl": is_jsonl_name,
}
_LOOKED_FOR = {
    "trecweb": "any file",
    "blogs06": "permalinks-*",
    "warc": "*.warc, *.warc.gz",
    "html": "*.html, *.htm, *.xhtml, the same with .gz",
    "jsonl": "*.jsonl, *.json, the same with .gz",
}
_BY_FIRST_BYTES = {b"<DOC>": "trecweb", b"WARC/": "warc", b"{": "jsonl"}
_OPENED = 20  # so many files are opened at most to see what they begin with


def open_collection(
    input: Path,  # noqa: A002 - the word the command line uses
    name: str | None,
    *,
    plain: bool = False,
) -> tuple[Format, list[Path]]:
    """The format of a collection and its files, sorted.

    input: a folder or a file. name: a key of FORMATS, or None to recognise the format by file
    names, then by what the files begin with. plain: JSONL contents are plain text.

    Raises UsageError for an unknown name or `plain` with another format than JSONL;
    CollectionError if there is nothing to read or the format cannot be told.
    """
    if name is not None and name not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"unknown collection format {name!r}: expected one of {known}")
    if plain and name not in (None, "jsonl"):
        raise _plain_error(str(name))
    if not input.exists():
        raise CollectionError(f"{input} does not exist: expected a file or a folder of pages")
    if not input.is_file() and not input.is_dir():
        raise CollectionError(f"{input} is neither a file nor a folder")
    try:
        name = name or _recognised(input)
        if plain and name != "jsonl":
            raise _plain_error(name)
        form = jsonl_format(plain=plain) if name == "jsonl" else FORMATS[name]
        files = form.find(input)
        if not files:
            raise CollectionError(
                f"{input} holds no files of the format {name} ({_LOOKED_FOR[name]}): "
                f"{_contents(regular_files(input))}; check the path, or name another format "
                "with --collection"
            )
    except OSError as error:
        raise CollectionError(f"{input} cannot be read: {error}") from error
    return form, files


def _plain_error(name: str) -> UsageError:
    return UsageError(f"--contents text is for jsonl only, but the collection is {name}")


def _recognised(root: Path) -> str:
    files = regular_files(root)
    kinds = {kind for kind, fits in _BY_NAME.items() if any(fits(path.name) for path in files)}
    kinds = kinds or {kind for path in files[:_OPENED] if (kind := _by_first_bytes(path))}
    if len(kinds) == 1:
        return kinds.pop()
    if kinds:
        found = f"may be {' or '.join(sorted(kinds))}"
    else:
        found = f"is of no format that can be recognised: {_contents(files)}"
    known = ", ".join(FORMATS)
    raise CollectionError(f"{root} {found}; say which with --collection ({known})")


def _by_first_bytes(path: Path) -> str | None:
    with path.open("rb") as raw:
        start = decompressed(raw).read(1024).removeprefix(b"\xef\xbb\xbf").lstrip().upper()
    return next((kind for mark, kind in _BY_FIRST_BYTES.items() if start.startswith(mark)), None)


def _contents(files: list[Path]) -> str:
    """What is there, by the three most frequent suffixes."""
    counts = Counter(path.suffix or "no suffix" for path in files)
    found = ", ".join(f"{count:,} x {suffix}" for suffix, count in counts.most_common(3))
    return f"found {found}" if found else "found no files"
