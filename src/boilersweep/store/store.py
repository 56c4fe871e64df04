"""Open a block store and read its blocks."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np

from boilersweep.collection.format import Reason
from boilersweep.command_lines import command_line
from boilersweep.errors import StoreError, UsageError
from boilersweep.features.recurrence import Address, SiteTexts, site_texts
from boilersweep.outputs.identity import digest_of
from boilersweep.outputs.locations import as_location, is_remote
from boilersweep.outputs.manifest_file import Listing, fault
from boilersweep.outputs.parts import MANIFEST
from boilersweep.outputs.plan import unfinished_kind
from boilersweep.pages.columns import (
    RECURRENCE,
    TEXTS,
    BlockColumns,
    Need,
    documents_of,
)
from boilersweep.redaction import without_secrets
from boilersweep.store.manifest import STORE, ShardEntry, StoreManifest, TextEntry
from boilersweep.store.shard import read_columns, read_docids, read_fields
from boilersweep.store.shard_columns import VERSION
from boilersweep.work.progress import steps

# Names of folders that say nothing of the collection in them.
_COMMON_NAMES = frozenset(
    "collection corpus crawl data docs documents html input pages raw store trec warc".split()
)


@dataclass(frozen=True, slots=True, repr=False)
class BlockStore:
    """A whole block store, or some of its documents.

    Attributes:
        path: The folder.
        manifest: What `manifest.json` says of the whole, changed to fit a selection. A shard of
            this machine is compared with its digest there before it is first read; pages of any
            shard carry checksums of their own.
        files: The files with their digests and states, by name.
        whole: The fingerprint of the store that this is a part of; None for a store that is none.
        chosen_languages: The languages of a selection by `in_languages`; none for all.
        other_languages: The numbers of documents that it left out, by language.
    """

    path: Path
    manifest: StoreManifest
    files: Listing = field(compare=False)
    whole: str | None = field(default=None, kw_only=True)
    chosen_languages: tuple[str, ...] = field(default=(), kw_only=True)
    other_languages: dict[str, int] = field(default_factory=dict, kw_only=True)

    def __repr__(self) -> str:
        manifest = self.manifest
        languages = ", ".join(
            f"{name} {count:,}" for name, count in manifest.languages.items()
        )
        return (
            f"BlockStore {without_secrets(self.path)}\n"
            f"  {manifest.documents:,} documents, {manifest.blocks:,} blocks, "
            f"{manifest.words:,} words in {len(manifest.shards):,} shards\n"
            f"  from {manifest.input}\n"
            f"  languages: {languages}\n"
            f"  skipped: {sum(manifest.skipped.values()):,} records"
        )

    @property
    def documents(self) -> int:
        """How many documents the store has, those without a block among them."""
        return self.manifest.documents

    @property
    def skipped(self) -> Counter[str]:
        """The records that became no document, by reason."""
        return Counter(self.manifest.skipped)

    @property
    def lost(self) -> Counter[str]:
        """The skipped records that another run may not lose, by reason."""
        lost: Counter[str] = Counter()
        for record in self.manifest.lost:
            lost[record.reason] += record.records
        return lost

    @property
    def languages(self) -> dict[str, int]:
        """How many documents are in each language."""
        return self.manifest.languages

    @property
    def documents_of_all_languages(self) -> int:
        """How many documents the store has with those that `in_languages` left out."""
        return self.documents + sum(self.other_languages.values())

    @property
    def fingerprint(self) -> str:
        """SHA-256 over everything the blocks depend on, and what of the input was lost.

        Equal stores have equal fingerprints.
        """
        return self.manifest.fingerprint

    @property
    def collection(self) -> str:
        """The name of the collection, for titles: its folder or file, or `irds:ID`.

        A folder with a common name, such as `trec`, has that of its parent before it.
        """
        name = self.manifest.input
        if name == "-":
            return "standard input"
        path = Path(name)
        if name.startswith("irds:") or not path.name:
            return name
        is_common = path.name.lower() in _COMMON_NAMES and path.parent.name
        return f"{path.parent.name}/{path.name}" if is_common else path.name

    def docids(self) -> Iterator[str]:
        """Yield the docids of all documents, in the order and with the gaps of `columns`.

        Raises:
            StoreError: A shard is missing or damaged.
        """
        for shard in self.manifest.shards:
            dropped = set(shard["dropped_rows"])
            docids = enumerate(read_docids(self._file(shard)))
            yield from (docid for row, docid in docids if row not in dropped)

    @property
    def page_texts(self) -> tuple[str, ...]:
        """Names of the texts beside the blocks, by extractors or people."""
        return tuple(self.manifest.texts)

    def require_texts(self, page_texts: Sequence[str]) -> None:
        """Raise UsageError where the store has not all of some texts beside the blocks."""
        missing = [name for name in page_texts if name not in self.page_texts]
        if not missing:
            return
        names = ",".join(missing)
        again = _segment("PAGES", self.path, extractors=names)
        raise UsageError(
            f"{self.path} has no text of {', '.join(missing)}: extractors read the pages: run "
            f"`{again}`, with the store's other options"
        )

    def require_metadata(self) -> None:
        """Raise UsageError where the store was made without the metadata of its pages."""
        if not self.manifest.options["metadata"]:
            raise UsageError(
                f"{self.path} has no metadata of its pages: rebuild it with `boilersweep segment "
                "--metadata --overwrite`"
            )

    def columns(
        self, needs: frozenset[Need] = TEXTS, page_texts: Sequence[str] = ()
    ) -> Iterator[BlockColumns]:
        """Yield all documents in order, some hundred at a time, dropped duplicates left out.

        Args:
            needs: What to read beside the numbers; the recurrence of texts on the pages of a host
                is counted over the whole store, in a pass of its own, of which this may be a part.
            page_texts: The names of the texts of pages to read.

        Raises:
            UsageError: The store has no such text, or recurrence is to be counted and no document
                has an address.
            StoreError: A shard is missing or damaged, or the documents are not as many as the
                manifest says.
        """
        self.require_texts(page_texts)
        sites = (
            _site_texts(str(self.path), self._whole) if needs >= RECURRENCE else None
        )
        documents = 0
        for shard in self.manifest.shards:
            row = 0
            dropped = np.array(shard["dropped_rows"], dtype=np.int64)
            file = self._file(shard)
            addresses = read_fields(file, Address._fields) if sites else []
            hosts = [Address(*address).host for address in addresses]
            texts = {name: self._file(shard["texts"][name]) for name in page_texts}
            for columns in read_columns(file, needs | TEXTS if sites else needs, texts):
                if sites:
                    recurrence = sites.recurrence(
                        columns, hosts[row : row + len(columns)]
                    )
                    columns = replace(columns, recurrence=recurrence)
                keep = np.ones(len(columns), dtype=bool)
                here = dropped[(dropped >= row) & (dropped < row + len(columns))]
                keep[here - row] = False
                row += len(columns)
                kept = columns if keep.all() else documents_of(columns, keep)
                documents += len(kept)
                yield kept
        if documents != self.documents:
            raise StoreError(
                f"{self.path} holds {documents:,} documents, its manifest says "
                f"{self.documents:,}; delete its shards and run `boilersweep segment` again"
            )

    def progress(
        self, description: str, needs: frozenset[Need] = TEXTS
    ) -> Iterator[BlockColumns]:
        """`columns`, with a progress bar."""
        with steps(description, self.documents, "documents") as bar:
            for columns in self.columns(needs):
                yield columns
                bar.update(len(columns))

    def fingerprint_with(self, needs: frozenset[Need]) -> str:
        """SHA-256 over everything that what is read of this store depends on.

        That is the fingerprint, and where the pages of a host are counted also that of the whole
        store, of which this may be a part.
        """
        if needs >= RECURRENCE and self._whole != self.fingerprint:
            return digest_of([self.fingerprint, self._whole])
        return self.fingerprint

    def fields(self, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Yield texts of every document, such as its `url`, in the order of `columns`.

        Args:
            names: The names of columns; a document, or a store, without one has the text "".

        Raises:
            StoreError: A shard is missing or damaged.
        """
        for shard in self.manifest.shards:
            dropped = set(shard["dropped_rows"])
            rows = read_fields(self._file(shard), names)
            yield from (row for index, row in enumerate(rows) if index not in dropped)

    def absolute(self) -> "BlockStore":
        """Return the store with a path that processes in other folders understand, too."""
        if is_remote(self.path):
            return self
        return replace(self, path=self.path.absolute())

    def by_shard(self) -> Iterator[tuple[str, "BlockStore"]]:
        """Yield every shard's file name, and it as a store with a fingerprint of its own.

        That says what documents the shard has, wherever it is in whatever store.
        """
        for shard in self.manifest.shards:
            yield shard["file"], self._of([shard], digest_of(_content(shard)))

    def in_parts(self, documents: int) -> Iterator["BlockStore"]:
        """Yield neighbouring shards as stores with fingerprints as those of `by_shard`.

        Args:
            documents: The most documents of a part that has several shards.
        """
        part: list[ShardEntry] = []
        for shard in [*self.manifest.shards, None]:
            size = sum(
                shard_entry["documents"]
                for shard_entry in (*part, *([shard] if shard else []))
            )
            if part and (shard is None or size > documents):
                yield self._of(part, digest_of(list(map(_content, part))))
                part = []
            if shard:
                part.append(shard)

    def without(self, documents: Mapping[str, Collection[int]]) -> "BlockStore":
        """Return the store less some documents, under the fingerprint that it has.

        Args:
            documents: File name of a shard -> numbers among the documents that the shard has here.
        """
        shards: list[ShardEntry] = []
        for shard in self.manifest.shards:
            dropped = shard["dropped_rows"]
            rows = np.delete(
                np.arange(shard["documents"]), np.array(dropped, dtype=np.int64)
            )
            more = rows[list(documents.get(shard["file"], ()))].tolist()
            shards.append({**shard, "dropped_rows": sorted([*dropped, *more])})
        left = self.documents - sum(map(len, documents.values()))
        manifest = msgspec.structs.replace(self.manifest, shards=shards, documents=left)
        return replace(self, manifest=manifest)

    def in_languages(self, languages: Collection[str]) -> "BlockStore":
        """Return the store less the documents in other languages; without languages, all of it.

        The selection keeps the store's fingerprint, and records the languages and the numbers of
        documents left out, so that they are part of the identity of what is made from it.

        Raises:
            UsageError: No document is in these languages.
            StoreError: A shard is missing or damaged.
        """
        if not languages:
            return self
        others: Counter[str] = Counter()
        left_out: dict[str, list[int]] = {}
        for name, shard in self.by_shard():
            languages_of_rows = [language for (language,) in shard.fields(["language"])]
            left_out[name] = [
                n for n, one in enumerate(languages_of_rows) if one not in languages
            ]
            others.update(languages_of_rows[number] for number in left_out[name])
        chosen = self.without(left_out)
        if not chosen.documents:
            there = ", ".join(name for name, _ in others.most_common()) or "none"
            raise UsageError(
                f"{self.path} has no document in {', '.join(languages)}; its languages are {there}"
            )
        counts = {name: n for name, n in self.languages.items() if name in languages}
        return replace(
            self,
            manifest=msgspec.structs.replace(chosen.manifest, languages=counts),
            chosen_languages=tuple(sorted(set(languages))),
            other_languages=dict(sorted(others.items())),
        )

    def docids_left_out(self) -> set[str]:
        """Return the docids of the documents that `in_languages` left out.

        Raises:
            StoreError: A shard is missing or damaged.
        """
        if not self.other_languages:
            return set()
        return set(open_store(self.path).docids()).difference(self.docids())

    def _of(self, shards: list[ShardEntry], fingerprint: str) -> "BlockStore":
        skipped: Counter[str] = Counter()
        for shard in shards:
            skipped.update(shard["skipped"])
        dropped = sum(len(shard["dropped_rows"]) for shard in shards)
        if dropped:
            skipped[Reason.DUPLICATE] += dropped
        manifest = msgspec.structs.replace(
            self.manifest,
            documents=sum(shard["documents"] for shard in shards) - dropped,
            skipped=dict(skipped),
            skipped_samples={},
            lost=[],
            languages={},
            fingerprint=fingerprint,
            shards=shards,
        )
        return BlockStore(self.path, manifest, self.files, whole=self._whole)

    @property
    def _whole(self) -> str:
        """The fingerprint of the store that this is, or is a part of."""
        return self.whole or self.fingerprint

    def _file(self, shard: ShardEntry | TextEntry) -> Path:
        """Return where a file is; raises StoreError where it is not the one that was written."""
        path: Path = self.path / shard["file"]
        if not is_remote(path) and (what := fault(path, self.files[shard["file"]])):
            raise StoreError(
                f"{path} {what}; run `boilersweep segment` again with the store's options and "
                "`overwrite`, which makes it again"
            )
        return path


