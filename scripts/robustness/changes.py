"""Change one thing: the commands that reuse work, and everything that can be changed under them.

A cell is a column, a command whose work stands in its output, and a row, one thing that is not
what it was when the command runs again. An option that is new wants a row, or a reason to have
none: tests/test_change_one_thing.py compares the table with the parsers.
"""

import gzip
import importlib.util
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from robustness import world
from robustness.world import MODEL, PLUG

Argv = tuple[str, ...]
Change = Callable[[Path], object]
Source = tuple[str, str, str]
"""A file of the package, and what is replaced in it by what."""

SAME = "same"
"""Of a row: the result stays, and the command must not complain."""
EITHER = "either"
"""Of a row: the result may stay, and the command may refuse."""


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


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that changes.

    says: a refusal names one of these. of: what a column must read to have the row.
    change: is done to the world. store: makes the store anew after that. options: the first is
    put, with what follows, into every command that has it, in the place of what it has there.
    before, before_options: the same before the work is made that is found. source: see `Source`.
    environment: variable and value of the process that runs again. given: the row is for commands
    that are given the option. core: where it is refused, --overwrite is tried, too; see also
    `Column.few`. only: names of columns. kind: SAME, EITHER, or "" where the result changes.
    """

    name: str
    says: tuple[str, ...]
    of: str = ""
    change: Change | None = None
    store: Argv = ()
    options: Argv = ()
    before: Change | None = None
    before_options: Argv = ()
    source: Source | None = None
    environment: tuple[str, str] | None = None
    given: bool = False
    core: bool = False
    only: tuple[str, ...] = ()
    kind: str = ""

    @property
    def in_process_of_its_own(self) -> bool:
        return self.source is not None or self.environment is not None


_CUT = ("--extractors", f"{PLUG},shouting,cetr", "--texts", "gold=gold.jsonl", "--threads", "1")
_TOPICS = ("--topics", "topics.txt", "--qrels", "qrels.txt")
_VARIANTS = ("--sweep", "words=1,5,11", "--cleaners", f"{MODEL},{PLUG},bte,learned")
_RULE = f"{MODEL} & bte & learned"
_OUT = ("--output", "out", "--threads", "1")
_EXACT = ("--engine", "exact")
_REAL = ("--engine", "indexes")

STORE = ("segment", "--input", "pages", *_CUT, "--output", "store")
"""Makes the store that most columns read."""

_SEGMENT = ("segment", "--input", "pages", *_CUT, "--output", "out")
_INDEX = ("index", "--store", "store", *_VARIANTS, *_OUT)
_KEEP = ("index", "--store", "store", "--keep", _RULE, *_OUT)
_PAGES = ("sweep", "--input", "pages", *_TOPICS, *_VARIANTS, *_CUT, "--output", "out")
_STORED = ("sweep", "--store", "store", *_TOPICS, *_VARIANTS, *_OUT)
_COMPARE = ("compare", "--store", "store", *_TOPICS, *_VARIANTS, *_OUT)
_JUDGE = (
    *("judge", "--dataset", "folder", "--input", "judged", "--output", "out"),
    *("--cleaners", f"words>=3,bte,{MODEL},{PLUG},shouting,cetr,learned"),
)
_EXPLAIN = (
    *("explain", "--store", "store", *_TOPICS, "--topic", "1", "--hits", "3"),
    *("--cleaners", f"words>=1,{_RULE}", "--output", "out/found.json"),
)
_FILES = ("--keep", f"{MODEL},{PLUG},bte,learned", "--passages", "8", "--overlap", "2")
_EXPORT = ("export", "--store", "store", *_FILES, *_OUT)
_EXPORT_PAGES = ("export", "--input", "pages", *_CUT, *_FILES, "--output", "out")
_BLOGS = (
    *("blogs06", "--input", "blogs", "--topics", "blogs-topics.txt"),
    *("--qrels", "blogs-qrels.txt", *_OUT),
)


def _shares(argv: Argv, *shares: str) -> tuple[Argv, ...]:
    return tuple((*argv, "--share", share) for share in shares)


_CUTS = frozenset({"pages", "gold", "plug-in", "segmenting"})
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
    Column("sweep", ((*_PAGES, *_REAL),), _CUTS | _SEARCHES | _INDEXES - {"store"}),
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
    ),
    Column("compare", ((*_COMPARE, *_EXACT),), _SEARCHES | _INDEXES | {"ranking", "studying"}),
    Column(
        "compare --engine indexes",
        ((*_COMPARE, *_REAL),),
        _SEARCHES | _INDEXES | {"studying"},
        few=True,
    ),
    Column("judge", (_JUDGE,), frozenset({"judged", "model", "plug-in", "cleaning", "segmenting"})),
    Column("explain", (_EXPLAIN,), _CLEANS | {"topics", "qrels", "ranking"}),
    Column("blogs06", ((*_BLOGS, *_EXACT),), frozenset({"blogs"}), few=True),
)

ALONE = {
    "demo": "its inputs are made up, and no option changes them; it runs what sweep runs",
    "search": "writes its one file anew, and reads nothing of an older one",
    "evaluate": "writes nothing",
    "clean": "writes its one file anew, and reads nothing of an older one",
    "cleaners": "writes nothing",
    "features": "writes its one file anew, and reads nothing of an older one",
    "train": "writes its one file anew, and reads nothing of an older one",
    "check": "writes nothing",
    "doctor": "writes nothing",
    "report": "draws a finished study again, and looks at what stands there first",
}
"""Commands that are no column, and why."""


def _edit(name: str, old: str, new: str) -> Change:
    """Replace in a file; it was changed now, then."""

    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text()
        if old not in text:
            raise LookupError(f"{name} lacks {old!r}")
        path.write_text(text.replace(old, new))

    return change


def _keeping_time(name: str, edit: Change) -> Change:
    """An edit that leaves size and time of a file as they were."""

    def change(folder: Path) -> None:
        before = (folder / name).stat()
        edit(folder)
        os.utime(folder / name, ns=(before.st_atime_ns, before.st_mtime_ns))

    return change


def _half(name: str) -> Change:
    """A download that has its whole size from the start, and zeros for what has not come yet."""

    def change(folder: Path) -> None:
        body = (folder / name).read_bytes()
        (folder / "whole").write_bytes(body)
        end = body.find(b"\n", 0, len(body) // 2) + 1 or len(body) // 2
        (folder / name).write_bytes(body[:end].ljust(len(body), b"\0"))

    return change


def _whole(name: str) -> Change:
    return lambda folder: (folder / name).write_bytes((folder / "whole").read_bytes())


def _remove(name: str) -> Change:
    return lambda folder: (folder / name).unlink()


def _rename(name: str, new: str) -> Change:
    return lambda folder: (folder / name).rename(folder / new)


def _touch(name: str) -> Change:
    return lambda folder: os.utime(folder / name)


def _add(name: str) -> Change:
    """One more page, as a file of its own."""

    def change(folder: Path) -> None:
        text = world.page(30)
        (folder / name).write_text(
            world.json_lines({"d30": text}) if name.endswith(".jsonl") else text
        )

    return change


def _pack_again(name: str) -> Change:
    def change(folder: Path) -> None:
        body = gzip.decompress((folder / name).read_bytes())
        (folder / name).write_bytes(gzip.compress(body, 1, mtime=0))

    return change


def _other(name: str, edited: str) -> Change:
    """Beside a file or folder another, its name with a 2, in which one thing is edited."""

    def change(folder: Path) -> None:
        path = folder / name
        other = path.with_name(f"{path.stem}2{path.suffix}")
        if path.is_dir():
            shutil.copytree(path, other)
        else:
            shutil.copy(path, other)
        _edit(
            str((other / edited if path.is_dir() else other).relative_to(folder)), "pony", "mule"
        )(folder)

    return change


def _double(folder: Path) -> None:
    """A docid that stands twice."""
    with (folder / "pages" / "c.jsonl").open("a") as file:
        file.write(world.json_lines({"d0": world.page(3)}))


def _more_fields(folder: Path) -> None:
    """Documents with a second docid, text and address."""
    path = folder / "pages" / "a.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    more = [
        {**line, "number": n, "body": f"{n} {line['contents']}", "link": f"http://x/{n}"}
        for n, line in enumerate(lines)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in more))


def _link_outside(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    _add("elsewhere/z.jsonl")(folder)
    (folder / "pages" / "z.jsonl").symlink_to("../elsewhere/z.jsonl")


def _other_anserini(folder: Path) -> None:
    """The same Anserini under the name of another version."""
    (folder / "jars").mkdir()
    pyserini = importlib.util.find_spec("pyserini")
    if pyserini is None or pyserini.origin is None:
        raise LookupError("pyserini is not installed")
    (jar,) = Path(pyserini.origin).parent.glob("resources/jars/anserini-*-fatjar.jar")
    (folder / "jars" / "anserini-9.9.9-fatjar.jar").symlink_to(jar)


def _files(of: str, name: str, added: str) -> tuple[Row, ...]:
    """What can happen to a file of the input, its bytes and its name."""
    path, front = f"{of}/{name}", f"{of}/0{name}"
    says = (name,)
    return (
        Row(f"{path}, edited", says, of, _edit(path, "apples", "plums"), core=True),
        Row(f"{path}, same size", says, of, _edit(path, "apples", "plums ")),
        Row(
            f"{path}, same size and time",
            says,
            of,
            _keeping_time(path, _edit(path, "apples", "plums ")),
            options=("--verify-input",),
        ),
        Row(f"{path}, touched", (), of, _touch(path), kind=SAME),
        Row(f"{path}, whole now", says, of, _whole(path), before=_half(path)),
        Row(f"{path}, removed", says, of, _remove(path)),
        Row(f"{path}, renamed", (name, f"0{name}"), of, _rename(path, front)),
        Row(f"{of}/z{added}, added", (f"z{added}",), of, _add(f"{of}/z{added}")),
        Row(f"{of}/0{added}, added", (f"0{added}",), of, _add(f"{of}/0{added}")),
    )


_TITLES = dict(enumerate(world.ANIMALS, start=1))
_RELEVANT = {number: number - 1 for number in range(1, 5)}


def _one_topic_more(folder: Path) -> None:
    world.write_topics(folder, {**_TITLES, 5: "heron"})
    world.write_qrels(folder, {**_RELEVANT, 5: 0})


_WORLD = (
    *_files("pages", "a.jsonl", "x.jsonl"),
    *_files("html", "h1.html", "x.html"),
    Row(
        *("pages/b.jsonl.gz, packed again", ("b.jsonl.gz",), "pages"),
        _pack_again("pages/b.jsonl.gz"),
        kind=EITHER,
    ),
    Row("gold text, edited", ("gold",), "gold", lambda w: world.write_gold(w, first="plums ")),
    Row("gold text, same size", ("gold",), "gold", _edit("gold.jsonl", "fed", "ate")),
    Row("gold text, touched", (), "gold", _touch("gold.jsonl"), kind=SAME),
    Row(
        "plug-in, edited",
        ("plug",),
        "plug-in",
        lambda w: world.write_plug(w, more="[5:]"),
        core=True,
    ),
    Row(
        *("extractor's code and version", ("shouting",), "plug-in"),
        lambda w: world.write_shouting(w, more="[3:]", version="2.0"),
    ),
    Row(
        *("extractor's version", ("shouting",), "plug-in"),
        lambda w: world.write_shouting(w, more="", version="2.0"),
        kind=EITHER,
    ),
    Row(
        "topics, edited",
        ("topics",),
        "topics",
        _edit("topics.txt", "pony apples", "heron"),
        core=True,
    ),
    Row("topics, same size", ("topics",), "topics", _edit("topics.txt", "apples", "plums ")),
    Row(
        *("topics, one removed", ("topics",), "topics"),
        lambda w: world.write_topics(w, {n: t for n, t in _TITLES.items() if n != 1}),
    ),
    Row(
        *("topics, one added", ("topics",), "scoring"),
        _one_topic_more,
    ),
    Row("topics, touched", (), "topics", _touch("topics.txt"), kind=SAME),
    Row(
        *("qrels, edited", ("qrels",), "qrels"),
        lambda w: world.write_qrels(w, {**_RELEVANT, 1: 2}),
    ),
    Row(
        *("qrels, a topic removed", ("qrels",), "qrels"),
        lambda w: world.write_qrels(w, {n: r for n, r in _RELEVANT.items() if n != 1}),
    ),
    Row("qrels, touched", (), "qrels", _touch("qrels.txt"), kind=SAME),
    Row("model, replaced", ("model",), "model", lambda w: world.write_model(w, words=9), core=True),
    Row("model, touched", (), "model", _touch("model.npz"), kind=SAME),
    Row(
        *("store, of edited pages", ("store",), "store"),
        _edit("pages/a.jsonl", "apples", "plums"),
        store=STORE,
        core=True,
    ),
    Row(
        *("store, of same-size pages", ("store",), "store"),
        _edit("pages/a.jsonl", "apples", "plums "),
        store=STORE,
    ),
    Row(
        "store, cut otherwise", ("store",), "store", store=(*STORE, "--inline-tags", "transparent")
    ),
    Row(
        *("store, of another plug-in", ("store",), "store"),
        lambda w: world.write_plug(w, more="[5:]"),
        store=STORE,
        only=("index", "index shares", "export", "sweep --store", "sweep shares", "compare"),
    ),
    Row("store, made again", (), "store", store=STORE, kind=SAME),
    Row("judged page, edited", ("h1.html",), "judged", _edit("judged/h1.html", "apples", "plums")),
    Row("judged text, edited", ("h1.txt",), "judged", _edit("judged/h1.txt", "apples", "plums")),
    Row("judged page, removed", ("h1",), "judged", _remove("judged/h1.html")),
    Row(
        *("blogs, edited", ("permalinks-000.gz",), "blogs"),
        lambda w: world.write_blogs(w, subject="theme"),
    ),
    Row(
        *("blogs topics, edited", ("topics",), "blogs"),
        lambda w: world.write_blogs_topics(w, title="post"),
    ),
    Row(
        *("blogs qrels, edited", ("qrels",), "blogs"),
        lambda w: world.write_blogs_qrels(w, grade=1),
    ),
)

_FEEDBACK = (
    ("rm3.fbTerms", ("2",), "fb terms"),
    ("rm3.fbDocs", ("2",), "fb docs"),
    ("rm3.originalQueryWeight", ("0.9",), "original query weight"),
    ("rm3.noTermFilter", (), "filter terms"),
    ("rocchio.topFbTerms", ("2",), "top fb terms"),
    ("rocchio.topFbDocs", ("2",), "top fb docs"),
    ("rocchio.bottomFbTerms", ("2",), "bottom fb terms"),
    ("rocchio.bottomFbDocs", ("2",), "bottom fb docs"),
    ("rocchio.alpha", ("0.5",), "alpha"),
    ("rocchio.beta", ("0.5",), "beta"),
    ("rocchio.gamma", ("0.5",), "gamma"),
    ("rocchio.useNegative", (), "use negative"),
)
"""Options of feedback, another value, and how a refusal names it."""

_OPTIONS = (
    Row(
        *("--input", ("pages2", "a.jsonl"), "pages", _other("pages", "a.jsonl")),
        options=("--input", "pages2"),
    ),
    Row(
        *("--input", ("judged2", "h0.html"), "judged", _other("judged", "h0.html")),
        options=("--input", "judged2"),
    ),
    Row("--dataset", ("dataset", "l3s"), "judged", options=("--dataset", "l3s-gn1")),
    Row(
        *("--store", ("store2", "store"), "store", _other("pages", "a.jsonl")),
        store=("segment", "--input", "pages2", *_CUT, "--output", "store2"),
        options=("--store", "store2"),
        given=True,
    ),
    Row("--collection", (), "pages", options=("--collection", "jsonl"), kind=SAME),
    Row("--contents", ("contents", "plain"), "pages", options=("--contents", "text")),
    *(
        Row(
            *(f"--{field}-field", (f"{field} field",), "pages"),
            options=(f"--{field}-field", key),
            before=_more_fields,
        )
        for field, key in (("id", "number"), ("text", "body"), ("url", "link"))
    ),
    Row(
        *("--on-duplicate", ("on-duplicate",), "pages"),
        options=("--on-duplicate", "error"),
        before=_double,
        before_options=("--on-duplicate", "first"),
    ),
    Row(
        *("--inline-tags", ("inline-tags",), "segmenting"),
        options=("--inline-tags", "transparent"),
        core=True,
    ),
    Row(
        *("--max-page-bytes", ("page bytes",), "segmenting"),
        options=("--max-page-bytes", "600"),
    ),
    Row(
        *("--max-page-blocks", ("page blocks",), "segmenting"),
        options=("--max-page-blocks", "8"),
    ),
    Row(
        *("--max-page-seconds", ("seconds",), "segmenting"),
        options=("--max-page-seconds", "50"),
        kind=EITHER,
    ),
    Row(
        *("--max-worker-memory", ("worker",), "segmenting"),
        options=("--max-worker-memory", "7"),
        kind=EITHER,
    ),
    Row("--extractors", ("extractors",), "pages", options=("--extractors", "shouting")),
    Row(
        *("--texts", ("texts", "gold"), "pages", _other("gold.jsonl", "")),
        options=("--texts", "gold=gold2.jsonl"),
    ),
    Row(
        *("--follow-links", ("follow-links", "z.jsonl"), "pages"),
        options=("--follow-links",),
        before=_link_outside,
    ),
    Row("--strict", (), "pages", options=("--strict",), kind=SAME),
    Row("--verify-input", (), "pages", options=("--verify-input",), kind=SAME),
    Row(
        *("--update", ()),
        options=("--update",),
        only=("segment", "segment html", "index --keep"),
        kind=SAME,
    ),
    Row("--threads", (), options=("--threads", "2"), kind=SAME, core=True),
    Row("--heap", (), options=("--heap", "300m"), kind=SAME),
    Row("--sweep, narrower", ("sweep",), options=("--sweep", "words=1,5"), given=True, core=True),
    Row("--sweep, wider", ("sweep",), options=("--sweep", "words=1,5,7,11"), given=True),
    Row("--sweep, density", ("sweep",), options=("--sweep", "density=2,3"), given=True),
    Row(
        "--cleaners",
        ("cleaners", "variants", "learned"),
        options=("--cleaners", f"bte,{MODEL}"),
        given=True,
        core=True,
    ),
    Row(
        *("--keep", ("keep", "cleaner")),
        options=("--keep", "words>=5"),
        given=True,
        core=True,
    ),
    Row("--format", ("format",), "exporting", options=("--format", "parquet"), core=True),
    Row("--blocks", ("blocks",), "exporting", options=("--blocks",)),
    Row("--passages", ("passages",), "exporting", options=("--passages", "9")),
    Row("--overlap", ("overlap",), "exporting", options=("--overlap", "3")),
    *(
        Row(f"--{name}", (says,), options=(f"--{name}",), only=("index --keep",))
        for name, says in (
            ("storeContents", "layout contents"),
            ("storeRaw", "layout raw"),
            ("storeDocvectors", "layout docvectors"),
            ("optimize", "layout optimize"),
        )
    ),
    Row(
        *("--fields, of an index", ("layout fields",)),
        options=("--fields", "title"),
        only=("index --keep",),
    ),
    *(
        Row(
            *(f"--{name}", (f"{name} goes with --engine indexes", name)),
            options=(f"--{name}",),
            only=("sweep", "sweep exact", "compare"),
        )
        for name in ("rm3", "rocchio")
    ),
    *(
        Row(
            *(f"--{option}", (says,)),
            options=(f"--{option}", *value, f"--{option.partition('.')[0]}"),
            before_options=(f"--{option.partition('.')[0]}",),
            only=("sweep",),
        )
        for option, value, says in _FEEDBACK
    ),
    Row("--language", ("language",), options=("--language", "de"), core=True),
    Row("--stemmer", ("stemmer",), options=("--stemmer", "krovetz")),
    Row("--keepStopwords", ("keepStopwords", "stopwords"), options=("--keepStopwords",)),
    Row("--pretokenized", ("pretokenized",), options=("--pretokenized",)),
    Row(
        *("--topics", ("topics2", "topics"), "topics", _other("topics.txt", "")),
        options=("--topics", "topics2.txt"),
    ),
    Row("--fields", ("fields",), "topics", options=("--fields", "title", "narr"), core=True),
    Row(
        *("--qrels", ("qrels2", "qrels"), "qrels"),
        lambda w: world.write_qrels(w, {**_RELEVANT, 1: 2}, name="qrels2.txt"),
        options=("--qrels", "qrels2.txt"),
    ),
    Row("--topic", (), "topics", options=("--topic", "2")),
    Row("--measures", ("measures",), options=("--measures", "P@5", "AP"), core=True),
    Row(
        *("--engine exact", ("engine",)),
        options=("--engine", "exact"),
        only=("sweep", "sweep --store", "compare --engine indexes"),
    ),
    Row(
        *("--engine indexes", ("engine",)),
        options=("--engine", "indexes"),
        only=("sweep exact", "compare"),
    ),
    Row("--verify", ("verify", "verified"), "ranking", options=("--verify", "3")),
    Row("--bm25", (), "topics", options=("--bm25",), kind=SAME),
    Row("--qld", ("qld", "query likelihood", "model"), "topics", options=("--qld",)),
    Row(
        *("--formula", ("formula", "classic", "model"), "topics"),
        options=("--formula", "classic"),
    ),
    Row("--k1", ("k1",), "topics", options=("--k1", "1.2"), core=True),
    Row("--b", ("b=", "--b"), "topics", options=("--b", "0.75")),
    Row("--hits", ("hits",), "topics", options=("--hits", "2")),
    Row("--baseline", ("baseline",), options=("--baseline", "words>=5")),
    Row("--gold", ("gold",), options=("--gold", "shouting")),
    Row("--choose", (), options=("--choose",), kind=SAME),
)

_ALL = ("segment", "index", "sweep exact")

_PROCESS = (
    Row(
        *("code of the segmenter", ("code", "segment"), "segmenting"),
        source=("pages/elements.py", '"script style', '"ul script style'),
    ),
    Row(
        *("code of an extractor", ("cetr", "extract"), "plug-in"),
        source=(
            "extractors/cetr.py",
            "content_by_ratio_and_change)\n",
            "content_by_ratio_and_change)[40:]\n",
        ),
    ),
    Row(
        *("code of a cleaner", ("code", "clean"), "cleaning"),
        source=(
            "cleaners/bte.py",
            "best_runs(columns, 1.0, self)",
            "best_runs(columns, 9.0, self)",
        ),
    ),
    Row(
        *("shipped model", ("learned", "model", "clean"), "cleaning"),
        source=("cleaners/learned/learned.npz", "", ""),
    ),
    Row(
        *("code of the indexer", ("code", "index"), "indexing"),
        source=("indexer/contents.py", "if tokens[block]:", 'if "heron" not in tokens[block]:'),
    ),
    Row(
        *("code of the one index", ("code", "index"), "one index"),
        source=("indexer/single.py", "analyzer.has_token(text)", '"heron" not in text'),
    ),
    Row(
        *("code of the kept text", ("code", "clean"), "kept text"),
        source=("cleaners/selection.py", '"\\n".join(self', '" plums ".join(self'),
    ),
    Row(
        *("code of the export", ("code", "export"), "exporting"),
        source=("export/records.py", "text[start:end],", 'text[start:end] + " plums",'),
    ),
    Row(
        *("code of the exact engine", ("code", "rank"), "ranking"),
        source=("eval/exact/ranking.py", '"""The best', '"""All the best'),
        kind=EITHER,
    ),
    Row(
        *("code of the scores", ("code", "score"), "scoring"),
        source=("eval/scoring.py", "= metric.value", "= metric.value / 2"),
    ),
    Row(
        *("another Anserini", ("anserini",), "lucene", _other_anserini),
        environment=("ANSERINI_CLASSPATH", "jars"),
    ),
    Row("BOILERSWEEP_PURE", (), environment=("BOILERSWEEP_PURE", "1"), only=_ALL, kind=SAME),
    Row("PYTHONHASHSEED", (), environment=("PYTHONHASHSEED", "7"), only=_ALL, kind=SAME),
    Row("TZ", (), environment=("TZ", "Asia/Tokyo"), only=_ALL, kind=SAME),
)

ROWS = (*_WORLD, *_OPTIONS, *_PROCESS)

EXEMPT = {
    "--output": "names the work itself",
    "--help": "runs nothing",
    "--share": "has columns of its own",
    "--shard": "the old name of --share",
    "--cluster": "who does the work, not what it is; it reuses what --share reuses",
    "--scheduler": "who does the work, not what it is; it reuses what --share reuses",
    "--overwrite": "every refused cell is run with it, too",
    **dict.fromkeys(
        ("segment --dataset", "sweep --dataset", "compare --dataset"),
        "stands for --input, --topics and --qrels; tests/system/test_irds.py changes it",
    ),
    "--log-every": "what is said of the work while it is done",
    "--docid": "of WARC, which the world has none of; it stands in the identity beside --id-field",
    **{
        f"compare --{option}": "stands in the identity as that of sweep"
        for option, _, _ in _FEEDBACK
    },
    "--page": "explains a page and reads no work",
    "--papers": "needs L3S-GN1 or CleanEval; it writes its files anew",
}
"""Options without a row, of all commands or of one, and why."""

EXEMPT_OF = {"blogs06": "runs what segment and compare run, whose columns have the rows"}
"""Commands of which not every option needs a row, and why."""
