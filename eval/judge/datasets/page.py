"""A page with its gold text, and what datasets share in reading them."""

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from boilersweep.errors import InputError
from boilersweep.pages.encoding import to_utf8

PAGE_SUFFIXES = (".html", ".htm", ".html.gz", ".htm.gz")
_NAMED = 5  # of the pages left out for one reason, in a message


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page and the main text that people marked in it.

    name: unlike that of any other page of the dataset. path: of the page, `.gz` or not.
    charset: the label that came with the page, or None. gold: the main text, white space as it
    came. site: the host of the page without "www.", or the name where it is not known; pages of
    one site share a template. url: "" where it is not known. page_type: "" where the dataset has
    no types. annotated: the page with its blocks marked (L3S-GN1), or None. language: as the
    dataset has it, a primary tag of BCP 47, or "". title: of the text, where the dataset has it
    beside the gold text, or "". wanted, unwanted: where there is no gold text, strings that must be
    in what is left of the page, and strings that must not.
    """

    name: str
    path: Path
    charset: str | None
    gold: str
    site: str
    url: str = ""
    page_type: str = ""
    annotated: Path | None = None
    language: str = ""
    title: str = ""
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()

    @property
    def html(self) -> bytes:
        """The page's bytes, read at each call; raises InputError."""
        return page_bytes(self.path)

    @property
    def utf8(self) -> bytes:
        """The page decoded, as UTF-8; raises InputError."""
        return to_utf8(self.html, self.charset).utf8


@dataclass(frozen=True, slots=True)
class Skipped:
    """A page that could not be judged, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """The pages of a dataset in the order of their names, and those left out.

    name: of its kind. label: what it is called beside others; the name where nothing else is said.
    """

    name: str
    folder: Path
    pages: list[JudgedPage]
    skipped: list[Skipped] = field(default_factory=list)
    label: str = ""

    def __post_init__(self) -> None:
        if not self.label:
            object.__setattr__(self, "label", self.name)

    @property
    def has_gold(self) -> bool:
        """Whether its pages have gold texts; else they have strings to keep and to drop."""
        return not any(page.wanted or page.unwanted for page in self.pages)

    def reasons(self) -> dict[str, int]:
        """Reason -> pages left out for it, the most frequent first."""
        return dict(Counter(page.reason for page in self.skipped).most_common())

    def describe(self) -> list[str]:
        """One line per reason, with some of the pages' names."""
        return [
            f"{count:,} of {len(self.pages) + len(self.skipped):,} pages left out: {reason} "
            f"({_some([page.name for page in self.skipped if page.reason == reason])})"
            for reason, count in self.reasons().items()
        ]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")


def page_bytes(path: Path) -> bytes:
    """A page's bytes, unpacked where the name ends in `.gz`; raises InputError."""
    try:
        body = path.read_bytes()
        return gzip.decompress(body) if path.suffix == ".gz" else body
    except (OSError, EOFError, zlib.error) as error:  # gzip's own error is an OSError
        raise InputError(f"cannot read the page {path}: {error}") from error


def fault_of(path: Path) -> str:
    """Why a page cannot be read, or ""."""
    try:
        if path.suffix == ".gz":
            page_bytes(path)
        else:
            path.open("rb").close()
    except (InputError, OSError):
        return "the page's gzip file is broken" if path.suffix == ".gz" else "unreadable page"
    return ""


def text_of(path: Path) -> str:
    """A text file in UTF-8, with or without a byte order mark, or else in windows-1252.

    Raises InputError.
    """
    try:
        return to_utf8(path.read_bytes()).utf8.decode("utf-8")
    except OSError as error:
        raise InputError(f"cannot read the gold text {path}: {error}") from error


def stem_of(name: str, suffixes: Sequence[str] = PAGE_SUFFIXES) -> str:
    """A file's name without its suffix, the longest of those it has."""
    suffix = max((suffix for suffix in suffixes if name.endswith(suffix)), key=len, default="")
    return printable(name[: len(name) - len(suffix)])


def printable(text: str) -> str:
    """A text that can be written as UTF-8: what no encoding has, as its escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def named_pages(folder: Path, skipped: list[Skipped]) -> dict[str, Path]:
    """Name -> page, of the pages directly in a folder; see `named_files`."""
    return named_files(folder, folder.iterdir(), PAGE_SUFFIXES, skipped)


def named_files(
    root: Path, paths: Iterable[Path], suffixes: tuple[str, ...], skipped: list[Skipped]
) -> dict[str, Path]:
    """Path below the root without suffix -> file, of those that have one of the suffixes.

    If two files have one name (`1.html`, `1.html.gz`), the second is left out.
    """
    files: dict[str, Path] = {}
    for path in visible(paths):
        if path.name.endswith(suffixes):
            relative = path.relative_to(root).as_posix()
            if files.setdefault(stem_of(relative, suffixes), path) is not path:
                skipped.append(Skipped(printable(relative), "another page has the same name"))
    return files


def visible(paths: Iterable[Path]) -> Iterator[Path]:
    """The files that are not hidden, sorted."""
    return (path for path in sorted(paths) if not path.name.startswith(".") and path.is_file())


def home_of(folder: Path, parts: Sequence[str], inside: Sequence[str], what: str) -> Path:
    """The folder that holds all of `parts`: `folder` itself or one of `inside` it.

    Raises InputError naming the expected content of a dataset called `what`.
    """
    if not folder.is_dir():
        came = "a file" if folder.exists() else "nothing"
        raise InputError(f"expected the folder of {what} at {folder}, found {came} there")
    for home in (folder, *(folder / name for name in inside)):
        if all((home / part).is_dir() for part in parts):
            return home
    there = ", ".join(sorted(path.name for path in folder.iterdir())[:_NAMED]) or "nothing"
    raise InputError(
        f"expected {what} at {folder}, with the folders {' and '.join(parts)}, found {there}; "
        "give the folder that holds them"
    )


def paired(
    names: Iterable[str],
    inputs: Mapping[str, Path],
    golds: Mapping[str, Path],
    make: Callable[[str, Path, Path], JudgedPage],
    skipped: list[Skipped],
) -> list[JudgedPage]:
    """A page for every name that has both a page and a gold text that can be read.

    make: of name, page and gold text; raises InputError where the text cannot be read. The others
    go to `skipped`, with the reason.
    """
    pages: list[JudgedPage] = []
    for name in names:
        if name not in inputs:
            skipped.append(Skipped(name, "no page"))
        elif name not in golds:
            skipped.append(Skipped(name, "no gold text"))
        elif fault := fault_of(inputs[name]):
            skipped.append(Skipped(name, fault))
        else:
            try:
                pages.append(make(name, inputs[name], golds[name]))
            except InputError:
                skipped.append(Skipped(name, "unreadable gold text"))
    return pages


def require_pages(dataset: Dataset, what: str) -> Dataset:
    """The dataset itself; raises InputError where it has no page to judge."""
    if dataset.pages:
        return dataset
    why = "; ".join(dataset.describe()) or "no page was found"
    raise InputError(f"expected pages with gold texts of {what} in {dataset.folder}: {why}")
