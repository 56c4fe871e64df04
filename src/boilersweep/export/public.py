"""`boilersweep.export`: an export from what callers in Python have."""

from concurrent.futures import Executor
from pathlib import Path

from boilersweep.cleaners.language.grammar import Cleaners
from boilersweep.cleaners.language.variants import collect_variants
from boilersweep.export.export import export_store
from boilersweep.export.manifest import ExportManifest
from boilersweep.export.options import ExportOptions
from boilersweep.store.store import BlockStore, as_store


def export(
    store: BlockStore | Path | str,
    cleaners: Cleaners,
    output: Path | str,
    options: ExportOptions | None = None,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    overwrite: bool = False,
) -> ExportManifest:
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
        What was exported: documents, counts and files.

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
