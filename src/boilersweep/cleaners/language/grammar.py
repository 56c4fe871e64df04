"""Cleaners, and sweeps over a number of one, written as text.

    cleaners   = cleaner *( "," cleaner )
    cleaner    = rule / extractor / weighted
    rule       = all-of *( "|" all-of )
    all-of     = factor *( "&" factor )
    factor     = "!" factor / "(" rule ")" / comparison / named / extractor
    comparison = ( feature / named ) sign number
    sign       = ">=" / ">" / "<=" / "<" / "==" / "!="
    named      = name [ "(" argument *( "," argument ) ")" ]
    argument   = rule / number / "'" text "'" / switch
    switch     = name "=" ( "yes" / "no" )
    weighted   = "weighted(" rule "," number ")"

for example `words>=11`, `density>=10.5 & link_density<=0.33`, `ancestor(numwords-rules, 3)`. The
names are those of `boilersweep.cleaners.registry`; rules that rate each block, such as `learned`,
can be compared with a number. Any other name is an extractor's, which alone means its text, and in
a rule the blocks that its text contains.

A sweep is a rule or weights with a range in the place of one number:

    range      = "{" some *( "," some ) "}"
    some       = number [ ":" number [ ":" number ] ]

for example `ancestor(numwords-rules, {1:5})`; the braces may be left out behind a sign at the
sweep's end, as in `link_density<=0:1:0.05`. FIRST:LAST:STEP includes both ends; STEP defaults to 1.
`words=1:100` is short for `words>=1:100`, and so with density.
"""

import math
import re
from collections.abc import Container
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TypeVar

from boilersweep.cleaners.extractor_blocks import ExtractorBlocks
from boilersweep.cleaners.registry import find_rule, rule_names
from boilersweep.cleaners.rules import (
    AT_LEAST_ONE,
    FEATURES,
    OPERATORS,
    And,
    Argument,
    Comparison,
    Named,
    Not,
    Or,
    Rating,
    RatingComparison,
    Rule,
    number_text,
)
from boilersweep.cleaners.selection import Cleaner, PageText
from boilersweep.cleaners.weighted import Weighted
from boilersweep.errors import UsageError, did_you_mean, excerpt

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d](?:[\w.:-]*\w)?)|'(?P<text>[^']*)'|(?P<sign>[<>=!]=|[<>&|!(),{}:=]))"
)
_NamedCleaner = TypeVar("_NamedCleaner", bound=Named)
_STRUCTURE = re.compile(r"[^\w\s.,:+-]")  # in the rest of a rule: more than numbers comes
_SEVERAL = re.compile("[,:]")
# The values that one sweep may have.
MAX_THRESHOLDS = 1000

_MAX_VALUE = 10**9  # of a range
_MAX_DEPTH = 100
_MAX_TERMS = 100  # of a cleaner: a chain of them nests as deeply once parsed


def parse_cleaner(text: str) -> Cleaner:
    """Parse a cleaner; raises UsageError that points at the place and says what is allowed."""
    return _Parser(text).cleaner()


def parse_cleaners(text: str) -> list[Cleaner]:
    """Parse a list of cleaners with commas between them; raises UsageError as `parse_cleaner`."""
    return _Parser(text).cleaners()


def as_cleaner(cleaner: Cleaner | str) -> Cleaner:
    """Return a cleaner that may be given as its text; raises UsageError as `parse_cleaner`."""
    return parse_cleaner(cleaner) if isinstance(cleaner, str) else cleaner


def parse_rule(text: str) -> Rule:
    """Parse a keep rule; raises UsageError for an extractor and for weights, too."""
    cleaner = parse_cleaner(text)
    if isinstance(cleaner, PageText):
        names = ", ".join([*rule_names(), *(f"{feature}>=k" for feature in FEATURES)])
        raise UsageError(f"no cleaner is named {excerpt(cleaner.name)}; there are {names}")
    if isinstance(cleaner, Weighted):
        raise UsageError(f"{excerpt(text)!r}: expected a rule, which keeps or drops blocks")
    return cleaner


