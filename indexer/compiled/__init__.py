"""What compiled code does for indexes, optional: without it, the same indexes take longer."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boilersweep.indexer.contents import Borders, PurePieces

if TYPE_CHECKING:
    from boilersweep.indexer.compiled.counter import CompiledCounter
    from boilersweep.indexer.contents import Pieces

# Whether the extension modules are there.
built = all(
    find_spec(f"{__name__}.{module}") is not None for module in ("pieces", "counter")
)

# Our Java classes: an index needs no JDK.
SEGMENTS = Path(__file__).with_name("segments.jar")


def make_pieces(borders: Borders) -> "Pieces":
    """Return the fastest pieces there are on this machine."""
    if built and allowed():
        from boilersweep.indexer.compiled.pieces import CompiledPieces

        return CompiledPieces(borders.at, borders.between)
    return PurePieces()


def make_counter() -> "CompiledCounter":
    """Return a counter of the terms of contents, where it is built."""
    from boilersweep.indexer.compiled.counter import CompiledCounter

    return CompiledCounter()


def java_class(name: str) -> Any:
    """Return a class of our jar; the JVM must run."""
    from jnius import autoclass

    return autoclass(f"boilersweep.{name}")


def allowed() -> bool:
    """Whether compiled code may be used."""
    # The command line does without lxml
    from boilersweep.pages.compiled import forbidden

    return not forbidden()
