"""Keep rules: which blocks of a page stay, written as text.

    rule       = all-of *( "|" all-of )
    all-of     = factor *( "&" factor )
    factor     = "!" factor / "(" rule ")" / comparison
    comparison = column ( ">=" / ">" / "<=" / "<" / "==" / "!=" ) number

for example `words>=11` or `density>=10.5 & link_density<=0.33`. A rule is a pure function from
columns to a boolean mask. `words>=1` keeps every block.
"""

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, Protocol

from boilersweep.columns import BlockColumns, BoolArray
from boilersweep.errors import UsageError

COLUMNS = ("words", "density", "link_words", "link_density")

Need = Literal["texts", "structure"]
NOTHING: frozenset[Need] = frozenset()
TEXTS: frozenset[Need] = frozenset({"texts"})
STRUCTURE: frozenset[Need] = frozenset({"structure"})

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?|\.\d+)|(?P<name>\w+)|(?P<sign>[<>=!]=|[<>&|!()]))"
)
_MAX_DEPTH = 100
_MAX_COMPARISONS = 100  # a chain of them nests as deeply once parsed


class Rule(Protocol):
    """A keep rule; `str(rule)` is its canonical text, which parses back to an equal rule."""

    @property
    def needs(self) -> frozenset[Need]:
        """What it reads beside the columns of numbers."""
        ...

    def mask(self, columns: BlockColumns) -> BoolArray:
        """(m,) True for every block that stays."""
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
        mask: BoolArray = _OPERATORS[self.sign](getattr(columns, self.column), self.number)
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


def number_text(number: float) -> str:
    """A threshold as people write it: 11, 10.5."""
    return str(int(number)) if number == int(number) else f"{Decimal(repr(float(number))):f}"


def parse_rule(text: str) -> Rule:
    """Parse a keep rule; raises UsageError that points at the place and says what may stand."""
    return _Parser(text).parse()


class _Parser:
    """Recursive descent over the grammar above."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._comparisons = 0
        self._match: re.Match[str] | None = None
        self._advance()

    def parse(self) -> Rule:
        rule = self._any_of()
        if self._match or self._text[self._at :].strip():
            raise self._error("& or | or the end")
        return rule

    def _advance(self) -> None:
        if self._match:
            self._at = self._match.end()
        self._match = _TOKEN.match(self._text, self._at)

    def _take(self, kind: str, *wanted: str) -> str | None:
        value = self._match[kind] if self._match else None
        if value is None or (wanted and value not in wanted):
            return None
        self._advance()
        return value

    def _any_of(self) -> Rule:
        rule = self._all_of()
        while self._take("sign", "|"):
            rule = Or(rule, self._all_of())
        return rule

    def _all_of(self) -> Rule:
        rule = self._factor()
        while self._take("sign", "&"):
            rule = And(rule, self._factor())
        return rule

    def _factor(self) -> Rule:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._error(f"at most {_MAX_DEPTH} nested parentheses or !")
        try:
            if self._take("sign", "!"):
                return Not(self._factor())
            if self._take("sign", "("):
                rule = self._any_of()
                if not self._take("sign", ")"):
                    raise self._error("& or | or a closing parenthesis")
                return rule
            return self._comparison()
        finally:
            self._depth -= 1

    def _comparison(self) -> Comparison:
        self._comparisons += 1
        if self._comparisons > _MAX_COMPARISONS:
            raise self._error(f"at most {_MAX_COMPARISONS} comparisons")
        column = self._take("name", *COLUMNS)
        if column is None:
            raise self._error("one of " + ", ".join(COLUMNS))
        sign = self._take("sign", *_OPERATORS)
        if sign is None:
            raise self._error("one of " + " ".join(_OPERATORS))
        place = self._at
        number = self._take("number")
        if number is None:
            raise self._error("a number")
        if math.isinf(float(number)):
            self._at = place
            raise self._error("a number below 1e308")
        return Comparison(column, sign, float(number))

    def _error(self, expected: str) -> UsageError:
        came = self._text[self._at :].strip()
        found = f"got {came[:30]!r} at character {self._at + 1}" if came else "but it ends there"
        return UsageError(
            f"keep rule {self._text!r}: expected {expected}, {found}; "
            "a rule looks like 'words>=11' or 'density>=10.5 & link_density<=0.33'"
        )
