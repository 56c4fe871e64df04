"""A cleaner and an extractor of one's own, as CONTRIBUTING.md shows them."""

import re
import shlex
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import pytest

from boilersweep.cli.lists import print_cleaners
from boilersweep.cli.main import main
from tests.cleaners.conftest import Kept
from tests.conftest import Install

# 1, 5, 3 and 2 words
PAGE = "<p>a</p><p>a b c d e</p><p>a b c</p><div>no paragraph</div>"


def pieces(section: str, language: str) -> list[str]:
    """Return the pieces of a language in a section."""
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")
    (body,) = re.findall(rf"^## {section}$(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    fenced = rf"^( *)```{language}\n(.*?)^ *```$"
    return [
        textwrap.dedent(found[1]) for found in re.findall(fenced, body, re.M | re.S)
    ]


def install_example(install: Install, section: str, group: str) -> None:
    """Install what the first piece of Python and the piece of TOML make together."""
    (declared,) = pieces(section, "toml")
    points = tomllib.loads(declared)["project"]["entry-points"][group]
    (module,) = {place.partition(":")[0] for place in points.values()}
    install(module, pieces(section, "python")[0], group, points)


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a page into the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text(PAGE)


@pytest.mark.usefixtures("page")
@pytest.mark.application("cleaning")
def test_a_cleaner_by_entry_point(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install_example(install, "Add a cleaner", "boilersweep.cleaners")
    (commands,) = pieces("Add a cleaner", "sh")
    _, *command = shlex.split(commands.splitlines()[-1])
    assert main(command) == 0
    assert capsys.readouterr().out == "a b c d e\na b c\n"
    print_cleaners()
    assert "blocks of at least the mean words of their page" in capsys.readouterr().out


def test_the_test_of_the_cleaner(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    code, test = pieces("Add a cleaner", "python")
    module = type(sys)("boilersweep.cleaners.published.above_average")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(code, module.__dict__)  # noqa: S102
    found: dict[str, Any] = {}
    exec(test, found)  # noqa: S102
    found["test_blocks_below_the_mean_go"](kept)


@pytest.mark.usefixtures("page")
@pytest.mark.application("cleaning")
def test_an_extractor_by_entry_point(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install_example(install, "Add an extractor", "boilersweep.extractors")
    assert main(["clean", "page.html", "--keep", "paragraphs"]) == 0
    assert capsys.readouterr().out == "a\na b c d e\na b c\n"
