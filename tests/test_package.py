"""The package: what is in the checkout is in the wheel, and what it needs is pinned."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
MAX_BYTES = 2**20


@pytest.fixture(scope="module")
def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def folder_of(package: str, mapping: dict[str, str]) -> Path:
    """Where setuptools looks for a package: the longest mapped name that begins its own."""
    names = package.split(".")
    for length in range(len(names), 0, -1):
        if mapped := mapping.get(".".join(names[:length])):
            return ROOT / mapped / Path(*names[length:])
    return ROOT.joinpath(*names)


def test_every_folder_with_modules_is_a_listed_package(pyproject: dict[str, Any]) -> None:
    setuptools = pyproject["tool"]["setuptools"]
    listed = {folder_of(name, setuptools["package-dir"]) for name in setuptools["packages"]}
    tops = [ROOT / folder for folder in setuptools["package-dir"].values()]
    found = {module.parent for top in tops for module in top.rglob("*.py")}
    assert {str(path) for path in listed} == {str(path) for path in found}
    assert len(listed) == len(setuptools["packages"])
    assert all((path / "__init__.py").is_file() for path in listed)


def test_every_package_is_imported_from_the_checkout(pyproject: dict[str, Any]) -> None:
    import importlib.util

    setuptools = pyproject["tool"]["setuptools"]
    for name in setuptools["packages"]:
        spec = importlib.util.find_spec(name)
        assert spec is not None, name
        assert spec.origin is not None
        expected = folder_of(name, setuptools["package-dir"]) / "__init__.py"
        assert Path(spec.origin).samefile(expected)


def test_the_package_is_typed(pyproject: dict[str, Any]) -> None:
    assert (ROOT / "src" / "boilersweep" / "py.typed").is_file()
    assert "py.typed" in pyproject["tool"]["setuptools"]["package-data"]["boilersweep"]


def test_versions_agree(pyproject: dict[str, Any]) -> None:
    from boilersweep import __version__

    assert pyproject["project"]["version"] == __version__


def test_the_command_is_there(pyproject: dict[str, Any]) -> None:
    from importlib.metadata import entry_points

    (entry,) = entry_points(group="console_scripts", name="boilersweep")
    assert entry.value == pyproject["project"]["scripts"]["boilersweep"]
    assert callable(entry.load())


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_requirements_pin_every_dependency_and_name_no_address(pyproject: dict[str, Any]) -> None:
    text = (ROOT / "requirements.txt").read_text("utf-8")
    assert "://" not in text
    assert " @ " not in text
    requirements = [line for line in text.splitlines() if line and line[0] not in " #-"]
    pins = {}
    for line in requirements:
        match = re.match(r"([\w.-]+)==([\w.+!]+)", line)
        assert match, f"not pinned: {line}"
        pins[normalised(match[1])] = match[2]
    project = pyproject["project"]
    wanted = [*project["dependencies"], *pyproject["dependency-groups"]["dev"]]
    for extra in ("cluster", "extractors", "train"):  # those that dev asks for
        wanted += project["optional-dependencies"][extra]
    names = {normalised(re.split(r"[<>=!~\[; ]", dependency)[0]) for dependency in wanted}
    assert names - {"boilersweep"} <= set(pins)


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
