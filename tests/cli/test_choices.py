"""Choices and defaults in help texts, copied there for speed, equal those of the package."""

from collections.abc import Iterable

import pytest

from boilersweep.cli import options
from boilersweep.cli.commands import features, train
from boilersweep.eval.ranking.search import HITS
from boilersweep.eval.training.learners import LEARNERS
from boilersweep.eval.training.train import LEARNED
from boilersweep.eval.training.validation import KINDS
from boilersweep.export.options import FORMATS as EXPORT_FORMATS
from boilersweep.export.options import ExportOptions
from boilersweep.segmenting.limits import Limits
from boilersweep.segmenting.segment import Segmentation
from boilersweep.store.feature_table import FAMILIES
from boilersweep.store.near_duplicates import METHODS, THRESHOLD
from tests.cli.conftest import Call


@pytest.mark.parametrize(
    ("offered", "known"),
    [
        pytest.param(options.export.FORMATS, EXPORT_FORMATS, id="export formats"),
        pytest.param(options.export.DEDUP_METHODS, METHODS, id="dedup"),
        pytest.param(features.FAMILIES, FAMILIES, id="features"),
        pytest.param(train.MODELS, [LEARNED, *LEARNERS], id="models"),
        pytest.param(train.LEFT_OUT, KINDS, id="left out"),
    ],
)
def test_offered_choices_are_those_of_the_package(
    offered: Iterable[str], known: Iterable[str]
) -> None:
    assert sorted(offered) == sorted(known)


@pytest.mark.parametrize(
    ("command", "option", "default"),
    [
        ("compare", "--hits", HITS),
        ("export", "--format", ExportOptions().format),
        ("export", "--dedup-threshold", THRESHOLD),
        ("segment", "--on-duplicate", Segmentation().on_duplicate),
        ("segment", "--max-page-bytes", f"{Limits().page_bytes // 2**20} MiB"),
        ("segment", "--max-page-blocks", f"{Limits().page_blocks:,}"),
        ("search", "--rocchio.beta", 0.75),
    ],
)
def test_shown_defaults_are_those_of_the_package(
    call: Call, command: str, option: str, default: object
) -> None:
    text = " ".join(call(command, "--help").out.partition("\noptions:\n")[2].split())
    about = text.partition(f" {option} ")[2]
    assert about.partition("(default: ")[2].startswith(f"{default})")