@dataclass(frozen=True, slots=True)
class CleanerRange:
    """A cleaner with a range in the place of a number.

    Attributes:
        before: Its canonical text before the range.
        after: Its canonical text behind the range.
        values: The range's values, ascending, each once.
        cleaners: The cleaner with each value.
    """

    before: str
    after: str
    values: tuple[float, ...]
    cleaners: tuple[Cleaner, ...]


# Canonical beginning of a sweep -> its shorthand.
_MINIMA = {f"{feature}>=": f"{feature}=" for feature in AT_LEAST_ONE}


def parse_range(text: str) -> CleanerRange:
    """Parse a sweep; raises UsageError that points at the place and says what is allowed."""
    first = _RangeParser(text)
    cleaners = [first.cleaner()]
    found = first.found
    before, after = _spelled(text[: found.start]), _spelled(text[found.end :])
    if not after and before in _MINIMA:
        first.least_is_one()
    cleaners += [_RangeParser(text, found, value).cleaner() for value in found.values[1:]]
    return CleanerRange(before, after, found.values, tuple(cleaners))


def range_text(before: str, after: str, values: tuple[float, ...]) -> str:
    """Return the canonical text of a sweep, which parses back to the same."""
    numbers = ",".join(map(number_text, values))
    if after or not before.endswith(tuple(OPERATORS)):
        return f"{before}{{{numbers}}}{after}"
    return f"{_MINIMA.get(before, before)}{numbers}"


def _spelled(text: str) -> str:
    """Return a part of a parsed rule with the blanks and the numbers of canonical texts."""
    spelled = ""
    at = 0
    while match := _TOKEN.match(text, at):
        at = match.end()
        if match["number"]:
            spelled += number_text(float(match["number"]))
        else:
            token = match[0].strip()
            spelled += {"&": " & ", "|": " | ", ",": ", "}.get(token, token)
    return {short: full for full, short in _MINIMA.items()}.get(spelled, spelled)


