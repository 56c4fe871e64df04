"""The errors boilersweep raises, one tree with one root.

    BoilersweepError          exit status 1
    ├── UsageError            exit status 2: the call itself is wrong
    ├── InputError            an input is missing or malformed
    │   ├── CollectionError
    │   ├── PageError
    │   ├── TopicsError
    │   ├── QrelsError
    │   └── RunError
    ├── StoreError            a block store is missing, incomplete or of another kind
    ├── IndexingError         an index could not be written, or differs from its manifest
    ├── OutputError           an output could not be written
    │   └── BusyError         another process is writing it
    ├── VerificationError     the exact engine and a real index differ
    └── JavaError             no usable Java, or a JVM started in a way that cannot work

Every message says what was expected, what was found, and what to do.
"""

import errno
import os
from collections.abc import Iterable


def reason_of(error: Exception) -> str:
    """Return the reason of an error, for a message that names the path itself."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"no {error}" if isinstance(error, KeyError) else str(error)


# How libraries name a resource that ran out -> its number, where they raise errors of their own.
_RAN_OUT = {
    "can't start new thread": errno.EAGAIN,
    "Resource temporarily unavailable": errno.EAGAIN,
    "Too many open files": errno.EMFILE,
    "annot allocate memory": errno.ENOMEM,
    "failed to map segment": errno.ENOMEM,
    "No space left on device": errno.ENOSPC,
}
_OF_RESOURCES = {*_RAN_OUT.values(), errno.ENFILE, errno.EDQUOT}


def exhausted(error: BaseException | None) -> OSError | MemoryError | None:
    """Return the error that says which resource ran out; None if an error has another cause."""
    while error is not None:
        if isinstance(error, MemoryError):
            return error
        if isinstance(error, OSError) and error.errno in _OF_RESOURCES:
            return error
        for text, number in _RAN_OUT.items():
            if text in str(error):
                return OSError(number, os.strerror(number))
        error = error.__cause__ or error.__context__
    return None


def raise_exhausted(error: BaseException) -> None:
    """Raise what says that a resource ran out, lest it be taken for damage."""
    if reason := exhausted(error):
        raise reason from error


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the known names that are nearly this one, as the end of a message; "" if none is."""
    from difflib import get_close_matches  # takes 2 ms to import, and is seldom needed

    spelled = {spelling.lower(): spelling for spelling in known}
    near = [spelled[lower] for lower in get_close_matches(name.lower(), spelled)]
    return f" (did you mean {' or '.join(near)}?)" if near else ""


class BoilersweepError(Exception):
    """Root of the tree; the command line prints its message and exits with `exit_status`.

    Parameters have their names of Python: in backquotes within a message, and in `parameter` if the
    message is about its value. The command line spells them as its options.

    Attributes:
        message: What was expected and found, and what to do.
        parameter: The name of the parameter that is wrong; None for none, or for several.
    """

    exit_status = 1

    def __init__(self, message: str = "", *, parameter: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.parameter = parameter

    def __str__(self) -> str:
        # Importing boilersweep is quick, and compiling expressions is not.
        from boilersweep.redaction import without_secrets

        about = f"{self.parameter}: " if self.parameter else ""
        return without_secrets(about + self.message)


class UsageError(BoilersweepError):
    """The call itself is wrong: an unknown name, a value out of range, options that exclude."""

    exit_status = 2


class InputError(BoilersweepError):
    """An input is missing or malformed."""


class CollectionError(InputError):
    """A collection cannot be read in its format."""


class PageError(InputError):
    """A page cannot be cleaned: over a limit, unparsable, or its extractor fails."""


class TopicsError(InputError):
    """A topics file is malformed; the message names file and line."""


class QrelsError(InputError):
    """A qrels file is malformed; the message names file and line."""


class RunError(InputError):
    """A run file is malformed; the message names file and line."""


class StoreError(BoilersweepError):
    """A block store is missing, incomplete, damaged or of another version."""


class IndexingError(BoilersweepError):
    """An index could not be written, or differs from its manifest."""


class OutputError(BoilersweepError):
    """An output could not be written: no space, no permission, or something is in the way."""


class BusyError(OutputError):
    """Another process is writing the output."""


class VerificationError(BoilersweepError):
    """The exact engine and a real index gave different runs."""


class JavaError(BoilersweepError):
    """No usable Java was found, or the JVM of this process cannot serve Lucene."""


def excerpt(text: str, at: int = 0, most: int = 80) -> str:
    """Return up to `most` characters of a text, around the character `at`, for a message."""
    if len(text) <= most:
        return text
    first = min(max(0, at - most // 2), len(text) - most)
    last = first + most
    return f"{'...' * (first > 0)}{text[first:last]}{'...' * (last < len(text))}"
