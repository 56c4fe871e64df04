"""Mistakes of users: the command line and the message, one line for each mistake."""

import gzip
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs

USAGE: list[tuple[str, list[str]]] = [
    (
        "index --store s --keep wurds>2 --threads 0 --update --overwrite --optimise",
        [
            "--keep: keep rule 'wurds>2': expected one of words, density",
            "--threads: expected a whole number of at least 1, got '0'",
            "--overwrite: not allowed with argument --update",
            "the following arguments are required: --output",
            "unrecognized arguments: --optimise (did you mean --optimize?)",
        ],
    ),
    (
        "compare --store s --topics t --qrels q --output o --cleaners lerned,words --formula bm26",
        [
            "--cleaners: keep rule 'lerned,words': expected one of >= > <= < == != and a number "
            "after words",
            "--formula: expected some of bm25, qld, classic, lucene-2.9, rm3, rocchio, separated "
            "by commas, got 'bm26' (did you mean bm25?)",
        ],
    ),
    (
        "sweep --input p --topics t --qrels q --output o --engine exact --rm3 --measures NDGC@10",
        [
            "measures: expected those that ir-measures computes here",
            "--rm3 requires --engine indexes: feedback reads document vectors",
        ],
    ),
    (
        "sweep --topics t --grid words=1:3 density=1:2 --cleaners bte --share 1/2 --output o",
        [
            "expected --input or --store and --qrels; or --dataset irds:ID",
            "--grid cannot be used with --cleaners",
            "--grid runs in one process",
        ],
    ),
    (
        "export --store s --output o --keep learned>=1.5 --overlap 3 --dedup-threshold 0.9",
        [
            "--keep: keep rule 'learned>=1.5': expected a number from 0 to 1",
            "--overlap requires --passages",
            "--dedup-threshold requires --dedup minhash",
        ],
    ),
    ("clean --keep learned>=1.5", ["--keep: keep rule 'learned>=1.5': expected a number from 0"]),
    ("segment --input p --output o --shard 1/2", ["unrecognized arguments: --shard 1/2"]),
    ("segment --input p --output o --heap", ["unrecognized arguments: --heap"]),
    ("segment --input", ["--input: expected one argument"]),
    ("serch", ["command: expected one of demo, sweep, compare"]),
    ("", ["the following arguments are required: COMMAND"]),
    (
        "search --index i --topics t --output o --fields titel=x",
        [
            "--fields: expected title, desc, narr of the topics, or a field of the index with a "
            "boost above 0, such as title=0.5, got 'titel=x' (did you mean title?)",
        ],
    ),
    (
        "train --dataset wcbx=d --leave-out sites --output m.npz --model tre",
        [
            "--dataset: expected NAME=DIR, NAME one of l3s-gn1, cleaneval, wcxb, snippets, folder, "
            "got 'wcbx=d' (did you mean wcxb?)",
            "--leave-out: expected some of site, source, language, got 'sites' (did you mean ",
            "--model: expected one of learned, tree, 1r, svm, logistic, perceptron, got 'tre' (did "
            "you mean tree?)",
        ],
    ),
]


@pytest.mark.parametrize(("line", "messages"), USAGE, ids=[line for line, _ in USAGE])
def test_all_mistakes_of_a_call(call: Call, line: str, messages: list[str]) -> None:
    outcome = call(*line.split())
    assert (outcome.status, outcome.out) == (2, "")
    *found, hint = outcome.err.splitlines()
    assert hint.startswith("usage: boilersweep")
    assert len(found) == len(messages), outcome.err
    for line_found, message in zip(found, messages, strict=True):
        assert line_found.startswith(f"boilersweep: {message}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("compare --cleaners lerned,words --store s --output o", "lerned (did you mean learned?)"),
        ("evaluate NDGC@10 --qrels q --run r", "got NDGC@10 (did you mean nDCG@10?)"),
        ("evaluate ndcg@20 --qrels q --run r", "got ndcg@20 (did you mean nDCG@20?)"),
    ],
)
def test_misspelt_names_get_a_suggestion(call: Call, line: str, message: str) -> None:
    outcome = call(*line.split())
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err


def test_swapped_topics_and_qrels_are_recognised(
    call: Call, inputs: Inputs, store: Path, tmp_path: Path
) -> None:
    compare = ("compare", "--store", store, "--cleaners", "bte", "--output", tmp_path / "o")
    swapped = call(*compare, "--topics", inputs.qrels, "--qrels", inputs.topics)
    assert swapped.status == 1
    assert f"{inputs.qrels} looks like qrels, expected topics" in swapped.err
    packed = tmp_path / "topics.gz"
    packed.write_bytes(gzip.compress(inputs.topics.read_bytes()))
    second = call(*compare, "--topics", inputs.topics, "--qrels", packed)
    assert second.status == 1
    assert f"{packed} looks like topics, expected qrels" in second.err


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ("851 0 other 1\n852 0 other 0\n", "no topic of RUN is in QRELS: the run has 1, the qrels"),
        ("1 0 other 1\n852 0 other 0\n", "no document of RUN is in QRELS: the run has docids such"),
    ],
)
def test_qrels_of_another_collection_are_no_zero(
    call: Call, tmp_path: Path, qrels: str, message: str
) -> None:
    run, file = tmp_path / "run.trec", tmp_path / "qrels"
    run.write_text("1 Q0 GX000-01 1 2.5 mine\n")
    file.write_text(qrels)
    outcome = call("evaluate", "--qrels", file, "--run", run)
    assert (outcome.status, outcome.out) == (1, "")
    assert message.replace("RUN", str(run)).replace("QRELS", str(file)) in outcome.err
