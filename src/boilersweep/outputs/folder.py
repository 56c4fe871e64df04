"""How `boilersweep check` recognises the outputs in a folder, and what it says of each."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boilersweep.errors import BoilersweepError
from boilersweep.outputs.parts import MANIFEST as MANIFEST
from boilersweep.outputs.parts import NotChecked, Output
from boilersweep.outputs.plan import unfinished_kind

INDEX_MANIFEST = "boilersweep.json"
MANIFESTS = (MANIFEST, INDEX_MANIFEST)
KIND = "kind"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """What a check needs to know beside the path.

    Attributes:
        store: The block store that the output was made from, if it is known. Its type belongs to a
            higher layer.
        beside: Whether the store only has the usual name in a folder around the output, which may
            be another one's.
        has_input: Whether the input of a block store is checked, too.
    """

    store: Any = None
    beside: bool = False
    has_input: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputCheck:
    """The declaration of how `boilersweep check` recognises and verifies one kind of output.

    The module of each kind declares one named CHECK; the command has a table of these modules.

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


def check_of(
    output: Output[Any],
    *,
    is_also: Callable[[Path], bool] = lambda _: False,
    without: str = "",
) -> OutputCheck:
    """Return the check of an output of parts.

    Args:
        output: The kind of output.
        is_also: Whether a path is such an output without its manifest.
        without: What is wrong with that; "" to say that it is not finished.
    """

    def check(path: Path, request: CheckRequest) -> Iterator[Checked]:
        checked = Checked(output.name, path)
        if without and is_also(path):
            checked.faults.append(f"{path} {without}")
            yield checked
            return
        for found in output.check(path, request.store):
            is_fault = not isinstance(found, NotChecked)
            (checked.faults if is_fault else checked.unseen).append(found)
        with contextlib.suppress(BoilersweepError):
            manifest = output.read(path)
            # An experiment is a sweep, a grid or a study.
            checked.kind = manifest.recipe.get("kind", checked.kind) if manifest else ""
        checked.kind = checked.kind or output.name
        yield checked

    return OutputCheck(
        check=check,
        manifest=output.name,
        recognises=lambda path: (
            is_also(path)
            or (unfinished_kind(path) == output.name and not (path / MANIFEST).exists())
            or (output.manifest != MANIFEST and (path / output.manifest).is_file())
        ),
    )


def holds_output(folder: Path) -> bool:
    """Return whether a folder has a manifest of its own, and is checked by that."""
    return any((folder / name).is_file() for name in MANIFESTS)


def visible(folder: Path) -> list[Path]:
    """Return what is in a folder, by name, without hidden files, such as locks."""
    return [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
