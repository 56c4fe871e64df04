"""Make the site of the manuals, which are beside the code.

Copies them to build/manuals, writes the pages that are generated (commands and the Python API), and
builds the site with zensical by mkdocs.yml, in build/site.
"""

import contextlib
import importlib
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

from boilersweep.cli.app import GROUPS
from boilersweep.cli.main import main

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "boilersweep",
    "boilersweep.indexer",
    "boilersweep.topics",
    "boilersweep.eval",
)
# Manuals, what they show, and what they link
COPIED = (
    "*.md",
    "*.png",
    "*.svg",
    "*.ipynb",
    "*.py",
    "*.sh",
    "*.cff",
    "*.csv",
    "eval/*.txt",
)
LEFT_OUT = ":!tests/*.py"


def write_manuals(folder: Path) -> None:
    """Write all pages below a folder, which is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    files = ["git", "ls-files", "-z", *COPIED, LEFT_OUT]
    listed = subprocess.run(
        files,
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    for name in listed.stdout.split("\0")[:-1]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    (folder / "reference").mkdir()
    (folder / "reference" / "commands.md").write_text(commands(), "utf-8")
    (folder / "reference" / "python.md").write_text(python_names(), "utf-8")


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


if __name__ == "__main__":
    write_manuals(ROOT / "build" / "manuals")
    build = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    sys.exit(subprocess.call(build, cwd=ROOT))
