"""Where compiled pieces are cut, said once more by a regular expression."""

import re
from collections.abc import Sequence

from boilersweep.indexer.contents import STANDARD_BORDERS

_AT = re.escape(STANDARD_BORDERS.at) + "\uffff"
_BETWEEN = re.escape(STANDARD_BORDERS.between)
_PIECE = re.compile(rf"[^{_AT}{_BETWEEN}]++(?:[{_BETWEEN}]++[^{_AT}{_BETWEEN}]++)*+")


class ExpectedPieces:
    """What `CompiledPieces` gives, as lists."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def cut(self, texts: Sequence[str]) -> tuple[list[int], list[int], list[str]]:
        """Pieces, starts and new pieces, as of `Cut`."""
        before = len(self.numbers)
        numbers: list[int] = []
        starts = [0]
        for text in texts:
            found = _PIECE.findall(text)
            numbers += [
                self.numbers.setdefault(piece, len(self.numbers)) for piece in found
            ]
            starts.append(len(numbers))
        return numbers, starts, list(self.numbers)[before:]