class _Parser:
    """Recursive descent over the grammar above."""

    _kind = "keep rule"
    _example = "a rule looks like 'words>=11' or 'density>=10.5 & link_density<=0.33'"

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._terms = 0
        self._match: re.Match[str] | None = None
        self._advance()

    def cleaner(self) -> Cleaner:
        """Read the text as one cleaner."""
        cleaner = self._single()
        self._end("& or | or the end")
        return cleaner

    def cleaners(self) -> list[Cleaner]:
        """Read the text as a list of cleaners."""
        cleaners = [self._single()]
        while self._take("sign", ","):
            cleaners.append(self._single())
        self._end("& or | or a comma or the end")
        return cleaners

    def _single(self) -> Cleaner:
        self._terms = 0
        if self._take("name", {Weighted.name}):
            weighted = self._named(Weighted)
            if self._match and self._match["sign"] in ("&", "|"):
                raise self._error(f"the end, as {Weighted.name} drops nothing and stands alone")
            return weighted
        rule = self._any_of()
        return PageText(rule.name) if isinstance(rule, ExtractorBlocks) else rule

    def _end(self, expected: str) -> None:
        if self._match or self._text[self._at :].strip():
            raise self._error(expected)

    def _advance(self) -> None:
        if self._match:
            self._at = self._match.end()
        self._match = _TOKEN.match(self._text, self._at)

    def _take(self, kind: str, wanted: Container[str] | None = None) -> str | None:
        value = self._match[kind] if self._match else None
        if value is None or (wanted is not None and value not in wanted):
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
            self._terms += 1
            if self._terms > _MAX_TERMS:
                raise self._error(f"at most {_MAX_TERMS} comparisons and named cleaners")
            name = self._match["name"] if self._match else None
            if name == Weighted.name:
                raise self._error(f"a cleaner that drops blocks, as {name} stands alone")
            named = find_rule(name) if name else None
            if named:
                self._advance()
                return self._compared(self._named(named))
            return (
                ExtractorBlocks(name) if name and self._take_extractor(name) else self._comparison()
            )
        finally:
            self._depth -= 1

    def _take_extractor(self, name: str) -> bool:
        """Take a name if it is an extractor's: nothing that follows could belong to it."""
        begin, before = self._at, self._match
        self._advance()
        behind = self._match["sign"] if self._match else ""
        whole = self._match is not None or not self._text[self._at :].strip()
        if name not in FEATURES and whole and behind in ("", "&", "|", ")", ","):
            return True
        self._at, self._match = begin, before
        return False

    def _comparison(self) -> Comparison:
        feature = self._take("name", FEATURES)
        if feature is None:
            name = self._match["name"] if self._match else None
            known = [*FEATURES, *rule_names()]
            near = did_you_mean(name, [*known, Weighted.name]) if name else ""
            raise self._error("one of " + ", ".join(known) + near)
        sign = self._sign()
        if sign is None:
            expected = f"one of {' '.join(OPERATORS)} and a number after {feature}"
            if not self._text[self._at :].strip():
                expected += f" (in a shell in quotes, '{feature}>=11': > writes into a file)"
            raise self._error(expected)
        return Comparison(feature, sign, self._threshold())

    def _compared(self, rule: Rule) -> Rule:
        if not isinstance(rule, Rating):
            return rule
        sign = self._sign()
        if not sign:
            return rule
        place, value = self._at, self._threshold()
        low, high = getattr(rule, "rating_range", (-math.inf, math.inf))
        if not low <= value <= high:
            raise self._error(f"a number from {low:g} to {high:g}, as {rule} rates blocks", place)
        return RatingComparison(rule, sign, value)

    def _sign(self) -> str | None:
        return self._take("sign", OPERATORS)

    def _threshold(self) -> float:
        number = self._number()
        if number is None:
            raise self._error("a number")
        return number

    def _number(self) -> float | None:
        """Take the next number, if there is one."""
        place = self._at
        number = self._take("number")
        if number is None:
            return None
        if math.isinf(float(number)):
            raise self._error("a number below 1e308", place)
        return float(number)

    def _named(self, named: type[_NamedCleaner]) -> _NamedCleaner:
        arguments: list[Argument] = []
        switches: dict[str, bool] = {}
        place = self._at
        if self._take("sign", "("):
            while True:
                if switch := self._take("name", named.switches):
                    switches[switch] = self._is_on(switch)
                else:
                    arguments.append(self._argument())
                if not self._take("sign", ","):
                    break
            if not self._take("sign", ")"):
                raise self._error("a comma or a closing parenthesis")
        return self._made(named, arguments, switches, place)

    def _is_on(self, switch: str) -> bool:
        """Read the value of a switch, behind its name."""
        if self._take("sign", "="):
            value = self._take("name", ("yes", "no"))
            if value:
                return value == "yes"
        raise self._error(f"{switch}=yes or {switch}=no")

    def _made(
        self,
        named: type[_NamedCleaner],
        arguments: list[Argument],
        switches: dict[str, bool],
        place: int,
    ) -> _NamedCleaner:
        if len(arguments) not in named.counts():
            raise self._error(named.signature(), place)
        try:
            for parameter, argument in zip(named.parameters, arguments, strict=False):
                parameter.check(argument)
            return named.made_of(*arguments, **switches)
        except UsageError as error:
            raise self._error(
                f"{named.signature()} ({excerpt(str(error), most=400)})", place
            ) from error

    def _argument(self) -> Argument:
        text = self._take("text")
        if text is not None:
            return text
        number = self._number()
        return number if number is not None else self._any_of()

    def _error(self, expected: str, at: int | None = None) -> UsageError:
        at = self._at if at is None else at
        came = self._text[at:].strip()
        found = f"got {came[:30]!r} at character {at + 1}" if came else "but it ends there"
        return UsageError(
            f"{self._kind} {excerpt(self._text, at)!r}: expected {expected}, {found}; "
            f"{self._example}"
        )


