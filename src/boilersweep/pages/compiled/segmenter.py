"""The compiled segmenter; importing it fails where the extension modules are not built."""

from boilersweep.pages.compiled.strip import strip
from boilersweep.pages.compiled.target import Target
from boilersweep.pages.segmenter import Segmenter, close_title


class CompiledSegmenter(Segmenter):
    """A Segmenter about three times as fast, with the same pages."""

    def _new_target(self, transparent: frozenset[str]) -> Target:
        return Target(transparent, self._structure, self._most)

    def _prepared(self, utf8: bytes) -> bytes:
        return strip(close_title(utf8), self._structure)
