# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The parser's target, compiled: what `boilersweep.pages.segmenter` says, one pass over the text.

The parser calls it with the same tags and texts as the pure one. A text is folded, cut into
tokens, counted and wrapped as it comes in; no token becomes a Python object.
With `structure` it tells a record of every tag, too; `strip` must then keep the marks. A page of
more than `most` blocks or elements makes what is called raise TooManyBlocksError.
"""

from functools import lru_cache

from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.unicode cimport (
    PyUnicode_4BYTE_KIND,
    PyUnicode_DATA,
    PyUnicode_FromKindAndData,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
)

from boilersweep.pages.compiled.record cimport Record

from boilersweep.pages.page import Page
from boilersweep.pages.elements import CONTAINERS, PARAGRAPH, SKIPPED
from boilersweep.pages.structure import VOID, TooManyBlocksError, doctype_of
from boilersweep.pages.words import LINE_WIDTH, UNSPACED as RANGES

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4)
    bint Py_UNICODE_ISALNUM(Py_UCS4)


cdef enum Role:
    """What an element does; from CONTAINER on it is the number of its name in NAMES."""
    BORDER
    LINK
    TRANSPARENT
    SKIPS
    TITLE
    CONTAINER


cdef enum:
    """Bits of what is known of a name beside its role."""
    ROLE_BITS = 63
    IS_INLINE = 64  # does not end a paragraph
    IS_VOID = 128


cdef enum Kind:
    """Bits of what a character is, as str.isspace, str.isalnum and `words.UNSPACED` have it."""
    OTHER = 0
    SPACE = 1
    ALNUM = 2
    UNSPACED = 4


cdef Py_ssize_t line_width = LINE_WIDTH
cdef list NAMES = ["body", *sorted(CONTAINERS)]
cdef dict ROLES = {name: CONTAINER + number for number, name in enumerate(NAMES) if number}
ROLES.update(dict.fromkeys(SKIPPED, SKIPS), a=LINK, title=TITLE)


@lru_cache(maxsize=4)
def known_names(transparent):
    """The role of every name that has one beside a border's, with its bits."""
    roles = ROLES | dict.fromkeys(transparent, TRANSPARENT)
    return {
        name: roles.get(name, BORDER)
        | (IS_INLINE if name in PARAGRAPH else 0)
        | (IS_VOID if name in VOID else 0)
        for name in {*roles, *PARAGRAPH, *VOID}
    }

cdef enum:
    BMP = 0x10000

cdef unsigned char bmp_kinds[BMP]
cdef unsigned int beyond_bmp[64][2]  # the ranges of scripts without spaces there
cdef int beyond_count = 0


cdef int _kind(Py_UCS4 character) noexcept:
    cdef int kind = ALNUM if Py_UNICODE_ISALNUM(character) else OTHER
    cdef int i
    if Py_UNICODE_ISSPACE(character):
        return SPACE
    for i in range(beyond_count):
        if beyond_bmp[i][0] <= character <= beyond_bmp[i][1]:
            return kind | UNSPACED
    return kind


for _code in range(BMP):
    bmp_kinds[_code] = _kind(_code)
for _first, _last in RANGES:
    if _first < BMP:
        for _code in range(_first, _last + 1):
            bmp_kinds[_code] |= UNSPACED
    else:
        beyond_bmp[beyond_count][0], beyond_bmp[beyond_count][1] = _first, _last
        beyond_count += 1


