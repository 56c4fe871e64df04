"""Prove a folder of `judge --annotate` from its logs."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from boilersweep.errors import InputError
from boilersweep.eval.annotate.annotations import Annotations, PagesToMark
from boilersweep.eval.annotate.marks import ANNOTATIONS
from boilersweep.eval.people.folder import FolderFacts, log_faults, without_manifest
from boilersweep.outputs.parts import Manifest


def _faults(
    folder: Path, manifest: Manifest[FolderFacts] | None, _: object
) -> Iterator[str]:
    if manifest is None:
        yield without_manifest(ANNOTATIONS, folder)
    try:
        annotations = Annotations(folder, PagesToMark({}, None), complete=False)
    except InputError as error:
        yield str(error)
        return
    yield from log_faults(annotations, manifest)


# A folder of marked pages with all that is checked of it.
CHECKED = replace(ANNOTATIONS, verify=_faults)
