"""Keep rules: which blocks of a page stay. A rule is a pure function from columns to a mask.

`boilersweep.cleaners.parsing` reads them from text. `words>=1` keeps every block.
"""

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from typing import Any, Literal, Protocol, cast, runtime_checkable

from boilersweep.pages.columns import BlockColumns, BoolArray

COLUMNS = ("words", "density", "link_words", "link_density")

Need = Literal["texts", "structure"]
NOTHING: frozenset[Need] = frozenset()
TEXTS: frozenset[Need] = frozenset({"texts"})
STRUCTURE: frozenset[Need] = frozenset({"structure"})

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


@runtime_checkable
class Trained(Protocol):
    """A rule that a model file decides. path: of the file; "" for the shipped one."""

    @property
    def path(self) -> str: ...

    def model_digest(self) -> str:
        """SHA-256 of the model file."""
        ...


@dataclass(frozen=True, slots=True)
class Comparison:
    column: str
    sign: str
    number: float

    @property
    def needs(self) -> frozenset[Need]:
        return NOTHING

    def mask(self, columns: BlockColumns) -> BoolArray:
        mask: BoolArray = OPERATORS[self.sign](getattr(columns, self.column), self.number)
        return mask

    def __str__(self) -> str:
        return f"{self.column}{self.sign}{number_text(self.number)}"


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
        # The grammar is left-associative: what stands on the right and is no factor needs brackets.
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
            if is_dataclass(value):
                yield from parts(cast("Rule", value))


def number_text(number: float) -> str:
    """A threshold as people write it: 11, 10.5."""
    return str(int(number)) if number == int(number) else f"{Decimal(repr(float(number))):f}"
