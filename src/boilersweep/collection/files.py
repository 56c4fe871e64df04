"""Finding the files of a collection."""

import os
from collections.abc import Callable
from pathlib import Path

from boilersweep.locations import is_remote, remote_files


def _fail(error: OSError) -> None:
    raise error


def regular_files(root: Path) -> list[Path]:
    """All files below a folder, sorted by relative posix path; a file stands for itself.

    Hidden files and folders are left out, links to files are followed, links to folders are not.
    Raises OSError for a folder that cannot be listed.
    """
    if root.is_file():
        return [root]
    if is_remote(root):
        return sorted(remote_files(root), key=lambda path: path.relative_to(root).as_posix())
    found: list[Path] = []
    for folder, folders, names in os.walk(root, onerror=_fail):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (Path(folder, name) for name in names if not name.startswith("."))
        found.extend(path for path in paths if path.is_file())
    return sorted(found, key=lambda path: path.relative_to(root).as_posix())


def matching_files(root: Path, wanted: Callable[[str], bool]) -> list[Path]:
    """Like `regular_files`, but below a folder only those whose name is wanted."""
    if root.is_file():
        return [root]
    return [path for path in regular_files(root) if wanted(path.name)]
