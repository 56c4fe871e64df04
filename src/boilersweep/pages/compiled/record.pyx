# cython: language_level=3, boundscheck=False, wraparound=False
"""The structure of a page, compiled: what `boilersweep.pages.structure.Recorder` says, in the same way."""

from boilersweep.pages.elements import PARAGRAPH
from boilersweep.pages.structure import ROOT, PageStructure, TooManyBlocksError, marks_of

cdef frozenset INLINE = PARAGRAPH
cdef object ROOT_NAME = ROOT


cdef class Record:
    """The target tells of every tag; the counts go to the block that comes next, or is open.

    most: elements of a page; with more, `block` raises TooManyBlocksError.
    """

    def __cinit__(self, Py_ssize_t most):
        self.most = most
        self.begin()

    cdef void tag(self, bint is_within, Py_ssize_t characters) noexcept:
        """A tag of so many characters. is_within: in a block that has begun."""
        self.markup_size += characters
        if is_within:
            self.within += 1
        else:
            self.before += 1

    cdef int start(self, str name, object attributes) except -1:
        """The start of an element of the table; `tag` counts it."""
        self.is_joined = self.is_joined and name in INLINE
        self.open_names.append(name)
        self.open_attributes.append(attributes)
        self.open_places.append(-1)
        return 0

    cdef int end(self, str name) except -1:
        """The end of an element of the table; `tag` counts it."""
        cdef Py_ssize_t place
        self.is_joined = self.is_joined and name in INLINE
        self.open_names.pop()
        self.open_attributes.pop()
        place = self.open_places.pop()
        if place >= 0:
            self.ends[place] = len(self.elements)
        return 0

    cdef int block(self, bint kept) except -1:
        """A block has ended; kept: it has a word."""
        if kept:
            self.enter_elements()
            self.elements.append(self.open_places[len(self.open_places) - 1])
            self.tags_before.append(self.before)
            self.tags_within.append(self.within)
            self.links.append(self.link_count)
            self.markup.append(self.markup_size)
            self.joined.append(self.is_joined)
            self.is_joined = True
            self.before = self.within = self.link_count = self.markup_size = 0
        else:
            self.before += self.within
            self.within = 0
        return 0

    cdef object close(self):
        cdef Py_ssize_t place
        for place in self.open_places:
            if place >= 0:
                self.ends[place] = len(self.elements)
        structure = PageStructure(
            self.elements,
            self.tags_before,
            self.tags_within,
            self.links,
            self.markup,
            self.joined,
            self.names,
            self.marks,
            self.parents,
            self.first,
            self.ends,
            self.doctype,
        )
        self.begin()
        return structure

    def begin(self):
        """Turn to a new page."""
        self.before = self.within = self.link_count = self.markup_size = 0
        self.is_joined = False
        self.open_names, self.open_attributes, self.open_places = [ROOT_NAME], [None], [-1]
        self.elements, self.tags_before, self.tags_within = [], [], []
        self.links, self.markup, self.joined = [], [], []
        self.names, self.marks, self.parents = [], [], []
        self.first, self.ends = [], []
        self.doctype = ""

    def enter_elements(self):
        """Put the open elements into the table that are not there yet."""
        cdef Py_ssize_t depth = len(self.open_places)
        while depth and <Py_ssize_t>self.open_places[depth - 1] < 0:
            depth -= 1
        if len(self.names) + len(self.open_places) - depth > self.most:
            raise TooManyBlocksError(self.most, "elements")
        for depth in range(depth, len(self.open_places)):
            attributes = self.open_attributes[depth]
            self.open_places[depth] = len(self.names)
            self.names.append(self.open_names[depth])
            self.marks.append(marks_of(attributes) if attributes else "")
            self.parents.append(self.open_places[depth - 1] if depth else 0)
            self.first.append(len(self.elements))
            self.ends.append(0)
