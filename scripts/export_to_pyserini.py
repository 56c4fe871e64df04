"""Index an export with pyserini's own indexer, and compare its scores with those of our index.

    python scripts/export_to_pyserini.py --input PAGES --topics FILE --qrels FILE
                                         [--keep learned] [--output out/pyserini] [--threads N]

Pages are cut once, into OUTPUT/store. What the cleaner keeps then goes two ways: `boilersweep
index --keep`, and `boilersweep export --format jsonl` with `python -m pyserini.index.lucene
--collection JsonCollection`. Both indexes are searched by BM25, and both rows printed; exits with 1
where a hit or a score differs.

pyserini's module runs as it is: by itself where its own Java serves it, else in a process whose
Java boilersweep has started.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from tabulate import tabulate

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.variants import Variant
from boilersweep.errors import BoilersweepError
from boilersweep.eval.ranking_models import BM25
from boilersweep.eval.runs import as_written
from boilersweep.eval.scoring import parse_measures, score
from boilersweep.eval.search import search_index
from boilersweep.export.export import export_store
from boilersweep.indexer.single import build_index
from boilersweep.segmenting.segment import segment_collection
from boilersweep.topics import read_qrels, read_topics

MEASURES = ("P@10", "nDCG@10", "AP")
_MODULE = "pyserini.index.lucene"
_IN_OUR_JAVA = f"""
import runpy
from boilersweep.indexer.jvm import start_jvm
start_jvm()
runpy.run_module({_MODULE!r}, run_name="__main__", alter_sys=True)
"""


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Index an export with pyserini's own indexer, and compare its scores with "
        "those of our index."
    )
    parser.add_argument("--input", type=Path, required=True, metavar="PATH", help="a collection")
    parser.add_argument("--topics", type=Path, required=True, metavar="FILE")
    parser.add_argument("--qrels", type=Path, required=True, metavar="FILE")
    parser.add_argument("--keep", default="learned", metavar="CLEANER", help="(default: learned)")
    parser.add_argument(
        "--output", type=Path, default=Path("out/pyserini"), metavar="DIR", help="what is made"
    )
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="(default: 2)")
    return parser


def main() -> int:
    arguments = make_parser().parse_args()
    try:
        cleaner = parse_cleaner(arguments.keep)
        topics, qrels = read_topics(arguments.topics), read_qrels(arguments.qrels)
        queries = {topic.id: topic.title for topic in topics}
        ours, theirs = indexes(arguments, cleaner)
        runs = {
            "ours": search_index(ours, queries, BM25()),
            "pyserini's": search_index(theirs, queries, BM25()),
        }
        measures = parse_measures(MEASURES)
        rows = [
            [name, *score(as_written(run), qrels.grades, measures).mean.values()]
            for name, run in runs.items()
        ]
    except BoilersweepError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_status
    print(tabulate(rows, ["index of what is kept", *MEASURES], floatfmt=".4f"))
    hits = sum(map(len, runs["ours"].values()))
    same = runs["ours"] == runs["pyserini's"]
    print(f"{hits:,} hits {'with the same docids and scores' if same else 'that DIFFER'}")
    return int(not same)


def indexes(arguments: argparse.Namespace, cleaner: Cleaner) -> tuple[Path, Path]:
    """Our index and pyserini's of what the cleaner keeps of the pages."""
    output, threads = arguments.output, arguments.threads
    store = segment_collection(arguments.input, output / "store", workers=threads)
    variant = Variant(cleaner)
    export_store(store, [variant], output / "export", workers=threads)
    ours, theirs = output / "index-of-boilersweep", output / "index-of-pyserini"
    build_index(store, cleaner, ours, threads=threads)
    shutil.rmtree(theirs, ignore_errors=True)
    index_with_pyserini(output / "export" / variant.name, theirs, threads)
    return ours, theirs


def index_with_pyserini(folder: Path, index: Path, threads: int) -> None:
    """Index a folder of JSON lines by `python -m pyserini.index.lucene`."""
    options = [
        *("--collection", "JsonCollection", "--input", str(folder), "--index", str(index)),
        *("--generator", "DefaultLuceneDocumentGenerator", "--threads", str(threads)),
    ]
    for way in (("-m", _MODULE), ("-c", _IN_OUR_JAVA)):
        done = subprocess.run(
            [sys.executable, *way, *options], capture_output=True, text=True, check=False
        )
        if done.returncode == 0 and any(index.glob("segments_*")):
            where = "by itself" if way[0] == "-m" else "in a Java that boilersweep started"
            print(f"indexed by {_MODULE}, {where}", flush=True)
            return
    raise BoilersweepError(f"{_MODULE} failed on {folder}:\n{done.stderr}")


if __name__ == "__main__":
    sys.exit(main())
