"""The site of the manuals: no dead link, and its search finds commands, names and manuals."""

import importlib
import json
import re
from pathlib import Path

import pytest

from boilersweep.cli.app import COMMANDS

pytest.importorskip("zensical")
pytest.importorskip("mkdocstrings")
from manuals_site import PACKAGES

from tests.running import python

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site() -> Path:
    python("scripts/manuals_site.py", cwd=ROOT)
    return ROOT / "build" / "site"


def test_the_search_finds_commands_names_and_manuals(site: Path) -> None:
    found = json.loads((site / "search.json").read_text())["items"]
    titles = {re.sub("<[^>]*>", "", entry["title"]) for entry in found}
    assert {*COMMANDS} <= titles
    places = {entry["location"] for entry in found}
    names = {
        f"reference/python/#{package}.{name}"
        for package in PACKAGES
        for name in importlib.import_module(package).__all__
        if not name.startswith("_")
    }
    assert names <= places
    tops = ("src", "indexer", "eval", "topics", "scripts", "tests")
    manuals = {path for top in tops for path in (ROOT / top).rglob("*.md")}
    addresses = {
        f"{manual.relative_to(ROOT).with_suffix('')}/".replace("README/", "")
        for manual in manuals
    }
    assert addresses <= places


@pytest.mark.parametrize(
    ("query", "location"),
    [
        ("--cluster", "reference/commands/"),
        ("--sweep", "reference/commands/"),
        ("words>=11", "src/boilersweep/"),
        ("run_sweep", "reference/python/"),
        ("boilersweep.eval.run_sweep", "reference/python/"),
        ("link_density<=0.33", "src/boilersweep/cleaners/"),
    ],
)
def test_the_search_finds_options_rules_and_dotted_names(
    site: Path, query: str, location: str
) -> None:
    """Split texts and queries as the site does, which asks for words that begin alike."""
    index = json.loads((site / "search.json").read_text())
    separator = re.compile(index["config"]["separator"])
    wanted = [word.lower() for word in separator.split(query) if word]
    for entry in index["items"]:
        words = separator.split(f"{entry['title']} {entry['text']}".lower())
        if entry["location"].startswith(location) and all(
            any(word.startswith(one) for word in words) for one in wanted
        ):
            return
    pytest.fail(f"{query}: none of {location} has {wanted}")


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r"<(?:script|img|link)\b[^>]*\b(?:src|href)=[\"']?https?:")
    assert [
        page for page in site.rglob("*.html") if loaded.search(page.read_text("utf-8"))
    ] == []
