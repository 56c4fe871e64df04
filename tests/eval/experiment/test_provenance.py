from pathlib import Path

import pytest

from boilersweep.cleaners.language.grammar import parse_cleaner
from boilersweep.cleaners.language.variants import collect_variants
from boilersweep.cleaners.rules import PLUGINS
from boilersweep.eval.experiment.request import ExperimentOptions, ExperimentRequest, OutputOptions
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels, Topic
from tests.conftest import Install

QRELS = Qrels({"1": {"d00": 1}})

RULE = """
from boilersweep.cleaners.rules import NOTHING, NamedRule


class Even(NamedRule):
    name = "even"
    needs = NOTHING

    def mask(self, columns):
        return columns.words % 2 == 0
"""


@pytest.mark.usefixtures("java")
def test_a_plug_in_that_changed_makes_another_experiment(
    store: BlockStore, install: Install
) -> None:
    module = install("even_rule", RULE, PLUGINS.name, {"even": "even_rule:Even"})

    def identity(*rules: str) -> dict[str, object]:
        variants = collect_variants((), [parse_cleaner(rule) for rule in rules])
        options = ExperimentOptions(measures=["P@10"])
        topics = [Topic("1", "pony")]
        request = ExperimentRequest(store, topics, QRELS, Path(), options, OutputOptions())
        return request.identity("study", variants, {})

    before, without = identity("even & words>=2"), identity("words>=2")
    module.write_text(RULE.replace("% 2", "% 3"), "utf-8")
    after = identity("even & words>=2")
    assert {term for term in before if before[term] != after[term]} == {"plugins"}
    assert "plugins" not in without
    assert identity("words>=2") == without
