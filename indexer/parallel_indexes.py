"""Parallel indexes: one Lucene index per variant, all built in one pass over a block store.

store --cleaners--> masks --distinct contents--> terms counted once each --> every index
                                                                         that keeps them
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import count, pairwise
from pathlib import Path
from typing import Any

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.rules import Weighted
from boilersweep.cleaners.selection import (
    AlignmentCounts,
    Cleaner,
    PageText,
    select,
    sum_alignments,
    texts_within,
)
from boilersweep.cleaners.stored import columns_for
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.errors import IndexingError
from boilersweep.indexer.adders import (
    CountedAdder,
    DocumentAdder,
    segments_can_be_added,
)
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.indexer.compiled import make_counter
from boilersweep.indexer.contents import Analysed, KeptText, kept_texts
from boilersweep.indexer.jvm import anserini_identity, for_each, start_jvm
from boilersweep.indexer.lucene import (
    DocumentMaker,
    IndexWriter,
    buffer_megabytes,
    java_errors,
)
from boilersweep.indexer.manifest import (
    INDEX_CODE,
    PARALLEL,
    UNCOUNTED,
    IndexManifest,
    IndexRecipe,
    ParallelFacts,
    complete_manifest,
    index_recipe,
    read_manifest,
)
from boilersweep.indexer.options import ALL_TEXTS, ParallelOptions
from boilersweep.outputs.atomic import remove_leftovers, whole_folder
from boilersweep.outputs.identity import code_identity
from boilersweep.outputs.locations import output_path
from boilersweep.outputs.manifest_file import FileEntry
from boilersweep.outputs.parts import Part, files_of
from boilersweep.outputs.typed_files import as_builtins
from boilersweep.outputs.writer import Writer, writing
from boilersweep.pages.columns import NOTHING, BlockColumns
from boilersweep.store.store import BlockStore, as_store
from boilersweep.work.progress import steps
from boilersweep.work.tasks import Work, make_all

# Open index writers; more variants are built in several passes.
WRITERS_AT_ONCE = 128

# Indexes of a task on an executor. A pass over the store takes as long as to add
# its documents to 10 indexes, measured on 1 and 100 indexes of 2,183 English pages.
_TOGETHER = 16

# Bytes of an index without positions for each token, measured on 2,183 English pages.
BYTES_PER_TOKEN = 0.9

_BYTES_PER_KEPT_WORD = 0.75  # measured on 120 indexes of 2,183 English pages


@dataclass(frozen=True, slots=True)
class ParallelIndex:
    """The index of one variant."""

    variant: Variant
    path: Path
    manifest: IndexManifest


def build_parallel_indexes(
    store: BlockStore | Path | str,
    variants: Sequence[Variant],
    output: Path | str,
    options: ParallelOptions | None = None,
) -> list[ParallelIndex]:
    """Build an index for each variant in `output/<name>`; existing indexes stay.

    For BM25 and for query likelihood, each index gives the lists and scores of an index that
    pyserini's LuceneIndexer makes from the same kept text. A document without a token left is
    counted, but not indexed.

    Args:
        store: The block store, or its folder.
        variants: `collect_variants(["words=1:100"], ["bte"])` makes them of texts.
        output: The folder of the indexes.
        options: How to build them.

    Raises:
        IndexingError: An index cannot be written, does not hold what was added, or exists with
            another recipe.
        OutputError: The folder cannot be written.
        StoreError: The store cannot be read.
        JavaError: No Java can be started.
    """
    options, output = options or ParallelOptions(), output_path(output)
    store = as_store(store)
    recipe = parallel_recipe(store, variants, options)
    with writing(
        PARALLEL,
        output,
        recipe,
        [],
        closed=[store.path],
        overwrite=options.overwrite,
    ) as writer:
        indexes = build_into(writer, store, variants, options)
        writer.finish(ParallelFacts())
    return indexes


def build_into(
    writer: Writer[Any],
    store: BlockStore,
    variants: Sequence[Variant],
    options: ParallelOptions,
    folder: str = "",
) -> list[ParallelIndex]:
    """Build parallel indexes that are parts of an output, those that are missing.

    Args:
        writer: The output.
        store: The block store.
        variants: The variants.
        options: How to build them.
        folder: The folder of the indexes in the output, with a slash; "" for the output.

    Raises:
        IndexingError: An index cannot be written, or does not hold what was added.
    """
    recipes = _recipes(store, variants, options)
    # Of what Lucene's analyzer has read of the texts, an index does with any of these.
    read = (ALL_TEXTS, str(options.proof)) if options.proof else ()
    parts = {
        variant: Part(
            folder + variant.name,
            as_builtins(recipe),
            serves=lambda facts: not read or facts["by_lucene"] in read,
        )
        for variant, recipe in recipes.items()
    }
    missing = {part.name for part in writer.want(parts.values())}
    size = _TOGETHER if options.executor else WRITERS_AT_ONCE
    alone = replace(options, executor=None)
    root = writer.folder / folder
    if options.executor:  # its workers run in other folders
        store, root = store.absolute(), root.absolute()
    tasks = []
    for group in _groups(variants, size):
        targets = [
            _Target(root / one.name, one.cleaner, recipes[one])
            for one in group
            if parts[one].name in missing
        ]
        if targets:
            tasks.append(_Task(store, targets, alone))

    def add(_: _Task, built: Sequence[_Built]) -> None:
        for one in built:
            files = {folder + file: entry for file, entry in one.files.items()}
            writer.add(folder + one.name, {"by_lucene": one.by_lucene}, files)

    _make(tasks, root, options.executor, add)
    return [open_parallel_index(root, variant) for variant in variants]


def _groups(variants: Sequence[Variant], size: int) -> list[Sequence[Variant]]:
    """Return as few groups of neighbours as a size allows, which differ by one at most."""
    count = -(-len(variants) // size)
    borders = [len(variants) * index // max(count, 1) for index in range(count + 1)]
    return [variants[start:end] for start, end in pairwise(borders)]


@dataclass(frozen=True, slots=True)
class _Built:
    """An index that was built; by_lucene: see `IndexFacts`."""

    name: str
    by_lucene: str
    files: dict[str, FileEntry]


def _make(
    tasks: Sequence["_Task"],
    folder: Path,
    executor: Executor | None,
    add: "Callable[[_Task, Sequence[_Built]], None]",
) -> None:
    """Build the indexes of tasks, here or on an executor."""
    if executor is None:
        for task in tasks:
            add(task, _build(task))
        return
    try:
        work = Work("build", "tasks", versions=_versions)
        make_all(tasks, _build, work, executor, add)
    finally:
        remove_leftovers(folder)  # of workers that died


def _versions() -> dict[str, Any]:
    return {
        "anserini": anserini_identity(),
        "code": code_identity(CLEAN_CODE, INDEX_CODE),
    }


def _recipes(
    store: BlockStore, variants: Sequence[Variant], options: ParallelOptions
) -> dict[Variant, IndexRecipe]:
    for_index = options.for_index(tuple(store.chosen_languages))
    return {
        variant: index_recipe(store.fingerprint, variant.cleaner, for_index)
        for variant in variants
    }


def parallel_recipe(
    store: BlockStore, variants: Sequence[Variant], options: ParallelOptions
) -> dict[str, Any]:
    """Return what all indexes depend on, and the cleaner of each by its name."""
    shared: dict[str, Any] = {}
    cleaners = {}
    for variant, recipe in _recipes(store, variants, options).items():
        shared = as_builtins(recipe)
        cleaners[variant.name] = shared.pop("cleaner")
    return {**shared, "cleaners": cleaners}


def estimate_bytes(store: BlockStore, variants: Sequence[Variant]) -> int:
    """About how much disk the indexes of some variants will take; reads the store's numbers.

    A cleaner that needs more than numbers is taken to keep everything, and what counts blocks
    several times takes no more room than that.
    """
    cleaners = [variant.cleaner for variant in variants]
    rules = [c for c in cleaners if not (isinstance(c, PageText | Weighted) or c.needs)]
    kept = 0
    for columns in store.columns(NOTHING):
        kept += sum(int(columns.words[rule.mask(columns)].sum()) for rule in rules)
        kept += int(columns.words.sum()) * (len(cleaners) - len(rules))
    return int(kept * _BYTES_PER_KEPT_WORD)


def open_parallel_index(folder: Path, variant: Variant) -> ParallelIndex:
    """Return the finished index of a variant; raise IndexingError if it is not there."""
    path = folder / variant.name
    manifest = read_manifest(path)
    if manifest is None:
        raise IndexingError(
            f"expected an index in {path}; build it with `boilersweep index`"
        )
    return ParallelIndex(variant, path, manifest)


def counts_terms(analyzer: BlockAnalyzer, *, docvectors: bool) -> bool:
    """Return whether counted terms become the indexes; otherwise Lucene reads all texts."""
    return analyzer.is_bag_of_words and not docvectors and segments_can_be_added()


@dataclass(slots=True)
class _Target:
    """An index to fill, and what was added to it."""

    path: Path
    cleaner: Cleaner
    recipe: IndexRecipe
    documents: int = 0
    tokens: int = 0
    alignments: dict[str, AlignmentCounts] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Task:
    """Indexes that one process builds in one pass over the store.

    Attributes:
        store: The store.
        targets: The indexes.
        options: How to build them.
    """

    store: BlockStore
    targets: Sequence[_Target]
    options: ParallelOptions


def _build(task: _Task) -> list[_Built]:
    """Build the indexes of a task."""
    start_jvm(task.options.heap)
    built = _Pass(task.store, task.targets, task.options)
    built.run()
    return [
        _Built(
            target.path.name,
            built.by_lucene,
            files_of(target.path.parent, target.path.name),
        )
        for target in task.targets
    ]


class _Pass:
    """One pass over the store that fills some indexes."""

    def __init__(
        self, store: BlockStore, targets: Sequence[_Target], options: ParallelOptions
    ) -> None:
        proof = options.proof
        self._store = store
        self._targets = targets
        self._cleaners = [target.cleaner for target in targets]
        self._threads = options.threads
        self._analyzer = BlockAnalyzer(options.analyzer)
        self._titles = self._analyzer.has_titles
        layout = options.for_index().layout
        self._maker = DocumentMaker(layout, self._analyzer.given)
        reads_all = proof is not None and proof.sample is None
        counts = not reads_all and counts_terms(
            self._analyzer, docvectors=options.docvectors
        )
        self._counter = make_counter() if counts else None
        self._sample = (
            proof.sample if proof and proof.sample and self._counter else frozenset()
        )
        self._named = (
            _NamedTerms(proof.terms) if proof and proof.terms is not None else None
        )
        self.by_lucene = (str(proof) if proof else "") if self._counter else ALL_TEXTS

    def run(self) -> None:
        """Fill, verify and rename all indexes, or none."""
        paths = [target.path for target in self._targets]
        names = ", ".join(path.name for path in paths[:3])
        with java_errors(f"indexes {names}, ..."), ExitStack() as stack:
            folders = [stack.enter_context(whole_folder(path)) for path in paths]
            lucenes = self._analyzer.analyzer
            writers = self._writers(folders, lucenes, stack)
            with (
                DocumentAdder(writers, self._maker, self._threads) as documents,
                CountedAdder(writers, self._threads) as counted,
                steps("index", self._store.documents, "documents") as bar,
            ):
                for columns in columns_for(self._store, self._cleaners):
                    self._add(columns, documents, counted)
                    bar.update(len(columns))
            if self._sample and self._named is None:
                for writer in writers:
                    writer.optimize()  # so that its size is that of one built at once
            for_each(lambda writer: writer.commit(), writers, self._threads)
            # In one thread: to call one of several methods of a name, pyjnius keeps state that all
            # threads share.
            for folder, target in zip(folders, self._targets, strict=True):
                added = IndexManifest(
                    identity=target.recipe,
                    documents=target.documents,
                    empty=0,
                    tokens=target.tokens
                    if self._counter and not self._sample
                    else UNCOUNTED,
                    placed=target.alignments,
                    other_languages=self._store.other_languages,
                    by_lucene=self.by_lucene,
                )
                complete_manifest(folder, added, self._store)

    def _writers(
        self, folders: Sequence[Path], analyzer: Any, stack: ExitStack
    ) -> list[IndexWriter]:
        buffer = buffer_megabytes(len(self._targets))
        writers = []
        for folder in folders:
            writers.append(IndexWriter(folder, analyzer, buffer, compound=True))
            stack.callback(writers[-1].abandon)
        return writers

    def _add(
        self, columns: BlockColumns, documents: DocumentAdder, counted: CountedAdder
    ) -> None:
        selected = select(columns, self._cleaners, titles=self._titles)
        for target in self._targets:
            own = {
                name: selected.placed[name] for name in texts_within([target.cleaner])
            }
            target.alignments = sum_alignments(target.alignments, own)
        if self._counter:
            analysed = self._analyzer.analysed(selected.texts)
            self._counter.begin(self._named.of(analysed) if self._named else analysed)
            lengths = analysed.lengths[selected.starts[:-1]] * self._titles
        for index, docid in enumerate(columns.docids):
            here = slice(selected.starts[index], selected.starts[index + 1])
            bits, rules = selected.bits[:, here], selected.cleaners
            if self._counter and docid not in self._sample:
                page = self._counter.contents(
                    bits, here.start, rules, selected.repeats, lengths[index]
                )
                counted.add(docid, page, self._counter.names)
                for same, length in zip(page.rules, page.lengths, strict=True):
                    self._count(same, length)
            else:
                texts = selected.texts[here]
                kept = kept_texts(
                    texts, bits, rules, selected.repeats, has_title=self._titles
                )
                self._add_texts(docid, kept, documents)

    def _add_texts(
        self,
        docid: str,
        texts: Iterator[tuple[list[int], KeptText]],
        documents: DocumentAdder,
    ) -> None:
        for rules, kept in texts:
            if all(self._analyzer.have_token([kept.text])):
                document = self._maker.document(docid, kept)
                documents.add(rules, document, kept.characters)
                self._count(rules, 0)

    def _count(self, rules: Sequence[int], tokens: int) -> None:
        for rule in rules:
            self._targets[rule].documents += 1
            self._targets[rule].tokens += tokens


class _NamedTerms:
    """Replaces all terms but some by one other, which none of these is."""

    def __init__(self, terms: frozenset[str]) -> None:
        self._other = next(name for n in count(1) if (name := "_" * n) not in terms)
        self._named = {term: term for term in ("", *terms)}
        self._whole: list[str] = []
        self._replaced: list[str] = []

    def of(self, analysed: Analysed) -> Analysed:
        """Return the same texts with these terms; a growing table's pieces are looked at once."""
        if analysed.terms is not self._whole:
            self._whole, self._replaced = analysed.terms, []
        named, other = self._named.get, self._other
        self._replaced += [
            named(terms, other)
            if " " not in terms
            else " ".join([named(term, other) for term in terms.split(" ")])
            for terms in self._whole[len(self._replaced) :]
        ]
        return replace(analysed, terms=self._replaced)
