"""A small collection that topics can be run on, with judgements."""
# ruff: noqa: RUF001, S311

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

from boilersweep import BlockStore
from boilersweep.eval.stats.statistics import SEED, bootstrap_intervals
from boilersweep.indexer.adders import segments_can_be_added
from boilersweep.topics import Qrels, Topic
from tests.stores import make_store_of

ANIMALS = "pony zebra otter heron lynx".split()

MakeStore = Callable[..., BlockStore]


def bootstrap_interval(values: ArrayLike, seed: int = SEED) -> tuple[float, float]:
    """Return the interval of the mean of some values, one per topic."""
    column = np.asarray(values, dtype=np.float64)[:, None]
    low, high = bootstrap_intervals(column, seed=seed)[0].tolist()
    return low, high


@pytest.fixture(scope="session")
def make_store(tmp_path_factory: pytest.TempPathFactory) -> MakeStore:
    """Return a function that makes a block store of shards, each docid -> HTML."""
    return lambda *shards: make_store_of(tmp_path_factory.mktemp("store"), *shards)


@pytest.fixture(scope="session")
def store(make_store: MakeStore) -> BlockStore:
    """40 pages, each about an animal in long blocks and naming all others in short ones."""
    dice = random.Random(5)
    filler = [f"word{number}" for number in range(60)]
    pages = {}
    for number in range(40):
        about = ANIMALS[number % len(ANIMALS)]
        others = [animal for animal in ANIMALS if animal != about]
        menu = "".join(
            f"<p>{animal} {animal}</p>" for animal in dice.choices(others, k=6)
        )
        body = " ".join([about, *dice.choices(filler, k=dice.randint(8, 30))])
        pages[f"d{number:02d}"] = f"<html><body>{menu}<p>{body}</p></body></html>"
    pages["emoji"] = '<p>a 😀 face that says "hello" 𝒳𝓎𝓏</p>'
    return make_store(pages)


@pytest.fixture
def segments(java: None) -> None:
    """Skip the test where indexes are not made of counted terms."""
    if not segments_can_be_added():
        pytest.skip("the counter is not built, or BOILERSWEEP_PURE is set")


@pytest.fixture(scope="session")
def topics() -> list[Topic]:
    return [
        Topic(str(number), animal) for number, animal in enumerate(ANIMALS, start=1)
    ]


@pytest.fixture(scope="session")
def qrels() -> Qrels:
    grades = {
        str(number + 1): {
            f"d{d:02d}": int(d % len(ANIMALS) == number) for d in range(35)
        }
        for number in range(len(ANIMALS))
    }
    return Qrels(grades)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "out"
