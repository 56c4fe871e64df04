"""Cleaners, and sweeps over a number of one, written as text.

    cleaners   = cleaner *( "," cleaner )
    cleaner    = rule / extractor / weighted
    rule       = all-of *( "|" all-of )
    all-of     = factor *( "&" factor )
    factor     = "!" factor / "(" rule ")" / comparison / named / extractor
    comparison = ( feature / named ) sign number
    sign       = ">=" / ">" / "<=" / "<" / "==" / "!="
    named      = name [ "(" argument *( "," argument ) ")" ]
    argument   = rule / number / "'" text "'" / '"' text '"' / switch
    switch     = name "=" ( "yes" / "no" )
    weighted   = "weighted(" rule "," number ")"

for example `words>=11`, `density>=10.5 & link_density<=0.33`, `ancestor(numwords-rules, 3)`. The
names are those of `boilersweep.cleaners.registry`; rules that rate each block, such as `learned`,
can be compared with a number. Any other name is an extractor's, which alone means its text, and in
a rule the blocks that its text contains; some take numbers, such as `cetr(4, 3)`.

A sweep is a rule or weights with a range in the place of one number:

    range      = "{" some *( "," some ) "}"
    some       = number [ ":" number [ ":" number ] ]

for example `ancestor(numwords-rules, {1:5})`; the braces may be left out behind a sign at the
sweep's end, as in `link_density<=0:1:0.05`. FIRST:LAST:STEP includes both ends; STEP defaults to 1.
`words=1:100` is short for `words>=1:100`, and so with density.
"""

import math
import re
from collections.abc import Container, Iterable
from decimal import Decimal, InvalidOperation
from typing import TypeVar

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
    Weighted,
    number_text,
)
from boilersweep.cleaners.selection import Cleaner, ExtractorBlocks, PageText
from boilersweep.cleaners.tool_settings import setting_of
from boilersweep.errors import UsageError, did_you_mean, excerpt
from boilersweep.extractors.registry import takes_values, with_values

