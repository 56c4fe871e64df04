"""How `boilersweep check` recognises and verifies one kind of output.

The module of each kind declares an `OutputCheck` named CHECK; the command has a table of these
modules.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boilersweep.errors import BoilersweepError


@dataclass(slots=True)
class Checked:
    """The result of checking one output.

    Attributes:
        kind: The kind of the output.
        path: Its place.
        faults: A sentence for each fault.
        unseen: Clauses about what could not be checked, and why.
    """

    kind: str
    path: Path
    faults: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)

    def collect(self, faults: Iterable[str]) -> None:
        """Add faults; an error that ends the search is the last of them."""
        try:
            self.faults.extend(faults)
        except BoilersweepError as error:
            self.faults.append(str(error))
        except (LookupError, TypeError, ValueError, AttributeError, OSError) as error:
            # A manifest can be forged beyond what its type tells.
            self.faults.append(f"it cannot be checked any further ({error!r}); make it again")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """What a check needs to know beside the path.

    Attributes:
        store: The block store that the output was made from, if it is known. Its type belongs to a
            higher layer.
        has_input: Whether the input of a block store is checked, too.
        heap: The heap of Java, as text.
    """

    store: Any = None
    has_input: bool = False
    heap: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputCheck:
    """The declaration of how one kind of output is checked.

    Attributes:
        check: A function that checks the output at a path.
        manifest: The kind's name in `manifest.json`; "" for a kind without that file.
        marks: Patterns of files that show such an output where `manifest.json` is damaged or gone.
        recognises: A function that recognises an output without `manifest.json`.
        parts: Names of the folders that belong to such an output, and are checked with it.
        store_of: A function that opens the block store of an output, if that can be found.
    """

    check: Callable[[Path, CheckRequest], Iterable[Checked]]
    manifest: str = ""
    marks: tuple[str, ...] = ()
    recognises: Callable[[Path], bool] = lambda _: False
    parts: tuple[str, ...] = ()
    store_of: Callable[[Path], Any] = lambda _: None

    def is_marked(self, folder: Path) -> bool:
        """Return whether a folder has a file of this kind."""
        return any(any(folder.glob(pattern)) for pattern in self.marks)
