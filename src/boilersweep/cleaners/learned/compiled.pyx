# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Paragraphs, their features, and small networks that read them.

A document's blocks are counted once, into one table of paragraphs and one of elements. Then each
paragraph's features are written into a row, in the order of `paragraph_features`, which says what
they mean. What differs from the row before moves the networks' first sums, some rows at a time for
each tile of sums: they are exact (see `inference.ready_network`), so that neither their order nor
these steps change a bit.
"""

import numpy as np

from boilersweep.cleaners.published import boilerpipe
from boilersweep.cleaners.learned.features import (
    ENCLOSING,
    MARKS,
    NAME_BITS,
    ROLE_BITS,
    TAGS,
    WORD_BITS,
)
from boilersweep.features import characters
from boilersweep.features.characters import class_of
from boilersweep.pages.elements import PARAGRAPH

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    bint PyUnicode_IS_ASCII(object text)

cdef extern from *:
    """
    enum { TILE = 32 };  /* sums that are in registers at a time */

    #if defined(__GNUC__) && defined(__x86_64__)
    /* As `add_tile`, with the sums in registers: those of even and of odd changes, which need not
       wait for each other. */
    __attribute__((target("avx2,fma")))
    static void add_tile_avx2(float *sums, const float *weights, const double *factors,
                              double rounder, const int *inputs, const float *changes,
                              const int *ends, int rows, double *logits)
    {
        typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
        typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));
        typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
        typedef long long FourBits __attribute__((vector_size(32)));
        Eight even[TILE / 8], odd[TILE / 8];
        int row, i = 0, j;
        #pragma GCC unroll 4
        for (j = 0; j < TILE / 8; j++)
            even[j] = ((const Eight *)sums)[j];
        for (row = 0; row < rows; row++) {
            Four total = {0, 0, 0, 0};
            #pragma GCC unroll 4
            for (j = 0; j < TILE / 8; j++)
                odd[j] = (Eight){0};
            for (; i + 1 < ends[row]; i += 2) {
                const Eight *w = (const Eight *)(weights + (size_t)inputs[i] * TILE);
                const Eight *v = (const Eight *)(weights + (size_t)inputs[i + 1] * TILE);
                #pragma GCC unroll 4
                for (j = 0; j < TILE / 8; j++) {
                    even[j] += changes[i] * w[j];
                    odd[j] += changes[i + 1] * v[j];
                }
            }
            for (; i < ends[row]; i++) {
                const Eight *w = (const Eight *)(weights + (size_t)inputs[i] * TILE);
                #pragma GCC unroll 4
                for (j = 0; j < TILE / 8; j++)
                    even[j] += changes[i] * w[j];
            }
            #pragma GCC unroll 4
            for (j = 0; j < TILE / 8; j++) {
                even[j] += odd[j];
                ((Eight *)sums)[j] = even[j];
            }
            for (j = 0; j < TILE / 4; j++) {
                Four four = __builtin_convertvector(((const FourFloats *)sums)[j], Four);
                four = (Four)((FourBits)four & (four > 0));
                total += ((four + rounder) - rounder) * ((const Four *)factors)[j];
            }
            logits[row] += (total[0] + total[1]) + (total[2] + total[3]);
        }
    }
    #endif

    /* TILE sums of some rows, of which the changes of row r end at ends[r]. After them,
           sums[j] += changes[i] * weights[inputs[i]][j],
           logits[r] += the sum of max(sums[j], 0), rounded by `rounder`, times factors[j]. */
    static void add_tile(float *sums, const float *weights, const double *factors, double rounder,
                         const int *inputs, const float *changes, const int *ends, int rows,
                         double *logits)
    {
        int row, i = 0, j;
    #if defined(__GNUC__) && defined(__x86_64__)
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
            add_tile_avx2(sums, weights, factors, rounder, inputs, changes, ends, rows, logits);
            return;
        }
    #endif
        for (row = 0; row < rows; row++) {
            for (; i < ends[row]; i++)
                for (j = 0; j < TILE; j++)
                    sums[j] += changes[i] * weights[(size_t)inputs[i] * TILE + j];
            for (j = 0; j < TILE; j++)
                if (sums[j] > 0)
                    logits[row] += ((sums[j] + rounder) - rounder) * factors[j];
        }
    }

    /* The numbers and values of a row's values that differ; width: a multiple of 8. */
    static int unlike(const float *row, const float *before, int width, int *found, float *values)
    {
        int i, j, count = 0;
        for (i = 0; i < width; i += 8)
            if (memcmp(row + i, before + i, 8 * sizeof(float)))
                for (j = i; j < i + 8; j++) {
                    found[count] = j;
                    values[count] = row[j];
                    count += row[j] != before[j];
                }
        return count;
    }
    """
    enum: TILE
    void add_tile(
        float*, const float*, const double*, double, const int*, const float*, const int*, int,
        double*
    ) noexcept nogil
    int unlike(const float*, const float*, int, int*, float*) noexcept nogil


# Characters and words.

cdef enum:
    SPACE = 1 << 0
    LETTER = 1 << 1
    UPPER = 1 << 2
    LOWER = 1 << 3
    DIGIT = 1 << 4
    PUNCTUATION = 1 << 5
    SENTENCE_END = 1 << 6
    COMMA = 1 << 8
    SEPARATOR = 1 << 10
    COPYRIGHT = 1 << 11
    CURRENCY = 1 << 12
    QUESTION = 1 << 13
    AT = 1 << 14
    COLON = 1 << 15
    WORD = LETTER | DIGIT
    BMP = 0x10000

cdef uint16_t classes[BMP]
cdef dict beyond_bmp = {}
cdef const uint16_t[::1] _classes = characters.bmp_classes()
memcpy(classes, &_classes[0], sizeof(classes))

ctypedef fused Character:
    uint8_t
    uint16_t
    uint32_t


cdef int other_class(uint32_t character) except -1:
    known = beyond_bmp.get(character)
    if known is None:
        known = beyond_bmp[character] = class_of(chr(character))
    return known


cdef inline int class_at(const Character* s) except -1:
    if Character is uint32_t:
        if s[0] >= BMP:
            return other_class(s[0])
    return classes[s[0]]


cdef struct Counts:
    double characters, spaces, letters, digits, uppercase, punctuation, sentence_ends, commas
    double separators, copyright, currency, questions, at_signs, colons, capitalised, all_caps
    int first, last  # classes of the first and the last character that is no space


cdef int count_text(Counts* counts, const Character* s, Py_ssize_t length) except -1:
    """Add a text's counts; first and last become its own."""
    cdef Py_ssize_t i
    cdef int kind, opens = 0, within = 0, first = 0, last = 0
    cdef int spaces = 0, letters = 0, uppercase = 0
    cdef bint in_token = False
    for i in range(length + 1):
        kind = class_at(s + i) if i < length else SPACE
        if kind & SPACE:
            spaces += i < length
            if in_token:
                counts.capitalised += (within & WORD) != 0 and (opens & UPPER) != 0
                counts.all_caps += (within & (UPPER | LOWER)) == UPPER
                in_token = False
            continue
        if not in_token:
            in_token = True
            opens = kind
            within = 0
            if not last:
                first = kind
        within |= kind
        last = kind | BMP  # a character without classes counts, too
        letters += (kind & LETTER) != 0
        uppercase += (kind & UPPER) != 0
        if kind & ~(LETTER | UPPER | LOWER):
            counts.digits += (kind & DIGIT) != 0
            counts.punctuation += (kind & PUNCTUATION) != 0
            counts.commas += (kind & COMMA) != 0
            counts.separators += (kind & SEPARATOR) != 0
            counts.copyright += (kind & COPYRIGHT) != 0
            counts.currency += (kind & CURRENCY) != 0
            counts.questions += (kind & QUESTION) != 0
            counts.at_signs += (kind & AT) != 0
            counts.colons += (kind & COLON) != 0
            if kind & SENTENCE_END:
                counts.sentence_ends += (
                    i + 1 == length or class_at(s + i + 1) & (WORD | SENTENCE_END) == 0
                )
    counts.characters += length
    counts.spaces += spaces
    counts.letters += letters
    counts.uppercase += uppercase
    counts.first, counts.last = first, last & ~BMP
    return 0


