"""Run an extractor over one page, whatever it raises."""

from contextlib import nullcontext

from boilersweep.errors import PageError, UsageError
from boilersweep.extractors.registry import Extractor
from boilersweep.work.watch import Watch


def extracted(extractor: Extractor, page: str, watch: Watch | None) -> str:
    """Return the text that an extractor takes from a page.

    Args:
        extractor: The extractor.
        page: The page, decoded.
        watch: Is told of the call, and stops it if the parent wants that.

    Raises:
        PageError: The extractor fails.
        UsageError: A plug-in imports a module that its identity does not cover.
    """
    try:
        with watch.call() if watch else nullcontext():
            return extractor.text(page)
    except UsageError:
        raise
    except Exception as error:  # foreign code on hostile pages raises what it likes
        message = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise PageError(f"{extractor.name} failed on the page ({message})") from error
