from collections.abc import Mapping

from boilersweep.cleaners.selection import Bits, Repeat
from boilersweep.indexer.contents import Counted
from boilersweep.indexer.term_table import Analysed

class CompiledCounter:
    def __init__(self, separator: str) -> None: ...
    def begin(self, analysed: Analysed) -> None: ...
    def contents(
        self, bits: Bits, first: int, rules: int, repeats: Mapping[int, Repeat]
    ) -> list[Counted]: ...
