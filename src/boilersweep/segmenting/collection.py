"""From a collection to a whole block store."""

import hashlib
import json
import os
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from boilersweep import __version__
from boilersweep.collection.recognise import open_collection
from boilersweep.collection.record import Reason
from boilersweep.errors import CollectionError, UsageError
from boilersweep.extractors.plugins import find_extractor
from boilersweep.files import only_writer, remove_leftovers, write_json
from boilersweep.segmenting.extraction import GivenTexts, read_texts
from boilersweep.segmenting.limits import Limits
from boilersweep.segmenting.tasks import SegmentOptions, Task, is_done, plan_tasks
from boilersweep.segmenting.workers import default_workers, run_tasks
from boilersweep.store.duplicates import Duplicate, find_duplicates, rows_by_shard
from boilersweep.store.layout import VERSION
from boilersweep.store.shard import read_facts
from boilersweep.store.store import MANIFEST, BlockStore, open_store

OnDuplicate = Literal["error", "first"]

_SAMPLES_PER_REASON = 10


def segment_collection(
    root: Path,
    output: Path,
    *,
    collection: str | None = None,
    plain: bool = False,
    inline_tags_transparent: bool = False,
    on_duplicate: OnDuplicate = "error",
    limits: Limits | None = None,
    extractors: Sequence[str] = (),
    given: Mapping[str, Path] = MappingProxyType({}),
    workers: int | None = None,
) -> BlockStore:
    """Cut every page of a collection into blocks; what is done already is not done again.

    root: a folder or one file. collection: a format's name, None to recognise it.
    plain: the contents of JSONL are plain text. workers: processes, None for one a processor.
    on_duplicate: "error" refuses a docid that stands twice, "first" keeps its first document.
    extractors: names of those to run over every page. given: name -> file of texts by docid (see
    `read_texts`), to stand where an extractor's would.
    Raises CollectionError, OutputError, and StoreError where `output` holds another store.
    """
    format_, files = open_collection(root, collection, plain=plain)
    options = SegmentOptions(
        format_.name,
        plain,
        inline_tags_transparent,
        limits or Limits(),
        _resolved(extractors, given),
        tuple(_given(name, path) for name, path in given.items()),
    )
    with only_writer(output):
        remove_leftovers(output)
        tasks = plan_tasks(root, files, format_, output, options)
        to_do = [task for task in tasks if not is_done(task)]
        if to_do:
            (output / MANIFEST).unlink(missing_ok=True)
            run_tasks(to_do, root, options, workers or default_workers())
        duplicates = find_duplicates([task.shard for task in tasks])
        if duplicates and on_duplicate == "error":
            raise _duplicate_error(duplicates)
        write_json(output / MANIFEST, _manifest(root, tasks, options, duplicates))
    return open_store(output)


def _resolved(extractors: Sequence[str], given: Mapping[str, Path]) -> tuple[str, ...]:
    """The extractors' names, each once; raises UsageError where one is not to be had."""
    for name in extractors:
        if name in given:
            raise UsageError(f"{name} names an extractor and given texts; name the texts otherwise")
    return tuple(dict.fromkeys(find_extractor(name).name for name in extractors))


def _given(name: str, path: Path) -> GivenTexts:
    read_texts(path)  # raises where the workers would
    return GivenTexts(name, str(path.resolve()), hashlib.sha256(path.read_bytes()).hexdigest())


def _duplicate_error(duplicates: Sequence[Duplicate]) -> CollectionError:
    one = duplicates[0]
    more = f" (and {len(duplicates) - 1:,} more)" if len(duplicates) > 1 else ""
    return CollectionError(
        f"docid {one.docid!r} stands twice: in {one.first_place}, and in {one.place}{more}; "
        "mend the collection, or keep the first of each with --on-duplicate first"
    )


def _manifest(
    root: Path, tasks: Sequence[Task], options: SegmentOptions, duplicates: Sequence[Duplicate]
) -> dict[str, Any]:
    dropped = rows_by_shard(duplicates)
    shards = []
    skipped: Counter[str] = Counter()
    samples: dict[str, list[dict[str, Any]]] = {}
    totals = Counter(records=0, documents=-len(duplicates), without_blocks=0, blocks=0, words=0)
    failed: Counter[str] = Counter()
    fingerprint = hashlib.sha256()
    for number, task in enumerate(tasks):
        facts = read_facts(task.shard)
        rows = dropped.get(number, [])
        for key in totals:
            totals[key] += getattr(facts, key)
        skipped.update(facts.skipped)
        failed.update(facts.failed_extractions)
        for sample in facts.samples:
            places = samples.setdefault(sample.reason, [])
            if len(places) < _SAMPLES_PER_REASON:
                places.append(asdict(sample))
        digests = [[file["path"], file["sha256"]] for file in facts.files]
        fingerprint.update(json.dumps([facts.task, digests, rows], sort_keys=True).encode())
        shards.append(
            {
                "file": task.shard.name,
                "records": facts.records,
                "documents": facts.documents,
                "skipped": facts.skipped,
                "dropped_rows": rows,
                "input": facts.files,
            }
        )
    if duplicates:
        skipped[Reason.DUPLICATE] += len(duplicates)
        samples[Reason.DUPLICATE] = [asdict(d) for d in duplicates[:_SAMPLES_PER_REASON]]
    return {
        "store_version": VERSION,
        "boilersweep": __version__,
        "python": platform.python_version(),
        "input": os.fsencode(root.resolve()).decode("utf-8", "replace"),
        "options": options.as_json(),
        **totals,
        "failed_extractions": dict(failed),
        "skipped": dict(skipped),
        "skipped_samples": samples,
        "fingerprint": fingerprint.hexdigest(),
        "shards": shards,
    }
