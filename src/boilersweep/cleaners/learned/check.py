"""Check a file of a trained model."""

from collections.abc import Iterator
from pathlib import Path

from boilersweep.cleaners.learned.model import load_model
from boilersweep.errors import BoilersweepError
from boilersweep.outputs.folder import Checked, CheckRequest, OutputCheck


def _check(path: Path, _: CheckRequest) -> Iterator[Checked]:
    checked = Checked("model", path)
    try:
        load_model(path)
    except BoilersweepError as error:
        checked.faults.append(str(error))
    yield checked


CHECK = OutputCheck(
    check=_check, recognises=lambda path: path.suffix == ".npz" and not path.is_dir()
)
