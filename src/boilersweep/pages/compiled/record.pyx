# cython: language_level=3, boundscheck=False, wraparound=False
"""The structure of a page, compiled: what `boilersweep.pages.structure.Recorder` says, in the same way."""

from cpython.mem cimport PyMem_Free, PyMem_Realloc

from boilersweep.pages.structure import ROOT, PageStructure, TooManyBlocksError, marks_of

cdef object ROOT_NAME = ROOT
cdef str NUMBER = "a"


cdef class Record:
    """The target tells of every tag; the counts go to the block that comes next, or is open.

    most: elements of a page; with more, `block` raises TooManyBlocksError.
    """

    def __cinit__(self, Py_ssize_t most):
        self.most = most
        self.numbered = []
        self.begin()

    def __dealloc__(self):
        PyMem_Free(self.open_places)
        PyMem_Free(self.blocks)
        PyMem_Free(self.elements)

    cdef void tag(self, bint is_within, Py_ssize_t characters) noexcept:
        """A tag of so many characters. is_within: in a block that has begun."""
        self.markup_size += characters
        if is_within:
            self.within += 1
        else:
            self.before += 1

    cdef int start(self, str name, object attributes, bint is_inline) except -1:
        """The start of an element of the table; `tag` counts it."""
        self.is_joined = self.is_joined and is_inline
        self.open_names.append(name)
        self.open_attributes.append(attributes)
        if self.depth == self.depth_capacity:
            self.open_places = <int*>_grown(self.open_places, _more(self.depth) * sizeof(int))
            self.depth_capacity = _more(self.depth)
        self.open_places[self.depth] = -1
        self.depth += 1
        return 0

    cdef int end(self, bint is_inline) except -1:
        """The end of an element of the table; `tag` counts it."""
        cdef int place
        self.is_joined = self.is_joined and is_inline
        self.open_names.pop()
        self.open_attributes.pop()
        self.depth -= 1
        place = self.open_places[self.depth]
        if place >= 0:
            self.elements[place].end = self.block_count
            self.entered = self.depth
        return 0

    cdef int block(self, bint kept) except -1:
        """A block has ended; kept: it has a word."""
        cdef BlockPlace* block
        if kept:
            if self.entered < self.depth:
                self.enter_elements()
            if self.block_count == self.block_capacity:
                self.blocks = <BlockPlace*>_grown(
                    self.blocks, _more(self.block_count) * sizeof(BlockPlace)
                )
                self.block_capacity = _more(self.block_count)
            block = &self.blocks[self.block_count]
            block.element = self.open_places[self.depth - 1]
            block.before = self.before
            block.within = self.within
            block.links = self.link_count
            block.markup = self.markup_size
            block.joined = self.is_joined
            self.block_count += 1
            self.is_joined = True
            self.before = self.within = self.link_count = self.markup_size = 0
        else:
            self.before += self.within
            self.within = 0
        return 0

    cdef int enter_elements(self) except -1:
        """Put the open elements into the table that are not there yet."""
        cdef Py_ssize_t depth
        cdef ElementPlace* element
        if self.element_count + self.depth - self.entered > self.most:
            raise TooManyBlocksError(self.most, "elements")
        for depth in range(self.entered, self.depth):
            if self.element_count == self.element_capacity:
                self.elements = <ElementPlace*>_grown(
                    self.elements, _more(self.element_count) * sizeof(ElementPlace)
                )
                self.element_capacity = _more(self.element_count)
            element = &self.elements[self.element_count]
            element.parent = self.open_places[depth - 1] if depth else 0
            element.first = self.block_count
            element.end = 0
            self.open_places[depth] = self.element_count
            self.element_count += 1
            self.names.append(self.open_names[depth])
            attributes = self.open_attributes[depth]
            if not attributes:
                self.marks.append("")
            elif NUMBER in attributes:
                self.marks.append(self.numbered[int(attributes[NUMBER])])
            else:
                self.marks.append(marks_of(attributes))
        self.entered = self.depth
        return 0

    cdef object close(self):
        cdef Py_ssize_t i
        for i in range(self.entered):
            self.elements[self.open_places[i]].end = self.block_count
        structure = PageStructure(
            [self.blocks[i].element for i in range(self.block_count)],
            [self.blocks[i].before for i in range(self.block_count)],
            [self.blocks[i].within for i in range(self.block_count)],
            [self.blocks[i].links for i in range(self.block_count)],
            [self.blocks[i].markup for i in range(self.block_count)],
            [self.blocks[i].joined for i in range(self.block_count)],
            self.names,
            self.marks,
            [self.elements[i].parent for i in range(self.element_count)],
            [self.elements[i].first for i in range(self.element_count)],
            [self.elements[i].end for i in range(self.element_count)],
            self.doctype,
        )
        self.begin()
        return structure

    def begin(self):
        """Turn to a new page."""
        self.before = self.within = self.link_count = self.markup_size = 0
        self.is_joined = False
        self.open_names, self.open_attributes = [], []
        self.names, self.marks = [], []
        self.depth = self.entered = self.block_count = self.element_count = 0
        self.doctype = ""
        self.start(ROOT_NAME, None, False)


cdef Py_ssize_t _more(Py_ssize_t count) noexcept:
    return 2 * count if count else 64


cdef void* _grown(void* array, size_t size) except NULL:
    """Where it raises, the array is as it was: its capacity may only be raised after this."""
    cdef void* grown = PyMem_Realloc(array, size)
    if grown == NULL:
        raise MemoryError
    return grown
