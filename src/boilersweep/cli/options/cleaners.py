"""What to keep of the pages: cleaners, sweeps and grids."""

import argparse
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from boilersweep.cleaners.language.grammar import parse_cleaner, parse_cleaners
from boilersweep.cleaners.language.variants import Sweep, parse_sweep
from boilersweep.cleaners.registry import nearly
from boilersweep.cli.parser import Options
from boilersweep.errors import UsageError

Parsed = TypeVar("Parsed")

GRID = Options(
    """
    --grid RULE  two sweeps, such as words=1:40 'link_density<=0.1:1:0.1': score what both keep
        at every pair of values with the exact engine, and draw a heat map
    """,
    types={"grid": parse_sweep},
    nargs=2,
)


def several(
    what: str, *, option: str = "--cleaners", required: bool = False
) -> Options:
    """Return --cleaners, or the option with this name."""
    text = f"""
        {option} LIST  {what}, separated by commas, such as 'bte,ancestor(numwords-rules),
            density>=10.5 & link_density<=0.33'; `boilersweep --list cleaners` lists their names
        """
    return Options(
        text,
        type=partial(_parsed, parse_cleaners),
        dest="cleaners",
        required=required,
        default=[],
    )


def one(
    option: str,
    what: str,
    default: str | None = None,
    *,
    many: bool = False,
    repeated: bool = False,
) -> Options:
    """Return an option that takes one cleaner, or a list of some if `many`; or is `repeated`."""
    parse = partial(_parsed, parse_cleaners if many else parse_cleaner)
    if repeated:
        return Options(f"{option} CLEANER ...  {what}", type=parse, default=[])
    return Options(f"{option} CLEANER  {what}", type=parse, default=default)


def sweep(default: str = "") -> Options:
    """Return --sweep."""
    text = f"""
        --sweep RULE ...  a rule with a range in place of a number: words=1:100 (short for
            words>=1:100), density=1,5,10.5, 'link_density<=0:1:0.05', 'ancestor(numwords-rules,
            {{1:5}})'; may be repeated{default}
        """
    return Options(text, types={"sweep": parse_sweep}, dest="sweeps")


def sweeps(args: argparse.Namespace, default: tuple[Sweep, ...]) -> tuple[Sweep, ...]:
    """Return the requested sweeps, or the default if nothing is requested."""
    return tuple(args.sweeps or (() if args.cleaners else default))


def _parsed(parse: Callable[[str], Parsed], text: str) -> Parsed:
    """Parse a text; a mistake names the words that are nearly a cleaner's name."""
    try:
        return parse(text)
    except UsageError as error:
        words = {word.strip() for word in text.split(",")}
        names = sorted(word for word in words if word.replace("-", "").isalpha())
        near = [f"; {name}{nearly(name)}" for name in names if nearly(name)]
        raise UsageError(f"{error}{''.join(near)}") from error
