"""What one page may cost: a page that costs more is skipped and counted, and the run goes on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from boilersweep.collection.format import Reason

_MIB = 2**20
_LONG = 64 * 2**10
_LONG_TAG = re.compile(rb"<[A-Za-z][^<>]{%d,}" % _LONG)
_QUOTED = re.compile(rb"\"[^\"]*\"|'[^']*'")


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps with room for every honest page.

    Attributes:
        page_bytes: Bytes of a page as it came.
        page_blocks: Blocks of a page, and elements that hold them; the largest of 7,171 pages of
            the web had 4,205 and 7,508.
        attributes: Attributes of one tag; libxml2 needs time quadratic in their number.
        nesting: Comparisons of end tags with open elements (see `require_shallow`); 8,118 pages of
            the web needed at most 11,962.
        seconds: The time to read and cut one record, pauses not counted (see `Stopwatch`); a worker
            that takes longer is ended.
        worker_bytes: The address space of each worker process.
    """

    page_bytes: int = field(
        default=16 * _MIB,
        metadata={"option": "--max-page-bytes N  bytes of a page (default: 16 MiB)"},
    )
    page_blocks: int = field(
        default=500_000,
        metadata={
            "option": "--max-page-blocks N  blocks of a page, and elements with text (default: "
            "500,000)"
        },
    )
    attributes: int = 10_000
    nesting: int = 1_000_000_000
    seconds: float = field(
        default=60.0,
        metadata={
            "option": "--max-page-seconds N  seconds to read and segment a page, not counting time "
            "in which the process is stopped or waits for a processor or a disk",
        },
    )
    worker_bytes: int = field(
        default=8192 * _MIB,
        metadata={
            "option": "--max-worker-memory N  GiB of address space for each worker process",
            "unit": 1024 * _MIB,
        },
    )


def over_limit(body: bytes, limits: Limits) -> tuple[Reason, str] | None:
    """Return why a page is not even parsed, with what came; None if it may be."""
    if len(body) > limits.page_bytes:
        return Reason.TOO_LARGE, f"{len(body):,} bytes, at most {limits.page_bytes:,}"
    for tag in _long_tags(body):
        attributes = len(_QUOTED.sub(b"", tag[0]).split()) - 1  # without the tag's name
        if attributes > limits.attributes:
            return (
                Reason.TOO_LARGE,
                f"{attributes:,} attributes, at most {limits.attributes:,}",
            )
    return None


def _long_tags(body: bytes) -> Iterator[re.Match[bytes]]:
    """Yield tags as `_LONG_TAG` has them: each fills one of these steps, of half its length."""
    step = _LONG // 2
    seen = 0
    for start in range(0, len(body) - step + 1, step):
        if (
            body.find(b">", start, start + step) < 0
            and body.find(b"<", start, start + step) < 0
        ):
            place = body.rfind(b"<", seen, start)
            seen = start
            if place >= 0 and (tag := _LONG_TAG.match(body, place)):
                yield tag
