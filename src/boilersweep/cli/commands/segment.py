"""Cut the pages of a collection into text blocks.

Cut every page of a collection into text blocks and keep them in a block store: Parquet shards that
pandas, polars and DuckDB read. If run again, it skips completed work, reads new and changed files,
and removes the pages of deleted ones.
"""

import argparse
import os

# numpy, which other imports need, would start a thread for every processor.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


from boilersweep.cli import options
from boilersweep.cli.options.collection import report_losses, segmented
from boilersweep.errors import without_secrets
from boilersweep.work.cluster import cluster_executor

OPTIONS = (
    options.collection.pages(),
    options.collection.CHOSEN,
    options.output.folder("the folder of the block store", anywhere=True),
    options.output.overwrite(),
    options.output.VERIFY_INPUT,
    options.output.CLUSTER,
    options.output.THREADS,
)


def run(args: argparse.Namespace) -> int:
    with cluster_executor(args.cluster) as executor:
        store = segmented(args, args.output, executor=executor)
    print(without_secrets(args.output / "manifest.json"))
    return report_losses(args, store)
