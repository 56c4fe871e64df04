# cython: language_level=3, boundscheck=False, wraparound=False
"""The attributes of a tag, and what they say of an element.

Where a tag ends is as in the tokenizer of libxml2 2.14 (HTMLparser.c), which follows the WHATWG
HTML Standard, section 13.2.5, but for this: a slash before the `>` closes every element.
"""

from libc.string cimport memchr, memcmp

from boilersweep.pages.compiled.buffer cimport append, reserve
from boilersweep.pages.compiled.references cimport LONGEST_REPLACEMENT, decode_reference

from boilersweep.pages.page import KEPT, kept_attributes, marks_of

cdef enum:
    """What `marks_of` reads; the place of each in an array."""
    CLASS
    ID
    ROLE
    HIDDEN
    ARIA_HIDDEN
    STYLE
    MARKS
    NO_MARK = MARKS

cdef list NAMES = ["class", "id", "role", "hidden", "aria-hidden", "style"]

cdef list kept_names = [name.encode() for name in KEPT]
cdef enum:
    LONGEST_KEPT = 32
cdef const char* kept[16]
# For each length where the names of KEPT with that length begin in `kept`, in that order.
cdef int kept_starts[LONGEST_KEPT + 1]
kept_names.sort(key=len)
for _place, _name in enumerate(kept_names):
    kept[_place] = _name
for _length in range(LONGEST_KEPT + 1):
    kept_starts[_length] = sum([len(name) < _length for name in kept_names])


cdef Bytes next_attribute(
    Bytes s, Bytes end, Attribute* attribute, bint* closed
) noexcept nogil:
    """After the next attribute of a tag, or after its `>`; NULL where the page ends before.

    Where the tag ends there is no name; closed: whether a slash stands before the `>`.
    """
    attribute.name = NULL
    closed[0] = False
    while s < end:
        if s[0] == c">":
            return s + 1
        if s[0] == c"/":
            s += 1
            closed[0] = True
        elif is_space(s[0]):
            s += 1
            closed[0] = False
        else:
            attribute.name = s
            s += 1  # a name may begin with "="
            while s < end and s[0] != c"=" and s[0] != c">" and s[0] != c"/" and not is_space(s[0]):
                s += 1
            attribute.name_end = s
            attribute.value = attribute.value_end = NULL
            while s < end and is_space(s[0]):
                s += 1
            if s < end and s[0] == c"=":
                s += 1
                while s < end and is_space(s[0]):
                    s += 1
                s = _after_value(s, end, attribute)
            return s
    return NULL


cdef Bytes _after_value(Bytes s, Bytes end, Attribute* attribute) noexcept nogil:
    """After an attribute's value, NULL if it has no end quote."""
    cdef Bytes quote
    attribute.value = s
    if s < end and (s[0] == c'"' or s[0] == c"'"):
        quote = <Bytes>memchr(s + 1, s[0], end - s - 1)
        if quote == NULL:
            return NULL
        attribute.value = s + 1
        attribute.value_end = quote
        return quote + 1
    while s < end and s[0] != c">" and not is_space(s[0]):
        s += 1
    attribute.value_end = s
    return s


cdef dict read_attributes(Bytes s, Bytes end):
    """The values by name in lower case, as lxml has them; raises UnicodeDecodeError."""
    cdef Attribute attribute
    cdef bint closed
    cdef dict found = {}
    while True:
        s = next_attribute(s, end, &attribute, &closed)
        if s == NULL or attribute.name == NULL:
            return found
        name = attribute.name[: attribute.name_end - attribute.name].lower().decode()
        if name not in found:
            found[name] = (
                "" if attribute.value == NULL else _decoded(attribute.value, attribute.value_end)
            )


cdef bint mentions(Bytes s, Bytes end, const char* word, Py_ssize_t length) noexcept nogil:
    """Whether a tag's attributes contain a word, found by its last letter, the rarest."""
    cdef Bytes last = s + length - 1
    while last < end:
        last = <Bytes>memchr(last, word[length - 1], end - last)
        if last == NULL:
            return False
        if memcmp(last - length + 1, word, length) == 0:
            return True
        last += 1
    return False