cdef int count_string(Counts* counts, str text) except -1:
    cdef void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(text)
    cdef int width = PyUnicode_KIND(text)
    if width == 1:
        return count_text(counts, <const uint8_t*>data, length)
    if width == 2:
        return count_text(counts, <const uint16_t*>data, length)
    return count_text(counts, <const uint32_t*>data, length)


# Names and marks of elements.

cdef enum:
    SLOTS = 2048  # of the vocabulary's hashes; a power of two
    FNV_PRIME = 0x100000001B3

cdef uint64_t FNV_BASIS = <uint64_t>0xCBF29CE484222325

cdef struct Known:
    uint64_t hash
    int64_t bits

cdef struct Mark:
    int64_t words, kinds  # bits of MARKS, of ENCLOSING
    uint64_t look  # equal for marks that differ in their digits alone
    bint read

cdef struct TagName:
    int tag  # place in TAGS
    int64_t kinds
    uint64_t look
    bint is_inline

cdef Known known_words[SLOTS]
cdef Known known_roles[SLOTS]
memset(known_words, 0, sizeof(known_words))
memset(known_roles, 0, sizeof(known_roles))


cdef inline uint64_t step(uint64_t hash, uint8_t c) noexcept nogil:
    return (hash ^ c) * <uint64_t>FNV_PRIME


cdef uint64_t hash_of(bytes text):
    cdef uint64_t hash = FNV_BASIS
    cdef uint8_t c
    for c in text:
        hash = step(hash, c)
    return hash


cdef Known* slot_of(Known* table, uint64_t hash) noexcept nogil:
    cdef int slot = (hash ^ (hash >> 32)) & (SLOTS - 1)
    while table[slot].bits and table[slot].hash != hash:
        slot = (slot + 1) & (SLOTS - 1)
    return &table[slot]


cdef learn(Known* table, vocabulary):
    cdef Known* slot
    for word, bits in vocabulary.items():
        slot = slot_of(table, hash_of(word.encode()))
        slot.hash = hash_of(word.encode())
        slot.bits = bits

learn(known_words, WORD_BITS)
learn(known_roles, ROLE_BITS)

cdef uint64_t HIDDEN = hash_of(b"hidden")
cdef int64_t HIDDEN_BIT = 1 << list(ENCLOSING).index("hidden")
cdef int64_t ALL_MARKS = (1 << len(MARKS)) - 1


cdef inline bint is_upper(uint8_t c) noexcept nogil:
    return c"A" <= c <= c"Z"


cdef inline bint is_lower(uint8_t c) noexcept nogil:
    return c"a" <= c <= c"z"


cdef int read_mark(Mark* mark, str text) except -1:
    """Read an element's class and id tokens and its role, which spaces separate."""
    cdef bytes utf8 = text.encode("utf-8", "surrogatepass")
    cdef const uint8_t* s = utf8
    cdef const uint8_t* end = s + len(utf8)
    cdef const uint8_t* token_end
    mark.words = mark.kinds = 0
    mark.read = True
    mark.look = FNV_BASIS
    while s < end:
        token_end = s
        while token_end < end and token_end[0] != c" ":
            if not c"0" <= token_end[0] <= c"9":
                mark.look = step(mark.look, token_end[0])
            token_end += 1
        read_token(mark, s, token_end)
        if token_end < end:
            mark.look = step(mark.look, c" ")
        s = token_end + 1
    if not PyUnicode_IS_ASCII(text):
        without_digits = "".join([c for c in text if not c.isdecimal()])  # of all scripts
        mark.look = hash_of(without_digits.encode("utf-8", "surrogatepass"))
    return 0


cdef void read_token(Mark* mark, const uint8_t* s, const uint8_t* end) noexcept nogil:
    cdef uint64_t hash = FNV_BASIS, before = 0
    cdef const uint8_t* c
    cdef Known* slot
    if end - s >= 5 and s[0] == c"r" and s[1] == c"o" and s[2] == c"l" and s[3] == c"e" \
            and s[4] == c"=":
        c = s + 5
        while c < end:
            hash = step(hash, c[0])
            c += 1
        mark.kinds |= slot_of(known_roles, hash).bits
        return
    if end - s == 6:
        c = s
        while c < end:
            hash = step(hash, c[0])
            c += 1
        if hash == HIDDEN:
            mark.kinds |= HIDDEN_BIT
            return
    while s < end:
        # [A-Z]?[a-z]+ or [A-Z]+
        if not is_upper(s[0]) and not is_lower(s[0]):
            s += 1
            continue
        c = s
        hash = before = FNV_BASIS
        if is_upper(c[0]) and not (c + 1 < end and is_lower(c[1])):
            while c < end and is_upper(c[0]):
                before, hash = hash, step(hash, c[0] | 32)
                c += 1
        else:
            hash = step(hash, c[0] | 32)
            c += 1
            while c < end and is_lower(c[0]):
                before, hash = hash, step(hash, c[0])
                c += 1
        slot = slot_of(known_words, hash)
        if not slot.bits and (c - 1)[0] | 32 == c"s":
            slot = slot_of(known_words, before)
        mark.words |= slot.bits
        s = c


cdef int TAG_COUNT = len(TAGS)
cdef dict tag_at = {name: place for place, name in enumerate(TAGS)}
cdef dict tag_names = {}


cdef int read_name(TagName* name, str text) except -1:
    known = tag_names.get(text)
    if known is None:
        known = (
            tag_at.get(text, TAG_COUNT), NAME_BITS.get(text, 0), text in PARAGRAPH,
            hash_of(text.encode("utf-8", "surrogatepass")),
        )
        if len(tag_names) < 10_000:
            tag_names[text] = known
    name.tag, name.kinds, name.is_inline, name.look = known
    return 0


# Features.

cdef enum:
    BLOCKS_AT_A_TIME = 16384
    ROWS_AT_A_TIME = 32  # whose changes, and a tile's weights, stay in the processor's cache
    INTEGER_COLUMNS = 15
    LOGARITHMS = 1 << 13
    NEAR = 14  # values of a paragraph that its neighbours read
    OUTER_VALUES = 11
    DOCUMENT_VALUES = 27
    GROUPS = 3
    GROUP_VALUES = 6
    INTERVALS = 3
    HOLDERS = 3
    TAG_LEVELS = 4  # elements whose names are features: the innermost one and those around it
    OUTER_LEVELS = 5  # elements of different extent whose contents are features
    SCORED_WORDS = 5  # the least words of a paragraph with a score
    PROSE_WORDS = 10  # the least words of prose
    MOST_SENTENCE = 200
    MOST_STEPS = 50  # the largest distance from a heading or prose, in paragraphs
    MOST_AWAY = 60  # the largest distance from an interval or the container

cdef int KIND_COUNT = len(ENCLOSING)
cdef int MARK_COUNT = len(MARKS)
cdef double THIRD = boilerpipe.THIRD
cdef double FIVE_NINTHS = boilerpipe.FIVE_NINTHS
cdef double PROSE_LINKS = 0.34  # prose has a lower link density

cdef int TAG_P = tag_at["p"], TAG_H1 = tag_at["h1"], TAG_H2 = tag_at["h2"], TAG_H3 = tag_at["h3"]
cdef int TAG_LI = tag_at["li"], TAG_ARTICLE = tag_at["article"], TAG_DL = tag_at["dl"]

cdef int64_t kind_bit(str kind):
    return 1 << list(ENCLOSING).index(kind)

cdef int64_t mark_bit(str mark):
    return 1 << list(MARKS).index(mark)

cdef int64_t IN_FRAME = kind_bit("nav") | kind_bit("header") | kind_bit("footer") | kind_bit("aside")
cdef int64_t IN_HEADING = kind_bit("heading"), IN_LI = kind_bit("li"), IN_PRE = kind_bit("pre")
cdef int64_t IN_ARTICLE = kind_bit("article"), IN_MAIN = kind_bit("main")
cdef int64_t IN_TABLE = kind_bit("table")
cdef int64_t IN_COMMENT = mark_bit("comment"), IN_FORUM = mark_bit("forum")
cdef int64_t IN_PRODUCT = mark_bit("product"), IS_REVIEW = mark_bit("review")

