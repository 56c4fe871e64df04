"""index --blocks and search --keep: one index, searched as any rule leaves it."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs

pytestmark = pytest.mark.java


@pytest.fixture
def blocks(call: Call, store: Path, tmp_path: Path) -> Path:
    index = tmp_path / "blocks"
    asked = ("index", "--store", store, "--blocks", "--cleaners", "bte")
    call(*asked, "--output", index).ok()
    return index


@pytest.mark.parametrize("rule", ["words>=5", "words>=2 & words<=9", "bte"])
def test_a_run_is_that_of_an_index_of_the_rule(
    call: Call, store: Path, blocks: Path, inputs: Inputs, tmp_path: Path, rule: str
) -> None:
    real = tmp_path / "real"
    call("index", "--store", store, "--keep", rule, "--output", real).ok()
    runs = []
    for index, keep in ((blocks, ("--keep", rule)), (real, ())):
        run = tmp_path / f"{index.name}.trec"
        asked = ("search", "--index", index, "--topics", inputs.topics, *keep)
        call(*asked, "--output", run).ok()
        runs.append(run.read_text())
    assert runs[0] == runs[1] != ""


def test_one_query_under_one_rule_and_under_two(call: Call, blocks: Path) -> None:
    asked = ("search", "--index", blocks, "--query", "pony apples")
    assert "title" not in call(*asked, "--keep", "words>=5").ok().err
    shown = call(*asked, "--keep", "words>=1", "--keep", "words>=9").ok().out
    assert shown.splitlines()[0].split()[0] == "1"


def test_a_cleaner_that_reads_the_store(call: Call, store: Path, blocks: Path) -> None:
    asked = ("search", "--index", blocks, "--query", "pony", "--keep", "headed(bte)")
    call(*asked).refused(2, "name the block store as --store")
    call(*asked, "--store", store).ok()


def test_calls_that_fit_no_index(call: Call, store: Path, blocks: Path) -> None:
    index = ("index", "--store", store, "--output", "x", "--blocks")
    call(*index, "--keep", "bte").refused(2, "expected either --sweep")
    call(*index, "--sweep", "words=1:3").refused(2, "expected either --sweep")
    call(*index, "--storeContents").refused(2, "no stored texts")
    search = ("search", "--index", blocks, "--keep", "bte", "--keep", "words>=2")
    call(*search, "--topics", "t", "--output", "o").refused(2, "expected one of each")
