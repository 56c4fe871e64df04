"""Real pages: the study's figures are those of ir-measures and scipy, computed apart."""

import json
from collections.abc import Callable
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from ir_measures import P, nDCG
from scipy import stats

from boilersweep.cleaners.language.grammar import parse_cleaners
from boilersweep.eval.experiment.request import ExperimentOptions, Verification
from boilersweep.eval.stats.statistics import SEED
from boilersweep.eval.study.study import run_study
from boilersweep.pages.columns import FloatArray
from boilersweep.segmenting.segment import Segmentation, segment_collection
from boilersweep.topics import read_qrels, read_topics

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
    study = json.loads((output / "study.json").read_text())
    topics = [topic["id"] for topic in study["topics"]]
    assert len(topics) == 71
    for measure in (P @ 10, nDCG @ 10):
        values = {}
        for variant in study["variants"]:
            by_topic = dict.fromkeys(topics, 0.0)
            run = list(ir_measures.read_trec_run(str(output / variant["run"])))
            for metric in ir_measures.iter_calc([measure], qrels.grades, run):
                by_topic[metric.query_id] = metric.value
            values[variant["cleaner"]] = np.array(list(by_topic.values()))
        kept, gold = values["words>=1"], values["gold"]
        for variant in study["variants"]:
            here, result = values[variant["cleaner"]], variant["results"][str(measure)]
            assert result["mean"] == pytest.approx(here.mean(), abs=1e-6)
            assert result["closed"] == pytest.approx(
                (here.mean() - kept.mean()) / (gold.mean() - kept.mean()), abs=1e-5
            )
            if variant["role"] == "baseline":
                continue
            assert result["difference"]["interval"] == pytest.approx(_bca(here - kept), abs=0.002)
            if variant["role"] == "gold":
                continue
            tests = result["difference"]["tests"]
            t = stats.ttest_rel(here, kept).pvalue
            assert tests["t"] == pytest.approx(t, rel=1e-4, abs=1e-6)
            assert tests["randomisation"] == pytest.approx(_randomised(here, kept), abs=0.01)
            assert tests["t_holm"] >= tests["t"]
    assert study["statistics"]["comparisons"] == 8
    # BTE is worth something on these pages, and what a sweep's best looks like is no finding.
    bte = next(v for v in study["variants"] if v["cleaner"] == "bte")
    assert bte["results"]["P@10"]["difference"]["tests"]["randomisation_holm"] < 0.05
    assert 0 < bte["losses"]["terms_lost"] < 0.1
    assert study["suggestion"]["cleaner"] == "words>=11"


def _bca(differences: FloatArray) -> tuple[float, float]:
    found = stats.bootstrap(
        (differences,), np.mean, n_resamples=10_000, rng=np.random.default_rng(SEED)
    ).confidence_interval
    return float(found.low), float(found.high)


def _randomised(a: FloatArray, b: FloatArray) -> float:
    found = stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        vectorized=True,
        rng=np.random.default_rng(1),
    )
    return float(found.pvalue)
