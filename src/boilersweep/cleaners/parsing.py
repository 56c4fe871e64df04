"""Cleaners written as text.

    cleaners   = cleaner *( "," cleaner )
    cleaner    = rule / extractor / weighted
    rule       = all-of *( "|" all-of )
    all-of     = factor *( "&" factor )
    factor     = "!" factor / "(" rule ")" / comparison / named / extractor
    comparison = feature ( ">=" / ">" / "<=" / "<" / "==" / "!=" ) number
    named      = name [ "(" argument *( "," argument ) ")" ]
    argument   = rule / number / "'" text "'"
    weighted   = "weighted(" rule "," number ")"

for example `words>=11`, `density>=10.5 & link_density<=0.33`, `ancestor(numwords-rules, 3)`. The
names are those of `boilersweep.cleaners.registry`; any other is an extractor's, which alone means
its text, and in a rule the blocks that its text holds.
"""

import math
import re
from collections.abc import Container
from typing import TypeVar

from boilersweep.cleaners.held_blocks import HeldBlocks
from boilersweep.cleaners.registry import find_rule, rule_names
from boilersweep.cleaners.rules import (
    FEATURES,
    OPERATORS,
    And,
    Argument,
    Comparison,
    Named,
    Not,
    Or,
    Rule,
)
from boilersweep.cleaners.selection import Cleaner, PageText
from boilersweep.cleaners.weighted import Weighted
from boilersweep.errors import UsageError, did_you_mean

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?|\.\d+)|(?P<name>[^\W\d](?:[\w.:-]*\w)?)"
    r"|'(?P<text>[^']*)'|(?P<sign>[<>=!]=|[<>&|!(),]))"
)
_Made = TypeVar("_Made", bound=Named)
_MAX_DEPTH = 100
_MAX_TERMS = 100  # of a cleaner: a chain of them nests as deeply once parsed


def parse_cleaner(text: str) -> Cleaner:
    """Parse a cleaner; raises UsageError that points at the place and says what may stand."""
    return _Parser(text).cleaner()


def parse_cleaners(text: str) -> list[Cleaner]:
    """Parse a list of cleaners with commas between them; raises UsageError as `parse_cleaner`."""
    return _Parser(text).cleaners()


def as_cleaner(cleaner: Cleaner | str) -> Cleaner:
    """A cleaner that may be given as its text; raises UsageError as `parse_cleaner`."""
    return parse_cleaner(cleaner) if isinstance(cleaner, str) else cleaner


def parse_rule(text: str) -> Rule:
    """Parse a keep rule; raises UsageError for an extractor and for weights, too."""
    cleaner = parse_cleaner(text)
    if isinstance(cleaner, PageText):
        raise UsageError(f"{text!r}: {_UNKNOWN.format(name=cleaner.name, names=_names())}")
    if isinstance(cleaner, Weighted):
        raise UsageError(f"{text!r}: expected a rule, which keeps or drops blocks")
    return cleaner


_UNKNOWN = "no cleaner is named {name}; there are {names}"


def _known() -> list[str]:
    return [*FEATURES, *rule_names()]


def _names() -> str:
    return ", ".join([*rule_names(), *(f"{feature}>=k" for feature in FEATURES)])


class _Parser:
    """Recursive descent over the grammar above."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._terms = 0
        self._match: re.Match[str] | None = None
        self._advance()

    def cleaner(self) -> Cleaner:
        cleaner = self._one()
        self._end("& or | or the end")
        return cleaner

    def cleaners(self) -> list[Cleaner]:
        cleaners = [self._one()]
        while self._take("sign", ","):
            cleaners.append(self._one())
        self._end("& or | or a comma or the end")
        return cleaners

    def _one(self) -> Cleaner:
        self._terms = 0
        if self._take("name", {Weighted.name}):
            weighted = self._named(Weighted)
            if self._match and self._match["sign"] in ("&", "|"):
                raise self._error(f"the end, as {Weighted.name} drops nothing and stands alone")
            return weighted
        rule = self._any_of()
        return PageText(rule.name) if isinstance(rule, HeldBlocks) else rule

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
                return self._named(named)
            return HeldBlocks(name) if name and self._take_extractor(name) else self._comparison()
        finally:
            self._depth -= 1

    def _take_extractor(self, name: str) -> bool:
        """Whether a name is an extractor's: nothing stands behind it that it could belong to."""
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
            near = did_you_mean(name, [*_known(), Weighted.name]) if name else ""
            raise self._error("one of " + ", ".join(_known()) + near)
        sign = self._take("sign", OPERATORS)
        if sign is None:
            raise self._error("one of " + " ".join(OPERATORS))
        place = self._at
        number = self._take("number")
        if number is None:
            raise self._error("a number")
        if math.isinf(float(number)):
            self._at = place
            raise self._error("a number below 1e308")
        return Comparison(feature, sign, float(number))

    def _named(self, named: type[_Made]) -> _Made:
        arguments: list[Argument] = []
        place = self._at
        if self._take("sign", "("):
            arguments.append(self._argument())
            while self._take("sign", ","):
                arguments.append(self._argument())
            if not self._take("sign", ")"):
                raise self._error("a comma or a closing parenthesis")
        return self._made(named, arguments, place)

    def _made(self, named: type[_Made], arguments: list[Argument], place: int) -> _Made:
        if len(arguments) not in named.counts():
            self._at = place
            raise self._error(named.signature())
        try:
            for parameter, argument in zip(named.parameters, arguments, strict=False):
                parameter.check(argument)
            return named.made_of(*arguments)
        except UsageError as error:
            self._at = place
            raise self._error(f"{named.signature()} ({error})") from error

    def _argument(self) -> Argument:
        text = self._take("text")
        if text is not None:
            return text
        number = self._take("number")
        return float(number) if number is not None else self._any_of()

    def _error(self, expected: str) -> UsageError:
        came = self._text[self._at :].strip()
        found = f"got {came[:30]!r} at character {self._at + 1}" if came else "but it ends there"
        return UsageError(
            f"keep rule {self._text!r}: expected {expected}, {found}; "
            "a rule looks like 'words>=11' or 'density>=10.5 & link_density<=0.33'"
        )
