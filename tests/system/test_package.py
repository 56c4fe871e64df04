"""The package: what is in the checkout is installed, and what it needs is pinned."""

import hashlib
import importlib.util
import re
import shutil
import subprocess
import tomllib
import zipfile
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
MAX_BYTES = 2**20
# Manuals with their pictures, and what a compiler has left in the checkout.
NOT_INSTALLED = ("*.md", "*.png", "*.svg", "*.c", "*.so", "*.pyc")


@pytest.fixture(scope="module")
def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_every_folder_with_modules_is_a_package_imported_from_the_checkout(
    pyproject: dict[str, Any],
) -> None:
    """setup.py finds packages by their __init__.py; test_slow_build.py sees what it found."""
    folders = pyproject["tool"]["setuptools"]["package-dir"]
    for top, folder in folders.items():
        for path in {module.parent for module in (ROOT / folder).rglob("*.py")}:
            assert (path / "__init__.py").is_file()
            name = ".".join((top, *path.relative_to(ROOT / folder).parts))
            spec = importlib.util.find_spec(name)
            assert spec is not None, name
            assert spec.origin is not None, name
            assert Path(spec.origin).samefile(path / "__init__.py")


def test_every_file_of_the_package_is_of_a_kind_that_is_installed(
    pyproject: dict[str, Any],
) -> None:
    setuptools = pyproject["tool"]["setuptools"]
    kinds = [*setuptools["package-data"]["*"], "*.py", *NOT_INSTALLED]
    for folder in setuptools["package-dir"].values():
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
        assert files
        assert [path for path in files if not any(map(path.match, kinds))] == []


def test_the_java_classes_are_those_of_their_sources() -> None:
    """Users have no JDK: whoever changes a source commits the jar, too (setup.py builds it)."""
    folder = ROOT / "indexer" / "compiled"
    sources = sorted((folder / "segments").glob("*.java"))
    text = b"".join(path.name.encode() + path.read_bytes() for path in sources)
    with zipfile.ZipFile(folder / "segments.jar") as jar:
        assert jar.comment.decode() == hashlib.sha256(text).hexdigest()
        classes = {name.partition("$")[0] for name in jar.namelist()}
    found = {Path(name).name.removesuffix(".class") for name in classes}
    assert found == {path.stem for path in sources}


def test_the_package_is_typed() -> None:
    assert (ROOT / "src" / "boilersweep" / "py.typed").is_file()


def test_versions_agree() -> None:
    from boilersweep import __version__

    assert version("boilersweep") == __version__
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\n## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_command_is_there(pyproject: dict[str, Any]) -> None:
    from importlib.metadata import entry_points

    (entry,) = entry_points(group="console_scripts", name="boilersweep")
    assert entry.value == pyproject["project"]["scripts"]["boilersweep"]
    assert callable(entry.load())


def pins(file: str) -> dict[str, str]:
    """Return what a file of pins has: names, versions, markers of machines, and hashes of each."""
    found: dict[str, str] = {}
    text = (ROOT / file).read_text("utf-8").replace("\\\n", "")
    for line in text.splitlines():
        match = re.fullmatch(
            r"([\w.-]+)==([\w.+!]+)( ; [^@:]+?)?( +--hash=sha256:[0-9a-f]{64})+",
            line.rstrip(),
        )
        assert match, line
        found[canonicalize_name(match[1])] = match[2]
    return found


def test_what_is_needed_to_run_and_test_is_pinned(pyproject: dict[str, Any]) -> None:
    project = pyproject["project"]
    extras = project["optional-dependencies"]
    of_users = ("judge", "lucene", "pyserini", "words", "languages")
    users = [
        *project["dependencies"],
        *chain.from_iterable(extras[name] for name in of_users),
    ]
    developers = [
        *users,
        *pyproject["dependency-groups"]["dev"],
        *chain(*extras.values()),
    ]
    for file, wanted in {
        "requirements.txt": users,
        "requirements-dev.txt": developers,
    }.items():
        names = {
            canonicalize_name(Requirement(dependency).name) for dependency in wanted
        }
        assert names - {"boilersweep"} <= set(pins(file))
    assert pins("requirements.txt").items() <= pins("requirements-dev.txt").items()


def test_what_builds_the_package_is_pinned_as_it_asks(
    pyproject: dict[str, Any],
) -> None:
    pinned = pins("requirements-build.txt")
    requirements = [Requirement(text) for text in pyproject["build-system"]["requires"]]
    assert set(pinned) == {
        canonicalize_name(requirement.name) for requirement in requirements
    }
    assert all(
        pinned[canonicalize_name(one.name)] in one.specifier for one in requirements
    )


def test_no_committed_file_is_large() -> None:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    listed = subprocess.run(
        [git, "-c", f"safe.directory={ROOT}", "ls-files", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    files = [ROOT / name for name in listed if name and (ROOT / name).is_file()]
    assert len(files) > 50
    assert [file.name for file in files if file.stat().st_size > MAX_BYTES] == []
