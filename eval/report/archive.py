"""A finished study as one file: all its files without its indexes.

The archive also has the head that ir_metadata specifies for each run (Breuer, Keller and Schaer,
SIGIR 2022): YAML in lines that begin with `#`. It is a separate file, because trec_eval and
ir_measures read no run that begins with one.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

from boilersweep.errors import InputError
from boilersweep.eval.experiment.folder import EXPERIMENT, INDEXES
from boilersweep.eval.report.report import STUDY, require_study
from boilersweep.eval.stats.frames import Row
from boilersweep.eval.study.results import Study
from boilersweep.eval.study.study_json import read_study
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.manifest_file import faults
from boilersweep.outputs.parts import MANIFEST, portable_text
from boilersweep.outputs.streams import output_file

# The date of every member: the same study gives the same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)


def archive_study(folder: Path, output: Path) -> list[str]:
    """Write a finished study as a ZIP file.

    Args:
        folder: The study's folder.
        output: The ZIP file.

    Returns:
        The names of the study's files.

    Raises:
        OutputError: The folder has no finished study, or `output` cannot be written.
        InputError: Its files were changed or damaged.
    """
    listed = require_study(folder).files
    if changes := faults(folder, listed):
        raise InputError(
            f"{folder} is not as it was written: {some_of(changes)}; run the study again"
        )
    names = sorted(
        name for name in [*listed, MANIFEST] if Path(name).parts[0] != INDEXES
    )
    study = read_study(folder / STUDY)
    home = folder.resolve().name
    members = {f"{home}/{name}": (folder / name).read_bytes() for name in names}
    members[f"{home}/{MANIFEST}"] = portable_text(EXPERIMENT.require(folder)).encode()
    for formula, rows in (study.by_formula or {study.run["model"]: study.rows}).items():
        for row in rows:
            if row.cleaner:
                head = ir_metadata(study, row, formula)
                members[f"{home}-ir_metadata/{row.run}"] = head.encode()
    with output_file(output) as temporary, zipfile.ZipFile(temporary, "w") as file:
        for name, content in members.items():
            member = zipfile.ZipInfo(name, _DATE)
            member.external_attr = 0o644 << 16
            file.writestr(member, content, zipfile.ZIP_DEFLATED, compresslevel=9)
    return names


def ir_metadata(study: Study, row: Row, formula: str) -> str:
    """Return the head of a run with its inputs and options, without the people behind it."""
    run, tests = study.run, study.statistics.tests
    versions = [f"{name} {version}" for name, version in run["versions"].items()]
    sources = {
        name: Path(source["path"]).name for name, source in run["sources"].items()
    }
    # Sequential p-values hold for all comparisons together, without a further step.
    correction = (
        "none" if study.statistics.are_sequential else study.statistics.corrector
    )
    indexing: dict[str, Any] = {"cleaner": row.label, **run["analyzer"]}
    value = {
        "platform": {"software": {"libraries": {"python": versions}}},
        "research goal": {
            "evaluation": {
                "reported measures": [*study.tested, *study.beside],
                "baseline": [study.baseline.label],
                "significance test": [
                    {"name": test, "correction": correction} for test in tests
                ],
            }
        },
        "implementation": {"lang": ["python", "java"], "version": study.version},
        "method": {
            "automatic": True,
            "indexing": indexing,
            "retrieval": [{"name": formula, "hits": run["hits"]}],
        },
        "data": {"test collection": {"documents": run["documents"], **sources}},
    }
    lines = [
        f"{key}: {json.dumps(part, ensure_ascii=False)}" for key, part in value.items()
    ]
    return "".join(
        f"# {line}\n" for line in ("ir_metadata.start", *lines, "ir_metadata.end")
    )
