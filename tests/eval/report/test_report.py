"""The report of a study that was run."""

import base64
import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from boilersweep import BlockStore
from boilersweep.eval import StudyOptions, report_study, run_study
from boilersweep.eval.report.evidence import gather_evidence
from boilersweep.eval.report.report_page import render
from boilersweep.eval.study import results
from boilersweep.eval.study.study_json import read_study
from boilersweep.indexer import AnalyzerOptions
from boilersweep.topics import Qrels, Topic
from tests.conftest import known


@pytest.mark.usefixtures("java")
def test_a_study_with_its_evidence(
    store: BlockStore,
    topics: Sequence[Topic],
    qrels: Qrels,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    output = tmp_path / "out"
    run_study(
        store,
        ["words>=4", "bte"],
        topics,
        qrels,
        output,
        study=StudyOptions(sweeps=["words=1:8"], report=report_study),
    )
    study = read_study(output / "study.json")
    evidence = gather_evidence(study, output, store, qrels, AnalyzerOptions())
    page = (output / "report.html").read_text("utf-8")
    assert page == render(study, evidence)
    packed = known(re.search('id="evidence-data">([^<]*)<', page))
    found = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    assert found["cleaners"][0]["place"] == known(study.choice).chosen
    changes = [
        document["change"]
        for topic in found["cleaners"][0]["topics"].values()
        for document in topic["documents"]
    ]
    # The menus of other animals' pages are gone: their pages leave, the animal's own enter.
    assert "entered" in changes
    assert "left" in changes
    assert found["pages"]
    monkeypatch.setattr(results, "MOST_TOPICS", 2)
    listed = {study.topics[place].id for place in study.listed_topics}
    some = gather_evidence(study, output, store, qrels, AnalyzerOptions())
    for one, whole in zip(some, evidence, strict=True):
        assert list(one["topics"]) == [
            topic for topic in whole["topics"] if topic["id"] in listed
        ]
