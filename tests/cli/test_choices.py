"""What the help texts offer, written down there for speed, is what there is."""

from collections.abc import Iterable

import pytest

from boilersweep.cli import arguments, dataset_arguments, topic_arguments
from boilersweep.cli.commands import features, train
from boilersweep.collection.formats import FORMATS
from boilersweep.eval.judge.datasets import DATASETS
from boilersweep.eval.training.learners import LEARNERS
from boilersweep.eval.training.train import LEARNED
from boilersweep.eval.training.validation import KINDS
from boilersweep.export.options import FORMATS as EXPORT_FORMATS
from boilersweep.store.feature_table import FAMILIES
from boilersweep.store.near_duplicates import METHODS
from boilersweep.topics import FIELDS


@pytest.mark.parametrize(
    ("offered", "known"),
    [
        pytest.param(arguments.FORMATS, FORMATS, id="formats"),
        pytest.param(topic_arguments.FIELDS, FIELDS, id="fields"),
        pytest.param(arguments.EXPORT_FORMATS, EXPORT_FORMATS, id="export formats"),
        pytest.param(arguments.DEDUP_METHODS, METHODS, id="dedup"),
        pytest.param(dataset_arguments.DATASETS, DATASETS, id="datasets"),
        pytest.param(features.FAMILIES, FAMILIES, id="features"),
        pytest.param(train.MODELS, [LEARNED, *LEARNERS], id="models"),
        pytest.param(train.LEFT_OUT, KINDS, id="left out"),
    ],
)
def test_what_is_offered_is_what_there_is(offered: Iterable[str], known: Iterable[str]) -> None:
    assert sorted(offered) == sorted(known)
