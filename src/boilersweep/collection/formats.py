"""From what the user names as input to a collection format and its files."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from boilersweep.collection.files import WITH_LINKS, LeftOut, Tree, any_name
from boilersweep.collection.format import USUAL, Format, Reading
from boilersweep.collection.html_folder import HTML, is_html_name
from boilersweep.collection.irds import documents_of
from boilersweep.collection.irds_datasets import dataset_id
from boilersweep.collection.jsonl import is_jsonl_name, jsonl_format
from boilersweep.collection.streams import decompressed
from boilersweep.collection.trec_web import BLOGS06, TREC_WEB, is_permalinks_name
from boilersweep.collection.warc import WARC, is_warc_name, warc_format
from boilersweep.errors import CollectionError, UsageError

FORMATS: dict[str, Format] = {
    form.name: form for form in (TREC_WEB, BLOGS06, WARC, HTML, jsonl_format())
}
"""All formats by the word after `--collection`, as they are read where users say no more."""

_MADE_FOR: dict[str, Callable[[Reading], Format]] = {"warc": warc_format, "jsonl": jsonl_format}
_OF_JSONL = {
    "plain": "--contents",
    "id_field": "--id-field",
    "text_field": "--text-field",
    "url_field": "--url-field",
}
_OF_WARC = {"docid": "--docid"}

_BY_NAME: dict[str, Callable[[str], bool]] = {
    "blogs06": is_permalinks_name,
    "warc": is_warc_name,
    "html": is_html_name,
    "jsonl": is_jsonl_name,
}
_LOOKED_FOR = {
    "trecweb": "any file",
    "blogs06": "permalinks-*",
    "warc": "*.warc, *.warc.wet, the same with .gz or .zst, *.wacz",
    "html": "*.html, *.htm, *.xhtml, the same with .gz",
    "jsonl": "*.jsonl, *.json, the same with .gz",
}
_BY_FIRST_BYTES = {b"<DOC>": "trecweb", b"WARC/": "warc", b"{": "jsonl"}
_OPENED = 20  # so many files are opened at most to see what they begin with


@dataclass(frozen=True, slots=True)
class Collection:
    """A format, the files that it reads of an input, sorted, and what of the input is left out."""

    format: Format
    files: list[Path]
    left_out: LeftOut


def named_format(name: str, reading: Reading = USUAL) -> Format:
    """A format by its key in FORMATS, read as users say.

    Raises UsageError for an unknown name, and where they say what goes with another format.
    """
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"unknown collection format {name!r}: expected one of {known}")
    for of, fields in (("jsonl", _OF_JSONL), ("warc", _OF_WARC)):
        for field, option in fields.items():
            if name != of and getattr(reading, field) is not None:
                raise UsageError(f"{option} is for {of} only, but the collection is {name}")
    if reading == USUAL or name not in _MADE_FOR:
        return FORMATS[name]
    return _MADE_FOR[name](reading)


def open_collection(
    input: Path,  # noqa: A002 - the word the command line uses
    name: str | None,
    *,
    reading: Reading = USUAL,
    follow_links: bool = False,
) -> Collection:
    """The format of a collection and its files.

    input: a folder, a file, or `irds:ID` for a dataset of ir_datasets. name: a key of FORMATS, or
    None to recognise the format by file names, then by what the files begin with. reading: what
    users say of the records. follow_links: read linked folders, and files outside of the input that
    links lead to.

    Raises what `named_format` does; CollectionError if there is nothing to read or the format
    cannot be told.
    """
    form = None if name is None else named_format(name, reading)
    if (dataset := dataset_id(input)) is not None:
        return _opened_dataset(dataset, name, reading)
    if not input.exists():
        raise CollectionError(f"{input} does not exist: expected a file or a folder of pages")
    if not input.is_file() and not input.is_dir():
        raise CollectionError(f"{input} is neither a file nor a folder")
    try:
        tree = Tree(input, follow_links=follow_links)
        form = form or named_format(_recognised(input, tree), reading)
        files, left_out = tree.chosen(form.wants)
    except OSError as error:
        raise CollectionError(f"{input} cannot be read: {error}") from error
    if not files:
        raise CollectionError(
            f"{input} holds no files of the format {form.name} ({_LOOKED_FOR[form.name]}): "
            f"{_contents(tree)}; check the path, or name another format with --collection"
        )
    return Collection(form, files, left_out)


def _opened_dataset(dataset: str, name: str | None, reading: Reading) -> Collection:
    read_as, documents = documents_of(dataset)
    if name not in (None, read_as):
        raise UsageError(f"irds:{dataset} is read as {read_as}, not as {name}: leave --collection")
    # What stands for a path behaves as one for reading, and is typed as one.
    return Collection(named_format(read_as, reading), cast("list[Path]", documents), LeftOut())


def _recognised(root: Path, tree: Tree) -> str:
    files, _ = tree.chosen(any_name)
    kinds = {kind for kind, fits in _BY_NAME.items() if any(fits(path.name) for path in files)}
    kinds = kinds or {kind for path in files[:_OPENED] if (kind := _by_first_bytes(path))}
    if len(kinds) == 1:
        return kinds.pop()
    if kinds:
        found = f"may be {' or '.join(sorted(kinds))}"
    else:
        found = f"is of no format that can be recognised: {_contents(tree)}"
    known = ", ".join(FORMATS)
    raise CollectionError(f"{root} {found}; say which with --collection ({known})")


def _by_first_bytes(path: Path) -> str | None:
    with path.open("rb") as raw:
        start = decompressed(raw).read(1024).removeprefix(b"\xef\xbb\xbf").lstrip().upper()
    return next((kind for mark, kind in _BY_FIRST_BYTES.items() if start.startswith(mark)), None)


def _contents(tree: Tree) -> str:
    """What is there, by the three most frequent suffixes, and what could be there."""
    files, left_out = tree.chosen(any_name)
    counts = Counter(path.suffix or "no suffix" for path in files)
    found = [f"{count:,} x {suffix}" for suffix, count in counts.most_common(3)]
    found += [f"{count:,} x {reason}" for reason, count in sorted(left_out.counts.items())]
    advice = (
        " (--follow-links reads what links lead to)" if WITH_LINKS & left_out.counts.keys() else ""
    )
    return f"found {', '.join(found)}{advice}" if found else "found no files"
