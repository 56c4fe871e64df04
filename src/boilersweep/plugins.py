"""Plug-ins: what other distributions declare in our groups of entry points, and their identity.

A plug-in is known by the files of its package; for a module that is in no package, by all Python
files in its folder; and, if it is installed, by the name and the version of its distribution.
"""

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boilersweep.errors import UsageError
from boilersweep.outputs.identity import digest_of, file_digest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# The modules of the plug-ins that were imported.
_imported: set[str] = set()


def plugin_sources(module: str) -> dict[str, Path]:
    """Name -> file of everything that a plug-in in this module is known by; imports nothing.

    A zip archive is one file.

    Raises:
        ModuleNotFoundError: The module does not exist.
    """
    name = module.partition(".")[0]
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise ModuleNotFoundError(f"no module named {name}", name=name)
    if places := spec.submodule_search_locations:
        found = [(Path(place), "**/*") for place in places]
    else:
        found = [(Path(spec.origin or "").parent, "*.py")]
    sources = {}
    for place, pattern in found:
        archives = (one for one in (place, *place.parents) if one.is_file())
        if archive := next(archives, None):
            sources[archive.name] = archive
        for path in place.glob(pattern):
            if path.is_file() and "__pycache__" not in path.parts:
                sources[f"{name}/{path.relative_to(place).as_posix()}"] = path
    return sources


@contextmanager
def contained() -> Iterator[None]:
    """Run what may be a plug-in, which cannot end the program or leave it in another folder.

    Raises:
        RuntimeError: The plug-in calls sys.exit.
    """
    if not _imported:
        yield
        return
    folder = Path.cwd()
    try:
        yield
    except SystemExit as error:
        raise RuntimeError(f"it calls sys.exit({error.code!r})") from error
    finally:
        os.chdir(folder)


@dataclass(frozen=True, slots=True)
class PluginGroup:
    """A group of entry points.

    Attributes:
        kind: What each of them is, for messages.
        instead: What to do instead of using a name, for messages.
    """

    name: str
    kind: str
    instead: str = ""

    def names(self) -> list[str]:
        """Return the names of all plug-ins, sorted, each once."""
        return sorted({point.name for point in _entry_points(self.name, _folders())})

    def find(self, name: str) -> "EntryPoint | None":
        """Return the entry point of a name, None without any; raises UsageError for two."""
        points = [p for p in _entry_points(self.name, _folders()) if p.name == name]
        if len(points) > 1:
            raise UsageError(
                f"{self.kind} {name!r}: expected one entry point of that name in {self.name}, got "
                f"{', '.join(sorted(map(described, points)))}: uninstall all but one{self.instead}"
            )
        return points[0] if points else None

    def imported(self, name: str, module: str, load: Callable[[], Any]) -> Any:
        """Call `load`, which imports a plug-in's module; raises UsageError if anything fails."""
        _imported.add(module)
        try:
            with contained():
                return load()
        # Importing runs foreign code, which raises what it likes
        except Exception as error:
            raise UsageError(
                f"{self.kind} {name!r} cannot be imported ({type(error).__name__}: {error}); its "
                "module must be installed, or in a folder of PYTHONPATH"
            ) from error

    def sources_digest(self, name: str, module: str) -> str:
        """Return the digest of what a plug-in is known by; see `plugin_sources`.

        Raises:
            UsageError: There is no such module.
        """
        try:
            sources = sorted(plugin_sources(module).items())
        except (ImportError, ValueError) as error:
            raise UsageError(
                f"{self.kind} {name!r}: there is no module {module.partition('.')[0]!r} ({error}); "
                "it must be installed, or in a folder of PYTHONPATH"
            ) from error
        return digest_of([[where, file_digest(path)] for where, path in sources])

    def identity(self, name: str) -> str | None:
        """Return distribution, version and digest of the sources of a plug-in, None without any.

        Raises:
            UsageError: As `find` and `sources_digest`.
        """
        point = self.find(name)
        if point is None:
            return None
        return f"{described(point)} {self.sources_digest(name, point.module)}"


def described(point: "EntryPoint") -> str:
    """Describe an entry point by its distribution with version, and its place."""
    return (
        f"{point.dist.name} {point.dist.version}, {point.value}"
        if point.dist
        else point.value
    )


def _folders() -> tuple[tuple[str, int], ...]:
    """Return the folders of modules with their times, which change with every installation."""
    folders = []
    for name in sys.path:
        with suppress(OSError):  # not there
            stat = os.stat(name or os.curdir)  # noqa: PTH116  # Path.stat takes twice as long
            folders.append((name, stat.st_mtime_ns))
    return tuple(folders)


@lru_cache(maxsize=4)  # reading those of all distributions takes 10 ms
def _entry_points(
    group: str, _folders: tuple[tuple[str, int], ...]
) -> "tuple[EntryPoint, ...]":
    """Return the entry points of distributions in some folders; reads them again after a change."""
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))
