"""From a block store to files of what cleaners keep.

Every file is a part, named by the key of its recipe:

manifest.json           what the export depends on, counts, and every file with its digest, in the
                        order of the store
duplicates.csv          with --dedup: the documents that were left out, and their twins
learned/KEY.jsonl.gz    what a cleaner keeps of a shard of the store
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.duplicates import (
    DEDUP_CODE,
    DUPLICATES,
    by_shard,
    duplicates_csv,
    find_duplicates,
)
from boilersweep.cleaners.page_model import KINDS, shipped_model
from boilersweep.cleaners.selection import identity_of, leaving_text
from boilersweep.cleaners.stored import fingerprint_for, require_for
from boilersweep.cleaners.syntax.grammar import Cleaners
from boilersweep.cleaners.syntax.variants import Variant, collect_variants
from boilersweep.errors import OutputError, UsageError
from boilersweep.export.options import ExportOptions
from boilersweep.export.record_formats import suffix_of
from boilersweep.export.shards import (
    KIND_COUNTS,
    Counts,
    Exported,
    FileFacts,
    ShardTask,
    export_shard,
)
from boilersweep.outputs.atomic import make_folder, remove_leftovers
from boilersweep.outputs.identity import CodeVersion, __version__, code_identity
from boilersweep.outputs.locations import is_remote, output_location
from boilersweep.outputs.parts import Manifest, NotChecked, Output, Part
from boilersweep.outputs.typed_files import as_type
from boilersweep.outputs.writer import Writer, writing
from boilersweep.pages.words import dictionary
from boilersweep.redaction import without_secrets
from boilersweep.store.store import BlockStore, as_store
from boilersweep.work.tasks import Work, make_all

# Where the store of an export is that cuts its pages itself.
STORE = "store"


EXPORT_CODE = CodeVersion("export", 2)


class ExportFacts(msgspec.Struct, kw_only=True):
    """What the manifest of an export says of the whole.

    Attributes:
        boilersweep: The version that wrote it.
        store: The path of the block store.
        documents: The number of the store's documents in the chosen languages.
        other_languages: The numbers of the other documents by language.
        counts: The counts of each cleaner's folder.
        kinds: For each kind of page, if the export has them: the documents, the characters of
            their blocks, and those of them that each cleaner keeps.
    """

    boilersweep: str
    store: str
    documents: int
    other_languages: dict[str, int]
    counts: dict[str, Counts]
    kinds: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)


def _verify(
    _: Path, manifest: Manifest[ExportFacts], store: BlockStore | None
) -> Iterator[str]:
    """Compare the counts of an export with those of the store that it was made from."""
    facts = manifest.facts
    for name, counts in facts.counts.items():
        if counts.total != facts.documents:
            yield f"{name} has {counts.total:,} documents, the store {facts.documents:,}"
    if store is None:
        yield NotChecked("the block store it was made from, which is not here")
        return
    others = sum(facts.other_languages.values())
    if facts.documents + others != store.documents:
        yield (
            f"its {facts.documents:,} documents and {others:,} in other languages are not "
            f"the {store.documents:,} of {store.path}"
        )
    if store.fingerprint != manifest.recipe["store"]:
        yield f"it was made from another block store than {store.path}"


EXPORT = Output(
    name="export",
    command="export",
    facts=ExportFacts,
    follows=("store",),
    verify=_verify,
)


def _recipe(
    store: BlockStore, variants: Sequence[Variant], options: ExportOptions
) -> dict[str, Any]:
    """Return what an export depends on, as nested JSON.

    Raises:
        UsageError: The folder name of a variant is reserved.
    """
    for variant in variants:
        if variant.name == STORE:
            raise UsageError(
                f"{variant} cannot be exported: its folder name is reserved; rename the texts"
            )
    stages = [CLEAN_CODE, EXPORT_CODE, *([DEDUP_CODE] if options.dedup else [])]
    return {
        "store": store.fingerprint,
        "cleaners": {
            variant.name: identity_of(variant.cleaner) for variant in variants
        },
        **options.as_json(),
        **({"model": shipped_model().model_digest()} if options.classes else {}),
        **({"words": dictionary()} if options.passages else {}),
        "code": code_identity(*stages),
    }


def export_store(
    store: BlockStore,
    variants: Sequence[Variant],
    output: Path | str,
    options: ExportOptions | None = None,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    overwrite: bool = False,
) -> ExportFacts:
    """Write what each variant keeps of a store into a folder of its name.

    An export that exists is brought to the state of the store, and stays whole until the new one
    replaces it. A document of which a variant keeps no word is left out there, and counted.

    Args:
        store: The store.
        variants: What to write.
        output: The folder.
        options: How documents are exported.
        workers: Processes.
        executor: Does the work instead of processes of this machine. Its workers see the store and
            the output at the same paths.
        overwrite: Rebuild another or a damaged export.

    Raises:
        UsageError: The store lacks a text that a variant is or reads, a variant counts some text
            several times, or the output would replace the store.
        StoreError: A shard is missing or damaged.
        OutputError: Another export or something else is in the folder.
    """
    options = options or ExportOptions()
    for variant in variants:
        leaving_text(variant.cleaner, "export")
    recipe = _recipe(store, variants, options)
    require_for(store, [variant.cleaner for variant in variants])
    if options.fields:
        store.require_metadata()
    output = output_location(output)
    if not is_remote(output):  # workers run in other folders
        output = output.absolute()
    if whole := EXPORT.finished(output, recipe, overwrite=overwrite):
        return whole.facts
    chosen = store.in_languages(options.languages)
    plan = _plan(chosen.absolute(), variants, output, options, recipe)
    with writing(
        EXPORT,
        output,
        recipe,
        plan.parts,
        closed=[store.path],
        overwrite=overwrite,
    ) as writer:
        listed = [] if plan.duplicates is None else [Part(DUPLICATES, recipe)]
        writer.require_free(part.name for part in listed)
        _make(plan.tasks, writer, executor or workers)
        # Last, as the export that it replaces is no longer whole then.
        for part in writer.want(listed):
            writer.text(part.name, str(plan.duplicates))
        return writer.finish(_facts(chosen, variants, writer)).facts


@dataclass(frozen=True, slots=True)
class _Plan:
    """An export before it is made.

    Attributes:
        parts: The files.
        tasks: A task for each shard, with all its files.
        duplicates: The text of the list of near-duplicates; None for none.
    """

    parts: list[Part]
    tasks: list[ShardTask]
    duplicates: str | None


def _plan(
    store: BlockStore,
    variants: Sequence[Variant],
    output: Path,
    options: ExportOptions,
    recipe: Mapping[str, Any],
) -> _Plan:
    cleaners = [variant.cleaner for variant in variants]
    listed: str | None = None
    left_out: list[Mapping[str, Sequence[int]]] = [{} for _ in variants]
    parts = []
    if options.dedup:
        make_folder(output)
        duplicates_of = find_duplicates(store, cleaners, options.dedup, output)
        names = [variant.name for variant in variants]
        listed = duplicates_csv(dict(zip(names, duplicates_of, strict=True)))
        left_out = list(map(by_shard, duplicates_of))
    common = {
        key: one for key, one in recipe.items() if key not in ("store", "cleaners")
    }
    tasks = []
    for file, shard in store.by_shard():
        duplicates = [sorted(of_variant.get(file, ())) for of_variant in left_out]
        files = []
        for variant, some in zip(variants, duplicates, strict=True):
            of_file = {
                **common,
                "cleaner": recipe["cleaners"][variant.name],
                "shard": fingerprint_for(shard, [variant.cleaner]),
                "duplicates": some,
            }
            key = Part("", of_file).key
            files.append(Part(f"{variant.name}/{key}{suffix_of(options)}", of_file))
        parts += files
        numbers = list(map(frozenset, duplicates))
        paths = [part.name for part in files]
        tasks.append(ShardTask(shard, paths, tuple(variants), output, options, numbers))
    return _Plan(parts, tasks, listed)


def _make(
    tasks: Sequence[ShardTask],
    writer: Writer[ExportFacts],
    workers: int | Executor,
) -> None:
    """Write the files that are missing."""
    missing = {part.name for part in writer.missing}
    todo = [one for task in tasks if (one := task.of(missing)).names]

    def add(_: ShardTask, exported: Sequence[Exported]) -> None:
        for one in exported:
            writer.add(one.name, one.facts, one.files)

    folders = {(writer.folder / name).parent for name in missing}
    for folder in folders:
        make_folder(folder)
    try:
        make_all(
            todo,
            export_shard,
            Work(
                "export",
                "documents",
                size=lambda task: task.store.documents,
                versions=_versions,
            ),
            workers,
            add,
        )
    finally:
        # Workers that died or were ended may have left files half written.
        for folder in folders:
            remove_leftovers(folder)


def _versions() -> dict[str, Any]:
    """Return what files depend on where they are written."""
    code = code_identity(CLEAN_CODE, EXPORT_CODE)
    return {"code": code, "words": dictionary()}


def _facts(
    store: BlockStore, variants: Sequence[Variant], writer: Writer[ExportFacts]
) -> ExportFacts:
    """Add up what was counted in the files.

    Args:
        store: The store in the chosen languages.
        variants: What was written.
        writer: The export, whose files exist.

    Raises:
        OutputError: The counts of a variant are not those of the store.
    """
    counts = {variant.name: Counts() for variant in variants}
    kinds: dict[str, dict[str, int]] = {}
    for name, entry in writer.entries.items():
        folder = name.rpartition("/")[0]
        if not folder:
            continue
        facts = as_type(entry.facts, FileFacts)
        counts[folder].add(facts.counts)
        for kind, kind_facts in facts.kinds.items():
            sums = kinds.setdefault(kind, dict.fromkeys(KIND_COUNTS[:2], 0))
            if folder == variants[0].name:
                sums["documents"] += kind_facts["documents"]
                sums["characters"] += kind_facts["characters"]
            kept = f"characters of {folder}"
            sums[kept] = sums.get(kept, 0) + kind_facts["kept"]
    for name, one in counts.items():
        if one.total != store.documents:
            raise OutputError(
                f"{writer.folder / name} has {one.documents:,} documents, {one.empty:,} left empty "
                f"and {one.duplicates:,} duplicates, the store has {store.documents:,} documents; "
                "pass `overwrite` to rebuild it"
            )
    return ExportFacts(
        boilersweep=__version__,
        store=without_secrets(store.path),
        documents=store.documents,
        other_languages=store.other_languages,
        counts=counts,
        kinds={kind: kinds[kind] for kind in KINDS if kind in kinds},
    )


def export(
    store: BlockStore | Path | str,
    cleaners: Cleaners,
    output: Path | str,
    options: ExportOptions | None = None,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    overwrite: bool = False,
) -> ExportFacts:
    """Write what each cleaner keeps of a store as files, into a folder of its name.

    Files are named by what they are made of: called again, it does nothing if the export is whole,
    continues an unfinished one, follows a store that has changed, and refuses an export that was
    made otherwise. So a task of Airflow or Prefect may be repeated at any time.

    Args:
        store: The block store, or its folder.
        cleaners: One cleaner or several, as text or parsed.
        output: The folder, or a URL.
        options: How documents are exported; by default as JSON lines.
        workers: Processes.
        executor: Does the work instead of processes of this machine; see `export_store`.
        overwrite: Rebuild another or a damaged export.

    Returns:
        What was exported: documents and counts.

    Raises:
        UsageError: A cleaner does not exist, or the store lacks a text that it is or reads.
        StoreError: There is no store, or a shard is missing or damaged.
        OutputError: Another export or something else is in the folder.
    """
    return export_store(
        as_store(store),
        collect_variants((), cleaners),
        output,
        options,
        workers=workers,
        executor=executor,
        overwrite=overwrite,
    )
