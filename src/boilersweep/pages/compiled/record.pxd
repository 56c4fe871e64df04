cdef class Record:
    cdef Py_ssize_t before
    cdef Py_ssize_t within
    cdef Py_ssize_t link_count
    cdef Py_ssize_t markup_size
    cdef Py_ssize_t most
    cdef bint is_joined

    cdef list open_names
    cdef list open_attributes
    cdef list open_places

    cdef list elements
    cdef list tags_before
    cdef list tags_within
    cdef list links
    cdef list markup
    cdef list joined
    cdef list names
    cdef list marks
    cdef list parents
    cdef list first
    cdef list ends
    cdef str doctype

    cdef void tag(self, bint is_within, Py_ssize_t characters) noexcept
    cdef int start(self, str name, object attributes) except -1
    cdef int end(self, str name) except -1
    cdef int block(self, bint kept) except -1
    cdef object close(self)
