# cython: language_level=3, boundscheck=False, wraparound=False
"""The searches over all bytes of TREC web files and of those of CLEF eHealth, compiled."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.string cimport memchr


cdef enum:
    STEP = 256


cdef inline bint _may_have_mark(const unsigned char* s) noexcept:
    """Whether one of so many bytes ends what looks like `doc>`: C compilers look at 16 at once."""
    cdef unsigned char found = 0
    cdef int i
    for i in range(STEP):
        found |= (s[i] == c">") & (s[i - 1] | 0x20 == c"c") & (s[i - 2] | 0x20 == c"o")
    return found


def find_mark(bytes data not None, Py_ssize_t start) -> int:
    """Where the next `doc>` stands, in any case, from `start` on; -1 for none."""
    cdef const unsigned char* first = <const unsigned char*>PyBytes_AS_STRING(data)
    cdef const unsigned char* end = first + PyBytes_GET_SIZE(data)
    cdef const unsigned char* s = first + start + 3
    while 0 <= start and s < end:
        if end - s >= STEP and not _may_have_mark(s):
            s += STEP
            continue
        s = <const unsigned char*>memchr(s, c">", end - s)
        if s == NULL:
            break
        if (s - 1)[0] | 0x20 == c"c" and (s - 2)[0] | 0x20 == c"o" and (s - 3)[0] | 0x20 == c"d":
            return s - 3 - first
        s += 1
    return -1


def find_hash_mark(bytes data not None, Py_ssize_t start) -> int:
    """Where the next `#` before `EOR` or `UID`, in any case and after blanks, stands; -1 for none."""
    cdef const unsigned char* first = <const unsigned char*>PyBytes_AS_STRING(data)
    cdef const unsigned char* end = first + PyBytes_GET_SIZE(data)
    cdef const unsigned char* s = first + start
    cdef const unsigned char* word
    while 0 <= start and s < end:
        s = <const unsigned char*>memchr(s, c"#", end - s)
        if s == NULL:
            break
        word = s + 1
        while word < end and (word[0] == c" " or word[0] == c"\t"):
            word += 1
        if end - word >= 3 and (_is(word, b"eor") or _is(word, b"uid")):
            return s - first
        s += 1
    return -1


cdef inline bint _is(const unsigned char* word, const char* lower):
    return word[0] | 0x20 == lower[0] and word[1] | 0x20 == lower[1] and word[2] | 0x20 == lower[2]
