from boilersweep.pages.compiled.buffer cimport Buffer, Bytes

# value, value_end: NULL where there is none.
cdef struct Attribute:
    Bytes name
    Bytes name_end
    Bytes value
    Bytes value_end

cdef Bytes next_attribute(Bytes s, Bytes end, Attribute* attribute, bint* closed) noexcept nogil
cdef dict read_attributes(Bytes s, Bytes end)
cdef bint mentions(Bytes s, Bytes end, const char* word, Py_ssize_t length) noexcept nogil
cdef bint hints_at_numbers(Bytes s, Bytes end) noexcept nogil
cdef int write_marks(
    Buffer* out, Buffer* others, Bytes s, Bytes end, int* classes, int* ids
) except -1

cdef inline bint is_space(unsigned char c) noexcept nogil:
    """HTML's white space: tab, line feed, form feed, carriage return, space."""
    return c <= c" " and (c == c" " or (c"\t" <= c <= c"\r" and c != c"\v"))
