# cython: language_level=3, boundscheck=False, wraparound=False
"""Character references: `&amp;`, `&#38;`, `&#x26;`, as section 13.2.5.72 ff. of HTML has them."""

from cpython.bytes cimport PyBytes_AS_STRING
from html.entities import html5

from libc.stdint cimport uint32_t
from libc.string cimport memcmp, memcpy

cdef enum:
    PLACES = 8192
    LONGEST_NAME = 32


# A hash table with open addressing of the names without their semicolons.
cdef struct Reference:
    const char* name
    int length
    bint is_legacy  # counts without a semicolon, too
    const char* replacement
    int size

cdef Reference references[PLACES]
cdef list held = []  # the bytes that are pointed at
cdef unsigned int c1_characters[32]


cdef inline uint32_t _next_hash(uint32_t hash_, unsigned char c) noexcept nogil:
    return (hash_ ^ c) * <uint32_t>16777619


cdef inline unsigned int _first_place(uint32_t hash_) noexcept nogil:
    return (hash_ * <uint32_t>2654435769) >> 19


cdef Reference* _found(uint32_t hash_, Bytes name, Py_ssize_t length) noexcept nogil:
    cdef unsigned int place = _first_place(hash_)
    while references[place].name != NULL:
        if references[place].length == length and memcmp(references[place].name, name, length) == 0:
            return &references[place]
        place = (place + 1) % PLACES
    return NULL


cdef int _fill() except -1:
    cdef uint32_t hash_
    cdef unsigned int place
    cdef bytes name, replacement
    cdef int i
    for text in sorted({written.rstrip(";") for written in html5}):
        name, replacement = text.encode(), html5[text + ";"].encode()
        held.append((name, replacement))
        hash_ = 0
        for i in range(len(name)):
            hash_ = _next_hash(hash_, name[i])
        place = _first_place(hash_)
        while references[place].name != NULL:
            place = (place + 1) % PLACES
        references[place].name = PyBytes_AS_STRING(name)
        references[place].length = len(name)
        references[place].is_legacy = text in html5
        references[place].replacement = PyBytes_AS_STRING(replacement)
        references[place].size = len(replacement)
    for i in range(32):
        try:
            c1_characters[i] = ord(bytes([0x80 + i]).decode("cp1252"))
        except UnicodeDecodeError:
            c1_characters[i] = 0x80 + i
    return 0


_fill()


cdef Py_ssize_t decode_reference(
    Bytes s, Bytes end, bint in_attribute, unsigned char* out, Py_ssize_t* size
) noexcept nogil:
    """How many bytes the reference at an `&` has, 0 if it is none; what it stands for in `out`."""
    if end - s >= 3 and s[1] == c"#":
        return _numeric(s, end, out, size)
    return _named(s, end, in_attribute, out, size)


cdef Py_ssize_t _named(
    Bytes s, Bytes end, bint in_attribute, unsigned char* out, Py_ssize_t* size
) noexcept nogil:
    cdef uint32_t hashes[LONGEST_NAME + 1]
    cdef Bytes name = s + 1
    cdef Py_ssize_t length = 0
    cdef Reference* found
    cdef unsigned char following
    hashes[0] = 0
    while length < LONGEST_NAME and name + length < end and _is_alnum(name[length]):
        hashes[length + 1] = _next_hash(hashes[length], name[length])
        length += 1
    while length >= 2:
        found = _found(hashes[length], name, length)
        if found != NULL:
            following = name[length] if name + length < end else 0
            if following == c";" or (
                found.is_legacy
                and not (in_attribute and (following == c"=" or _is_alnum(following)))
            ):
                memcpy(out, found.replacement, found.size)
                size[0] = found.size
                return 1 + length + (following == c";")
        length -= 1
    return 0


cdef Py_ssize_t _numeric(
    Bytes s, Bytes end, unsigned char* out, Py_ssize_t* size
) noexcept nogil:
    cdef bint is_hexadecimal = (s[2] | 0x20) == c"x"
    cdef Bytes first = s + 2 + is_hexadecimal
    cdef Bytes digit = first
    cdef unsigned int character = 0
    cdef int value
    while digit < end:
        value = _value(digit[0], is_hexadecimal)
        if value < 0:
            break
        character = character * (16 if is_hexadecimal else 10) + value
        if character > 0x110000:
            character = 0x110000
        digit += 1
    if digit == first:
        return 0
    if 0x80 <= character < 0xA0:
        character = c1_characters[character - 0x80]
    elif character == 0 or 0xD800 <= character < 0xE000 or character > 0x10FFFF:
        character = 0xFFFD
    size[0] = _encode(character, out)
    return digit - s + (digit < end and digit[0] == c";")


cdef inline int _value(unsigned char c, bint is_hexadecimal) noexcept nogil:
    if c"0" <= c <= c"9":
        return c - c"0"
    if is_hexadecimal and c"a" <= (c | 0x20) <= c"f":
        return (c | 0x20) - c"a" + 10
    return -1


cdef inline bint _is_alnum(unsigned char c) noexcept nogil:
    return c"0" <= c <= c"9" or c"a" <= (c | 0x20) <= c"z"


cdef int _encode(unsigned int character, unsigned char* out) noexcept nogil:
    """A character as UTF-8; its bytes."""
    if character < 0x80:
        out[0] = character
        return 1
    if character < 0x800:
        out[0] = 0xC0 | character >> 6
        out[1] = 0x80 | character & 0x3F
        return 2
    if character < 0x10000:
        out[0] = 0xE0 | character >> 12
        out[1] = 0x80 | character >> 6 & 0x3F
        out[2] = 0x80 | character & 0x3F
        return 3
    out[0] = 0xF0 | character >> 18
    out[1] = 0x80 | character >> 12 & 0x3F
    out[2] = 0x80 | character >> 6 & 0x3F
    out[3] = 0x80 | character & 0x3F
    return 4
