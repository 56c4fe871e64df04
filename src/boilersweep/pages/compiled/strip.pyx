# cython: language_level=3
"""Leave out of an HTML page what no block can hold: the parser then has half as much to do.

Out go attributes, comments, white space at borders, and the raw text of elements whose text is
skipped anyway. If the structure is asked for, what its marks are made of stays: the attributes that
`boilersweep.pages.structure.marks_of` reads, or where they are plain ASCII one attribute with the
number of their marks in a list. Everything else is copied in its order, byte for byte: text, character references,
tags with their names and their slash, doctypes, `<!...>`, `<?...>`. A tag or a comment that the
page does not end is copied with all that follows it, and the parser decides.

Where a tag, a comment and a raw text end is as in the tokenizer of libxml2 2.14 (HTMLparser.c),
which follows the WHATWG HTML Standard, section 13.2.5, but for this: a slash before the `>` closes
every element, a script too; `<![CDATA[`, `<!` and `<?` end at the first `>`; and no element is
foreign: `<title>` and `<script>` within svg are what they are elsewhere.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memchr, memcmp, memcpy

from boilersweep.pages.compiled.marks import marks_of_attributes
from boilersweep.pages.elements import CONTAINERS

ctypedef const unsigned char* Bytes


cdef enum:
    MOST_MARKS = 4096  # of a page that are numbered; attributes beyond stay as they are
    MARK_PLACES = 4 * MOST_MARKS
    LONGEST_NUMBER = 7  # ` a=4095`: shorter attributes stay, too


# The different attributes of a page that marks are made of, numbered as they come.
cdef struct Attributes:
    unsigned char* text  # all of them
    Py_ssize_t* ends  # where each ends in it
    unsigned short* places  # a hash table with open addressing: the number of each plus one
    int count


cdef struct Output:
    unsigned char* start
    unsigned char* end
    Attributes* attributes  # NULL where no marks are wanted


cdef enum Kind:
    """What a start tag is; from SCRIPT on a raw text follows it."""
    OTHER
    BORDER
    SCRIPT
    DROPPED
    KEPT
    PLAINTEXT


# A border only counts here if every such start tag is one: not html, head and body, which the
# parser ignores where they are misplaced, and not the elements that an option makes transparent.
cdef dict KINDS = dict.fromkeys(CONTAINERS, BORDER)
KINDS.update(dict.fromkeys("br dl hr img input link meta ol option select".split(), BORDER))
KINDS.update(dict.fromkeys("table tbody tr ul".split(), BORDER))
KINDS.update(dict.fromkeys("iframe noembed noframes style textarea".split(), DROPPED))
KINDS.update(script=SCRIPT, title=KEPT, xmp=KEPT)


def strip(bytes page not None) -> bytes:
    """A page, never longer, that gives the same blocks."""
    return _stripped(page, PyBytes_GET_SIZE(page), NULL)


def strip_with_marks(bytes page not None):
    """A page that gives the same blocks and elements, and the list of their marks.

    An element whose attribute `a` is a number has the marks with that number in the list.
    """
    cdef Py_ssize_t size = PyBytes_GET_SIZE(page)
    cdef Py_ssize_t start = 0
    cdef Attributes attributes
    cdef int number
    attributes.count = 0
    # Each tag may write one byte more than it reads.
    attributes.text = <unsigned char*>malloc(size + size // 4 + 1)
    attributes.ends = <Py_ssize_t*>malloc(MOST_MARKS * sizeof(Py_ssize_t))
    attributes.places = <unsigned short*>calloc(MARK_PLACES, sizeof(unsigned short))
    try:
        if not (attributes.text and attributes.ends and attributes.places):
            raise MemoryError
        stripped = _stripped(page, size + size // 4, &attributes)
        marks = []
        for number in range(attributes.count):
            marks.append(
                marks_of_attributes(attributes.text[start : attributes.ends[number]])
            )
            start = attributes.ends[number]
    finally:
        free(attributes.text)
        free(attributes.ends)
        free(attributes.places)
    return stripped, marks


cdef bytes _stripped(bytes page, Py_ssize_t most, Attributes* attributes):
    cdef bytes stripped = PyBytes_FromStringAndSize(NULL, most)
    cdef Bytes start = <Bytes>PyBytes_AS_STRING(page)
    cdef Bytes end = start + PyBytes_GET_SIZE(page)
    cdef Output out
    out.start = out.end = <unsigned char*>PyBytes_AS_STRING(stripped)
    out.attributes = attributes
    with nogil:
        _copy_page(&out, start, end)
    return stripped[: out.end - out.start]


cdef void _copy_page(Output* out, Bytes s, Bytes end) noexcept nogil:
    cdef Bytes tag
    while True:
        tag = s = _copy_text(out, s, end)
        if end - tag < 2:
            break
        if _is_letter(tag[1]) or (tag[1] == c"/" and end - tag > 2 and _is_letter(tag[2])):
            s = _copy_tag(out, tag, end)
        elif end - tag >= 4 and memcmp(tag, b"<!--", 4) == 0:
            s = _leave_out_comment(out, tag, end)
        elif tag[1] == c"!" or tag[1] == c"?" or tag[1] == c"/":
            s = _after(_find(c">", tag, end))
            if s != NULL:
                _copy(out, tag, s)
        else:
            s = tag + 1
            _copy(out, tag, s)
        if s == NULL:
            break
    _copy(out, tag, end)


cdef Bytes _copy_text(Output* out, Bytes s, Bytes end) noexcept nogil:
    """Copy a text, with single spaces for the white space at its ends; at the next `<` or `end`."""
    cdef Bytes tag = _find(c"<", s, end)
    cdef Bytes text_end
    if tag == NULL:
        tag = end
    if s < tag and _is_space(s[0]):
        s = _after_spaces(s, tag)
        _write(out, b" ", 1)
    text_end = tag
    while s < text_end and _is_space(text_end[-1]):
        text_end -= 1
    _copy(out, s, text_end)
    if s < text_end < tag:
        _write(out, b" ", 1)
    return tag


cdef Bytes _copy_tag(Output* out, Bytes tag, Bytes end) noexcept nogil:
    """Copy a tag and its raw text; after that, or NULL if the tag has no end."""
    cdef bint closing = tag[1] == c"/"
    cdef bint closed = False
    cdef Bytes name = tag + 1 + closing
    cdef Bytes name_end = name
    cdef Bytes s
    cdef unsigned char* text
    cdef Kind kind = OTHER
    while name_end < end and not _ends_name(name_end[0]):
        name_end += 1
    s = _after_attributes(NULL, name_end, end, &closed)
    if s == NULL:
        return NULL
    if not closing:
        kind = _kind(name, name_end - name)
    if kind != OTHER and out.end > out.start and out.end[-1] == c" ":
        out.end -= 1
    _copy(out, tag, name_end)
    if out.attributes != NULL and not closing:
        text = out.end
        _after_attributes(out, name_end, end, &closed)
        if out.end > text:
            _number(out, text)
            if closed:
                _write(out, b" ", 1)  # a slash would belong to a value without quotes
    _write(out, b"/>" if closed else b">", 1 + closed)
    if kind == BORDER:
        return _after_spaces(s, end)
    if kind == OTHER or closed:
        return s
    return _copy_raw_text(out, kind, name, name_end - name, s, end)


cdef Bytes _copy_raw_text(
    Output* out, Kind kind, Bytes name, Py_ssize_t length, Bytes s, Bytes end
) noexcept nogil:
    """Copy the raw text of an element if the text counts; at its end."""
    cdef Bytes text_end = end
    if kind == SCRIPT:
        text_end = _script_end(s, end)
    elif kind != PLAINTEXT:
        text_end = _raw_text_end(name, length, s, end)
    if kind >= KEPT:
        _copy(out, s, text_end)
    return text_end


cdef Bytes _after_attributes(Output* out, Bytes s, Bytes end, bint* closed) noexcept nogil:
    """After the `>` of a tag, NULL if there is none; closed: whether a slash stands before it.

    The states from "before attribute name" to "self-closing start tag". Attributes that say what
    an element is are copied to `out`, if it is given.
    """
    cdef Bytes name
    cdef Bytes name_end
    cdef bint styled = False
    while s < end:
        if s[0] == c">":
            return s + 1
        if s[0] == c"/":
            s += 1
            closed[0] = s < end and s[0] == c">"
        elif _is_space(s[0]):
            s += 1
        else:
            name = s
            s += 1  # a name may begin with "="
            while s < end and s[0] != c"=" and not _ends_name(s[0]):
                s += 1
            name_end = s
            s = _after_spaces(s, end)
            if s < end and s[0] == c"=":
                s = _after_value(_after_spaces(s + 1, end), end)
                if s == NULL:
                    return NULL
                if out == NULL or not _is_mark(name, name_end - name):
                    continue
                if name_end - name == 5 and _lower(name[0]) == c"s":
                    # Of a style marks_of reads whether it hides; the first one counts.
                    if not styled and _may_hide(name_end, s):
                        _write(out, b" ", 1)
                        _copy(out, name, s)
                    styled = True
                else:
                    _write(out, b" ", 1)
                    _copy(out, name, s)
            elif out != NULL and _is_mark(name, name_end - name):
                if name_end - name == 5 and _lower(name[0]) == c"s":
                    styled = True
                else:
                    _write(out, b" ", 1)
                    _copy(out, name, name_end)
    return NULL


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


cdef void _number(Output* out, unsigned char* text) noexcept nogil:
    """Put a number in the place of the attributes from `text` on, where they are plain ASCII."""
    cdef Attributes* attributes = out.attributes
    cdef Py_ssize_t size = out.end - text
    cdef Py_ssize_t start, i
    cdef uint64_t key = size
    cdef unsigned int place
    cdef int number
    cdef unsigned char c
    if size < LONGEST_NUMBER:
        return
    for i in range(size):
        c = text[i]
        if c == c"&" or c >= 0x7F or (c < c" " and not _is_space(c)):
            return
        key = (key ^ c) * <uint64_t>0x100000001B3
    place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 50
    while True:
        number = attributes.places[place]
        if number == 0:
            break
        start = attributes.ends[number - 2] if number > 1 else 0
        if (
            attributes.ends[number - 1] - start == size
            and memcmp(attributes.text + start, text, size) == 0
        ):
            break
        place = (place + 1) % MARK_PLACES
    if number == 0:
        if attributes.count == MOST_MARKS:
            return
        start = attributes.ends[attributes.count - 1] if attributes.count else 0
        memcpy(attributes.text + start, text, size)
        attributes.ends[attributes.count] = start + size
        attributes.count += 1
        number = attributes.places[place] = attributes.count
    out.end = text
    _write_number(out, number - 1)


cdef void _write_number(Output* out, int number) noexcept nogil:
    cdef unsigned char digits[8]
    cdef int at = 8
    while True:
        at -= 1
        digits[at] = c"0" + number % 10
        number //= 10
        if number == 0:
            break
    _write(out, b" a=", 3)
    _write(out, <const char*>&digits[at], 8 - at)


cdef inline bint _is_mark(Bytes name, Py_ssize_t length) noexcept nogil:
    """Whether it is the name of an attribute that `marks_of` reads."""
    if length == 2:
        return _equals(name, b"id", 2)
    if length == 4:
        return _equals(name, b"role", 4)
    if length == 5:
        return _equals(name, b"class", 5) or _equals(name, b"style", 5)
    if length == 6:
        return _equals(name, b"hidden", 6)
    return length == 11 and _equals(name, b"aria-hidden", 11)


cdef inline bint _equals(Bytes s, const char* letters, Py_ssize_t length) noexcept nogil:
    """Whether these lower-case letters stand there, in any case."""
    cdef Py_ssize_t i
    for i in range(length):
        if _lower(s[i]) != <unsigned char>letters[i]:
            return False
    return True


cdef inline unsigned char _lower(unsigned char c) noexcept nogil:
    return c | 0x20 if c"A" <= c <= c"Z" else c


cdef Bytes _after_value(Bytes s, Bytes end) noexcept nogil:
    """After an attribute's value, NULL if it has no end quote."""
    if s < end and (s[0] == c'"' or s[0] == c"'"):
        return _after(_find(s[0], s + 1, end))
    while s < end and s[0] != c">" and not _is_space(s[0]):
        s += 1
    return s


