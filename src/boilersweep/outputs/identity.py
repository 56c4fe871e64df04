"""What a result depends on: digests of files and of code, and how two identities differ.

Everything that is kept and used again carries the identity of what it was made from, as nested
JSON, and is used again only where that is the one asked for.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from boilersweep.outputs.locations import is_remote, open_regular

__version__ = "0.1.0"


@dataclass(frozen=True, slots=True)
class CodeVersion:
    """A stage of our work, whose results are used again only if they have its number.

    The package that does the work declares its stage. `tests/system/test_golden.py` compares what
    each gives for fixed pages.

    Attributes:
        name: The name in an identity.
        number: Is raised whenever the same input gives another result.
    """

    name: str
    number: int


_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
_SHOWN = 12  # letters of a digest in a message
_NAMED = 5  # clauses in a message
_LISTED = 10  # names in a message


def digest_of(value: Any) -> str:
    """SHA-256 of a JSON-able value; the order of keys does not count."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file's content; raises OSError.

    A file of this machine is not read again by this process while its inode, size and times of
    change are those of an earlier call.
    """
    if is_remote(path):
        return _read_digest(path)
    stat = path.stat()
    now = (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
    return _known_digest(os.path.realpath(path), now)


@lru_cache(maxsize=2**16)
def _known_digest(path: str, _state: tuple[int, ...]) -> str:
    return _read_digest(Path(path))


def _read_digest(path: Path) -> str:
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def code_identity(*stages: CodeVersion) -> dict[str, str]:
    """Return what stands for our code: the package's version, and the numbers of some stages."""
    numbers = {stage.name: str(stage.number) for stage in stages}
    return {"boilersweep": __version__, **numbers}


def differences(made: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Return a clause for each value that differs, such as `k1 was 0.9, is 1.2`."""
    changes = []
    one, other = dict(_leaves(made)), dict(_leaves(wanted))
    for name in dict.fromkeys([*one, *other]):
        before, now = one.get(name), other.get(name)
        if before != now:
            changes.append(f"{name} was {_shown(before)}, is {_shown(now)}")
    return changes


def some_of(clauses: Sequence[str]) -> str:
    """Return clauses as one text: the first few, and how many more there are."""
    more = f"; and {len(clauses) - _NAMED:,} more" if len(clauses) > _NAMED else ""
    return "; ".join(clauses[:_NAMED]) + more


def listed(names: Sequence[str]) -> str:
    """Return names as a list: the first ten, and how many more there are."""
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")


def _leaves(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, one in value.items():
        if isinstance(one, Mapping) and one:
            yield from _leaves(one, f"{prefix}{key} ")
        else:
            yield f"{prefix}{key}".replace("_", " "), _plain(one)


def _plain(value: Any) -> Any:
    """Return a value with lists for tuples, as JSON gives it back, so that both compare."""
    return list(map(_plain, value)) if isinstance(value, tuple | list) else value


def _shown(value: Any) -> str:
    if value is None:
        return "not set"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = _DIGEST.sub(lambda digest: digest[0][:_SHOWN], text)
    return text if len(text) <= 80 else f"{text[:77]}..."