cdef bint hints_at_numbers(Bytes s, Bytes end) noexcept nogil:
    """Whether a tag's attributes may say that its text is a number of a line."""
    while end - s >= 2:
        if s[0] == c"l":
            if s[1] == c"n" and (end - s == 2 or s[2] in b" \t\n\r\f\"'>-t"):
                return True
            if end - s >= 6 and memcmp(s, b"line", 4) == 0 and (s[4] in b"nN" or s[5] == c"n"):
                return True
        elif s[0] == c"g" and end - s >= 6 and memcmp(s, b"gutter", 6) == 0:
            return True
        s += 1
    return False


cdef int write_marks(
    Buffer* out, Buffer* others, Bytes s, Bytes end, int* classes, int* ids
) except -1:
    """Add what the attributes say of an element, as `marks_of`; raises UnicodeDecodeError.

    others: gets what `kept_attributes` has of them. classes, ids: how many marks are classes and ids.
    """
    cdef Attribute found[MARKS]
    cdef Attribute attribute
    cdef bint closed
    cdef int mark
    cdef int seen = 0  # bits of the attributes among KEPT
    cdef bint is_plain = True
    cdef Py_ssize_t start = out.size
    cdef Py_ssize_t others_start = others.size
    cdef Bytes first = s
    for mark in range(MARKS):
        found[mark].name = NULL
    while True:
        s = next_attribute(s, end, &attribute, &closed)
        if s == NULL or attribute.name == NULL:
            break
        mark = _mark(attribute.name, attribute.name_end - attribute.name)
        # Of two attributes with one name the first counts.
        if mark != NO_MARK and found[mark].name == NULL:
            found[mark] = attribute
        mark = _kept_place(attribute.name, attribute.name_end - attribute.name)
        if mark >= 0 and not seen & 1 << mark:
            is_plain = is_plain and _write_plain(others, others_start, mark, &attribute)
            seen |= 1 << mark
    if not is_plain:
        others.size = others_start
        text = kept_attributes(read_attributes(first, end)).encode()
        append(others, text, len(text))
    if found[STYLE].name != NULL and not _may_hide(found[STYLE].value, found[STYLE].value_end):
        found[STYLE].name = NULL
    if not _is_simple(found):
        attributes = {
            NAMES[mark]: _decoded(found[mark].value, found[mark].value_end)
            for mark in range(MARKS)
            if found[mark].name != NULL
        }
        classes[0] = len(attributes.get("class", "").split())
        ids[0] = len(attributes.get("id", "").split())
        marks = marks_of(attributes).encode()
        return append(out, marks, len(marks))
    if found[CLASS].name != NULL:
        classes[0] = _write_tokens(
            out, start, found[CLASS].value, found[CLASS].value_end, False
        )
    if found[ID].name != NULL:
        ids[0] = _write_tokens(out, start, found[ID].value, found[ID].value_end, False)
    if found[ROLE].name != NULL:
        _write_tokens(out, start, found[ROLE].value, found[ROLE].value_end, True)
    if found[HIDDEN].name != NULL or (
        found[ARIA_HIDDEN].name != NULL
        and _is_true(found[ARIA_HIDDEN].value, found[ARIA_HIDDEN].value_end)
    ):
        if out.size > start:
            append(out, <Bytes>b" ", 1)
        append(out, <Bytes>b"hidden", 6)
    return 0


cdef bint _is_simple(Attribute* found) noexcept nogil:
    """Whether the values are ASCII without character references, and no style may hide."""
    cdef int mark
    cdef Bytes s
    if found[STYLE].name != NULL:
        return False
    for mark in range(STYLE):
        if found[mark].name != NULL:
            s = found[mark].value
            while s < found[mark].value_end:
                if s[0] == c"&" or s[0] >= 0x80:
                    return False
                s += 1
    return True


cdef str _decoded(Bytes s, Bytes end):
    """A value with its character references decoded; raises UnicodeDecodeError."""
    cdef unsigned char replacement[LONGEST_REPLACEMENT]
    cdef Py_ssize_t length, size
    cdef Bytes reference = s
    cdef list parts = []
    while reference < end:
        length = 0
        if reference[0] == c"&":
            length = decode_reference(reference, end, True, replacement, &size)
        if length:
            parts.append(s[: reference - s])
            parts.append(replacement[:size])
            s = reference = reference + length
        else:
            reference += 1
    parts.append(s[: end - s])
    return b"".join(parts).decode()


