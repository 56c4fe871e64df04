# cython: language_level=3, boundscheck=False, wraparound=False
"""A long string in a line of JSON, compiled."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcpy, memset

from boilersweep.pages.compiled.buffer cimport Bytes

from boilersweep.pages.compiled.utf8 import is_utf8

cdef enum:
    EIGHT = sizeof(uint64_t)

cdef unsigned char SIMPLE[256]  # letter behind a backslash -> its character, 0 for none
memset(SIMPLE, 0, sizeof(SIMPLE))
for _letter, _character in zip(b'"\\/bfnrt', b'"\\/\b\f\n\r\t'):
    SIMPLE[_letter] = _character


def long_string(bytes line not None, Py_ssize_t least) -> tuple[int, int, bytes] | None:
    """The first string with at least so many bytes between its quotes: where these bytes begin and
    end, and the text as UTF-8. None if there is none, or none that is JSON and UTF-8.
    """
    cdef Bytes first = <Bytes>PyBytes_AS_STRING(line)
    cdef Bytes end = first + PyBytes_GET_SIZE(line)
    cdef Bytes begin
    cdef Bytes quote = first - 1
    cdef unsigned char* out
    cdef unsigned char* text = <unsigned char*>PyMem_Malloc(end - first)
    if text == NULL:
        raise MemoryError
    try:
        while True:
            begin = <Bytes>memchr(quote + 1, c'"', end - quote - 1)
            if begin == NULL:
                return None
            begin += 1
            out = text
            quote = _unescaped(begin, end, &out)
            if quote == NULL:
                return None
            if quote - begin >= least:
                break
        found = PyBytes_FromStringAndSize(<char*>text, out - text)
    finally:
        PyMem_Free(text)
    return (begin - first, quote - first, found) if is_utf8(found) else None


cdef Bytes _unescaped(Bytes s, Bytes end, unsigned char** written):
    """Write the text of a string, a lone surrogate in three bytes; its end, NULL if it is no JSON.
    """
    cdef unsigned char* out = written[0]
    cdef uint64_t eight
    while s < end:
        while end - s >= EIGHT:
            memcpy(&eight, s, EIGHT)
            if _has_below(eight, 0x20) | _has(eight, c'"') | _has(eight, c"\\"):
                break
            memcpy(out, s, EIGHT)
            out += EIGHT
            s += EIGHT
        while s < end and s[0] != c'"' and s[0] != c"\\":
            if s[0] < 0x20:
                return NULL
            out[0] = s[0]
            out += 1
            s += 1
        if s == end:
            break
        if s[0] == c'"':
            written[0] = out
            return s
        s += 1
        if s < end and SIMPLE[s[0]]:
            out[0] = SIMPLE[s[0]]
            out += 1
            s += 1
        else:
            s = _unescaped_code(s, end, &out)
            if s == NULL:
                break
    return NULL


cdef inline uint64_t _has_below(uint64_t eight, unsigned char least):
    """Whether one of eight bytes is below another, of at most 128."""
    return (eight - <uint64_t>0x0101010101010101 * least) & ~eight & <uint64_t>0x8080808080808080


cdef inline uint64_t _has(uint64_t eight, unsigned char byte):
    return _has_below(eight ^ <uint64_t>0x0101010101010101 * byte, 1)


cdef Bytes _unescaped_code(Bytes s, Bytes end, unsigned char** out):
    """Write the character that a `u` behind a backslash gives; its end, NULL if it is no JSON."""
    cdef int low, code
    if s == end or s[0] != c"u":
        return NULL
    code = _hexadecimal(s + 1, end)
    if code < 0:
        return NULL
    s += 5
    if 0xD800 <= code < 0xDC00 and end - s >= 6 and s[0] == c"\\" and s[1] == c"u":
        low = _hexadecimal(s + 2, end)
        if 0xDC00 <= low < 0xE000:
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
            s += 6
    out[0] = _written(code, out[0])
    return s


cdef int _hexadecimal(Bytes s, Bytes end):
    """The number that four digits give, -1 if they are none."""
    cdef int number = 0
    cdef int place, digit
    if end - s < 4:
        return -1
    for place in range(4):
        digit = s[place]
        if c"0" <= digit <= c"9":
            digit -= c"0"
        elif c"a" <= digit | 0x20 <= c"f":
            digit = (digit | 0x20) - c"a" + 10
        else:
            return -1
        number = number << 4 | digit
    return number


cdef unsigned char* _written(int code, unsigned char* out):
    """Write a character as UTF-8; behind it."""
    if code < 0x80:
        out[0] = code
        return out + 1
    if code < 0x800:
        out[0] = 0xC0 | code >> 6
        out[1] = 0x80 | code & 0x3F
        return out + 2
    if code < 0x10000:
        out[0] = 0xE0 | code >> 12
        out[1] = 0x80 | code >> 6 & 0x3F
        out[2] = 0x80 | code & 0x3F
        return out + 3
    out[0] = 0xF0 | code >> 18
    out[1] = 0x80 | code >> 12 & 0x3F
    out[2] = 0x80 | code >> 6 & 0x3F
    out[3] = 0x80 | code & 0x3F
    return out + 4
