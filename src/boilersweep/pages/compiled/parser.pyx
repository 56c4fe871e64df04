# cython: language_level=3, boundscheck=False, wraparound=False
"""A page's tags and texts as libxml2 2.14 has them (HTMLparser.c), repaired as `boilersweep.pages.repairs` says,
and told to `blocks` as they come.

The tokenizer follows the WHATWG HTML Standard, section 13.2.5, but for this: a slash before the
`>` closes every element, a script too; `<![CDATA[`, `<!` and `<?` end at the first `>`; and no
element is foreign: `<title>` and `<script>` within svg are what they are elsewhere. The tree is
libxml2's own: a start tag ends some innermost elements, an end tag all within the element that it
ends, html, head and body are made where they are missing, and where there are two the second is
passed over.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from libc.string cimport memchr, memcmp

from boilersweep.pages.compiled.attributes cimport (
    Attribute,
    hints_at_numbers,
    is_space,
    mentions,
    next_attribute,
    read_attributes,
)
from boilersweep.pages.compiled.blocks cimport Blocks
from boilersweep.pages.compiled.buffer cimport Buffer, Bytes, append
from boilersweep.pages.compiled.names cimport (
    A,
    B,
    BODY,
    BR,
    BUTTON,
    CODE,
    DATA,
    DIV,
    ESCAPABLE,
    FIGCAPTION,
    FOREIGN,
    FOREIGN_OBJECT,
    FRAME,
    FRAMESET,
    H1,
    HEAD,
    HTML,
    I,
    IMG,
    LONGEST_NAME,
    MATH,
    NOFRAMES,
    NOINDEX,
    OTHER_TITLE,
    P,
    PLAIN,
    PRE,
    RB,
    RP,
    RT,
    RTC,
    RUBY,
    RULED,
    SCRIPT,
    SCRIPT_NAME,
    SPAN,
    SVG,
    TD,
    TEMPLATE,
    TH,
    TITLE,
    Name,
    Names,
    Text,
)
from boilersweep.pages.compiled.references cimport LONGEST_REPLACEMENT, decode_reference

from boilersweep.pages.compiled.blocks import known_names
from boilersweep.pages.elements import Around, Role, told_as
from boilersweep.pages.page import doctype_of, switched_by
from boilersweep.pages.repairs import LINE_NUMBER, SIGNS

cdef enum:
    MOST_BYTES = 1 << 29  # up to 3.5 times as much is counted and written of them, in 32 bits
    MOST_NAMES = 2000  # that are kept for the next page
    NOTHING = -1  # the name of no element

cdef enum:
    UNKNOWN = -1
    LONGEST_SIGN = 24  # in bytes; longer numbers of lines are text
    ROLE_BITS = 63  # of what the blocks know of a name

cdef int SKIPPED_ROLE = Role.SKIPPED


cdef enum Seen:
    """Which of the elements that a page has but once were there."""
    NEITHER
    SEEN_HEAD
    SEEN_BODY


def has_object(bytes utf8 not None) -> bool:
    """Whether an object begins in a page, as `<object` in any case and a space, `>` or `/`.

    Found by its `j`: no letter of it is rarer in pages.
    """
    return _has_object(utf8, c"j") or _has_object(utf8, c"J")


cdef bint _has_object(bytes utf8, char letter):
    cdef Bytes first = <Bytes>PyBytes_AS_STRING(utf8)
    cdef Bytes end = first + PyBytes_GET_SIZE(utf8) - 4  # of "ect>"
    cdef Bytes s = first + 3  # behind "<ob"
    while s < end:
        s = <Bytes>memchr(s, letter, end - s)
        if s == NULL:
            break
        if (
            (s - 3)[0] == c"<"
            and (s - 2)[0] | 0x20 == c"o"
            and (s - 1)[0] | 0x20 == c"b"
            and s[1] | 0x20 == c"e"
            and s[2] | 0x20 == c"c"
            and s[3] | 0x20 == c"t"
            and s[4] in b" \t\n\r\f\v>/"
        ):
            return True
        s += 1
    return False


FORMULA_TYPE = b"math/tex"


class OtherPageError(Exception):
    """A page that is left to lxml."""


cdef class Parser:
    """Cuts one page after another. borders, structure, most: as `Segmenter` has them."""

    cdef dict known
    cdef Names names
    cdef Blocks blocks
    cdef int* open
    cdef Py_ssize_t depth
    cdef Py_ssize_t capacity
    cdef Py_ssize_t passed_over  # start tags of html, head and body, whose end tags count for them
    cdef Seen seen
    cdef Text text_kind
    cdef Py_ssize_t skipped  # index of the outermost skipped element, NOTHING for none
    cdef Py_ssize_t sheltered  # index of the outermost shelter in it, NOTHING for none
    cdef list foreign  # indices of each FOREIGN that is open and of the svg around it
    cdef bint has_math
    cdef int headings  # and others of LINKED_TO that are open
    cdef int codes
    cdef int has_formulas  # UNKNOWN until the first element that may be one that is drawn
    cdef bytes utf8
    # As `Repairs` has them
    cdef bint as_shown
    cdef Py_ssize_t ruby
    cdef Py_ssize_t reading
    cdef bint is_bracket
    cdef Py_ssize_t sign
    cdef object signs
    cdef Buffer readings
    cdef Buffer held

    def __cinit__(self, str borders, bint structure, Py_ssize_t most):
        self.known = known_names(borders)
        self.names = Names(self.known)
        self.as_shown = borders == "block"
        self.blocks = Blocks(self.names, structure, most, self.as_shown)

    def __dealloc__(self):
        PyMem_Free(self.open)
        PyMem_Free(self.readings.start)
        PyMem_Free(self.held.start)

    def page(self, bytes utf8 not None):
        """The page, a PackedPage; None for one that is left to lxml. Raises TooManyBlocksError."""
        cdef Bytes start = <Bytes>PyBytes_AS_STRING(utf8)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(utf8)
        if size == 0 or size > MOST_BYTES or memchr(start, 0, size) != NULL:
            return None
        self.begin_page()
        self.utf8 = utf8
        try:
            self.read(start + 3 if utf8.startswith(b"\xef\xbb\xbf") else start, start + size)
            page = self.blocks.close()
        except (OtherPageError, UnicodeDecodeError):
            return None
        finally:
            self.utf8 = b""
        return None if self.blocks.is_invalid else page

    cdef int begin_page(self) except -1:
        """Turn to a new page, whatever became of the one before."""
        while self.depth:
            self.depth -= 1
            self.names.names[self.open[self.depth]].open_count = 0
        self.passed_over = 0
        self.seen = NEITHER
        self.text_kind = DATA
        self.skipped = self.sheltered = NOTHING
        self.foreign = []
        self.has_math = False
        self.headings = self.codes = 0
        self.has_formulas = UNKNOWN
        self.ruby = self.reading = self.sign = NOTHING
        self.readings.size = self.held.size = 0
        if self.names.count > MOST_NAMES:
            self.names = self.blocks.names = Names(self.known)
        return self.blocks.begin_page()

    cdef int read(self, Bytes s, Bytes end) except -1:
        """Read the page; its bytes end with a NUL."""
        while s < end:
            if self.text_kind != DATA or s[0] != c"<":
                s = self.character_data(s, end)
            elif _is_letter(s[1]):
                s = self.start_tag(s, end)
            elif s[1] == c"/":
                s = self.end_tag(s, end)
            elif s[1] == c"!" and s[2] == c"-" and s[3] == c"-":
                s = self.comment(s + 4, end)
            elif s[1] == c"!" and end - s >= 9 and _is_doctype(s + 2):
                s = self.doctype(s + 9, end)
            elif s[1] == c"!" or s[1] == c"?":
                s = _after(s + 1, end)
            else:
                self.begin_text()
                self.data(s, 1)
                s += 1
        while self.depth:
            self.end_innermost()
        return 0

    cdef Bytes comment(self, Bytes s, Bytes end) except NULL:
        """After a comment, which may switch search engines off or on."""
        cdef Bytes after = _after_comment(s, end)
        cdef Bytes text = s
        while text < after and is_space(text[0]):
            text += 1
        text += text < after and text[0] == c"/"
        if after - text > 7 and (_is(text, b"noindex", 7) or _is(text, b"googleo", 7)):
            comment = s[: after - s].decode("utf-8", "replace")
            is_off = switched_by(comment.removesuffix("-->").removesuffix("--!>"))
            if is_off is not None:
                self.blocks.switch_off(is_off)
        return after

    # Tags.

    cdef Bytes start_tag(self, Bytes s, Bytes end) except NULL:
        cdef Bytes name_end = _name_end(s + 1, end)
        cdef Bytes attributes_end
        cdef bint closed = False
        cdef bint is_passed_over = False
        cdef int name
        cdef Name* innermost
        if name_end - s - 1 > LONGEST_NAME:
            raise OtherPageError
        name = self.names.find(s + 1, name_end - s - 1)
        self.end_before(name)
        self.imply(name)
        if name == HTML:
            is_passed_over = self.depth > 0
            self.passed_over += is_passed_over
        elif name == HEAD:
            is_passed_over = self.depth != 1
            self.passed_over += is_passed_over
        elif name == BODY:
            is_passed_over = self.names.names[BODY].open_count > 0
            self.passed_over += self.names.names[BODY].open_count
        attributes_end = _tag_end(name_end, end, &closed)
        if attributes_end == NULL:
            return end
        if not is_passed_over:
            self.begin(name, name_end, attributes_end)
        innermost = &self.names.names[self.open[self.depth - 1]]
        if closed or innermost.is_empty:
            self.end_innermost()
        else:
            self.text_kind = innermost.text_kind
        return attributes_end

    cdef Bytes end_tag(self, Bytes s, Bytes end) except NULL:
        cdef Bytes name = s + 2
        cdef Bytes name_end
        cdef Bytes tag_end
        cdef bint closed = False
        cdef int number
        if name == end:
            self.begin_text()
            self.data(s, 2)
            return end
        if not _is_letter(name[0]):
            return _after(name, end)
        name_end = _name_end(name, end)
        tag_end = _tag_end(name_end, end, &closed)
        if tag_end == NULL:
            return end
        if name_end - name > LONGEST_NAME:
            raise OtherPageError
        number = self.names.find(name, name_end - name)
        if number == BR:
            return self.start_tag(s + 1, end)
        if self.passed_over and (number == HTML or number == BODY or number == HEAD):
            self.passed_over -= 1
        elif self.names.names[number].open_count and not self.is_held(number):
            while self.open[self.depth - 1] != number:
                self.end_innermost()
            self.end_innermost()
        return tag_end

    cdef bint is_held(self, int name) noexcept:
        """Whether something within the element of that name keeps it open."""
        cdef int priority = self.names.names[name].priority
        cdef Py_ssize_t i = self.depth - 1
        while self.open[i] != name:
            if self.names.names[self.open[i]].priority > priority:
                return True
            i -= 1
        return False

    cdef Bytes doctype(self, Bytes s, Bytes end) except NULL:
        cdef Bytes tag_end = <Bytes>memchr(s, c">", end - s)
        cdef Bytes name_end
        cdef bytes rest
        if tag_end == NULL:
            tag_end = end
        s = _after_spaces(s, tag_end)
        name_end = s
        while name_end < tag_end and not is_space(name_end[0]):
            name_end += 1
        name = s[: name_end - s].decode("utf-8", "replace") if name_end > s else None
        s = _after_spaces(name_end, tag_end)
        rest = s[: tag_end - s]
        public_id = None
        if rest[:6].lower() == b"public":
            rest = rest[6:].lstrip(b"\t\n\f\r ")
            if rest[:1] in (b'"', b"'"):
                public_id = rest[1:].partition(rest[:1])[0].decode("utf-8", "replace")
        self.blocks.doctype = doctype_of(name, public_id, None)
        return tag_end + (tag_end < end)

    # The tree.

    cdef int begin(self, int name, Bytes attributes, Bytes attributes_end) except -1:
        cdef Py_ssize_t capacity
        cdef void* grown
        cdef int told = name
        if self.held.size:
            self.tell_held(NOTHING)
        if self.readings.size and not (self.ruby == NOTHING and name == RUBY):
            self.read_before(name)
        if self.seen < SEEN_HEAD and name == HEAD:
            self.seen = SEEN_HEAD
        if self.seen < SEEN_BODY and name == BODY:
            self.seen = SEEN_BODY
        if self.depth == self.capacity:
            capacity = 2 * self.capacity if self.capacity else 64
            grown = PyMem_Realloc(self.open, capacity * sizeof(int))
            if grown == NULL:
                raise MemoryError
            self.open = <int*>grown
            self.capacity = capacity
        if self.skipped != NOTHING and self.sheltered == NOTHING:
            if name == FOREIGN_OBJECT and self.open[self.skipped] == SVG:
                self.foreign.append((self.depth, self.skipped))
                self.skipped = NOTHING
                told = FOREIGN
            else:
                self.leave_or_shelter(name)
        if self.skipped == NOTHING:
            self.has_math |= name == MATH
            if (
                SPAN <= name <= I
                and (name < A or self.codes)
                and attributes != NULL
                and told == name
            ):
                told = self.told_as(name, attributes, attributes_end)
            if self.names.names[told].is_skipped:
                self.skipped = self.depth
        self.open[self.depth] = name
        self.depth += 1
        self.names.names[name].open_count += 1
        if H1 <= name <= FIGCAPTION:
            self.headings += 1
        elif name == PRE or name == CODE:
            self.codes += 1
        elif name == NOINDEX:
            self.blocks.switch_off(True)
        if name == TITLE and self.blocks.ended:
            told = OTHER_TITLE
        self.blocks.start(told, attributes, attributes_end)
        if (
            SPAN <= name <= RB
            and (self.codes or self.headings or name >= IMG or name == TD)
            and self.as_shown
            and attributes != NULL
            and self.skipped == NOTHING
            and told == name
        ):
            self.begin_shown(name, attributes, attributes_end)
        return 0

    cdef int told_as(self, int name, Bytes attributes, Bytes attributes_end) except -1:
        """The name that the blocks are told, see `elements.told_as`, which is asked if need be."""
        cdef bint is_asked = False
        cdef bytes told
        if name == SPAN:
            is_asked = (
                (self.has_math and mentions(attributes, attributes_end, b"katex", 5))
                or (self.headings and mentions(attributes, attributes_end, b"mw-edit", 7))
                or (self.codes and hints_at_numbers(attributes, attributes_end))
                or (
                    mentions(attributes, attributes_end, b"MathJ", 5)
                    and self.is_page_with_formulas()
                )
            )
        elif name == TD or name == TH or name == PRE:
            is_asked = hints_at_numbers(attributes, attributes_end)
        elif name == TEMPLATE:
            is_asked = True
        elif name == SCRIPT_NAME:
            is_asked = mentions(attributes, attributes_end, b"math/tex", 8)
        elif name == BUTTON:
            is_asked = self.codes
        elif self.codes:
            is_asked = hints_at_numbers(attributes, attributes_end)
        if not is_asked:
            return name
        around = Around(self.codes > 0, self.headings > 0, self.has_math, self.has_formulas == 1)
        own = self.names.held[name].decode()
        told = told_as(own, read_attributes(attributes, attributes_end), around).encode()
        return self.names.find(<Bytes>PyBytes_AS_STRING(told), PyBytes_GET_SIZE(told))

    cdef bint is_page_with_formulas(self):
        if self.has_formulas == UNKNOWN:
            self.has_formulas = FORMULA_TYPE in self.utf8
        return self.has_formulas == 1

    cdef int begin_shown(self, int name, Bytes attributes, Bytes attributes_end) except -1:
        """Begin ruby, its readings, what may be a sign, or an image of a formula."""
        if name == A or name == DIV or name == SPAN or name == TD:
            if self.codes or self.headings or name == TD:
                self.begin_sign(name, attributes, attributes_end)
        elif name == IMG:
            if mentions(attributes, attributes_end, b"latex", 5):
                self.tell_formula(read_attributes(attributes, attributes_end))
        elif name == RUBY and self.ruby == NOTHING:
            self.ruby = self.depth - 1
        elif name == RB:
            self.reading = NOTHING
        elif self.ruby != NOTHING and (name == RT or name == RTC or name == RP):
            self.reading = self.depth - 1
            self.is_bracket = name == RP
            if not self.is_bracket:
                append(&self.readings, <Bytes>b" ", 1)
        return 0

    cdef int tell_formula(self, dict attributes) except -1:
        cdef bytes text
        if "latex" in attributes.get("class", "").split():
            text = f" {attributes.get('alt', '')} ".encode()
            self.blocks.data(<Bytes>PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))
        return 0

    cdef int begin_sign(self, int name, Bytes attributes, Bytes attributes_end) except -1:
        cdef Py_ssize_t index = self.depth - 1
        if (name == TD or self.codes) and mentions(attributes, attributes_end, b"line-number", 11):
            number = read_attributes(attributes, attributes_end).get(LINE_NUMBER)
            if number is not None:
                self.sign, self.signs = index, (number,)
                return 0
        if name == A and self.headings:
            self.sign, self.signs = index, SIGNS
        return 0

    cdef int leave_or_shelter(self, int name) except -1:
        """End the skipped elements for the blocks where the standard does (`LEFT_BY`)."""
        cdef int bit = self.names.names[self.open[self.skipped]].left_bit
        cdef Py_ssize_t index
        if self.names.names[name].leaves & bit:
            for index in range(self.depth - 1, self.skipped - 1, -1):
                self.blocks.end(self.open[index])
            self.blocks.note_ended(self.depth - self.skipped)
            self.skipped = NOTHING
        elif self.names.names[name].shelters & bit:
            self.sheltered = self.depth
        return 0

    cdef int end_innermost(self) except -1:
        cdef int name
        if self.sign != NOTHING:
            self.tell_held(self.depth - 1)
        if self.readings.size and self.ruby == NOTHING:
            self.tell_readings()
        self.depth -= 1
        if self.reading == self.depth:
            self.reading = NOTHING
        if self.ruby == self.depth:
            self.ruby = NOTHING
        if self.skipped == self.depth:
            self.skipped = NOTHING
        elif self.sheltered == self.depth:
            self.sheltered = NOTHING
        if self.foreign and self.foreign[len(self.foreign) - 1][0] == self.depth:
            self.skipped = self.foreign.pop()[1]
        name = self.open[self.depth]
        self.names.names[name].open_count -= 1
        if H1 <= name <= FIGCAPTION:
            self.headings -= 1
        elif name == PRE or name == CODE:
            self.codes -= 1
        elif name == NOINDEX:
            self.blocks.switch_off(False)
        return self.blocks.end(name)

    cdef inline int innermost(self) noexcept:
        return self.open[self.depth - 1] if self.depth else NOTHING

    cdef int end_before(self, int name) except -1:
        """End the elements that the start of another ends."""
        cdef unsigned char* ended = self.names.ended + name * RULED
        if name < RULED:
            while self.depth and self.innermost() < RULED and ended[self.innermost()]:
                self.end_innermost()
        return 0

    cdef int imply(self, int name) except -1:
        """Make html, head or body where an element that begins lacks them."""
        if name == HTML:
            return 0
        if self.depth == 0:
            self.begin(HTML, NULL, NULL)
        if name == BODY or name == HEAD:
            return 0
        if self.depth <= 1 and self.names.names[name].is_of_head:
            if self.seen < SEEN_HEAD:
                self.begin(HEAD, NULL, NULL)
        elif name != NOFRAMES and name != FRAME and name != FRAMESET:
            if (
                self.seen < SEEN_BODY
                and self.names.names[BODY].open_count == 0
                and self.names.names[HEAD].open_count == 0
            ):
                self.begin(BODY, NULL, NULL)
        return 0

    cdef int begin_text(self) except -1:
        """Make what a text beyond white space lacks."""
        if self.innermost() == HEAD:
            self.end_before(P)
        return self.imply(P)

    # Texts.

    cdef inline int data(self, Bytes s, Py_ssize_t length) except -1:
        """Tell a text, or keep it; see `Repairs.data`."""
        if self.skipped == NOTHING and (
            self.sign != NOTHING or self.reading != NOTHING or self.readings.size
        ):
            return self.repaired_data(s, length)
        return self.blocks.data(s, length)

    cdef int repaired_data(self, Bytes s, Py_ssize_t length) except -1:
        if self.reading != NOTHING:
            return 0 if self.is_bracket else _keep(&self.readings, s, length)
        if self.sign != NOTHING:
            return _keep(&self.held, s, length)
        if self.ruby == NOTHING:
            self.tell_readings()
        return self.blocks.data(s, length)

    cdef int read_before(self, int name) except -1:
        """Tell readings before an element that begins, but for what may be within ruby."""
        if self.ruby != NOTHING and self.names.names[name].known & ROLE_BITS < SKIPPED_ROLE:
            return 0
        self.ruby = self.reading = NOTHING
        return self.tell_readings()

    cdef int tell_readings(self) except -1:
        append(&self.readings, <Bytes>b" ", 1)
        self.blocks.data(self.readings.start, self.readings.size)
        self.readings.size = 0
        return 0

    cdef int tell_held(self, Py_ssize_t ended) except -1:
        """Tell the text of what may be a sign where it is more; leave out a sign that ends."""
        cdef bint is_over = ended == self.sign
        if not (is_over or self.held.size):
            return 0
        bare = _stripped(self.held.start, self.held.size)
        if is_over or (bare and bare not in self.signs):
            self.sign = NOTHING
            if self.held.size and not (is_over and bare in self.signs):
                self.blocks.data(self.held.start, self.held.size)
            self.held.size = 0
        return 0

    cdef Bytes character_data(self, Bytes s, Bytes end) except NULL:
        cdef Bytes text_end = end
        cdef Text kind = self.text_kind
        cdef Name* name
        if kind == DATA:
            text_end = <Bytes>memchr(s, c"<", end - s)
            if text_end == NULL:
                text_end = end
        elif kind != PLAIN:
            name = &self.names.names[self.open[self.depth - 1]]
            if kind == SCRIPT:
                text_end = _script_end(s, end)
            else:
                text_end = _raw_text_end(name.text, name.size, s, end)
            self.text_kind = DATA
        if kind != DATA and kind != ESCAPABLE:
            self.data(s, text_end - s)
        elif self.blocks.skipping == 0 or self.blocks.in_title:
            self.with_references(s, text_end)
        return text_end

    cdef int with_references(self, Bytes s, Bytes end) except -1:
        cdef unsigned char replacement[LONGEST_REPLACEMENT]
        cdef Py_ssize_t length, size
        cdef Bytes reference = s
        while True:
            reference = <Bytes>memchr(reference, c"&", end - reference)
            if reference == NULL:
                return self.text(s, end)
            length = decode_reference(reference, end, False, replacement, &size)
            if length:
                self.text(s, reference)
                self.text(replacement, replacement + size)
                s = reference = reference + length
            else:
                reference += 1

    cdef int text(self, Bytes s, Bytes end) except -1:
        cdef int innermost = self.innermost()
        cdef Bytes text = s
        if innermost == NOTHING or innermost == HTML or innermost == HEAD:
            text = _after_spaces(s, end)
            if text > s:
                self.data(s, text - s)
            if text < end:
                self.begin_text()
        if text < end:
            self.data(text, end - text)
        return 0


cdef str _stripped(Bytes s, Py_ssize_t length):
    """A text without the white space around it; what is too long for a sign may have some."""
    while length and is_space(s[0]):
        s += 1
        length -= 1
    while length and is_space(s[length - 1]):
        length -= 1
    return "too long" if length > LONGEST_SIGN else s[:length].decode().strip()


cdef int _keep(Buffer* buffer, Bytes s, Py_ssize_t length) except -1:
    """Add a text; raises UnicodeDecodeError, as two texts may be UTF-8 together alone."""
    s[:length].decode()
    return append(buffer, s, length)


cdef inline Bytes _name_end(Bytes s, Bytes end) noexcept nogil:
    while s < end and not _ends_name(s[0]):
        s += 1
    return s


cdef inline Bytes _tag_end(Bytes s, Bytes end, bint* closed) noexcept nogil:
    """After a tag, behind its name; NULL where it has no end."""
    cdef Attribute attribute
    while s != NULL:
        s = next_attribute(s, end, &attribute, closed)
        if attribute.name == NULL:
            break
    return s


cdef inline bint _is_doctype(Bytes s) noexcept nogil:
    cdef int i
    for i in range(7):
        if (s[i] & 0xDF) != <unsigned char>(b"DOCTYPE"[i]):
            return False
    return True


cdef bint _is(Bytes s, const char* letters, int length) noexcept nogil:
    """Whether these lower-case letters stand there, in any case."""
    cdef int i
    for i in range(length):
        if (s[i] | 0x20) != <unsigned char>letters[i]:
            return False
    return True


cdef Bytes _after_comment(Bytes s, Bytes end) noexcept nogil:
    """After `-->` or `--!>`, after `>` or `->` if the comment begins with that, else the end."""
    cdef Bytes start = s
    if s < end and s[0] == c">":
        return s + 1
    if end - s >= 2 and s[0] == c"-" and s[1] == c">":
        return s + 2
    while True:
        s = <Bytes>memchr(s, c">", end - s)
        if s == NULL:
            return end
        s += 1
        if s - start >= 3 and (s - 2)[0] == c"-" and (s - 3)[0] == c"-":
            return s
        if s - start >= 4 and (s - 2)[0] == c"!" and (s - 3)[0] == c"-" and (s - 4)[0] == c"-":
            return s


cdef inline Bytes _after(Bytes s, Bytes end) noexcept nogil:
    """After the next `>`, else the end."""
    s = <Bytes>memchr(s, c">", end - s)
    return end if s == NULL else s + 1


cdef Bytes _raw_text_end(Bytes name, Py_ssize_t length, Bytes s, Bytes end) noexcept nogil:
    """At the end tag of that name, or at the end of the page."""
    while True:
        s = <Bytes>memchr(s, c"<", end - s)
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
            s = <Bytes>memchr(s, c"<", end - s)
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


cdef inline bint _ends_name(unsigned char c) noexcept nogil:
    return c == c">" or c == c"/" or is_space(c)


cdef inline bint _is_letter(unsigned char c) noexcept nogil:
    return c"a" <= (c | 0x20) <= c"z"


cdef inline Bytes _after_spaces(Bytes s, Bytes end) noexcept nogil:
    while s < end and is_space(s[0]):
        s += 1
    return s