cdef int _write_tokens(
    Buffer* out, Py_ssize_t start, Bytes s, Bytes end, bint are_roles
) except -1:
    """Add the tokens of a value, with a space before each but the one at `start`; return how many."""
    cdef int count = 0
    reserve(out, 7 * (end - s) + 8)  # `role=` and a space for every second byte
    while s < end:
        if _is_white(s[0]):
            s += 1
            continue
        if out.size > start:
            out.start[out.size] = c" "
            out.size += 1
        if are_roles:
            append(out, <Bytes>b"role=", 5)
        while s < end and not _is_white(s[0]):
            out.start[out.size] = _lower(s[0]) if are_roles else s[0]
            out.size += 1
            s += 1
        count += 1
    return count


cdef inline int _kept_place(Bytes name, Py_ssize_t length) noexcept nogil:
    """The place of an attribute's name in `kept`, -1 if it is not among KEPT."""
    cdef int place
    if length < LONGEST_KEPT:
        for place in range(kept_starts[length], kept_starts[length + 1]):
            if _equals(name, kept[place], length):
                return place
    return -1


cdef bint _write_plain(
    Buffer* out, Py_ssize_t start, int place, Attribute* attribute
) except -1:
    """Add an attribute as `kept_attributes` does, if its value is ASCII and needs no escape."""
    cdef Bytes s = attribute.value
    while s < attribute.value_end:
        if s[0] in b"&<>\"'" or s[0] >= 0x80:
            return False
        s += 1
    if out.size > start:
        append(out, <Bytes>b" ", 1)
    append(out, <Bytes>kept[place], len(kept_names[place]))
    append(out, <Bytes>b'="', 2)
    if attribute.value != NULL:
        append(out, attribute.value, attribute.value_end - attribute.value)
    append(out, <Bytes>b'"', 1)
    return True


cdef bint _is_true(Bytes s, Bytes end) noexcept nogil:
    while s < end and _is_white(s[0]):
        s += 1
    while s < end and _is_white((end - 1)[0]):
        end -= 1
    return end - s == 4 and _equals(s, b"true", 4)


cdef bint _may_hide(Bytes s, Bytes end) noexcept nogil:
    """Whether a style may say `none` or `hidden`, perhaps through character references."""
    while s < end:
        if s[0] == c"&" or s[0] >= 0x80:
            return True
        if _lower(s[0]) == c"n" and end - s >= 4 and _equals(s, b"none", 4):
            return True
        if _lower(s[0]) == c"h" and end - s >= 6 and _equals(s, b"hidden", 6):
            return True
        s += 1
    return False


cdef inline int _mark(Bytes name, Py_ssize_t length) noexcept nogil:
    """The place of an attribute's name."""
    if length == 2:
        return ID if _equals(name, b"id", 2) else NO_MARK
    if length == 4:
        return ROLE if _equals(name, b"role", 4) else NO_MARK
    if length == 5:
        if _equals(name, b"class", 5):
            return CLASS
        return STYLE if _equals(name, b"style", 5) else NO_MARK
    if length == 6:
        return HIDDEN if _equals(name, b"hidden", 6) else NO_MARK
    return ARIA_HIDDEN if length == 11 and _equals(name, b"aria-hidden", 11) else NO_MARK


cdef inline bint _equals(Bytes s, const char* letters, Py_ssize_t length) noexcept nogil:
    """Whether these lower-case letters stand there, in any case."""
    cdef Py_ssize_t i
    for i in range(length):
        if _lower(s[i]) != <unsigned char>letters[i]:
            return False
    return True


cdef inline unsigned char _lower(unsigned char c) noexcept nogil:
    return c | 0x20 if c"A" <= c <= c"Z" else c


cdef inline bint _is_white(unsigned char c) noexcept nogil:
    """ASCII's white space as str.split has it."""
    return c == c" " or c"\t" <= c <= c"\r" or 0x1C <= c <= 0x1F
