"""Real pages: the study's figures are those of ir-measures, and cleaning is worth something."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from ir_measures import P, nDCG

from boilersweep.cleaners.language.grammar import parse_cleaners
from boilersweep.eval.experiment.request import ExperimentOptions, Verification
from boilersweep.eval.study.study import run_study
from boilersweep.segmenting.segment import Segmentation, segment_collection
from boilersweep.topics import read_qrels, read_topics
from tests.eval.study.conftest import scores_of_runs, written_study

pytestmark = pytest.mark.java

CLEANERS = "words>=11,bte,density-rules,link_density<=0.33"


def test_figures_on_real_pages(outside_data: Callable[[str], Path], tmp_path: Path) -> None:
    newsmix = outside_data("newsmix")
    store = segment_collection(
        newsmix / "trec",
        tmp_path / "store",
        Segmentation(collection="blogs06", given={"gold": newsmix / "gold.jsonl.gz"}),
    )
    qrels = read_qrels(newsmix / "qrels.open.txt")
    output = tmp_path / "study"
    run_study(
        store,
        parse_cleaners(CLEANERS),
        read_topics(newsmix / "topics.open.txt"),
        qrels,
        output,
        options=ExperimentOptions(verification=Verification(variants=1)),
    )
    study = written_study(output)
    assert len(study["topics"]) == 71
    scores = scores_of_runs(study, output, qrels, {"P@10": P @ 10, "nDCG@10": nDCG @ 10})
    for variant in study["variants"]:
        for measure, values in scores[variant["name"]].items():
            result = variant["results"][measure]
            assert result["mean"] == pytest.approx(np.mean(values), abs=1e-6)
    assert study["statistics"]["comparisons"] == 8
    # BTE is worth something on these pages, and what a sweep's best looks like is no finding.
    bte = next(v for v in study["variants"] if v["cleaner"] == "bte")
    assert bte["results"]["P@10"]["difference"]["tests"]["randomisation_holm"] < 0.05
    assert 0 < bte["losses"]["terms_lost"] < 0.1
    assert study["suggestion"]["cleaner"] == "words>=11"
