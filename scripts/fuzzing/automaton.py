"""The automaton of Lucene's StandardTokenizer, read from its class file in the jar."""

import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

_CLASS = "org/apache/lucene/analysis/standard/StandardTokenizerImpl.class"
_BYTES_OF_CONSTANT = {
    **dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 4),
    **dict.fromkeys((7, 8, 16, 19, 20), 2),
    **dict.fromkeys((5, 6), 8),
    15: 3,
}
_TEXT, _WIDE, _CODE_POINTS_A_BLOCK, _ENDS = 1, (5, 6), 256, 1


@dataclass(frozen=True)
class Automaton:
    """What JFlex made of the rules.

    Attributes:
        kinds: of every code point.
        steps: state -> kind -> the next state, None for no way on.
        ends: whether a match may end in a state.
        actions: what is then done with it.
    """

    kinds: list[int]
    steps: list[list[int | None]]
    ends: list[bool]
    actions: list[int]

    def step(self, state: int, character: str) -> int | None:
        """Return the state behind a character; None where no match goes over it."""
        return self.steps[state][self.kinds[ord(character)]]

    def boundaries(self) -> list[str]:
        """Return the characters whose kind is not that of the one before, or of the one behind."""
        pairs = enumerate(pairwise(self.kinds))
        places = {place for n, (a, b) in pairs if a != b for place in (n, n + 1)}
        return [chr(place) for place in sorted(places) if not 0xD800 <= place < 0xE000]


def read_automaton(jar: Path) -> Automaton:
    """Return the automaton of the Lucene in Anserini's jar."""
    with zipfile.ZipFile(jar) as file:
        packed = dict(_constants(file.read(_CLASS)))
    tables = {name: _units(text) for name, text in packed.items() if "_PACKED_" in name}
    blocks = _unrolled(tables["ZZ_CMAP_BLOCKS_PACKED_0"])
    tops = _unrolled(tables["ZZ_CMAP_TOP_PACKED_0"])
    kinds = [blocks[top + low] for top in tops for low in range(_CODE_POINTS_A_BLOCK)]
    rows = tables["ZZ_ROWMAP_PACKED_0"]
    starts = [high << 16 | low for high, low in zip(rows[::2], rows[1::2], strict=True)]
    steps = [step - 1 for step in _unrolled(tables["ZZ_TRANS_PACKED_0"])]
    number = max(blocks) + 1
    return Automaton(
        kinds,
        [
            [None if s < 0 else s for s in steps[start : start + number]]
            for start in starts
        ],
        [
            bool(attribute & _ENDS)
            for attribute in _unrolled(tables["ZZ_ATTRIBUTE_PACKED_0"])
        ],
        _unrolled(tables["ZZ_ACTION_PACKED_0"]),
    )


def _constants(file: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and value of the constant texts of a class."""
    (count,) = struct.unpack_from(">H", file, 8)
    pool: dict[int, bytes] = {}
    place, number = 10, 1
    while number < count:
        kind = file[place]
        if kind == _TEXT:
            (length,) = struct.unpack_from(">H", file, place + 1)
            pool[number] = file[place + 3 : place + 3 + length]
            place += 3 + length
        else:
            pool[number] = file[place + 1 : place + 1 + _BYTES_OF_CONSTANT[kind]]
            place += 1 + _BYTES_OF_CONSTANT[kind]
        number += 2 if kind in _WIDE else 1
    (interfaces,) = struct.unpack_from(">H", file, place + 6)
    place += 8 + 2 * interfaces
    (fields,) = struct.unpack_from(">H", file, place)
    place += 2
    for _ in range(fields):
        _, name, _, attributes = struct.unpack_from(">4H", file, place)
        place += 8
        for _ in range(attributes):
            attribute, length = struct.unpack_from(">HI", file, place)
            if pool[attribute] == b"ConstantValue":
                value = pool[struct.unpack_from(">H", file, place + 6)[0]]
                if len(value) == 2:
                    yield pool[name].decode(), pool[struct.unpack(">H", value)[0]]
            place += 6 + length


def _units(text: bytes) -> list[int]:
    """Return the UTF-16 code units of what Java writes as its kind of UTF-8."""
    decoded = text.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    return [ord(character) for character in decoded]


def _unrolled(pairs: list[int]) -> list[int]:
    return [
        value
        for count, value in zip(pairs[::2], pairs[1::2], strict=True)
        for _ in range(count)
    ]
