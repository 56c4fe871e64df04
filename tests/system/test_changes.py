"""Change one thing and run a command again.

The result equals that of an empty folder, or the command fails, names the difference and leaves
the finished work as it was. Every row of `CHANGES` meets one of the works that depend on it, in
turn; with `--exhaustive` it meets all.
"""

import argparse
import gzip
import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

import boilersweep
from boilersweep.cli.main import make_parser
from tests.comparing import Found, comparable, differences
from tests.system.world import (
    ANIMALS,
    HELPER,
    NO_WORK,
    STORE,
    TEXTS,
    WORKS,
    Argv,
    Bench,
    Work,
    commands,
    inside,
    json_lines,
    make_work,
    page,
    run_here,
    write_model,
    write_qrels,
    write_run,
    write_topics,
    write_zipped,
)

pytestmark = [pytest.mark.java, pytest.mark.slow]

# Changes the world in the working directory.
Edit = Callable[[], object]

CHANGED = "the result changes, or the command fails and names the difference"
SAME = "the result stays, and the command succeeds"
EITHER = "the result may stay, and the command may fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that differs when a command runs again.

    Attributes:
        name: what changes.
        named: a failing command names one of these.
        of: an input or code that a work must read to meet the change.
        only: the names of the works that meet it.
        edit: changes the world.
        options: put into every command that has the first of them, replacing its values.
        given: whether only commands that are given the option get it.
        before: changes the world before the work is made.
        before_options: as `options`, for the commands that make the work.
        source: a file of the package, a text in it, and its replacement.
        environment: a variable and its value.
        expected: CHANGED, SAME or EITHER.
    """

    name: str
    named: tuple[str, ...] = ()
    of: str = ""
    only: tuple[str, ...] = ()
    edit: Edit | None = None
    options: Argv = ()
    given: bool = False
    before: Edit | None = None
    before_options: Argv = ()
    source: tuple[str, str, str] | None = None
    environment: tuple[str, str] | None = None
    expected: str = CHANGED


def replaced(name: str, old: str, new: str) -> Edit:
    def edit() -> None:
        text = Path(name).read_text()
        assert old in text, f"{name} lacks {old!r}"
        Path(name).write_text(text.replace(old, new))

    return edit


def with_old_time(name: str, edit: Edit) -> Edit:
    """Edit a file, and give it back its time of modification."""

    def edit_within_a_moment() -> None:
        before = Path(name).stat()
        edit()
        os.utime(name, ns=(before.st_atime_ns, before.st_mtime_ns))

    return edit_within_a_moment


def all_of(*edits: Edit) -> Edit:
    return lambda: [edit() for edit in edits]


def other_pages(name: str, target: str) -> Edit:
    """Write a file of the same size and time with other pages."""

    def edit() -> None:
        text = Path(name).read_text()
        text = text.replace('"id": "d', '"id": "e').replace("apples", "plums ")
        Path(target).parent.mkdir(exist_ok=True)
        Path(target).write_text(text)
        shutil.copystat(name, target)

    return edit


def swapped(name: str, other: str) -> Edit:
    def edit() -> None:
        Path(name).rename("third")
        Path(other).rename(name)
        Path("third").rename(other)

    return edit


def linked(name: str, target: str) -> Edit:
    def edit() -> None:
        Path(name).unlink(missing_ok=True)
        Path(name).symlink_to(target)

    return edit


def page_added(name: str) -> Edit:
    text = json_lines({"d30": page(30)}) if name.endswith(".jsonl") else page(30)
    return lambda: Path(name).write_text(text)


def copied(name: str, copy: str, edited: str = "") -> Edit:
    """Copy a file or a folder, and replace an animal in the copy or in one file of it."""

    def edit() -> None:
        (shutil.copytree if Path(name).is_dir() else shutil.copy)(name, copy)
        replaced(f"{copy}/{edited}" if edited else copy, "pony", "mule")()

    return edit


def packed_again() -> None:
    path = Path("pages/b.jsonl.gz")
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()), 1, mtime=0))


def docid_repeated() -> None:
    """Add a second page with the docid of the first."""
    with Path("pages/c.jsonl").open("a") as file:
        file.write(json_lines({"d0": page(3)}))


def fields_added() -> None:
    """Give documents a second docid, text and address."""
    path = Path("pages/a.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for number, line in enumerate(lines):
        line |= {
            "number": number,
            "body": f"{number} {line['contents']}",
            "link": f"http://x/{number}",
        }
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_choices() -> None:
    """Name two documents, in a list and in judgements."""
    Path("chosen.txt").write_text("d1\nd3\n")
    Path("chosen-qrels.txt").write_text("1 0 d1 1\n2 0 d3 0\n")


def link_outside() -> None:
    """Put a link to a file elsewhere among the pages."""
    Path("elsewhere").mkdir()
    page_added("elsewhere/z.jsonl")()
    Path("pages/z.jsonl").symlink_to("../elsewhere/z.jsonl")


def topics(*titles: str) -> Edit:
    def edit() -> None:
        write_topics(Path(), titles)
        write_qrels(Path(), titles)

    return edit


def new_version() -> None:
    """Give the distribution of an extractor another version."""
    old, new = (
        Path(f"code/shouting-{version}.dist-info") for version in ("1.0", "2.0")
    )
    old.rename(new)
    replaced(f"{new}/METADATA", "Version: 1.0", "Version: 2.0")()
    replaced(f"{new}/RECORD", old.name, new.name)()


def store_rebuilt(*options: str) -> Edit:
    def edit() -> None:
        shutil.rmtree("store")
        make_work(((*STORE, *options),))

    return edit


def anserini(*, renamed: bool) -> Edit:
    """Put a jar into the folder jars: Anserini under the name of another version, or altered."""

    def edit() -> None:
        spec = importlib.util.find_spec("pyserini")
        (jar,) = Path(str(spec and spec.origin)).parent.glob(
            "resources/jars/anserini-*-fatjar.jar"
        )
        Path("jars").mkdir()
        if renamed:
            Path("jars/anserini-9.9.9-fatjar.jar").symlink_to(jar)
        else:
            with zipfile.ZipFile(shutil.copy(jar, "jars"), "a") as file:
                file.writestr("another.txt", "other")

    return edit


def changes_of_file(folder: str, name: str, added: str) -> tuple[Change, ...]:
    """Return what can happen to a file of the input, its bytes and its name."""
    path, kept = f"{folder}/{name}", f"{folder}/.kept"
    named = (name,)
    shorter = replaced(path, "apples", "plums")
    as_long = replaced(path, "apples", "plums ")
    two_targets = all_of(
        other_pages(path, f"{kept}/1{name}"),
        other_pages(path, f"{kept}/2{name}"),
        replaced(f"{kept}/2{name}", "plums ", "pears "),
        lambda: shutil.copystat(f"{kept}/1{name}", f"{kept}/2{name}"),
        linked(path, f".kept/1{name}"),
    )
    edits: tuple[tuple[str, tuple[str, ...], Edit, Edit | None], ...] = (
        ("edited", named, shorter, None),
        ("edited, same size", named, as_long, None),
        ("edited, same size and time", named, with_old_time(path, as_long), None),
        (
            "swapped with a file of the same size and time",
            named,
            swapped(path, f"{folder}/t{name}"),
            other_pages(path, f"{folder}/t{name}"),
        ),
        ("linked to another file", named, linked(path, f".kept/2{name}"), two_targets),
        ("removed", named, lambda: Path(path).unlink(), None),
        (
            "renamed",
            (name, f"0{name}"),
            lambda: Path(path).rename(f"{folder}/0{name}"),
            None,
        ),
        (f"z{added} added", (f"z{added}",), page_added(f"{folder}/z{added}"), None),
        (f"0{added} added", (f"0{added}",), page_added(f"{folder}/0{added}"), None),
    )
    return (
        *(
            Change(
                name=f"{path}: {what}", named=words, of=folder, edit=edit, before=before
            )
            for what, words, edit, before in edits
        ),
        Change(
            name=f"{path}: touched",
            of=folder,
            edit=lambda: os.utime(path),
            expected=SAME,
        ),
    )


def changed_input(name: str, named: str, of: str, edit: Edit) -> Change:
    return Change(name=name, named=(named,), of=of, edit=edit)


def touched(name: str, of: str) -> Change:
    return Change(
        name=f"{name}: touched", of=of, edit=lambda: os.utime(name), expected=SAME
    )


INPUTS = (
    *changes_of_file("pages", "a.jsonl", "x.jsonl"),
    *changes_of_file("html", "h1.html", "x.html"),
    Change(
        name="pages/b.jsonl.gz: packed again",
        named=("b.jsonl.gz",),
        of="pages",
        edit=packed_again,
        expected=EITHER,
    ),
    changed_input("gold text", "gold", "gold", replaced("gold.jsonl", "fed", "ate")),
    changed_input(
        "plug-in", "plug", "plug-in", replaced("code/plug.py", "html))", "html))[5:]")
    ),
    changed_input(
        "plug-in's helper",
        "plug",
        "plug-in",
        replaced("code/aid.py", "html)\n", "html)[1:]\n"),
    ),
    Change(
        name="plug-in in a zip",
        named=("zipped",),
        only=("segment", "extract again", "export pages", "sweep exact"),
        edit=lambda: write_zipped(
            Path("code/plug-ins.zip"),
            HELPER.replace("paragraphs", "text").replace("html)\n", "html)[1:]\n"),
        ),
        options=("--extractors", "zipped:text,plug:text,shouting,cetr"),
        before_options=("--extractors", "zipped:text,plug:text,shouting,cetr"),
    ),
    changed_input(
        "extractor's code and version",
        "shouting",
        "plug-in",
        all_of(replaced("code/shouting.py", "upper()", "upper()[3:]"), new_version),
    ),
    Change(
        name="extractor's version",
        named=("shouting",),
        of="plug-in",
        edit=new_version,
        expected=EITHER,
    ),
    changed_input(
        "topics: edited",
        "topics",
        "topics",
        replaced("topics.txt", "pony apples", "heron"),
    ),
    changed_input(
        "topics: same size",
        "topics",
        "topics",
        replaced("topics.txt", "apples", "plums "),
    ),
    changed_input(
        "topics: one removed",
        "topics",
        "topics",
        lambda: write_topics(Path(), ANIMALS[:3]),
    ),
    changed_input("topics: one added", "topics", "scoring", topics(*ANIMALS, "heron")),
    changed_input(
        "qrels: edited", "qrels", "qrels", replaced("qrels.txt", "1 0 d0 1", "1 0 d0 0")
    ),
    changed_input(
        "qrels: a topic removed",
        "qrels",
        "qrels",
        lambda: write_qrels(Path(), ANIMALS[:3]),
    ),
    changed_input(
        "model", "model", "model", lambda: write_model(Path("model.npz"), words=9)
    ),
    changed_input(
        "store of edited pages",
        "store",
        "store",
        all_of(replaced("pages/a.jsonl", "apples", "plums"), store_rebuilt()),
    ),
    changed_input(
        "store with other borders",
        "store",
        "store",
        store_rebuilt("--borders", "paper"),
    ),
    Change(
        name="store of another plug-in",
        named=("store",),
        only=(
            "index",
            "index shares",
            "export",
            "sweep --store",
            "sweep shares",
            "compare",
        ),
        edit=all_of(replaced("code/plug.py", "html))", "html))[5:]"), store_rebuilt()),
    ),
    Change(name="store: built again", of="store", edit=store_rebuilt(), expected=SAME),
    changed_input(
        "judged page",
        "pages was",
        "judged",
        replaced("judged/h1.html", "apples", "plums"),
    ),
    changed_input(
        "judged text",
        "pages was",
        "judged",
        replaced("judged/h1.txt", "apples", "plums"),
    ),
    changed_input(
        "judged page: removed",
        "pages was",
        "judged",
        lambda: Path("judged/h1.html").unlink(),
    ),
    changed_input(
        "judged strings",
        "snippets pages was",
        "strings",
        replaced("strings/snippets.jsonl", "stood there", "thought"),
    ),
    changed_input(
        "blogs topics",
        "topics",
        "blogs",
        replaced("blogs-topics.txt", "subject", "post"),
    ),
    changed_input(
        "blogs qrels", "qrels", "blogs", replaced("blogs-qrels.txt", " 4\n", " 1\n")
    ),
    *(
        touched(name, of)
        for name, of in (
            ("gold.jsonl", "gold"),
            ("topics.txt", "topics"),
            ("qrels.txt", "qrels"),
            ("model.npz", "model"),
        )
    ),
)


def option(
    text: str, *named: str, expected: str = CHANGED, given: bool = False
) -> Change:
    """Return a change of an option.

    Args:
        text: the option and its new values.
        *named: a failing command names one of these.
        expected: what happens.
        given: whether only commands with the option get it.
    """
    ((*words,),) = commands(text)
    return Change(
        name=text, named=named, options=tuple(words), given=given, expected=expected
    )


def option_of(only: str, before: str, text: str, *named: str) -> Change:
    """Return a change of an option of some works, which are made with other options."""
    return Change(
        name=f"{before} -> {text}" if before else text,
        named=named,
        only=tuple(only.split(", ")),
        options=commands(text)[0],
        before_options=commands(before)[0],
    )


DEDUPS = "index --keep, index --keep --update, export, export shares"
LANGUAGES = (
    f"{DEDUPS}, sweep, sweep exact, sweep --store exact, sweep --grid, compare, explain"
)

OPTIONS = (
    Change(
        name="--input pages2",
        named=("pages2", "a.jsonl"),
        of="pages",
        edit=copied("pages", "pages2", "a.jsonl"),
        options=("--input", "pages2"),
    ),
    Change(
        name="--input judged2",
        named=("pages was",),
        only=("judge",),
        edit=copied("judged", "judged2", "h0.html"),
        options=("--input", "judged2"),
    ),
    option_of("judge", "", "--dataset l3s-gn1", "dataset", "l3s"),
    Change(
        name="--store store2",
        named=("store2", "store"),
        of="store",
        edit=all_of(
            copied("pages", "pages2", "a.jsonl"),
            lambda: make_work(
                commands(f"segment --input pages2 {TEXTS} --output store2")
            ),
        ),
        options=("--store", "store2"),
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
            before=fields_added,
        )
        for field, key in (("id", "number"), ("text", "body"), ("url", "link"))
    ),
    Change(
        name="--on-duplicate",
        named=("on-duplicate",),
        of="pages",
        options=("--on-duplicate", "error"),
        before=docid_repeated,
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
    option("--borders paper", "borders"),
    option("--metadata", "metadata"),
    option("--max-page-bytes 600", "page bytes"),
    option("--max-page-blocks 8", "page blocks"),
    option("--max-page-seconds 50", "seconds", expected=EITHER),
    option("--max-worker-memory 7", "worker", expected=EITHER),
    option("--extractors shouting", "extractors"),
    Change(
        name="--texts gold2",
        named=("texts", "gold"),
        of="pages",
        edit=copied("gold.jsonl", "gold2.jsonl"),
        options=("--texts", "gold=gold2.jsonl"),
    ),
    Change(
        name="--follow-links",
        named=("follow-links", "z.jsonl"),
        of="pages",
        options=("--follow-links",),
        before=link_outside,
    ),
    option("--strict", expected=SAME),
    option("--verify-input", expected=SAME),
    Change(
        name="--update",
        only=("segment", "segment html", "index --keep"),
        options=("--update",),
        expected=SAME,
    ),
    option("--threads 2", expected=SAME),
    option("--heap 300m", expected=SAME),
    option("--sweep words=1,5", "sweep", given=True),
    option("--sweep words=1,5,7,11", "sweep", given=True),
    option("--sweep density=2,3", "sweep", given=True),
    option("--sweep 'words>={2,9} | bte'", "sweep", given=True),
    option_of(
        "sweep --grid", "", "--grid words=1,7 \"learned('model.npz')>=0.3,0.6\"", "grid"
    ),
    option(
        "--cleaners \"bte,learned('model.npz')\"",
        "cleaners",
        "variants",
        "learned",
        given=True,
    ),
    option("--keep words>=5", "keep", "cleaner", given=True),
    option("--format parquet", "format"),
    option("--blocks", "blocks"),
    option("--classes", "classes", "model"),
    option_of("export", "", "--fields author", "fields", "metadata"),
    option("--passages 9", "passages"),
    option("--overlap 3", "overlap"),
    option_of(DEDUPS, "", "--dedup exact", "dedup"),
    option_of(DEDUPS, "", "--dedup minhash", "dedup"),
    option_of(DEDUPS, "--dedup minhash", "", "dedup"),
    option_of(
        DEDUPS, "--dedup minhash", "--dedup-threshold 0.5 --dedup minhash", "threshold"
    ),
    option_of(LANGUAGES, "", "--languages und", "languages"),
    option_of("index --keep", "", "--storeContents", "layout contents"),
    option_of("index --keep", "", "--storeRaw", "layout raw"),
    option_of("index --keep", "", "--storeDocvectors", "layout docvectors"),
    option_of("index --keep", "", "--optimize", "layout optimize"),
    option_of("index --keep", "", "--fields title", "layout fields"),
    option_of(
        "sweep, sweep exact, compare",
        "",
        "--rm3",
        "--rm3 requires --engine indexes",
        "rm3",
    ),
    option_of(
        "sweep, sweep exact, compare", "", "--rocchio", "--rocchio requires", "rocchio"
    ),
    *(
        option_of("sweep", method, f"{text} {method}", named)
        for method, text, named in (
            ("--rm3", "--rm3.fbTerms 2", "fb terms"),
            ("--rm3", "--rm3.fbDocs 2", "fb docs"),
            ("--rm3", "--rm3.originalQueryWeight 0.9", "original query weight"),
            ("--rm3", "--rm3.noTermFilter", "filter terms"),
            ("--rocchio", "--rocchio.topFbTerms 2", "top fb terms"),
            ("--rocchio", "--rocchio.topFbDocs 2", "top fb docs"),
            ("--rocchio", "--rocchio.bottomFbTerms 2", "bottom fb terms"),
            ("--rocchio", "--rocchio.bottomFbDocs 2", "bottom fb docs"),
            ("--rocchio", "--rocchio.alpha 0.5", "alpha"),
            ("--rocchio", "--rocchio.beta 0.5", "beta"),
            ("--rocchio", "--rocchio.gamma 0.5", "gamma"),
            ("--rocchio", "--rocchio.useNegative", "use negative"),
        )
    ),
    option("--language de", "language"),
    option("--stemmer krovetz", "stemmer"),
    option("--keepStopwords", "keepStopwords", "stopwords"),
    option("--pretokenized", "pretokenized"),
    Change(
        name="--topics topics2.txt",
        named=("topics2", "topics"),
        of="topics",
        edit=copied("topics.txt", "topics2.txt"),
        options=("--topics", "topics2.txt"),
    ),
    Change(
        name="--fields title narr",
        named=("fields",),
        of="topics",
        options=("--fields", "title", "narr"),
    ),
    Change(
        name="--qrels qrels2.txt",
        named=("qrels2", "qrels"),
        of="qrels",
        edit=all_of(
            lambda: shutil.copy("qrels.txt", "qrels2.txt"),
            replaced("qrels2.txt", "1 0 d0 1", "1 0 d0 0"),
        ),
        options=("--qrels", "qrels2.txt"),
    ),
    option("--topic 2"),
    option("--measures P@5 AP", "measures"),
    option_of(
        "sweep, sweep --store, compare --engine indexes", "", "--engine exact", "engine"
    ),
    # Not compare: its index of the proof is used again, and has a few bytes less.
    option_of("sweep exact", "", "--engine indexes", "engine"),
    Change(
        name="--verify 3", named=("verif",), of="ranking", options=("--verify", "3")
    ),
    Change(
        name="--verify full",
        named=("verify",),
        of="ranking",
        options=("--verify", "full"),
    ),
    option("--bm25", expected=SAME),
    option("--qld", "qld", "query likelihood", "model"),
    option("--formula classic", "formula", "classic", "model"),
    option_of("compare", "", "--formula bm25,qld", "formulas"),
    option("--k1 1.2", "k1"),
    option_of("compare", "", "--k1 0.3,3", "tuned"),
    option("--b 0.75", "b=", "--b"),
    option("--mu 50 --qld", "mu"),
    Change(
        name="--runs",
        named=("runs",),
        only=("compare",),
        edit=lambda: write_run(Path(), first=0),
        options=("--runs", "dense=dense.trec"),
    ),
    Change(
        name="run from elsewhere",
        named=("runs", "dense"),
        only=("compare", "compare --engine indexes"),
        edit=lambda: write_run(Path(), first=1),
        options=("--runs", "dense=dense.trec"),
        before=lambda: write_run(Path(), first=0),
        before_options=("--runs", "dense=dense.trec"),
    ),
    option("--hits 2", "hits"),
    option("--tests t,wilcoxon", "tests"),
    option("--baseline words>=5", "baseline"),
    option("--gold shouting", "gold"),
    option("--choose", expected=SAME),
    option("--title Another"),
)


def code(name: str, of: str, named: str, file: str, old: str, new: str) -> Change:
    return Change(name=name, named=("code", named), of=of, source=(file, old, new))


def variable(name: str, value: str) -> Change:
    return Change(
        name=name,
        only=("segment", "index", "sweep exact"),
        environment=(name, value),
        expected=SAME,
    )


CODE_AND_ENVIRONMENT = (
    code(
        "segmenter",
        "segmenting",
        "segment",
        "pages/elements.py",
        '"script style',
        '"ul script style',
    ),
    Change(
        name="no dictionary for words",
        named=("words",),
        of="segmenting",
        source=("../icu4py.py", "", "raise ImportError"),
        expected=EITHER,
    ),
    code(
        "extractor",
        "plug-in",
        "cetr",
        "extractors/cetr.py",
        "content_by_ratio_and_change)\n",
        "content_by_ratio_and_change)[40:]\n",
    ),
    code(
        "cleaner",
        "cleaning",
        "clean",
        "cleaners/published/bte.py",
        "best_runs(columns, 1.0, self)",
        "best_runs(columns, 9.0, self)",
    ),
    code("shipped model", "cleaning", "model", "cleaners/learned/learned.npz", "", ""),
    code(
        "indexer",
        "indexing",
        "index",
        "indexer/pieces.py",
        "terms = self._analyse(pieces)",
        'terms = ["" if "heron" in one else one for one in self._analyse(pieces)]',
    ),
    code(
        "one index",
        "one-index",
        "index",
        "indexer/single.py",
        "analyzer.have_token([page.text for page in kept])",
        '["heron" not in one.text for one in kept]',
    ),
    code(
        "kept text",
        "kept-text",
        "clean",
        "cleaners/selection.py",
        '"\\n".join(self',
        '" plums ".join(self',
    ),
    code(
        "export",
        "exporting",
        "export",
        "export/records.py",
        "text[start:end],",
        'text[start:end] + " plums",',
    ),
    Change(
        name="code: duplicates",
        named=("code", "dedup"),
        only=tuple(DEDUPS.split(", ")),
        source=(
            "store/near_duplicates.py",
            "if digest in self._docids:",
            "if len(self._docids) > 1:",
        ),
        options=("--dedup", "exact"),
        before_options=("--dedup", "exact"),
    ),
    Change(
        name="code: exact engine",
        named=("code", "rank"),
        of="ranking",
        source=("eval/ranking/exact/top_hits.py", '"""', '"""All: '),
        expected=EITHER,
    ),
    code(
        "scores",
        "scoring",
        "score",
        "eval/stats/scoring.py",
        "= metric.value",
        "= metric.value / 2",
    ),
    *(
        Change(
            name=name,
            named=("anserini",),
            of="lucene",
            edit=anserini(renamed=renamed),
            environment=("ANSERINI_CLASSPATH", "jars"),
        )
        for name, renamed in (
            ("another Anserini", True),
            ("another jar of its version", False),
        )
    ),
    variable("BOILERSWEEP_PURE", "1"),
    variable("PYTHONHASHSEED", "7"),
    variable("TZ", "Asia/Tokyo"),
)

CHANGES = (*INPUTS, *OPTIONS, *CODE_AND_ENVIRONMENT)

# Options without a change, and why.
NO_CHANGE = {
    "--output": "names the work itself",
    "extract --store": "names the work itself",
    "--help": "runs nothing",
    "--share": "has works of its own",
    "--overwrite": "every failing command runs with it, too",
    "segment --dataset": "replaces --input; tests/system/test_irds.py changes it",
    "sweep --dataset": "replaces --input, --topics, --qrels; tests/system/test_irds.py changes it",
    "compare --dataset": "replaces --input, --topics, --qrels",
    "--queries": "without judgements every file is written again",
    "--query-column": "without judgements every file is written again",
    "--count-column": "without judgements every file is written again",
    "sweep --sample": "without judgements every file is written again",
    "sweep --seed": "without judgements every file is written again",
    "compare --sample": "without judgements every file is written again",
    "compare --seed": "without judgements every file is written again",
    "--cdx-base": "of records from a server; tests/collection/test_common_crawl.py changes it",
    "--cdx-rate": "says how fast records are fetched",
    "--save": "names a work of its own; tests/collection/test_common_crawl.py changes it",
    "--log-every": "says how often progress is logged",
    "--docid": "of WARC, which the world lacks; its identity is that of --id-field",
    "--page": "explains a page and reads no work",
}


def works_of(change: Change) -> list[Work]:
    return [work for work in WORKS if _meets(work, change)]


def _meets(work: Work, change: Change) -> bool:
    if change.only:
        return work.name in change.only
    if change.of and change.of not in work.reads.split():
        return False
    if not change.options:
        return True
    if not work.options and change.edit is None:
        return False
    flag = change.options[0]
    knowing = [argv for argv in work.again if flag in options_of(argv[0])]
    return any(flag in argv or not change.given for argv in knowing)


@cache
def parsers() -> dict[str, argparse.ArgumentParser]:
    (action,) = (
        action
        for action in make_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return dict(action.choices)


@cache
def options_of(command: str) -> frozenset[str]:
    actions = parsers()[command]._actions
    return frozenset(s for a in actions for s in a.option_strings if s.startswith("--"))


def with_options(argvs: tuple[Argv, ...], options: Argv) -> tuple[Argv, ...]:
    """Put options into every command that has the first of them, in place of their values."""
    if not options:
        return argvs
    changed = []
    for argv in argvs:
        if options[0] in options_of(argv[0]):
            for flag in options:
                argv = _without(argv, flag)
            argv = (*argv, *options)
        changed.append(argv)
    return tuple(changed)


def _without(argv: Argv, flag: str) -> Argv:
    if not flag.startswith("--") or flag not in argv:
        return argv
    start = argv.index(flag)
    values = count(start + 1)
    end = next(n for n in values if n == len(argv) or argv[n].startswith("--"))
    return (*argv[:start], *argv[end:])


def parameters() -> Iterator[ParameterSet]:
    """Yield every work of every change; one of each change is in every run."""
    for number, change in enumerate(CHANGES):
        works = works_of(change)
        for turn, work in enumerate(works):
            marks = () if turn == number % len(works) else (pytest.mark.exhaustive,)
            yield pytest.param(
                work, change, id=f"{work.name} | {change.name}", marks=marks
            )


RUN = """
import sys
from boilersweep.cli.main import main
from tests.quick import quick
with quick():
    sys.exit(main(sys.argv[1:]))
