"""The rules that have names: what each says of itself, and those of other distributions."""

import pickle
from pathlib import Path

import pytest

from boilersweep import BoilersweepError, UsageError, parse_cleaner
from boilersweep.cleaners.block_classes import CLASSES
from boilersweep.cleaners.page_model import why_no_model
from boilersweep.cleaners.registry import (
    DEFAULT,
    NAMED,
    all_rules,
    find_text_cleaner,
    rule_names,
    rules_alone,
)
from boilersweep.cleaners.rules import PLUGINS, And, Comparison
from boilersweep.cleaners.selection import identity_of, select
from boilersweep.cleaners.selectors import Marked
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.cli.lists import print_cleaners
from boilersweep.extractors.registry import PLUGINS as EXTRACTORS
from tests.cleaners.conftest import MakeColumns
from tests.conftest import Install

SOURCE = """
from dataclasses import dataclass

from boilersweep.cleaners.rules import NamedRule, Parameter, Rule
from boilersweep.pages.columns import NOTHING, TEXTS


class Even(NamedRule):
    name = "even"
    needs = NOTHING

    def mask(self, columns):
        return columns.words % 2 == 0


@dataclass(frozen=True, slots=True)
class Shouted(NamedRule):
    name = "shouted"
    parameters = (Parameter("CLEANER", "a cleaner"), Parameter("LEAST", "a number", optional=True))
    summary = "of what a cleaner keeps the blocks in capitals"
    source = "Loud et al. 2024, section 2"
    needs = TEXTS

    cleaner: Rule
    least: float = 1

    def mask(self, columns):
        return self.cleaner.mask(columns) & [text.isupper() for text in columns.texts]

    def __str__(self):
        return f"{self.name}({self.cleaner}, {self.least:g})"


class Abstract(NamedRule):
    name = "abstract"


number = 3
"""
POINTS = {"even": "loud:Even", "shouted": "loud:Shouted"}


@pytest.fixture
def loud(install: Install) -> Path:
    """Install a distribution with two rules."""
    return install("loud", SOURCE, PLUGINS.name, POINTS, version="0.3")


@pytest.mark.parametrize(
    "signature",
    [
        "bte",
        "ancestor(CLEANER[, DEPTH])",
        "link-quota([QUOTA])",
        pytest.param(
            "learned(['FILE'][, comments=yes])",
            marks=pytest.mark.application("learned"),
        ),
    ],
)
def test_signatures(signature: str) -> None:
    assert NAMED[signature.partition("(")[0]].signature() == signature


def test_rules_that_need_no_argument() -> None:
    alone = {str(rule) for rule in rules_alone()}
    unusable = {"learned"} if why_no_model() else set()
    beside = {"ancestor", "headed", "inside", "largest-content", "main-content", "site"}
    assert alone == NAMED.keys() - beside - unusable - {
        Marked.name,
        *(one.name for one in CLASSES),
    }


@pytest.mark.application("learned")
@pytest.mark.usefixtures("unusable_model")
def test_a_model_that_cannot_run_is_no_rule_alone() -> None:
    assert "learned" not in map(str, rules_alone())


@pytest.mark.usefixtures("loud")
def test_a_plug_in_is_found_by_its_name_in_rules(columns: MakeColumns) -> None:
    assert rule_names() == [*NAMED, "even", "shouted"]
    rule, shouted = parse_rule("words>=2 & even"), parse_rule("shouted(even)")
    page = columns("<p>one<p>ONE TWO<p>one two three<p>one two three four")
    assert rule.mask(page).tolist() == [False, True, False, True]
    assert shouted.mask(page).tolist() == [False, True, False, False]
    for one in (rule, shouted, parse_rule("!even")):
        again = pickle.loads(pickle.dumps(one))  # noqa: S301
        assert len({one, again, parse_cleaner(str(one))}) == 1
    with pytest.raises(UsageError, match=r"expected shouted\(CLEANER\[, LEAST\]\)"):
        parse_rule("shouted")


