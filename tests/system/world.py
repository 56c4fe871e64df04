"""A small world of inputs for every command, and the commands whose finished work can be reused."""

import contextlib
import gzip
import importlib
import io
import json
import shlex
import shutil
import sys
import traceback
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boilersweep.cleaners.learned.features import PARAGRAPHS, VERSION
from boilersweep.cleaners.learned.model import Model, Network, save_model
from boilersweep.cleaners.learned.paragraph_features import NAMES
from boilersweep.cli.main import main

ANIMALS = ("pony", "zebra", "otter", "heron")
PAGES = 9

PLUGIN = '''"""An extractor that takes the text of the paragraphs."""
from aid import paragraphs


def text(html):
    return " ".join(paragraphs(html))
'''
HELPER = '''"""Finds paragraphs."""
import re


def paragraphs(html):
    return re.findall(r"<p>(.*?)</p>", html)
'''
SHOUTING = '''"""An extractor that takes the title in capitals."""
import re


def take(html):
    return " ".join(re.findall(r"<title>(.*?)</title>", html)).upper()
'''
PLUGIN_MODULES = ("plug", "aid", "shouting", "zipped")


def page(number: int) -> str:
    """Return a page on one of the animals, with a menu, inline tags and blocks of many lengths."""
    animal = ANIMALS[number % len(ANIMALS)]
    menu = "".join(
        f"<li><a href='{other}.html'>{other} {other}</a></li>"
        for other in ANIMALS
        if other != animal
    )
    sentence = f"the {animal} stood there, and thought of nothing but {number} apples "
    return (
        f"<html><head><title>Of the {animal} {number}</title></head><body><ul>{menu}</ul>"
        f"<p>The {animal} {'runs' if number % 2 else 'running'}</p>"
        f"<p>generously, <b>ponies</b> and the {animal} were fed</p>"
        f"<p>{sentence * (1 + number % 3)}for a long time</p>"
        "<div>the heron is in general late</div></body></html>"
    )


def gold_text(number: int) -> str:
    animal = ANIMALS[number % len(ANIMALS)]
    return f"generously, ponies and the {animal} were fed; the {animal} thought of {number} apples"


def json_lines(texts: Mapping[str, str]) -> str:
    return "".join(
        json.dumps({"id": docid, "contents": text}) + "\n"
        for docid, text in texts.items()
    )


def write_world(folder: Path) -> None:
    """Write all inputs.

    - pages/: nine pages, d0 to d8, as JSON lines, one file of them gzipped
    - html/: six of them as HTML files
    - judged/: four of them with gold texts
    - strings/: two others with strings that a cleaner must keep or drop
    - gold.jsonl: a gold text of every page
    - topics.txt, qrels.txt: four TREC topics, and judgements of all pages
    - model.npz: a model for learned('model.npz')
    - code/: the extractor plug:text with a module that it imports, the distribution shouting, and
      plug-ins.zip with the extractor zipped:text
    - blogs/, blogs-topics.txt, blogs-qrels.txt: a made-up BLOGS06

    Args:
        folder: does not exist yet.
    """
    for name in (
        "pages",
        "html",
        "judged",
        "strings/html",
        "code/shouting-1.0.dist-info",
    ):
        (folder / name).mkdir(parents=True)
    pages = {f"d{number}": page(number) for number in range(PAGES)}
    docids = list(pages)
    for name, names in (
        ("a.jsonl", docids[:4]),
        ("b.jsonl", docids[4:7]),
        ("c.jsonl", docids[7:]),
    ):
        text = json_lines({docid: pages[docid] for docid in names})
        (folder / "pages" / name).write_text(text)
    plain = folder / "pages" / "b.jsonl"
    plain.with_suffix(".jsonl.gz").write_bytes(
        gzip.compress(plain.read_bytes(), mtime=0)
    )
    plain.unlink()
    for number in range(6):
        (folder / "html" / f"h{number}.html").write_text(page(number))
    for number in range(4):
        (folder / "judged" / f"h{number}.html").write_text(page(number))
        (folder / "judged" / f"h{number}.txt").write_text(gold_text(number))
    strings = {"with": ["stood there"], "without": ["heron heron"]}
    with (folder / "strings" / "snippets.jsonl").open("w") as file:
        for number in (4, 5):
            (folder / "strings" / "html" / f"h{number}.html").write_text(page(number))
            file.write(json.dumps({"name": f"h{number}", **strings}) + "\n")
    gold = {f"d{number}": gold_text(number) for number in range(PAGES)}
    (folder / "gold.jsonl").write_text(json_lines(gold))
    write_topics(folder, ANIMALS)
    write_qrels(folder, ANIMALS)
    write_model(folder / "model.npz", words=5)
    _write_plugins(folder / "code")
    write_blogs(folder)


