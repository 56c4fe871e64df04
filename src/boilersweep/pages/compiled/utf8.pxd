from boilersweep.pages.compiled.buffer cimport Bytes


cdef inline int decode(Bytes s, Bytes end, Py_UCS4* character) noexcept nogil:
    """The length of the character beyond ASCII that stands there in UTF-8; 0: there is none."""
    cdef unsigned char c = s[0]
    if c < 0xE0:
        if c < 0xC2 or end - s < 2 or (s[1] & 0xC0) != 0x80:
            return 0
        character[0] = (c & 0x1F) << 6 | s[1] & 0x3F
        return 2
    if end - s < 3 or (s[1] & 0xC0) != 0x80 or (s[2] & 0xC0) != 0x80:
        return 0
    if c < 0xF0:
        character[0] = (c & 0x0F) << 12 | (s[1] & 0x3F) << 6 | s[2] & 0x3F
        if character[0] < 0x800 or 0xD800 <= character[0] < 0xE000:
            return 0
        return 3
    if c > 0xF4 or end - s < 4 or (s[3] & 0xC0) != 0x80:
        return 0
    character[0] = (
        (c & 0x07) << 18 | (s[1] & 0x3F) << 12 | (s[2] & 0x3F) << 6 | s[3] & 0x3F
    )
    return 4 if 0x10000 <= character[0] <= 0x10FFFF else 0
