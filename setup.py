"""What pyproject.toml cannot say: the packages in the folders it maps, and the compiled modules."""

import platform
import sys
import tomllib
from pathlib import Path

from setuptools import Extension, find_packages, setup

FOLDERS = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["setuptools"][
    "package-dir"
]
"""Package -> its folder."""

UNFUSED = sys.platform != "win32" and platform.machine() != "x86_64"
"""Whether compilers may fuse products and sums, whose bits would then differ from NumPy's."""


def packages() -> list[str]:
    """Every folder with an __init__.py, by its name as a package."""
    return [
        name
        for top, folder in FOLDERS.items()
        for name in (top, *(f"{top}.{below}" for below in find_packages(folder)))
    ]


def extensions() -> list[Extension]:
    """Every .pyx; where there is no C compiler, the modules in pure Python do the work."""
    return [
        Extension(
            ".".join([top, *path.relative_to(folder).with_suffix("").parts]),
            [path.as_posix()],
            optional=True,
            extra_compile_args=["-ffp-contract=off"] if UNFUSED else [],
        )
        for top, folder in FOLDERS.items()
        for path in sorted(Path(folder).rglob("*.pyx"))
    ]


setup(packages=packages(), ext_modules=extensions())
