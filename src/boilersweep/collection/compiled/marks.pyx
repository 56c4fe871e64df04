# cython: language_level=3, boundscheck=False, wraparound=False
"""The search over all bytes of a TREC web file, compiled."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.string cimport memchr


def find_mark(bytes data not None, Py_ssize_t start) -> int:
    """Where the next `doc>` stands, in any case, from `start` on; -1 for none."""
    cdef const unsigned char* first = <const unsigned char*>PyBytes_AS_STRING(data)
    cdef const unsigned char* end = first + PyBytes_GET_SIZE(data)
    cdef const unsigned char* s = first + start + 3
    while 0 <= start and s < end:
        s = <const unsigned char*>memchr(s, c">", end - s)
        if s == NULL:
            break
        if (s - 1)[0] | 0x20 == c"c" and (s - 2)[0] | 0x20 == c"o" and (s - 3)[0] | 0x20 == c"d":
            return s - 3 - first
        s += 1
    return -1
