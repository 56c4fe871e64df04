"""One page to its kept text, or any number of them."""

from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import Literal

from boilersweep.cleaners.parsing import as_cleaner
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaning.page_cleaner import Html, PageCleaner, TextFormat, require_html
from boilersweep.cleaning.worker_pool import Texts, cleaned_by_workers
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
    """The text that a cleaner keeps of a page, one block per line; "" where it keeps nothing.

    html: the original bytes, of which the charset is found as a reader of collections finds it
    where HTTP names none, or text. cleaner: a rule such as `words>=11`, a cleaner's name such as
    `learned`, or an extractor's such as `trafilatura`; or what `parse_cleaner` makes of one.
    format: "markdown" for the same blocks with headings, lists, tables, code, quotations, links
    and emphasis, and with images if these are wanted.

    The text is, to the character, the one that an index of the same page has. Safe to call from
    several threads.
    Raises PageError for a page over the limits, that cannot be parsed or on which an extractor
    fails; UsageError for a cleaner that there is not.
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
    """For every page in its order what `clean` gives of it, or the PageError that it raises.

    So a page that cannot be cleaned costs no other. Pages are read and cleaned by the hundred (of
    large ones fewer), as `learned` takes up to twice as long for a page alone; no more of them are
    in memory than the workers are at, and as many again.

    workers: processes at most; they start when pages wait for them. With more than one, a page
    that crashes its process or takes more than 60 seconds is a PageError, too. They start as
    `multiprocessing` starts them: a script needs `if __name__ == "__main__":`.
    Raises UsageError, at once, for a cleaner that there is not.
    """
    if isinstance(pages, bytes | str):
        raise UsageError(f"expected an iterable of pages, got one, as {type(pages).__name__}")
    if not isinstance(workers, Integral) or workers < 1:
        raise UsageError(f"workers: expected a whole number of at least 1, got {workers!r}")
    one = as_cleaner(cleaner)
    text_format = TextFormat(format, images)
    here = PageCleaner(one, Limits(), text_format=text_format)
    if workers == 1:
        found: Iterator[Texts] = map(here.texts, _batches(pages))
    else:
        found = cleaned_by_workers(_batches(pages), one, Limits(), workers, text_format)
    return (text for texts in found for text in texts)


def _batches(pages: Iterable[Html]) -> Iterator[list[Html]]:
    batch: list[Html] = []
    size = 0
    for page in pages:
        require_html(page)
        batch.append(page)
        size += len(page)
        if len(batch) == _PAGES_AT_A_TIME or size >= _BYTES_AT_A_TIME:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
