"""A training's finished parts, kept beside its output until that is complete.

OUTPUT.parts/features-DIGEST.npz  the rows of one dataset
OUTPUT.parts/fit-DIGEST.npz       one fitted model
The digest is that of all they depend on, so that nothing else is ever taken for them; each file is
written whole or not at all. A training that is killed goes on from there and loses one fit at most.
"""

import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.cleaners.learned.features import Rows
from boilersweep.cleaners.learned.model import Model, ModelError, load_model, save_model
from boilersweep.eval.training.labelled import Labelled
from boilersweep.outputs.atomic import make_folder, output_errors, remove_leftovers, whole_file
from boilersweep.outputs.identity import digest_of
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.regular_files import open_regular

_NAMED = 24  # letters of a digest in a name
_DAMAGE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)


class Kept:
    """The parts in a folder; `parts_of` opens it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def labelled(self, identity: Mapping[str, Any], make: Callable[[], Labelled]) -> Labelled:
        """Return the kept rows of a dataset, or compute and keep them.

        Raises:
            OutputError: a file cannot be written.
        """
        path = self._path("features", identity)
        with suppress(*_DAMAGE):
            return _read(path)
        made = make()
        with whole_file(path) as temporary:
            _write(made, temporary)
        return made

    def model(self, identity: Mapping[str, Any], make: Callable[[], Model]) -> Model:
        """Return the kept model, or fit and keep it.

        Raises:
            OutputError: a file cannot be written.
        """
        path = self._path("fit", identity)
        if path.is_file():
            with suppress(ModelError):
                return replace(load_model(path), digest="")
        made = make()
        with whole_file(path) as temporary:
            save_model(made, temporary)
        return made

    def _path(self, kind: str, identity: Mapping[str, Any]) -> Path:
        return self._folder / f"{kind}-{digest_of(identity)[:_NAMED]}.npz"


@contextmanager
def parts_of(output: Path) -> Iterator[Kept]:
    """Provide the parts kept for an output file, and remove them if the block succeeds.

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
            for path in (*folder.glob("features-*.npz"), *folder.glob("fit-*.npz")):
                path.unlink()
        with suppress(OSError):  # something that is not ours is in it
            folder.rmdir()


def _write(labelled: Labelled, path: Path) -> None:
    texts = [text.encode("utf-8", "surrogatepass") for text in labelled.texts]
    with path.open("wb") as file:
        np.savez(
            file,
            texts=np.frombuffer(b"".join(texts), dtype=np.uint8),
            lengths=np.array([len(text) for text in texts], dtype=np.int64),
            viewed=labelled.viewed,
            labels=labelled.labels,
            known=labelled.known,
            headline=labelled.headline,
            **{f"rows.{one.name}": getattr(labelled.rows, one.name) for one in fields(Rows)},
        )


def _read(path: Path) -> Labelled:
    """Read the rows; a missing or damaged file raises one of _DAMAGE."""
    with open_regular(path) as file, np.load(file, allow_pickle=False) as arrays:
        body = arrays["texts"].tobytes()
        ends = np.concatenate([[0], np.cumsum(arrays["lengths"])]).tolist()
        return Labelled(
            rows=Rows(**{one.name: arrays[f"rows.{one.name}"] for one in fields(Rows)}),
            viewed=arrays["viewed"],
            labels=arrays["labels"],
            known=arrays["known"],
            headline=arrays["headline"],
            texts=[body[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(ends)],
        )
