"""The columns of the table of changes: the commands that reuse work."""

from dataclasses import dataclass

from robustness.world import MODEL, PLUG

Argv = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A command that reuses work, in the folder `out`.

    again: the commands that are run again. first: those whose work they find, `again` itself if
    there are none. reads: what of the world they read, see `Row.of`. few: only the rows of the
    world, and of the options those marked as core: another column has the same code with all.
    compared: what must be equal. numbered: whether a store's shards must have the same numbers.
    """

    name: str
    again: tuple[Argv, ...]
    reads: frozenset[str]
    first: tuple[Argv, ...] = ()
    few: bool = False
    compared: tuple[str, ...] = ("out",)
    numbered: bool = True

    @property
    def command(self) -> str:
        return self.again[0][0]

    @property
    def made(self) -> tuple[Argv, ...]:
        """What makes the work that is found."""
        return self.first or self.again

    @property
    def fresh(self) -> tuple[Argv, ...]:
        """What makes the result in an empty folder."""
        return (*self.first, *self.again)


CUT = ("--extractors", f"{PLUG},shouting,cetr", "--texts", "gold=gold.jsonl", "--threads", "1")
_TOPICS = ("--topics", "topics.txt", "--qrels", "qrels.txt")
_VARIANTS = ("--sweep", "words=1,5,11", "--cleaners", f"{MODEL},{PLUG},bte,learned")
_RULE = f"{MODEL} & bte & learned"
_OUT = ("--output", "out", "--threads", "1")
_EXACT = ("--engine", "exact")
_REAL = ("--engine", "indexes")

STORE = ("segment", "--input", "pages", *CUT, "--metadata", "--output", "store")
"""Makes the store that most columns read."""

_SEGMENT = ("segment", "--input", "pages", *CUT, "--output", "out")
_BARE = ("segment", "--input", "pages", "--output", "out", "--threads", "1")
_EXTRACT = (
    *("extract", "--input", "pages", "--store", "out"),
    *("--extractors", f"{PLUG},shouting,cetr", "--threads", "1"),
)
_INDEX = ("index", "--store", "store", *_VARIANTS, *_OUT)
_KEEP = ("index", "--store", "store", "--keep", _RULE, *_OUT)
_PAGES = ("sweep", "--input", "pages", *_TOPICS, *_VARIANTS, *CUT, "--output", "out")
_STORED = ("sweep", "--store", "store", *_TOPICS, *_VARIANTS, *_OUT)
_GRID = (
    *("sweep", "--store", "store", *_TOPICS, "--measures", "P@10", "AP"),
    *("--grid", "words=1,5", f"{MODEL}>=0.3,0.6", *_OUT),
)
_COMPARE = ("compare", "--store", "store", *_TOPICS, *_VARIANTS, *_OUT)
_JUDGE = (
    *("judge", "--dataset", "folder", "--input", "judged", "--output", "out"),
    *("--cleaners", f"words>=3,bte,{MODEL},{PLUG},shouting,cetr,learned"),
)
_JUDGE_SOURCES = (
    *("judge", "--dataset", "folder=judged", "--dataset", "snippets=strings", "--output", "out"),
    *("--cleaners", f"words>=3,bte,{MODEL},learned"),
)
_EXPLAIN = (
    *("explain", "--store", "store", *_TOPICS, "--topic", "1", "--hits", "3"),
    *("--cleaners", f"words>=1,{_RULE}", "--output", "out/found.json"),
)
_FILES = ("--keep", f"{MODEL},{PLUG},bte,learned", "--passages", "8", "--overlap", "2")
_EXPORT = ("export", "--store", "store", *_FILES, *_OUT)
_EXPORT_PAGES = ("export", "--input", "pages", *CUT, *_FILES, "--output", "out")
_BLOGS = (
    *("blogs06", "--input", "blogs", "--topics", "blogs-topics.txt"),
    *("--qrels", "blogs-qrels.txt", *_OUT),
)


def _shares(argv: Argv, *shares: str) -> tuple[Argv, ...]:
    return tuple((*argv, "--share", share) for share in shares)


_CUTS = frozenset({"pages", "gold", "plug-in", "segmenting"})
_TAKES = frozenset({"pages", "plug-in", "segmenting"})
_CLEANS = frozenset({"store", "model", "cleaning"})
_EXPORTS = _CLEANS | {"kept text", "exporting"}
_INDEXES = _CLEANS | {"indexing", "lucene"}
_SEARCHES = frozenset({"topics", "qrels", "scoring"})
_BOTH = ("out", "out.parts")
_MERGE = ("merge", "out")

COLUMNS = (
    Column("segment", (_SEGMENT,), _CUTS),
    Column(
        "segment html",
        (("segment", "--input", "html", *_OUT),),
        frozenset({"html", "segmenting"}),
        few=True,
    ),
    Column(
        "segment shares",
        _shares(_SEGMENT, "2/2", "1/2"),
        _CUTS,
        first=_shares(_SEGMENT, "1/2"),
        few=True,
    ),
    Column(
        "segment --update",
        ((*_SEGMENT, "--update"),),
        _CUTS,
        first=(_SEGMENT,),
        few=True,
        numbered=False,
    ),
    Column("extract", (_EXTRACT,), _TAKES, first=(_BARE,)),
    Column("extract again", (_EXTRACT,), _TAKES, first=(_BARE, _EXTRACT), few=True),
    Column("index", (_INDEX,), _INDEXES),
    Column("index --keep", (_KEEP,), _CLEANS | {"one index", "kept text", "lucene"}),
    Column(
        "index --keep --update",
        ((*_KEEP, "--update"),),
        _CLEANS | {"one index", "kept text", "lucene"},
        first=(_KEEP,),
        few=True,
    ),
    Column(
        "index shares",
        (*_shares(_INDEX, "2/2"), _MERGE),
        _INDEXES,
        first=_shares(_INDEX, "1/2"),
        compared=_BOTH,
    ),
    Column(
        "index --keep shares",
        (*_shares(_KEEP, "2/2"), _MERGE),
        _CLEANS | {"one index", "kept text", "lucene"},
        first=_shares(_KEEP, "1/2"),
        few=True,
        compared=_BOTH,
    ),
    Column(
        "index merged",
        (*_shares(_INDEX, "1/2", "2/2"), _MERGE),
        _INDEXES,
        few=True,
        compared=_BOTH,
    ),
    Column("export", (_EXPORT,), _EXPORTS),
    Column("export pages", (_EXPORT_PAGES,), _CUTS | _EXPORTS - {"store"}),
    Column(
        "export shares",
        _shares(_EXPORT, "2/2", "1/2"),
        _EXPORTS,
        first=_shares(_EXPORT, "1/2"),
        few=True,
    ),
    Column("sweep", ((*_PAGES, *_REAL),), _CUTS | _SEARCHES | _INDEXES - {"store"}, few=True),
    Column(
        "sweep exact",
        ((*_PAGES, *_EXACT),),
        _CUTS | _SEARCHES | _INDEXES - {"store"} | {"ranking"},
    ),
    Column("sweep --store", ((*_STORED, *_REAL),), _SEARCHES | _INDEXES, few=True),
    Column(
        "sweep --store exact",
        ((*_STORED, *_EXACT),),
        _SEARCHES | _INDEXES | {"ranking"},
        few=True,
    ),
    Column(
        "sweep shares",
        (*_shares((*_STORED, *_EXACT), "2/2", "1/2"), (*_STORED, *_EXACT)),
        _SEARCHES | _CLEANS | {"ranking"},
        first=_shares((*_STORED, *_EXACT), "1/2"),
    ),
    Column(
        "sweep shares ranked",
        ((*_STORED, *_EXACT),),
        _SEARCHES | _CLEANS | {"ranking"},
        first=_shares((*_STORED, *_EXACT), "1/2", "2/2", "1/2", "2/2"),
        few=True,
    ),
    Column("sweep --grid", (_GRID,), _SEARCHES | {"store", "model", "ranking"}, few=True),
    Column("compare", ((*_COMPARE, *_EXACT),), _SEARCHES | _INDEXES | {"ranking", "studying"}),
    Column(
        "compare --engine indexes",
        ((*_COMPARE, *_REAL),),
        _SEARCHES | _INDEXES | {"studying"},
        few=True,
    ),
    Column("judge", (_JUDGE,), frozenset({"judged", "model", "plug-in", "cleaning", "segmenting"})),
    Column(
        "judge sources",
        (_JUDGE_SOURCES,),
        frozenset({"judged", "strings", "model", "cleaning", "segmenting"}),
        few=True,
    ),
    Column("explain", (_EXPLAIN,), _CLEANS | {"topics", "qrels", "ranking"}),
    Column("blogs06", ((*_BLOGS, *_EXACT),), frozenset({"blogs"}), few=True),
)

ALONE = {
    "assess": "adds judgements, which it never replaces; tests/eval/assess kills and repeats it",
    "pool": "writes its one file anew, and adds answers as assess does",
    "serve": "reads finished work, and adds judgements as assess does",
    "demo": "its inputs are made up, and no option changes them; it runs what sweep runs",
    "search": "writes its one file anew, and reads nothing of an older one",
    "evaluate": "writes nothing",
    "clean": "writes its one file anew, and reads nothing of an older one",
    "cleaners": "writes nothing",
    "features": "writes its one file anew, and reads nothing of an older one",
    "train": "writes its one file anew; what a stopped one left is named by all it depends on",
    "check": "writes nothing",
    "doctor": "writes nothing",
    "render": "needs Chromium; tests/rendering/test_render.py changes what its work depends on",
    "report": "draws a finished study again, and looks at what stands there first",
}
"""Commands that are no column, and why."""
