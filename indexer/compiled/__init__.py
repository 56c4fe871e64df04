"""What compiled code does for indexes, optional: pure Python gives the same tokens and counts."""

from importlib.util import find_spec

from boilersweep.indexer.contents import PureCounter, TermCounter
from boilersweep.indexer.pieces import Borders, Pieces, PurePieces

built = all(find_spec(f"{__name__}.{module}") is not None for module in ("pieces", "counter"))
"""Whether the extension modules are there."""


def make_pieces(borders: Borders) -> Pieces:
    """The fastest pieces there are on this machine."""
    if _allowed():
        from boilersweep.indexer.compiled.pieces import CompiledPieces

        return CompiledPieces(borders.at, borders.between)
    return PurePieces()


def make_counter(separator: str) -> TermCounter:
    """The fastest counter there is on this machine. separator: between a term and its frequency."""
    if _allowed():
        from boilersweep.indexer.compiled.counter import CompiledCounter

        return CompiledCounter(separator)
    return PureCounter(separator)


def _allowed() -> bool:
    from boilersweep.pages.compiled import forbidden  # the command line does without lxml

    return built and not forbidden()
