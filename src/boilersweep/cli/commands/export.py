"""`boilersweep export`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from boilersweep.cleaners.syntax.variants import collect_variants
from boilersweep.cli.call import Call, ThisCall
from boilersweep.cli.messages import others
from boilersweep.cli.options.cleaners import Cleaners
from boilersweep.cli.options.collection import (
    PagesOrStore,
    own_store,
    report_losses,
    required_input,
)
from boilersweep.cli.options.export import Files
from boilersweep.cli.options.left_out import LeftOut
from boilersweep.cli.options.output import Cluster, Existing, Workers
from boilersweep.cli.options.values import OutputAnywhere, section
from boilersweep.errors import UsageError
from boilersweep.export.export import EXPORT, ExportFacts, export_store
from boilersweep.export.feature_table import FAMILIES, write_features
from boilersweep.export.options import ExportOptions
from boilersweep.outputs.locations import output_path
from boilersweep.redaction import printable
from boilersweep.store.store import open_store

_FEATURES = section("a table of features in place of texts")

Family = Annotated[str, Parameter(choices=tuple(FAMILIES), group=_FEATURES)]


def run(
    *,
    source: PagesOrStore = PagesOrStore(),
    keep: Cleaners = (),
    output: OutputAnywhere,
    files: Files = Files(),
    features: Family | None = None,
    left_out: LeftOut = LeftOut(),
    cluster: Cluster = Cluster(),
    existing: Existing = Existing(),
    workers: Workers = Workers(),
    call: ThisCall,
) -> int:
    """Write what cleaners keep as JSON lines, Parquet, TREC web, text or for OpenSearch.

    Write what each cleaner keeps of every document into a folder of its own, one file per shard of
    the store. Documents without kept text are left out and counted. If run again, it skips
    completed work. With --features: write the papers' features of every block as one table.

    Args:
        keep: The cleaners whose text to write, separated by commas; `boilersweep --list cleaners`
            lists their names.
        output: The folder for the files, with a folder for each cleaner, or a URL such as
            s3://bucket/export.
        features: Write a row for every block of the --store into the file --output, a .parquet or
            .csv: the 67 features of Kohlschütter et al. 2010, the 37 of Schäfer, or what the
            shipped model of learned says of the block's class and the page's kind; `boilersweep
            --list features` describes them.
    """
    if features:
        _check_features(call)
        table = output_path(str(output))
        rows = write_features(open_store(source.store or output), table, features)
        print(f"{printable(output)}: {rows:,} blocks")
        return 0
    if not keep:
        raise UsageError("expected --keep, or --features for a table of the blocks")
    source.check(call, output)
    options = files.options(left_out)
    with cluster.executor() as executor:
        store = source.opened() or own_store(
            required_input(source),
            output,
            source.how(keep, metadata=bool(files.fields)),
            EXPORT,
            threads=workers.threads,
            executor=executor,
            overwrite=existing.overwrite,
        )
        facts = export_store(
            store,
            collect_variants((), keep),
            output,
            options,
            workers=workers.count,
            executor=executor,
            overwrite=existing.overwrite,
        )
    print(*map(printable, describe_export(output, facts, options)), sep="\n")
    return report_losses(store)


def _check_features(call: Call) -> None:
    """Raise UsageError unless the call asks for features of a store alone."""
    if others := call.other_than("--features", "--store", "--output"):
        raise UsageError(f"--features cannot be used with {', '.join(sorted(others))}")
    if not call.given("--store"):
        raise UsageError("--features requires --store")


def describe_export(
    output: Path, facts: ExportFacts, options: ExportOptions
) -> list[str]:
    """Describe the folders of an export, a line for each."""
    passages, dedup = options.passages is not None, options.dedup is not None
    return [
        f"{output / name}: {counts.documents:,} documents, "
        + (f"{counts.records:,} passages, " if passages else "")
        + f"{counts.empty:,} left empty"
        + (f", {counts.duplicates:,} duplicates left out" if dedup else "")
        + others(facts.other_languages)
        for name, counts in facts.counts.items()
    ] + _kinds(facts)


def _kinds(facts: ExportFacts) -> list[str]:
    """Describe what each cleaner keeps of each kind of page, if the export counted them."""
    names = list(facts.counts)
    return [
        f"{kind}: {kept['documents']:,} documents; of their text "
        + ", ".join(
            f"{name} keeps {kept.get(f'characters of {name}', 0) / max(kept['characters'], 1):.0%}"
            for name in names
        )
        for kind, kept in facts.kinds.items()
    ]
