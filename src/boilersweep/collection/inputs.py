"""What users name as a collection: files, folders, URLs, patterns, and lists of these.

A store knows the files of one collection by their names relative to one folder: the input itself,
or the folder that has all inputs.
"""

import glob
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from boilersweep.errors import CollectionError, UsageError, reason_of
from boilersweep.outputs.locations import for_each, is_remote, location
from boilersweep.outputs.streams import read_input
from boilersweep.redaction import without_secrets

_LIST = "@"
_URL = "://"
_COMMENT = "#"
IRDS = "irds:"  # before the name of a dataset of ir_datasets

# What makes a pattern of a name; URLs have question marks of their own.
_WILD = re.compile(r"[*?[]")
_WILD_URL = re.compile(r"[*[]")


@dataclass(frozen=True, slots=True)
class Inputs:
    """Files and folders of one collection.

    Attributes:
        folder: The folder that has all, or the beginning of all URLs.
        paths: Files, and folders that are read whole.
    """

    folder: str
    paths: tuple[Path, ...]

    def __str__(self) -> str:
        return f"{len(self.paths):,} inputs below {self.folder}"

    def name(self, path: Path) -> str:
        """Return the name of one of the files, relative to the folder."""
        if is_remote(path):
            return without_secrets(path).removeprefix(self.folder).lstrip("/")
        return path.relative_to(self.folder).as_posix()


# What a collection is named by; a dataset of ir_datasets and a pipe are paths, too.
Input = Path | Inputs


def parse_inputs(words: Sequence[Path | str]) -> Input:
    """Return what some words name: a path, or several.

    Args:
        words: Paths and URLs; with wildcards, all that they match, and with @, a list of these in a
            file, one a line.

    Raises:
        UsageError: A URL cannot be reached, or several inputs are not in one place.
        CollectionError: A pattern matches nothing, or a list cannot be read or is empty.
    """
    if len(words) == 1 and not _is_several(words[0]):
        return _located(words[0])
    names = list(chain.from_iterable(map(_expanded, words)))
    named = list(chain.from_iterable(for_each(_named, names)))
    paths = tuple(dict.fromkeys(path for path, _ in named))
    return Inputs(_common([folder for _, folder in named]), paths)


def as_input(root: Input | str | Sequence[Path | str]) -> Input:
    """Return an input that may be given as text, or several; raises as `parse_inputs`."""
    if isinstance(root, Inputs):
        return root
    words: Any = root  # a URL's path is no Path
    return parse_inputs(words if isinstance(words, list | tuple) else [words])


def as_inputs(root: Input) -> Inputs:
    """Return an input as several: a folder itself, or the one file of its folder."""
    if isinstance(root, Inputs):
        return root
    folder = root if root.is_dir() else root.parent
    text = without_secrets(folder) if is_remote(root) else str(folder)
    return Inputs(text, (root,))


def paths_of(root: Input) -> tuple[Path, ...]:
    """Return the files and folders of an input."""
    return root.paths if isinstance(root, Inputs) else (root,)


def _is_several(word: Path | str) -> bool:
    text = str(word)
    return text.startswith(_LIST) or _is_pattern(text)


def _is_pattern(text: str) -> bool:
    if _URL in text:
        return bool(_WILD_URL.search(text))
    return bool(_WILD.search(text)) and not os.path.lexists(text)


def _located(word: Path | str) -> Path:
    return location(word) if isinstance(word, str) else word


def _expanded(word: Path | str) -> list[Any]:
    """Return a word, or the lines of the list that it names."""
    text = str(word)
    return _lines(text.removeprefix(_LIST)) if text.startswith(_LIST) else [word]


def _lines(name: str) -> list[str]:
    try:
        text = read_input(location(name)).decode()
    except (OSError, ValueError) as error:
        raise CollectionError(
            f"{name}: expected a UTF-8 list of paths and URLs, got: {reason_of(error)}"
        ) from error
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(_COMMENT)]
    if not lines:
        raise CollectionError(f"{name}: expected paths or URLs, one a line, found none")
    return lines


def _named(word: Path | str) -> list[tuple[Path, str]]:
    """Return the paths that a word names, each with the folder that its files are named in."""
    text = str(word)
    if dataset_id(text) or text == "-":
        raise UsageError(f"{text} is an input alone; expected files, folders or URLs")
    if _is_pattern(text):
        return _matches(text)
    path = _located(word)
    if not is_remote(path):
        path = path.absolute()
    return [(path, as_inputs(path).folder)]


def _matches(pattern: str) -> list[tuple[Path, str]]:
    """Return the files and folders that a pattern matches, with its folder without wildcards."""
    begin = _WILD.split(pattern, maxsplit=1)[0].rpartition("/")[0]
    paths: list[Path]
    if _URL in pattern:
        top: Any = location(begin)
        base = f"{str(top.path).rstrip('/')}/"
        names = sorted(top.fs.glob(f"{base}{pattern[len(begin) + 1 :]}"))
        paths = [top / name[name.index(base) + len(base) :] for name in names]
        folder = without_secrets(top)
    else:
        # Other than that of Path, it leaves hidden files out
        names = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
        paths = [Path(name).absolute() for name in names]
        root = os.sep if pattern.startswith("/") else os.curdir
        folder = str(Path(begin or root).absolute())
    if not paths:
        raise CollectionError(f"{pattern} matches no file")
    return [(path, folder) for path in paths]


def _common(folders: Iterable[str]) -> str:
    """Return the deepest folder that has some folders; raise UsageError if none has."""
    texts = [*dict.fromkeys(folders)]
    schemes = {text.rpartition(_URL)[0]: text for text in texts}
    if len(schemes) > 1:
        raise UsageError(
            "expected inputs of one kind: files of this machine, or URLs of one scheme; got "
            f"{' and '.join(schemes.values())}"
        )
    [scheme] = schemes
    begin = scheme + _URL if scheme else ""
    return begin + os.path.commonpath([text.removeprefix(begin) for text in texts])


def dataset_id(name: Path | str) -> str | None:
    """Return the id within `irds:ID`; None for any other name, which is a file's."""
    text = str(name)
    return text.removeprefix(IRDS) if text.startswith(IRDS) else None


def parse_dataset(text: str) -> str:
    """Return a name with its mark unchanged; raises UsageError for any other."""
    if not dataset_id(text):
        raise UsageError(
            f"expected irds:ID, such as irds:gov2/trec-tb-2004, got {text!r}"
        )
    return text
