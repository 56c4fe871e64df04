from collections.abc import Mapping

from boilersweep.cleaners.selection import Bits, Repeat
from boilersweep.indexer.contents import Analysed, PageContents

class CompiledCounter:
    @property
    def names(self) -> list[str]: ...
    def begin(self, analysed: Analysed) -> None: ...
    def contents(
        self,
        bits: Bits,
        first: int,
        rules: int,
        repeats: Mapping[int, Repeat],
        alone: int,
    ) -> PageContents: ...
