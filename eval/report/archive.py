"""A finished study as one file: runs, scores, figures, manifest and report, without its indexes."""

import zipfile
from pathlib import Path

from boilersweep.errors import InputError
from boilersweep.eval.experiment import INDEXES
from boilersweep.eval.report.finished import require_study
from boilersweep.outputs.files import output_file
from boilersweep.outputs.folder import MANIFEST
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.manifest_file import faults

_DATE = (1980, 1, 1, 0, 0, 0)
"""Of every member: the same study gives the same bytes."""


def archive_study(folder: Path, output: Path) -> list[str]:
    """Write the files of a finished study as a ZIP file; returns their names.

    Raises OutputError where no study is finished in the folder, InputError where its files were
    changed or damaged.
    """
    listed = require_study(folder).files
    if changes := faults(folder, listed):
        raise InputError(
            f"{folder} is not as it was written: {some_of(changes)}; run the study again"
        )
    names = sorted(name for name in [*listed, MANIFEST] if Path(name).parts[0] != INDEXES)
    with output_file(output) as temporary, zipfile.ZipFile(temporary, "w") as file:
        for name in names:
            member = zipfile.ZipInfo(f"{folder.resolve().name}/{name}", _DATE)
            member.external_attr = 0o644 << 16
            content = (folder / name).read_bytes()
            file.writestr(member, content, zipfile.ZIP_DEFLATED, compresslevel=9)
    return names
