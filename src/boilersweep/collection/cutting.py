"""From a page's bytes to its blocks, or to the reason why it has none."""

from dataclasses import dataclass
from functools import partial

from boilersweep.collection.format import Reason
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.content_kind import foreign_kind
from boilersweep.pages.elements import Borders
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.limits import Limits, TooDeepError, over_limit, require_shallow
from boilersweep.pages.mhtml import saved_page
from boilersweep.pages.page import PackedPage, Page, TooManyBlocksError, pack
from boilersweep.pages.segmenter import Segmenter


class UncutError(Exception):
    """A page cannot be cut.

    Args:
        reason: What kind of thing is wrong.
        detail: What came.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class CutPage:
    """A page in UTF-8, the name of the encoding it came in, and its blocks."""

    utf8: bytes
    encoding: str
    packed: PackedPage

    def page(self) -> Page:
        """Return the page with its blocks as lists."""
        return self.packed.unpacked()


class Cutter:
    """Cuts one page after another within limits; not safe to share between threads.

    Args:
        limits: The limits of a page.
        structure: Record where the blocks are among the page's elements.
        borders: Where blocks end, see `Segmenter`.
    """

    def __init__(
        self, limits: Limits, *, structure: bool = True, borders: Borders = "block"
    ) -> None:
        self._limits = limits
        self._new_segmenter = partial(
            make_segmenter,
            borders=borders,
            structure=structure,
            most_blocks=limits.page_blocks,
        )
        self._segmenter: Segmenter | None = self._new_segmenter()

    def cut(
        self, body: bytes, charset: str | None = None, *, plain: bool = False
    ) -> CutPage:
        """Return a page cut into blocks.

        Args:
            body: The page's bytes, or the MHTML file of a saved page.
            charset: The label given by the HTTP header, or None.
            plain: Whether the page is plain text, not HTML.

        Raises:
            UncutError: The page has no blocks.
        """
        body, charset = _page_of(body, charset)
        if over := over_limit(body, self._limits):
            raise UncutError(Reason.TOO_LARGE, over)
        try:
            decoded = to_utf8(body, charset)
            if self._segmenter is None:
                self._segmenter = self._new_segmenter()
            if plain:
                page = pack(self._segmenter.plain(decoded.utf8))
            else:
                require_shallow(decoded.utf8, self._limits.nesting)
                page = self._segmenter.packed_html(decoded.utf8)
        except (TooDeepError, TooManyBlocksError) as error:
            raise UncutError(Reason.TOO_LARGE, str(error)) from error
        except ValueError as error:
            raise UncutError(Reason.UNPARSABLE, str(error)) from error
        except MemoryError as error:
            self._segmenter = None  # it may still hold blocks of this page
            raise over_memory(body) from error
        return CutPage(decoded.utf8, decoded.encoding, page)


def _page_of(body: bytes, charset: str | None) -> tuple[bytes, str | None]:
    """Return a page, which may be in a file of MHTML; raise UncutError for what is none."""
    if saved := saved_page(body):
        if not saved.is_whole:
            raise UncutError(Reason.TRUNCATED, "the MHTML file ends too early")
        if not saved.body:
            raise UncutError(Reason.BINARY, "it looks like MHTML without a page")
        body, charset = saved.body, saved.charset
    if kind := foreign_kind(body, charset):
        raise UncutError(Reason.BINARY, f"it looks like {kind}")
    return body, charset


def over_memory(body: bytes) -> UncutError:
    """Return what is wrong with a page for which there is no memory."""
    return UncutError(Reason.OVER_MEMORY, f"a page of {len(body):,} bytes")
