from libc.stdint cimport uint64_t

from boilersweep.pages.compiled.buffer cimport Bytes

cdef enum Text:
    """What the text of an element is to the tokenizer."""
    DATA
    ESCAPABLE  # with character references
    RAW
    SCRIPT
    PLAIN  # to the end of the page

cdef enum:
    """Numbers of names that the parser treats in ways of their own."""
    HTML
    HEAD
    BODY
    P
    NOFRAMES
    FRAME
    FRAMESET
    ROOT  # the document itself: no page can name it
    TITLE
    OTHER_TITLE  # of this and the next two see `elements`
    SHADOW
    FOREIGN
    SVG
    FOREIGN_OBJECT
    MATH
    BR
    SPAN  # the names from here to I may be told by others
    TEMPLATE
    SCRIPT_NAME
    TD
    TH
    PRE
    BUTTON
    A
    B
    DIV
    I
    CODE
    IMG
    RUBY
    RT
    RTC
    RP
    RB
    NOINDEX
    H1
    H6 = H1 + 5
    CAPTION
    DT
    FIGCAPTION
    RULED = 128  # names below may end others by their start

cdef enum:
    LONGEST_NAME = 100  # in bytes: libxml2 cuts longer ones short

cdef struct Name:
    const unsigned char* text
    int size  # in bytes
    int characters
    int known  # as the blocks' target has it
    bint is_skipped
    int leaves  # bits of the skipped elements that its start ends; see `elements.LEFT_BY`
    int shelters  # bits of the skipped elements in which it prevents that
    int left_bit  # its own bit, 0 for an element that no start ends
    bint is_empty  # ends with its start tag
    bint is_of_head
    Text text_kind
    int priority
    int open_count  # so many elements of that name are open

cdef class Names:
    cdef Name* names
    cdef int count
    cdef int capacity
    cdef int places_taken
    cdef uint64_t* keys
    cdef int* numbers
    cdef unsigned char* ended  # [by the start of the first][the second], RULED of each
    cdef dict others
    cdef list held
    cdef dict known

    cdef int find(self, Bytes s, Py_ssize_t length) except -1
    cdef int add(self, bytes name) except -1
