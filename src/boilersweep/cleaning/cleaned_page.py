"""One page: its blocks as columns, and its text, Markdown and metadata; pages from files."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from itertools import compress
from pathlib import Path
from textwrap import shorten
from typing import Any, BinaryIO, Literal

from boilersweep.cleaners.page_model import shipped_model, why_no_model
from boilersweep.cleaners.registry import find_text_cleaner, nearly
from boilersweep.cleaners.rules import Rule
from boilersweep.cleaners.selection import (
    Cleaner,
    ExtractorBlocks,
    PageText,
    text_of_a_page,
)
from boilersweep.cleaners.syntax.grammar import as_cleaner
from boilersweep.cleaning.clean import Html, PageTexts, clean, cut_page, text_of
from boilersweep.cleaning.markdown import markdown
from boilersweep.collection.cutting import CutPage
from boilersweep.collection.files import Tree
from boilersweep.collection.format import MAX_PAGE_BYTES
from boilersweep.collection.formats import files_of as files_of_format
from boilersweep.collection.html_folder import HTML
from boilersweep.collection.streams import decompressed, read_whole
from boilersweep.errors import InputError, PageError, UsageError, reason_of
from boilersweep.outputs.figures import figure
from boilersweep.outputs.notebook import scrolling
from boilersweep.pages.columns import (
    BlockColumns,
    BoolArray,
    FloatArray,
    IntArray,
    columns_of,
)
from boilersweep.pages.limits import Deadline, Limits
from boilersweep.pages.metadata import Metadata, metadata

# The time that a page's metadata and Markdown may take.
SECONDS = Limits().seconds


# The blocks and the characters of a text that a notebook shows.
_SHOWN = 20
_WIDTH = 60


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Blocks:
    """The b blocks of a page, in its order.

    Attributes:
        columns: All that rules and feature tables read, with the structure.
        tags: (b,) The nearest enclosing container element, such as "p", "li" or "body".
        kept: (b,) True for blocks that the cleaner keeps; None without a cleaner.
        rule: The cleaner.
    """

    columns: BlockColumns
    tags: list[str]
    kept: BoolArray | None = None
    rule: Rule | None = None

    @property
    def title(self) -> str:
        """The text of the title element, which is no block."""
        return self.columns.titles[0]

    @property
    def texts(self) -> list[str]:
        """(b,) the blocks' texts, white space folded."""
        return self.columns.texts

    @property
    def words(self) -> IntArray:
        """(b,) tokens with a letter or a digit."""
        return self.columns.words

    @property
    def density(self) -> FloatArray:
        """(b,) text density, words a line of 80 characters."""
        return self.columns.density

    @property
    def link_density(self) -> FloatArray:
        """(b,) the share of the words that are in links."""
        return self.columns.link_density

    @property
    def classes(self) -> dict[str, FloatArray]:
        """Class of blocks -> (b,) probabilities, if the cleaner is `learned`; else nothing."""
        probabilities = getattr(self.rule, "class_probabilities", None)
        return {} if probabilities is None else probabilities(self.columns)

    @property
    def text(self) -> str:
        """The kept text, or all text without a cleaner, one block per line."""
        return "\n".join(
            self.texts if self.kept is None else compress(self.texts, self.kept)
        )

    def as_dict(self) -> dict[str, Any]:
        """Return name -> column, as `pandas.DataFrame` and `polars.DataFrame` take it."""
        names = ["texts", "tags", "words", "density", "link_density"]
        if self.kept is not None:
            names.append("kept")
        return {name: getattr(self, name) for name in names} | self.classes

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"{len(self)} blocks\n{self._drawn('simple')}"

    def _repr_html_(self) -> str:
        return f"<p>{len(self)} blocks</p>{scrolling(self._drawn('html'))}"

    def _drawn(self, style: str) -> str:
        """Return a table of the first blocks, with the beginnings of their texts."""
        # tabulate is imported by it, which cleaning needs for nothing else
        from boilersweep.outputs.tables import text_table

        shown = {name: [*column[:_SHOWN]] for name, column in self.as_dict().items()}
        if self.kept is not None:
            shown["kept"] = self.kept[:_SHOWN].tolist()
        shown["texts"] = [
            shorten(text, _WIDTH, placeholder="…") for text in shown["texts"]
        ]
        cells = [
            [
                figure(cell, ".2f") if isinstance(cell, float) else cell
                for cell in column
            ]
            for column in shown.values()
        ]
        left = [n for n, name in enumerate(shown) if name in ("texts", "tags", "kept")]
        lines = zip(*cells, strict=True)
        return text_table(lines, list(shown), left=left, style=style)


def blocks(html: Html, cleaner: Cleaner | str | None = None) -> Blocks:
    """Cut a page into blocks, and see which of them a cleaner keeps.

    Args:
        html: As `boilersweep.clean` takes it.
        cleaner: A rule; None for the blocks alone.

    Raises:
        PageError: The page exceeds a limit or cannot be parsed, or an extractor in the rule fails.
        UsageError: The cleaner is an extractor, which takes a text and keeps no blocks, or counts
            some blocks several times.
    """
    rule = None if cleaner is None else text_of_a_page(as_cleaner(cleaner), "blocks")
    if isinstance(rule, PageText):
        raise UsageError(
            f"blocks: expected a cleaner that keeps or drops blocks, got {rule}, which would be "
            f"an extractor: it takes a text{nearly(rule.name)}"
        )
    return _blocks_of(cut_page(html), rule)


