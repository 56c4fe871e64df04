"""A training's fitted models, kept beside its output until that is complete.

OUTPUT.parts/fit-DIGEST.npz  one fitted model
The digest is that of all it depends on, so that nothing else is ever taken for it; each file is
written whole or not at all. A training that is killed goes on from there and loses one fit at most.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from boilersweep.cleaners.learned.model import Model, ModelError, load_model, save_model
from boilersweep.outputs.atomic import make_folder, output_errors, remove_leftovers, whole_file
from boilersweep.outputs.identity import digest_of
from boilersweep.outputs.locks import only_writer

_NAMED = 24  # letters of a digest in a name


class Kept:
    """The models in a folder; `parts_of` opens it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def model(self, identity: Mapping[str, Any], make: Callable[[], Model]) -> Model:
        """Return the kept model, or fit and keep it.

        Raises:
            OutputError: a file cannot be written.
        """
        path = self._folder / f"fit-{digest_of(identity)[:_NAMED]}.npz"
        if path.is_file():
            with suppress(ModelError):
                return replace(load_model(path), digest="")
        made = make()
        with whole_file(path) as temporary:
            save_model(made, temporary)
        return made


@contextmanager
def parts_of(output: Path) -> Iterator[Kept]:
    """Provide the models kept for an output file, and remove them if the block succeeds.

    Raises:
        OutputError: it cannot be written.
        BusyError: another process trains the same file.
    """
    folder = output.with_name(f"{output.name}.parts")
    with only_writer(output.parent, f".{output.name}.lock"):
        make_folder(folder)
        remove_leftovers(folder)
        yield Kept(folder)
        with output_errors(folder):
            for path in folder.glob("fit-*.npz"):
                path.unlink()
        with suppress(OSError):  # something that is not ours is in it
            folder.rmdir()
