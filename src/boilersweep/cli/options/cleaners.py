"""What to keep of the pages: cleaners, sweeps and grids."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from cyclopts import Parameter

from boilersweep.cleaners.registry import nearly
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.syntax.grammar import parse_cleaner, parse_cleaners
from boilersweep.cleaners.syntax.variants import Sweep, parse_sweep
from boilersweep.cli.options.values import listed, parsed, parsed_each
from boilersweep.errors import UsageError

Result = TypeVar("Result")


def _suggesting(parse: Callable[[str], Result]) -> Callable[[str], Result]:
    """Return a parser whose mistakes name the words that are nearly a cleaner's name."""

    def parse_or_suggest(text: str) -> Result:
        try:
            return parse(text)
        except UsageError as error:
            words = {word.strip() for word in text.split(",")}
            names = sorted(word for word in words if word.replace("-", "").isalpha())
            near = [f"; {name}{nearly(name)}" for name in names if nearly(name)]
            raise UsageError(f"{error}{''.join(near)}") from error

    return parse_or_suggest


OneCleaner = Annotated[Cleaner, parsed(_suggesting(parse_cleaner), "CLEANER")]
CleanersInTurn = Annotated[
    Sequence[Cleaner], parsed_each(_suggesting(parse_cleaner), "CLEANER")
]
Cleaners = Annotated[Sequence[Cleaner], listed(_suggesting(parse_cleaners))]
Sweeps = Annotated[Sequence[Sweep], parsed_each(parse_sweep, "RULE")]
TwoSweeps = Annotated[tuple[Sweep, Sweep], parsed_each(parse_sweep, "RULE", 2)]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Variants:
    """Cleaners, and rules at many thresholds.

    Attributes:
        sweep: A rule with a range in place of a number: words=1:100 (short for words>=1:100),
            density=1,5,10.5, 'link_density<=0:1:0.05', 'ancestor(numwords-rules, {1:5})'; may be
            repeated. For `sweep` and `serve` the default is words=1:100 and density=1:20.
        cleaners: Cleaners, separated by commas, such as 'bte,ancestor(numwords-rules),
            density>=10.5 & link_density<=0.33'; `boilersweep --list cleaners` lists their names.
    """

    sweep: Sweeps = ()
    cleaners: Cleaners = ()
