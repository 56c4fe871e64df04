"""A page with its gold text, a dataset, and the shared functions of their readers."""

import gzip
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, get_args

from boilersweep.errors import InputError
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.page import Page
from boilersweep.pages.segmenter import Segmenter

PAGE_SUFFIXES = (".html", ".htm", ".html.gz", ".htm.gz")
_NAMED = 5  # of the pages left out for one reason, in a message


# The classes of blocks, by their numbers.
Label = Literal[
    "not content", "headline", "full text", "supplemental", "related", "comments"
]
CLASSES: tuple[Label, ...] = get_args(Label)

# The classes that are content; related content consists of links to other articles.
CONTENT = frozenset({1, 2, 3, 5})


@dataclass(frozen=True, slots=True)
class AnnotatedPage:
    """A page as it was before annotation, and its annotations.

    Attributes:
        plain: The page without the annotators' spans, as UTF-8.
        page: m blocks.
        classes: (m,) The class of most of a block's words, the first of equals.
        gold: (m,) The words of a block that are content, joined by single spaces.
        is_annotated: Whether the page has any annotation.
    """

    plain: bytes
    page: Page
    classes: list[int]
    gold: list[str]
    is_annotated: bool


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page and the main text that people marked in it.

    Attributes:
        name: Differs from the names of all other pages of the dataset.
        path: The page's file, `.gz` or not.
        charset: The label that came with the page, or None.
        gold: The main text, with its white space.
        site: The page's host without "www.", or the name if it is unknown; pages of one site share
            a template.
        url: The page's address, or "".
        page_type: "" if the dataset has no types.
        annotated: The page with its blocks marked (L3S-GN1), or None.
        language: As the dataset states it, a primary tag of BCP 47, or "".
        title: The text's title, if the dataset has it beside the gold text, or "".
        is_read_as_html: Whether the gold text's file has tags, which are no part of the gold text.
        wanted: Without a gold text, strings that must be in the kept text.
        unwanted: Strings that must not be in it.
        labelled: The gold text with its labels <p>, <h> and <l> (CleanEval), or None.
        markdown: Whether the gold text is Markdown, which is compared by runs of five words.
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
    is_read_as_html: bool = False
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    labelled: str | None = None
    markdown: ClassVar[bool] = False

    @property
    def host(self) -> str:
        """The page's host without "www.", or "" if it is unknown."""
        return "" if self.site == self.name else self.site

    @property
    def html(self) -> bytes:
        """The page's bytes, read at each call; raises InputError."""
        return page_bytes(self.path)

    @property
    def utf8(self) -> bytes:
        """The page decoded, as UTF-8; raises InputError."""
        return to_utf8(self.html, self.charset).utf8

    def marked(self, segmenter: Segmenter) -> AnnotatedPage | None:  # noqa: ARG002
        """Return the page's blocks with the classes that people gave; None without classes."""
        return None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A page that could not be judged, and the reason."""

    name: str
    reason: str


# The pages of a dataset in the order of their names, and the pages left out.
Pages = tuple[list[JudgedPage], list[Skipped]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetFormat:
    """The declaration of one kind of dataset.

    Attributes:
        name: As `--dataset` takes it.
        title: The name in messages.
        layout: The layout in the help text.
        read: A function from the folder that has `folders` to the pages; raises InputError.
        folders: The folders that such a dataset has.
        inside: A folder that may be around them.
        measure: The measure by which its makers rank.
        licence: The terms of its makers, for models trained on it.
    """

    name: str
    title: str
    layout: str
    read: Callable[[Path], Pages]
    folders: tuple[str, ...] = ()
    inside: str = ""
    measure: str = "f1"
    licence: str = "that of the pages"


@dataclass(frozen=True, slots=True)
class Dataset:
    """The pages of a dataset in the order of their names, and those left out.

    Attributes:
        name: The name of its kind.
        folder: Where it was read.
        pages: The pages.
        skipped: The pages left out.
        label: Its name beside other datasets; by default the name.
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

    def left_out(self) -> dict[str, list[str]]:
        """Return reason -> names of the pages left out for it, the most frequent first."""
        names: dict[str, list[str]] = {}
        for page in self.skipped:
            names.setdefault(page.reason, []).append(page.name)
        return dict(sorted(names.items(), key=lambda item: -len(item[1])))

    def describe(self) -> list[str]:
        """Return one line per reason, with some of the pages' names, and one for gold with tags."""
        html = [page.name for page in self.pages if page.is_read_as_html]
        total = len(self.pages) + len(self.skipped)
        described = [
            f"{len(names):,} of {total:,} pages left out: {reason} ({some(names)})"
            for reason, names in self.left_out().items()
        ]
        if html:
            described.append(
                f"{len(html):,} of {len(self.pages):,} gold texts are HTML, read as a page without "
                f"its tags ({some(html)})"
            )
        return described


