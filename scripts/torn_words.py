"""Compare the words of blocks with those that Chromium shows on the same pages (`innerText`).

    python scripts/torn_words.py --input newsmix/trec --collection blogs06 [--pages N]

Prints for both kinds of borders how many words that Chromium shows whole are torn, and how many
neighbouring words that it shows apart are joined. Text that only one of the two has (hidden text,
text without a word) is left out. Words on both sides of an image or a button count as one in
innerText, although people see the box between them: without a space they are torn here.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import get_args

from boilersweep.collection.formats import open_collection
from boilersweep.collection.record import Record
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.elements import Borders
from boilersweep.pages.encoding import to_utf8
from boilersweep.rendering.browser import Browser, RenderLimits, UndrawnError


@dataclass(slots=True)
class Comparison:
    """words: that Chromium shows whole, and the blocks have. apart: neighbouring pairs of these."""

    words: int = 0
    torn: int = 0
    apart: int = 0
    joined: int = 0

    def add(self, ours: Sequence[str], shown: Sequence[str]) -> None:
        """Count one page's words."""
        matcher = SequenceMatcher(None, ours, shown, autojunk=False)
        for kind, a0, a1, b0, b1 in matcher.get_opcodes():
            if kind == "equal":
                self.words += b1 - b0
                self.apart += b1 - b0 - 1
            elif kind == "replace":
                self._add_different(ours[a0:a1], shown[b0:b1])

    def _add_different(self, ours: Sequence[str], shown: Sequence[str]) -> None:
        """Count words where the two differ: by characters, of which both have a stretch."""
        ends, shown_ends = _ends(ours), _ends(shown)
        text, shown_text = "".join(ours), "".join(shown)
        matcher = SequenceMatcher(None, text, shown_text, autojunk=False)
        for a, b, size in matcher.get_matching_blocks():
            inner = [at for at in range(1, size) if b + at in shown_ends]
            self.apart += len(inner)
            self.joined += sum(a + at not in ends for at in inner)
            whole = [at for at in range(size + 1) if b + at in shown_ends]
            for first, end in pairwise(whole):
                self.words += 1
                self.torn += any(a + at in ends for at in range(first + 1, end))

    def __str__(self) -> str:
        return (
            f"torn: {self.torn:,} of {self.words:,} words ({self.torn / self.words:.3%}); "
            f"joined: {self.joined:,} of {self.apart:,} pairs ({self.joined / self.apart:.3%})"
        )


def _ends(words: Sequence[str]) -> set[int]:
    ends = {0}
    at = 0
    for word in words:
        at += len(word)
        ends.add(at)
    return ends


def shown_words(utf8: bytes, browser: Browser) -> list[str]:
    """The words of a page as Chromium shows it; raises UndrawnError."""
    text = browser.measure(utf8.decode("utf-8", "replace"), "document.body?.innerText ?? ''")
    return str(text).casefold().split()


def block_words(utf8: bytes, borders: Borders) -> list[str]:
    """The words of a page's blocks."""
    texts = make_segmenter(borders=borders).html(utf8).texts
    return " ".join(texts).casefold().split()


def compare(pages: Sequence[bytes]) -> dict[Borders, Comparison]:
    """Compare pages, given as UTF-8; those that cannot be drawn are left out."""
    found: dict[Borders, Comparison] = {one: Comparison() for one in get_args(Borders)}
    with Browser(RenderLimits(seconds=20)) as browser:
        for page in pages:
            try:
                shown = shown_words(page, browser)
            except UndrawnError as error:
                print(f"left out: {error}", file=sys.stderr)
                continue
            for borders, comparison in found.items():
                comparison.add(block_words(page, borders), shown)
    return found


def read_pages(root: Path, collection: str | None) -> Iterator[bytes]:
    """The HTML pages of a collection as UTF-8."""
    opened = open_collection(root, collection)
    for path in opened.files:
        with path.open("rb") as raw:
            for record in opened.format.read(raw, path.name):
                if isinstance(record, Record) and not record.plain:
                    yield to_utf8(record.body, record.charset).utf8


def main() -> int:
    """Compare every so many pages of a collection, N in all; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--collection")
    parser.add_argument("--pages", type=int, default=200, metavar="N")
    args = parser.parse_args()
    pages = list(read_pages(args.input, args.collection))
    step = max(len(pages) // args.pages, 1)
    sample = pages[::step][: args.pages]
    print(f"{len(sample):,} of {len(pages):,} pages")
    for borders, comparison in compare(sample).items():
        print(f"{borders}: {comparison}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
