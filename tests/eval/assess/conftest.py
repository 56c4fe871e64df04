"""A small assessment without an index: 40 topics, two cleaners, grades by the document's name."""

from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep.collection.format import SourceLocation
from boilersweep.eval.assess.assessment import Assessment
from boilersweep.eval.assess.judgements import Judgements
from boilersweep.eval.people.documents import ShownDocument
from boilersweep.eval.stats.families import Family, parse_summed_measure
from boilersweep.topics import Topic

HOSTILE = "<script>document.title='attacked'</script><img src=x onerror=alert(1)>"

Make = Callable[[], Assessment]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "judged"


@pytest.fixture
def make(folder: Path) -> Make:
    """Return a function that opens the assessment, as again after a kill."""

    def open_it() -> Assessment:
        topics = [
            Topic(
                f"t{number:02}",
                f"bread ovens {number} {HOSTILE}",
                "Ways to bake <b>bread</b>.",
            )
            for number in range(40)
        ]
        runs = {
            "words>=1": {one.id: ["same", f"n1-{one.id}", "=n2"] for one in topics},
            "learned": {one.id: ["same", f"r1-{one.id}", "r2"] for one in topics},
        }
        judgements = Judgements(folder)
        order = judgements.keep_topics(topics)
        family = Family(runs, order, parse_summed_measure("P@3"))
        names = {name for topic in order for name in family.pool(topic)}
        documents = {
            name: ShownDocument(
                name,
                f"Title {HOSTILE}",
                "javascript:alert(1)",
                "2006-01-01",
                (f"Our bread comes from ovens. {HOSTILE}", "Second block", "menu"),
                (True, True, False),
                SourceLocation("", 0),
            )
            for name in names
        }
        by_id = {one.id: one for one in topics}
        return Assessment(by_id, family, documents, judgements)

    return open_it


def grade(docid: str) -> int:
    """As the assessors of these tests judge."""
    return 2 if docid.startswith("r") else 0
