"""`boilersweep segment`."""

import os

# numpy, which other imports need, would start a thread for every processor.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


from boilersweep.cli.call import ThisCall
from boilersweep.cli.messages import tell
from boilersweep.cli.options.collection import (
    ChosenDocuments,
    Pages,
    from_dataset,
    report_losses,
    segmented,
)
from boilersweep.cli.options.output import Cluster, Existing, Workers
from boilersweep.cli.options.values import OutputAnywhere
from boilersweep.redaction import without_secrets


def run(
    *,
    pages: Pages = Pages(),
    chosen: ChosenDocuments = ChosenDocuments(),
    output: OutputAnywhere,
    existing: Existing = Existing(),
    verify_input: bool = False,
    statistics: bool = False,
    cluster: Cluster = Cluster(),
    workers: Workers = Workers(),
    call: ThisCall,
) -> int:
    """Cut the pages of a collection into text blocks.

    Cut every page of a collection into text blocks and keep them in a block store: Parquet shards
    that pandas, polars and DuckDB read. If run again, it skips completed work, reads new and
    changed files, and removes the pages of deleted ones.

    Args:
        output: The folder of the block store, or a URL such as s3://bucket/store.
        verify_input: Compare input files by SHA-256 even if size, times of change and inode are
            unchanged.
        statistics: Also print pages per host, doctypes, and the most frequent texts of short
            blocks; of a store that exists nothing is made again.
    """
    input_ = from_dataset(pages.dataset, {"input": pages.input})["input"]
    pages.check(call, output)
    call.needs("--sample", "--only-docids", "--only-judged")
    pages = pages.fetched()
    with cluster.executor() as executor:
        store = segmented(
            pages.input or input_,
            output,
            pages.how(chosen.read()),
            threads=workers.threads,
            executor=executor,
            overwrite=existing.overwrite,
            verify_input=verify_input,
        )
    if statistics:
        from boilersweep.store.statistics import describe_statistics, store_statistics

        tell(f"{describe_statistics(store_statistics(store))}\n")
    print(without_secrets(output / "manifest.json"))
    return report_losses(store, strict=pages.strict)