@lru_cache(maxsize=1)
def _site_texts(path: str, fingerprint: str) -> SiteTexts:
    """Return what recurs on the hosts of a store; counted once in a process.

    Raises:
        StoreError: The store has another fingerprint by now.
        UsageError: No document has an address.
    """
    store = open_store(path)
    if store.fingerprint != fingerprint:
        raise StoreError(
            f"{path} has changed since it was opened; run the command again"
        )
    addresses = map(Address._make, store.fields(Address._fields))
    sites = site_texts(addresses, store.progress("count sites"))
    if not sites.addressed:
        raise UsageError(
            f"{path} has no document with an address, and what recurs on a host is counted by "
            "these: have the collection name them (as `url` in JSONL, in WARC or TREC), or take a "
            "cleaner without site(...)"
        )
    return sites


def _content(shard: ShardEntry) -> list[object]:
    """Return what tells which documents a shard has, wherever it is in whatever store."""
    texts = {
        name: texts_entry["sha256"] for name, texts_entry in shard["texts"].items()
    }
    return [shard["sha256"], shard["dropped_rows"], texts]


def open_store(path: Path | str) -> BlockStore:
    """Open a block store; raises StoreError where there is none, or only an unfinished one."""
    path = as_location(path)
    whole = STORE.read(path)
    if whole is None:
        raise StoreError(f"{path} {_missing(path)}")
    manifest = whole.facts
    if manifest.store_version != VERSION:
        raise StoreError(
            f"{path} is a block store of version {manifest.store_version}, this boilersweep "
            f"reads version {VERSION}; run `boilersweep segment` again into another folder"
        )
    listed = sum(
        shard["documents"] - len(shard["dropped_rows"]) for shard in manifest.shards
    )
    if listed != manifest.documents:
        raise StoreError(
            f"{path / MANIFEST}: its shards have {listed:,} documents, for the "
            f"{manifest.documents:,} of the store; run `boilersweep segment` again"
        )
    return BlockStore(path, manifest, whole.files)


def as_store(store: BlockStore | Path | str) -> BlockStore:
    """Return a store that may be given as its folder; raises StoreError as `open_store`."""
    return store if isinstance(store, BlockStore) else open_store(store)


def _missing(path: Path) -> str:
    """Say why there is no store in a folder, and what to do."""
    if unfinished_kind(path) == STORE.name:
        return (
            f"is an unfinished block store (it has no {MANIFEST}); run "
            f"`{command_line('segment', output=path)}` again to finish it"
        )
    if (path / "store" / MANIFEST).exists():
        return f"is no block store, but {path / 'store'} is: give that"
    if path.is_file() or (path.is_dir() and any(path.iterdir())):
        return (
            f"is no block store (it has no {MANIFEST}); if it is a collection, run "
            f"`{_segment(path, 'STORE')}` to make one"
        )
    return (
        f"is no block store (it has no {MANIFEST}); run "
        f"`{_segment('PAGES', path)}` to make one"
    )


def _segment(pages: Path | str, output: Path | str, **more: str) -> str:
    """Return the command that makes a block store."""
    return command_line("segment", input=pages, output=output, **more)
