# cython: language_level=3, boundscheck=False, wraparound=False
"""Pieces of texts and their numbers, compiled: `boilersweep.indexer.contents` says what they are."""

import secrets

import numpy as np

from boilersweep.indexer.contents import Cut

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport (
    PyUnicode_1BYTE_KIND,
    PyUnicode_2BYTE_KIND,
    PyUnicode_DATA,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    PyUnicode_Substring,
)
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc

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


# The characters of a text, as wide as its kind says.
cdef struct Text:
    const void* data
    Py_ssize_t length
    int kind


# Where a new piece stands.
cdef struct Place:
    Py_ssize_t text
    Py_ssize_t start
    Py_ssize_t end


cdef class CompiledPieces:
    """Pieces cut where `Borders` says; the code points of each are kept, 4 bytes each.

    For one thread at a time: other threads run while it cuts.
    """

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
    cdef Place* new
    cdef Py_ssize_t new_count, new_room

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
        self.slots = <Slot*>calloc(1024, sizeof(Slot))
        self.ends = <int64_t*>calloc(1, sizeof(int64_t))
        self.ends_room = 1
        if self.slots == NULL or self.ends == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.slots)
        free(self.points)
        free(self.ends)
        free(self.found)
        free(self.new)

    def __len__(self):
        return self.count

    @property
    def characters(self):
        """Those of all pieces together."""
        return self.ends[self.count]

    def cut(self, texts):
        cdef list held = list(texts)  # which no other thread changes
        cdef Py_ssize_t count = len(held)
        cdef bytes given = PyBytes_FromStringAndSize(NULL, count * sizeof(Text))
        cdef bytes starts = PyBytes_FromStringAndSize(NULL, (count + 1) * sizeof(int64_t))
        cdef Text* each = <Text*><char*>given
        cdef int64_t* start = <int64_t*><char*>starts
        cdef Py_ssize_t number
        cdef str text
        cdef int failed
        for number, text in enumerate(held):
            if text is None:
                raise TypeError("expected texts, got None")
            each[number].data = PyUnicode_DATA(text)
            each[number].length = PyUnicode_GET_LENGTH(text)
            each[number].kind = PyUnicode_KIND(text)
        with nogil:
            failed = self.cut_all(each, count, start)
        if failed:
            raise MemoryError
        new = [
            PyUnicode_Substring(held[self.new[number].text], self.new[number].start, self.new[number].end)
            for number in range(self.new_count)
        ]
        pieces = PyBytes_FromStringAndSize(<char*>self.found, self.found_count * sizeof(int32_t))
        return Cut(np.frombuffer(pieces, np.int32), np.frombuffer(starts, np.int64), new)

    cdef int cut_all(self, const Text* each, Py_ssize_t count, int64_t* start) noexcept nogil:
        """Cut texts and note where each starts; -1 where memory runs out."""
        cdef Py_ssize_t number, length
        cdef const void* data
        cdef int failed
        self.found_count = self.new_count = 0
        start[0] = 0
        for number in range(count):
            data, length = each[number].data, each[number].length
            if each[number].kind == PyUnicode_1BYTE_KIND:
                failed = self.cut_text(<const uint8_t*>data, length, number)
            elif each[number].kind == PyUnicode_2BYTE_KIND:
                failed = self.cut_text(<const uint16_t*>data, length, number)
            else:
                failed = self.cut_text(<const uint32_t*>data, length, number)
            if failed:
                return -1
            start[number + 1] = self.found_count
        return 0

    cdef int cut_text(
        self, const Character* s, Py_ssize_t length, Py_ssize_t text
    ) noexcept nogil:
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
            if self.note(s + start, end - start, hashed, text, start):
                return -1

    cdef inline Kind kind_of(self, Character character) noexcept nogil:
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
        Py_ssize_t text,
        Py_ssize_t start,
    ) noexcept nogil:
        """Write down the number of a piece, a new one for one that is new."""
        cdef Slot* slot = self.slot_of(s, length, hashed)
        cdef Py_ssize_t number = <Py_ssize_t>slot.next - 1
        if number < 0:
            number = self.count
            if self.add(s, length, hashed, slot):
                return -1
            if not _roomy(<void**>&self.new, &self.new_room, self.new_count, sizeof(Place)):
                return -1
            self.new[self.new_count] = Place(text, start, start + length)
            self.new_count += 1
        if not _roomy(<void**>&self.found, &self.found_room, self.found_count, sizeof(int32_t)):
            return -1
        self.found[self.found_count] = <int32_t>number
        self.found_count += 1
        return 0

    cdef inline Slot* slot_of(
        self, const Character* s, Py_ssize_t length, uint64_t hashed
    ) noexcept nogil:
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
    ) noexcept nogil:
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
    ) noexcept nogil:
        """Give a piece the next number; `slot` is the place for it, and no longer one after this."""
        cdef Py_ssize_t start = self.ends[self.count]
        cdef Py_ssize_t place
        if self.count == 0x7FFFFFFE:
            return -1  # more pieces than there are numbers
        if not _roomy(<void**>&self.points, &self.points_room, start + length, sizeof(uint32_t)):
            return -1
        if not _roomy(<void**>&self.ends, &self.ends_room, self.count + 1, sizeof(int64_t)):
            return -1
        if 2 * (self.count + 1) > self.slots_less_one:
            if self.grow():
                return -1
            slot = self.slot_of(s, length, hashed)
        for place in range(length):
            self.points[start + place] = s[place]
        self.ends[self.count + 1] = start + length
        self.count += 1
        slot.tag = <uint32_t>(_mixed(hashed) >> 32)
        slot.next = <uint32_t>self.count
        return 0

    cdef int grow(self) noexcept nogil:
        """Twice as many places in the hash table."""
        cdef Py_ssize_t more = 2 * (self.slots_less_one + 1)
        cdef Slot* slots = <Slot*>calloc(more, sizeof(Slot))
        cdef Py_ssize_t number, place
        cdef uint64_t hashed
        if slots == NULL:
            return -1
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
        free(self.slots)
        self.slots = slots
        self.slots_less_one = more - 1
        return 0


cdef inline uint64_t _mixed(uint64_t hashed) noexcept nogil:
    """A hash all of whose bits tell of the last characters, too."""
    return hashed ^ (hashed >> 29) ^ (hashed >> 47)


cdef inline bint _roomy(
    void** memory, Py_ssize_t* room, Py_ssize_t last, size_t size
) noexcept nogil:
    """Whether there is room for a place of that number, made if need be."""
    cdef void* larger
    if last < room[0]:
        return True
    larger = realloc(memory[0], (2 * last + 1024) * size)
    if larger == NULL:
        return False
    memory[0], room[0] = larger, 2 * last + 1024
    return True