cdef Bytes _leave_out_comment(Output* out, Bytes comment, Bytes end) noexcept nogil:
    """After a comment, NULL if it has no end.

    An empty comment stays in its place where the bytes on both sides of it could else become one
    token, as in `&am<!-- -->p;`, or a byte order mark.
    """
    cdef Bytes s = _after_comment(comment + 4, end)
    if s == NULL or (out.end > out.start and (out.end[-1] == c">" or out.end[-1] == c" ")):
        return s
    if s - comment < 7:
        _copy(out, comment, s)
    else:
        _write(out, b"<!---->", 7)
    return s


cdef Bytes _after_comment(Bytes s, Bytes end) noexcept nogil:
    """After `-->` or `--!>`, or after `>` or `->` if the comment begins with that; else NULL."""
    cdef Bytes start = s
    if s < end and s[0] == c">":
        return s + 1
    if end - s >= 2 and s[0] == c"-" and s[1] == c">":
        return s + 2
    while True:
        s = _after(_find(c">", s, end))
        if s == NULL:
            return NULL
        if s - start >= 3 and s[-2] == c"-" and s[-3] == c"-":
            return s
        if s - start >= 4 and s[-2] == c"!" and s[-3] == c"-" and s[-4] == c"-":
            return s


cdef Bytes _raw_text_end(Bytes name, Py_ssize_t length, Bytes s, Bytes end) noexcept nogil:
    """At the end tag of that name, or at the end of the page."""
    while True:
        s = _find(c"<", s, end)
        if s == NULL:
            return end
        if end - s > 2 and s[1] == c"/" and _is_name(s + 2, end, <const char*>name, length):
            return s
        s += 1