"""


def runner(
    change: Change, folder: Path
) -> Callable[[tuple[Argv, ...]], tuple[bool, str]]:
    """Return a function that runs commands with the code and environment of the change."""
    if change.source is None and change.environment is None:
        return run_here
    places = [str(Path(__file__).parents[2]), str(Path("code").absolute())]
    if change.source:
        places.insert(0, str(changed_package(folder, change.source)))
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    variables.update([change.environment] if change.environment else [])

    def run(argvs: tuple[Argv, ...]) -> tuple[bool, str]:
        for argv in argvs:
            done = subprocess.run(
                [sys.executable, "-c", RUN, *argv],
                env=variables,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            if done.returncode:
                return False, done.stdout
        return True, ""

    return run


def changed_package(folder: Path, source: tuple[str, str, str]) -> Path:
    """Copy the package and change one file of it; return the folder to import it from."""
    tree = folder / "boilersweep"
    left_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(boilersweep.__file__).parent, tree, ignore=left_out)
    for name in ("indexer", "eval", "topics"):
        place = Path(
            str(importlib.import_module(f"boilersweep.{name}").__file__)
        ).parent
        shutil.copytree(place, tree / name, ignore=left_out, dirs_exist_ok=True)
    name, old, new = source
    path = tree / name
    if path.suffix == ".npz":
        write_model(path, words=9)
    else:
        text = path.read_text() if path.exists() else ""
        assert old in text, f"{name} lacks {old!r}"
        path.write_text(text.replace(old, new, 1))
    return folder


def result(work: Work, world: Path = Path()) -> Found:
    return {
        f"{output}/{name}": content
        for output in work.outputs
        for name, content in comparable(world / output, numbered=work.numbered).items()
    }


def files(work: Work) -> dict[Path, bytes]:
    paths = [path for output in work.outputs for path in Path(output).rglob("*")]
    return {path: path.read_bytes() for path in paths if path.is_file()}


def clear(work: Work) -> None:
    for output in work.outputs:
        shutil.rmtree(output, ignore_errors=True)


def plain(text: str) -> str:
    """Return a text for comparing names of options in messages."""
    return text.lower().replace("-", " ").replace("_", " ")


@pytest.mark.parametrize(("work", "change"), list(parameters()))
def test_a_change_is_followed_or_named(
    bench: Bench, tmp_path: Path, work: Work, change: Change
) -> None:
    before = f", before {change.name}" if change.before or change.before_options else ""

    def make() -> None:
        if change.before:
            change.before()
        make_work(with_options(work.first or work.again, change.before_options))

    kept = bench.restore(work.name + before, make)
    again = with_options(work.again, change.options)
    fresh = with_options((*work.first, *work.again), change.options)
    with inside(bench.world):
        if change.edit:
            change.edit()
        run = runner(change, tmp_path)
        finished = files(work)
        succeeded, output = run(again)
        assert "Traceback" not in output, output
        if not succeeded:
            assert change.expected != SAME, output
            message = plain(output.partition("\nusage:")[0])
            assert any(plain(word) in message for word in change.named), output
            assert work.first or len(again) > 1 or files(work) == finished
            if work.first or "--overwrite" not in options_of(again[0][0]):
                return
            succeeded, output = run(with_options(fresh, ("--overwrite",)))
        found = result(work)
        if change.expected == SAME and found == result(work, kept):
            return
        clear(work)
        possible, reason = run(fresh)
        assert succeeded == possible, f"{output}\nin an empty folder: {reason}"
        if not possible:
            return
        expected = result(work)
        assert differences(found, expected) == []
        assert change.expected != CHANGED or expected != result(work, kept)


def options_of_works() -> Iterator[tuple[str, str]]:
    """Yield every option of every command that leaves work."""
    for command in sorted(
        {argv[0] for work in WORKS for argv in work.again} - {"blogs06"}
    ):
        for name in sorted(options_of(command)):
            yield command, name


@pytest.mark.parametrize(("command", "name"), list(options_of_works()))
def test_every_option_has_a_change_or_a_reason_to_have_none(
    command: str, name: str
) -> None:
    changes = [
        change.name
        for change in CHANGES
        if name in (*change.options[:1], *change.before_options[:1])
        for work in works_of(change)
        if any(argv[0] == command for argv in work.again)
    ]
    feedback = command == "compare" and name.startswith(("--rm3.", "--rocchio."))
    exempt = feedback or not NO_CHANGE.keys().isdisjoint((name, f"{command} {name}"))
    assert bool(changes) != exempt, changes


def test_every_command_leaves_work_or_has_a_reason_not_to() -> None:
    leaving = {argv[0] for work in WORKS for argv in work.again}
    assert leaving.isdisjoint(NO_WORK)
    assert leaving | NO_WORK.keys() == parsers().keys()


def test_every_row_means_something() -> None:
    known = {name for command in parsers() for name in options_of(command)}
    known |= {
        f"{command} {name}" for command in parsers() for name in options_of(command)
    }
    assert NO_CHANGE.keys() <= known
    assert all(map(works_of, CHANGES))
    names = {work.name for work in WORKS}
    assert all(names.issuperset(change.only) for change in CHANGES)
    assert len({change.name for change in CHANGES}) == len(CHANGES)
