"""Delete applications in a copy, with their tests and what needs them, and test the rest.

    sh scripts/leaves.sh                    the application of the day, by date
    sh scripts/leaves.sh learned -- -n 2    one, with options for pytest
    sh scripts/leaves.sh crawls report      several together
    sh scripts/leaves.sh all                all: the core alone

An application is a contract of pyproject.toml that names its modules and who may import them. The
tests that go with it are those that mirror or import what is deleted, directly or by their helpers;
those marked `application` are skipped. Tests of the whole product (`WHOLE`) do not run.
"""

import ast
import datetime
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Tests and folders of tests of everything together.
WHOLE = ("tests/system", "tests/papers")

_PREFIX = "application "
_FOLDERS = ("eval", "indexer", "topics")  # beside src/boilersweep
# An editable install finds in the checkout what was deleted in the copy.
_NO_EDITABLE = """import sys

sys.meta_path[:] = [
    finder for finder in sys.meta_path if "__editable__" not in getattr(finder, "__module__", "")
]
"""
_COMPILED = (".so", ".pyd", ".jar")


@dataclass(frozen=True, slots=True)
class Application:
    """A part of boilersweep that may be deleted.

    Attributes:
        modules: Its modules and packages.
        importers: The modules that may import them, its own among them.
    """

    modules: frozenset[str]
    importers: frozenset[str]


@cache
def applications(root: Path = ROOT) -> dict[str, Application]:
    """Return the applications by name, from the contracts of pyproject.toml."""
    text = (root / "pyproject.toml").read_text("utf-8")
    contracts = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    return {
        one["name"].removeprefix(_PREFIX): Application(
            frozenset(one["protected_modules"]), frozenset(one["allowed_importers"])
        )
        for one in contracts
        if one["name"].startswith(_PREFIX)
    }


def deleted_with(names: Iterable[str], known: Mapping[str, Application]) -> list[str]:
    """Return applications and all that need them, directly or not."""
    gone = [*names]
    for one in gone:
        gone += [
            other
            for other, application in known.items()
            if other not in gone and application.modules & known[one].importers
        ]
    return gone


def files_of(module: str, root: Path) -> list[Path]:
    """Return the folder of a package, or the files of a module."""
    first, *rest = module.split(".")[1:]
    folder = root if first in _FOLDERS else root / "src" / "boilersweep"
    path = folder.joinpath(first, *rest)
    return [path] if path.is_dir() else sorted(path.parent.glob(f"{path.name}.*"))


def is_deleted(application: Application, root: Path = ROOT) -> bool:
    """Return whether files of an application are missing."""
    return not all(files_of(module, root) for module in application.modules)


def copy_to(target: Path) -> None:
    """Copy the files of the repository, and what was compiled, to a folder."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    for folder in (ROOT / "src", *(ROOT / name for name in _FOLDERS)):
        files += [path for path in folder.rglob("*") if path.suffix in _COMPILED]
    for path in files:
        if path.is_file():
            copy = target / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
    package = target / "build" / "package" / "boilersweep"
    package.mkdir(parents=True)
    parts = [*(target / "src" / "boilersweep").iterdir()]
    for part in (*parts, *(target / name for name in _FOLDERS)):
        (package / part.name).symlink_to(part)
    (package.parent / "sitecustomize.py").write_text(_NO_EDITABLE, "utf-8")


def mirrored_by(module: str, root: Path) -> Iterator[Path]:
    """Yield the tests that mirror a module: `test_tls.py`, `test_tls_*.py`, those in `tls/`."""
    *parents, name = module.split(".")[1:]
    folder = root.joinpath("tests", *parents)
    for pattern in (f"test_{name}.py", f"test_{name}_*.py", f"{name}/**/*.py"):
        yield from folder.glob(pattern)


def tests_of(modules: frozenset[str], root: Path) -> list[Path]:
    """Return the tests that mirror or import deleted modules, directly or by their helpers."""
    tests = {_dotted(path, root): path for path in (root / "tests").rglob("*.py")}
    needing = {
        _dotted(path, root) for module in modules for path in mirrored_by(module, root)
    }
    public = _public_names(root)
    needing |= {
        name
        for name, path in tests.items()
        if any(_within(public.get(one, one), modules) for one in _imports(path))
    }
    while True:
        more = {
            name
            for name, path in tests.items()
            if name not in needing
            and (needing.intersection(_imports(path)) or _conftest(name, needing))
        }
        if not more:
            break
        needing |= more
    return sorted(tests[name] for name in needing)


def _public_names(root: Path) -> dict[str, str]:
    """Return what defines each of the names that `boilersweep` takes from its modules."""
    tree = ast.parse((root / "src/boilersweep/__init__.py").read_text("utf-8"))
    return {
        f"boilersweep.{alias.name}": node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def _dotted(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts)


def _within(name: str, modules: frozenset[str]) -> bool:
    return any(f"{name}.".startswith(f"{module}.") for module in modules)


def _conftest(name: str, needing: set[str]) -> bool:
    """Return whether a conftest.py in a test's folder, or above it, is to go."""
    parts = name.split(".")[:-1]
    return any(
        ".".join([*parts[:end], "conftest"]) in needing
        for end in range(1, len(parts) + 1)
    )


def _imports(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports, and the names that it imports from them."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def statements_of(text: str) -> int:
    """Return the number of statements of a module, without docstrings."""
    nodes = [*ast.walk(ast.parse(text))]
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return sum(isinstance(node, ast.stmt) for node in nodes) - sum(
        ast.get_docstring(node) is not None
        for node in nodes
        if isinstance(node, documented)
    )


def size_of(root: Path) -> tuple[int, int]:
    """Return the numbers of statements and modules of the product in a copy."""
    folders = ("src", *_FOLDERS)
    modules = [path for name in folders for path in (root / name).rglob("*.py")]
    statements = sum(statements_of(path.read_text("utf-8")) for path in modules)
    return statements, len(modules)


def delete(names: Iterable[str], root: Path) -> None:
    """Delete applications in a copy, with their tests and what needs them."""
    known = applications()
    gone = deleted_with(names, known)
    modules = frozenset().union(*(known[name].modules for name in gone))
    tests = tests_of(modules, root)
    for path in [*tests, *(f for m in sorted(modules) for f in files_of(m, root))]:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    statements, rest = size_of(root)
    print(
        f"without {', '.join(gone)}: {len(modules)} modules and packages, "
        f"{len(tests)} files of tests deleted; {statements} statements in {rest} modules left",
        flush=True,
    )


def test_rest(root: Path, options: list[str]) -> int:
    """Run the tests of a copy; return pytest's status."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += [f"--ignore={one}" for one in WHOLE]
    places = os.pathsep.join([str(root / "build" / "package"), str(root)])
    environment = {**os.environ, "PYTHONPATH": places}
    return subprocess.run([*command, *options], cwd=root, env=environment).returncode


def main(arguments: list[str]) -> int:
    """Test the rest without some applications."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    names, options = arguments[:end], arguments[end + 1 :]
    known = list(applications())
    if unknown := set(names).difference(known, ["all"]):
        expected = ", ".join([*known, "all"])
        print(f"expected {expected}, got {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    if "all" in names:
        names = known
    today = known[datetime.date.today().toordinal() % len(known)]
    with tempfile.TemporaryDirectory(prefix="leaves-") as folder:
        root = Path(folder)
        copy_to(root)
        delete(names or [today], root)
        return test_rest(root, options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
