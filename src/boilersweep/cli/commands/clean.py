"""`boilersweep clean`."""

import io
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.syntax.grammar import parse_cleaner
from boilersweep.cleaning.cleaned_page import (
    STANDARD_INPUT,
    cleaned,
    files_of,
    read_page,
)
from boilersweep.cli.call import Call, ThisCall
from boilersweep.cli.messages import note, tell, width
from boilersweep.cli.options.cleaners import Cleaners
from boilersweep.cli.options.values import OutputFile, path
from boilersweep.errors import InputError, PageError, UsageError
from boilersweep.outputs.locations import refuse_inputs
from boilersweep.outputs.streams import (
    make_folder_of,
    output_file,
    require_kind,
    write_output,
)
from boilersweep.outputs.typed_files import json_text
from boilersweep.pages.encoding import to_utf8
from boilersweep.work.progress import steps

if TYPE_CHECKING:
    from boilersweep.cleaning.verdicts import ExplainedPage

Format = Literal["text", "json", "markdown", "html"]

_SUFFIXES = {"text": ".txt", "json": ".json", "markdown": ".md", "html": ".html"}
_JSON = re.compile(rb"\s*\{")
_PICTURE = re.compile(rb"<svg|\x89PNG")


def _page(text: str) -> Path:
    if "://" in text:
        raise UsageError(
            f"expected a file, or - for standard input, got {text}; URLs are not fetched: pipe the "
            f"page, as in `curl -sL {text} | boilersweep clean`"
        )
    return Path(text)


def run(
    *pages: Annotated[Path, path("FILE", _page)],
    keep: Cleaners = (),
    format_: Annotated[Format, Parameter("--format")] = "text",
    images: bool = False,
    explain: bool = False,
    picture: OutputFile | None = None,
    output: OutputFile | None = None,
    call: ThisCall,
) -> int:
    """Print the text that a cleaner keeps of a page, or write those of many pages.

    Print what a cleaner keeps of one page of HTML: the same text that an index of the page
    contains, and nothing if the cleaner keeps nothing. Of several files or a folder, write a file
    for each into --output. URLs are not fetched: pipe the page, as in `curl -s URL | boilersweep
    clean`. With --explain: print a page's blocks with their features and every cleaner's verdict.

    Args:
        pages: Pages of HTML, plain or .gz, or a folder of *.html, *.htm and *.xhtml; - for standard
            input (default: -).
        keep: What to keep, such as 'words>=11', bte or trafilatura (default: learned); with
            --explain a list, beside all named cleaners.
        format_: text has one block per line; json also has title, author, dates, other metadata and
            every block; markdown keeps headings, lists, tables, code and links; html has the blocks
            in their elements, without scripts, handlers and addresses that load.
        images: With markdown: write the images between kept blocks, too.
        explain: Print the page's blocks, their features and every cleaner's verdict, and write them
            as JSON to --output.
        picture: With --explain: draw the blocks along the page, what cleaners keep of them (those
            of --keep, if given), and the page's lines as CETR sees them, as *.svg or *.png.
        output: The file to write (default: standard output); the folder for the texts of several
            pages, each with the name of its page and .txt, .json, .md or .html.
    """
    _check(call, keep, pages)
    if images and format_ != "markdown":
        raise UsageError("--images requires --format markdown")
    paths = list(pages) or [STANDARD_INPUT]
    if explain:
        return _explain(paths[0], keep, output, picture)
    cleaner = keep[0] if keep else parse_cleaner("learned")
    clean = partial(cleaned, cleaner=cleaner, output_format=format_, images=images)
    if len(paths) > 1 or paths[0].is_dir():
        return _clean_all(paths, output, _SUFFIXES[format_], clean)
    if output:
        make_folder_of(output, inputs=paths)
    with redirect_stdout(sys.stderr):  # what plug-ins print is no text of the page
        written, why_empty = clean(paths[0])
    if why_empty:
        note(why_empty)
    if output:
        write_output(output, written)
    else:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # Whatever the terminal's encoding is
            sys.stdout.reconfigure(encoding="utf-8")
        print(written, end="")
    return 0


def _check(call: Call, keep: Sequence[Cleaner], pages: Sequence[Path]) -> None:
    """Raise UsageError for options that do not go together."""
    call.apart("--explain", "--format", "--images")
    call.needs("--picture", "--explain")
    is_explained = bool(call.given("--explain"))
    if len(keep) > 1 and not is_explained:
        raise UsageError("--keep: expected one cleaner; --explain takes several")
    if is_explained and len(pages) > 1:
        raise UsageError("--explain: expected one page, got several")


def _explain(
    path: Path, keep: Sequence[Cleaner], output: Path | None, picture: Path | None
) -> int:
    """Print every cleaner's verdict on the blocks of a page, and draw them."""
    # Cleaning starts faster without these.
    from boilersweep.cleaning.verdicts import explain_page, page_account

    for file, kind, name in ((output, _JSON, "JSON"), (picture, _PICTURE, "a picture")):
        if file:
            make_folder_of(file, inputs=[path])
            require_kind(file, kind, name)
    if picture and picture.suffix not in (".svg", ".png"):
        raise UsageError(f"--picture: expected *.svg or *.png, got {picture}")
    page = read_page(path)
    try:
        explained = explain_page(page, keep)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    tell(page_account(explained, width()))
    if output:
        write_output(output, json_text(asdict(explained)))
        note(str(output))
    if picture:
        _draw(explained, page, keep, picture)
        note(str(picture))
    return 0


def _draw(
    explained: "ExplainedPage", page: bytes, keep: Sequence[Cleaner], path: Path
) -> None:
    from boilersweep.cleaning.drawing import page_chart
    from boilersweep.extractors.cetr import page_profile
    from boilersweep.outputs.pictures import Picture

    html = to_utf8(page).utf8.decode("utf-8", "replace")
    title = explained.title or path.stem
    drawn = Picture(page_chart(title, explained.drawn(keep), page_profile(html)))
    if path.suffix == ".png":
        with output_file(path) as temporary:
            temporary.write_bytes(drawn.png())
    else:
        write_output(path, drawn.svg())


def _clean_all(
    paths: list[Path],
    folder: Path | None,
    suffix: str,
    clean: Callable[[Path], tuple[str, str]],
) -> int:
    """Write a file for each page; status 1 if a page could not be cleaned."""
    if STANDARD_INPUT in paths:
        raise UsageError("expected files or folders, got standard input among them")
    files = files_of(paths)
    if not folder:
        raise UsageError(
            f"{paths[0]}: several pages need a folder for their texts: give --output DIR"
        )
    if folder.is_file():
        raise UsageError(f"--output {folder}: expected a folder, got a file")
    names = [f"{name}{suffix}" for name in files]
    refuse_inputs(folder, names, inputs=files.values())
    failed = empty = 0
    with steps("clean", len(files), "pages") as bar:
        for name, path in files.items():
            try:
                written, why_empty = clean(path)
            except (PageError, InputError) as error:
                failed += 1
                note(str(error))
            else:
                empty += bool(why_empty)
                output = folder / f"{name}{suffix}"
                make_folder_of(output)
                write_output(output, written)
            bar.update()
    note(
        f"pages cleaned into {folder}: {len(files) - failed:,}, {empty:,} without text; "
        f"{failed:,} failed"
    )
    return 1 if failed else 0
