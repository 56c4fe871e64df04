# cython: language_level=3, boundscheck=False, wraparound=False
"""Strings that lie in one piece of UTF-8, each with its end, as Python's own; words within strings."""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp

from boilersweep.pages.compiled.buffer cimport Bytes

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)

ctypedef fused Character:
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    SLOTS = 1 << 16  # of the hashes of what words begin with
    KELVIN = 0x212A  # its lower case is k

cdef struct Distinct:
    const char* start  # NULL for an empty place
    Py_ssize_t size
    int64_t code


def decoded(bytes strings not None, bytes ends not None) -> list[str]:
    """The strings of a page. ends: as 32-bit integers."""
    cdef const char* s = PyBytes_AS_STRING(strings)
    cdef const int32_t* end = <const int32_t*>PyBytes_AS_STRING(ends)
    cdef Py_ssize_t i, start = 0
    cdef list found = []
    for i in range(PyBytes_GET_SIZE(ends) // 4):
        found.append(PyUnicode_DecodeUTF8(s + start, end[i] - start, NULL))
        start = end[i]
    return found


def encoded(list pages not None):
    """All strings of some pages, each a pair as `decoded` takes it: codes and distinct strings."""
    cdef Py_ssize_t count = 0, number = 0, i, start, size, places = 64
    cdef const char* s
    cdef const int32_t* end
    cdef bytes strings, ends
    cdef uint64_t hash
    cdef Distinct* table
    cdef Distinct* place
    cdef list found = []
    for strings, ends in pages:
        count += PyBytes_GET_SIZE(ends) // 4
    while places < 2 * count:
        places *= 2
    codes = np.empty(count, dtype=np.int64)
    cdef int64_t[::1] code = codes
    table = <Distinct*>PyMem_Calloc(places, sizeof(Distinct))
    if table == NULL:
        raise MemoryError
    try:
        for strings, ends in pages:
            s = PyBytes_AS_STRING(strings)
            end = <const int32_t*>PyBytes_AS_STRING(ends)
            start = 0
            for i in range(PyBytes_GET_SIZE(ends) // 4):
                size = end[i] - start
                hash = _hash(s + start, size)
                while True:
                    place = &table[hash & (places - 1)]
                    if place.start == NULL:
                        place.start, place.size, place.code = s + start, size, len(found)
                        found.append(PyUnicode_DecodeUTF8(s + start, size, NULL))
                        break
                    if place.size == size and memcmp(place.start, s + start, size) == 0:
                        break
                    hash += 1
                code[number] = place.code
                number += 1
                start = end[i]
    finally:
        PyMem_Free(table)
    return codes, found


cdef inline uint64_t _hash(const char* s, Py_ssize_t size) noexcept nogil:
    cdef uint64_t hash = <uint64_t>0xCBF29CE484222325
    cdef Py_ssize_t i
    for i in range(size):
        hash = (hash ^ <unsigned char>s[i]) * <uint64_t>0x100000001B3
    return hash ^ hash >> 32


cdef class Finder:
    """Finds the strings that may contain one of some words, in any case.

    words: of three characters at least. Of each character the last eight bits are compared, so that
    a string may be found that has no word.
    """

    cdef uint8_t begins[SLOTS]  # whether a word begins with characters of this hash
    cdef dict words  # hash -> the bytes of these words that are compared

    def __cinit__(self, words):
        self.words = {}
        for word in words:
            folded = bytes([_folded(<Py_UCS4>character) for character in word])
            slot = _slot(folded[0] | folded[1] << 8 | folded[2] << 16)
            self.begins[slot] = True
            self.words.setdefault(slot, []).append(folded)

    def places(self, list strings not None):
        """The places of such strings, in their order."""
        cdef list found = []
        cdef Py_ssize_t i, length
        cdef void* data
        cdef int width
        for i in range(len(strings)):
            text = strings[i]
            data, length, width = PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text), PyUnicode_KIND(text)
            if width == 1:
                is_found = self.is_in(<const uint8_t*>data, length)
            elif width == 2:
                is_found = self.is_in(<const uint16_t*>data, length)
            else:
                is_found = self.is_in(<const uint32_t*>data, length)
            if is_found:
                found.append(i)
        return found

    cdef bint is_in(self, const Character* s, Py_ssize_t length) except -1:
        cdef uint32_t three = 0, slot
        cdef Py_ssize_t i
        for i in range(length):
            three = three >> 8 | <uint32_t>_folded(s[i]) << 16
            slot = _slot(three)
            if self.begins[slot] and i > 1:
                for word in <list>self.words[slot]:
                    if _begins_with(s + i - 2, length + 2 - i, word):
                        return True
        return False


cdef bint _begins_with(const Character* s, Py_ssize_t length, bytes word) noexcept:
    cdef Bytes wanted = <Bytes>PyBytes_AS_STRING(word)
    cdef Py_ssize_t i, size = PyBytes_GET_SIZE(word)
    if length < size:
        return False
    for i in range(size):
        if _folded(s[i]) != wanted[i]:
            return False
    return True


cdef inline uint8_t _folded(uint32_t character) noexcept nogil:
    return c"k" if character == KELVIN else (character | 0x20) & 0xFF


cdef inline uint32_t _slot(uint32_t three) noexcept nogil:
    return three * <uint32_t>0x9E3779B1 >> 16