# Every match is a token with the blanks before it; the last one is the end.
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d](?:[\w.:-]*\w)?)|(?P<quote>['\"])(?P<text>(?s:.*?))(?P=quote)|(?P<sign>[<>=!]=|[<>&|!(),{}:=])"
    r"|(?P<other>\S)|(?P<end>\Z))"
)
_NamedCleaner = TypeVar("_NamedCleaner", bound=Named)
# More than numbers comes in the rest of a rule that has one of these
_STRUCTURE = re.compile(r"[^\w\s.,:+-]")
_SEVERAL = re.compile("[,:]")
# The values that one sweep may have.
MAX_THRESHOLDS = 1000

_MAX_VALUE = 10**9  # of a range
_MAX_DEPTH = 100
_MAX_TERMS = 100  # of a cleaner: a chain of them nests as deeply once parsed
_SPACED = {"&": " & ", "|": " | ", ",": ", "}  # signs of canonical texts
# Canonical beginning of a sweep -> its shorthand.
_MINIMA = {f"{feature}>=": f"{feature}=" for feature in AT_LEAST_ONE}


def parse_cleaner(text: str) -> Cleaner:
    """Parse a cleaner; raises UsageError that points at the place and says what is allowed."""
    return _Parser(text).cleaner()


def parse_cleaners(text: str) -> list[Cleaner]:
    """Parse a list of cleaners with commas between them; raises UsageError as `parse_cleaner`."""
    return _Parser(text).cleaners()


# One cleaner or several, each as text or parsed.
Cleaners = Cleaner | str | Iterable[Cleaner | str]


def as_cleaner(cleaner: Cleaner | str) -> Cleaner:
    """Return a cleaner that may be given as its text; raises UsageError as `parse_cleaner`."""
    return parse_cleaner(cleaner) if isinstance(cleaner, str) else cleaner


def as_cleaners(cleaners: Cleaners) -> list[Cleaner]:
    """Return one cleaner or several, each as text or parsed; raises UsageError."""
    if isinstance(cleaners, str) or not isinstance(cleaners, Iterable):
        return [as_cleaner(cleaners)]
    return [*map(as_cleaner, cleaners)]


def parse_rule(text: str) -> Rule:
    """Parse a keep rule; raises UsageError for an extractor and for weights, too."""
    cleaner = parse_cleaner(text)
    if isinstance(cleaner, PageText):
        names = ", ".join([*rule_names(), *(f"{feature}>=k" for feature in FEATURES)])
        raise UsageError(
            f"no cleaner is named {excerpt(cleaner.name)}; there are {names}"
        )
    if isinstance(cleaner, Weighted):
        raise UsageError(
            f"{excerpt(text)!r}: expected a rule, which keeps or drops blocks"
        )
    return cleaner


# A cleaner's canonical text before a range and behind it; the range's values, ascending, each once;
# and the cleaner with each value.
CleanerRange = tuple[str, str, tuple[float, ...], tuple[Cleaner, ...]]


def parse_range(text: str) -> CleanerRange:
    """Parse a sweep; raises UsageError that points at the place and says what is allowed."""
    return _RangeParser(text).sweep()


def range_text(before: str, after: str, values: tuple[float, ...]) -> str:
    """Return the canonical text of a sweep, which parses back to the same."""
    numbers = ",".join(map(number_text, values))
    if after or not before.endswith(tuple(OPERATORS)):
        return f"{before}{{{numbers}}}{after}"
    return f"{_MINIMA.get(before, before)}{numbers}"


class _Parser:
    """Recursive descent over the grammar above."""

    _kind = "keep rule"
    _example = "a rule looks like 'words>=11' or 'density>=10.5 & link_density<=0.33'"

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_TOKEN.finditer(text))
        self._next = 0
        self._depth = 0
        self._terms = 0

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

    @property
    def _at(self) -> int:
        """The place of the next token in the text."""
        return self._tokens[self._next].start()

    def _take(self, kind: str, wanted: Container[str] | None = None) -> str | None:
        """Take the next token if it is of a kind, and one of those wanted."""
        value = self._tokens[self._next][kind]
        if value is None or (wanted is not None and value not in wanted):
            return None
        self._next += 1
        return value

    def _need(
        self, kind: str, expected: str, wanted: Container[str] | None = None
    ) -> str:
        value = self._take(kind, wanted)
        if value is None:
            raise self._error(expected)
        return value

    def _end(self, expected: str) -> None:
        if self._tokens[self._next].lastgroup != "end":
            raise self._error(expected)

    def _single(self) -> Cleaner:
        self._terms = 0
        if self._take("name", {Weighted.name}):
            weighted = self._named(Weighted)
            if self._tokens[self._next]["sign"] in ("&", "|"):
                raise self._error(
                    f"the end, as {Weighted.name} drops nothing and stands alone"
                )
            return weighted
        rule = self._any_of()
        return PageText(rule.name) if isinstance(rule, ExtractorBlocks) else rule

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
        if self._take("sign", "!"):
            rule: Rule = Not(self._factor())
        elif self._take("sign", "("):
            rule = self._any_of()
            self._need("sign", "& or | or a closing parenthesis", ")")
        else:
            rule = self._term()
        self._depth -= 1
        return rule

    def _term(self) -> Rule:
        self._terms += 1
        if self._terms > _MAX_TERMS:
            raise self._error(f"at most {_MAX_TERMS} comparisons and named cleaners")
        name = self._tokens[self._next]["name"]
        if name == Weighted.name:
            raise self._error(f"a cleaner that drops blocks, as {name} stands alone")
        if name and (named := find_rule(name)):
            self._next += 1
            return self._compared(self._named(named))
        if name and takes_values(name) and self._tokens[self._next + 1]["sign"] == "(":
            return self._extractor(name)
        if name and name not in FEATURES:
            # Nothing that could belong to a name follows an extractor's.
            behind = self._tokens[self._next + 1]
            if behind.lastgroup == "end" or behind["sign"] in ("&", "|", ")", ","):
                self._next += 1
                return ExtractorBlocks(name)
        return self._comparison()

    def _extractor(self, name: str) -> ExtractorBlocks:
        """Read an extractor's name and the numbers in parentheses behind it."""
        self._next += 2
        place = self._at
        values = [self._threshold()]
        while self._take("sign", ","):
            values.append(self._threshold())
        self._need("sign", "a comma or a closing parenthesis", ")")
        try:
            return ExtractorBlocks(with_values(name, values))
        except UsageError as error:
            raise self._error(f"numbers that it takes ({error})", place) from error

    def _comparison(self) -> Comparison:
        feature = self._take("name", FEATURES)
        if feature is None:
            known = [*FEATURES, *rule_names()]
            near = did_you_mean(
                self._tokens[self._next]["name"] or "", [*known, Weighted.name]
            )
            raise self._error(f"one of {', '.join(known)}{near}")
        sign = self._sign()
        if sign is None:
            expected = f"one of {' '.join(OPERATORS)} and a number after {feature}"
            if self._tokens[self._next].lastgroup == "end":
                expected += (
                    f" (in a shell in quotes, '{feature}>=11': > writes into a file)"
                )
            raise self._error(expected)
        place, value = self._at, self._threshold()
        if feature.endswith("link_density") and value > 1:
            raise self._error("a number from 0 to 1, as it is a share", place)
        return Comparison(feature, sign, value)

    def _compared(self, rule: Rule) -> Rule:
        sign = self._tokens[self._next]["sign"]
        # To compare a rule with a protocol takes longer than to read the text
        if sign not in OPERATORS or not isinstance(rule, Rating):
            return rule
        self._next += 1
        place, value = self._at, self._threshold()
        low, high = getattr(rule, "rating_range", (-math.inf, math.inf))
        if not low <= value <= high:
            raise self._error(
                f"a number from {low:g} to {high:g}, as {rule} rates blocks", place
            )
        return RatingComparison(rule, sign, value)

    def _sign(self) -> str | None:
        return self._take("sign", OPERATORS)

    def _threshold(self) -> float:
        number = self._number()
        if number is None:
            raise self._error("a number")
        return number

    def _number(self) -> float | None:
        place = self._at
        number = self._take("number")
        if number is None:
            return None
        if math.isinf(float(number)):
            raise self._error("a number below 1e308", place)
        return float(number)

    def _named(self, named: type[_NamedCleaner]) -> _NamedCleaner:
        """Read the arguments and switches behind a name."""
        arguments: list[Argument] = []
        switches: dict[str, bool] = {}
        place = self._at
        if self._take("sign", "("):
            has_more = True
            while has_more:
                if switch := self._take("name", named.switches):
                    expected = f"{switch}=yes or {switch}=no"
                    self._need("sign", expected, "=")
                    switches[switch] = (
                        self._need("name", expected, ("yes", "no")) == "yes"
                    )
                else:
                    arguments.append(self._argument())
                has_more = self._take("sign", ",") is not None
            self._need("sign", "a comma or a closing parenthesis", ")")
        if len(arguments) not in named.counts():
            raise self._error(named.signature(), place)
        try:
            for parameter, argument in zip(named.parameters, arguments, strict=False):
                parameter.check(argument)
            return named.made_of(*arguments, **switches)
        except UsageError as error:
            reason = excerpt(str(error), most=400)
            raise self._error(f"{named.signature()} ({reason})", place) from error

    def _argument(self) -> Argument:
        text = self._take("text")
        if text is not None:
            return text
        number = self._number()
        return number if number is not None else self._any_of()

    def _error(self, expected: str, at: int | None = None) -> UsageError:
        at = self._at if at is None else at
        came = self._text[at:].strip()
        found = (
            f"got {came[:30]!r} at character {at + 1}" if came else "but it ends there"
        )
        return UsageError(
            f"{self._kind} {excerpt(self._text, at)!r}: expected {expected}, {found}; "
            f"{self._example}"
        )