@dataclass(frozen=True, slots=True)
class _Range:
    """A range's place in the sweep's text, braces included, and its values, ascending."""

    start: int
    end: int
    values: tuple[float, ...]


class _RangeParser(_Parser):
    """Reads a sweep as the cleaner with one value of its range."""

    _kind = "sweep"
    _example = (
        "a sweep looks like words=1:100, 'link_density<=0:1:0.05' or 'ancestor(bte, {1,2,5})'"
    )

    def __init__(self, text: str, known: _Range | None = None, value: float = 0) -> None:
        """Prepare to read.

        Args:
            text: The sweep.
            known: The range, if it was read before; else its first value is taken.
            value: The value to take of a known range.
        """
        self._known = known
        self._value = value
        self._found: _Range | None = None
        super().__init__(text)

    @property
    def found(self) -> _Range:
        """The range of the cleaner that was read; raises UsageError if it has none."""
        if self._found is None:
            raise self._error("a range, such as {1:5}, in the place of a number")
        return self._found

    def least_is_one(self) -> None:
        """Raise UsageError if the range begins below 1."""
        if self.found.values[0] < 1:
            raise self._error("thresholds of at least 1", self.found.start)

    def _sign(self) -> str | None:
        whole = self._text[: self._at].strip()
        if whole in AT_LEAST_ONE and self._take("sign", "="):
            return ">="
        return super()._sign()

    def _threshold(self) -> float:
        start, rest = self._start(), self._text[self._at :]
        is_known = self._known is not None and start == self._known.start
        is_last = not _STRUCTURE.search(rest)
        if is_known or not is_last or (self._found and not _SEVERAL.search(rest)):
            return super()._threshold()
        return self._swept(start, self._values())

    def _number(self) -> float | None:
        start = self._start()
        if self._known and start == self._known.start:
            self._found = self._known
            self._at = self._known.end
            self._match = _TOKEN.match(self._text, self._at)
            return self._value
        if self._take("sign", "{"):
            values = self._values()
            if not self._take("sign", "}"):
                raise self._error("a comma or a closing brace")
            return self._swept(start, values)
        place = self._at
        number = super()._number()
        if number is not None and self._match and self._match["sign"] == ":":
            raise self._error("braces around a range that is not behind a sign at the end", place)
        return number

    def _swept(self, start: int, values: tuple[float, ...]) -> float:
        if self._found:
            raise self._error("one range; two sweeps make a --grid", start)
        self._found = _Range(start, self._at, values)
        return values[0]

    def _start(self) -> int:
        """Return where the next token begins."""
        rest = self._text[self._at :]
        return self._at + len(rest) - len(rest.lstrip())

    def _values(self) -> tuple[float, ...]:
        place = self._at
        values = set(self._part())
        while self._take("sign", ","):
            values.update(self._part())
        if len(values) > MAX_THRESHOLDS:
            raise self._error(f"at most {MAX_THRESHOLDS} thresholds", place)
        return tuple(sorted(values))

    def _part(self) -> list[float]:
        """Read the values of a number or of a FIRST:LAST:STEP."""
        place = self._at
        numbers = [self._decimal()]
        while len(numbers) < 3 and self._take("sign", ":"):
            numbers.append(self._decimal())
        first, last, step = (numbers + [numbers[0], Decimal(1)][len(numbers) - 1 :])[:3]
        if max(first, last, step) > _MAX_VALUE:
            raise self._error(f"numbers of at most {_MAX_VALUE}", place)
        if step <= 0 or last < first:
            raise self._error("an ascending range with a positive step", place)
        if last - first >= MAX_THRESHOLDS * step:
            raise self._error(f"at most {MAX_THRESHOLDS} thresholds", place)
        count = math.floor((last - first) / step) + 1
        return [float(first + index * step) for index in range(count)]

    def _decimal(self) -> Decimal:
        place = self._at
        number = self._take("number")
        if number is None:
            raise self._error("a number")
        try:
            return Decimal(number)
        except InvalidOperation:
            raise self._error(f"numbers of at most {_MAX_VALUE}", place) from None
