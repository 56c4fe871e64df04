"""Completion in shells: commands, options, choices and paths."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep.cli.app import COMMANDS
from tests.cli.conftest import Call

ASK = """
source "$0"
COMP_WORDS=(boilersweep "$@")
COMP_CWORD=$#
"$(complete -p boilersweep | sed 's/.* -F \\([^ ]*\\).*/\\1/')" boilersweep
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def completed(call: Call, tmp_path: Path) -> Callable[..., set[str]]:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    (tmp_path / "script").write_text(call("--print-completion", "bash").out)
    (tmp_path / "pages").mkdir()
    (tmp_path / "page.html").touch()

    def ask(*words: str) -> set[str]:
        asked = [bash, "-c", ASK, "./script", *words]
        done = subprocess.run(
            asked, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        return set(done.stdout.split())

    return ask


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script(call: Call, shell: str) -> None:
    outcome = call("--print-completion", shell)
    assert (outcome.status, outcome.err) == (0, "")
    assert "boilersweep" in outcome.out
    assert "storeContents" in outcome.out


def test_bash_completes_commands_options_and_choices(
    completed: Callable[..., set[str]],
) -> None:
    assert completed("se") == {name for name in COMMANDS if name.startswith("se")}
    stored = {"--store", "--storeContents", "--storeRaw", "--storeDocvectors"}
    assert completed("index", "--store") == stored
    assert completed("sweep", "--engine", "") == {"indexes", "exact"}
    assert completed("index", "--language", "e") == {"el", "en", "es", "et", "eu"}


def test_bash_completes_paths_and_folders(completed: Callable[..., set[str]]) -> None:
    assert completed("segment", "--input", "pa") == {"pages", "page.html"}
    assert completed("index", "--store", "pa") == {"pages", "page.html"}
