"""Pages from files or from standard input, cleaned one at a time."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Literal

from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaning.clean import clean
from boilersweep.cleaning.page import as_json, page
from boilersweep.collection.files import Tree
from boilersweep.collection.format import MAX_PAGE_BYTES
from boilersweep.collection.html_folder import HTML
from boilersweep.collection.streams import decompressed
from boilersweep.errors import InputError, PageError, UsageError, reason_of

STANDARD_INPUT = Path("-")


def cleaned(
    path: Path,
    cleaner: Cleaner,
    output_format: Literal["text", "json", "markdown"],
    *,
    images: bool = False,
) -> tuple[str, str]:
    """Clean the page in a file.

    Args:
        path: The file; `-` for standard input.
        cleaner: What to keep.
        output_format: How to write it.
        images: Whether to write images into Markdown.

    Returns:
        The text in its format, and a note that says why there is no text, or "".

    Raises:
        InputError: As `read_page` raises it.
        PageError: The page cannot be cleaned; the message names the file.
    """
    name = "standard input" if path == STANDARD_INPUT else str(path)
    html = read_page(path)
    try:
        if output_format == "json":
            cleaned_page = page(html, cleaner)
            text, written = cleaned_page.text, as_json(cleaned_page, cleaner)
        else:
            text = written = clean(html, cleaner, format=output_format, images=images)
    except PageError as error:
        raise PageError(f"{name}: {error}") from error
    why = f"{cleaner} keeps nothing of it" if html.strip() else "it is empty"
    return f"{written}\n" if written else "", "" if text else f"{name}: no text, {why}"


def files_of(paths: Sequence[Path]) -> dict[str, Path]:
    """Return files, and the pages below folders, by their path below the folder that holds all.

    Raises:
        UsageError: A path does not exist, or a folder has no pages.
    """
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = Tree(path).chosen(HTML.wants)[0]
            if not inside:
                raise UsageError(
                    f"{path}: expected *.html, *.htm or *.xhtml in the folder"
                )
            files += inside
        elif path.exists():
            files.append(path)
        else:
            raise UsageError(
                f"{path} does not exist: expected a file or a folder of pages"
            )
    around = (
        paths[0]
        if len(paths) == 1
        else os.path.commonpath([p.absolute() for p in paths])
    )
    top = Path(around)
    top = top if top.is_dir() else top.parent
    return {
        path.absolute().relative_to(top.absolute()).as_posix(): path for path in files
    }


def read_page(path: Path) -> bytes:
    """Read a page from a file, or from standard input for `-`, and unpack gzip.

    Raises:
        InputError: The page cannot be read whole, or is larger than any page may be.
    """
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError(
                "cannot read the page: standard input is closed; give a file, or a pipe"
            )
        return _read(sys.stdin.buffer, "standard input")
    try:
        with path.open("rb") as raw:
            return _read(raw, str(path))
    except OSError as error:
        raise InputError(
            f"cannot read the page {path}: {reason_of(error)}; expected a file of HTML, or - for "
            "standard input"
        ) from error


def _read(raw: BinaryIO, name: str) -> bytes:
    stream = decompressed(raw)
    body = stream.read(MAX_PAGE_BYTES + 1)
    if len(body) > MAX_PAGE_BYTES:
        raise InputError(
            f"{name}: expected a page, got more than {MAX_PAGE_BYTES:,} bytes"
        )
    if stream.damage:
        raise InputError(f"{name} is damaged: {stream.damage}")
    return body
