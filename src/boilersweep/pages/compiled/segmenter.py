"""The compiled segmenter; importing it fails where the extension modules are not built."""

from boilersweep.pages.compiled.strip import strip, strip_with_marks
from boilersweep.pages.compiled.target import Target
from boilersweep.pages.segmenter import Segmenter, close_title


class CompiledSegmenter(Segmenter):
    """A Segmenter about three times as fast, with the same pages."""

    def _new_target(self, transparent: frozenset[str]) -> Target:
        self._compiled = Target(transparent, self._structure, self._most)
        return self._compiled

    def _prepared(self, utf8: bytes) -> bytes:
        if not self._structure:
            return strip(close_title(utf8))
        stripped, marks = strip_with_marks(close_title(utf8))
        self._compiled.expect(marks)
        return stripped