def write_topics(folder: Path, titles: tuple[str, ...]) -> None:
    (folder / "topics.txt").write_text(
        "".join(
            f"<top>\n<num> Number: {number}\n<title> {title} apples\n<desc> Description:\n"
            f"Where is the {title} in general?\n<narr> Narrative:\nponies are relevant\n</top>\n"
            for number, title in enumerate(titles, start=1)
        )
    )


def write_qrels(folder: Path, titles: tuple[str, ...]) -> None:
    """Write judgements of all pages: those on a topic's animal are relevant."""
    (folder / "qrels.txt").write_text(
        "".join(
            f"{topic} 0 d{number} {int(ANIMALS[number % len(ANIMALS)] == title)}\n"
            for topic, title in enumerate(titles, start=1)
            for number in range(PAGES)
        )
    )


def write_run(folder: Path, first: int) -> None:
    """Write a run from elsewhere, dense.trec, with page number `first` at rank 1 of each topic."""
    (folder / "dense.trec").write_text(
        "".join(
            f"{topic} Q0 d{(number + first) % PAGES} {number + 1} {-number} dense\n"
            for topic in range(1, 5)
            for number in range(PAGES)
        )
    )


def write_model(path: Path, words: int) -> None:
    """Write a model that keeps paragraphs of at least so many words."""
    network = Network(
        mean=np.array([np.log(words + 0.5) / 4], dtype=np.float32),
        scale=np.array([1], dtype=np.float32),
        weights=(np.array([[100]], dtype=np.float32),),
        biases=(np.array([0], dtype=np.float32),),
    )
    columns = np.array([NAMES.index("words")], dtype=np.int32)
    save_model(Model(PARAGRAPHS, VERSION, columns, network, "fixed"), path)


def _write_plugins(code: Path) -> None:
    for name, source in (("plug", PLUGIN), ("aid", HELPER), ("shouting", SHOUTING)):
        (code / f"{name}.py").write_text(source)
    write_zipped(code / "plug-ins.zip", HELPER.replace("paragraphs", "text"))
    info = code / "shouting-1.0.dist-info"
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n"
    )
    (info / "RECORD").write_text(
        f"shouting.py,,\n{info.name}/METADATA,,\n{info.name}/RECORD,,\n"
    )
    (info / "entry_points.txt").write_text(
        "[boilersweep.extractors]\nshouting = shouting:take\n"
    )


def write_zipped(path: Path, source: str) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("zipped.py", source)


