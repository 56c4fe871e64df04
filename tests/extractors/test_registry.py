"""Extractors by name, by entry point and by place."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from boilersweep import UsageError, parse_cleaner
from boilersweep.extractors import BuiltIn
from boilersweep.extractors.cetr import cetr
from boilersweep.extractors.registry import (
    BUILT_IN,
    PLUGINS,
    Extractor,
    extractor_identity,
    extractor_names,
    find_extractor,
)
from boilersweep.pages.language import detector
from tests.conftest import Install

LIBRARIES = sorted(
    {one.distribution.partition("-")[0] for one in BUILT_IN.values()} - {""}
)

PLUGIN = """
def shout(html):
    return html.upper()

class Tools:
    quiet = str.lower

number = 3
"""


@pytest.fixture
def _plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "plugin_of_mine.py").write_text(PLUGIN)
    (tmp_path / "broken_plugin.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("plugin_of_mine", None)


@pytest.mark.application("extractors")
def test_built_in() -> None:
    assert find_extractor("cetr") == Extractor("cetr", cetr)
    assert str(find_extractor("cetr-km")) == "cetr-km"
    assert extractor_names()[: len(BUILT_IN)] == [*BUILT_IN]
    assert {"cetr-tm", "ccb", "trafilatura-fast", "resiliparse"} < BUILT_IN.keys()


@pytest.mark.parametrize("extractor", BUILT_IN.values(), ids=BUILT_IN)
def test_an_identity_names_all_that_shapes_the_text(extractor: BuiltIn) -> None:
    identity = extractor_identity(extractor.name)
    assert identity.startswith(extractor.distribution or "boilersweep ")
    assert identity.endswith(detector()) == (extractor.name == "justext")
    assert extractor.depends_on is None or identity.endswith(extractor.depends_on())


@pytest.mark.usefixtures("_plugin")
@pytest.mark.parametrize(("place", "text"), [("shout", "ABC"), ("Tools.quiet", "abc")])
def test_by_place(place: str, text: str) -> None:
    found = find_extractor(f"plugin_of_mine:{place}")
    assert (found.name, found.extract("aBc")) == (f"plugin_of_mine:{place}", text)


def test_by_entry_point(install: Install) -> None:
    points = {"mine": "loud:shout", "cetr": "loud:shout"}
    module = install("loud", PLUGIN, PLUGINS.name, points, version="2.1")
    assert find_extractor("mine").extract("abc") == "ABC"
    assert find_extractor("cetr").extract is cetr
    assert extractor_names()[-1] == "mine"
    assert extractor_names().count("cetr") == 1
    before = extractor_identity("mine")
    assert before.startswith("loud 2.1, loud:shout ")
    module.write_text(PLUGIN + "# another\n")
    assert extractor_identity("mine") != before


@pytest.mark.usefixtures("_plugin")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "nothing",
            r"no extractor is named 'nothing'; there are cetr, .* module:function",
        ),
        (":x", "no extractor is named"),
        pytest.param(
            "resiliparze",
            r"named 'resiliparze' \(did you mean resiliparse\?\); there",
            marks=pytest.mark.application("extractors"),
        ),
        ("x:", "no extractor is named"),
        ("no_such_module:x", "cannot be imported .*no_such_module.*PYTHONPATH"),
        ("plugin_of_mine:nothing", "cannot be imported .*nothing"),
        ("plugin_of_mine:number", "expected a function from HTML to text, got int"),
        ("broken_plugin:x", "ZeroDivisionError"),
    ],
)
def test_errors(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_extractor(name)


def test_two_entry_points_of_one_name(install: Install) -> None:
    install("one", PLUGIN, PLUGINS.name, {"mine": "one:shout"})
    install("two", PLUGIN, PLUGINS.name, {"mine": "two:shout"})
    with pytest.raises(
        UsageError, match=r"one 1.0, one:shout, two 1.0, two:shout.*module:func"
    ):
        find_extractor("mine")


def test_another_version_is_noticed_by_a_process_that_knew_the_one_before(
    install: Install,
) -> None:
    module = install("one", PLUGIN, PLUGINS.name, {"mine": "one:shout"})
    before = extractor_identity("mine")
    old = module.with_name("one-1.0.dist-info")
    new = old.rename(module.with_name("one-2.0.dist-info"))
    (new / "METADATA").write_text("Metadata-Version: 2.1\nName: one\nVersion: 2.0\n")
    assert "one 1.0" in before
    assert "one 2.0" in extractor_identity("mine")


def test_importing_the_module_imports_no_library() -> None:
    code = (
        "import sys; from boilersweep.extractors import registry; registry.extractor_names(); "
        "registry.find_extractor('cetr'); "
        f"assert not set({LIBRARIES}) & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("cetr( 4 )", "cetr(4, 3)"),
        ("cetr(4,1)", "cetr(4, 1)"),
        ("cetr(3,3)", "cetr"),
        ("cetr-tm(3)", "cetr-tm"),
    ],
)
def test_numbers_behind_a_name(name: str, canonical: str) -> None:
    found = find_extractor(name)
    assert (found.name, str(parse_cleaner(name))) == (canonical, canonical)
    assert find_extractor(canonical).name == canonical
    assert extractor_identity(canonical) == extractor_identity("cetr")


@pytest.mark.parametrize(
    "name", ["cetr(1)", "cetr(3, 0)", "cetr(2, 3, 4)", "cetr(2.5)"]
)
def test_numbers_that_an_extractor_does_not_take(name: str) -> None:
    expected = "whole numbers: k from 2 to 100, radius from 1 to 100"
    for find in (find_extractor, parse_cleaner):
        with pytest.raises(UsageError, match=expected):
            find(name)


def test_other_numbers_are_another_extractor() -> None:
    page = (
        "<p>menu</p>\n" * 9 + "A sentence of the article.\n" * 4 + "<p>a menu</p>\n" * 9
    )
    assert find_extractor("cetr(2, 1)").text(page) != find_extractor("cetr").text(page)
