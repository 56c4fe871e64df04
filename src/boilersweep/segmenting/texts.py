"""What extractors take from a page while it is segmented, and texts that were given for pages."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.errors import InputError, PageError, UsageError, reason_of
from boilersweep.extractors.registry import Extractor, find_extractor
from boilersweep.outputs.regular_files import open_regular
from boilersweep.outputs.streams import MOST_INPUT_BYTES, gzip_errors, unpacked
from boilersweep.outputs.typed_files import parse_json
from boilersweep.pages.surrogates import without_surrogates
from boilersweep.work.watch import Watch

_EXAMPLE = '{"id": "doc-1", "contents": "its text"}'
# Many times a page; a small gzip file may unpack to one line without end.
_MOST_LINE_BYTES = 2**26
_DAMAGE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
)


@dataclass(frozen=True, slots=True)
class GivenTexts:
    """A text for each page, such as people's gold text, in a file of JSON lines.

    Attributes:
        name: The name under which a store has the texts, as those of an extractor.
        path: The file.
        sha256: The digest of the file.
    """

    name: str
    path: str
    sha256: str


def read_texts(path: Path) -> dict[str, str]:
    """Return texts by docid, from JSON lines with `id` and `contents`, plain or gzipped.

    Raises:
        InputError: The file cannot be read or is a pipe, which every worker could not read again,
            has an id twice, is too large, or a line is something else.
    """
    texts: dict[str, str] = {}
    place, size = 0, 0
    try:
        with open_regular(path) as file, gzip_errors(), unpacked(file) as lines:
            while line := lines.readline(_MOST_LINE_BYTES):
                place, size = place + 1, size + len(line)
                if len(line) == _MOST_LINE_BYTES or size > MOST_INPUT_BYTES:
                    raise ValueError(
                        f"lines below {_MOST_LINE_BYTES:,} bytes and at most "
                        f"{MOST_INPUT_BYTES:,} bytes in all; got more"
                    )
                if line.strip():
                    docid, text = _given_text(parse_json(line))
                    if docid in texts:
                        raise ValueError(f"the id {docid[:80]!r} again")
                    texts[docid] = text
    except _DAMAGE as error:
        raise InputError(
            f"{path}, line {place}: expected JSON lines such as {_EXAMPLE} ({reason_of(error)})"
        ) from error
    if not texts:
        raise InputError(f"{path}: expected JSON lines such as {_EXAMPLE}, found none")
    return texts


def _given_text(value: Any) -> tuple[str, str]:
    """Return id and text of a line; lone surrogates become U+FFFD, as those of pages."""
    docid, text = value["id"], value["contents"]
    if not isinstance(docid, str | int) or isinstance(docid, bool):
        raise TypeError(f"a string or an integer as id, got {json.dumps(docid)[:80]}")
    if not isinstance(text, str):
        raise TypeError(f"a string as contents, got {json.dumps(text)[:80]}")
    return without_surrogates(str(docid)), without_surrogates(text)


def describe_texts(name: str, path: Path, docids: Set[str]) -> str:
    """Say how many given texts are of no document, and how many documents have none.

    Args:
        name: The name of the texts.
        path: Their file.
        docids: The documents of the store.
    """
    texts = read_texts(path)
    unknown = sorted(texts.keys() - docids)
    such = f", such as {unknown[0]!r}" if unknown else ""
    return (
        f"{name}: {len(unknown):,} of {len(texts):,} texts are of no document{such}; "
        f"{len(docids - texts.keys()):,} of {len(docids):,} documents have no text"
    )


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


class TextSources:
    """Runs extractors over one page after another, and adds given texts.

    Args:
        extractors: The names of the extractors.
        given: The given texts.
        watch: Is told of every call, and stops one if the parent wants that.

    Attributes:
        failed: The number of pages that an extractor failed on, by its name.
    """

    def __init__(
        self, extractors: Sequence[str], given: Sequence[GivenTexts], watch: Watch
    ) -> None:
        self._extractors: list[Extractor] = [
            find_extractor(name) for name in extractors
        ]
        self._given = {one.name: read_texts(Path(one.path)) for one in given}
        self._watch = watch
        self.failed: Counter[str] = Counter()

    def texts(self, docid: str, utf8: bytes, *, plain: bool) -> Mapping[str, str]:
        """Return the texts of a page by name; "" for an extractor that fails, which is counted.

        Args:
            docid: The page's docid.
            utf8: The page.
            plain: Whether the page is plain text, of which extractors take all.
        """
        found: dict[str, str] = {}
        if not self._extractors and not self._given:
            return found
        page = utf8.decode("utf-8", "replace")
        for extractor in self._extractors:
            found[extractor.name] = page if plain else self._extracted(extractor, page)
        for name, texts in self._given.items():
            found[name] = texts.get(docid, "")
        return found

    def _extracted(self, extractor: Extractor, page: str) -> str:
        try:
            return extracted(extractor, page, self._watch)
        except PageError:
            self.failed[extractor.name] += 1
            return ""
