# cython: language_level=3, boundscheck=False, wraparound=False
"""Strings that lie in one piece of UTF-8, each with its end, as Python's own."""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcmp

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
