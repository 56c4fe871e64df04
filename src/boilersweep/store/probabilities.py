"""Add a trained model's probabilities of all blocks to a finished block store."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq

from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.learned.model import CLASSES, Network
from boilersweep.errors import StoreError, UsageError
from boilersweep.outputs.atomic import output_errors, whole_file
from boilersweep.outputs.folder import OutputFolder
from boilersweep.outputs.locations import as_location, is_remote
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.manifest_file import fault
from boilersweep.store.probability_files import (
    PROBABILITIES,
    PROBABILITY_FILES,
    file_name,
    read_probabilities_manifest,
    schema,
    table_of,
)
from boilersweep.store.shard import read_columns, verify_checksums
from boilersweep.store.store import BlockStore, open_store
from boilersweep.work.processes import default_workers
from boilersweep.work.tasks import run_tasks

# A shard, the file to write beside it, and a cleaner of the model.
_Task = tuple[Path, Path, Learned]


def add_probabilities(
    store: Path | str, cleaners: Sequence[Learned], *, workers: int | None = None
) -> BlockStore:
    """Keep what the models of cleaners give of all blocks beside the shards of a block store.

    Cleaners by these models then read it instead of computing it. Existing files are skipped; those
    of other models stay, those of other blocks or code are removed.
    workers: processes, None for one per processor.
    Raises UsageError for a model whose sums depend on their order, StoreError, OutputError.
    """
    output = as_location(store)
    if is_remote(output):
        raise UsageError(f"{output}: probabilities are added to a store of this machine; copy it")
    for cleaner in cleaners:
        estimator = cleaner.model.estimator
        if isinstance(estimator, Network) and not estimator.has_exact_sums:
            raise UsageError(
                f"{cleaner}: expected a model with exact sums, whose probabilities are the same in "
                "every batch; train one without --model"
            )
    open_store(output)  # before a lock is made where there is no store
    with only_writer(output):
        before = open_store(output)
        before.require_shards()
        models = read_probabilities_manifest(output).models
        models |= {one.model_digest(): str(one) for one in cleaners}
        shards = before.manifest.shards
        tasks: list[_Task] = [
            (output / shard["file"], output / file_name(shard, one.model_digest()), one)
            for one in cleaners
            for shard in shards
        ]
        to_do = [task for task in tasks if not _is_there(task[1], before)]
        run_tasks(_write, to_do, "rate", "shards", workers=workers or default_workers())
        files = {file.name for _, file, _ in tasks}
        for model in models:
            names = {file_name(shard, model) for shard in shards} & {*before.probabilities}
            files |= {name for name in names if _is_there(output / name, before)}
        with output_errors(output):
            for path in output.glob(PROBABILITY_FILES):
                if path.name not in files:
                    path.unlink()
        OutputFolder(output, PROBABILITIES).seal({"models": models}, {}, sorted(files))
        return open_store(output)


def _is_there(file: Path, store: BlockStore) -> bool:
    """Return whether a file is whole; a kill may have left it unlisted."""
    if file.name in store.probabilities:
        return fault(file, store.probabilities[file.name]) is None
    try:
        verify_checksums(file)
    except StoreError:
        return False
    return True


def _write(task: _Task) -> None:
    shard, file, cleaner = task
    model = cleaner.model
    columns = schema(model)
    values = [f"{name}.list.element" for name in columns.names]
    with (
        whole_file(file) as temporary,
        pq.ParquetWriter(
            temporary,
            columns,
            compression="zstd",
            write_page_checksum=True,
            use_dictionary=False,
            column_encoding=dict.fromkeys(values, "BYTE_STREAM_SPLIT"),
        ) as writer,
    ):
        for blocks in read_columns(shard, cleaner.needs):
            for rows in cleaner.rows(blocks, model, CLASSES):
                writer.write_table(table_of(rows, model))
