"""What pyproject.toml cannot say: the packages in the folders it maps, and the compiled modules."""

import tomllib
from pathlib import Path

from setuptools import Extension, find_packages, setup

SOURCE = Path("src")


def packages() -> list[str]:
    """Every folder with an __init__.py, by its name as a package."""
    tables = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))
    folders = tables["tool"]["setuptools"]["package-dir"]
    return [
        name
        for top, folder in folders.items()
        for name in (top, *(f"{top}.{below}" for below in find_packages(folder)))
    ]


def extensions() -> list[Extension]:
    """Every .pyx; where there is no C compiler, the modules in pure Python do the work."""
    return [
        Extension(
            ".".join(path.relative_to(SOURCE).with_suffix("").parts),
            [path.as_posix()],
            optional=True,
        )
        for path in sorted(SOURCE.rglob("*.pyx"))
    ]


setup(packages=packages(), ext_modules=extensions())
