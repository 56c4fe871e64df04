"""What libxml2 2.14 knows of elements (HTMLparser.c)."""

# Elements that end with their start tag.
EMPTY = frozenset(
    "area base basefont br col frame hr img input isindex link meta param".split()
)

# An end tag closes no element of a higher priority on its way.
PRIORITIES = {
    "div": 150,
    **dict.fromkeys(("td", "th"), 160),
    "tr": 170,
    **dict.fromkeys(("thead", "tbody", "tfoot"), 180),
    "table": 190,
    **dict.fromkeys(("head", "body"), 200),
    "html": 220,
}

# Of every element that is not in PRIORITIES.
PRIORITY = 100

_ENDS_HEAD = (
    "a abbr acronym address b bdo big blockquote body br center cite code dd dfn dir div dl dt em "
    "fieldset font form frameset h1 h2 h3 h4 h5 h6 hr i iframe img kbd li listing map menu ol p "
    "pre q s samp small span strike strong sub sup table tt u ul var xmp"
)

# The starts of elements -> the elements that they end, where one of these is the innermost.
ENDED = (
    (_ENDS_HEAD, "head"),
    ("a", "a"),
    ("address menu pre", "p ul"),
    ("blockquote caption dir div h1 h2 h3 h4 h5 h6 head hr listing ol title xmp", "p"),
    ("body frameset", "link p style title"),
    ("center", "b font i p"),
    ("col", "caption col p"),
    ("colgroup", "caption col colgroup p"),
    ("dd dl", "address dir dt listing menu p pre xmp"),
    ("dt", "address dd dir listing menu p pre xmp"),
    ("fieldset", "a h1 h2 h3 h4 h5 h6 legend listing p pre xmp"),
    ("form", "address dir dl form h1 h2 h3 h4 h5 h6 hr listing menu ol p pre ul xmp"),
    ("li", "address dl h1 h2 h3 h4 h5 h6 li listing p pre xmp"),
    ("noscript", "script"),
    ("optgroup option", "option"),
    ("p", "b big h1 h2 h3 h4 h5 h6 i p s small strike tt u"),
    ("table", "a h1 h2 h3 h4 h5 h6 listing p pre xmp"),
    ("tbody", "caption col colgroup p tbody td tfoot th thead tr"),
    ("td th", "a b font i p span td th u"),
    ("tfoot", "caption col colgroup p tbody td th thead tr"),
    ("thead", "caption col colgroup"),
    ("tr", "caption col colgroup p td th tr"),
    ("ul", "address dir listing menu p pre xmp"),
)