cdef double logarithms[LOGARITHMS]
cdef const double[::1] _logarithms = np.log1p(np.arange(LOGARITHMS, dtype=np.float64))
memcpy(logarithms, &_logarithms[0], sizeof(logarithms))


cdef double other_log1p(double value) except? -1 with gil:
    return np.log1p(value)


cdef inline double log1p(double whole) except? -1 nogil:
    """Of a whole number from 0 on, as NumPy has it."""
    return logarithms[<int>whole] if whole < LOGARITHMS else other_log1p(whole)


cdef inline double least(double one, double other) noexcept nogil:
    return one if one < other else other


cdef inline double most(double one, double other) noexcept nogil:
    return one if one > other else other


cdef inline double sign(int number) noexcept nogil:
    return (number > 0) - (number < 0)


cdef inline void put(float** o, double value) noexcept nogil:
    o[0][0] = <float>value
    o[0] += 1


cdef struct Paragraph:
    Counts counts
    double words, link_words, links, blocks, density, algorithm1, algorithm2
    double tags_before, tags_between, tags
    double some_words, link_density, prose_words, score, depth
    bint prose, full_stop, in_p
    int element, parent, grandparent
    int64_t kinds, own_marks, near_marks, all_marks
    uint64_t text
    uint64_t alike[GROUPS]
    int groups[GROUPS]
    int repeats_of, copies
    int last_heading, next_heading, last_prose, next_prose
    int holders[HOLDERS]
    float near[NEAR]

cdef struct Element:
    int parent, outer, top, first, end, tag
    int list  # the first of the outermost definition lists beside the one around it, -1 for none
    int first_list  # of those in it
    int texted  # the innermost of it and those around it with text that is no code, or the root
    bint is_root, is_inline, has_values
    double depth, share
    int64_t kinds, words, all_words
    uint64_t look
    double scores[HOLDERS]
    double score
    float values[OUTER_VALUES]

cdef struct Sums:  # of all paragraphs of the document before one
    double words, link_words, prose, sentences, in_p, commas, algorithm2
    double text  # paragraphs that are no code

cdef struct Group:
    uint64_t key
    int first
    double count, words, link_words, sentences, prose
    float values[GROUP_VALUES]

cdef struct Interval:
    int first, end

cdef struct Document:
    double words, prose, some_words, some_prose, longest, depths, container_log
    int first_h1
    Interval intervals[INTERVALS]
    int innermost[3]
    int container, around
    double highest, second
    float values[DOCUMENT_VALUES]


cdef struct Columns:  # as `BlockColumns` and its structure have them
    const int64_t* starts
    const int64_t* words
    const double* density
    const int64_t* link_words
    const int64_t* elements
    const int64_t* before
    const int64_t* within
    const int64_t* links
    const uint8_t* joined
    const int64_t* element_starts
    const int64_t* names
    const int64_t* marks
    const int64_t* parents
    const int64_t* first
    const int64_t* end
    int64_t* owners  # the paragraph of each block
    int64_t* paragraph_starts


cdef struct Network:
    int width  # of the hidden layer, a multiple of TILE
    const double* mean
    const double* scale
    const float* weights  # exact: they have 24 bits; (width / TILE, inputs, TILE)
    const double* outputs
    double limit, bias, rounder, hidden_rounder
    float* inputs  # of the row before, as the sums have them
    float* sums
    const float* zero_inputs  # of a row of zeros
    const float* zero_sums


cdef uint64_t mixed(uint64_t one, uint64_t other) noexcept nogil:
    one = (one ^ (one >> 32)) * <uint64_t>0x9E3779B97F4A7C15
    return one ^ ((other + 7) * <uint64_t>0xC2B2AE3D27D4EB4F + (one >> 29))


cdef void* room(void* array, Py_ssize_t* capacity, Py_ssize_t count, size_t size) noexcept:
    """An array with room for so many, whose values are lost; NULL where there is no memory."""
    if count <= capacity[0] and array != NULL:
        return array
    cdef Py_ssize_t more = count + count // 4
    PyMem_Free(array)
    capacity[0] = 0
    array = PyMem_Malloc(more * size)
    if array != NULL:
        capacity[0] = more
    return array


