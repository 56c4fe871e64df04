"""Parallel indexes: one Lucene index per variant, all built in one pass over a block store.

store --cleaners--> masks --distinct selections--> one Lucene document each --> every index
                                                                            that keeps it
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from boilersweep.cleaners.rules import NOTHING
from boilersweep.cleaners.selection import PageText, select, texts_within
from boilersweep.cleaners.variants import Variant
from boilersweep.cleaners.weighted import Weighted
from boilersweep.errors import IndexingError
from boilersweep.indexer.analyzer import AnalyzerOptions, BlockAnalyzer
from boilersweep.indexer.compiled import make_counter
from boilersweep.indexer.contents import (
    KeptBlocks,
    PageContents,
    distinct_selections,
    kept_texts,
    written_contents,
)
from boilersweep.indexer.counted import CountedFilling, segments_can_be_added
from boilersweep.indexer.filling import Filling
from boilersweep.indexer.jvm import for_each, start_jvm
from boilersweep.indexer.layout import IndexLayout, parallel_layout
from boilersweep.indexer.lucene import (
    DocumentMaker,
    IndexWriter,
    buffer_megabytes,
    counting_analyzer,
    java_errors,
)
from boilersweep.indexer.manifest import (
    ALL_TEXTS,
    IndexedCounts,
    IndexManifest,
    IndexRecipe,
    index_recipe,
    read_manifest,
    seal,
    sealed_index,
)
from boilersweep.indexer.pieces import NONCHARACTER
from boilersweep.indexer.term_table import Analysed
from boilersweep.outputs.files import (
    only_writer,
    remove_leftovers,
    scratch_folder,
    whole_folder,
)
from boilersweep.pages.columns import BlockColumns
from boilersweep.store.store import BlockStore
from boilersweep.work.progress import steps

WRITERS_AT_ONCE = 128
"""Open index writers; more variants are built in several passes."""

BYTES_PER_TOKEN = 0.9
"""Of an index without positions, measured on 2,183 English pages."""

_BYTES_PER_KEPT_WORD = 0.75  # measured on 120 indexes of 2,183 English pages
_MAX_BUFFER_MEGABYTES = 256.0


@dataclass(frozen=True, slots=True)
class ParallelIndex:
    """The index of one variant."""

    variant: Variant
    path: Path
    manifest: IndexManifest


@dataclass(frozen=True, slots=True)
class Proof:
    """Which texts Lucene's own analyzer reads, to prove that the terms counted here are right.

    sample: docids of the documents with these texts, None for all. seed: that drew them.
    terms: of the queries that will be run; all other terms of a document count as one, so the
    indexes serve no other queries. None for complete indexes.
    """

    sample: frozenset[str] | None = None
    seed: int = 0
    terms: frozenset[str] | None = None

    def __str__(self) -> str:
        """As an index's manifest has it."""
        if self.sample is None:
            return ALL_TEXTS
        return f"{len(self.sample)} documents drawn by seed {self.seed}"


class IndexBuilder(Protocol):
    """What builds parallel indexes: this process, or the workers of a cluster."""

    def __call__(
        self,
        store: BlockStore,
        variants: Sequence[Variant],
        output: Path,
        *,
        analyzer: AnalyzerOptions | None = None,
        docvectors: bool = False,
        proof: Proof | None = None,
        threads: int = 2,
    ) -> list[ParallelIndex]:
        """Build what is missing, as `build_parallel_indexes` does."""
        ...


