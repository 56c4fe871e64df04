"""Plug-ins: what other distributions declare in our groups of entry points, and their identity.

A changed source of a plug-in is never taken for the old one. The identity covers the plug-in's own
modules: its module or package, and all of its own that these import, directly or through each
other. A module is its own if the same distribution has it, or if no distribution has it and it is
in no folder of Python or of installed packages. A guard stops the import of one that is left out.
"""

import os
import re
import site
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile, is_zipfile

from boilersweep.errors import UsageError
from boilersweep.outputs.identity import digest_of, file_digest

# An import statement, found by its words: to parse the sources of a large package takes seconds.
_IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*(?:from[ \t]+(\w[\w.]*)|import[ \t]+([^\n;#]+))", re.MULTILINE
)
_SOURCES = (".py", ".pyx", ".pxd", ".java")


def plugin_sources(module: str) -> dict[str, Path]:
    """Name -> file of every source that a plug-in in this module runs; imports nothing foreign.

    Raises:
        ModuleNotFoundError: The module does not exist.
    """
    plugin = _top(module)
    sources: dict[str, Path] = {}
    waiting, seen = {plugin}, {plugin}
    while waiting:
        found = dict(_module_sources(waiting.pop()))
        imported = {name for path in found.values() for name in _imported(path)} - seen
        seen |= imported
        waiting |= {name for name in imported if _is_own(name, plugin)}
        sources |= found
    return sources


def guard(module: str) -> None:
    """From now on an import that `plugin_sources` does not cover raises UsageError in the plug-in.

    It does not cover a name that no import statement has, nor a folder that was not in sys.path.

    Raises:
        ModuleNotFoundError: The module does not exist.
    """
    _environment()  # imports modules itself: not while the guard looks at one
    _GUARD.plugins[_top(module)] = plugin_sources(module)
    if _GUARD not in sys.meta_path:
        sys.meta_path.insert(0, _GUARD)


class _Guard(MetaPathFinder):
    """Raises for an import that a plug-in's digest does not cover; finds no module itself.

    Attributes:
        plugins: The sources of each plug-in, by its top-level module; see `plugin_sources`.
    """

    def __init__(self) -> None:
        self.plugins: dict[str, dict[str, Path]] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> None:
        if path is not None:  # within a package, which is covered as a whole
            return
        running = _files_called_by_us()
        for plugin, sources in self.plugins.items():
            is_covered = any(name == where.partition("/")[0] for where in sources)
            is_running = any(path in running for path in sources.values())
            if is_running and not is_covered and _is_own(name, plugin):
                raise UsageError(
                    f"plug-in {plugin!r}: its import of {name!r} was not foreseen, so changes of "
                    f"that module would be missed; write `import {name}` in the plug-in, and keep "
                    "the module beside it or in a folder of PYTHONPATH"
                )


_GUARD = _Guard()


def _files_called_by_us() -> set[Path | None]:
    """Return the files whose code runs, if boilersweep called it, up to that call."""
    files: set[Path | None] = set()
    frame: FrameType | None = sys._getframe(2)  # inspect.stack reads files
    while frame:
        if _top(frame.f_globals.get("__name__", "")) == "boilersweep":
            return files
        files.add(_file_around(frame.f_code.co_filename))
        frame = frame.f_back
    return set()


def _top(module: str) -> str:
    return module.partition(".")[0]


def _module_sources(name: str) -> Iterator[tuple[str, Path]]:
    """Yield the source files of a module, or of a package and all in it, by lasting names.

    The source of a module in a zip archive is the archive.

    Raises:
        ModuleNotFoundError: There is no such module.
    """
    spec = _spec(name)
    if spec is None:
        raise ModuleNotFoundError(f"no module named {name}", name=name)
    alone = [spec.origin or ""] if spec.has_location else []
    for place in map(Path, spec.submodule_search_locations or alone):
        if file := _file_around(place):
            yield name, file
        for path in place.rglob("*"):
            if path.suffix in _SOURCES:
                yield f"{name}/{path.relative_to(place).as_posix()}", path


def _file_around(path: str | Path) -> Path | None:
    """Return the file at a path, or the zip archive that the path leads into; None without any."""
    return next(
        (file for file in (Path(path), *Path(path).parents) if file.is_file()), None
    )


def _imported(path: Path) -> set[str]:
    """Return the top-level modules that import statements name in a file or a zip archive."""
    sources = [path.read_bytes()] if path.suffix == ".py" else []
    if is_zipfile(path):
        with ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.endswith(".py")]
            sources = [archive.read(name) for name in names]
    text = b"\n".join(sources).decode("utf-8", "replace").replace("\\\n", " ")
    named = ",".join(one or several for one, several in _IMPORT.findall(text))
    return {_top(name.split()[0]) for name in named.split(",") if name.strip()}


def _is_own(name: str, plugin: str) -> bool:
    """Whether a top-level module is a plug-in's own rather than part of the environment."""
    folder = _folder(name)
    if folder is None or name == "boilersweep":
        return False
    owners = _installed(folder, folder.stat().st_mtime_ns)
    if folder == _folder(plugin) and owners.get(name) == owners.get(plugin):
        return True
    return name not in owners and folder not in _environment()


def _folder(name: str) -> Path | None:
    """Return the folder (or zip archive) of a top-level module, None without a file."""
    spec = _spec(name)
    if spec and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).parent
    return Path(spec.origin or "").parent if spec and spec.has_location else None


def _spec(name: str) -> ModuleSpec | None:
    finders = (finder for finder in sys.meta_path if finder is not _GUARD)
    found = (finder.find_spec(name, None) for finder in finders)
    return next(filter(None, found), None)


@cache
def _environment() -> frozenset[Path]:
    """Return the folders of Python's own modules and of installed distributions."""
    paths = sysconfig.get_paths()
    standard = Path(paths["stdlib"])
    archive = f"python{sys.version_info.major}{sys.version_info.minor}.zip"
    names = [paths[name] for name in ("platstdlib", "purelib", "platlib")]
    names += [*site.getsitepackages(), site.getusersitepackages()]
    own = standard, standard / "lib-dynload", standard.parent / archive
    return frozenset({*own, *map(Path, names)})


@lru_cache(maxsize=8)  # reading a large environment takes 80 ms
def _installed(folder: Path, _changed: int) -> dict[str, str]:
    """Top-level module -> distribution, as the distributions in a folder record their files."""
    return {
        re.split("[/,.]", line, maxsplit=1)[0]: record.parent.name
        for record in folder.glob("*.dist-info/RECORD")
        for line in record.read_text("utf-8", "replace").splitlines()
    }


if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@contextmanager
def contained() -> Iterator[None]:
    """Run what may be a plug-in, which cannot end the program or leave it in another folder.

    Raises:
        RuntimeError: The plug-in calls sys.exit.
    """
    if not _GUARD.plugins:  # none was imported
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
        """Call `load`, which imports a plug-in's module; raises UsageError if anything fails.

        From now on the plug-in may import only modules that its identity covers.
        """
        try:
            with suppress(ImportError, ValueError):  # `load` raises the same
                guard(module)
            with contained():
                return load()
        except UsageError:
            raise
        # Importing runs foreign code, which raises what it likes
        except Exception as error:
            raise UsageError(
                f"{self.kind} {name!r} cannot be imported ({type(error).__name__}: {error}); its "
                "module must be installed, or in a folder of PYTHONPATH"
            ) from error

    def sources_digest(self, name: str, module: str) -> str:
        """Return the digest of all modules that the plug-in's identity covers (`plugin_sources`).

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
