"""Keep rules: which blocks of a page stay. A rule is a pure function from columns to a mask.

`boilersweep.cleaners.parsing` reads them from text. `words>=1` keeps every block.
"""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal, Protocol, Self, cast, runtime_checkable

from boilersweep.errors import UsageError, excerpt
from boilersweep.pages.columns import BlockColumns, BoolArray, FloatArray

FEATURES = ("words", "density", "link_words", "link_density")
"""What a rule can compare with a threshold; columns of a page's blocks."""

AT_LEAST_ONE = ("words", "density")
"""Those that are at least 1 in every block, so that a minimum of 1 keeps everything."""

Need = Literal["texts", "structure", "recurrence", "boxes"]
NOTHING: frozenset[Need] = frozenset()
TEXTS: frozenset[Need] = frozenset({"texts"})
STRUCTURE: frozenset[Need] = frozenset({"structure"})
RECURRENCE: frozenset[Need] = frozenset({"recurrence"})
"""That of texts on the pages of a host: a page alone has none."""
BOXES: frozenset[Need] = frozenset({"structure", "boxes"})
"""Where blocks and elements are on the page as drawn; numbered as the structure has them."""

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
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
        ...

    def mask(self, columns: BlockColumns) -> BoolArray:
        """(m,) True for every block that stays."""
        ...


Argument = Rule | float | str
"""What the text of a rule may give a named one in parentheses."""