def build_parallel_indexes(
    store: BlockStore,
    variants: Sequence[Variant],
    output: Path | str,
    *,
    analyzer: AnalyzerOptions | None = None,
    docvectors: bool = False,
    proof: Proof | None = None,
    threads: int = 2,
    overwrite: bool = False,
) -> list[ParallelIndex]:
    """Build an index for each variant in `output/<name>`; those that are there stay.

    variants: `collect_variants(["words=1:100"], ["bte"])` makes them of texts.
    Each gives, for BM25 and for query likelihood, the lists and scores that an index made by
    pyserini's LuceneIndexer from the same kept text gives. A document without a token left is
    not indexed, but counted. docvectors: store what feedback reads.
    proof: let Lucene's own analyzer read texts, which takes longer; indexes built without it are
    rebuilt. With `terms` only in a folder that is then removed: no manifest says so.
    overwrite: rebuild indexes that do not match, or are damaged.
    Raises IndexingError if an index cannot be written, does not hold what was added, or exists
    with another recipe; OutputError, StoreError, JavaError.
    """
    options, layout = analyzer or AnalyzerOptions(), parallel_layout(docvectors=docvectors)
    output = Path(output)
    with only_writer(output):
        remove_leftovers(output)
        missing = unfinished(
            store,
            variants,
            output,
            analyzer=options,
            docvectors=docvectors,
            proof=proof,
            overwrite=overwrite,
        )
        if missing:
            start_jvm()
        targets = [(variant, output / variant.name, missing[variant]) for variant in missing]
        for start in range(0, len(targets), WRITERS_AT_ONCE):
            some = targets[start : start + WRITERS_AT_ONCE]
            _Pass(store, some, options, layout, threads, proof).run()
    return [open_parallel_index(output, variant) for variant in variants]


def unfinished(
    store: BlockStore,
    variants: Sequence[Variant],
    output: Path,
    *,
    analyzer: AnalyzerOptions | None = None,
    docvectors: bool = False,
    proof: Proof | None = None,
    overwrite: bool = False,
) -> dict[Variant, IndexRecipe]:
    """The variants that have no whole index in `output` yet, each with its index's recipe.

    overwrite: as for `sealed_index`, and what it raises.
    """
    options, layout = analyzer or AnalyzerOptions(), parallel_layout(docvectors=docvectors)
    languages = store.chosen_languages
    recipes = {
        variant: index_recipe(
            store.fingerprint, variant.cleaner, options, layout, languages=languages
        )
        for variant in variants
    }
    by_lucene = str(proof) if proof else ""
    return {
        variant: recipe
        for variant, recipe in recipes.items()
        if not sealed_index(output / variant.name, recipe, overwrite=overwrite, by_lucene=by_lucene)
    }


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
    """The finished index of a variant; raises IndexingError where it is not there."""
    path = folder / variant.name
    manifest = read_manifest(path)
    if manifest is None:
        raise IndexingError(f"expected an index in {path}; build it with `boilersweep index`")
    return ParallelIndex(variant, path, manifest)


