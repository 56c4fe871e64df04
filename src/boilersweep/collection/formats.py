"""From what the user names as input to a collection format and its files."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from io import BufferedReader
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import cast

from boilersweep.applications import all_provided, required
from boilersweep.collection.files import WITH_LINKS, LeftOut, NotRead, Tree
from boilersweep.collection.format import SNIFFED, USUAL, Format, Reading, any_name
from boilersweep.collection.html_folder import HTML
from boilersweep.collection.inputs import Input, dataset_id, paths_of
from boilersweep.collection.jsonl import CRAG, JSONL
from boilersweep.collection.parquet import PARQUET
from boilersweep.collection.streams import decompressed
from boilersweep.collection.tar import DAMAGE, is_tar, members, with_archives
from boilersweep.collection.trec_web import BLOGS06, TREC_WEB
from boilersweep.collection.warc import ARC, WARC
from boilersweep.errors import CollectionError, UsageError
from boilersweep.outputs.locations import for_each

# All formats by the word after `--collection`; a new one is one more here.
FORMATS: dict[str, Format] = {
    form.name: with_archives(form)
    for form in (
        *(BLOGS06, TREC_WEB),
        *all_provided(["boilersweep.collection.clef_ehealth:CLEF_EHEALTH"]),
        *(HTML, JSONL, CRAG, PARQUET, WARC, ARC),
    )
}

_OPENED = 20  # so many files are opened at most to see what they begin with


@dataclass(frozen=True, slots=True)
class Collection:
    """A format, the files that it reads of an input, sorted, and what of the input is left out."""

    format: Format
    files: list[Path]
    left_out: LeftOut


def named_format(name: str, reading: Reading = USUAL) -> Format:
    """Return a format by its key in FORMATS, read as users say.

    Raises:
        UsageError: The name is unknown, or an option belongs to another format.
    """
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"unknown collection format {name!r}: expected one of {known}")
    wanted = {option for form in FORMATS.values() for option in form.options}
    others = {
        field: [form.name for form in FORMATS.values() if field in form.options]
        for field in wanted - set(FORMATS[name].options)
        if getattr(reading, field) is not None
    }
    if reading.docid not in (None, *FORMATS[name].docids):
        kinds = [
            format_.name
            for format_ in FORMATS.values()
            if reading.docid in format_.docids
        ]
        others["docid"] = kinds
    for field, kinds in others.items():
        raise UsageError(
            f"expected none, as it is for {' and '.join(kinds)} only and the collection is {name}",
            parameter=field,
        )
    return (
        FORMATS[name] if reading == USUAL else replace(FORMATS[name], reading=reading)
    )


def open_collection(
    input: Input,  # noqa: A002 - the word the command line uses
    name: str | None,
    *,
    reading: Reading = USUAL,
    follow_links: bool = False,
) -> Collection:
    """Return the format of a collection and its files.

    Raises what `named_format` does; CollectionError if there is nothing to read or the format
    cannot be told.

    Args:
        input: A folder, a file, several of these, or `irds:ID` for a dataset of ir_datasets.
        name: A key of FORMATS, or None to recognise the format by file names, then by what the
            files begin with.
        reading: What users say of the records.
        follow_links: Read linked folders, and files outside of the input that links lead to.
    """
    form = None if name is None else named_format(name, reading)
    if (dataset := dataset_id(str(input))) is not None:
        documents_of = required("boilersweep.collection.irds:documents_of", f"{input}")
        read_as, documents = documents_of(dataset)
        if name not in (None, read_as):
            raise UsageError(
                f"{input} is read as {read_as}, not as {name}: leave --collection"
            )
        # What stands for a path behaves as one for reading, and is typed as one.
        files = cast("list[Path]", documents)
        return Collection(named_format(read_as, reading), files, LeftOut())
    for_each(_require_pages, paths_of(input))
    try:
        tree = Tree(input, follow_links=follow_links)
        form = form or named_format(_recognised(input, tree), reading)
        files, left_out = files_of(tree, form)
    except OSError as error:
        raise CollectionError(f"{input} cannot be read: {error}") from error
    if not files:
        raise CollectionError(
            f"{input} holds no files of the format {form.name} ({form.files}): "
            f"{_contents(tree)}; check the path, or name another format with `collection`"
        )
    return Collection(form, files, left_out)


def _require_pages(path: Path) -> None:
    """Raise CollectionError for a path that is neither a file nor a folder of pages."""
    if path.is_file():
        return
    if not path.exists():
        raise CollectionError(
            f"{path} does not exist: expected a file or a folder of pages"
        )
    if not path.is_dir():
        raise CollectionError(f"{path} is neither a file nor a folder")
    if (path / "manifest.json").is_file() and any(path.glob("shard-*.parquet")):
        raise CollectionError(
            f"{path} holds no document: it is a block store; pass it with --store"
        )


def files_of(tree: Tree, form: Format) -> tuple[list[Path], LeftOut]:
    """Return the files of a format in a folder, sorted, and what is left out; raises OSError.

    Frames in the folder `X_files` beside a page `X.html`, as browsers save them, are its parts.
    """
    if form.sniff is None:
        return tree.chosen(form.wants)
    files, left_out = tree.chosen(form.wants, partial(_kind, form.sniff))
    parts = {path.with_name(f"{path.stem}_files") for path in files if path.suffix}
    kept = [path for path in files if not parts.intersection(path.parents)]
    for path in files:
        if parts.intersection(path.parents):
            left_out.add(NotRead.PART, tree.place(path))
    return kept, left_out


def _kind(sniff: Callable[[bytes], str], path: Path) -> str:
    """Return what the first bytes of a file tell."""
    with path.open("rb") as raw:
        return sniff(decompressed(raw).read(SNIFFED))


def _recognised(root: Input, tree: Tree) -> str:
    files, _ = tree.chosen(any_name)
    kinds = {
        form.name
        for form in FORMATS.values()
        if form.named
        and any(form.wants(path.name) and not is_tar(path.name) for path in files)
    }
    kinds = kinds or {
        form.name for path in files[:_OPENED] for form in _by_first_bytes(path)
    }
    if len(kinds) == 1:
        return kinds.pop()
    if kinds:
        guess = f"may be {' or '.join(sorted(kinds))}"
    else:
        guess = (
            f"is of no format that can be recognised: {_contents(tree)}; unpack archives (zip, "
            "7z) first"
        )
    known = ", ".join(FORMATS)
    raise CollectionError(f"{root} {guess}; say which with `collection` ({known})")


def _by_first_bytes(path: Path) -> set[Format]:
    """Return the formats that a file begins as; of an archive those of its first files."""
    with path.open("rb") as raw:
        stream = decompressed(raw)
        if not is_tar(path.name):
            return _beginning_as(stream.read(SNIFFED))
        first = islice(members(stream), _OPENED)
        try:
            return {form for name, file in first for form in _known(name, file)}
        except DAMAGE:
            return set()


def _known(name: str, file: BufferedReader) -> set[Format]:
    """Return the formats of a file by its name, else by its first bytes."""
    base = PurePosixPath(name).name
    by_name = {
        format_ for format_ in FORMATS.values() if format_.named and format_.wants(base)
    }
    return by_name or _beginning_as(file.peek(SNIFFED)[:SNIFFED])


def _beginning_as(start: bytes) -> set[Format]:
    start = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    return {
        form
        for form in FORMATS.values()
        if form.first_bytes and form.first_bytes.match(start)
    }


def _contents(tree: Tree) -> str:
    """Describe the files by their three most frequent suffixes, and what is left out."""
    files, left_out = tree.chosen(any_name)
    counts = Counter(path.suffix or "no suffix" for path in files)
    parts = [f"{count:,} x {suffix}" for suffix, count in counts.most_common(3)]
    parts += [
        f"{count:,} x {reason}" for reason, count in sorted(left_out.counts.items())
    ]
    advice = (
        " (`boilersweep segment --follow-links` reads what links lead to)"
        if WITH_LINKS & left_out.counts.keys()
        else ""
    )
    return f"found {', '.join(parts)}{advice}" if parts else "found no files"
