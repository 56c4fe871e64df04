# cython: language_level=3, boundscheck=False, wraparound=False
"""Names of elements as numbers, with what libxml2 2.14 knows of them (HTMLparser.c)."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Realloc

from boilersweep.pages import elements
from boilersweep.pages.elements import LEFT_BY, SHELTERS, SKIPPED
from boilersweep.pages.limits import EMPTY, ENDED, PRIORITIES, PRIORITY
from boilersweep.pages.page import ROOT as ROOT_NAME

cdef enum:
    PLACES = 4096
    LONGEST_KEY = 8

_RULED = (
    *"html head body p noframes frame frameset".split(),
    ROOT_NAME,
    "title",
    elements.OTHER_TITLE,
    elements.SHADOW,
    elements.FOREIGN,
    *"svg foreignobject math br".split(),
    *"span template script td th pre button a b div i".split(),
    *"code img ruby rt rtc rp rb noindex".split(),
    *sorted(elements.HEADINGS),
    *sorted(elements.LINKED_TO - elements.HEADINGS),
)

_OF_HEAD = frozenset("script style meta link title base".split())

_TEXTS = {
    **dict.fromkeys(("textarea", "title"), ESCAPABLE),
    **dict.fromkeys(("iframe", "noembed", "noframes", "style", "xmp"), RAW),
    "script": SCRIPT,
    "plaintext": PLAIN,
}


cdef class Names:
    """known: what the blocks' target knows of names; see `blocks.known_names`."""

    def __cinit__(self, dict known not None):
        self.known = known
        self.held = []
        self.others = {}
        self.keys = <uint64_t*>PyMem_Calloc(PLACES, sizeof(uint64_t))
        self.numbers = <int*>PyMem_Calloc(PLACES, sizeof(int))
        self.ended = <unsigned char*>PyMem_Calloc(RULED * RULED, 1)
        if self.keys == NULL or self.numbers == NULL or self.ended == NULL:
            raise MemoryError
        self.add_ruled()

    def __dealloc__(self):
        PyMem_Free(self.keys)
        PyMem_Free(self.numbers)
        PyMem_Free(self.names)
        PyMem_Free(self.ended)

    cdef int find(self, Bytes s, Py_ssize_t length) except -1:
        """The number of a name, in whatever case it stands there."""
        cdef unsigned int place = 0
        cdef uint64_t key = 0
        cdef Py_ssize_t i
        cdef int number
        cdef bytes name
        if length <= LONGEST_KEY:
            for i in range(length):
                key = key << 8 | (s[i] | 0x20 if c"A" <= s[i] <= c"Z" else s[i])
            place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 52
            while self.keys[place]:
                if self.keys[place] == key:
                    return self.numbers[place]
                place = (place + 1) % PLACES
        name = PyBytes_FromStringAndSize(<const char*>s, length).lower()
        found = self.others.get(name)
        if found is not None:
            return found
        number = self.add(name)
        if length <= LONGEST_KEY and 2 * self.places_taken < PLACES:
            self.keys[place] = key
            self.numbers[place] = number
            self.places_taken += 1
        else:
            self.others[name] = number
        return number

    cdef int add(self, bytes name) except -1:
        """The number of a new name in lower case; raises UnicodeDecodeError."""
        cdef str text = name.decode()
        cdef void* grown
        cdef int capacity
        cdef Name* new
        if self.count == self.capacity:
            capacity = 2 * self.capacity if self.capacity else 256
            grown = PyMem_Realloc(self.names, capacity * sizeof(Name))
            if grown == NULL:
                raise MemoryError
            self.names = <Name*>grown
            self.capacity = capacity
        self.held.append(name)
        new = &self.names[self.count]
        new.text = <const unsigned char*>PyBytes_AS_STRING(name)
        new.size = len(name)
        new.characters = len(text)
        new.known = self.known.get(text, self.known[""])
        new.is_skipped = text in SKIPPED
        new.leaves = new.shelters = new.left_bit = 0
        for number, skipped in enumerate(LEFT_BY):
            new.leaves |= (text in LEFT_BY[skipped]) << number
            new.shelters |= (text in SHELTERS[skipped]) << number
            new.left_bit |= (text == skipped) << number
        new.is_empty = text in EMPTY
        new.is_of_head = text in _OF_HEAD
        new.text_kind = _TEXTS.get(text, DATA)
        new.priority = PRIORITIES.get(text, PRIORITY)
        new.open_count = 0
        self.count += 1
        return self.count - 1

    def add_ruled(self):
        """Number the names that have rules."""
        cdef bytes name
        cdef int start, end
        for text in _RULED:
            name = text.encode()
            self.find(<Bytes>PyBytes_AS_STRING(name), len(name))
        for starts, ends in ENDED:
            for text in starts.split():
                name = text.encode()
                start = self.find(<Bytes>PyBytes_AS_STRING(name), len(name))
                for other in ends.split():
                    name = other.encode()
                    end = self.find(<Bytes>PyBytes_AS_STRING(name), len(name))
                    if start >= RULED or end >= RULED:
                        raise AssertionError
                    self.ended[start * RULED + end] = True