def some(names: Sequence[str]) -> str:
    """Return the first few names for a message."""
    return f"{', '.join(names[:_NAMED])}{', ...' if len(names) > _NAMED else ''}"


# What a dataset knows of a page: the path of a gold text, for example.
Gold = TypeVar("Gold")

# Name -> that, and the pages left out.
Named = tuple[Mapping[str, Gold], list[Skipped]]


class UnusableError(InputError):
    """A page cannot be judged; the text is the reason."""


def page_bytes(path: Path) -> bytes:
    """Read a page, and unpack it if the name ends in `.gz`; raises InputError."""
    try:
        body = path.read_bytes()
        return gzip.decompress(body) if path.suffix == ".gz" else body
    except (OSError, EOFError, zlib.error) as error:  # gzip's own error is an OSError
        raise InputError(f"cannot read the page {path}: {error}") from error


def readable_bytes(path: Path) -> bytes:
    """Read a page as `page_bytes` does; raises UnusableError."""
    try:
        return page_bytes(path)
    except InputError as error:
        is_packed = path.suffix == ".gz"
        reason = "the page's gzip file is broken" if is_packed else "unreadable page"
        raise UnusableError(reason) from error


def text_of(path: Path) -> str:
    """Read a gold text in UTF-8, with or without a byte order mark, or else in windows-1252.

    Raises:
        UnusableError: The text cannot be read.
    """
    try:
        return to_utf8(path.read_bytes()).utf8.decode("utf-8")
    except OSError as error:
        raise UnusableError("unreadable gold text") from error


def printable(text: str) -> str:
    """Return a text that can be written as UTF-8: characters without encoding as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def named_files(
    root: Path, suffixes: tuple[str, ...], *, deep: bool = False
) -> Named[Path]:
    """Find the files of a folder that have one of some suffixes; hidden ones do not count.

    Args:
        root: The folder.
        suffixes: The suffixes.
        deep: Whether to look into folders, too.

    Returns:
        Path below the folder without suffix -> file, and the files left out: if two files have one
        name (`1.html`, `1.html.gz`), the second one.
    """
    files: dict[str, Path] = {}
    skipped = []
    for path in sorted(root.rglob("*") if deep else root.iterdir()):
        fitting = [suffix for suffix in suffixes if path.name.endswith(suffix)]
        if fitting and not path.name.startswith(".") and path.is_file():
            name = printable(path.relative_to(root).as_posix())
            stem = name.removesuffix(max(fitting, key=len))
            if files.setdefault(stem, path) is not path:
                skipped.append(Skipped(name, "another page has the same name"))
    return files, skipped


def home_of(folder: Path, dataset_format: DatasetFormat) -> Path:
    """Return the folder that has all folders of a format: `folder` itself or the one inside it.

    Raises:
        InputError: There is none; the message names the expected content.
    """
    folders, title = dataset_format.folders, dataset_format.title
    if not folder.is_dir():
        came = "a file" if folder.exists() else "nothing"
        raise InputError(
            f"expected the folder of {title} at {folder}, found {came} there"
        )
    for home in (folder, folder / dataset_format.inside):
        if all((home / name).is_dir() for name in folders):
            return home
    there = (
        ", ".join(sorted(path.name for path in folder.iterdir())[:_NAMED]) or "nothing"
    )
    raise InputError(
        f"expected {title} at {folder}, with the folders {' and '.join(folders)}, found {there}; "
        "give the folder that holds them"
    )


def paired(
    pages: Named[Path],
    golds: Named[Gold],
    make: Callable[[str, Path, Gold], JudgedPage],
    *,
    missing: tuple[str, str] = ("no page", "no gold text"),
    order: Callable[[str], Any] | None = None,
) -> Pages:
    """Make a page of every name that has both a page and a gold text.

    Args:
        pages: The pages by name, and those left out.
        golds: The same of gold texts.
        make: A function of name, page and gold text; raises UnusableError with the reason.
        missing: The reasons without a page, and without a gold text.
        order: The key by which names are sorted.

    Returns:
        The pages, and those left out.
    """
    (inputs, no_pages), (texts, no_texts) = pages, golds
    judged_pages: list[JudgedPage] = []
    left_out = [*no_pages, *no_texts]
    for name in sorted(inputs.keys() | texts.keys(), key=order):
        if name not in inputs or name not in texts:
            left_out.append(Skipped(name, missing[name in inputs]))
            continue
        try:
            readable_bytes(inputs[name])
            judged_pages.append(make(name, inputs[name], texts[name]))
        except UnusableError as error:
            left_out.append(Skipped(name, str(error)))
    return judged_pages, left_out
