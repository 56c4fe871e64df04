# cython: language_level=3, boundscheck=False, wraparound=False
"""Pieces of texts and their numbers, compiled: `boilersweep.indexer.pieces` says what they are."""

import secrets

import numpy as np

from boilersweep.indexer.pieces import Cut

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Realloc
from cpython.unicode cimport (
    PyUnicode_1BYTE_KIND,
    PyUnicode_2BYTE_KIND,
    PyUnicode_DATA,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    PyUnicode_Substring,
)
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

ctypedef fused Character:
    uint8_t
    uint16_t
    uint32_t


cdef enum Kind:
    """Of a character: part of a piece, part of one where it stands between others, of none."""
    INNER
    BETWEEN
    BORDER


# A place of the hash table. tag: more bits of the hash. next: the number after the piece's, 0 for none.
cdef struct Slot:
    uint32_t tag
    uint32_t next


cdef class CompiledPieces:
    """Pieces cut where `Borders` says; the code points of each are kept, 4 bytes each."""

    cdef Kind kinds[128]
    cdef uint64_t seed, multiplier
    cdef Slot* slots
    cdef Py_ssize_t slots_less_one
    cdef Py_ssize_t count
    cdef uint32_t* points
    cdef Py_ssize_t points_room
    cdef int64_t* ends
    cdef Py_ssize_t ends_room
    cdef int32_t* found
    cdef Py_ssize_t found_count, found_room

    def __cinit__(self, str at not None, str between not None):
        cdef uint8_t character
        for character in (at + " ").encode("ascii"):
            self.kinds[character] = BORDER
        for character in between.encode("ascii"):
            self.kinds[character] = BETWEEN
        # Drawn anew in every process, so that no page can be made of pieces that collide.
        self.seed = secrets.randbits(64)
        self.multiplier = secrets.randbits(64) | 1
        self.slots_less_one = 1023
        self.slots = <Slot*>PyMem_Calloc(1024, sizeof(Slot))
        self.ends = <int64_t*>PyMem_Calloc(1, sizeof(int64_t))
        self.ends_room = 1
        if self.slots == NULL or self.ends == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.slots)
        PyMem_Free(self.points)
        PyMem_Free(self.ends)
        PyMem_Free(self.found)

    def __len__(self):
        return self.count

    @property
    def characters(self):
        """Those of all pieces together."""
        return self.ends[self.count]

    def cut(self, texts):
        cdef Py_ssize_t number, length
        cdef str text
        cdef bytes starts = PyBytes_FromStringAndSize(NULL, (len(texts) + 1) * sizeof(int64_t))
        cdef int64_t* start = <int64_t*><char*>starts
        cdef list new = []
        self.found_count = 0
        start[0] = 0
        for number, text in enumerate(texts):
            if text is None:
                raise TypeError("expected texts, got None")
            length = PyUnicode_GET_LENGTH(text)
            if PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND:
                self.cut_text(<const uint8_t*>PyUnicode_DATA(text), length, text, new)
            elif PyUnicode_KIND(text) == PyUnicode_2BYTE_KIND:
                self.cut_text(<const uint16_t*>PyUnicode_DATA(text), length, text, new)
            else:
                self.cut_text(<const uint32_t*>PyUnicode_DATA(text), length, text, new)
            start[number + 1] = self.found_count
        pieces = PyBytes_FromStringAndSize(<char*>self.found, self.found_count * sizeof(int32_t))
        return Cut(np.frombuffer(pieces, np.int32), np.frombuffer(starts, np.int64), new)

    cdef int cut_text(
        self, const Character* s, Py_ssize_t length, str text, list new
    ) except -1:
        cdef Py_ssize_t place = 0
        cdef Py_ssize_t start, end
        cdef uint64_t running, hashed
        cdef Kind kind
        while True:
            while place < length and self.kind_of(s[place]) != INNER:
                place += 1
            if place == length:
                return 0
            start = end = place
            running = hashed = self.seed
            while place < length:
                kind = self.kind_of(s[place])
                if kind == BORDER:
                    break
                running = (running ^ s[place]) * self.multiplier
                place += 1
                if kind == INNER:
                    end, hashed = place, running
            self.note(s + start, end - start, hashed, text, start, new)

    cdef inline Kind kind_of(self, Character character) noexcept:
        if character < 128:
            return self.kinds[character]
        if Character is uint8_t:
            return INNER
        return BORDER if character == 0xFFFF else INNER

    cdef inline int note(
        self,
        const Character* s,
        Py_ssize_t length,
        uint64_t hashed,
        str text,
        Py_ssize_t start,
        list new,
    ) except -1:
        """Write down the number of a piece, a new one for one that is new."""
        cdef Slot* slot = self.slot_of(s, length, hashed)
        if slot.next == 0:
            self.add(s, length, hashed, slot)
            new.append(PyUnicode_Substring(text, start, start + length))
            slot = self.slot_of(s, length, hashed)
        if self.found_count == self.found_room:
            self.found_room = 2 * self.found_room + 1024
            self.found = <int32_t*>_resized(self.found, self.found_room * sizeof(int32_t))
        self.found[self.found_count] = <int32_t>(slot.next - 1)
        self.found_count += 1
        return 0

    cdef inline Slot* slot_of(
        self, const Character* s, Py_ssize_t length, uint64_t hashed
    ) noexcept:
        """Where the piece stands, or the empty place where it is to stand."""
        cdef uint64_t mixed = _mixed(hashed)
        cdef Py_ssize_t place = <Py_ssize_t>(mixed & <uint64_t>self.slots_less_one)
        cdef uint32_t tag = <uint32_t>(mixed >> 32)
        while self.slots[place].next != 0 and not (
            self.slots[place].tag == tag and self.is_piece(self.slots[place].next - 1, s, length)
        ):
            place = (place + 1) & self.slots_less_one
        return &self.slots[place]

    cdef inline bint is_piece(
        self, Py_ssize_t number, const Character* s, Py_ssize_t length
    ) noexcept:
        cdef const uint32_t* points = self.points + self.ends[number]
        cdef Py_ssize_t place
        if self.ends[number + 1] - self.ends[number] != length:
            return False
        for place in range(length):
            if points[place] != s[place]:
                return False
        return True

    cdef int add(
        self, const Character* s, Py_ssize_t length, uint64_t hashed, Slot* slot
    ) except -1:
        """Give a piece the next number; `slot` is the place for it, and no longer one after this."""
        cdef Py_ssize_t start = self.ends[self.count]
        cdef Py_ssize_t place
        if self.count == 2**31 - 2:
            raise OverflowError("more pieces than there are numbers")
        if self.points_room < start + length:
            self.points_room = 2 * (start + length)
            self.points = <uint32_t*>_resized(self.points, self.points_room * sizeof(uint32_t))
        if self.ends_room < self.count + 2:
            self.ends_room = 2 * (self.count + 2)
            self.ends = <int64_t*>_resized(self.ends, self.ends_room * sizeof(int64_t))
        if 2 * (self.count + 1) > self.slots_less_one:
            self.grow()
            slot = self.slot_of(s, length, hashed)
        for place in range(length):
            self.points[start + place] = s[place]
        self.ends[self.count + 1] = start + length
        self.count += 1
        slot.tag = <uint32_t>(_mixed(hashed) >> 32)
        slot.next = <uint32_t>self.count
        return 0

    cdef int grow(self) except -1:
        """Twice as many places in the hash table."""
        cdef Py_ssize_t more = 2 * (self.slots_less_one + 1)
        cdef Slot* slots = <Slot*>PyMem_Calloc(more, sizeof(Slot))
        cdef Py_ssize_t number, place
        cdef uint64_t hashed
        if slots == NULL:
            raise MemoryError
        for number in range(self.count):
            hashed = self.seed
            for place in range(self.ends[number], self.ends[number + 1]):
                hashed = (hashed ^ self.points[place]) * self.multiplier
            hashed = _mixed(hashed)
            place = <Py_ssize_t>(hashed & <uint64_t>(more - 1))
            while slots[place].next != 0:
                place = (place + 1) & (more - 1)
            slots[place].tag = <uint32_t>(hashed >> 32)
            slots[place].next = <uint32_t>(number + 1)
        PyMem_Free(self.slots)
        self.slots = slots
        self.slots_less_one = more - 1
        return 0


cdef inline uint64_t _mixed(uint64_t hashed) noexcept:
    """A hash all of whose bits tell of the last characters, too."""
    return hashed ^ (hashed >> 29) ^ (hashed >> 47)


cdef void* _resized(void* memory, size_t size) except NULL:
    cdef void* resized = PyMem_Realloc(memory, size)
    if resized == NULL:
        raise MemoryError
    return resized
