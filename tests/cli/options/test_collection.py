"""What --dataset stands for."""

from argparse import Namespace
from pathlib import Path

import pytest

from boilersweep.cli.options.collection import resolve_dataset
from boilersweep.errors import UsageError

GOV = "irds:gov/trec-web-2002"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (
            {"input": None, "store": None, "topics": None, "qrels": None},
            {"input": GOV, "store": None, "topics": GOV, "qrels": GOV},
        ),
        (
            {"input": None, "store": "s", "topics": "t", "qrels": None},
            {"input": None, "store": "s", "topics": "t", "qrels": GOV},
        ),
        ({"topics": None, "qrels": "q"}, {"topics": GOV, "qrels": "q"}),
        ({"input": "x"}, {"input": "x"}),
    ],
)
def test_a_dataset_stands_for_what_is_not_named_otherwise(
    given: dict[str, str | None], found: dict[str, str | None]
) -> None:
    args = Namespace(dataset=GOV, **given)
    resolve_dataset(args)
    values = {name: getattr(args, name) for name in given}
    assert values == found | {n: Path(GOV) for n, value in found.items() if value == GOV}


def test_without_a_dataset_nothing_is_filled_in() -> None:
    with pytest.raises(UsageError):
        resolve_dataset(Namespace(dataset=None, topics=None))
