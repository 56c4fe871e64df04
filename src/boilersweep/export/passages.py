"""Passages: a text in pieces of so many words, as dense retrieval wants it."""

from collections.abc import Iterator
from dataclasses import dataclass

from boilersweep.errors import UsageError
from boilersweep.pages.words import word_spans


@dataclass(frozen=True, slots=True)
class Passages:
    """How a text is cut. words: of a passage, at most. overlap: of them that the next has, too.

    Words are what the cleaners count: see `boilersweep.pages.words`.
    """

    words: int
    overlap: int = 0

    def __post_init__(self) -> None:
        if self.words < 1 or not 0 <= self.overlap < self.words:
            raise UsageError(
                f"passages of {self.words} words with an overlap of {self.overlap}: expected at "
                "least 1 word, and an overlap from 0 to less than the words"
            )

    def cut(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and end of each passage in a text, in characters; none of a text without a word.

        The last passage ends with the text, and is the only one that may be shorter.
        """
        begins = [start for start, _ in word_spans(text)]
        for first in range(0, len(begins), self.words - self.overlap):
            following = first + self.words
            start = begins[first] if first else len(text) - len(text.lstrip())
            end = begins[following] if following < len(begins) else len(text)
            yield start, start + len(text[start:end].rstrip())
            if following >= len(begins):
                break
