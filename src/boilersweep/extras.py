"""The modules that the package's extras install, and the command for missing ones.

The command names an extra's packages, not `boilersweep[EXTRA]`: so it works wherever this copy came
from, an index, a checkout, an archive or a repository, and does not build boilersweep again.
"""

import re
import shlex
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from boilersweep.errors import UsageError

PYSERINI = "pyserini>=1.6,<2.5"

# Installs what indexing, searching and studies need, PYSERINI without the 6 GB that it declares.
INSTALL_LUCENE = "boilersweep doctor --install"

# Top-level module -> its extra; modules with a message of their own are left out.
BROUGHT_BY = {
    "rensa": "dedup",
    "jieba": "boards",
    "scipy": "judge",
    "rapidfuzz": "judge",
    "vl_convert": "judge",
    "jnius": "lucene",
    "pandas": "lucene",
    "ir_measures": "lucene",
    "pytrec_eval": "lucene",
    "jinja2": "lucene",
    "pyserini": "lucene",
    "distributed": "dask",
    "ray": "ray",
    "starlette": "serve",
    "uvicorn": "serve",
    "krippendorff": "serve",
}

# What experiments need: they draw, too.
OF_LUCENE = [name for name, extra in BROUGHT_BY.items() if extra == "lucene"]
OF_LUCENE.append("vl_convert")


def command_for(module: str | None) -> str | None:
    """Return the command that installs a missing module, None if no extra has it."""
    extra = BROUGHT_BY.get((module or "").partition(".")[0])
    if extra is None:
        return None
    return INSTALL_LUCENE if extra == "lucene" else install_command(extra)


def install_command(extra: str) -> str:
    """Return the command that installs an extra's packages into this environment."""
    pip = shutil.which("pip")
    # Scripts of an environment that is not active are not on the path
    here = pip and Path(pip).parent == Path(sys.executable).parent
    program = ["pip", "install"] if here else installer()
    return shlex.join([*(program or ["pip", "install"]), *packages_of(extra)])


def packages_of(extra: str) -> list[str]:
    """Return an extra's packages, as the metadata of this copy of boilersweep list them."""
    try:
        listed = distribution("boilersweep").requires or []
    except PackageNotFoundError:  # it runs from its source
        return [f"boilersweep[{extra}]"]
    packages = []
    for line in listed:
        package, _, marker = map(str.strip, line.partition(";"))
        if re.search(rf"""extra == ["']{extra}["']""", marker):
            nested = re.fullmatch(r"boilersweep\[(\w+)\]", package)
            packages += packages_of(nested[1]) if nested else [package]
    return packages


def installer() -> list[str] | None:
    """Return the command by which packages get into this environment; None if there is none."""
    with_pip = [sys.executable, "-m", "pip", "install"] if find_spec("pip") else None
    uv = shutil.which("uv")
    with_uv = [uv, "pip", "install", "--python", sys.executable] if uv else None
    try:
        by = distribution("boilersweep").read_text("INSTALLER") or ""
    except PackageNotFoundError:
        by = ""
    return (with_uv or with_pip) if by.strip() == "uv" else (with_pip or with_uv)


def require(*modules: str) -> None:
    """Raise UsageError if a module is not installed, before long work that needs it at its end."""
    for module in modules:
        if find_spec(module) is None:
            raise UsageError(
                f"this needs {module}, which is not installed; run: {command_for(module)}"
            )


def missing_for_lucene() -> list[str]:
    """Return the missing modules that `INSTALL_LUCENE` would install."""
    return [name for name in OF_LUCENE if find_spec(name) is None]
