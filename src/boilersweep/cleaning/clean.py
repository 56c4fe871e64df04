"""One page to its kept text, or any number of them."""

from collections.abc import Iterable, Iterator
from itertools import chain
from numbers import Integral
from pathlib import Path
from typing import Literal

from boilersweep.cleaners.language.grammar import as_cleaner
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaning.page_cleaner import Html, PageCleaner, TextFormat, require_html
from boilersweep.cleaning.worker_pool import cleaned_by_workers
from boilersweep.errors import PageError, UsageError
from boilersweep.segmenting.limits import Limits

_PAGES_AT_A_TIME = 100
_BYTES_AT_A_TIME = 8 * 2**20


def clean(
    html: Html,
    cleaner: Cleaner | str = "learned",
    *,
    format: Literal["text", "markdown"] = "text",  # noqa: A002
    images: bool = False,
) -> str:
    """Return the text that a cleaner keeps of a page; "" if it keeps nothing.

    The text is identical, character for character, to what an index of the page contains. Safe to
    call from several threads.

    Args:
        html: The original bytes, whose charset is found as in a collection without HTTP headers; or
            text; or the Path of its file.
        cleaner: A rule such as `words>=11`, a cleaner's name such as `learned`, an extractor's name
            such as `trafilatura`, or what `parse_cleaner` returns.
        format: "text" for one block per line; "markdown" for the same blocks with headings, lists,
            tables, code, quotations, links and emphasis.
        images: Whether to write images into the Markdown.

    Raises:
        PageError: The page exceeds a limit, cannot be parsed, or makes an extractor fail.
        UsageError: The cleaner does not exist.
    """
    text_format = TextFormat(format, images)
    (text,) = PageCleaner(as_cleaner(cleaner), Limits(), text_format=text_format).texts([html])
    if isinstance(text, PageError):
        raise text
    return text


def clean_many(
    pages: Iterable[Html],
    cleaner: Cleaner | str = "learned",
    *,
    format: Literal["text", "markdown"] = "text",  # noqa: A002
    images: bool = False,
    workers: int = 1,
) -> Iterator[str | PageError]:
    """Yield for every page in order what `clean` returns, or the PageError that it raises.

    Pages are read and cleaned by the hundred (of large ones fewer), as `learned` takes up to twice
    as long for a page alone. In memory are the pages that the workers clean, and as many again.

    Args:
        pages: As `clean` takes them.
        cleaner: As `clean` takes it.
        format: As `clean` takes it.
        images: As `clean` takes it.
        workers: The most processes; they start when pages wait for them. With more than one, a page
            that crashes its process or takes more than 60 seconds is a PageError, too. Processes
            start as with `multiprocessing`: a script needs `if __name__ == "__main__":`.

    Raises:
        UsageError: At once, if the cleaner does not exist.
    """
    if isinstance(pages, bytes | str):
        raise UsageError(f"expected an iterable of pages, got one, as {type(pages).__name__}")
    if not isinstance(workers, Integral) or workers < 1:
        raise UsageError(f"workers: expected a whole number of at least 1, got {workers!r}")
    cleaner = as_cleaner(cleaner)
    text_format = TextFormat(format, images)
    here = PageCleaner(cleaner, Limits(), text_format=text_format)
    if workers == 1:
        return chain.from_iterable(map(here.texts, _batches(pages)))
    return cleaned_by_workers(_batches(pages), cleaner, Limits(), workers, text_format)


def _batches(pages: Iterable[Html]) -> Iterator[list[Html]]:
    batch: list[Html] = []
    size = 0
    for page in pages:
        require_html(page)
        batch.append(page)
        size += 0 if isinstance(page, Path) else len(page)
        if len(batch) == _PAGES_AT_A_TIME or size >= _BYTES_AT_A_TIME:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