@pytest.mark.parametrize("ends", ["sys.exit(0)", "sys.exit('no')"])
def test_a_rule_that_exits_is_an_error_and_stays_in_the_folder(
    install: Install, columns: MakeColumns, ends: str
) -> None:
    source = SOURCE.replace(
        "return columns.words % 2 == 0", f"import os, sys; os.chdir('/'); {ends}"
    )
    install("loud", source, PLUGINS.name, POINTS)
    before = Path.cwd()
    with pytest.raises(BoilersweepError, match=r"even failed: it calls sys\.exit"):
        select(columns("<p>one two"), [parse_cleaner("even")])
    assert Path.cwd() == before


def test_a_plug_in_is_known_by_distribution_version_and_source(loud: Path) -> None:
    rule = And(Comparison("words", ">=", 11), parse_rule("shouted(even)"))
    before = identity_of(rule)
    assert before["text"] == "words>=11 & shouted(even, 1)"
    assert before["plugins"]["even"].startswith("loud 0.3, loud:Even ")
    assert before["plugins"]["shouted"].startswith("loud 0.3, loud:Shouted ")
    loud.write_text(SOURCE.replace("% 2 == 0", "% 3 == 0"))
    assert identity_of(rule) != before
    assert identity_of(parse_rule("bte")).keys() == {"text", "models"}


@pytest.mark.usefixtures("loud")
def test_plug_ins_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    print_cleaners()
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert (
        "shouted(CLEANER[, LEAST]) of what a cleaner keeps the blocks in capitals "
        "Loud et al. 2024, section 2"
    ) in lines
    assert "even loud" in lines


@pytest.mark.parametrize(
    ("point", "place", "message"),
    [
        ("mine", "no_such_module:X", "cannot be imported .*no_such_module.*PYTHONPATH"),
        ("mine", "loud:Nothing", "cannot be imported .*Nothing"),
        (
            "mine",
            "loud:number",
            "expected a subclass of .*NamedRule.*got 3 from loud 0.3",
        ),
        ("abstract", "loud:Abstract", "with name, needs and mask, got .*Abstract"),
        (
            "mine",
            "loud:Even",
            "expected a rule of the name that its entry point has, got 'even'",
        ),
        (
            "bte",
            "loud:Even",
            "a name that no other cleaner, feature or extractor has, got loud",
        ),
        (
            "words",
            "loud:Even",
            "a name that no other cleaner, feature or extractor has",
        ),
        pytest.param(
            "trafilatura",
            "loud:Even",
            "a name that no other cleaner, feature or extractor has",
            marks=pytest.mark.application("extractors"),
        ),
    ],
)
def test_a_plug_in_that_cannot_be_used(
    install: Install,
    capsys: pytest.CaptureFixture[str],
    point: str,
    place: str,
    message: str,
) -> None:
    install("loud", SOURCE, PLUGINS.name, {point: place}, version="0.3")
    with pytest.raises(UsageError, match=f"cleaner '{point}'.*{message}"):
        parse_cleaner(f"{point}>=2" if point == "words" else point)
    assert parse_rule("mss & density>=2")
    (error,) = [one for one in all_rules() if isinstance(one, UsageError)]
    print_cleaners()
    assert f"\nLeft out: {error}\n" in capsys.readouterr().out


def test_a_rule_and_an_extractor_of_one_name(install: Install) -> None:
    install("one", SOURCE, PLUGINS.name, {"even": "one:Even"})
    install("two", SOURCE, EXTRACTORS.name, {"even": "two:number"})
    with pytest.raises(
        UsageError, match=r"no other cleaner, feature or extractor has, got one"
    ):
        parse_cleaner("even")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param(
            "learnd",
            r"no cleaner is named 'learnd' \(did you mean learned\?\);",
            marks=pytest.mark.application("learned"),
        ),
        pytest.param(
            "trafilaturra",
            r"'trafilaturra' \(did you mean trafilatura or",
            marks=pytest.mark.application("extractors"),
        ),
        ("zzz", "no cleaner is named 'zzz'; `boilersweep --list cleaners` lists"),
        ("a" * 100_000, r"^.{,1000}$"),
    ],
    ids=lambda text: text[:9],
)
def test_an_extractor_that_there_is_not(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_text_cleaner(name)


def test_without_learned_the_message_names_another_cleaner(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(NAMED, DEFAULT, raising=False)
    with pytest.raises(UsageError, match=r"^no cleaner is named 'learned'; name anot"):
        find_text_cleaner(DEFAULT)
