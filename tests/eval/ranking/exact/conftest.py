"""The difficult collection as a store of several shards."""

import pytest

from boilersweep import BlockStore
from tests.difficult import (
    difficult_pages,
    difficult_queries,
    pages_with_apostrophes,
)
from tests.eval.conftest import MakeStore


@pytest.fixture(scope="session")
def pages() -> dict[str, str]:
    return difficult_pages() | pages_with_apostrophes()


@pytest.fixture(scope="session")
def queries() -> dict[str, str]:
    return difficult_queries()


@pytest.fixture(scope="session")
def store(make_store: MakeStore, pages: dict[str, str]) -> BlockStore:
    found = list(pages.items())
    return make_store(*(dict(found[at : at + 40]) for at in range(0, len(found), 40)))
