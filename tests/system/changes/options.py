"""Changes of options, and the options without a change."""

import dataclasses
import shutil
from functools import partial
from pathlib import Path

from tests.system.bench import make_work
from tests.system.changes.change import (
    EITHER,
    SAME,
    Change,
    option,
    option_of,
    option_with_file,
)
from tests.system.changes.edits import (
    add_fields,
    all_of,
    copy,
    link_outside,
    repeat_docid,
    replace,
    write_choices,
)
from tests.system.works import TEXTS, commands
from tests.system.world import write_run

RUNNING = (
    option("--strict", expected=SAME),
    option("--verify-input", expected=SAME),
    Change(
        name="--update",
        only=("index --keep",),
        options=("--update",),
        expected=SAME,
    ),
    option("--threads 2", expected=SAME),
    option("--heap 300m", expected=SAME),
)

READING = (
    option_with_file(
        "--input pages2",
        "pages",
        partial(copy, "pages", "pages2", "a.jsonl"),
        "pages2",
        "a.jsonl",
    ),
    Change(
        name="--input judged2",
        named=("pages was",),
        only=("judge",),
        edit=partial(copy, "judged", "judged2", "h0.html"),
        options=("--input", "judged2"),
    ),
    option_of("judge", "", "--dataset l3s-gn1", "dataset", "l3s"),
    option_of("judge", "", "--texts mine=judged", "cleaners"),
    option_with_file(
        "--store store2",
        "store",
        all_of(
            partial(copy, "pages", "pages2", "a.jsonl"),
            partial(
                make_work, commands(f"segment --input pages2 {TEXTS} --output store2")
            ),
        ),
        "store2",
        "store",
        given=True,
    ),
    Change(
        name="--collection",
        of="pages",
        options=("--collection", "jsonl"),
        expected=SAME,
    ),
    option("--contents text", "contents", "plain"),
    *(
        Change(
            name=f"--{field}-field",
            named=(f"{field} field",),
            of="pages",
            options=(f"--{field}-field", key),
            before=add_fields,
        )
        for field, key in (("id", "number"), ("text", "body"), ("url", "link"))
    ),
    Change(
        name="--on-duplicate",
        named=("on-duplicate",),
        of="pages",
        options=("--on-duplicate", "error"),
        before=repeat_docid,
        before_options=("--on-duplicate", "first"),
    ),
    *(
        Change(
            name=text,
            named=("chosen", "documents"),
            only=("segment",),
            options=commands(text)[0],
            before=write_choices,
            before_options=commands(before)[0],
        )
        for before, text in (
            ("", "--only-docids chosen.txt"),
            ("", "--only-judged chosen-qrels.txt"),
            ("--only-docids chosen.txt", "--sample 2 --only-docids chosen.txt"),
            (
                "--sample 2 --only-docids chosen.txt",
                "--seed 3 --sample 2 --only-docids chosen.txt",
            ),
        )
    ),
    Change(
        name="--follow-links",
        named=("follow-links", "z.jsonl"),
        of="pages",
        options=("--follow-links",),
        before=link_outside,
    ),
)

CUTTING = (
    option("--borders paper", "borders"),
    option("--metadata", "metadata"),
    option("--max-page-bytes 600", "page bytes"),
    option("--max-page-blocks 8", "page blocks"),
    option("--max-page-seconds 50", "seconds", expected=EITHER),
    option("--max-worker-memory 7", "worker", expected=EITHER),
    option_with_file(
        "--texts gold=gold2.jsonl",
        "pages",
        partial(copy, "gold.jsonl", "gold2.jsonl"),
        "texts",
        "gold",
    ),
)

DEDUPS = "index --keep, index --keep --update, export"
LANGUAGES = (
    f"{DEDUPS}, sweep, sweep exact, sweep --store exact, sweep --grid, compare, explain"
)

SWEEPS = "sweep, sweep exact, sweep --store, sweep --store exact, compare"

