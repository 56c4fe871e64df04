"""The pages of the site (mkdocs.yml) that are generated: commands and the Python API.

mkdocs calls the functions whose names begin with `on_`.
"""

import contextlib
import importlib
import io
import os
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

from boilersweep.cli.app import GROUPS
from boilersweep.cli.main import main

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "boilersweep",
    "boilersweep.indexer",
    "boilersweep.topics",
    "boilersweep.eval",
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {"reference/commands.md": commands(), "reference/python.md": python_names()}
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    files.append(
        File.generated(
            config,
            "CITATION.cff",
            abs_src_path=str(ROOT / "CITATION.cff"),
            inclusion=InclusionLevel.INCLUDED,
        )
    )
    return files


def commands() -> str:
    """Return the help text of every command."""
    os.environ["COLUMNS"] = "80"
    parts = ["# Commands", "What `boilersweep COMMAND --help` prints."]
    for title, names in GROUPS.items():
        parts.append(f"## {title.capitalize()}")
        for name in names.split():
            text = io.StringIO()
            with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
                main([name, "--help"])
            parts.append(f"### {name}\n\n```text\n{text.getvalue()}```")
    return "\n\n".join(parts)


def python_names() -> str:
    """Return a page of the public names, whose docstrings mkdocstrings inserts."""
    parts = ["# Python"]
    for package in PACKAGES:
        names = importlib.import_module(package).__all__
        parts.append(f"## {package}")
        parts += [f"::: {package}.{name}" for name in names if not name.startswith("_")]
    return "\n\n".join(parts)
