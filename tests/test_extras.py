"""The commands that messages advise: they work wherever this copy of boilersweep came from."""

import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from unittest import mock

import pytest

from boilersweep import extras
from boilersweep.extras import INSTALL_LUCENE, command_for, install_command, packages_of

EXTRAS = (
    "words",
    "languages",
    "judge",
    "extractors",
    "dedup",
    "remote",
    "irds",
    "train",
)


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> str:
    """Put the pip of this environment on the path."""
    path = str(Path(sys.executable).with_name("pip"))
    monkeypatch.setattr(shutil, "which", lambda name: path if name == "pip" else None)
    return path


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_command_names_packages_and_not_the_index_name(pip: str, extra: str) -> None:
    command = install_command(extra)
    assert command.startswith("pip install ")
    assert "boilersweep" not in command
    assert len(packages_of(extra)) >= 1


def test_extras_within_extras() -> None:
    assert set(packages_of("judge")) < set(packages_of("lucene"))
    assert set(packages_of("lucene")) < set(packages_of("serve"))
    assert not [one for one in packages_of("serve") if "boilersweep" in one]


def test_no_extra_depends_on_the_machine() -> None:
    for line in distribution("boilersweep").requires or []:
        _, _, marker = line.partition(";")
        if "extra" in marker:
            assert marker.split()[0:2] == ["extra", "=="]
            assert len(marker.split()) == 3


@pytest.mark.parametrize("module", ["jnius", "pyserini", "jinja2", "pandas.core"])
def test_all_of_lucene_is_one_command(module: str) -> None:
    assert command_for(module) == INSTALL_LUCENE == "boilersweep doctor --install"


def test_a_module_of_no_extra() -> None:
    assert command_for("lxml") is command_for(None) is None


def test_an_environment_that_is_not_active(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/pip")
    assert install_command("words").startswith(f"{sys.executable} -m pip install ")
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda name: "uv" if name == "uv" else None)
    expected = f"uv pip install --python {sys.executable} "
    assert install_command("words").startswith(expected)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert install_command("words").startswith("pip install ")


def test_source_without_an_installation(pip: str) -> None:
    with mock.patch.object(extras, "distribution", side_effect=PackageNotFoundError):
        assert install_command("words") == "pip install 'boilersweep[words]'"
