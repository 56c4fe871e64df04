"""All commands that write, each in the world of `world.py`, with what attacks on them need."""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.system.works import TOPICS, Argv, commands

_HERE = "--output out --threads 1"
_SEARCHED = f"--store store {TOPICS} --cleaners bte"


@dataclass(frozen=True, slots=True, kw_only=True)
class Writes:
    """A command that writes into the folder `out`.

    Attributes:
        line: The command.
        first: Commands whose results it reads.
        other: Words of the command -> words that make it another request; empty if all requests
            are about the same output.
        inputs: The files that it reads, which no output may replace.
        takes: Whether it has --overwrite.
        checked: What `check` checks.
    """

    line: str
    first: tuple[str, ...] = ()
    other: tuple[str, str] = ("", "")
    inputs: tuple[str, ...] = ()
    takes: bool = True
    checked: str = "out"

    @property
    def argv(self) -> Argv:
        """The words of the command."""
        return commands(self.line)[0]


_SWEEP = f"sweep {_SEARCHED} --sweep words=1,5 --engine exact {_HERE}"
_EXPERIMENT = ("topics.txt", "qrels.txt")

WRITERS: Mapping[str, Writes] = {
    "segment": Writes(
        line=f"segment --input pages --texts gold=gold.jsonl {_HERE}",
        other=("--input", "--borders paper --input"),
        inputs=("gold.jsonl",),
    ),
    "index": Writes(
        line=f"index --store store --sweep words=1,5 {_HERE}",
        other=("--sweep", "--stemmer none --sweep"),
    ),
    "index --keep": Writes(
        line=f"index --store store --keep words>=5 {_HERE}",
        other=("words>=5", "words>=3"),
    ),
    "index --blocks": Writes(
        line=f"index --store store --blocks {_HERE}",
        other=("--blocks", "--blocks --cleaners bte"),
    ),
    "export": Writes(
        line=f"export --store store --keep words>=5,bte {_HERE}",
        other=("--keep", "--format parquet --keep"),
    ),
    "sweep": Writes(line=_SWEEP, other=("bte", "bte --k1 2"), inputs=_EXPERIMENT),
    "sweep --input": Writes(
        line=_SWEEP.replace("--store store", "--input pages"),
        other=("bte", "bte --k1 2"),
        inputs=_EXPERIMENT,
    ),
    "sweep --grid": Writes(
        line=f"sweep --store store {TOPICS} --grid words=1,5 density=1,5 {_HERE}",
        other=("--grid", "--k1 2 --grid"),
        inputs=_EXPERIMENT,
    ),
    "compare": Writes(
        line=f"compare {_SEARCHED} --engine exact {_HERE}",
        other=("bte", "bte --k1 2"),
        inputs=_EXPERIMENT,
    ),
    "sweep without qrels": Writes(
        line=f"sweep --store store --topics topics.txt --sweep words=1,5 {_HERE}",
        other=("words=1,5", "words=1,9"),
        inputs=("topics.txt",),
    ),
    "compare without qrels": Writes(
        line=f"compare --store store --topics topics.txt --cleaners bte {_HERE}",
        other=("bte", "words>=3"),
        inputs=("topics.txt",),
    ),
    "judge": Writes(
        line="judge --dataset folder --input judged --cleaners words>=3,bte --output out",
        other=("words>=3,bte", "bte"),
    ),
    "assess": Writes(
        line=(
            "assess --store store --topics topics.txt --cleaners words>=1,bte "
            f"--assessor 'echo 1' --documents 4 {_HERE}"
        ),
        inputs=("topics.txt",),
        takes=False,
    ),
    "demo": Writes(line=f"demo {_HERE}", takes=False),
    "report": Writes(
        line="report out", first=(f"compare {_SEARCHED} --engine exact {_HERE}",)
    ),
    "train": Writes(
        line=(
            "train --dataset folder=judged --dataset snippets=strings --leave-out source "
            "--model 1r --features kohlschuetter --output out/model.npz"
        ),
        takes=False,
        checked="out/model.npz",
    ),
}

# Commands that write one file -> their words, where the file is OUT; and the inputs that OUT may
# not be, files and folders. Of a folder, OUT is tried as a file in it.
FILES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "clean": ("clean html/h0.html --output OUT", ("html/h0.html",)),
    "clean --explain": (
        "clean html/h0.html --explain --output OUT",
        ("html/h0.html",),
    ),
    "search": (
        "search --index index --topics topics.txt --output OUT",
        ("topics.txt", "index/"),
    ),
    "search --topic": (
        f"search --store store {TOPICS} --topic 1 --cleaners words>=1,bte --output OUT",
        ("topics.txt", "qrels.txt", "store/"),
    ),
    "export --features": (
        "export --store store --features schaefer --output OUT",
        ("store/",),
    ),
    "report": ("report study --output OUT", ("study/",)),
    "report --archive": ("report study --archive OUT", ("study/",)),
    "assess --write": (
        "assess --store store --topics topics.txt --cleaners words>=1,bte --output judged-here "
        "--write OUT",
        ("topics.txt", "store/", "judged-here/"),
    ),
    "train": (
        "train --dataset folder=judged --model 1r --features kohlschuetter --output OUT",
        ("judged/h0.html",),
    ),
}

# What these commands read beside the inputs of the world.
FILES_READ = (
    "index --store store --keep words>=5 --output index --threads 1",
    f"compare {_SEARCHED} --engine exact --output study --threads 1",
)
