"""The modules that the package's extras install, and the command for missing ones."""

from importlib.util import find_spec

from boilersweep.errors import UsageError

PYSERINI = "pyserini>=1.6,<2.5"

# Installs PYSERINI without the 6 GB of packages that it declares.
INSTALL_PYSERINI = "boilersweep doctor --install"

# Installs what indexing, searching and studies need.
INSTALL_LUCENE = f"pip install 'boilersweep[lucene]' && {INSTALL_PYSERINI}"

# Top-level module -> its extra; modules with a message of their own are left out.
BROUGHT_BY = {
    "rensa": "dedup",
    "jieba": "boards",
    "scipy": "judge",
    "matplotlib": "judge",
    "jnius": "lucene",
    "pandas": "lucene",
    "ir_measures": "lucene",
    "pytrec_eval": "lucene",
    "bokeh": "lucene",
    "jinja2": "lucene",
    "pyserini": "lucene",
    "distributed": "dask",
    "ray": "ray",
    "starlette": "serve",
    "uvicorn": "serve",
    "krippendorff": "serve",
    "sklearn": "serve",
}

# What experiments need.
OF_LUCENE = [name for name, extra in BROUGHT_BY.items() if extra == "lucene"]


def command_for(module: str | None) -> str | None:
    """Return the command that installs a missing module, None if no extra has it."""
    extra = BROUGHT_BY.get((module or "").partition(".")[0])
    if extra is None:
        return None
    if extra == "lucene":
        return (
            INSTALL_PYSERINI if missing_for_lucene() == ["pyserini"] else INSTALL_LUCENE
        )
    return f"pip install 'boilersweep[{extra}]'"


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
