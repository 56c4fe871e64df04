"""Every module can be imported, and none starts a JVM: each imports what it needs itself.

No module needs another to have been imported before it, as there are no import cycles
(`lint-imports`, in scripts/check.sh).
"""

import json
from importlib.util import find_spec

import pytest

from tests.running import python

IMPORT_ALL = """
import importlib, json, pkgutil, sys

left_out = sys.argv[1:]
names = set()
for top in ("boilersweep", "boilersweep.indexer", "boilersweep.eval", "boilersweep.topics"):
    path = importlib.import_module(top).__path__
    names |= {top, *(module.name for module in pkgutil.walk_packages(path, top + "."))}
for name in sorted(names - {*left_out}, reverse=True):  # a package's modules before itself
    importlib.import_module(name)
print(json.dumps([sorted(names), "jnius" in sys.modules]))
"""


@pytest.mark.application("learned")
@pytest.mark.slow
def test_every_module_can_be_imported() -> None:
    libraries = ("datatrove", "pyterrier")  # their steps are for those who have them
    left_out = [
        f"boilersweep.cleaning.{name}" for name in libraries if not find_spec(name)
    ]
    names, starts_java = json.loads(python("-c", IMPORT_ALL, *left_out).stdout)
    assert len(names) > 200
    assert {"boilersweep.eval.judge.leaks", "boilersweep.indexer.jvm"} < set(names)
    assert not starts_java
