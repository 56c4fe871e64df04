# cython: language_level=3, boundscheck=False, wraparound=False
"""Whether bytes are UTF-8, without decoding them."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from boilersweep.pages.compiled.utf8 cimport decode


def is_utf8(bytes data not None) -> bool:
    """Whether `bytes.decode` takes them."""
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(data)
    cdef Bytes end = s + PyBytes_GET_SIZE(data)
    cdef uint64_t eight
    cdef Py_UCS4 character
    cdef int width
    while s < end:
        if s[0] < 0x80:
            s += 1
            while end - s >= 8:
                memcpy(&eight, s, 8)
                if eight & <uint64_t>0x8080808080808080:
                    break
                s += 8
        else:
            width = decode(s, end, &character)
            if width == 0:
                return False
            s += width
    return True
