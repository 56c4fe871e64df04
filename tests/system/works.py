"""The commands whose finished work can be reused, each in the world of `world.py`."""

import shlex
from dataclasses import dataclass

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
    """

    name: str
    again: tuple[Argv, ...]
    reads: str
    first: tuple[Argv, ...] = ()
    options: bool = True


EXTRACTORS = "--extractors plug:text,shouting,cetr --threads 1"
TEXTS = f"{EXTRACTORS} --texts gold=gold.jsonl"
TOPICS = "--topics topics.txt --qrels qrels.txt"
VARIANTS = (
    "--sweep words=1,5,11 --cleaners \"learned('model.npz'),plug:text,bte,learned\""
)
RULE = "learned('model.npz') & bte & learned"
OUT = "--output out --threads 1"

# Makes the store that most works read.
(STORE,) = commands(f"segment --input pages {TEXTS} --metadata --output store")

SEGMENT = f"segment --input pages {TEXTS} --output out"
INDEX = f"index --store store {VARIANTS} {OUT}"
KEEP = f'index --store store --keep "{RULE}" {OUT}'
BLOCKS = f"index --store store --blocks {OUT}"
EXPORTED = (
    "--keep \"learned('model.npz'),plug:text,bte,learned\" --passages 8 --overlap 2"
)
EXPORT = f"export --store store {EXPORTED} {OUT}"
SWEEP_PAGES = f"sweep --input pages {TOPICS} {VARIANTS} {EXTRACTORS} --output out"
SWEEP = f"sweep --store store {TOPICS} {VARIANTS} {OUT}"
EXACT = f"{SWEEP} --engine exact"
COMPARE = f"compare --store store {TOPICS} {VARIANTS} {OUT}"
JUDGED = "words>=3,bte,learned('model.npz'),learned"

CUTS = "pages plug-in segmenting"
CLEANS = "store model cleaning"
EXPORTS = f"{CLEANS} exporting"
INDEXES = f"{CLEANS} indexing lucene"
SEARCHES = "topics qrels scoring"

WORKS = (
    Work(name="segment", again=commands(SEGMENT), reads=f"gold {CUTS}"),
    Work(
        name="segment html",
        again=commands(f"segment --input html {OUT}"),
        reads="html segmenting",
        options=False,
    ),
    Work(
        name="segment more texts",
        first=commands(f"segment --input pages {OUT}"),
        again=commands(SEGMENT),
        reads=f"gold {CUTS}",
        options=False,
    ),
    Work(name="index", again=commands(INDEX), reads=INDEXES),
    Work(name="index --keep", again=commands(KEEP), reads=INDEXES),
    Work(
        name="index --blocks",
        again=commands(f'{BLOCKS} --cleaners "{RULE}"'),
        reads=INDEXES,
    ),
    Work(
        name="index --keep --update",
        first=commands(KEEP),
        again=commands(f"{KEEP} --update"),
        reads=INDEXES,
        options=False,
    ),
    Work(name="export", again=commands(EXPORT), reads=EXPORTS),
    Work(
        name="export pages",
        again=commands(f"export --input pages {EXTRACTORS} {EXPORTED} --output out"),
        reads=f"{CUTS} model cleaning exporting",
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
            f"search --store store {TOPICS} --topic 1 --hits 3 "
            f'--cleaners "words>=1,{RULE}" --output out/found.json'
        ),
        reads=f"{CLEANS} topics qrels ranking",
    ),
    Work(
        name="blogs06",
        again=commands(
            "sweep --preset blogs06 --input blogs --topics blogs-topics.txt "
            f"--qrels blogs-qrels.txt {OUT} --engine exact"
        ),
        reads="blogs",
        options=False,
    ),
)

# Commands that are no work, and why.
NO_WORK = {
    "assess": "only adds judgements; tests/eval/assess repeats it after kills",
    "serve": "reads finished work, and adds judgements as assess does",
    "demo": "no option changes its inputs; it runs what sweep runs",
    "evaluate": "writes nothing",
    "clean": "writes its one file completely",
    "train": "writes its one file completely",
    "check": "writes nothing",
    "doctor": "writes nothing",
    "report": "draws a finished study again",
}
