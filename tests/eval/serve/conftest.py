"""Pages on this machine: that of the small assessment, and one that explores seven pages."""

import contextlib
import html
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from boilersweep import BlockStore, parse_cleaner
from boilersweep.cleaners.syntax.variants import parse_sweep
from boilersweep.eval.assess.judgements import judgements_in
from boilersweep.indexer import AnalyzerOptions, open_index
from tests.eval.assess.conftest import HOSTILE, Make, folder, make
from tests.eval.conftest import MakeStore
from tests.eval.people.serving import Served, needs_serve, serving

__all__ = ["folder", "make", "needs_serve"]  # fixtures


@pytest.fixture
def served(needs_serve: None, make: Make) -> Iterator[Served]:
    """Serve the page of a new assessment."""
    from boilersweep.eval.serve.judging import judging_routes

    assessment = make()
    with serving(assessment, judging_routes(assessment)) as server:
        yield server


@pytest.fixture
def pages(make_store: MakeStore) -> BlockStore:
    """Seven pages about bread, in blocks of different lengths; one is hostile."""
    menu = "<p>bread</p><p>Home bread contact</p>"
    bodies = {
        f"d{number}": f"<title>Page {number}</title>{menu * number}"
        f"<p>{'Our bread comes from the oven of a neighbour who bakes well. ' * (7 - number)}</p>"
        for number in range(1, 7)
    }
    bodies["evil"] = (
        f"<title>{html.escape(HOSTILE)}</title><p>bread {html.escape(HOSTILE)}</p>"
    )
    return make_store(bodies)


@pytest.fixture
def exploring(
    needs_serve: None, java: None, pages: BlockStore, tmp_path: Path
) -> Iterator[Served]:
    """Serve the page that explores the store under three thresholds and `bte`."""
    from boilersweep.eval.serve.exploring import (
        Worker,
        explore_index,
        exploring_routes,
        index_of_blocks,
    )

    index = index_of_blocks(pages, AnalyzerOptions(), tmp_path / "pages")
    explored = explore_index(
        open_index(index, store=pages),
        pages,
        [parse_sweep("words=1,3,11")],
        [parse_cleaner("bte"), parse_cleaner("headed(bte)")],
        tmp_path / "judged",
    )
    explored = replace(explored, queries=["neighbour", "contact bread"])
    worker = Worker()
    with (
        contextlib.closing(worker),
        judgements_in(explored.judged) as judgements,
        serving(explored, exploring_routes(explored, worker, judgements)) as server,
    ):
        yield server


def shown(browser: Any) -> tuple[str, str]:
    """Topic and docid of the document that is to be judged."""
    script = "const f = document.forms.judge; return [f.topic.value, f.docid.value]"
    topic, docid = browser.execute_script(script)
    return topic, docid