_KINDS: dict[str, Callable[[Argument], bool]] = {
    "a cleaner": lambda argument: not isinstance(argument, float | str),
    "a number": lambda argument: isinstance(argument, float),
    "a text in quotes": lambda argument: isinstance(argument, str),
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a named rule takes in parentheses.

    name: for people, in capitals. kind: what it must be, in the words of a message. optional:
    whether the rule can do without.
    """

    name: str
    kind: Literal["a cleaner", "a number", "a text in quotes"]
    optional: bool = False

    def check(self, argument: Argument) -> None:
        """Raises UsageError where the argument is of another kind."""
        if not _KINDS[self.kind](argument):
            came = repr(argument) if isinstance(argument, str) else str(argument)
            raise UsageError(f"expected {self.kind}, got {excerpt(came)}")

    def __str__(self) -> str:
        return f"'{self.name}'" if self.kind == "a text in quotes" else self.name


class Named:
    """What has a name in the texts of cleaners, and says there what it is.

    A subclass is a frozen dataclass whose fields are its parameters, in their order.

    name: as texts have it: letters, digits and hyphens. parameters: what it takes in parentheses.
    switches: what behind those may be on, as in `learned(comments=yes)`.
    summary: what it keeps, in a few words. source: the paper and its section.
    """

    __slots__ = ()

    name: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    switches: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str] = ""
    source: ClassVar[str] = ""

    @classmethod
    def made_of(cls, *arguments: Any, **switches: bool) -> Self:
        """What a text asks for; raises UsageError for arguments out of their range."""
        return cls(*arguments, **switches)

    @classmethod
    def signature(cls) -> str:
        """Its name and what it takes, such as `ancestor(CLEANER[, DEPTH])`."""
        taken = ""
        for place, parameter in enumerate(cls.parameters):
            one = f", {parameter}" if place else f"{parameter}"
            taken += f"[{one}" if parameter.optional else one
        taken += "]" * sum(parameter.optional for parameter in cls.parameters)
        taken += "".join(f"[, {switch}=yes]" for switch in cls.switches)
        return f"{cls.name}({taken})" if taken else cls.name

    @classmethod
    def counts(cls) -> range:
        """How many arguments may be given."""
        least = sum(not parameter.optional for parameter in cls.parameters)
        return range(least, len(cls.parameters) + 1)

    def __str__(self) -> str:
        return self.name


class NamedRule(Named, ABC):
    """A rule that has a name in the texts of rules."""

    __slots__ = ()

    @property
    @abstractmethod
    def needs(self) -> frozenset[Need]:
        """What it reads beside the columns of numbers; a plain attribute where it is constant."""

    @abstractmethod
    def mask(self, columns: BlockColumns) -> BoolArray:
        """(m,) True for every block that stays."""

    # A dataclass brings its own two; a plug-in's plain class is known by its text.
    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


@runtime_checkable
class Trained(Protocol):
    """A rule that a model file decides. path: of the file; "" for the shipped one."""

    @property
    def path(self) -> str: ...

    def model_digest(self) -> str:
        """SHA-256 of the model file."""
        ...


@runtime_checkable
class Rating(Rule, Protocol):
    """A rule that decides by a number of each block, which can be compared with a threshold, too.

    `learned>=0.5` is such a comparison.
    """

    def ratings(self, columns: BlockColumns) -> FloatArray:
        """(m,) the number of every block."""
        ...


@runtime_checkable
class Classifying(Rule, Protocol):
    """A rule that tells classes of blocks apart."""

    def class_probabilities(self, columns: BlockColumns) -> dict[str, FloatArray]:
        """Class -> (m,) the probability of every block."""
        ...


@dataclass(frozen=True, slots=True)
class Comparison:
    """A feature of a block against a threshold. feature: one of FEATURES. sign: of OPERATORS."""

    feature: str
    sign: str
    value: float

    @property
    def needs(self) -> frozenset[Need]:
        return NOTHING

    def mask(self, columns: BlockColumns) -> BoolArray:
        mask: BoolArray = OPERATORS[self.sign](getattr(columns, self.feature), self.value)
        return mask

    def __str__(self) -> str:
        return f"{self.feature}{self.sign}{number_text(self.value)}"


@dataclass(frozen=True, slots=True)
class RatingComparison:
    """The number that a rule gives a block against a threshold. sign: of OPERATORS."""

    rule: Rating
    sign: str
    value: float

    @property
    def needs(self) -> frozenset[Need]:
        return self.rule.needs

    def mask(self, columns: BlockColumns) -> BoolArray:
        mask: BoolArray = OPERATORS[self.sign](self.rule.ratings(columns), self.value)
        return mask

    def __str__(self) -> str:
        return f"{self.rule}{self.sign}{number_text(self.value)}"


@dataclass(frozen=True, slots=True)
class Not:
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
class And:
    left: Rule
    right: Rule

    @property
    def needs(self) -> frozenset[Need]:
        return self.left.needs | self.right.needs

    def mask(self, columns: BlockColumns) -> BoolArray:
        return self.left.mask(columns) & self.right.mask(columns)

    def __str__(self) -> str:
        # The grammar is left-associative: a right operand that is no factor needs brackets.
        left = f"({self.left})" if isinstance(self.left, Or) else str(self.left)
        right = f"({self.right})" if isinstance(self.right, And | Or) else str(self.right)
        return f"{left} & {right}"


@dataclass(frozen=True, slots=True)
class Or:
    left: Rule
    right: Rule

    @property
    def needs(self) -> frozenset[Need]:
        return self.left.needs | self.right.needs

    def mask(self, columns: BlockColumns) -> BoolArray:
        return self.left.mask(columns) | self.right.mask(columns)

    def __str__(self) -> str:
        right = f"({self.right})" if isinstance(self.right, Or) else str(self.right)
        return f"{self.left} | {right}"


def parts(rule: Rule) -> Iterator[Rule]:
    """A rule, and all rules that it is made of."""
    yield rule
    if is_dataclass(rule):
        for one in fields(rule):
            value = getattr(rule, one.name)
            if is_dataclass(value) or isinstance(value, NamedRule):
                yield from parts(cast("Rule", value))


def number_text(number: float) -> str:
    """A threshold as people write it: 11, 10.5."""
    return str(int(number)) if number == int(number) else f"{Decimal(repr(float(number))):f}"
