"""A package that brings a command and a cleaner."""

import pytest

from boilersweep.cli.app import names
from tests.cli.conftest import Call
from tests.conftest import Install

SOURCE = '''
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from boilersweep.cleaners.rules import NamedRule
from boilersweep.pages.columns import NOTHING
from boilersweep.cli.options.cleaners import OneCleaner
from boilersweep.errors import UsageError


class Odd(NamedRule):
    """Keeps blocks of an odd number of words."""

    name = "odd"
    summary = "blocks of an odd number of words"
    source = "nobody: a test"
    needs = NOTHING

    def mask(self, columns):
        return columns.words % 2 == 1


Times = Annotated[int, Parameter("--times")]


def count(page: str, /, *, keep: OneCleaner, times_: Times = 1) -> int:
    """Count what a cleaner keeps.

    And say it.

    Args:
        page: A page of HTML.
        keep: What to keep.
        times_: How often to count.
    """
    if times_ < 1:
        raise UsageError("expected one; see `keep`", parameter="times_")
    print(len(page.split()), "words;", keep, times_)
    return 0
'''
PAGE = "<p>one two three<p>four five<p>six"


@pytest.fixture
def counting(install: Install) -> None:
    module = install(
        "counting", SOURCE, "boilersweep.commands", {"count": "counting:count"}
    )
    points = module.parent / "counting-1.0.dist-info" / "entry_points.txt"
    points.write_text(
        f"{points.read_text()}\n[boilersweep.cleaners]\nodd = counting:Odd\n"
    )


@pytest.mark.usefixtures("counting")
def test_a_package_brings_a_command_and_a_cleaner(call: Call) -> None:
    assert names()[-1] == "count"
    call("count", PAGE, "--keep", "odd").ok("4 words; odd 1\n")
    call("segment", "--help").ok()
    listed = call("--help").ok().out
    assert "plug-ins" in listed
    assert "│ count  Count what a cleaner keeps." in listed
    about = call("count", "--help").ok().out
    assert "And say it." in about
    assert "How often to count." in about
    assert "odd" in call("--list", "cleaners").ok().out


@pytest.mark.usefixtures("counting")
def test_its_errors_have_its_options(call: Call) -> None:
    call("count", PAGE, "--keep", "words>=").refused(2, "--keep: keep rule")
    call("count", PAGE, "--keep", "odd", "--times", 0).refused(
        2, "--times: expected one; see --keep"
    )
    call("count", PAGE, "--keep", "odd", "--time", 1).refused(2, "mean --times?")


def test_a_command_that_cannot_be_imported(call: Call, install: Install) -> None:
    install("broken", "1 / 0", "boilersweep.commands", {"sum": "broken:sum"})
    call("sum").refused(
        2, "command 'sum' cannot be imported (ZeroDivisionError: division by zero)"
    )
    assert "sum" in call("--help").ok().out
