"""Keep rules: which blocks of a page stay. A rule is a pure function from columns to a mask.

`boilersweep.cleaners.syntax.grammar` reads them from text. `words>=1` keeps every block.
"""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal, Protocol, Self, cast, runtime_checkable

from boilersweep.errors import UsageError, excerpt
from boilersweep.pages.columns import (
    NOTHING,
    BlockColumns,
    BoolArray,
    FloatArray,
    Need,
    neighbours,
)
from boilersweep.plugins import PluginGroup

# What a rule can compare with a threshold; columns of a page's blocks.
_OF_A_BLOCK = ("words", "density", "link_words", "link_density")
# Those of the previous and the next block of the page are 0 where there is none.
_STEPS = {"": 0, "prev_": -1, "next_": 1}
FEATURES = tuple(f"{place}{name}" for place in _STEPS for name in _OF_A_BLOCK)

# Those that are at least 1 in every block, so that a minimum of 1 keeps everything.
AT_LEAST_ONE = ("words", "density")

OPERATORS: dict[str, Callable[[FloatArray, float], BoolArray]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}


class Rule(Protocol):
    """A keep rule; `str(rule)` is its canonical text, which parses back to an equal rule."""

    @property
    def needs(self) -> frozenset[Need]:
        """What it reads beside the columns of numbers."""

    def mask(self, columns: BlockColumns) -> BoolArray:
        """Return (m,) True for every block that stays."""


# The entry points by which other distributions declare subclasses of `NamedRule`.
PLUGINS = PluginGroup("boilersweep.cleaners", "cleaner")

# What the text of a rule may give a named one in parentheses.
Argument = Rule | float | str