cdef Bytes _script_end(Bytes s, Bytes end) noexcept nogil:
    """At the end tag of a script, or at the end of the page.

    `<!--` escapes, and there `<script` escapes once more: the states "script data",
    "script data escaped" and "script data double escaped".
    """
    cdef int escaped = 0
    while s < end:
        if escaped == 0:
            s = _find(c"<", s, end)
            if s == NULL:
                return end
        if s[0] == c"<":
            if escaped == 0 and end - s >= 4 and memcmp(s, b"<!--", 4) == 0:
                escaped = 1
            elif end - s > 2 and s[1] == c"/" and _is_name(s + 2, end, b"script", 6):
                if escaped < 2:
                    return s
                escaped = 1
            elif escaped == 1 and _is_name(s + 1, end, b"script", 6):
                escaped = 2
        elif s[0] == c"-" and end - s >= 3 and memcmp(s, b"-->", 3) == 0:
            escaped = 0
        s += 1
    return end


cdef bint _is_name(Bytes s, Bytes end, const char* name, Py_ssize_t length) noexcept nogil:
    """Whether that name of ASCII letters stands there, in any case, and something that ends it."""
    cdef Py_ssize_t i
    if end - s <= length or not _ends_name(s[length]):
        return False
    for i in range(length):
        if (s[i] | 0x20) != (<unsigned char>name[i] | 0x20):
            return False
    return True


