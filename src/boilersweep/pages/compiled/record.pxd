cdef struct BlockPlace:
    int element
    int before
    int within
    int links
    int markup
    bint joined


cdef struct ElementPlace:
    int parent
    int first
    int end


cdef class Record:
    cdef Py_ssize_t before
    cdef Py_ssize_t within
    cdef Py_ssize_t link_count
    cdef Py_ssize_t markup_size
    cdef Py_ssize_t most
    cdef bint is_joined

    cdef list numbered  # the marks of elements, by the number in their attribute `a`

    cdef list open_names
    cdef list open_attributes
    cdef int* open_places  # in the table, -1 before their first block
    cdef Py_ssize_t depth
    cdef Py_ssize_t depth_capacity
    cdef Py_ssize_t entered  # so many of the open elements are in the table: the outer ones

    cdef BlockPlace* blocks
    cdef Py_ssize_t block_count
    cdef Py_ssize_t block_capacity
    cdef ElementPlace* elements
    cdef Py_ssize_t element_count
    cdef Py_ssize_t element_capacity
    cdef list names
    cdef list marks
    cdef str doctype

    cdef void tag(self, bint is_within, Py_ssize_t characters) noexcept
    cdef int start(self, str name, object attributes, bint is_inline) except -1
    cdef int end(self, bint is_inline) except -1
    cdef int block(self, bint kept) except -1
    cdef object close(self)
    cdef int enter_elements(self) except -1
