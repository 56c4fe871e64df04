"""Jobs of one index that is searched under any rule, beside an index of the rule."""

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.marks import Marks
from benchmarks.sweeps import queries_of, segment
from boilersweep import parse_cleaner
from boilersweep.indexer import IndexLayout, IndexOptions, build_index, open_index
from boilersweep.store.store import open_store

RULE = "words>=11"
DEPTHS = (10, 1000)
_MEASURED = (
    5  # passes over all topics: the last, when Java has compiled what runs often
)
_NEW_RULES = [f"words>={number}" for number in range(20, 40)]

_KINDS: dict[str, tuple[str, bool]] = {
    "blocks": ("words>=1", True),
    "no blocks": ("words>=1", False),
    "rule": (RULE, False),
}


def search_under_rules(
    marks: Marks,
    *,
    input: str,  # noqa: A002 - as the command line names it
    collection: str | None,
    topics: str,
    output: str,
    passes: int = 20,
) -> dict[str, Any]:
    """Build the indexes, each of one segment, and search two of them for all topics.

    Args:
        marks: notes the phases.
        input: a collection.
        collection: its format.
        topics: a file.
        output: a folder.
        passes: how often all topics are searched for.

    Returns:
        The bytes of each index, and CPU milliseconds: of a query the median over topics, of a new
        rule the median over rules. Those of Java's threads are among them.
    """
    facts = segment(marks, input=input, collection=collection, output=output)
    store = open_store(Path(facts["store"]))
    sizes = {}
    for name, (rule, blocks) in _KINDS.items():
        layout = IndexLayout(blocks=blocks, optimize=True)
        path = Path(output, name)
        build_index(store, rule, path, IndexOptions(layout=layout))
        sizes[name] = sum(file.stat().st_size for file in path.iterdir())
        marks.mark(f"index {name}")
    queries = list(queries_of(topics).values())
    times = _times(Path(output, "blocks"), Path(output, "rule"), queries, passes)
    marks.mark("search")
    return {"documents": store.documents, "topics": len(queries)} | {
        "sizes": sizes,
        "times": times,
    }


def _times(
    blocks: Path, rule: Path, queries: Sequence[str], passes: int
) -> dict[str, float]:
    """Return milliseconds, see `search_under_rules`."""
    cleaner = parse_cleaner(RULE)
    times: dict[str, float] = {}
    with open_index(blocks) as searcher, open_index(rule) as of_rule:

        def under(query: str, depth: int) -> Any:
            return searcher.batch_lists([query], ["q"], depth, keep=cleaner)

        def plain(query: str, depth: int) -> Any:
            return of_rule.batch_lists([query], ["q"], depth)

        for depth in DEPTHS:
            found: dict[str, list[float]] = {"new": [], "known": [], "index": []}
            for number in range(passes):
                searcher.blocks.table.forget()
                for name, search in (
                    ("new", under),
                    ("known", under),
                    ("index", plain),
                ):
                    median = _median(search, ((query, depth) for query in queries))
                    if number >= passes - _MEASURED:
                        found[name].append(median)
            times |= {f"{name} {depth}": min(each) for name, each in found.items()}
        rules = ((parse_cleaner(text),) for text in _NEW_RULES)
        times["rule"] = _median(searcher.blocks.kept, rules)
    return times


def _median(call: Callable[..., object], arguments: Iterable[Sequence[Any]]) -> float:
    """Return the median over some calls of the CPU milliseconds of this process."""
    took = []
    for some in arguments:
        begun = time.process_time()
        call(*some)
        took.append((time.process_time() - begun) * 1e3)
    return statistics.median(took)