def write_blogs(folder: Path) -> None:
    """Write a made-up BLOGS06: 20 permalinks, topics 851 to 900 and judgements of all."""
    day = folder / "blogs" / "20051206"
    day.mkdir(parents=True)
    docids = [f"BLOG06-20051206-000-{number:010d}" for number in range(20)]
    pages = "".join(
        f"<DOC>\n<DOCNO>{docid}</DOCNO>\n<DATE_XML></DATE_XML>\n"
        f"<FEEDNO>BLOG06-feed-0</FEEDNO>\n<PERMALINK>http://b.example/{number}</PERMALINK>\n"
        f"<DOCHDR>\nhttp://b.example/{number} 0.0.0.0 2005 100\nHTTP/1.1 200 OK\n</DOCHDR>\n"
        f"<html><body><li>subject{number + 1}</li><p>{f'subject{number} of this post ' * 8}</p>"
        "</body></html>\n</DOC>\n"
        for number, docid in enumerate(docids)
    )
    (day / "permalinks-000.gz").write_bytes(gzip.compress(pages.encode(), mtime=0))
    topics = [
        f"<top>\n<num> Number: {851 + number}\n<title> subject{number % 20}\n<desc> Description:\n"
        "x\n<narr> Narrative:\ny\n</top>\n"
        for number in range(50)
    ]
    (folder / "blogs-topics.txt").write_text("".join(topics))
    qrels = [f"{851 + number} 0 {docids[number % 20]} 4\n" for number in range(50)]
    (folder / "blogs-qrels.txt").write_text("".join(qrels))


Argv = tuple[str, ...]


