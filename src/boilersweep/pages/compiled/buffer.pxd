"""Bytes that grow."""

from cpython.mem cimport PyMem_Realloc
from libc.string cimport memcpy

ctypedef const unsigned char* Bytes

cdef struct Buffer:
    unsigned char* start
    Py_ssize_t size
    Py_ssize_t capacity


cdef inline int append(Buffer* buffer, Bytes s, Py_ssize_t size) except -1:
    reserve(buffer, size)
    memcpy(buffer.start + buffer.size, s, size)
    buffer.size += size
    return 0


cdef inline int reserve(Buffer* buffer, Py_ssize_t more) except -1:
    """Make room for so many bytes more."""
    cdef void* grown
    cdef Py_ssize_t capacity = 2 * (buffer.size + more)
    if buffer.size + more > buffer.capacity:
        grown = PyMem_Realloc(buffer.start, capacity)
        if grown == NULL:
            raise MemoryError
        buffer.start = <unsigned char*>grown
        buffer.capacity = capacity
    return 0