_KINDS: dict[str, Callable[[Argument], bool]] = {
    "a cleaner": lambda argument: not isinstance(argument, float | str),
    "a number": lambda argument: isinstance(argument, float),
    "a text in quotes": lambda argument: isinstance(argument, str),
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a named rule takes in parentheses.

    Attributes:
        name: For people, in capitals.
        kind: What it must be, in the words of a message.
        optional: Whether it may be left out.
    """

    name: str
    kind: Literal["a cleaner", "a number", "a text in quotes"]
    optional: bool = False

    def check(self, argument: Argument) -> None:
        """Raise UsageError if the argument is of another kind."""
        if not _KINDS[self.kind](argument):
            came = repr(argument) if isinstance(argument, str) else str(argument)
            raise UsageError(f"expected {self.kind}, got {excerpt(came)}")

    def __str__(self) -> str:
        return f"'{self.name}'" if self.kind == "a text in quotes" else self.name


class Named:
    """A cleaner with a name in the texts of cleaners, which describes itself.

    A subclass is a frozen dataclass whose fields are its parameters, in their order.

    Attributes:
        name: As texts have it: letters, digits and hyphens.
        parameters: What it takes in parentheses.
        switches: What may be switched on behind the parameters, as in `learned(comments=yes)`.
        summary: What it keeps, in a few words.
        source: The paper and its section.
    """

    __slots__ = ()

    name: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    switches: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str] = ""
    source: ClassVar[str] = ""

    @classmethod
    def made_of(cls, *arguments: Any, **switches: bool) -> Self:
        """Return what a text asks for; raises UsageError for arguments out of their range."""
        return cls(*arguments, **switches)

    @classmethod
    def signature(cls) -> str:
        """Return the name and the parameters, such as `ancestor(CLEANER[, DEPTH])`."""
        taken = ""
        for index, parameter in enumerate(cls.parameters):
            written = f", {parameter}" if index else f"{parameter}"
            taken += f"[{written}" if parameter.optional else written
        taken += "]" * sum(parameter.optional for parameter in cls.parameters)
        taken += "".join(f"[, {switch}=yes]" for switch in cls.switches)
        return f"{cls.name}({taken})" if taken else cls.name

    @classmethod
    def counts(cls) -> range:
        """Return how many arguments may be given."""
        least = sum(not parameter.optional for parameter in cls.parameters)
        return range(least, len(cls.parameters) + 1)

    def __str__(self) -> str:
        """Return the canonical text: the name alone if all arguments have their defaults."""
        if not is_dataclass(self):
            return self.name
        values = [(getattr(self, field.name), field.default) for field in fields(self)]
        if all(value == default for value, default in values):
            return self.name
        texts = [
            number_text(v) if isinstance(v, int | float) else str(v) for v, _ in values
        ]
        return f"{self.name}({', '.join(texts)})"


class NamedRule(Named, ABC):
    """A rule that has a name in the texts of rules."""

    __slots__ = ()

    @property
    @abstractmethod
    def needs(self) -> frozenset[Need]:
        """What it reads beside the columns of numbers; a plain attribute if it is constant."""

    @abstractmethod
    def mask(self, columns: BlockColumns) -> BoolArray:
        """Return (m,) True for every block that stays."""

    @property
    def models(self) -> dict[str, str]:
        """Path of each model file that it reads -> the file's SHA-256."""
        return {}

    @property
    def facts(self) -> dict[str, Any]:
        """What a study says of it beside its name and summary."""
        return {}

    # A dataclass brings its own two; a plug-in's plain class is known by its text.
    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


CLEANER = Parameter("CLEANER", "a cleaner")


@dataclass(frozen=True, slots=True)
class Filter(NamedRule):
    """A rule that reads what another one keeps, and mostly keeps a part of that.

    Attributes:
        own_needs: What it reads beside what the other one reads.
        cleaner: The other rule.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = (CLEANER,)
    own_needs: ClassVar[frozenset[Need]] = NOTHING

    cleaner: Rule

    @property
    def needs(self) -> frozenset[Need]:
        return self.cleaner.needs | self.own_needs


@runtime_checkable
class Rating(Rule, Protocol):
    """A rule that decides by a number of each block.

    The number can be compared with a threshold, as in `learned>=0.5`.
    """

    def ratings(self, columns: BlockColumns) -> FloatArray:
        """Return (m,) the number of every block."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A feature of a block compared with a threshold.

    Attributes:
        feature: One of FEATURES.
        sign: One of OPERATORS.
        value: The threshold.
    """

    needs = NOTHING

    feature: str
    sign: str
    value: float

    def mask(self, columns: BlockColumns) -> BoolArray:
        place, name = self.feature[:5], self.feature[5:]
        if place not in _STEPS:
            place, name = "", self.feature
        values = getattr(columns, name)
        if place:
            values = neighbours(values, columns.owners, _STEPS[place])
        return OPERATORS[self.sign](values, self.value)

    def __str__(self) -> str:
        return f"{self.feature}{self.sign}{number_text(self.value)}"


@dataclass(frozen=True, slots=True)
class RatingComparison:
    """The number that a rule gives a block, compared with a threshold.

    Attributes:
        rule: The rule.
        sign: One of OPERATORS.
        value: The threshold.
    """

    rule: Rating
    sign: str
    value: float

    @property
    def needs(self) -> frozenset[Need]:
        return self.rule.needs

    def mask(self, columns: BlockColumns) -> BoolArray:
        return OPERATORS[self.sign](self.rule.ratings(columns), self.value)

    def __str__(self) -> str:
        return f"{self.rule}{self.sign}{number_text(self.value)}"


@dataclass(frozen=True, slots=True)
class Not:
    """Keeps the blocks that another rule drops."""

    rule: Rule

    @property
    def needs(self) -> frozenset[Need]:
        return self.rule.needs

    def mask(self, columns: BlockColumns) -> BoolArray:
        return ~self.rule.mask(columns)

    def __str__(self) -> str:
        # No brackets without need: the canonical text must not nest deeper than the text parsed.
        return f"!({self.rule})" if isinstance(self.rule, And | Or) else f"!{self.rule}"


@dataclass(frozen=True, slots=True)
class _Pair:
    left: Rule
    right: Rule

    @property
    def needs(self) -> frozenset[Need]:
        return self.left.needs | self.right.needs


@dataclass(frozen=True, slots=True)
class And(_Pair):
    """Keeps the blocks that both rules keep."""

    def mask(self, columns: BlockColumns) -> BoolArray:
        return self.left.mask(columns) & self.right.mask(columns)

    def __str__(self) -> str:
        # The grammar is left-associative: a right operand that is no factor needs brackets.
        left = f"({self.left})" if isinstance(self.left, Or) else str(self.left)
        right = (
            f"({self.right})" if isinstance(self.right, And | Or) else str(self.right)
        )
        return f"{left} & {right}"


@dataclass(frozen=True, slots=True)
class Or(_Pair):
    """Keeps the blocks that one of the rules keeps."""

    def mask(self, columns: BlockColumns) -> BoolArray:
        return self.left.mask(columns) | self.right.mask(columns)

    def __str__(self) -> str:
        right = f"({self.right})" if isinstance(self.right, Or) else str(self.right)
        return f"{self.left} | {right}"


# How often blocks may count, at most.
MOST_TIMES = 100


@dataclass(frozen=True, slots=True)
class Weighted(Named):
    """Counts the blocks that a cleaner keeps several times, and the page's other blocks once.

    Dropping a block and counting it like all others are the two extremes; in between, a word of the
    main text counts as much as several words of the rest.

    Term frequencies and document lengths are those of a text with `times` copies of the kept
    blocks. It drops nothing, so it is no rule, and no rule contains it.

    Attributes:
        cleaner: The cleaner.
        times: A whole number from 1, which is everything, to MOST_TIMES; another number raises
            UsageError.
    """

    name = "weighted"
    parameters = (CLEANER, Parameter("TIMES", "a number"))
    summary = "everything, what a cleaner keeps counted several times; in no rule"
    source = "Robertson, Zaragoza and Taylor, CIKM 2004, section 3"

    cleaner: Rule
    times: int

    def __post_init__(self) -> None:
        if not 1 <= self.times <= MOST_TIMES or self.times != int(self.times):
            raise UsageError(
                f"{self.name}: expected to count 1 to {MOST_TIMES} times, in whole numbers, got "
                f"{self.times:g}"
            )
        object.__setattr__(self, "times", int(self.times))

    @property
    def needs(self) -> frozenset[Need]:
        return self.cleaner.needs


def parts(rule: Rule) -> Iterator[Rule]:
    """Yield a rule, and all rules in it."""
    yield rule
    if is_dataclass(rule):
        for field in fields(rule):
            value = getattr(rule, field.name)
            if is_dataclass(value) or isinstance(value, NamedRule):
                yield from parts(cast("Rule", value))


def number_text(number: float) -> str:
    """Return a threshold as people write it: 11, 10.5."""
    return (
        str(int(number))
        if number == int(number)
        else f"{Decimal(repr(float(number))):f}"
    )
