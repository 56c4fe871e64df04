"""Check a block store: `boilersweep check`."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from boilersweep.outputs.parts import Manifest, NotChecked
from boilersweep.store.manifest import STORE, StoreManifest
from boilersweep.store.store import open_store

INPUT = NotChecked("its input; name that with --input")


def _verify(
    folder: Path, manifest: Manifest[StoreManifest], _: object
) -> Iterator[str]:
    open_store(folder)
    yield from STORE.verify(folder, manifest, None)
    yield INPUT


# A store with all that is checked of it.
CHECKED = replace(STORE, verify=_verify, store_of=open_store)
