# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The parser's target, compiled: what `boilersweep.pages.segmenter` says, one pass over the text.

It gets the tags and texts that the pure one gets of lxml, with names as numbers and texts in UTF-8.
A text is folded, cut into tokens, counted and wrapped as it comes in, and nothing of a page becomes
a Python object before its end. With the structure it records what
`boilersweep.pages.page.Recorder` says. A page of more than `most` blocks or elements makes
what is called raise TooManyBlocksError.
"""

from functools import lru_cache
from unicodedata import is_normalized

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from libc.string cimport memcpy

from boilersweep.pages.compiled.attributes cimport is_space, write_marks
from boilersweep.pages.compiled.buffer cimport Buffer, append, reserve
from boilersweep.pages.compiled.names cimport FOREIGN, ROOT
from boilersweep.pages.compiled.utf8 cimport decode

from boilersweep.pages.elements import CONTAINERS, HEADINGS, PARAGRAPH, RUNNING, roles_of
from boilersweep.pages.stray_characters import (
    COMPOSING,
    DIVIDED,
    DIVIDERS,
    EMOJI,
    FLAG,
    JOINED,
    JOINERS,
    NEVER_SHOWN,
    SELECTORS,
    TAGS as TAG_RANGES,
    as_shown as as_shown_text,
)
from boilersweep.pages.page import PackedPage, PackedStructure
from boilersweep.pages.page import VOID, TooManyBlocksError
from boilersweep.pages.words import (
    LINE_WIDTH,
    UNBROKEN as UNBROKEN_RANGES,
    UNSPACED as RANGES,
    gaps_in_words,
    measured,
)

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4)
    bint Py_UNICODE_ISALNUM(Py_UCS4)


cdef enum Role:
    """As `elements.Role` has them; from CONTAINER on it is the number of its name in TAGS."""
    INLINE
    LINK
    ITEM
    SPACES
    HIDDEN
    REPLACED
    SKIPPED
    IN_TITLE
    BORDER
    CONTAINER


cdef enum:
    ENDED = -1  # in place of the tag to return to: the element has ended already
    WITHIN = -2  # ... a block runs on across it; WITHIN - role


cdef enum:
    """Bits of what is known of a name beside its role."""
    ROLE_BITS = 63
    IN_PARAGRAPH = 64  # does not end one
    IS_VOID = 128


cdef enum Kind:
    """Bits of what a character is: str.isspace, str.isalnum, `words.UNSPACED`, `words.UNBROKEN`.

    The others are those of `stray_characters`. DIVIDES, JOINS and SELECTS are of the characters
    that are shown beside others of that bit alone, INVISIBLE otherwise, and of these others;
    FLAGGED is of a flag and of what is shown behind it. No character below 2 ** 16 is FLAGGED.
    """
    OTHER = 0
    SPACE = 1
    ALNUM = 2
    UNSPACED = 4
    INVISIBLE = 8
    DIVIDES = 16
    JOINS = 32
    COMPOSES = 64
    SELECTS = 128
    UNBROKEN = 256
    FLAGGED = 512
    DECIDES = DIVIDES | JOINS | SELECTS
    REMEMBERED = DECIDES | FLAGGED


cdef Py_ssize_t line_width = LINE_WIDTH
cdef list TAGS = [name.encode() for name in ["body", *sorted(CONTAINERS)]]
cdef frozenset RUNNING_TAGS = frozenset(TAGS.index(name.encode()) for name in RUNNING)
cdef frozenset HEADING_TAGS = frozenset(TAGS.index(name.encode()) for name in HEADINGS)
cdef int CODE_TAG = TAGS.index(b"pre")


@lru_cache(maxsize=2)
def known_names(borders):
    """The role of every known name, with its bits, and that of all others, as that of ""."""
    roles = roles_of(borders)
    known = {}
    for name in {"", *roles, *PARAGRAPH, *VOID}:
        role = int(roles[name])
        if role == CONTAINER:
            role += TAGS.index(name.encode())
        known[name] = (
            role
            | (IN_PARAGRAPH if name in PARAGRAPH else 0)
            | (IS_VOID if name in VOID else 0)
        )
    return known


cdef enum:
    BMP = 0x10000
    WAITING_BYTES = 3  # of a character that waits, in UTF-8

cdef unsigned short bmp_kinds[BMP]
cdef unsigned int beyond_bmp[64][3]  # the ranges of characters there, and a bit of theirs
cdef int beyond_count = 0


cdef int _kind(Py_UCS4 character) noexcept:
    cdef int kind = ALNUM if Py_UNICODE_ISALNUM(character) else OTHER
    cdef int i
    if Py_UNICODE_ISSPACE(character):
        return SPACE
    for i in range(beyond_count):
        if beyond_bmp[i][0] <= character <= beyond_bmp[i][1]:
            kind |= beyond_bmp[i][2]
    return kind


cdef inline int _kind_of(Py_UCS4 character) noexcept:
    return bmp_kinds[character] if character < BMP else _kind(character)


cdef bint _ends_unbroken(Bytes end) noexcept:
    """Whether the last character of a text beyond ASCII is UNBROKEN."""
    cdef Py_UCS4 character
    cdef Bytes s = end - 1
    if s[0] < 0x80:
        return False
    while s[0] & 0xC0 == 0x80:
        s -= 1
    return decode(s, end, &character) != 0 and (_kind_of(character) & UNBROKEN) != 0


cdef inline bint _is_one_character(Bytes s, Bytes end) noexcept:
    cdef Py_UCS4 character
    return end - s == (decode(s, end, &character) if s[0] >= 0x80 else 1)


def _each(characters):
    return [(ord(one), ord(one)) for one in characters]


cdef int _fill_bmp() noexcept:
    cdef int code
    for code in range(BMP):
        bmp_kinds[code] = _kind(code)
    return 0


cdef int _add_bits(int bits, bint is_added, unsigned int first, unsigned int last) noexcept:
    """Add bits to the kinds of a range of characters; where not, they are all of their bits."""
    global beyond_count
    cdef unsigned int code
    if first < BMP:
        for code in range(first, last + 1):
            bmp_kinds[code] = (bmp_kinds[code] if is_added else 0) | bits
    else:
        beyond_bmp[beyond_count][0], beyond_bmp[beyond_count][1] = first, last
        beyond_bmp[beyond_count][2] = bits
        beyond_count += 1
    return 0


_fill_bmp()
for _bits, _is_added, _ranges in (
    (UNSPACED, True, RANGES),
    (UNBROKEN, True, UNBROKEN_RANGES),
    (DIVIDES, True, DIVIDED),
    (JOINS, True, JOINED),
    (SELECTS, True, EMOJI),
    (COMPOSES, True, COMPOSING),
    (FLAGGED, True, _each(FLAG)),
    (INVISIBLE | FLAGGED, True, TAG_RANGES),
    (INVISIBLE | DIVIDES, False, _each(DIVIDERS)),
    (INVISIBLE | JOINS, False, _each(JOINERS)),
    (INVISIBLE | SELECTS, False, _each(SELECTORS)),
    (INVISIBLE, False, NEVER_SHOWN),
):
    for _first, _last in _ranges:
        _add_bits(_bits, _is_added, _first, _last)


cdef class Blocks:
    """After `begin_page`, `start`, `end` and `data` for a page; `close` gives it."""

    def __cinit__(self, Names names not None, bint structure, Py_ssize_t most, bint as_shown):
        self.names = names
        self.as_shown = as_shown
        self.has_structure = structure
        self.most = most
        self.borders = []
        self.begin_page()

    def __dealloc__(self):
        PyMem_Free(self.text.start)
        PyMem_Free(self.title.start)
        PyMem_Free(self.marks.start)
        PyMem_Free(self.attributes.start)
        PyMem_Free(self.blocks)
        PyMem_Free(self.enclosing)
        PyMem_Free(self.open)
        PyMem_Free(self.elements)

    cdef int begin_page(self) except -1:
        """Turn to a new page."""
        self.is_invalid = self.composes = False
        self.text.size = self.title.size = self.marks.size = self.attributes.size = 0
        self.block_count = self.element_count = 0
        self.characters_of_all = self.words_of_all = 0
        self.unspaced = {}
        self.doctype = ""
        self.enclosing_count = self.ended = 0
        self.tag = 0
        self.link_depth = self.skipping = 0
        self.skips = []
        self.in_title = False
        self.token_length = 0
        self.token_is_word = self.token_is_linked = False
        self.item_ended = self.item_begun = self.was_one = False
        self.begin_block()
        self.before = self.within = self.link_count = self.markup = 0
        self.is_joined = self.is_off = self.is_unindexed = False
        self.depth = self.entered = 0
        if self.has_structure:
            self.open_element(ROOT, NULL, NULL, False)
        return 0

    cdef int start(self, int name, Bytes attributes, Bytes attributes_end) except -1:
        cdef int known
        cdef int role
        cdef int characters = self.names.names[name].characters + 2
        if name == FOREIGN:
            self.skips.append((self.enclosing_count, self.skipping))
            self.skipping = 0
        if self.skipping:
            self.skipping += 1
            self.count_tag(characters)
            return 0
        known = self.names.names[name].known
        role = known & ROLE_BITS
        if role == LINK:
            self.link_depth += 1
            self.was_one = False
            if self.link_depth == 1 and self.characters:
                self.borders.append(self.characters)
            self.link_count += 1
        elif role >= SKIPPED:
            self.end_block()
        elif role == SPACES or role == REPLACED:
            self.end_token()
        self.count_tag(characters)
        if role < HIDDEN:
            self.enter(WITHIN - role)
            if role == LINK or role == ITEM:
                self.item_begun = self.item_ended
        elif role >= BORDER:
            self.enter(self.tag)
            if role >= CONTAINER:
                self.tag = role - CONTAINER
            if self.has_structure:
                self.open_element(name, attributes, attributes_end, (known & IN_PARAGRAPH) != 0)
        else:
            self.skipping = 1
            if role == IN_TITLE:
                self.in_title = True
                append(&self.title, <Bytes>b" ", 1)  # after another title
        return 0

    cdef int end(self, int name) except -1:
        cdef int outer
        cdef int known = self.names.names[name].known
        cdef int characters = self.names.names[name].characters + 3
        if self.skipping:
            self.skipping -= 1
            if not self.skipping:
                self.in_title = False
        else:
            self.enclosing_count -= 1
            outer = self.enclosing[self.enclosing_count]
            if outer == ENDED:
                self.ended -= 1
                return 0
            if outer >= 0:
                self.end_block()
                self.tag = outer
                if self.has_structure:
                    self.end_element((known & IN_PARAGRAPH) != 0)
                if self.skips and self.skips[len(self.skips) - 1][0] == self.enclosing_count:
                    self.skipping = self.skips.pop()[1]
            elif outer == WITHIN - LINK:
                self.link_depth -= 1
                self.was_one = False
                if self.link_depth == 0 and self.characters:
                    self.borders.append(self.characters)
                self.item_ended = self.as_shown
            elif outer == WITHIN - ITEM:
                self.item_ended = self.as_shown
            elif outer == WITHIN - SPACES:
                self.end_token()
        if not known & IS_VOID:
            self.count_tag(characters)
        return 0

    cdef int note_ended(self, Py_ssize_t count) except -1:
        """So many open elements have ended before the parser ends them: ignore their ends."""
        self.ended += count
        while count:
            self.enter(ENDED)
            count -= 1
        return 0

    cdef int data(self, Bytes s, Py_ssize_t length) except -1:
        """Add a text to the block, its tokens with single spaces between them."""
        cdef Bytes end = s + length
        cdef unsigned char* token
        cdef unsigned char* run
        cdef unsigned char* o
        cdef Py_ssize_t characters
        cdef Py_UCS4 character
        cdef int kind, kinds, width
        cdef bint is_one, is_glued
        if self.skipping:
            if self.in_title:
                append(&self.title, s, length)
            return 0
        if self.as_shown:
            s = self.after_invisible(s, end)
            if s == end:
                return 0
        is_one = _is_one_character(s, end)
        if self.item_begun and self.token_length and self.parts_items(s):
            if not (is_one and self.was_one and self.is_heading()):
                self.end_token()
        self.was_one = is_one
        self.item_ended = self.item_begun = False
        # The space before its first token, and a character that waits
        reserve(&self.text, length + 1 + WAITING_BYTES)
        while s < end:
            o = self.text.start + self.text.size
            is_glued = self.is_broken and self.is_unbroken(s, end)
            if self.characters and not self.token_length and not is_glued:
                o[0] = c" "
                o += 1
            token = o
            kinds = kind = characters = 0
            width = 1
            while s < end:
                if s[0] < 0x80:
                    self.behind = self.waiting = 0
                    run = o
                    while s < end and s[0] < 0x80:
                        kind = bmp_kinds[s[0]]
                        if kind == SPACE:
                            break
                        kinds |= kind
                        o[0] = s[0]
                        o += 1
                        s += 1
                    characters += o - run
                    if kind == SPACE:
                        break
                else:
                    width = decode(s, end, &character)
                    if width == 0:
                        self.is_invalid = True
                        return 0
                    kind = _kind_of(character)
                    if kind == SPACE:
                        self.behind = self.waiting = 0
                        break
                    if kind & INVISIBLE and self.as_shown and not kind & self.behind:
                        self.pass_over(character, kind)
                        s += width
                        width = 1
                        continue
                    if self.waiting and kind & bmp_kinds[self.waiting]:
                        o[0] = 0xE0 | self.waiting >> 12
                        o[1] = 0x80 | (self.waiting >> 6 & 0x3F)
                        o[2] = 0x80 | (self.waiting & 0x3F)
                        o += WAITING_BYTES
                        characters += 1
                    self.behind = kind & (FLAGGED if kind & INVISIBLE else REMEMBERED)
                    self.waiting = 0
                    memcpy(o, s, width)
                    o += width
                    s += width
                    width = 1
                    kinds |= kind
                    characters += 1
            if o > token:
                if self.characters == 0:
                    self.begins_linked = self.link_depth > 0
                elif not self.token_length and not is_glued:
                    self.characters += 1
                self.is_broken = False
                self.ends_unbroken = (kinds & UNBROKEN) != 0 and _ends_unbroken(o)
                self.characters += characters
                self.text.size = o - self.text.start
                self.kinds |= kinds
                self.token_length += characters
                self.token_is_word |= (kinds & ALNUM) != 0
                self.token_is_linked |= self.link_depth > 0
            if s < end:
                self.end_token()
                if self.ends_unbroken:
                    self.ends_unbroken = s[0] < 0x80
                    self.is_broken = self.ends_unbroken and (
                        self.is_broken or s[0] == c"\n" or s[0] == c"\r"
                    )
                s += width
                while s < end and not self.ends_unbroken and is_space(s[0]):
                    s += 1
        return 0

    cdef bint is_unbroken(self, Bytes s, Bytes end) noexcept:
        """Whether a letter comes next that a line break does not part from the one before."""
        cdef Py_UCS4 character
        cdef int kind, width
        while self.as_shown and self.tag != CODE_TAG and s < end and s[0] >= 0x80:
            width = decode(s, end, &character)
            kind = _kind_of(character) if width else OTHER
            if not kind & INVISIBLE:
                return (kind & UNBROKEN) != 0
            s += width
        return False

    cdef bint is_heading(self):
        return self.tag in HEADING_TAGS

    cdef Bytes after_invisible(self, Bytes s, Bytes end) except NULL:
        """Behind the characters at the beginning of a text that are not shown."""
        cdef Py_UCS4 character
        cdef int kind, width
        while s < end and s[0] >= 0x80:
            width = decode(s, end, &character)
            if width == 0:
                break
            kind = _kind_of(character)
            if not kind & INVISIBLE or kind & self.behind:
                break
            self.pass_over(character, kind)
            s += width
        return s

    cdef inline void pass_over(self, Py_UCS4 character, int kind) noexcept:
        """Leave out a character; one that may be shown waits for what follows it."""
        if kind & DECIDES:
            self.behind = 0
            self.waiting = <int>character

    cdef object close(self):
        """The page."""
        cdef BlockPlace* block
        cdef int number
        self.end_block()
        while self.entered:
            self.entered -= 1
            self.elements[self.open[self.entered].place].end = self.block_count
        texts, text_ends = self.strings(False)
        title = _text(&self.title).decode()
        if self.as_shown:
            title = as_shown_text(title)
            for start, stop in reversed(gaps_in_words(title)):
                title = title[:start] + title[stop:]
            if self.composes and not is_normalized("NFC", texts.decode()):
                self.is_invalid = True  # the pure segmenter composes it
                return None
        unspaced_words = 0
        if self.unspaced:
            ends = memoryview(text_ends).cast("i")
            cut = [
                texts[ends[number - 1] if number else 0 : ends[number]].decode()
                for number in self.unspaced
            ]
            counts = measured(cut, list(self.unspaced.values()))
            for number, words, density, links in zip(self.unspaced, *counts, strict=True):
                block = &self.blocks[number]
                self.words_of_all += words - block.words
                unspaced_words += words
                block.words, block.density, block.link_words = words, density, links
        tags, tag_ends = self.strings(True)
        page = PackedPage(
            " ".join(title.split()),
            self.block_count,
            self.words_of_all,
            unspaced_words,
            self.characters_of_all,
            _block_numbers(self, offsetof_characters),
            {
                "texts": texts,
                "words": _block_numbers(self, offsetof_words),
                "density": _densities(self),
                "link_words": _block_numbers(self, offsetof_link_words),
                "tags": tags,
            },
            {"texts": text_ends, "tags": tag_ends},
            self.structure() if self.has_structure else None,
        )
        return page

    def structure(self):
        cdef int i
        cdef bytes joined = PyBytes_FromStringAndSize(NULL, self.block_count)
        cdef bytes unindexed = PyBytes_FromStringAndSize(NULL, self.block_count)
        cdef char* is_joined = PyBytes_AS_STRING(joined)
        cdef char* is_unindexed = PyBytes_AS_STRING(unindexed)
        cdef bytes names, name_ends, mark_ends, attribute_ends
        cdef Name* name
        cdef Py_ssize_t size = 0
        cdef char* o
        cdef int* ends
        for i in range(self.block_count):
            is_joined[i] = self.blocks[i].joined
            is_unindexed[i] = self.blocks[i].unindexed
        for i in range(self.element_count):
            size += self.names.names[self.elements[i].name].size
        names = PyBytes_FromStringAndSize(NULL, size)
        name_ends = PyBytes_FromStringAndSize(NULL, self.element_count * sizeof(int))
        mark_ends = PyBytes_FromStringAndSize(NULL, self.element_count * sizeof(int))
        o = PyBytes_AS_STRING(names)
        ends = <int*>PyBytes_AS_STRING(name_ends)
        for i in range(self.element_count):
            name = &self.names.names[self.elements[i].name]
            memcpy(o, name.text, name.size)
            o += name.size
            ends[i] = o - PyBytes_AS_STRING(names)
        ends = <int*>PyBytes_AS_STRING(mark_ends)
        for i in range(self.element_count):
            ends[i] = self.elements[i].marks_end
        attribute_ends = PyBytes_FromStringAndSize(NULL, self.element_count * sizeof(int))
        ends = <int*>PyBytes_AS_STRING(attribute_ends)
        for i in range(self.element_count):
            ends[i] = self.elements[i].attributes_end
        return PackedStructure(
            self.element_count,
            {
                "elements": _block_numbers(self, offsetof_element),
                "tags_before": _block_numbers(self, offsetof_before),
                "tags_within": _block_numbers(self, offsetof_within),
                "links": _block_numbers(self, offsetof_links),
                "markup": _block_numbers(self, offsetof_markup),
                "joined": joined,
                "unindexed": unindexed,
                "names": names,
                "marks": _text(&self.marks),
                "classes": _element_numbers(self, offsetof_classes),
                "ids": _element_numbers(self, offsetof_ids),
                "attributes": _text(&self.attributes),
                "parents": _element_numbers(self, offsetof_parent),
                "first": _element_numbers(self, offsetof_first),
                "end": _element_numbers(self, offsetof_end),
            },
            {"names": name_ends, "marks": mark_ends, "attributes": attribute_ends},
            self.doctype,
        )

    cdef object strings(self, bint of_tags):
        """The texts of the blocks or the names of their tags: all as UTF-8, and their ends."""
        cdef bytes ends = PyBytes_FromStringAndSize(NULL, self.block_count * sizeof(int))
        cdef int* place = <int*>PyBytes_AS_STRING(ends)
        cdef bytes tag
        cdef int i, end = 0
        if not of_tags:
            for i in range(self.block_count):
                place[i] = self.blocks[i].end
            return _text(&self.text), ends
        tags = []
        for i in range(self.block_count):
            tag = <bytes>TAGS[self.blocks[i].tag]
            tags.append(tag)
            end += len(tag)
            place[i] = end
        return b"".join(tags), ends

    cdef void begin_block(self) noexcept:
        self.text_start = self.text.size
        self.behind = self.waiting = 0
        self.is_broken = self.ends_unbroken = False
        self.characters = self.words = self.link_words = 0
        self.lines = self.words_on_lines = self.kinds = 0
        if self.borders:
            self.borders.clear()

    cdef int enter(self, int outer) except -1:
        if self.enclosing_count == self.enclosing_capacity:
            self.enclosing = <int*>_grown(self.enclosing, &self.enclosing_capacity, sizeof(int))
        self.enclosing[self.enclosing_count] = outer
        self.enclosing_count += 1
        return 0

    cdef inline void end_token(self) noexcept:
        if self.token_is_word:
            # Equation 1: on the line if it fits, else on the next; alone if it fits none.
            if self.words == 0:
                self.column = self.token_length
            elif self.column + 1 + self.token_length <= line_width:
                self.column += 1 + self.token_length
            else:
                self.lines += 1
                self.words_on_lines = self.words
                self.column = self.token_length
            self.words += 1
            self.link_words += self.token_is_linked
        self.token_length = 0
        self.token_is_word = self.token_is_linked = False

    cdef bint parts_items(self, Bytes s) noexcept:
        """Whether the text that begins an item touches the item before by letters."""
        cdef unsigned char last = self.text.start[self.text.size - 1]
        return (
            (last >= 0x80 or bmp_kinds[last] & ALNUM)
            and (s[0] >= 0x80 or bmp_kinds[s[0]] & ALNUM)
            and self.tag not in RUNNING_TAGS
        )

    cdef int end_block(self) except -1:
        if self.characters == 0:
            return 0
        self.end_token()
        if self.words:
            self.append_block()
        else:
            self.text.size = self.text_start
        if self.has_structure:
            self.record_block()
        self.begin_block()
        return 0

    cdef int append_block(self) except -1:
        cdef BlockPlace* block
        cdef Py_ssize_t capacity = self.block_capacity
        if self.block_count == capacity:
            self.blocks = <BlockPlace*>_grown(self.blocks, &capacity, sizeof(BlockPlace))
            self.block_capacity = capacity
        self.composes |= (self.kinds & COMPOSES) != 0
        if self.kinds & UNSPACED:
            self.unspaced[self.block_count] = (
                [0, *self.borders] if self.begins_linked else self.borders[:]
            )
        block = &self.blocks[self.block_count]
        block.end = self.text.size
        block.characters = self.characters
        block.words = self.words
        block.link_words = self.link_words
        block.tag = self.tag
        block.density = self.words
        if self.lines:
            block.density = <double>self.words_on_lines / self.lines
        self.characters_of_all += self.characters
        self.words_of_all += self.words
        self.block_count += 1
        if self.block_count > self.most:
            raise TooManyBlocksError(self.most)
        return 0

    # The structure.

    cdef inline void count_tag(self, int characters) noexcept:
        """A tag of so many characters."""
        self.markup += characters
        if self.characters:
            self.within += 1
        else:
            self.before += 1

    cdef int open_element(
        self, int name, Bytes attributes, Bytes attributes_end, bint in_paragraph
    ) except -1:
        cdef OpenElement* element
        self.is_joined = self.is_joined and in_paragraph
        if self.depth == self.open_capacity:
            self.open = <OpenElement*>_grown(self.open, &self.open_capacity, sizeof(OpenElement))
        element = &self.open[self.depth]
        element.name = name
        element.place = -1
        element.attributes = attributes
        element.attributes_end = attributes_end
        self.depth += 1
        return 0

    cdef int end_element(self, bint in_paragraph) except -1:
        cdef int place
        self.is_joined = self.is_joined and in_paragraph
        self.depth -= 1
        place = self.open[self.depth].place
        if place >= 0:
            self.elements[place].end = self.block_count
            self.entered = self.depth
        return 0

    cdef int record_block(self) except -1:
        """A block has ended, which is in the table if it has a word."""
        cdef BlockPlace* block
        if self.words:
            if self.entered < self.depth:
                self.enter_elements()
            block = &self.blocks[self.block_count - 1]
            block.element = self.open[self.depth - 1].place
            block.before = self.before
            block.within = self.within
            block.links = self.link_count
            block.markup = self.markup
            block.joined = self.is_joined
            block.unindexed = self.is_unindexed
            self.is_joined = True
            self.before = self.within = self.link_count = self.markup = 0
        else:
            self.before += self.within
            self.within = 0
        self.is_unindexed = self.is_off
        return 0

    cdef void switch_off(self, bint is_off) noexcept:
        """Switch search engines off or on for the blocks that begin from here."""
        self.is_off = is_off
        if self.characters == 0:
            self.is_unindexed = is_off

    cdef int enter_elements(self) except -1:
        """Put the open elements into the table that are not there yet."""
        cdef Py_ssize_t depth
        cdef Py_ssize_t capacity
        cdef ElementPlace* element
        cdef OpenElement* opened
        if self.element_count + self.depth - self.entered > self.most:
            raise TooManyBlocksError(self.most, "elements")
        for depth in range(self.entered, self.depth):
            if self.element_count == self.element_capacity:
                capacity = self.element_capacity
                self.elements = <ElementPlace*>_grown(
                    self.elements, &capacity, sizeof(ElementPlace)
                )
                self.element_capacity = capacity
            opened = &self.open[depth]
            element = &self.elements[self.element_count]
            element.classes = element.ids = 0
            if opened.attributes != NULL:
                write_marks(
                    &self.marks,
                    &self.attributes,
                    opened.attributes,
                    opened.attributes_end,
                    &element.classes,
                    &element.ids,
                )
            element.name = opened.name
            element.marks_end = self.marks.size
            element.attributes_end = self.attributes.size
            element.parent = self.open[depth - 1].place if depth else 0
            element.first = self.block_count - 1
            element.end = 0
            opened.place = self.element_count
            self.element_count += 1
        self.entered = self.depth
        return 0


# The numbers of blocks and elements, column by column.

cdef BlockPlace a_block
cdef ElementPlace an_element
cdef Py_ssize_t offsetof_characters = <char*>&a_block.characters - <char*>&a_block
cdef Py_ssize_t offsetof_words = <char*>&a_block.words - <char*>&a_block
cdef Py_ssize_t offsetof_link_words = <char*>&a_block.link_words - <char*>&a_block
cdef Py_ssize_t offsetof_element = <char*>&a_block.element - <char*>&a_block
cdef Py_ssize_t offsetof_before = <char*>&a_block.before - <char*>&a_block
cdef Py_ssize_t offsetof_within = <char*>&a_block.within - <char*>&a_block
cdef Py_ssize_t offsetof_links = <char*>&a_block.links - <char*>&a_block
cdef Py_ssize_t offsetof_markup = <char*>&a_block.markup - <char*>&a_block
cdef Py_ssize_t offsetof_parent = <char*>&an_element.parent - <char*>&an_element
cdef Py_ssize_t offsetof_classes = <char*>&an_element.classes - <char*>&an_element
cdef Py_ssize_t offsetof_ids = <char*>&an_element.ids - <char*>&an_element
cdef Py_ssize_t offsetof_first = <char*>&an_element.first - <char*>&an_element
cdef Py_ssize_t offsetof_end = <char*>&an_element.end - <char*>&an_element


cdef bytes _block_numbers(Blocks self, Py_ssize_t offset):
    return _numbers(<char*>self.blocks, self.block_count, sizeof(BlockPlace), offset)


cdef bytes _element_numbers(Blocks self, Py_ssize_t offset):
    return _numbers(<char*>self.elements, self.element_count, sizeof(ElementPlace), offset)


cdef bytes _numbers(char* places, int count, Py_ssize_t step, Py_ssize_t offset):
    cdef bytes numbers = PyBytes_FromStringAndSize(NULL, count * sizeof(int))
    cdef int* number = <int*>PyBytes_AS_STRING(numbers)
    cdef int i
    for i in range(count):
        number[i] = (<int*>(places + i * step + offset))[0]
    return numbers


cdef bytes _densities(Blocks self):
    cdef bytes numbers = PyBytes_FromStringAndSize(NULL, self.block_count * sizeof(double))
    cdef double* number = <double*>PyBytes_AS_STRING(numbers)
    cdef int i
    for i in range(self.block_count):
        number[i] = self.blocks[i].density
    return numbers


cdef bytes _text(Buffer* buffer):
    return PyBytes_FromStringAndSize(<char*>buffer.start, buffer.size)


cdef void* _grown(void* array, Py_ssize_t* capacity, size_t item) except NULL:
    """An array with room for more; where it raises, it is as it was."""
    cdef Py_ssize_t more = 2 * capacity[0] if capacity[0] else 64
    cdef void* grown = PyMem_Realloc(array, more * item)
    if grown == NULL:
        raise MemoryError
    capacity[0] = more
    return grown