CLEANING = (
    option_of(SWEEPS, "", "--sweep words=1,5", "sweep"),
    # Indexes that a later request leaves out stay.
    Change(
        name="index --sweep words=1,5",
        only=("index",),
        options=("--sweep", "words=1,5"),
        expected=SAME,
    ),
    option("--sweep words=1,5,7,11", "sweep", given=True),
    option_of(SWEEPS, "", "--sweep 'words>={2,9} | bte'", "sweep"),
    option_of(
        "sweep --grid", "", "--grid words=1,7 \"learned('model.npz')>=0.3,0.6\"", "grid"
    ),
    option_of(
        "index --blocks, sweep exact, compare, judge, explain",
        "",
        "--cleaners \"bte,learned('model.npz')\"",
        "cleaner",
        "variants",
        "learned",
    ),
    option("--keep words>=5", "keep", "cleaner", given=True),
    option_of(DEDUPS, "", "--dedup minhash", "dedup"),
    option_of(DEDUPS, "--dedup minhash", "", "dedup"),
    option_of(DEDUPS, "--dedup minhash", "--dedup minhash:0.5", "threshold"),
    option_of(LANGUAGES, "", "--languages und", "languages"),
)

EXPORTING = (
    option("--format parquet", "format"),
    option_of("export", "", "--blocks", "blocks"),
    option("--classes", "classes", "model"),
    option_of("export", "", "--fields author", "fields", "metadata"),
    option("--passages 9", "passages"),
    option("--overlap 3", "overlap"),
)

INDEXING = (
    *(
        option_of("index --keep", "", text, f"layout {named}")
        for text, named in (
            ("--storeContents", "contents"),
            ("--storeRaw", "raw"),
            ("--storeDocvectors", "docvectors"),
            ("--optimize", "optimize"),
            ("--fields title", "fields"),
        )
    ),
    option("--language de", "language"),
    option("--stemmer krovetz", "stemmer"),
    option("--keepStopwords", "keepStopwords", "stopwords"),
    option("--pretokenized", "pretokenized"),
    # The explained page has none, so its explanation stays.
    option("--identifiers", "identifiers", expected=EITHER),
    option("--no-title", "title"),
    option("--keep-apostrophes", "apostrophes", expected=EITHER),
)

# Every parameter of a method is a field of the same identity; the first is in every run.
FEEDBACK = {
    "--rm3": (
        ("fbTerms=2", "fb terms"),
        ("fbDocs=2", "fb docs"),
        ("originalQueryWeight=0.9", "original query weight"),
        ("noTermFilter", "filter terms"),
    ),
    "--rocchio": (
        ("topFbTerms=2", "top fb terms"),
        ("topFbDocs=2", "top fb docs"),
        ("bottomFbTerms=2", "bottom fb terms"),
        ("bottomFbDocs=2", "bottom fb docs"),
        ("alpha=0.5", "alpha"),
        ("beta=0.5", "beta"),
        ("gamma=0.5", "gamma"),
        ("useNegative", "use negative"),
    ),
}

RANKING = (
    option_of(
        "sweep, sweep --store, compare --engine indexes", "", "--engine exact", "engine"
    ),
    # Not compare: its index of the proof is used again, and has a few bytes less.
    option_of("sweep exact", "", "--engine indexes", "engine"),
    *(
        Change(name=text, named=("verif",), of="ranking", options=tuple(text.split()))
        for text in ("--verify 3", "--verify full")
    ),
    option("--hits 2", "hits"),
    option("--formula classic", "formula", "classic", "model"),
    option_of("compare", "", "--formula bm25,qld", "formulas"),
    option("--k1 1.2", "k1"),
    option_of("compare", "", "--k1 0.3,3", "tuned"),
    option("--b 0.75", "b=", "--b"),
    option("--mu 50 --formula qld", "mu"),
    *(
        option_of(
            "sweep, sweep exact, compare",
            "",
            f"--{method}",
            f"--{method} requires --engine indexes",
            method,
        )
        for method in ("rm3", "rocchio")
    ),
    *(
        dataclasses.replace(
            option_of("sweep", method, f"{method} {text}", named), exhaustive=number > 0
        )
        for method, rows in FEEDBACK.items()
        for number, (text, named) in enumerate(rows)
    ),
)