# The kinds of names of at most eight bytes, as a hash table with open addressing; the key is the
# name itself, in lower case, as a number.

cdef enum:
    LONGEST = 8
    PLACES = 256

cdef uint64_t place_keys[PLACES]
cdef Kind place_kinds[PLACES]


cdef inline Kind _kind(Bytes name, Py_ssize_t length) noexcept nogil:
    if length <= LONGEST:
        return place_kinds[_place(_key(name, length))]
    if length == 9 and _is_name(name, name + 10, b"plaintext", 9):
        return PLAINTEXT
    return OTHER


cdef inline uint64_t _key(Bytes name, Py_ssize_t length) noexcept nogil:
    cdef uint64_t key = 0
    cdef Py_ssize_t i
    for i in range(length):
        key = key << 8 | (name[i] | 0x20)
    return key


cdef inline unsigned int _place(uint64_t key) noexcept nogil:
    """Where a key stands, or the free place where it would."""
    cdef unsigned int place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 56
    while place_keys[place] and place_keys[place] != key:
        place = (place + 1) % PLACES
    return place


cdef void _fill_places():
    cdef bytes letters
    cdef uint64_t key
    for name, kind in KINDS.items():
        letters = name.encode()
        if len(letters) <= LONGEST:
            key = _key(<Bytes>PyBytes_AS_STRING(letters), len(letters))
            place_kinds[_place(key)] = kind
            place_keys[_place(key)] = key


_fill_places()


cdef inline bint _ends_name(unsigned char c) noexcept nogil:
    return c == c">" or c == c"/" or _is_space(c)


cdef inline bint _is_letter(unsigned char c) noexcept nogil:
    return c"a" <= (c | 0x20) <= c"z"


cdef inline bint _is_space(unsigned char c) noexcept nogil:
    """HTML's white space: tab, line feed, form feed, carriage return, space."""
    return c <= c" " and (c == c" " or (c"\t" <= c <= c"\r" and c != c"\v"))


cdef inline Bytes _after_spaces(Bytes s, Bytes end) noexcept nogil:
    while s < end and _is_space(s[0]):
        s += 1
    return s


cdef inline Bytes _find(unsigned char c, Bytes s, Bytes end) noexcept nogil:
    return <Bytes>memchr(s, c, end - s)


cdef inline Bytes _after(Bytes s) noexcept nogil:
    return <Bytes>NULL if s == NULL else s + 1


cdef inline void _copy(Output* out, Bytes s, Bytes end) noexcept nogil:
    _write(out, <const char*>s, end - s)


cdef inline void _write(Output* out, const char* s, Py_ssize_t size) noexcept nogil:
    memcpy(out.end, s, size)
    out.end += size