def commands(*lines: str) -> tuple[Argv, ...]:
    return tuple(tuple(shlex.split(line)) for line in lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A command whose finished or half-finished work, in the folder `out`, can be reused.

    Attributes:
        name: for the names of tests.
        first: the commands whose work is found; `again` if there are none.
        again: the commands that run again.
        reads: the inputs and code that it depends on.
        options: whether changes of options are tried; another work has the same code with all.
        outputs: the folders that are compared.
        numbered: whether a store's shards must have the same numbers.
    """

    name: str
    again: tuple[Argv, ...]
    reads: str
    first: tuple[Argv, ...] = ()
    options: bool = True
    outputs: tuple[str, ...] = ("out",)
    numbered: bool = True


TEXTS = "--extractors plug:text,shouting,cetr --texts gold=gold.jsonl --threads 1"
TOPICS = "--topics topics.txt --qrels qrels.txt"
VARIANTS = (
    "--sweep words=1,5,11 --cleaners \"learned('model.npz'),plug:text,bte,learned\""
)
RULE = "learned('model.npz') & bte & learned"
OUT = "--output out --threads 1"

# Makes the store that most works read.
(STORE,) = commands(f"segment --input pages {TEXTS} --metadata --output store")

SEGMENT = f"segment --input pages {TEXTS} --output out"
EXTRACT = (
    "extract --input pages --store out --extractors plug:text,shouting,cetr --threads 1"
)
INDEX = f"index --store store {VARIANTS} {OUT}"
KEEP = f'index --store store --keep "{RULE}" {OUT}'
EXPORTED = (
    "--keep \"learned('model.npz'),plug:text,bte,learned\" --passages 8 --overlap 2"
)
EXPORT = f"export --store store {EXPORTED} {OUT}"
SWEEP_PAGES = f"sweep --input pages {TOPICS} {VARIANTS} {TEXTS} --output out"
SWEEP = f"sweep --store store {TOPICS} {VARIANTS} {OUT}"
EXACT = f"{SWEEP} --engine exact"
COMPARE = f"compare --store store {TOPICS} {VARIANTS} {OUT}"
JUDGED = "words>=3,bte,learned('model.npz'),learned"

CUTS = "pages gold plug-in segmenting"
CLEANS = "store model cleaning"
EXPORTS = f"{CLEANS} kept-text exporting"
INDEXES = f"{CLEANS} indexing lucene"
KEEPS = f"{CLEANS} one-index kept-text lucene"
SEARCHES = "topics qrels scoring"

WORKS = (
    Work(name="segment", again=commands(SEGMENT), reads=CUTS),
    Work(
        name="segment html",
        again=commands(f"segment --input html {OUT}"),
        reads="html segmenting",
        options=False,
    ),
    Work(
        name="segment shares",
        first=commands(f"{SEGMENT} --share 1/2"),
        again=commands(f"{SEGMENT} --share 2/2", f"{SEGMENT} --share 1/2"),
        reads=CUTS,
        options=False,
    ),
    Work(
        name="segment --update",
        first=commands(SEGMENT),
        again=commands(f"{SEGMENT} --update"),
        reads=CUTS,
        options=False,
        numbered=False,
    ),
    Work(
        name="extract",
        first=commands(f"segment --input pages {OUT}"),
        again=commands(EXTRACT),
        reads="pages plug-in segmenting",
    ),
    Work(
        name="extract again",
        first=commands(f"segment --input pages {OUT}", EXTRACT),
        again=commands(EXTRACT),
        reads="pages plug-in segmenting",
        options=False,
    ),
    Work(name="index", again=commands(INDEX), reads=INDEXES),
    Work(name="index --keep", again=commands(KEEP), reads=KEEPS),
    Work(
        name="index --keep --update",
        first=commands(KEEP),
        again=commands(f"{KEEP} --update"),
        reads=KEEPS,
        options=False,
    ),
    Work(
        name="index shares",
        first=commands(f"{INDEX} --share 1/2"),
        again=commands(f"{INDEX} --share 2/2", "merge out"),
        reads=INDEXES,
        outputs=("out", "out.parts"),
    ),
    Work(
        name="index --keep shares",
        first=commands(f"{KEEP} --share 1/2"),
        again=commands(f"{KEEP} --share 2/2", "merge out"),
        reads=KEEPS,
        options=False,
        outputs=("out", "out.parts"),
    ),
    Work(
        name="index merged",
        again=commands(f"{INDEX} --share 1/2", f"{INDEX} --share 2/2", "merge out"),
        reads=INDEXES,
        options=False,
        outputs=("out", "out.parts"),
    ),
    Work(name="export", again=commands(EXPORT), reads=EXPORTS),
    Work(
        name="export pages",
        again=commands(f"export --input pages {TEXTS} {EXPORTED} --output out"),
        reads=f"{CUTS} model cleaning kept-text exporting",
    ),
    Work(
        name="export shares",
        first=commands(f"{EXPORT} --share 1/2"),
        again=commands(f"{EXPORT} --share 2/2", f"{EXPORT} --share 1/2"),
        reads=EXPORTS,
        options=False,
    ),
    Work(
        name="sweep",
        again=commands(f"{SWEEP_PAGES} --engine indexes"),
        reads=f"{CUTS} {SEARCHES} model cleaning indexing lucene",
        options=False,
    ),
    Work(
        name="sweep exact",
        again=commands(f"{SWEEP_PAGES} --engine exact"),
        reads=f"{CUTS} {SEARCHES} model cleaning indexing lucene ranking",
    ),
    Work(
        name="sweep --store",
        again=commands(f"{SWEEP} --engine indexes"),
        reads=f"{SEARCHES} {INDEXES}",
        options=False,
    ),
    Work(
        name="sweep --store exact",
        again=commands(EXACT),
        reads=f"{SEARCHES} {INDEXES} ranking",
        options=False,
    ),
    Work(
        name="sweep shares",
        first=commands(f"{EXACT} --share 1/2"),
        again=commands(f"{EXACT} --share 2/2", f"{EXACT} --share 1/2", EXACT),
        reads=f"{SEARCHES} {CLEANS} ranking",
    ),
    Work(
        name="sweep --grid",
        again=commands(
            f"sweep --store store {TOPICS} --measures P@10 AP "
            f"--grid words=1,5 \"learned('model.npz')>=0.3,0.6\" {OUT}"
        ),
        reads=f"{SEARCHES} store model ranking",
        options=False,
    ),
    Work(
        name="compare",
        again=commands(f"{COMPARE} --engine exact"),
        reads=f"{SEARCHES} {INDEXES} ranking",
    ),
    Work(
        name="compare --engine indexes",
        again=commands(f"{COMPARE} --engine indexes"),
        reads=f"{SEARCHES} {INDEXES}",
        options=False,
    ),
    Work(
        name="judge",
        again=commands(
            "judge --dataset folder --input judged --output out "
            f'--cleaners "{JUDGED},plug:text,shouting,cetr"'
        ),
        reads="judged model plug-in cleaning segmenting",
    ),
    Work(
        name="judge sources",
        again=commands(
            "judge --dataset folder=judged --dataset snippets=strings --output out "
            f'--cleaners "{JUDGED}"'
        ),
        reads="judged strings model cleaning segmenting",
        options=False,
    ),
    Work(
        name="explain",
        again=commands(
            f"explain --store store {TOPICS} --topic 1 --hits 3 "
            f'--cleaners "words>=1,{RULE}" --output out/found.json'
        ),
        reads=f"{CLEANS} topics qrels ranking",
    ),
    Work(
        name="blogs06",
        again=commands(
            f"blogs06 --input blogs --topics blogs-topics.txt --qrels blogs-qrels.txt {OUT} "
            "--engine exact"
        ),
        reads="blogs",
        options=False,
    ),
)

# Commands that are no work, and why.
NO_WORK = {
    "assess": "only adds judgements; tests/eval/assess repeats it after kills",
    "pool": "writes its one file completely, and adds answers as assess does",
    "serve": "reads finished work, and adds judgements as assess does",
    "demo": "no option changes its inputs; it runs what sweep runs",
    "search": "writes its one file completely",
    "evaluate": "writes nothing",
    "clean": "writes its one file completely",
    "cleaners": "writes nothing",
    "features": "writes its one file completely",
    "train": "writes its one file completely",
    "check": "writes nothing",
    "doctor": "writes nothing",
    "report": "draws a finished study again",
}


@contextlib.contextmanager
def inside(world: Path) -> Iterator[None]:
    """Work in the world's folder, from which its plug-ins can be imported."""
    places = [str(world / "code"), str(world / "code" / "plug-ins.zip")]
    sys.path[:0] = places
    try:
        with contextlib.chdir(world):
            yield
    finally:
        for place in places:
            sys.path.remove(place)
        _forget_plugins()


def run_here(argvs: tuple[Argv, ...]) -> tuple[bool, str]:
    """Run commands in this process until one fails, each with the plug-ins freshly imported.

    Returns:
        Whether all succeeded, and the output of the last one that ran.
    """
    output = io.StringIO()
    for argv in argvs:
        _forget_plugins()
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                status = main(argv)
            except SystemExit as error:
                status = 0 if error.code in (None, 0) else 1
            except Exception:
                output.write(traceback.format_exc())
                status = 1
        if status:
            return False, output.getvalue()
    return True, output.getvalue()


def make_work(argvs: tuple[Argv, ...]) -> None:
    succeeded, output = run_here(argvs)
    assert succeeded, output


def _forget_plugins() -> None:
    for name in PLUGIN_MODULES:
        sys.modules.pop(name, None)
    importlib.invalidate_caches()


class Bench:
    """Worlds with finished work, each brought to the same place, so that all paths are equal."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.world = folder / "world"

    def restore(self, name: str, make: Callable[[], None]) -> Path:
        """Bring the world to the state that `make` leaves.

        Args:
            name: of the state, which is made once.
            make: runs in a world of inputs and their store.

        Returns:
            A folder with a copy of the state.
        """
        kept = self._folder / name.replace("/", "-")
        if not kept.exists():
            self._copy(self._inputs())
            with inside(self.world):
                make()
            shutil.copytree(self.world, kept, symlinks=True)
        self._copy(kept)
        return kept

    def _inputs(self) -> Path:
        inputs = self._folder / "inputs"
        if not inputs.exists():
            shutil.rmtree(self.world, ignore_errors=True)
            write_world(self.world)
            with inside(self.world):
                make_work((STORE,))
            shutil.copytree(self.world, inputs)
        return inputs

    def _copy(self, kept: Path) -> None:
        shutil.rmtree(self.world, ignore_errors=True)
        shutil.copytree(kept, self.world, symlinks=True)
