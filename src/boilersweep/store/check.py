"""Check a block store: `boilersweep check`."""

from pathlib import Path

from boilersweep.errors import StoreError
from boilersweep.outputs.folder import Checked, OutputCheck, check_of
from boilersweep.store.manifest import STORE
from boilersweep.store.store import open_store


def check_store(path: Path, *, has_input: bool = False) -> Checked:
    """Compare a block store with its manifest.

    Args:
        path: The folder of the store.
        has_input: Whether the caller compares the input; otherwise, the result says it was not.
    """
    try:
        open_store(path)
    except StoreError as error:
        return Checked(STORE.name, path, [str(error)])
    checked = Checked(STORE.name, path, list(STORE.check(path)))
    checked.unseen += [] if has_input else ["its input; name that with --input"]
    return checked


CHECK = OutputCheck(
    check=lambda path, request: [check_store(path, has_input=request.has_input)],
    manifest=STORE.name,
    recognises=check_of(STORE).recognises,
    store_of=open_store,
)
