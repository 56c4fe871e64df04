"""Input files that count and hash what is read of them."""

import hashlib
import io
import os
from pathlib import Path
from typing import Any

from boilersweep.errors import CollectionError


class InputFile(io.RawIOBase):
    """A file that counts and hashes what is read of it, and names itself when reading fails.

    stat: of the file before anything is read, so that a later change shows.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.count = 0
        self._sha256 = hashlib.sha256()
        try:
            self.stat = path.stat()
            self._file = path.open("rb", buffering=0)
        except MemoryError:
            raise
        except Exception as error:  # an object store's driver raises what it likes
            raise self._error(error) from error

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, and digest what was read."""
        try:
            count = self._file.readinto(buffer) or 0
        except MemoryError:
            raise
        except Exception as error:
            raise self._error(error) from error
        self.count += count
        self._sha256.update(memoryview(buffer)[:count])
        return count

    def finish(self) -> str:
        """Read what the reader left over, and return the SHA-256 of the whole file."""
        rest = bytearray(2**16)  # most readers leave nothing: a larger one takes time to make
        while self.readinto(rest):
            pass
        return self._sha256.hexdigest()

    def release(self) -> None:
        """Close the file on disk; `close` does not, as a reader's buffer calls it too early."""
        self._file.close()

    def _error(self, error: Exception) -> CollectionError:
        return _unreadable(self._path, error)


def input_stat(path: Path) -> os.stat_result:
    """Return what is known of an input file without reading it; raises CollectionError."""
    try:
        return path.stat()
    except Exception as error:  # an object store's driver raises what it likes
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> CollectionError:
    reason = getattr(error, "strerror", None) or str(error)
    return CollectionError(f"cannot read {path}: {reason}; check the file and the disk")
