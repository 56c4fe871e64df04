"""Every module can be imported alone: none needs another to have been imported before it."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

ALONE = """
import importlib, json, os, sys, time

import lxml.etree, numpy, pandas, pyarrow.parquet, scipy.special, tqdm  # not ours: once is enough

names, found = sys.argv[1:], {}
for name in names:
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            importlib.import_module(name)
            said = "starts a JVM" if "jnius" in sys.modules else ""
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(write, said.encode()[:4000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        if said := pipe.read():
            found[name] = said.decode("utf-8", "replace")
    os.waitpid(child, 0)
print(json.dumps(found))
"""

MODULES = """
import importlib, json, pkgutil

names = set()
for top in ("boilersweep", "boilersweep.indexer", "boilersweep.eval", "boilersweep.topics"):
    path = importlib.import_module(top).__path__
    names |= {top, *(module.name for module in pkgutil.walk_packages(path, top + "."))}
print(json.dumps(sorted(names)))
"""


def run(script: str, *arguments: str) -> object:
    """What a script prints as JSON, in an interpreter of its own."""
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="an interpreter a module would take minutes")
def test_every_module_can_be_imported_alone() -> None:
    names = run(MODULES)
    assert isinstance(names, list)
    for library in ("datatrove", "pyterrier"):  # their steps are for those who have them
        if not find_spec(library):
            names.remove(f"boilersweep.cleaning.{library}")
    assert len(names) > 200
    assert {"boilersweep.eval.judge.sites", "boilersweep.indexer.jvm"} < set(names)
    assert run(ALONE, *names) == {}
