from boilersweep.pages.compiled.buffer cimport Bytes

cdef enum:
    LONGEST_REPLACEMENT = 8  # bytes: two characters

cdef Py_ssize_t decode_reference(
    Bytes s, Bytes end, bint in_attribute, unsigned char* out, Py_ssize_t* size
) noexcept nogil