cdef class Target:
    """`page` is the page parsed last."""

    cdef readonly object page
    cdef object title
    cdef list texts
    cdef list words
    cdef list density
    cdef list link_words
    cdef list tags
    cdef dict unspaced  # number of the block -> borders, as `Page.count_unspaced` takes them
    cdef Record record  # None where no structure is wanted
    cdef Py_ssize_t most

    cdef dict known
    cdef list enclosing  # the name to return to, or the negative role of a LINK or TRANSPARENT
    cdef int name
    cdef Py_ssize_t link_depth
    cdef Py_ssize_t skipping  # elements open within the outermost skipped one, itself included
    cdef bint in_title

    # The block: its text, its words, those of them in links, and those on lines that are full.
    cdef Py_UCS4* text
    cdef Py_ssize_t capacity
    cdef Py_ssize_t size
    cdef Py_ssize_t words_here
    cdef Py_ssize_t link_words_here
    cdef Py_ssize_t lines
    cdef Py_ssize_t words_on_lines
    cdef Py_ssize_t column
    cdef int kinds_here
    cdef list borders  # of its linked text behind the first character, as `measured` takes them
    cdef bint begins_linked

    # The token that the text ends with, if there is no white space behind it yet.
    cdef Py_ssize_t token_length
    cdef bint token_is_word
    cdef bint token_is_linked

    def __cinit__(self, transparent, bint structure, Py_ssize_t most):
        self.record = Record(most) if structure else None
        self.most = most
        self.known = known_names(transparent)
        self.borders = []
        self.begin_page()

    def __dealloc__(self):
        PyMem_Free(self.text)

    def expect(self, list marks not None):
        """The marks of the next page's elements, by the numbers that `strip` gives them."""
        if self.record is not None:
            self.record.numbered = marks

    def start(self, str name not None, attributes):
        cdef int known = BORDER
        cdef int role
        if self.skipping:
            self.skipping += 1
            if self.record is not None:
                self.record.tag(False, PyUnicode_GET_LENGTH(name) + 2)
            return
        found = self.known.get(name)
        if found is not None:
            known = found
        role = known & ROLE_BITS
        if role == LINK or role == TRANSPARENT:
            self.enclosing.append(-role)
            if role == LINK:
                self.link_depth += 1
                if self.link_depth == 1 and self.size:
                    self.borders.append(self.size)
            if self.record is not None:
                self.record.tag(self.size > 0, PyUnicode_GET_LENGTH(name) + 2)
                self.record.link_count += role == LINK
            return
        self.end_block()
        if self.record is not None:
            self.record.tag(False, PyUnicode_GET_LENGTH(name) + 2)
        if role == SKIPS or role == TITLE:
            self.skipping = 1
            if role == TITLE:
                self.in_title = True
                self.title.append(" ")  # after another title
            return
        self.enclosing.append(self.name)
        if role >= CONTAINER:
            self.name = role - CONTAINER
        if self.record is not None:
            self.record.start(name, attributes, known & IS_INLINE)

    def end(self, str name not None):
        cdef int outer = 0
        cdef int known = BORDER
        cdef bint skipped = self.skipping > 0
        if self.record is not None:
            found = self.known.get(name)
            if found is not None:
                known = found
        if skipped:
            self.skipping -= 1
            if not self.skipping:
                self.in_title = False
        else:
            outer = self.enclosing.pop()
            if outer >= 0:
                self.end_block()
                self.name = outer
                if self.record is not None:
                    self.record.end(known & IS_INLINE)
            elif outer == -LINK:
                self.link_depth -= 1
                if self.link_depth == 0 and self.size:
                    self.borders.append(self.size)
        if self.record is not None and not known & IS_VOID:
            self.record.tag(
                not skipped and outer < 0 and self.size > 0, PyUnicode_GET_LENGTH(name) + 3
            )

    def doctype(self, name, public_id, system):
        if self.record is not None:
            self.record.doctype = doctype_of(name, public_id, system)

    def data(self, str text not None):
        cdef Py_ssize_t length = PyUnicode_GET_LENGTH(text)
        cdef void* characters = PyUnicode_DATA(text)
        cdef int width = PyUnicode_KIND(text)
        if self.skipping:
            if self.in_title:
                self.title.append(text)
            return
        self.reserve(length + 1)  # the space before its first token
        if width == 1:
            _add(self, <unsigned char*>characters, length)
        elif width == 2:
            _add(self, <unsigned short*>characters, length)
        else:
            _add(self, <unsigned int*>characters, length)

    def close(self):
        try:
            self.end_block()
        finally:
            title = " ".join("".join(self.title).split())
            self.page = Page(
                title, self.texts, self.words, self.density, self.link_words, self.tags
            )
            self.page.count_unspaced(self.unspaced)
            if self.record is not None:
                self.page.structure = self.record.close()
            self.begin_page()

    cdef int begin_page(self) except -1:
        self.title = []
        self.texts, self.words, self.density, self.link_words, self.tags = [], [], [], [], []
        self.unspaced = {}
        self.enclosing = []
        self.name = 0
        self.link_depth = self.skipping = 0
        self.in_title = False
        self.begin_block()
        return 0

    cdef void begin_block(self) noexcept:
        self.size = self.words_here = self.link_words_here = 0
        self.lines = self.words_on_lines = self.kinds_here = 0
        if self.borders:
            self.borders.clear()

    cdef int reserve(self, Py_ssize_t length) except -1:
        cdef void* text
        cdef Py_ssize_t capacity = 2 * (self.size + length)
        if self.size + length > self.capacity:
            text = PyMem_Realloc(self.text, capacity * sizeof(Py_UCS4))
            if text == NULL:
                raise MemoryError
            self.text = <Py_UCS4*>text
            self.capacity = capacity
        return 0

    cdef inline void end_token(self) noexcept:
        if self.token_is_word:
            self.wrap_word()
        self.token_length = 0
        self.token_is_word = self.token_is_linked = False

    cdef inline void wrap_word(self) noexcept:
        """Equation 1: on the line if it fits, else on the next; alone on a line if it fits none."""
        if self.words_here == 0:
            self.column = self.token_length
        elif self.column + 1 + self.token_length <= line_width:
            self.column += 1 + self.token_length
        else:
            self.lines += 1
            self.words_on_lines = self.words_here
            self.column = self.token_length
        self.words_here += 1
        self.link_words_here += self.token_is_linked

    cdef int end_block(self) except -1:
        if self.size == 0:
            return 0
        self.end_token()
        if self.words_here:
            self.append_block()
        if self.record is not None:
            self.record.block(self.words_here > 0)
        self.begin_block()
        return 0

    cdef int append_block(self) except -1:
        cdef double density = self.words_here
        if self.lines:
            density = <double>self.words_on_lines / self.lines
        if self.kinds_here & UNSPACED:
            self.unspaced[len(self.texts)] = [0, *self.borders] if self.begins_linked else self.borders[:]
        self.texts.append(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, self.text, self.size))
        self.words.append(self.words_here)
        self.density.append(density)
        self.link_words.append(self.link_words_here)
        self.tags.append(NAMES[self.name])
        if len(self.texts) > self.most:
            raise TooManyBlocksError(self.most)
        return 0


ctypedef fused Character:
    unsigned char
    unsigned short
    unsigned int


cdef void _add(Target self, const Character* s, Py_ssize_t length) noexcept:
    """Add a text to the block, its tokens with single spaces between them."""
    cdef const Character* end = s + length
    cdef Py_UCS4* token
    cdef Py_UCS4* o
    cdef int kind
    cdef int kinds
    while s < end:
        o = self.text + self.size
        if self.size and not self.token_length:
            o[0] = c" "
            o += 1
        token = o
        kinds = 0
        while s < end:
            kind = bmp_kinds[s[0]] if s[0] < BMP else _kind(s[0])
            if kind == SPACE:
                break
            kinds |= kind
            o[0] = s[0]
            o += 1
            s += 1
        if o > token:
            if self.size == 0:
                self.begins_linked = self.link_depth > 0
            self.size = o - self.text
            self.kinds_here |= kinds
            self.token_length += o - token
            self.token_is_word |= (kinds & ALNUM) != 0
            self.token_is_linked |= self.link_depth > 0
        if s < end:
            self.end_token()
            s += 1
