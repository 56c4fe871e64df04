"""Slow: the package is built, installed and used, with and without a C compiler and sanitized.

Wheels are made from the source distribution, so that it must hold all they need.
"""

import importlib.metadata
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.running import run

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PINS = ROOT / "requirements-build.txt"
FOLDERS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))[
    "tool"
]["setuptools"]["package-dir"]

# Manuals with their pictures, and what a compiler has left in the checkout.
NOT_INSTALLED = (".md", ".png", ".svg", ".c", ".so", ".pyc")

# What is no part of a checkout, or of none that matters here. Compiled modules stay.
LEFT_BEHIND = (
    "__pycache__",
    ".*",
    "*.egg-info",
    "build",
    "dist",
    "out",
    "boilersweep-demo",
)

BUILD = (
    "import sys; from setuptools import build_meta; "
    "print(getattr(build_meta, sys.argv[1])('.'))"
)

# What `doctor` says.
SAID = {
    "compiled": (
        "the compiled segmenter cuts the pages",
        "compiled code computes `learned`",
    ),
    "pure": (
        "the segmenter in pure Python cuts the pages",
        "`learned` needs compiled code",
    ),
}

# What `clean` does with a page without naming a cleaner.
CLEANED = {
    "compiled": (
        0,
        "wholly new words of an article, which has more than a few of them",
    ),
    "pure": (1, "name a cleaner that needs none, such as `numwords-rules`"),
}

TEXTS = """
from pathlib import Path
from boilersweep.store.store import open_store
print([text for columns in open_store(Path("store")).columns() for text in columns.texts])
"""


def module_files() -> Iterator[tuple[str, Path]]:
    """Every file of the package in the checkout: its path in the package and where it lies."""
    for name, folder in FOLDERS.items():
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix not in NOT_INSTALLED:
                place = Path(*name.split("."), path.relative_to(ROOT / folder))
                yield place.as_posix(), path


def is_installed(name: str, version: str) -> bool:
    try:
        return importlib.metadata.version(name) == version
    except importlib.metadata.PackageNotFoundError:
        return False


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment with pip and nothing else."""
    folder = tmp_path_factory.mktemp("tools")
    try:
        venv.create(folder, symlinks=True, with_pip=True)
    except subprocess.CalledProcessError:
        pytest.skip("no pip can be installed here: Python's ensurepip is missing")
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def builder(tools: Path) -> Path:
    """Return an interpreter with the pinned build requirements: this one, where it has them."""
    pins = re.findall(r"(?m)^([\w-]+)==(\S+)", PINS.read_text("utf-8"))
    if all(is_installed(name, version) for name, version in pins):
        return Path(sys.executable)
    install: list[str | Path] = [
        tools,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--require-hashes",
        "--requirement",
        PINS,
    ]
    if run(*install, status=None).returncode:
        pytest.skip(
            "the build requirements are not here, and without network they do not come"
        )
    let_see_this_environment(tools.parents[2])
    return tools


def let_see_this_environment(folder: Path) -> None:
    """Let an environment find this one's packages behind its own.

    Not the checkout: a .pth file that is found so is not followed.
    """
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    (site / "outer.pth").write_text(sysconfig.get_path("purelib") + "\n")


def copy_checkout(folder: Path) -> None:
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_BEHIND))


@pytest.fixture(scope="module")
def source(builder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    copy_checkout(folder / "checkout")
    run(builder, "-c", BUILD, "build_sdist", cwd=folder / "checkout")
    (archive,) = (folder / "checkout").glob("*.tar.gz")
    run(builder, "-m", "tarfile", "-e", archive, folder)
    return folder / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module", params=["compiled", "pure"])
def wheel(
    request: pytest.FixtureRequest,
    builder: Path,
    source: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[str, Path]:
    """Which segmenter a wheel has, and the wheel, made of the source distribution."""
    if request.param == "compiled" and shutil.which("cc") is None:
        pytest.skip("there is no C compiler here")
    folder = tmp_path_factory.mktemp(request.param) / source.name
    shutil.copytree(source, folder)
    # Not optimised: that takes the compiler most of its time, and shows nothing here.
    compiler = "cc" if request.param == "compiled" else "false"
    environment = {"CC": compiler, "CFLAGS": "-O0"}
    run(builder, "-c", BUILD, "build_wheel", cwd=folder, env=environment)
    (built,) = folder.glob("*.whl")
    return request.param, built


@pytest.fixture(scope="module")
def installed(
    wheel: tuple[str, Path], tools: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    """Return the same segmenter, and the programs of an environment with the wheel."""
    segmenter, built = wheel
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, symlinks=True)
    pip = (
        tools,
        "-m",
        "pip",
        "--python",
        folder / "bin" / "python",
        "install",
        "--quiet",
    )
    run(*pip, "--no-deps", "--no-index", built)
    let_see_this_environment(folder)
    return segmenter, folder / "bin"


def test_the_source_distribution_has_what_the_package_needs(source: Path) -> None:
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file()
    }
    package = {path.relative_to(ROOT).as_posix() for _, path in module_files()}
    about = {
        "LICENSE",
        "MANIFEST.in",
        "PKG-INFO",
        "README.md",
        "pyproject.toml",
        "setup.py",
    }
    metadata = {name for name in found if name.startswith("boilersweep.egg-info/")}
    assert found - metadata == package | about | {"setup.cfg"}


def test_a_wheel_has_the_package(wheel: tuple[str, Path]) -> None:
    segmenter, built = wheel
    with zipfile.ZipFile(built) as file:
        found = {name for name in file.namelist() if ".dist-info/" not in name}
    package = {name for name, _ in module_files()}
    modules = {name for name in found if name.endswith(".so")}
    assert found - modules == package
    sources = {name for name in package if name.endswith(".pyx")}
    compiled = (
        {name.removesuffix(".pyx") for name in sources}
        if segmenter == "compiled"
        else set()
    )
    assert {name.partition(".")[0] for name in modules} == compiled


def test_an_installed_wheel_works(installed: tuple[str, Path], tmp_path: Path) -> None:
    segmenter, programs = installed
    where = "import boilersweep.topics; print(boilersweep.__file__, boilersweep.topics.__file__)"
    files = run(programs / "python", "-c", where, cwd=tmp_path).stdout.split()
    assert all(Path(file).is_relative_to(programs.parent) for file in files)
    assert (
        "Usage: boilersweep"
        in run(programs / "boilersweep", "--help", cwd=tmp_path).stdout
    )
    said = run(programs / "boilersweep", "doctor", cwd=tmp_path).stdout
    assert all(line in said for line in SAID[segmenter])
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "page.html").write_text(
        "<title>T</title><p>one two<p>three <a>four</a>"
    )
    segment = ("segment", "--input", "pages", "--output", "store", "--threads", 1)
    run(programs / "boilersweep", *segment, cwd=tmp_path)
    assert (
        run(programs / "python", "-c", TEXTS, cwd=tmp_path).stdout
        == "['one two', 'three four']\n"
    )


def test_without_a_compiler_clean_names_a_cleaner_that_works(
    installed: tuple[str, Path], tmp_path: Path
) -> None:
    segmenter, programs = installed
    page = f"<p>{'wholly new words of an article, which has more than a few of them. ' * 9}"
    (tmp_path / "page.html").write_text(page)
    clean = (programs / "boilersweep", "clean", "page.html")
    status, said = CLEANED[segmenter]
    default = run(*clean, cwd=tmp_path, status=status)
    assert said in default.stdout + default.stderr
    named = run(*clean, "--keep", "numwords-rules", cwd=tmp_path)
    assert "wholly new words" in named.stdout
