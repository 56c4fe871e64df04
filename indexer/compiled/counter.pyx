# cython: language_level=3, boundscheck=False, wraparound=False
"""The terms of contents counted, compiled: `boilersweep.indexer.contents` says what they are."""

import numpy as np

from boilersweep.indexer.contents import PageContents, distinct_weights

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Realloc
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy


cdef class CompiledCounter:
    """Counts the terms of pages, each from the content before it: what blocks come and go.

    A term has a number for as long as the table of pieces lives, and a slot on a page.
    """

    cdef list terms
    cdef readonly list names
    cdef dict numbers
    cdef int32_t* ends  # the terms of piece i end before of_pieces[ends[i]]
    cdef Py_ssize_t pieces, ends_room
    cdef int32_t* of_pieces
    cdef Py_ssize_t of_pieces_count, of_pieces_room
    cdef int32_t* slots  # by term: its slot and one, 0 for none
    cdef Py_ssize_t slots_room
    cdef int32_t* found  # by slot: its term
    cdef int64_t* counts  # by slot
    cdef Py_ssize_t page_room, slots_count
    cdef int32_t* written  # of each content of a page, its terms; and below how often each occurs
    cdef int32_t* frequencies
    cdef Py_ssize_t written_count, written_room
    cdef const int32_t[::1] batch_pieces
    cdef const int64_t[::1] batch_starts

    def __init__(self):
        self.begin_table([])

    def __dealloc__(self):
        PyMem_Free(self.ends)
        PyMem_Free(self.of_pieces)
        PyMem_Free(self.slots)
        PyMem_Free(self.found)
        PyMem_Free(self.counts)
        PyMem_Free(self.written)
        PyMem_Free(self.frequencies)

    cdef int begin_table(self, list terms) except -1:
        self.terms = terms
        self.names = []
        self.numbers = {}
        self.pieces = 0
        self.of_pieces_count = 0
        return 0

    def begin(self, analysed):
        """Take the blocks of some pages."""
        if analysed.terms is not self.terms:
            self.begin_table(analysed.terms)
        self.look_at_new()
        self.batch_pieces = np.ascontiguousarray(analysed.pieces, dtype=np.int32)
        self.batch_starts = np.ascontiguousarray(analysed.starts, dtype=np.int64)

    cdef int look_at_new(self) except -1:
        cdef str tokens, term
        cdef list parts
        cdef Py_ssize_t piece, count = len(self.terms)
        if self.ends_room < count:
            self.ends_room = 2 * count
            self.ends = <int32_t*>_resized(self.ends, self.ends_room * sizeof(int32_t))
        for piece in range(self.pieces, count):
            tokens = self.terms[piece]
            if tokens:
                parts = tokens.split(" ")
                if self.of_pieces_room < self.of_pieces_count + len(parts):
                    self.of_pieces_room = 2 * (self.of_pieces_count + len(parts))
                    self.of_pieces = <int32_t*>_resized(
                        self.of_pieces, self.of_pieces_room * sizeof(int32_t)
                    )
                for term in parts:
                    number = self.numbers.setdefault(term, len(self.names))
                    if number == len(self.names):
                        self.names.append(term)
                    self.of_pieces[self.of_pieces_count] = number
                    self.of_pieces_count += 1
            self.ends[piece] = <int32_t>self.of_pieces_count
        self.pieces = count
        return 0

    def contents(self, bits, Py_ssize_t first, Py_ssize_t rules, repeats, int64_t alone):
        """Of a page whose blocks are those of `bits`, in the batch from `first` on.

        A content with no more tokens than `alone`, those of the title, is left out.
        """
        cdef list of_rules = [], lengths = [], ends = []
        cdef Py_ssize_t blocks = bits.shape[1]
        cdef Py_ssize_t slot
        cdef int64_t length = 0
        cdef const uint8_t[::1] mask, again
        cdef int64_t[::1] before = np.zeros(blocks, dtype=np.int64)
        self.make_room(first, blocks)
        self.slots_count = 0
        self.written_count = 0
        try:
            for same, row, repeated, times in distinct_weights(bits, rules, repeats):
                mask = row
                again = row if repeated is None else repeated
                length += self.change(
                    first, before, mask, again, 0 if repeated is None else times - 1
                )
                if length > alone:
                    self.write()
                    of_rules.append(same)
                    lengths.append(length)
                    ends.append(self.written_count)
        finally:
            for slot in range(self.slots_count):
                self.slots[self.found[slot]] = 0
        return PageContents(
            of_rules,
            lengths,
            ends,
            _copied(self.written, self.written_count),
            _copied(self.frequencies, self.written_count),
        )

    cdef int make_room(self, Py_ssize_t first, Py_ssize_t blocks) except -1:
        """For all terms there are, and for those that a page may have."""
        cdef Py_ssize_t place, terms = len(self.names), most = 0
        cdef int32_t piece
        if self.slots_room < terms:
            PyMem_Free(self.slots)
            self.slots_room = 2 * terms
            self.slots = <int32_t*>PyMem_Calloc(self.slots_room, sizeof(int32_t))
            if self.slots == NULL:
                self.slots_room = 0
                raise MemoryError
        for place in range(self.batch_starts[first], self.batch_starts[first + blocks]):
            piece = self.batch_pieces[place]
            most += self.ends[piece] - self.start_of(piece)
        if self.page_room < most:
            self.page_room = 0
            self.found = <int32_t*>_resized(self.found, 2 * most * sizeof(int32_t))
            self.counts = <int64_t*>_resized(self.counts, 2 * most * sizeof(int64_t))
            self.page_room = 2 * most
        return 0

    cdef inline int32_t start_of(self, int32_t piece) noexcept:
        return self.ends[piece - 1] if piece else 0

    cdef int64_t change(
        self,
        Py_ssize_t first,
        int64_t[::1] before,
        const uint8_t[::1] mask,
        const uint8_t[::1] again,
        int64_t more,
    ) noexcept:
        """Count every block as often as it counts now; how many tokens more these are."""
        cdef Py_ssize_t block, place, term
        cdef int64_t weight, difference, length = 0
        cdef int32_t piece, slot, number
        for block in range(before.shape[0]):
            weight = mask[block >> 3] >> (7 - (block & 7)) & 1
            if more:
                weight += more * (again[block >> 3] >> (7 - (block & 7)) & 1)
            difference = weight - before[block]
            if not difference:
                continue
            before[block] = weight
            for place in range(
                self.batch_starts[first + block], self.batch_starts[first + block + 1]
            ):
                piece = self.batch_pieces[place]
                for term in range(self.start_of(piece), self.ends[piece]):
                    number = self.of_pieces[term]
                    slot = self.slots[number] - 1
                    if slot < 0:
                        slot = <int32_t>self.slots_count
                        self.slots_count += 1
                        self.slots[number] = slot + 1
                        self.found[slot] = number
                        self.counts[slot] = 0
                    self.counts[slot] += difference
                    length += difference
        return length

    cdef int write(self) except -1:
        """Write the terms that occur now, and how often."""
        cdef Py_ssize_t slot, most = self.written_count + self.slots_count
        if self.written_room < most:
            self.written_room = 0
            self.written = <int32_t*>_resized(self.written, 2 * most * sizeof(int32_t))
            self.frequencies = <int32_t*>_resized(self.frequencies, 2 * most * sizeof(int32_t))
            self.written_room = 2 * most
        for slot in range(self.slots_count):
            if self.counts[slot]:
                self.written[self.written_count] = self.found[slot]
                self.frequencies[self.written_count] = <int32_t>self.counts[slot]
                self.written_count += 1
        return 0


cdef object _copied(const int32_t* numbers, Py_ssize_t count):
    cdef int32_t[::1] copy = np.empty(count, dtype=np.int32)
    if count:
        memcpy(&copy[0], numbers, count * sizeof(int32_t))
    return copy.base


cdef void* _resized(void* memory, size_t size) except NULL:
    cdef void* resized = PyMem_Realloc(memory, size)
    if resized == NULL:
        raise MemoryError
    return resized
