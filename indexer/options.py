"""What an index is built with, beside a block store and cleaners."""

from concurrent.futures import Executor
from dataclasses import dataclass, field

from boilersweep.cleaners.block_classes import CLASSES
from boilersweep.cleaners.duplicates import Dedup
from boilersweep.cleaners.rules import Rule, Weighted
from boilersweep.cleaners.selection import Cleaner, PageText
from boilersweep.errors import UsageError
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.layout import IndexLayout, parallel_layout

# The documents whose texts Lucene's own analyzer read, where it read all.
ALL_TEXTS = "all documents"


def rule_of(cleaner: Cleaner) -> Rule:
    """Return the rule that a cleaner consists of, or whose blocks it counts several times.

    Raises:
        UsageError: The cleaner keeps a text beside the blocks.
    """
    if isinstance(cleaner, PageText):
        raise UsageError(
            f"{cleaner}: expected a cleaner that keeps blocks, and this one keeps a text of its "
            f"own; `{cleaner} & words>=1` keeps the blocks that the text contains, and `index "
            "--keep` makes an index of the text"
        )
    return cleaner.cleaner if isinstance(cleaner, Weighted) else cleaner


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOptions:
    """How to build one index.

    Attributes:
        analyzer: How texts become tokens.
        layout: What the index holds beside docids and terms, such as `IndexLayout(contents=True)`:
            the cleaned text, read by pyserini's `doc(docid).contents()`.
        cleaners: With `IndexLayout(blocks=True)`: cleaners whose masks the index stores.
        dedup: Leave out documents whose kept text nearly repeats that of an earlier document, such
            as `Dedup("minhash")`, and list them in the index's `duplicates.csv`; None keeps all.
        languages: Leave out documents in other languages, such as `("de", "fr")`, and count them in
            the manifest; none keeps all.
        threads: The number of threads.
        overwrite: Rebuild an index that does not match, or is damaged.
        update: Bring an index of an earlier state of the store to the present one: documents of
            unchanged shards stay, those of other shards are removed, and those of new and changed
            shards are added. The index is complete at every moment if the file system can exchange
            folders (see `whole_folder`), open readers keep what they see, and lists and scores
            equal those of a rebuilt index.
    """

    analyzer: AnalyzerOptions = field(default_factory=AnalyzerOptions)
    layout: IndexLayout = field(default_factory=IndexLayout)
    cleaners: tuple[Cleaner, ...] = ()
    dedup: Dedup | None = None
    languages: tuple[str, ...] = ()
    threads: int = 2
    overwrite: bool = False
    update: bool = False

    def __post_init__(self) -> None:
        if self.layout.blocks and self.dedup:
            raise UsageError(
                "dedup: expected none in an index of blocks: which documents repeat others depends "
                "on the rule; an index of one rule takes it"
            )
        if self.cleaners and not self.layout.blocks:
            raise UsageError(
                "cleaners: expected an index of blocks, which stores their masks"
            )

    @property
    def stored_rules(self) -> list[Rule]:
        """The rules whose masks an index of blocks stores: classes, and those of the cleaners.

        Raises:
            UsageError: A cleaner keeps a text beside the blocks.
        """
        if not self.layout.blocks:
            return []
        rules = [
            *(rule_class() for rule_class in CLASSES),
            *map(rule_of, self.cleaners),
        ]
        return list({str(rule): rule for rule in rules}.values())


@dataclass(frozen=True, slots=True)
class Proof:
    """Which texts Lucene's own analyzer reads, to prove that the terms counted here are right.

    Attributes:
        sample: The docids of the documents with these texts, None for all documents.
        seed: The seed that drew the sample.
        terms: The terms of the queries that will be run. All other terms of a document count as
            one, so the indexes serve no other queries. None for complete indexes.
    """

    sample: frozenset[str] | None = None
    seed: int = 0
    terms: frozenset[str] | None = None

    def __str__(self) -> str:
        """Name the texts as an index's manifest does."""
        if self.sample is None:
            return ALL_TEXTS
        return f"{len(self.sample)} documents drawn by seed {self.seed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParallelOptions:
    """How to build parallel indexes, which are compared and not deployed.

    Attributes:
        analyzer: How texts become tokens.
        docvectors: Store the terms of each document, which feedback reads.
        proof: Let Lucene's own analyzer read texts, which takes longer; indexes built without it
            are rebuilt. With `terms` only in a folder that is then removed: no manifest says so.
        threads: The number of threads, of a worker if there is an executor.
        overwrite: Rebuild indexes that do not match, or are damaged.
        executor: Builds some at a time, instead of this process; its workers see the store and the
            output at the same paths. Each starts Java.
        heap: Java's heap in a process that starts it, as text; None for the default.
    """

    analyzer: AnalyzerOptions = field(default_factory=AnalyzerOptions)
    docvectors: bool = False
    proof: Proof | None = None
    threads: int = 2
    overwrite: bool = False
    executor: Executor | None = None
    heap: str | None = None

    def for_index(self, languages: tuple[str, ...] = ()) -> IndexOptions:
        """Return the options of each index: it holds what ranking reads, and nothing else.

        Args:
            languages: The languages of the store's documents; none for all.
        """
        layout = parallel_layout(docvectors=self.docvectors)
        return IndexOptions(analyzer=self.analyzer, layout=layout, languages=languages)