class _RangeParser(_Parser):
    """Reads a sweep as the cleaner with one value of its range, once for each value."""

    _kind = "sweep"
    _example = (
        "a sweep looks like words=1:100, 'link_density<=0:1:0.05' or "
        "'ancestor(bte, {1,2,5})'"
    )

    def __init__(self, text: str) -> None:
        super().__init__(text)
        # The values of the range, ascending, once it was read
        self._values: tuple[float, ...] = ()
        self._tokens_of_range = range(-1, -1)
        self._value = 0.0  # that is taken in the range's place

    def sweep(self) -> CleanerRange:
        """Read the text as a sweep."""
        cleaners = [self.cleaner()]
        if not self._values:
            raise self._error("a range, such as {1:5}, in the place of a number")
        start = self._tokens[self._tokens_of_range.start].start()
        end = self._tokens[self._tokens_of_range.stop].start()
        before, after = _spelled(self._text[:start]), _spelled(self._text[end:])
        if not after and before in _MINIMA and self._values[0] < 1:
            raise self._error("thresholds of at least 1", start)
        for value in self._values[1:]:
            self._next, self._value = 0, value
            cleaners.append(self.cleaner())
        return before, after, self._values, tuple(cleaners)

    def _sign(self) -> str | None:
        whole = self._text[: self._at].strip()
        if whole in AT_LEAST_ONE and self._take("sign", "="):
            return ">="
        return super()._sign()

    def _threshold(self) -> float:
        first, rest = self._next, self._text[self._at :]
        is_known = first == self._tokens_of_range.start
        is_last = not _STRUCTURE.search(rest)
        if is_known or not is_last or (self._values and not _SEVERAL.search(rest)):
            return super()._threshold()
        return self._swept(first, self._read_values())

    def _number(self) -> float | None:
        first, place = self._next, self._at
        if first == self._tokens_of_range.start:
            self._next = self._tokens_of_range.stop
            return self._value
        if self._take("sign", "{"):
            values = self._read_values()
            self._need("sign", "a comma or a closing brace", "}")
            return self._swept(first, values)
        number = super()._number()
        if number is not None and self._tokens[self._next]["sign"] == ":":
            raise self._error(
                "braces around a range that is not behind a sign at the end", place
            )
        return number

    def _swept(self, first: int, values: tuple[float, ...]) -> float:
        """Remember the range, which begins with a token; return its first value."""
        if self._values:
            raise self._error(
                "one range; two sweeps make a `grid`", self._tokens[first].start()
            )
        self._values, self._tokens_of_range = values, range(first, self._next)
        return values[0]

    def _read_values(self) -> tuple[float, ...]:
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
        number = self._need("number", "a number")
        try:
            return Decimal(number)
        except InvalidOperation:
            raise self._error(f"numbers of at most {_MAX_VALUE}", place) from None


