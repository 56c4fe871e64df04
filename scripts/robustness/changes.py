"""The rows of the table of changes: everything that can change under commands that reuse work.

A cell is a column, a command whose work stands in its output (columns.py), and a row, one thing
that is not what it was when the command runs again (what is done to the world is in edits.py). An
option that is new wants a row, or a reason to have none:
tests/system/test_change_one_thing.py compares the table with the parsers.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from robustness import world
from robustness.columns import CUT, STORE, Argv
from robustness.edits import (
    Change,
    add_page,
    double_docid,
    edit,
    half,
    keeping_time,
    link,
    link_outside,
    more_fields,
    other,
    other_anserini,
    other_jar,
    pack_again,
    remove,
    rename,
    several,
    swap,
    touch,
    twin,
    whole,
)
from robustness.world import MODEL

Source = tuple[str, str, str]
"""A file of the package, or a new one beside it, and what is replaced in it by what."""

SAME = "same"
"""Of a row: the result stays, and the command must not complain."""
EITHER = "either"
"""Of a row: the result may stay, and the command may refuse."""


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


def _files(of: str, name: str, added: str) -> tuple[Row, ...]:
    """What can happen to a file of the input, its bytes and its name."""
    path, front = f"{of}/{name}", f"{of}/0{name}"
    says = (name,)
    return (
        Row(f"{path}, edited", says, of, edit(path, "apples", "plums"), core=True),
        Row(f"{path}, same size", says, of, edit(path, "apples", "plums ")),
        Row(
            f"{path}, same size and time",
            says,
            of,
            keeping_time(path, edit(path, "apples", "plums ")),
        ),
        Row(
            f"{path}, swapped with another",
            says,
            of,
            swap(path, f"{of}/t{name}"),
            before=twin(path, f"{of}/t{name}"),
        ),
        Row(
            f"{path}, led elsewhere",
            says,
            of,
            link(path, f".kept/2{name}"),
            before=several(
                twin(path, f"{of}/.kept/1{name}"),
                twin(f"{of}/.kept/1{name}", f"{of}/.kept/2{name}"),
                edit(f"{of}/.kept/2{name}", "plums ", "pears "),
                lambda w: shutil.copystat(w / of / f".kept/1{name}", w / of / f".kept/2{name}"),
                link(path, f".kept/1{name}"),
            ),
        ),
        Row(f"{path}, touched", (), of, touch(path), kind=SAME),
        Row(f"{path}, whole now", says, of, whole(path), before=half(path)),
        Row(f"{path}, removed", says, of, remove(path)),
        Row(f"{path}, renamed", (name, f"0{name}"), of, rename(path, front)),
        Row(f"{of}/z{added}, added", (f"z{added}",), of, add_page(f"{of}/z{added}")),
        Row(f"{of}/0{added}, added", (f"0{added}",), of, add_page(f"{of}/0{added}")),
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
        pack_again("pages/b.jsonl.gz"),
        kind=EITHER,
    ),
    Row("gold text, edited", ("gold",), "gold", lambda w: world.write_gold(w, first="plums ")),
    Row("gold text, same size", ("gold",), "gold", edit("gold.jsonl", "fed", "ate")),
    Row("gold text, touched", (), "gold", touch("gold.jsonl"), kind=SAME),
    Row(
        "plug-in, edited",
        ("plug",),
        "plug-in",
        lambda w: world.write_plug(w, more="[5:]"),
        core=True,
    ),
    Row(
        *("plug-in's helper, edited", ("plug",), "plug-in"),
        lambda w: world.write_aid(w, more="[1:]"),
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
        edit("topics.txt", "pony apples", "heron"),
        core=True,
    ),
    Row("topics, same size", ("topics",), "topics", edit("topics.txt", "apples", "plums ")),
    Row(
        *("topics, one removed", ("topics",), "topics"),
        lambda w: world.write_topics(w, {n: t for n, t in _TITLES.items() if n != 1}),
    ),
    Row(
        *("topics, one added", ("topics",), "scoring"),
        _one_topic_more,
    ),
    Row("topics, touched", (), "topics", touch("topics.txt"), kind=SAME),
    Row(
        *("qrels, edited", ("qrels",), "qrels"),
        lambda w: world.write_qrels(w, {**_RELEVANT, 1: 2}),
    ),
    Row(
        *("qrels, a topic removed", ("qrels",), "qrels"),
        lambda w: world.write_qrels(w, {n: r for n, r in _RELEVANT.items() if n != 1}),
    ),
    Row("qrels, touched", (), "qrels", touch("qrels.txt"), kind=SAME),
    Row("model, replaced", ("model",), "model", lambda w: world.write_model(w, words=9), core=True),
    Row("model, touched", (), "model", touch("model.npz"), kind=SAME),
    Row(
        *("store, of edited pages", ("store",), "store"),
        edit("pages/a.jsonl", "apples", "plums"),
        store=STORE,
        core=True,
    ),
    Row(
        *("store, of same-size pages", ("store",), "store"),
        edit("pages/a.jsonl", "apples", "plums "),
        store=STORE,
    ),
    Row("store, cut otherwise", ("store",), "store", store=(*STORE, "--borders", "paper")),
    Row(
        *("store, of another plug-in", ("store",), "store"),
        lambda w: world.write_plug(w, more="[5:]"),
        store=STORE,
        only=("index", "index shares", "export", "sweep --store", "sweep shares", "compare"),
    ),
    Row("store, made again", (), "store", store=STORE, kind=SAME),
    Row("judged page, edited", ("pages was",), "judged", edit("judged/h1.html", "apples", "plums")),
    Row("judged text, edited", ("pages was",), "judged", edit("judged/h1.txt", "apples", "plums")),
    Row("judged page, removed", ("pages was",), "judged", remove("judged/h1.html")),
    Row(
        *("judged strings, edited", ("snippets pages was",), "strings"),
        lambda w: world.write_strings(w, wanted="thought"),
    ),
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

_LANGUAGES = (
    *("index --keep", "index --keep --update", "export", "export shares"),
    *("sweep", "sweep exact", "sweep --store exact", "sweep --grid"),
    *("compare", "compare --engine indexes", "explain"),
)
_DEDUPS = ("index --keep", "index --keep --update", "export", "export shares")
"""The columns that can leave out near-duplicates."""

_RUN = ("--runs", "dense=dense.trec")

_OPTIONS = (
    Row(
        *("--input", ("pages2", "a.jsonl"), "pages", other("pages", "a.jsonl")),
        options=("--input", "pages2"),
    ),
    Row(
        *("--input", ("pages was",), "judged", other("judged", "h0.html")),
        options=("--input", "judged2"),
        only=("judge",),
    ),
    Row("--dataset", ("dataset", "l3s"), "judged", options=("--dataset", "l3s-gn1")),
    Row(
        *("--store", ("store2", "store"), "store", other("pages", "a.jsonl")),
        store=("segment", "--input", "pages2", *CUT, "--output", "store2"),
        options=("--store", "store2"),
        given=True,
    ),
    Row("--collection", (), "pages", options=("--collection", "jsonl"), kind=SAME),
    Row("--contents", ("contents", "plain"), "pages", options=("--contents", "text")),
    *(
        Row(
            *(f"--{field}-field", (f"{field} field",), "pages"),
            options=(f"--{field}-field", key),
            before=more_fields,
        )
        for field, key in (("id", "number"), ("text", "body"), ("url", "link"))
    ),
    Row(
        *("--on-duplicate", ("on-duplicate",), "pages"),
        options=("--on-duplicate", "error"),
        before=double_docid,
        before_options=("--on-duplicate", "first"),
    ),
    Row(
        *("--borders", ("borders",), "segmenting"),
        options=("--borders", "paper"),
        core=True,
    ),
    Row("--metadata", ("metadata",), "segmenting", options=("--metadata",)),
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
        *("--texts", ("texts", "gold"), "pages", other("gold.jsonl", "")),
        options=("--texts", "gold=gold2.jsonl"),
    ),
    Row(
        *("--follow-links", ("follow-links", "z.jsonl"), "pages"),
        options=("--follow-links",),
        before=link_outside,
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
    Row("--sweep, any number", ("sweep",), options=("--sweep", "words>={2,9} | bte"), given=True),
    Row(
        *("--grid", ("grid",)),
        options=("--grid", "words=1,7", f"{MODEL}>=0.3,0.6"),
        given=True,
        core=True,
    ),
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
    Row("--classes", ("classes", "model"), "exporting", options=("--classes",)),
    Row("--fields", ("fields", "metadata"), "exporting", options=("--fields", "author")),
    Row("--passages", ("passages",), "exporting", options=("--passages", "9")),
    Row("--overlap", ("overlap",), "exporting", options=("--overlap", "3")),
    Row(
        *("--distinct", ("distinct",), "exporting"),
        options=("--distinct", "--keep", "bte"),
        before_options=("--keep", "bte"),
    ),
    Row(
        *("--context", ("context",), "exporting"),
        options=("--context", "--distinct", "--keep", "bte"),
        before_options=("--distinct", "--keep", "bte"),
    ),
    *(
        Row(f"--dedup {method}", ("dedup",), options=("--dedup", method), only=_DEDUPS)
        for method in ("exact", "minhash")
    ),
    Row("--languages", ("languages",), options=("--languages", "und"), only=_LANGUAGES),
    Row("--dedup, no more", ("dedup",), before_options=("--dedup", "minhash"), only=_DEDUPS),
    Row(
        *("--dedup-threshold", ("threshold",)),
        options=("--dedup-threshold", "0.5", "--dedup", "minhash"),
        before_options=("--dedup", "minhash"),
        only=_DEDUPS,
    ),
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
            *(f"--{name}", (f"--{name} requires --engine indexes", name)),
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
        *("--topics", ("topics2", "topics"), "topics", other("topics.txt", "")),
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
    Row("--verify full", ("verify full",), "ranking", options=("--verify", "full")),
    Row("--bm25", (), "topics", options=("--bm25",), kind=SAME),
    Row("--qld", ("qld", "query likelihood", "model"), "topics", options=("--qld",)),
    Row(
        *("--formula", ("formula", "classic", "model"), "topics"),
        options=("--formula", "classic"),
    ),
    Row(
        *("--formula, several", ("formulas",), "topics"),
        options=("--formula", "bm25,qld"),
        only=("compare",),
    ),
    Row("--k1", ("k1",), "topics", options=("--k1", "1.2"), core=True),
    Row("--k1, tuned", ("tuned",), options=("--k1", "0.3,3"), only=("compare",)),
    Row("--b", ("b=", "--b"), "topics", options=("--b", "0.75")),
    Row("--mu", ("mu",), "topics", options=("--mu", "50", "--qld")),
    Row(
        *("--runs", ("runs",), "", lambda w: world.write_run(w)),
        options=_RUN,
        only=("compare",),
    ),
    Row(
        *("run from elsewhere, edited", ("runs", "dense"), ""),
        lambda w: world.write_run(w, first=1),
        options=_RUN,
        before=world.write_run,
        before_options=_RUN,
        only=("compare", "compare --engine indexes"),
    ),
    Row(
        *("run from elsewhere, touched", (), "", touch("dense.trec")),
        options=_RUN,
        before=world.write_run,
        before_options=_RUN,
        only=("compare",),
        kind=SAME,
    ),
    Row("--hits", ("hits",), "topics", options=("--hits", "2")),
    Row("--tests", ("tests",), options=("--tests", "t,wilcoxon")),
    Row("--baseline", ("baseline",), options=("--baseline", "words>=5")),
    Row("--gold", ("gold",), options=("--gold", "shouting")),
    Row("--choose", (), options=("--choose",), kind=SAME),
    Row("--title", (), options=("--title", "Another")),
)

_ALL = ("segment", "index", "sweep exact")

_PROCESS = (
    Row(
        *("code of the segmenter", ("code", "segment"), "segmenting"),
        source=("pages/elements.py", '"script style', '"ul script style'),
    ),
    Row(
        *("no dictionary for words", ("words",), "segmenting"),
        source=("../icu4py.py", "", "raise ImportError"),
        kind=EITHER,
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
        source=(
            "indexer/contents.py",
            "filter(None, map(tokens.__getitem__, blocks))",
            '(tokens[one] for one in blocks if tokens[one] and "heron" not in tokens[one])',
        ),
    ),
    Row(
        *("code of the one index", ("code", "index"), "one index"),
        source=(
            "indexer/single.py",
            "analyzer.have_token([one.text for one in kept])",
            '["heron" not in one.text for one in kept]',
        ),
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
        *("code of the duplicates", ("code", "dedup")),
        source=(
            "store/near_duplicates.py",
            "if digest in self._docids:",
            "if len(self._docids) > 1:",
        ),
        options=("--dedup", "exact"),
        before_options=("--dedup", "exact"),
        only=_DEDUPS,
    ),
    Row(
        *("code of the exact engine", ("code", "rank"), "ranking"),
        source=("eval/exact/top_hits.py", '"""The best', '"""All the best'),
        kind=EITHER,
    ),
    Row(
        *("code of the scores", ("code", "score"), "scoring"),
        source=("eval/scoring.py", "= metric.value", "= metric.value / 2"),
    ),
    Row(
        *("another Anserini", ("anserini",), "lucene", other_anserini),
        environment=("ANSERINI_CLASSPATH", "jars"),
    ),
    Row(
        *("another jar of Anserini's version", ("anserini",), "lucene", other_jar),
        environment=("ANSERINI_CLASSPATH", "jars"),
    ),
    Row("BOILERSWEEP_PURE", (), environment=("BOILERSWEEP_PURE", "1"), only=_ALL, kind=SAME),
    Row("PYTHONHASHSEED", (), environment=("PYTHONHASHSEED", "7"), only=_ALL, kind=SAME),
    Row("TZ", (), environment=("TZ", "Asia/Tokyo"), only=_ALL, kind=SAME),
)

ROWS = (*_WORLD, *_OPTIONS, *_PROCESS)

EXEMPT = {
    "--output": "names the work itself",
    "extract --store": "names the work itself",
    "--help": "runs nothing",
    "--share": "has columns of its own",
    "--cluster": "who does the work, not what it is; it reuses what --share reuses",
    "--scheduler": "who does the work, not what it is; it reuses what --share reuses",
    "--overwrite": "every refused cell is run with it, too",
    **dict.fromkeys(
        ("segment --dataset", "sweep --dataset", "compare --dataset"),
        "stands for --input, --topics and --qrels; tests/system/test_irds.py changes it",
    ),
    **{
        f"{command} --{option}": "without judgements every file is written anew"
        for command in ("sweep", "compare")
        for option in ("queries", "sample", "seed")
    },
    "--log-every": "what is said of the work while it is done",
    "--docid": "of WARC, which the world has none of; it stands in the identity beside --id-field",
    **{
        f"compare --{option}": "stands in the identity as that of sweep"
        for option, _, _ in _FEEDBACK
    },
    "--no-sandbox": "how Chromium is started; the pages are drawn alike",
    "--vectors": "known by their content, as tests/export/test_blocks.py shows",
    "--page": "explains a page and reads no work",
    "--picture": "draws a page and reads no work",
}
"""Options without a row, of all commands or of one, and why."""

EXEMPT_OF = {"blogs06": "runs what segment and compare run, whose columns have the rows"}
"""Commands of which not every option needs a row, and why."""
