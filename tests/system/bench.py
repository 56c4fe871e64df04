"""Worlds with finished work, and commands that run in them."""

import contextlib
import importlib
import io
import shutil
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from boilersweep.cli.main import main
from tests.system.works import STORE, Argv
from tests.system.world import PLUGIN_MODULES, write_world


@contextlib.contextmanager
def inside(world: Path) -> Iterator[None]:
    """Work in the world's folder, from which its plug-ins can be imported."""
    places = [str(world / "code"), str(world / "code" / "plug-ins.zip")]
    sys.path[:0] = places
    try:
        with contextlib.chdir(world):
            yield
    finally:
        for place in places:
            sys.path.remove(place)
        _forget_plugins()


def run_here(argvs: tuple[Argv, ...]) -> tuple[bool, str]:
    """Run commands in this process until one fails, each with the plug-ins freshly imported.

    Returns:
        Whether all succeeded, and the output of the last one that ran.
    """
    output = io.StringIO()
    for argv in argvs:
        _forget_plugins()
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                status = main(argv)
            except SystemExit as error:
                status = 0 if error.code in (None, 0) else 1
            except Exception:
                output.write(traceback.format_exc())
                status = 1
        if status:
            return False, output.getvalue()
    return True, output.getvalue()


def make_work(argvs: tuple[Argv, ...]) -> None:
    succeeded, output = run_here(argvs)
    assert succeeded, output


def _forget_plugins() -> None:
    for name in PLUGIN_MODULES:
        sys.modules.pop(name, None)
    importlib.invalidate_caches()


class Bench:
    """Worlds with finished work, each brought to the same place, so that all paths are equal."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.world = folder / "world"

    def restore(self, name: str, make: Callable[[], None]) -> Path:
        """Bring the world to the state that `make` leaves.

        Args:
            name: of the state, which is made once.
            make: runs in a world of inputs and their store.

        Returns:
            A folder with a copy of the state.
        """
        kept = self._folder / name.replace("/", "-")
        if not kept.exists():
            self._copy(self._inputs())
            with inside(self.world):
                make()
            shutil.copytree(self.world, kept, symlinks=True)
        self._copy(kept)
        return kept

    def _inputs(self) -> Path:
        inputs = self._folder / "inputs"
        if not inputs.exists():
            shutil.rmtree(self.world, ignore_errors=True)
            write_world(self.world)
            with inside(self.world):
                make_work((STORE,))
            shutil.copytree(self.world, inputs)
        return inputs

    def _copy(self, kept: Path) -> None:
        shutil.rmtree(self.world, ignore_errors=True)
        shutil.copytree(kept, self.world, symlinks=True)