def _spelled(text: str) -> str:
    """Return a part of a parsed rule with the blanks and the numbers of canonical texts."""
    spelled = ""
    for token in _TOKEN.finditer(text):
        sign = token[0].strip()
        spelled += (
            number_text(float(sign)) if token["number"] else _SPACED.get(sign, sign)
        )
    return {short: full for full, short in _MINIMA.items()}.get(spelled, spelled)


# An extractor's text -> the call of its library that gives it.
_CALLS = {
    "trafilatura": "trafilatura.extract(html)",
    "trafilatura-fast": "trafilatura.extract(html, fast=True)",
    "resiliparse": "extract_plain_text(html, main_content=True) of resiliparse",
    "readability": "readability.Document(html).summary()",
    "crawl4ai-pruning": "PruningContentFilter() of crawl4ai",
    "turbohtml": "turbohtml.parse(html).main_text()",
}


def elsewhere(cleaner: Cleaner) -> list[str]:
    """Return a sentence on the closest setting of another tool; none if none is known."""
    match cleaner:
        case Comparison("words", ">=", value) if value == int(value):
            return [
                f"crawl4ai keeps text similar to that of {cleaner} with "
                f"word_count_threshold={int(value)}; it cuts pages differently"
            ]
        case PageText(name) if name in _CALLS:
            return [f"Without boilersweep {cleaner} is {_CALLS[name]}"]
        case _ if setting := setting_of(cleaner):
            return [f"The setting of {setting.name} is {setting.copied}"]
        case _:
            return []
