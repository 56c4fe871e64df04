import pytest

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.cleaners.registry import PLUGINS
from boilersweep.cleaners.variants import collect_variants
from boilersweep.eval.engines import SearchOptions
from boilersweep.eval.provenance import identity
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels
from tests.conftest import Install

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

    def made(*rules: str) -> dict[str, object]:
        variants = collect_variants((), [parse_cleaner(rule) for rule in rules])
        return identity("study", store, variants, {}, Qrels({}), SearchOptions(), ["P@10"])

    before, without = made("even & words>=2"), made("words>=2")
    module.write_text(RULE.replace("% 2", "% 3"), "utf-8")
    after = made("even & words>=2")
    assert {term for term in before if before[term] != after[term]} == {"plugins"}
    assert "plugins" not in without
    assert made("words>=2") == without