SCORING = (
    option_with_file(
        "--topics topics2.txt",
        "topics",
        partial(copy, "topics.txt", "topics2.txt"),
        "topics2",
        "topics",
    ),
    Change(
        name="--fields title narr",
        named=("fields",),
        of="topics",
        options=("--fields", "title", "narr"),
    ),
    option_with_file(
        "--qrels qrels2.txt",
        "qrels",
        all_of(
            partial(shutil.copy, "qrels.txt", "qrels2.txt"),
            partial(replace, "qrels2.txt", "1 0 d0 1", "1 0 d0 0"),
        ),
        "qrels2",
        "qrels",
    ),
    option("--topic 2"),
    option("--measures P@5 AP", "measures"),
)

DENSE = ("--runs", "dense=dense.trec")
COMPARING = (
    Change(
        name="--runs",
        named=("runs",),
        only=("compare",),
        edit=partial(write_run, Path(), first=0),
        options=DENSE,
    ),
    Change(
        name="run from elsewhere",
        named=("runs", "dense"),
        only=("compare", "compare --engine indexes"),
        edit=partial(write_run, Path(), first=1),
        options=DENSE,
        before=partial(write_run, Path(), first=0),
        before_options=DENSE,
    ),
    option("--tests t,wilcoxon", "tests"),
    option("--correction bh", "correction"),
    option("--margin 0.1", "margin"),
    option("--baseline words>=5", "baseline"),
    option("--gold shouting", "gold"),
    option("--choose", expected=SAME),
    option("--title Another"),
)

OPTIONS = (
    *RUNNING,
    *READING,
    *CUTTING,
    *CLEANING,
    *EXPORTING,
    *INDEXING,
    *RANKING,
    *SCORING,
    *COMPARING,
)

# Options without a change, and why.
NO_CHANGE = {
    "--output": "names the work itself",
    "--topic-prefix": "names topics as the qrels do; tests/topics/test_prefixes.py compares",
    "--preset": "sets other options; a work of its own has it",
    "export --features": "writes its one file completely",
    "--cluster": "says where the work is done; tests/segmenting/test_cluster.py compares",
    **dict.fromkeys(
        ("judge --annotate", "judge --status", "judge --address"),
        "of a page where people mark; tests/eval/annotate",
    ),
    "--overwrite": "every failing command runs with it, too",
    "segment --statistics": "only prints",
    "segment --dataset": "replaces --input; tests/system/test_irds.py changes it",
    "sweep --dataset": "replaces --input, --topics, --qrels; tests/system/test_irds.py changes it",
    "compare --dataset": "replaces --input, --topics, --qrels",
    "compare --of-sweep": "replaces --store; tests/cli/commands/test_compare.py changes it",
    **dict.fromkeys(
        (
            "--queries",
            "--columns",
            "sweep --sample",
            "compare --sample",
        ),
        "without judgements every file is written again",
    ),
    "--cdx-base": "of records from a server; tests/collection/test_common_crawl.py changes it",
    "--cdx-rate": "says how fast records are fetched",
    "--save": "names a work of its own; tests/collection/test_common_crawl.py changes it",
    **dict.fromkeys(
        ("--index", "--query", "search --rm3", "search --rocchio"),
        "of searching an index, which writes its one file completely",
    ),
    "index --blocks": "replaces --keep, which is another layout; a work of its own has it",
    "search --keep": "of searching an index, too",
    "--topic-language": "of topics in several languages, which are other queries",
    "--docid": "of WARC, which the world lacks; its identity is that of --id-field",
}
