"""A finished study as one file: runs, scores, figures, manifest and report, without its indexes.

Beside it each run has the head that ir_metadata specifies (Breuer, Keller and Schaer, SIGIR 2022):
YAML in lines that begin with `#`. It is a file of its own, as trec_eval and ir_measures read no run
that begins so.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

from boilersweep.errors import InputError
from boilersweep.eval.experiment import INDEXES
from boilersweep.eval.report.finished import STUDY, require_study
from boilersweep.eval.study.results import Study, StudyRow
from boilersweep.eval.study.study_json import read_study
from boilersweep.outputs.files import output_file
from boilersweep.outputs.folder import MANIFEST
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.manifest_file import faults

_DATE = (1980, 1, 1, 0, 0, 0)
"""Of every member: the same study gives the same bytes."""


def archive_study(folder: Path, output: Path) -> list[str]:
    """Write a finished study as a ZIP file; returns the names of the study's files.

    Raises OutputError where no study is finished in the folder, InputError where its files were
    changed or damaged.
    """
    listed = require_study(folder).files
    if changes := faults(folder, listed):
        raise InputError(
            f"{folder} is not as it was written: {some_of(changes)}; run the study again"
        )
    names = sorted(name for name in [*listed, MANIFEST] if Path(name).parts[0] != INDEXES)
    study = read_study(folder / STUDY)
    home = folder.resolve().name
    members = {f"{home}/{name}": (folder / name).read_bytes() for name in names}
    for row in study.all_rows:
        if row.role != "run":
            members[f"{home}-ir_metadata/{row.run_path}"] = ir_metadata(study, row).encode()
    with output_file(output) as temporary, zipfile.ZipFile(temporary, "w") as file:
        for name, content in members.items():
            member = zipfile.ZipInfo(name, _DATE)
            member.external_attr = 0o644 << 16
            file.writestr(member, content, zipfile.ZIP_DEFLATED, compresslevel=9)
    return names


def ir_metadata(study: Study, row: StudyRow) -> str:
    """The head of a run: what made it from what. The actors are for people to add."""
    run, tests = study.run, study.statistics.tests
    versions = [f"{name} {version}" for name, version in run["versions"].items()]
    sources = {name: Path(source["path"]).name for name, source in run["sources"].items()}
    indexing: dict[str, Any] = {"cleaner": str(row.variant), **run["analyzer"]}
    value = {
        "platform": {"software": {"libraries": {"python": versions}}},
        "research goal": {
            "evaluation": {
                "reported measures": [*study.tested, *study.beside],
                "baseline": [str(study.baseline.variant)],
                "significance test": [{"name": test, "correction": "Holm"} for test in tests],
            }
        },
        "implementation": {"lang": ["python", "java"], "version": study.version},
        "method": {
            "automatic": True,
            "indexing": indexing,
            "retrieval": [{"name": row.formula or run["model"], "hits": run["hits"]}],
        },
        "data": {"test collection": {"documents": run["documents"], **sources}},
    }
    lines = [f"{key}: {json.dumps(one, ensure_ascii=False)}" for key, one in value.items()]
    return "".join(f"# {line}\n" for line in ("ir_metadata.start", *lines, "ir_metadata.end"))
