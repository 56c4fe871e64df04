from boilersweep.pages.compiled.buffer cimport Buffer, Bytes
from boilersweep.pages.compiled.names cimport Name, Names

cdef struct BlockPlace:
    Py_ssize_t end  # of its text in the text of all
    int characters
    int words
    int link_words
    int tag
    double density
    int element
    int before
    int within
    int links
    int markup
    bint joined
    bint unindexed

cdef struct ElementPlace:
    int name
    Py_ssize_t marks_end  # in the marks of all
    Py_ssize_t attributes_end  # in the attributes of all
    int classes
    int ids
    int parent
    int first
    int end

# An element that is a border. attributes: of its start tag, NULL for none.
cdef struct OpenElement:
    int name
    int place  # in the table, -1 before its first block
    Bytes attributes
    Bytes attributes_end

cdef class Blocks:
    cdef Names names
    cdef bint has_structure
    cdef Py_ssize_t most
    cdef bint as_shown  # items are parted, and invisible characters left out
    cdef bint is_invalid  # some text is no UTF-8, or has accents to compose
    cdef bint composes  # it has accents that may have to be

    cdef Buffer text  # of all blocks
    cdef Buffer title
    cdef Buffer marks
    cdef Buffer attributes
    cdef BlockPlace* blocks
    cdef int block_count
    cdef int block_capacity
    cdef Py_ssize_t characters_of_all
    cdef Py_ssize_t words_of_all
    cdef dict unspaced  # number of the block -> borders, as `Page.count_unspaced` takes them
    cdef str doctype

    # The tag to return to, or a negative number: ENDED, or WITHIN and the role.
    cdef int* enclosing
    cdef Py_ssize_t enclosing_count
    cdef Py_ssize_t ended  # open elements that have ended already
    cdef Py_ssize_t enclosing_capacity
    cdef int tag
    cdef Py_ssize_t link_depth
    cdef Py_ssize_t skipping  # elements open within the outermost skipped one, itself included
    # For each FOREIGN that is open, how many elements are around it, and `skipping` there
    cdef list skips
    cdef bint in_title

    # The block: its words, those of them in links, and those on lines that are full.
    cdef Py_ssize_t text_start
    cdef Py_ssize_t characters
    cdef Py_ssize_t words
    cdef Py_ssize_t link_words
    cdef Py_ssize_t lines
    cdef Py_ssize_t words_on_lines
    cdef Py_ssize_t column
    cdef int kinds
    cdef list borders  # of its linked text behind the first character, as `measured` takes them
    cdef bint begins_linked

    # The token that the text ends with, if there is no white space behind it yet.
    cdef Py_ssize_t token_length
    cdef bint token_is_word
    cdef bint token_is_linked
    cdef int behind  # what is REMEMBERED of the last character
    cdef int waiting  # a character that is shown if the next one needs it, 0 for none
    cdef bint item_ended  # since the last text
    cdef bint item_begun  # after that
    cdef bint was_one  # the last text was one character, and no link began or ended since
    cdef bint ends_unbroken  # the last character of the block is UNBROKEN
    cdef bint is_broken  # white space with a line break came after such a character

    # The structure: counts go to the block that comes next, or is open.
    cdef int before
    cdef int within
    cdef int link_count
    cdef int markup
    cdef bint is_joined
    cdef bint is_off  # search engines are switched off
    cdef bint is_unindexed  # so they were where the block begins
    cdef OpenElement* open
    cdef Py_ssize_t depth
    cdef Py_ssize_t open_capacity
    cdef Py_ssize_t entered  # so many of the open elements are in the table: the outer ones
    cdef ElementPlace* elements
    cdef int element_count
    cdef int element_capacity

    cdef int begin_page(self) except -1
    cdef int start(self, int name, Bytes attributes, Bytes attributes_end) except -1
    cdef int end(self, int name) except -1
    cdef int note_ended(self, Py_ssize_t count) except -1
    cdef int data(self, Bytes s, Py_ssize_t length) except -1
    cdef Bytes after_invisible(self, Bytes s, Bytes end) except NULL
    cdef void pass_over(self, Py_UCS4 character, int kind) noexcept
    cdef object close(self)

    cdef void begin_block(self) noexcept
    cdef void end_token(self) noexcept
    cdef bint parts_items(self, Bytes s) noexcept
    cdef bint is_unbroken(self, Bytes s, Bytes end) noexcept
    cdef bint is_heading(self)
    cdef int end_block(self) except -1
    cdef int append_block(self) except -1
    cdef int enter(self, int outer) except -1
    cdef void count_tag(self, int characters) noexcept
    cdef int open_element(self, int name, Bytes attributes, Bytes attributes_end, bint in_paragraph) except -1
    cdef void switch_off(self, bint is_off) noexcept
    cdef int end_element(self, bint in_paragraph) except -1
    cdef int record_block(self) except -1
    cdef int enter_elements(self) except -1
    cdef object strings(self, bint of_tags)
