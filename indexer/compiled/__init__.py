"""The compiled way from texts to pieces, optional: `PurePieces` has the same tokens."""

from importlib.util import find_spec

from boilersweep.indexer.pieces import Borders, Pieces, PurePieces

built = find_spec(f"{__name__}.pieces") is not None
"""Whether the extension module is there."""


def make_pieces(borders: Borders) -> Pieces:
    """The fastest pieces there are on this machine."""
    from boilersweep.pages.compiled import forbidden  # the command line does without lxml

    if built and not forbidden():
        from boilersweep.indexer.compiled.pieces import CompiledPieces

        return CompiledPieces(borders.at, borders.between)
    return PurePieces()