def _blocks_of(cut: CutPage, rule: Rule | None) -> Blocks:
    """Return the blocks of a page that was cut with its structure; raises as `blocks`."""
    page = cut.page()
    columns = columns_of([""], [page])
    if rule is not None:
        texts = PageTexts([rule])
        columns = texts.beside(columns, [texts.of(cut.utf8)])
    return Blocks(
        columns, page.tags, None if rule is None else rule.mask(columns), rule
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanedPage(Metadata):
    """A cleaned page and its metadata; a field that the page does not state is None.

    Attributes:
        text: One block per line, as `boilersweep.clean` gives it.
        markdown: The same blocks with their markup.
        title: The text of the title element.
        headline: The article's headline.
        url: The canonical address, else the given one.
        language: As the page spells it, such as "de-AT".
        author: The authors' names, with ", " between them.
        published: ISO 8601: a date, or a moment with its time zone if the page states one.
        modified: Likewise.
        site_name: The name of the site.
        image: The address of the image that shows the page.
        blocks: All blocks, and which of them the cleaner keeps; for an extractor those that its
            text contains.
    """

    text: str
    markdown: str
    title: str | None
    blocks: Blocks

    @property
    def kind(self) -> str:
        """The kind that `learned` finds, one of `boilersweep.cleaners.page_model.KINDS`."""
        return shipped_model().likely_kinds(self.blocks.columns)[0]

    @property
    def confidence(self) -> float:
        """The F1 that may be expected of the main text that `learned` keeps, in 0 to 1."""
        return float(shipped_model().confidences(self.blocks.columns)[0])

    def __repr__(self) -> str:
        return (
            f"CleanedPage({self.headline or self.title!r}, {len(self.text):,} characters of text, "
            f"{len(self.blocks):,} blocks)"
        )


def page(
    html: Html,
    cleaner: Cleaner | str = "learned",
    url: str | None = None,
    *,
    images: bool = False,
    seconds: float = SECONDS,
) -> CleanedPage:
    """Clean a page, and read its metadata.

    Args:
        html: As `boilersweep.clean` takes it.
        cleaner: As `boilersweep.clean` takes it.
        url: The page's address, which completes the relative addresses of links and images.
        images: Whether to write images into the Markdown.
        seconds: The time that metadata and Markdown may take.

    Returns:
        The page as text and as Markdown, with its metadata and its blocks.

    Raises:
        PageError: The page exceeds a limit or the time, cannot be parsed, or makes an extractor
            fail.
        UsageError: The cleaner does not exist, or is not one of a single page, or the address is no
            text.
    """
    if not isinstance(url, str | None):
        raise UsageError(
            f"url: expected the page's address as text, got {type(url).__name__}"
        )
    cleaner = text_of_a_page(as_cleaner(cleaner), "page")
    deadline = Deadline(seconds)
    cut = cut_page(html)
    if isinstance(cleaner, PageText):
        page_blocks = _blocks_of(cut, ExtractorBlocks(cleaner.name))
        text = text_of(find_text_cleaner(cleaner.name), cut.utf8)
    else:
        page_blocks = _blocks_of(cut, cleaner)
        text = page_blocks.text
    stated = metadata(cut.utf8, page_blocks.title, url, deadline)
    kept = [] if page_blocks.kept is None else page_blocks.kept.tolist()
    return CleanedPage(
        text=text,
        markdown=markdown(cut.utf8, kept, url=url, images=images, deadline=deadline),
        title=page_blocks.title or None,
        blocks=page_blocks,
        **asdict(stated) | {"url": stated.url or url},
    )


def as_json(page: CleanedPage, cleaner: Cleaner) -> str:
    """Write a page as JSON: the metadata, the text, and every block if the cleaner keeps blocks.

    A block's start and end are its place in the text, in characters; null if it is dropped.
    """
    names = ["title", *(field.name for field in fields(Metadata))]
    record: dict[str, Any] = {name: getattr(page, name) for name in names}
    if not why_no_model():
        record |= {"kind": page.kind, "confidence": round(page.confidence, 4)}
    record |= {"cleaner": str(cleaner), "text": page.text}
    if not isinstance(cleaner, PageText):
        record["blocks"] = _block_records(page.blocks)
    return json.dumps(record, ensure_ascii=False, indent=2)


def _block_records(blocks: Blocks) -> list[dict[str, Any]]:
    records = []
    at = 0
    kept = [False] * len(blocks) if blocks.kept is None else blocks.kept.tolist()
    classes = blocks.classes
    for index, text in enumerate(blocks.texts):
        end = at + len(text)
        record = {
            "text": text,
            "tag": blocks.tags[index],
            "words": int(blocks.words[index]),
            "density": float(blocks.density[index]),
            "link_density": float(blocks.link_density[index]),
            "kept": kept[index],
            "start": at if kept[index] else None,
            "end": end if kept[index] else None,
        }
        if classes:
            record["probabilities"] = {
                n: round(float(p[index]), 4) for n, p in classes.items()
            }
        records.append(record)
        at = end + 1 if kept[index] else at
    return records


STANDARD_INPUT = Path("-")


def cleaned(
    path: Path,
    cleaner: Cleaner,
    output_format: Literal["text", "json", "markdown", "html"],
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
            inside, _ = files_of_format(Tree(path), HTML)
            if not inside:
                raise UsageError(f"{path}: expected pages in the folder ({HTML.files})")
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
    body = read_whole(stream, MAX_PAGE_BYTES + 1)
    if len(body) > MAX_PAGE_BYTES:
        raise InputError(
            f"{name}: expected a page, got more than {MAX_PAGE_BYTES:,} bytes"
        )
    if stream.damage:
        raise InputError(f"{name} is damaged: {stream.damage}")
    return body
