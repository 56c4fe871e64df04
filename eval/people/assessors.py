"""People and programs that judge: their names, and which document each of them gets."""

import random
import time
import unicodedata
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from zlib import crc32

from boilersweep.errors import UsageError

# The assessor whose judgement settles what others judged differently.
ADJUDICATOR = "adjudicator"

_LONGEST_NAME = 40

# One document of so many is also judged by a second assessor.
_SHARED_EVERY = 10

# How long a document on the screen of one assessor is not shown to another.
_HELD_SECONDS = 600

Document = TypeVar("Document", bound=Hashable)


def require_assessor(name: str) -> str:
    """Return the name of an assessor, composed; raise UsageError for one that no file can have."""
    name = unicodedata.normalize("NFC", name)
    # Letters of any script, with the marks that some need
    are_fit = [
        character in "-_" or unicodedata.category(character)[0] in "LMN"
        for character in name
    ]
    if not (0 < len(name) <= _LONGEST_NAME and all(are_fit) and name[0].isalnum()):
        raise UsageError(
            f"expected an assessor's name of up to {_LONGEST_NAME} letters, digits, - and _, such "
            f"as anna, got {name[:80]!r}"
        )
    return name


def in_random_order(names: Iterable[str], seed: int) -> list[str]:
    """Return the random order in which topics or pages are judged."""
    found = sorted(names)
    random.Random(seed).shuffle(found)  # noqa: S311
    return found


def is_shared(key: str) -> bool:
    """Return whether a second assessor also gets a document; its name decides."""
    return not crc32(key.encode()) % _SHARED_EVERY


@dataclass(slots=True)
class Held(Generic[Document]):
    """The documents on assessors' screens, which others do not get for ten minutes."""

    _by: dict[Document, tuple[str, float]] = field(default_factory=dict)

    def take(self, document: Document, name: str) -> None:
        """Note that an assessor sees a document."""
        self._by[document] = (name, time.monotonic())

    def release(self, document: Document) -> None:
        """Note that a document is judged."""
        self._by.pop(document, None)

    def is_free(self, document: Document, name: str) -> bool:
        """Return whether an assessor may get a document."""
        holder, since = self._by.get(document, (name, 0.0))
        return holder == name or time.monotonic() - since > _HELD_SECONDS