cdef class Reader:
    """Reads documents, on one thread at a time.

    networks: `inference.ReadyNetwork` of each, three at most, with one hidden layer of relu.
    columns: the features that they read, of so many (width).
    """

    cdef list held  # the arrays that networks point to
    cdef Network networks[3]
    cdef int network_count
    cdef int width, row_room  # features of a row, and rounded up for `unlike`
    cdef Columns columns
    cdef Paragraph* all_paragraphs
    cdef Element* all_elements
    cdef Paragraph* paragraphs  # of the document
    cdef Element* elements
    cdef Sums* sums
    cdef Group* groups
    cdef int* slots
    cdef TagName* names
    cdef Mark* marks
    cdef Py_ssize_t paragraph_room, element_room, sums_room, groups_room, slots_room
    cdef Py_ssize_t names_room, marks_room
    cdef int paragraph_count, element_count
    cdef Document document
    cdef float* row
    cdef float* row_before
    cdef int* changed  # inputs that differ from the row before, of some rows
    cdef float* values  # of these
    cdef float* changes  # of these, as a network's sums have them
    cdef int ends[ROWS_AT_A_TIME]  # of each row's changes

    def __cinit__(self, networks, columns, int width):
        self.held = []
        self.width = width
        self.network_count = 0
        self.row_room = (width + 7) // 8 * 8
        self.row = <float*>PyMem_Calloc(self.row_room, sizeof(float))
        self.row_before = <float*>PyMem_Calloc(self.row_room, sizeof(float))
        most_changes = ROWS_AT_A_TIME * self.row_room
        self.changed = <int*>PyMem_Malloc(most_changes * sizeof(int))
        self.values = <float*>PyMem_Malloc(most_changes * sizeof(float))
        self.changes = <float*>PyMem_Malloc(most_changes * sizeof(float))
        if not (self.row and self.row_before and self.changed and self.values and self.changes):
            raise MemoryError
        for ready in networks:
            self.add_network(ready, columns)
        self.begin_rows()

    def __dealloc__(self):
        cdef int i
        for i in range(self.network_count):
            PyMem_Free(self.networks[i].inputs)
            PyMem_Free(self.networks[i].sums)
        PyMem_Free(self.row)
        PyMem_Free(self.row_before)
        PyMem_Free(self.changed)
        PyMem_Free(self.values)
        PyMem_Free(self.changes)
        PyMem_Free(self.all_paragraphs)
        PyMem_Free(self.all_elements)
        PyMem_Free(self.sums)
        PyMem_Free(self.groups)
        PyMem_Free(self.slots)
        PyMem_Free(self.names)
        PyMem_Free(self.marks)

    cdef int add_network(self, ready, columns) except -1:
        cdef Network* network = &self.networks[self.network_count]
        first, last = ready.layers
        hidden = first.weights.shape[1]
        padding = -hidden % TILE
        network.width = hidden + padding
        mean, scale, weights = np.zeros(self.width), np.zeros(self.width), np.zeros(
            (self.width, network.width)
        )
        mean[columns], scale[columns] = ready.mean, ready.scale
        weights[columns, :hidden] = first.weights
        network.mean, network.scale = self.doubles(mean), self.doubles(scale)
        network.limit = ready.limit
        tiles = weights.reshape(self.width, -1, TILE).swapaxes(0, 1)
        network.weights = self.floats(tiles)
        zeros = np.clip(-mean * scale, -ready.limit, ready.limit)
        zeros = (zeros + first.rounder) - first.rounder
        network.zero_inputs = self.floats(zeros)
        network.zero_sums = self.floats(zeros @ weights + np.pad(first.biases, (0, padding)))
        network.outputs = self.doubles(np.pad(last.weights[:, 0], (0, padding)))
        network.bias = last.biases[0]
        network.rounder, network.hidden_rounder = first.rounder, last.rounder
        network.inputs = <float*>PyMem_Malloc(self.width * sizeof(float))
        network.sums = <float*>PyMem_Malloc(network.width * sizeof(float))
        self.network_count += 1
        if network.inputs == NULL or network.sums == NULL:
            raise MemoryError
        return 0

    cdef const double* doubles(self, values) except NULL:
        cdef const double[::1] flat = np.ascontiguousarray(values, dtype=np.float64).ravel()
        self.held.append(flat)
        return &flat[0]

    cdef const float* floats(self, values) except NULL:
        cdef const float[::1] flat = np.ascontiguousarray(values, dtype=np.float32).ravel()
        self.held.append(flat)
        return &flat[0]

    def read(self, columns, structure, bint with_values):
        """Of documents with m blocks in p paragraphs.

        Gives (m,) the paragraph of each block, (n + 1,) where documents' paragraphs start, (p,)
        words, (p, 5) RELATIONS as `Rows` has them, (networks, p) logits, and (p, k) features if
        wanted, else (p, 0).
        """
        cdef Py_ssize_t documents = len(columns), blocks = len(columns.words)
        cdef Py_ssize_t first = 0, end, i
        cdef list texts = columns.texts, names = structure.name_list
        cdef list marks = structure.mark_list
        if len(texts) != blocks:
            raise ValueError(f"expected the texts of {blocks} blocks, got {len(texts)}")
        owners = np.empty(blocks, dtype=np.int64)
        starts = np.zeros(documents + 1, dtype=np.int64)
        held = self.take_columns(columns, structure, owners, starts)
        count = self.number_paragraphs(documents)
        words, logits = np.empty(count), np.empty((self.network_count, count))
        values = np.empty((count, self.width if with_values else 0), dtype=np.float32)
        relations = np.zeros((count, 5), dtype=np.int64)
        cdef double[::1] of_words = words
        cdef int64_t[:, ::1] of_relations = relations
        cdef double[:, ::1] of_networks = logits
        cdef float[:, ::1] of_rows = values
        self.names = <TagName*>room(self.names, &self.names_room, len(names) + 1, sizeof(TagName))
        self.marks = <Mark*>room(self.marks, &self.marks_room, len(marks) + 1, sizeof(Mark))
        if self.names == NULL or self.marks == NULL:
            raise MemoryError
        for i in range(len(names)):
            read_name(&self.names[i], names[i])
        for i in range(len(marks)):
            self.marks[i].read = False
        while first < documents:
            end = first + 1
            while (
                end < documents
                and self.columns.starts[end + 1] - self.columns.starts[first] <= BLOCKS_AT_A_TIME
            ):
                end += 1
            self.make_room(first, end)
            for i in range(first, end):
                self.begin_document(i, first)
                self.load_elements(i, marks)
                self.load_blocks(i, texts)
            with nogil:
                for i in range(first, end):
                    self.begin_document(i, first)
                    if self.paragraph_count:
                        self.relate()
                        self.rate(i, of_words, of_networks, of_rows, with_values)
                        self.write_relations(i, of_relations)
            first = end
        del held
        return owners, starts, words, relations, logits, values

    cdef take_columns(self, columns, structure, owners, starts):
        """Point at the columns; what is returned must be held while they are read."""
        cdef const int64_t[::1] integers
        cdef const double[::1] density = np.append(columns.density, 0.0)
        cdef const uint8_t[::1] joined = np.append(structure.joined, True).view(np.uint8)
        cdef const int64_t* pointers[INTEGER_COLUMNS]
        cdef Columns* own = &self.columns
        cdef int number
        held = [density, joined]
        for number, column in enumerate((
            columns.starts, columns.words, columns.link_words, structure.elements,
            structure.tags_before, structure.tags_within, structure.links, structure.starts,
            structure.names, structure.marks, structure.parents, structure.first, structure.end,
            owners, starts,
        )):
            # An array without items has no address; owners and starts are written in place.
            integers = column if len(column) else np.zeros(1, dtype=np.int64)
            held.append(integers)
            pointers[number] = &integers[0]
        own.density, own.joined = &density[0], &joined[0]
        own.starts, own.words, own.link_words = pointers[0], pointers[1], pointers[2]
        own.elements, own.before, own.within = pointers[3], pointers[4], pointers[5]
        own.links, own.element_starts, own.names = pointers[6], pointers[7], pointers[8]
        own.marks, own.parents, own.first = pointers[9], pointers[10], pointers[11]
        own.end = pointers[12]
        own.owners, own.paragraph_starts = <int64_t*>pointers[13], <int64_t*>pointers[14]
        return held

    cdef Py_ssize_t number_paragraphs(self, Py_ssize_t documents) noexcept:
        cdef Columns* own = &self.columns
        cdef Py_ssize_t document, block, count = 0
        for document in range(documents):
            own.paragraph_starts[document] = count
            for block in range(own.starts[document], own.starts[document + 1]):
                count += not own.joined[block] or block == own.starts[document]
                own.owners[block] = count - 1
        own.paragraph_starts[documents] = count
        return count

    cdef int make_room(self, Py_ssize_t first, Py_ssize_t end) except -1:
        """For some documents."""
        cdef Columns* own = &self.columns
        cdef Py_ssize_t count = own.paragraph_starts[end] - own.paragraph_starts[first] + 1
        cdef Py_ssize_t elements = own.element_starts[end] - own.element_starts[first] + 1
        cdef Py_ssize_t slots = 64
        while slots < 2 * count:
            slots *= 2
        self.all_paragraphs = <Paragraph*>room(
            self.all_paragraphs, &self.paragraph_room, count, sizeof(Paragraph)
        )
        self.all_elements = <Element*>room(
            self.all_elements, &self.element_room, elements, sizeof(Element)
        )
        self.sums = <Sums*>room(self.sums, &self.sums_room, count, sizeof(Sums))
        self.groups = <Group*>room(
            self.groups, &self.groups_room, (GROUPS + 1) * count, sizeof(Group)
        )
        self.slots = <int*>room(self.slots, &self.slots_room, slots, sizeof(int))
        if not (
            self.all_paragraphs and self.all_elements and self.sums and self.groups and self.slots
        ):
            raise MemoryError
        return 0

    cdef void begin_document(self, Py_ssize_t document, Py_ssize_t first) noexcept nogil:
        """first: of those that there is room for."""
        cdef Columns* own = &self.columns
        cdef Py_ssize_t paragraph = own.paragraph_starts[document]
        cdef Py_ssize_t element = own.element_starts[document]
        self.paragraph_count = own.paragraph_starts[document + 1] - paragraph
        self.element_count = own.element_starts[document + 1] - element
        self.paragraphs = self.all_paragraphs + (paragraph - own.paragraph_starts[first])
        self.elements = self.all_elements + (element - own.element_starts[first])

    cdef int load_elements(self, Py_ssize_t document, list mark_list) except -1:
        cdef Columns* own = &self.columns
        cdef Py_ssize_t start = own.element_starts[document], e, i
        cdef Py_ssize_t paragraph = own.paragraph_starts[document]
        cdef Element* element
        cdef TagName* name
        cdef Mark* mark
        for e in range(self.element_count):
            element = &self.elements[e]
            i = start + e
            name = &self.names[own.names[i]]
            mark = &self.marks[own.marks[i]]
            if not mark.read:
                read_mark(mark, mark_list[own.marks[i]])
            element.parent = own.parents[i] - start
            element.tag = name.tag
            element.is_inline = name.is_inline
            element.kinds = name.kinds | mark.kinds
            element.words = mark.words
            element.look = mixed(name.look, mark.look)
            if self.paragraph_count:
                element.first = own.owners[own.first[i]] - paragraph
                element.end = own.owners[own.end[i] - 1] - paragraph + 1
        self.inherit()
        return 0

    cdef int load_blocks(self, Py_ssize_t document, list texts) except -1:
        cdef Columns* own = &self.columns
        cdef Py_ssize_t b, p = -1, start = own.element_starts[document]
        cdef Py_ssize_t first = own.starts[document], end = own.starts[document + 1]
        cdef Paragraph* paragraph = NULL
        cdef uint64_t place = 0
        for b in range(first, end):
            if own.owners[b] - own.paragraph_starts[document] != p:
                p += 1
                paragraph = &self.paragraphs[p]
                memset(paragraph, 0, sizeof(Paragraph))
                paragraph.element = self.elements[own.elements[b] - start].outer
                paragraph.tags_before = own.before[b]
                place = 0
            place += 1
            count_block(paragraph, texts[b], place)
            paragraph.words += own.words[b]
            paragraph.link_words += own.link_words[b]
            paragraph.links += own.links[b]
            paragraph.blocks += 1
            paragraph.density += own.density[b] * own.words[b]
            paragraph.tags_between += own.before[b]
            paragraph.tags += own.within[b]
            self.apply_algorithms(paragraph, b, b > first, b + 1 < end)
        return 0

    cdef void apply_algorithms(
        self, Paragraph* paragraph, Py_ssize_t b, bint has_before, bint has_after
    ) noexcept nogil:
        """Algorithms 1 and 2 for a block, as `boilersweep.cleaners.published.boilerpipe` has them."""
        cdef Columns* own = &self.columns
        cdef int64_t words = own.words[b]
        cdef int64_t words_before = own.words[b - 1] if has_before else 0
        cdef int64_t words_after = own.words[b + 1] if has_after else 0
        cdef double dense_before = own.density[b - 1] if has_before else 0
        cdef double dense_after = own.density[b + 1] if has_after else 0
        cdef double links_before = 0
        cdef bint keep1, keep2
        if has_before:
            links_before = own.link_words[b - 1] / most(words_before, 1)
        if own.link_words[b] / most(words, 1) > THIRD:
            return
        if links_before <= FIVE_NINTHS:
            keep1 = (
                dense_after > 10 or dense_before > 4 if own.density[b] <= 9 else dense_after > 0
            )
            keep2 = words > 16 or words_after > 15 or words_before > 4
        else:
            keep1 = dense_after > 11
            keep2 = words > 40 or words_after > 17
        paragraph.algorithm1 += keep1 * words
        paragraph.algorithm2 += keep2 * words

    cdef int rate(
        self,
        Py_ssize_t document,
        double[::1] words,
        double[:, ::1] logits,
        float[:, ::1] values,
        bint with_values,
    ) except -1 nogil:
        """Write the rows of a document."""
        cdef int p, network, rows = 0
        cdef Py_ssize_t i
        for p in range(self.paragraph_count):
            i = self.columns.paragraph_starts[document] + p
            words[i] = self.paragraphs[p].words
            if self.write_row(p) != self.row + self.width:
                with gil:
                    raise AssertionError(f"expected {self.width} features")
            if with_values:
                memcpy(&values[i, 0], self.row, self.width * sizeof(float))
            self.find_changes(rows)
            rows += 1
            if rows == ROWS_AT_A_TIME or p + 1 == self.paragraph_count:
                for network in range(self.network_count):
                    self.rate_rows(&self.networks[network], rows, &logits[network, i + 1 - rows])
                rows = 0
        return 0

    cdef void write_relations(self, Py_ssize_t document, int64_t[:, ::1] relations) noexcept nogil:
        cdef int p, e, first
        cdef Py_ssize_t i
        cdef bint has_own
        cdef Paragraph* paragraph
        for e in range(self.element_count):
            has_own = self.elements[e].is_root or self.text_of(e) != 0
            self.elements[e].texted = e if has_own else self.elements[self.elements[e].parent].texted
        for p in range(self.paragraph_count):
            i = self.columns.paragraph_starts[document] + p
            paragraph = &self.paragraphs[p]
            first = self.groups[paragraph.repeats_of].first
            relations[i, 0] = (p - first) * (paragraph.alike[1] != self.paragraphs[first].alike[1])
            relations[i, 1] = p - self.groups[paragraph.groups[1]].first
            e = self.elements[paragraph.element].list
            relations[i, 2] = p - self.elements[e].first if e >= 0 else 0
            if paragraph.kinds & IN_PRE:
                e = self.elements[paragraph.element].texted
                if self.text_of(e):
                    relations[i, 3] = p - self.elements[e].first
                    relations[i, 4] = self.elements[e].end - p

    cdef double text_of(self, int e) noexcept nogil:
        return self.sums[self.elements[e].end].text - self.sums[self.elements[e].first].text

    cdef void inherit(self) noexcept nogil:
        """What elements have of those around them."""
        cdef int e
        cdef Element* element
        cdef Element* parent
        for e in range(self.element_count):
            element = &self.elements[e]
            parent = &self.elements[element.parent]
            element.is_root = element.parent == e
            element.list = element.first_list = -1
            element.has_values = False
            element.all_words = element.words
            memset(element.scores, 0, sizeof(element.scores))
            if element.is_root:
                element.depth = 0
                element.outer = element.top = e
                continue
            element.depth = parent.depth + 1
            element.list = parent.list
            if element.tag == TAG_DL and element.list < 0:
                if parent.first_list < 0:
                    parent.first_list = e
                element.list = parent.first_list
            element.kinds |= parent.kinds
            element.all_words |= parent.all_words
            element.outer = parent.outer if element.is_inline else e
            element.top = (
                parent.top if element.first == parent.first and element.end == parent.end else e
            )

    cdef int relate(self) except -1 nogil:
        """All that paragraphs' rows need of the whole document."""
        cdef int p
        cdef Paragraph* paragraph
        cdef Element* element
        cdef Element* parent
        cdef Element* grandparent
        cdef Counts* counts
        cdef uint64_t two
        for p in range(self.paragraph_count):
            paragraph = &self.paragraphs[p]
            counts = &paragraph.counts
            element = &self.elements[paragraph.element]
            paragraph.parent = element.parent
            parent = &self.elements[element.parent]
            paragraph.grandparent = parent.parent
            grandparent = &self.elements[parent.parent]
            paragraph.tags += paragraph.tags_between
            paragraph.some_words = most(paragraph.words, 1)
            paragraph.density /= paragraph.some_words
            paragraph.link_density = paragraph.link_words / paragraph.some_words
            paragraph.prose = (
                paragraph.words >= PROSE_WORDS and paragraph.link_density < PROSE_LINKS
            )
            paragraph.prose_words = paragraph.words * paragraph.prose
            paragraph.full_stop = (counts.last & SENTENCE_END) != 0
            paragraph.depth = element.depth
            paragraph.in_p = element.tag == TAG_P
            paragraph.kinds = element.kinds
            paragraph.own_marks = element.words
            paragraph.near_marks = element.words | parent.words | grandparent.words
            paragraph.all_marks = element.all_words
            two = mixed(element.look, parent.look)
            paragraph.alike[0] = two
            paragraph.alike[1] = mixed(two, grandparent.look)
            paragraph.alike[2] = mixed(parent.look, grandparent.look)
            paragraph.score = (
                (paragraph.words >= SCORED_WORDS)
                * (1 - paragraph.link_density)
                * (1 + least(counts.commas, 20) + least(paragraph.words / 17, 3))
            )
            self.write_near(paragraph)
        self.sum_up()
        self.find_neighbours()
        self.find_groups()
        self.find_intervals()
        self.find_innermost()
        self.find_container()
        self.write_document()
        return 0

    cdef int write_near(self, Paragraph* paragraph) except -1 nogil:
        cdef float* o = paragraph.near
        cdef Counts* counts = &paragraph.counts
        put(&o, log1p(paragraph.words) / 4)
        put(&o, paragraph.link_density)
        put(&o, paragraph.in_p)
        put(&o, (paragraph.kinds & IN_HEADING) != 0)
        put(&o, (paragraph.kinds & IN_LI) != 0)
        put(&o, counts.sentence_ends / paragraph.some_words * 4)
        put(&o, paragraph.full_stop)
        put(&o, counts.capitalised / paragraph.some_words)
        put(&o, counts.commas / paragraph.some_words * 8)
        put(&o, paragraph.prose)
        put(&o, paragraph.depth / 10)
        put(&o, (paragraph.kinds & IN_FRAME) != 0)
        put(&o, log1p(paragraph.tags_before) / 2)
        put(&o, paragraph.algorithm2 / paragraph.some_words)
        return 0

    cdef void sum_up(self) noexcept nogil:
        cdef int p
        cdef Sums* sums = self.sums
        cdef Paragraph* paragraph
        memset(sums, 0, sizeof(Sums))
        for p in range(self.paragraph_count):
            paragraph = &self.paragraphs[p]
            sums[p + 1].words = sums[p].words + paragraph.words
            sums[p + 1].link_words = sums[p].link_words + paragraph.link_words
            sums[p + 1].prose = sums[p].prose + paragraph.prose_words
            sums[p + 1].sentences = sums[p].sentences + paragraph.counts.sentence_ends
            sums[p + 1].in_p = sums[p].in_p + paragraph.words * paragraph.in_p
            sums[p + 1].commas = sums[p].commas + paragraph.counts.commas
            sums[p + 1].algorithm2 = sums[p].algorithm2 + paragraph.algorithm2
            sums[p + 1].text = sums[p].text + ((paragraph.kinds & IN_PRE) == 0)
        self.document.words = sums[self.paragraph_count].words
        self.document.prose = sums[self.paragraph_count].prose
        self.document.some_words = self.document.words + 1e-6
        self.document.some_prose = self.document.prose + 1e-6

    cdef void find_neighbours(self) noexcept nogil:
        cdef int p, heading = -1, prose = -1
        cdef Paragraph* paragraph
        self.document.first_h1 = -1
        self.document.longest = self.document.depths = 0
        for p in range(self.paragraph_count):
            paragraph = &self.paragraphs[p]
            if paragraph.kinds & IN_HEADING:
                heading = p
            if paragraph.prose:
                prose = p
            paragraph.last_heading, paragraph.last_prose = heading, prose
            if self.document.first_h1 < 0 and self.elements[paragraph.element].tag == TAG_H1:
                self.document.first_h1 = p
            self.document.longest = most(self.document.longest, paragraph.words)
            self.document.depths += paragraph.depth
        heading = prose = -1
        for p in range(self.paragraph_count - 1, -1, -1):
            paragraph = &self.paragraphs[p]
            if paragraph.kinds & IN_HEADING:
                heading = p
            if paragraph.prose:
                prose = p
            paragraph.next_heading, paragraph.next_prose = heading, prose

    cdef int find_groups(self) except -1 nogil:
        """Paragraphs with the same texts, and in elements that look alike."""
        cdef int p, kind, number, count = 0, begin
        cdef uint64_t key
        cdef Paragraph* paragraph
        cdef Group* group
        cdef Py_ssize_t slot, mask = 64
        while mask < 2 * self.paragraph_count:
            mask *= 2
        mask -= 1
        for kind in range(GROUPS + 1):
            memset(self.slots, 0, (mask + 1) * sizeof(int))
            begin = count
            for p in range(self.paragraph_count):
                paragraph = &self.paragraphs[p]
                key = paragraph.alike[kind] if kind < GROUPS else paragraph.text
                slot = (key * <uint64_t>0x9E3779B97F4A7C15 >> 32) & mask
                while self.slots[slot] and self.groups[self.slots[slot] - 1].key != key:
                    slot = (slot + 1) & mask
                if not self.slots[slot]:
                    memset(&self.groups[count], 0, sizeof(Group))
                    self.groups[count].key = key
                    self.groups[count].first = p
                    count += 1
                    self.slots[slot] = count
                number = self.slots[slot] - 1
                group = &self.groups[number]
                group.count += 1
                if kind == GROUPS:
                    paragraph.repeats_of = number
                else:
                    paragraph.groups[kind] = number
                    group.words += paragraph.words
                    group.link_words += paragraph.link_words
                    group.sentences += paragraph.counts.sentence_ends
                    group.prose += paragraph.prose_words
            if kind < GROUPS:
                for number in range(begin, count):
                    self.write_group(&self.groups[number])
        return 0

    cdef int write_group(self, Group* group) except -1 nogil:
        cdef float* o = group.values
        cdef double some = most(group.words, 1)
        put(&o, log1p(group.count) / 5)
        put(&o, group.words / self.document.some_words)
        put(&o, least(group.words / group.count / 30, 4))
        put(&o, group.link_words / some)
        put(&o, group.sentences / some * 4)
        put(&o, group.prose / some)
        return 0

    cdef void find_intervals(self) noexcept nogil:
        cdef int p, kind, start
        cdef double total, lowest, best, score
        cdef Paragraph* paragraph
        cdef Interval* interval
        for kind in range(INTERVALS):
            interval = &self.document.intervals[kind]
            total = 0
            lowest = best = 0
            start = 0
            interval.end = -1
            for p in range(self.paragraph_count):
                paragraph = &self.paragraphs[p]
                if kind == 0:
                    score = paragraph.words - paragraph.tags_between
                elif kind == 1:
                    score = paragraph.words - 2 * paragraph.link_words - paragraph.tags_between
                else:
                    score = paragraph.words if paragraph.prose else -paragraph.words / 2
                    score -= 3 * paragraph.tags_between
                if total <= lowest:
                    lowest = total
                    start = p
                total += score
                if interval.end < 0 or total - lowest > best:
                    best = total - lowest
                    interval.first, interval.end = start, p

    cdef void find_innermost(self) noexcept nogil:
        """The innermost elements that hold one half, three and nine tenths of all prose."""
        cdef int kind, e
        cdef double share
        cdef Element* element
        for e in range(self.element_count):
            element = &self.elements[e]
            element.share = (
                self.sums[element.end].prose - self.sums[element.first].prose
            ) / self.document.some_prose
        for kind in range(3):
            share = 0.5 if kind == 0 else 0.75 if kind == 1 else 0.9
            e = self.element_count - 1
            while e and self.elements[e].share < share:
                e -= 1
            self.document.innermost[kind] = e

    cdef int find_container(self) except -1 nogil:
        cdef int p, e, level, best = 0
        cdef Paragraph* paragraph
        cdef Element* element
        cdef Sums* before
        cdef Sums* until
        cdef double highest = 0, second = 0
        for p in range(self.paragraph_count):
            paragraph = &self.paragraphs[p]
            e = paragraph.element
            if self.elements[e].end - self.elements[e].first == 1:
                e = self.elements[self.elements[e].top].parent
            for level in range(HOLDERS):
                paragraph.holders[level] = e
                self.elements[e].scores[level] += paragraph.score / (level + 1)
                e = self.elements[self.elements[e].top].parent
        for e in range(self.element_count):
            element = &self.elements[e]
            before, until = &self.sums[element.first], &self.sums[element.end]
            element.score = element.scores[0] + element.scores[1] + element.scores[2]
            element.score *= 1 - (until.link_words - before.link_words) / most(
                until.words - before.words, 1
            )
            if e == 0 or element.score > highest:
                highest = element.score
        for e in range(self.element_count):
            if self.elements[e].score > 0 and self.elements[e].score >= highest:
                best = e
        element = &self.elements[best]
        for e in range(self.element_count):
            if self.elements[e].end <= element.first or self.elements[e].first >= element.end:
                second = most(second, self.elements[e].score)
        self.document.container = best
        self.document.around = self.elements[element.top].parent
        self.document.highest, self.document.second = highest, second
        self.document.container_log = other_log1p(highest + 1e-6)
        return 0

    cdef double share_of(self, double words) noexcept nogil:
        return words / self.document.some_words

    cdef int write_document(self) except -1 nogil:
        """What is the same for all paragraphs."""
        cdef int p, e
        cdef float* o = self.document.values
        cdef Document* document = &self.document
        cdef Sums* total = &self.sums[self.paragraph_count]
        cdef Paragraph* paragraph
        cdef double article = 0, main = 0, frame = 0, table = 0, pre = 0
        cdef double comment = 0, forum = 0, product = 0
        cdef double tags = 0, currency = 0, reviews = 0, questions = 0
        cdef double articles = 0, ps = 0, lis = 0, h1s = 0, h2s = 0
        for p in range(self.paragraph_count):
            paragraph = &self.paragraphs[p]
            article += paragraph.words * ((paragraph.kinds & IN_ARTICLE) != 0)
            main += paragraph.words * ((paragraph.kinds & IN_MAIN) != 0)
            frame += paragraph.words * ((paragraph.kinds & IN_FRAME) != 0)
            table += paragraph.words * ((paragraph.kinds & IN_TABLE) != 0)
            pre += paragraph.words * ((paragraph.kinds & IN_PRE) != 0)
            comment += paragraph.words * ((paragraph.all_marks & IN_COMMENT) != 0)
            forum += paragraph.words * ((paragraph.all_marks & IN_FORUM) != 0)
            product += paragraph.words * ((paragraph.all_marks & IN_PRODUCT) != 0)
            reviews += (paragraph.own_marks & IS_REVIEW) != 0
            tags += paragraph.tags
            currency += paragraph.counts.currency
            questions += paragraph.counts.questions
        for e in range(self.element_count):
            articles += self.elements[e].tag == TAG_ARTICLE
            ps += self.elements[e].tag == TAG_P
            lis += self.elements[e].tag == TAG_LI
            h1s += self.elements[e].tag == TAG_H1
            h2s += self.elements[e].tag == TAG_H2 or self.elements[e].tag == TAG_H3
        put(&o, log1p(self.paragraph_count) / 8)
        put(&o, log1p(document.words) / 8)
        put(&o, self.share_of(total.link_words))
        put(&o, self.share_of(total.prose))
        put(&o, self.share_of(total.in_p))
        put(&o, log1p(document.prose) / 8)
        put(&o, self.share_of(article))
        put(&o, self.share_of(main))
        put(&o, self.share_of(frame))
        put(&o, least(articles, 20) / 20)
        put(&o, log1p(ps) / 5)
        put(&o, log1p(lis) / 6)
        put(&o, log1p(h1s))
        put(&o, log1p(h2s) / 4)
        put(&o, self.share_of(table))
        put(&o, self.share_of(pre))
        put(&o, log1p(tags) / 8)
        put(&o, document.words / (document.words + tags + 1e-6))
        put(&o, least(currency, 50) / 50)
        put(&o, document.longest / (document.words + 1e-6))
        put(&o, log1p(document.longest) / 6)
        put(&o, self.share_of(total.algorithm2))
        put(&o, self.share_of(comment))
        put(&o, self.share_of(forum))
        put(&o, self.share_of(product))
        put(&o, least(reviews, 20) / 20)
        put(&o, least(questions, 20) / 20)
        return 0

    # Rows.

    cdef float* write_row(self, int p) except NULL nogil:
        cdef float* o = self.row
        o = self.write_text(p, o)
        o = self.write_place(p, o)
        o = self.write_tags(p, o)
        o = self.write_marks(p, o)
        o = self.write_neighbours(p, o)
        memcpy(o, self.document.values, sizeof(self.document.values))
        o = self.write_context(p, o + DOCUMENT_VALUES)
        o = self.write_ancestors(p, o)
        o = self.write_look_alikes(p, o)
        o = self.write_centre(p, o)
        return self.write_container(p, o)

    cdef float* write_text(self, int p, float* o) except NULL nogil:
        cdef Paragraph* paragraph = &self.paragraphs[p]
        cdef Counts* counts = &paragraph.counts
        cdef double words = paragraph.words, some = paragraph.some_words
        cdef double dense = counts.characters - counts.spaces
        cdef double some_dense = most(dense, 1)
        put(&o, log1p(words) / 4)
        put(&o, log1p(dense) / 6)
        put(&o, least(dense / some, 40) / 8)
        put(&o, least(words / (counts.sentence_ends + 1), MOST_SENTENCE) / 20)
        put(&o, log1p(counts.sentence_ends))
        put(&o, counts.capitalised / some)
        put(&o, counts.all_caps / some)
        put(&o, counts.punctuation / some_dense * 4)
        put(&o, counts.letters / some_dense)
        put(&o, counts.digits / some_dense * 2)
        put(&o, counts.uppercase / some_dense * 2)
        put(&o, counts.sentence_ends / some * 4)
        put(&o, counts.commas / some * 8)
        put(&o, least(counts.separators, 5) / 5)
        put(&o, least(counts.copyright, 1))
        put(&o, least(counts.currency, 2) / 2)
        put(&o, least(counts.questions, 2) / 2)
        put(&o, least(counts.at_signs, 1))
        put(&o, least(counts.colons, 3) / 3)
        put(&o, paragraph.full_stop)
        put(&o, (counts.last & PUNCTUATION) != 0)
        put(&o, (counts.last & COLON) != 0)
        put(&o, (counts.first & UPPER) != 0)
        put(&o, (counts.first & DIGIT) != 0)
        put(&o, paragraph.link_density)
        put(&o, log1p(paragraph.links) / 2)
        put(&o, least(paragraph.links / some, 1))
        put(&o, paragraph.density / 15)
        put(&o, words == 1)
        put(&o, log1p(paragraph.blocks - 1) )
        return o

    cdef float* write_place(self, int p, float* o) except NULL nogil:
        cdef Paragraph* paragraph = &self.paragraphs[p]
        cdef double words = paragraph.words, count = self.paragraph_count, after = 0
        cdef double share = p / most(count - 1, 1)
        cdef double word_share = (self.sums[p].words + words / 2) / self.document.some_words
        if p + 1 < self.paragraph_count:
            after = self.paragraphs[p + 1].tags_before
        put(&o, share)
        put(&o, word_share)
        put(&o, abs(share - 0.5) * 2)
        put(&o, abs(word_share - 0.5) * 2)
        put(&o, log1p(p) / 5)
        put(&o, log1p(count - 1 - p) / 5)
        put(&o, words / self.document.some_words)
        put(&o, words / most(self.document.longest, 1))
        put(&o, log1p(paragraph.tags_before) / 2)
        put(&o, log1p(after) / 2)
        put(&o, log1p(paragraph.tags) / 3)
        put(&o, least(paragraph.depth, 40) / 10)
        put(&o, (paragraph.depth - self.document.depths / count) / 5)
        return o

    cdef float* write_tags(self, int p, float* o) except NULL nogil:
        cdef int level, bit, e = self.paragraphs[p].element
        cdef int64_t kinds = self.paragraphs[p].kinds
        memset(o, 0, TAG_LEVELS * (TAG_COUNT + 1) * sizeof(float))
        for level in range(TAG_LEVELS):
            o[TAG_COUNT if self.elements[e].is_root else self.elements[e].tag] = 1
            o += TAG_COUNT + 1
            e = self.elements[e].parent
        return write_bits(o, kinds, KIND_COUNT)

    cdef float* write_marks(self, int p, float* o) except NULL nogil:
        cdef Paragraph* paragraph = &self.paragraphs[p]
        o = write_bits(o, paragraph.own_marks, MARK_COUNT)
        o = write_bits(o, paragraph.near_marks, MARK_COUNT)
        return write_bits(o, paragraph.all_marks, MARK_COUNT)

    cdef float* write_neighbours(self, int p, float* o) except NULL nogil:
        cdef int number, at
        cdef Paragraph* own = &self.paragraphs[p]
        cdef Paragraph* other
        for number in range(4):
            at = p + (number - 2 if number < 2 else number - 1)
            if at < 0 or at >= self.paragraph_count:
                memset(o, 0, (NEAR + 3) * sizeof(float))
                o += NEAR + 3
                continue
            other = &self.paragraphs[at]
            memcpy(o, other.near, sizeof(other.near))
            o += NEAR
            put(&o, own.element == other.element or own.alike[1] == other.alike[1])
            put(&o, own.parent == other.parent)
            put(&o, 1)
        return o

    cdef double distance(self, int p, int other) except? -1 nogil:
        return log1p(min(abs(p - other), MOST_STEPS) if other >= 0 else MOST_STEPS) / 4

    cdef float* write_context(self, int p, float* o) except NULL nogil:
        cdef Paragraph* paragraph = &self.paragraphs[p]
        cdef Group* same = &self.groups[paragraph.repeats_of]
        cdef Sums* sums = self.sums
        cdef bint has_h1 = self.document.first_h1 >= 0
        cdef int away = p - self.document.first_h1
        cdef int level = 8, number, reach, low, high
        cdef bint repeats = same.first != p
        if paragraph.last_heading >= 0:
            level = self.elements[self.paragraphs[paragraph.last_heading].element].tag - TAG_H1
            level = max(0, min(8, level))
        put(&o, has_h1 and away < 0)
        put(&o, has_h1 and away >= 0)
        put(&o, has_h1)
        put(&o, sign(away) * log1p(abs(away)) / 5 if has_h1 else 0)
        put(&o, self.distance(p, paragraph.last_heading))
        put(&o, self.distance(p, paragraph.next_heading))
        put(&o, level / 8.0)
        put(&o, self.distance(p, paragraph.last_prose))
        put(&o, self.distance(p, paragraph.next_prose))
        put(&o, repeats)
        put(&o, same.count > 1 and not repeats)
        for number in range(3):
            reach = 3 if number == 0 else 8 if number == 1 else 20
            low, high = max(p - reach, 0), min(p + reach + 1, self.paragraph_count)
            put(&o, (sums[high].prose - sums[low].prose) / (sums[high].words - sums[low].words + 1e-6))
        put(&o, sums[p].prose / self.document.some_prose)
        put(&o, sums[p + 1].prose / self.document.some_prose)
        return o

    cdef float* write_ancestors(self, int p, float* o) except NULL nogil:
        cdef int level, e = self.paragraphs[p].element
        cdef Element* element
        for level in range(OUTER_LEVELS):
            element = &self.elements[e]
            if not element.has_values:
                self.write_outer(element)
            memcpy(o, element.values, 10 * sizeof(float))
            o += 10
            put(&o, (p - element.first) / most(element.end - element.first, 1))
            put(&o, element.values[10])
            e = self.elements[element.top].parent
        return o

    cdef int write_outer(self, Element* element) except -1 nogil:
        """All but the place in it."""
        cdef Sums* before = &self.sums[element.first]
        cdef Sums* until = &self.sums[element.end]
        cdef double held = until.words - before.words
        cdef double prose = until.prose - before.prose
        cdef double some = most(held, 1), count = most(element.end - element.first, 1)
        cdef float* o = element.values
        put(&o, log1p(held) / 6)
        put(&o, held / self.document.some_words)
        put(&o, (until.link_words - before.link_words) / some)
        put(&o, prose / some)
        put(&o, prose / self.document.some_prose)
        put(&o, log1p(count) / 5)
        put(&o, least(held / count / 30, 4))
        put(&o, (until.sentences - before.sentences) / some * 4)
        put(&o, (until.in_p - before.in_p) / some)
        put(&o, (until.commas - before.commas) / some * 8)
        put(&o, (until.algorithm2 - before.algorithm2) / some)
        element.has_values = True
        return 0

    cdef float* write_look_alikes(self, int p, float* o) except NULL nogil:
        cdef int kind
        for kind in range(GROUPS):
            memcpy(o, self.groups[self.paragraphs[p].groups[kind]].values, GROUP_VALUES * sizeof(float))
            o += GROUP_VALUES
        return o

    cdef float* write_centre(self, int p, float* o) except NULL nogil:
        cdef int kind, away
        cdef bint inside
        cdef Paragraph* paragraph = &self.paragraphs[p]
        cdef Interval* interval
        cdef Element* element
        cdef Sums* before
        cdef Sums* until
        cdef double held
        put(&o, paragraph.algorithm1 / paragraph.some_words)
        put(&o, paragraph.algorithm2 / paragraph.some_words)
        for kind in range(INTERVALS):
            interval = &self.document.intervals[kind]
            inside = interval.first <= p <= interval.end
            away = p - interval.first if p < interval.first else p - interval.end
            put(&o, inside)
            put(&o, 0 if inside else sign(away) * (log1p(min(abs(away), MOST_AWAY)) / 4))
        for kind in range(3):
            element = &self.elements[self.document.innermost[kind]]
            before, until = &self.sums[element.first], &self.sums[element.end]
            inside = element.first <= p < element.end
            held = until.words - before.words
            put(&o, inside)
            put(&o, 0 if inside else -1 if p < element.first else 1)
            put(&o, (paragraph.depth - element.depth) / 5 * inside)
            put(&o, (p - element.first) / most(element.end - element.first, 1) * inside)
            put(&o, held / self.document.some_words)
            put(&o, (until.prose - before.prose) / most(held, 1))
        return o

    cdef float* write_container(self, int p, float* o) except NULL nogil:
        cdef Document* document = &self.document
        cdef Paragraph* paragraph = &self.paragraphs[p]
        cdef Element* element = &self.elements[document.container]
        cdef Sums* before = &self.sums[element.first]
        cdef Sums* until = &self.sums[element.end]
        cdef bint inside = element.first <= p < element.end
        cdef int away = p - element.first if p < element.first else p - element.end + 1
        cdef double top = document.highest + 1e-6
        cdef double held = until.words - before.words
        cdef double count = most(element.end - element.first, 1)
        cdef int level
        put(&o, inside)
        put(&o, 0 if inside else sign(away) * (log1p(min(abs(away), MOST_AWAY)) / 4))
        put(&o, (paragraph.depth - element.depth) / 5 * inside)
        put(&o, (p - element.first) / count * inside)
        for level in range(HOLDERS):
            put(&o, paragraph.holders[level] == document.container)
            put(&o, self.elements[paragraph.holders[level]].score / top)
        put(&o, paragraph.holders[0] == document.around)
        put(&o, paragraph.holders[1] == document.around)
        put(&o, document.second / (document.highest + 1e-6))
        put(&o, held / document.some_words)
        put(&o, (until.prose - before.prose) / document.some_prose)
        put(&o, (until.link_words - before.link_words) / most(held, 1))
        put(&o, log1p(held) / 8)
        put(&o, least(held / count / 30, 4))
        put(&o, document.container_log / 4)
        put(&o, before.words / document.some_words)
        return o

    # Networks.

    cdef void begin_rows(self) noexcept nogil:
        """The sums of a row of zeros."""
        cdef int i
        cdef Network* network
        memset(self.row_before, 0, self.row_room * sizeof(float))
        for i in range(self.network_count):
            network = &self.networks[i]
            memcpy(network.inputs, network.zero_inputs, self.width * sizeof(float))
            memcpy(network.sums, network.zero_sums, network.width * sizeof(float))

    cdef void find_changes(self, int row) noexcept nogil:
        """Of the row that was written, the next one or, after ROWS_AT_A_TIME, the first."""
        cdef int end = self.ends[row - 1] if row else 0
        self.ends[row] = end + unlike(
            self.row, self.row_before, self.row_room, self.changed + end, self.values + end
        )
        self.row, self.row_before = self.row_before, self.row

    cdef void rate_rows(self, Network* network, int rows, double* logits) noexcept nogil:
        """The logits of the rows whose changes are found."""
        cdef int i, number, tile
        cdef double value, limit = network.limit, rounder = network.rounder
        cdef const double* mean = network.mean
        cdef const double* scale = network.scale
        cdef float* inputs = network.inputs
        cdef const int* changed = self.changed
        cdef float* changes = self.changes
        for number in range(self.ends[rows - 1]):
            i = changed[number]
            value = (self.values[number] - mean[i]) * scale[i]
            value = most(-limit, least(value, limit))
            value = (value + rounder) - rounder
            changes[number] = <float>value - inputs[i]
            inputs[i] = <float>value
        for number in range(rows):
            logits[number] = network.bias
        for tile in range(network.width // TILE):
            i = tile * TILE
            add_tile(
                network.sums + i, network.weights + i * self.width, network.outputs + i,
                network.hidden_rounder, changed, changes, self.ends, rows, logits,
            )


cdef int count_block(Paragraph* paragraph, str text, uint64_t place) except -1:
    cdef int first = paragraph.counts.first
    count_string(&paragraph.counts, text)
    if place > 1:
        paragraph.counts.first = first
    paragraph.text += <uint64_t>(<int64_t>hash(text)) * (2 * place + 1)
    return 0


cdef inline float* write_bits(float* o, int64_t bits, int count) noexcept nogil:
    cdef int bit
    for bit in range(count):
        o[bit] = (bits >> bit) & 1
    return o + count
