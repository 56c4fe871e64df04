"""Texts that anybody took from the pages: of a contestant, a service or a language model.

A folder has a file NAME.txt for each page, named as the page; a file of JSON lines has `id` and
`contents`, as `boilersweep export` writes them. On a page without a text, or with one that is not
UTF-8, these texts count as a cleaner that failed.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from boilersweep.errors import InputError, UsageError
from boilersweep.eval.judge.datasets.judged_page import JudgedPage, named_files, some
from boilersweep.outputs.typed_files import decode_json

MISSING = "no text of this page"
NOT_UTF8 = "its text is not UTF-8"


@dataclass(frozen=True, slots=True, eq=False)
class GivenTexts:
    """Texts of pages under a name.

    Attributes:
        name: The name in tables.
        path: Where they were read.
        texts: Page's name -> its text.
        unreadable: The names of pages whose text is not UTF-8.
        strange: Names of texts that are of no page, or of a page that has a text already.
    """

    name: str
    path: Path
    texts: Mapping[str, str]
    unreadable: frozenset[str]
    strange: tuple[str, ...]

    def text(self, page: str) -> str:
        """Return the text of a page by its name; raise InputError with the reason without one."""
        if page in self.unreadable:
            raise InputError(NOT_UTF8)
        if page not in self.texts:
            raise InputError(MISSING)
        return self.texts[page]

    @property
    def identity(self) -> str:
        """The SHA-256 of everything that a judgement depends on."""
        known = [sorted(self.texts.items()), sorted(self.unreadable), self.strange]
        return hashlib.sha256(json.dumps(known).encode()).hexdigest()

    def describe(self) -> Iterator[str]:
        """Yield a line of the texts without a word, and one of those that are of no page."""
        empty = [
            name for name, text in self.texts.items() if not any(map(str.isalnum, text))
        ]
        if empty:
            yield f"{len(empty):,} texts of {self.name} have no word ({some(empty)})"
        if self.strange:
            count = f"{len(self.strange):,} texts of {self.name}"
            yield f"{count} belong to no page, or to one with a text ({some(self.strange)})"

    def __str__(self) -> str:
        return self.name


def read_texts(name: str, path: Path, pages: Sequence[JudgedPage]) -> GivenTexts:
    """Read the texts that belong to some pages.

    Args:
        name: The name in tables.
        path: A folder of NAME.txt, or a file of JSON lines.
        pages: The pages.

    Raises:
        InputError: The path has no text of any of these pages.
    """
    known = {page.name for page in pages}
    texts: dict[str, str] = {}
    unreadable: set[str] = set()
    strange: list[str] = []
    for docid, text in _from_folder(path) if path.is_dir() else _from_lines(path):
        if docid not in known or docid in texts or docid in unreadable:
            strange.append(docid)
        elif text is None:
            unreadable.add(docid)
        else:
            texts[docid] = text
    if not texts:
        raise InputError(
            f"expected texts of {name} in {path}, named as the pages ({some(sorted(known))}), "
            f"found {some(strange) or some(sorted(unreadable)) or 'none'}"
        )
    return GivenTexts(name, path, texts, frozenset(unreadable), tuple(strange))


def _from_folder(folder: Path) -> Iterator[tuple[str, str | None]]:
    """Yield names and texts, None for a text that is not UTF-8."""
    files, again = named_files(folder, (".txt",), deep=True)
    for name, file in files.items():
        yield name, _decoded(_read(file))
    yield from ((path.name, None) for path in again)


class _Line(msgspec.Struct):
    id: str
    contents: str


def _from_lines(file: Path) -> Iterator[tuple[str, str | None]]:
    for number, line in enumerate(_read(file).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            parsed = decode_json(line, _Line)
        except ValueError as error:
            raise InputError(
                f"expected lines of JSON with id and contents in {file}, line {number:,} has "
                f"{error}"
            ) from error
        yield parsed.id, parsed.contents


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the texts of {file}: {error}") from error


def _decoded(body: bytes) -> str | None:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def parse_given(text: str) -> tuple[str, Path]:
    """Return the name and the path of NAME=PATH; raises UsageError."""
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise UsageError(f"expected NAME=PATH, got {text!r}")
    return name, Path(path)