class _Pass:
    """One pass over the store that fills some indexes."""

    def __init__(
        self,
        store: BlockStore,
        targets: Sequence[tuple[Variant, Path, IndexRecipe]],
        options: AnalyzerOptions,
        layout: IndexLayout,
        threads: int,
        proof: Proof | None,
    ) -> None:
        self._store = store
        self._targets = targets
        self._cleaners = [variant.cleaner for variant, _, _ in targets]
        self._threads = threads
        self._analyzer = BlockAnalyzer(options)
        self._maker = DocumentMaker(layout)
        self._counter = make_counter()
        self._as_segments = segments_can_be_added() and not layout.docvectors
        reads_all = proof is not None and proof.sample is None
        self._counts = self._analyzer.is_bag_of_words and not reads_all
        self._sample = proof.sample if proof and proof.sample and self._counts else frozenset()
        self._named = _NamedTerms(proof.terms) if proof and proof.terms is not None else None
        self._added = [
            IndexedCounts(
                0,
                0 if self._counts and not self._sample else None,
                other_languages=store.other_languages,
                by_lucene=(str(proof) if proof else "") if self._counts else ALL_TEXTS,
            )
            for _ in targets
        ]

    def run(self) -> None:
        """Fill, verify and rename all indexes, or none."""
        names = ", ".join(path.name for _, path, _ in self._targets[:3])
        with java_errors(f"indexes {names}, ..."), ExitStack() as stack:
            folders = [stack.enter_context(whole_folder(path)) for _, path, _ in self._targets]
            lucenes = self._analyzer.analyzer
            analyzer = counting_analyzer(NONCHARACTER) if self._counts else lucenes
            writers = self._writers(folders, analyzer, stack)
            paths = [path for _, path, _ in self._targets] if self._sample else []
            parts = [stack.enter_context(scratch_folder(path)) for path in paths]
            sampled = self._writers(parts, lucenes, stack)
            with (
                Filling([*writers, *sampled], self._maker, self._threads) as filling,
                CountedFilling(writers, self._threads) as counted,
                steps("index", self._store.documents, "documents") as bar,
            ):
                for columns in self._store.columns_for(self._cleaners):
                    self._add(columns, filling, counted)
                    bar.update(len(columns))
            for_each(lambda writer: writer.commit(), sampled, self._threads)
            for writer, part in zip(writers, parts, strict=False):
                writer.add_indexes([part])
                if self._named is None:
                    writer.optimize()  # so that its size is that of one built at once
            for_each(lambda writer: writer.commit(), writers, self._threads)
            # In one thread: to call one of several methods of a name, pyjnius keeps state that all
            # threads share.
            for folder, (_, _, recipe), added in zip(
                folders, self._targets, self._added, strict=True
            ):
                seal(folder, recipe, added, self._store)

    def _writers(
        self, folders: Sequence[Path], analyzer: Any, stack: ExitStack
    ) -> list[IndexWriter]:
        buffer = buffer_megabytes(len(self._targets), _MAX_BUFFER_MEGABYTES)
        writers = []
        for folder in folders:
            writers.append(IndexWriter(folder, analyzer, buffer, compound=True))
            stack.callback(writers[-1].abandon)
        return writers

    def _add(self, columns: BlockColumns, filling: Filling, counted: CountedFilling) -> None:
        selected = select(columns, self._cleaners)
        for added, cleaner in zip(self._added, self._cleaners, strict=True):
            for name in texts_within([cleaner]):
                added.add_alignments({name: selected.placed[name]})
        if self._counts:
            analysed = self._analyzer.analysed(selected.texts)
            self._counter.begin(self._named.of(analysed) if self._named else analysed)
        for number, docid in enumerate(columns.docids):
            here = slice(selected.starts[number], selected.starts[number + 1])
            bits, rules_and_repeats = selected.bits[:, here], (selected.cleaners, selected.repeats)
            if self._counts and docid not in self._sample:
                page = self._counter.contents(bits, here.start, *rules_and_repeats)
                self._add_counted(docid, page, filling, counted)
            else:
                selections = distinct_selections(bits, *rules_and_repeats)
                self._add_texts(docid, selected.texts[here], selections, filling)

    def _add_counted(
        self, docid: str, page: PageContents, filling: Filling, counted: CountedFilling
    ) -> None:
        names = self._counter.names
        if self._as_segments:
            counted.add(docid, page, names)
        else:
            fields = self._maker.docid_fields(docid)
            for rules, terms in written_contents(page, names, NONCHARACTER):
                filling.add(rules, self._maker.counted_document(fields, terms), len(terms))
        for rules, length in zip(page.rules, page.lengths, strict=True):
            self._note(rules, length)

    def _add_texts(
        self, docid: str, texts: Sequence[str], selections: Iterator[KeptBlocks], filling: Filling
    ) -> None:
        fields = self._maker.docid_fields(docid)
        first = len(self._targets) if self._sample else 0
        for rules, kept in kept_texts(texts, selections):
            if self._analyzer.has_token(kept.text):
                document = self._maker.document(fields, *kept)
                filling.add([first + rule for rule in rules], document, kept.characters)
                self._note(rules, 0)

    def _note(self, rules: Sequence[int], tokens: int) -> None:
        for rule in rules:
            added = self._added[rule]
            added.documents += 1
            if added.tokens is not None:
                added.tokens += tokens


class _NamedTerms:
    """Replaces all terms but some by one other, which none of these is."""

    def __init__(self, terms: frozenset[str]) -> None:
        self._other = next(name for n in count(1) if (name := "_" * n) not in terms)
        self._named = {term: term for term in ("", *terms)}
        self._whole: list[str] = []
        self._replaced: list[str] = []

    def of(self, analysed: Analysed) -> Analysed:
        """The same texts with these terms; a growing table's pieces are looked at once."""
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
