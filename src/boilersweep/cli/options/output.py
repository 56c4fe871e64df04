"""What a command writes, what becomes of existing results, and how the work is done."""

import argparse

from boilersweep.cli.parser import Group, Options
from boilersweep.errors import UsageError
from boilersweep.outputs.locations import output_location, output_path
from boilersweep.work.cluster import parse_cluster
from boilersweep.work.processes import default_workers

VERIFY_INPUT = Options(
    """
    --verify-input  compare input files by SHA-256 even if size, times of change and inode are
                    unchanged
    """
)
STRICT = Options(
    """
    --strict  exit with status 1 if records were lost to time, memory or crashes, which another
              run may not lose
    """
)


def folder(what: str, default: str | None = None, *, anywhere: bool = False) -> Options:
    """Return --output, a folder; `anywhere`: also at a URL."""
    return Options(
        f"--output DIR  {what}{', or a URL such as s3://bucket/store' * anywhere}",
        types={"output": output_location if anywhere else output_path},
        defaults={"output": default},
        required=default is None,
    )


def file(what: str, *, required: bool = False) -> Options:
    """Return --output, a file."""
    return Options(
        f"--output FILE  {what}", types={"output": output_path}, required=required
    )


def title(default: str) -> Options:
    """Return --title."""
    text = f"--title TEXT  the title of the report and its figures (default: {default})"
    return Options(text, types={"title": _title})


def _title(text: str) -> str:
    title = " ".join(text.split())
    if not title:
        raise UsageError("expected a title, got an empty text")
    return title


def overwrite(
    what: str = "rebuild --output if it doesn't match this request", update: str = ""
) -> Group:
    """Return --overwrite, and --update if there is a text that says what it does."""
    text = f"--overwrite  {what} (default: list the differences and stop)"
    if update:
        text += f"\n--update  bring --output up to date with its input: {update}"
    return Group(Options(text), exclusive=True)


def _heap(text: str) -> str:
    # `segment` has no Java, and starts faster without this.
    from boilersweep.indexer.jvm import checked_heap

    return checked_heap(text)


THREADS = Options(
    "--threads N  number of worker processes and threads (default: one per processor)"
)
HEAP = Options(
    "--heap SIZE  Java's maximum heap, such as 4g (default: a quarter of the memory)",
    types={"heap": _heap},
)
ALL = Group(THREADS, HEAP)


CLUSTER = Group(
    Options(
        """
        --cluster ADDRESS  do the work on a cluster: a Dask scheduler, such as tcp://host:8786, or a
            Ray cluster, ray://host:10001, or auto for the one of this machine. Its workers need the
            same versions, and input and output at the same paths
        """,
        types={"cluster": parse_cluster},
    ),
    title="several machines",
)


def threads(args: argparse.Namespace) -> int:
    """Return the number of workers to use."""
    return args.threads or default_workers()
