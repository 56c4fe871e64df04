"""A whole study on a small collection: figures against ir-measures and scipy computed apart."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ir_measures import AP, RR, P, nDCG
from msgspec.structs import replace
from scipy import stats

from boilersweep import (
    BlockStore,
    QrelsError,
    Segmentation,
    UsageError,
    segment_collection,
)
from boilersweep.cleaners.syntax.grammar import parse_cleaners
from boilersweep.eval import (
    ExperimentOptions,
    SearchOptions,
    StudyOptions,
    StudyResult,
    run_study,
    run_sweep,
)
from boilersweep.eval.report.report_page import render
from boilersweep.eval.study.study_json import read_study, study_json
from boilersweep.eval.study.suggestion import suggest
from boilersweep.indexer import AnalyzerOptions
from boilersweep.topics import Qrels, Topic
from tests.conftest import known
from tests.eval.conftest import MakeStore
from tests.eval.requests import study_arguments
from tests.eval.study.conftest import rows_of, scores_of_runs, written_study

pytestmark = pytest.mark.java

# words>=5 keeps what words>=4 keeps here; words>=500 keeps nothing.
CLEANERS = parse_cleaners("words>=4,bte,words>=5,density>=2 & words>=2,words>=500")


@pytest.fixture(scope="module")
def golden(store: BlockStore, tmp_path_factory: pytest.TempPathFactory) -> BlockStore:
    """Return the same pages with a gold text for each: its animal alone."""
    folder = tmp_path_factory.mktemp("golden")
    pages = store.manifest.input
    lines = (Path(pages) / "0.jsonl").read_text("utf-8").splitlines()
    animals = "pony zebra otter heron lynx".split()
    texts = [
        {"id": json.loads(line)["id"], "contents": f"{animals[n % 5]} and more"}
        for n, line in enumerate(lines)
    ]
    (folder / "gold.jsonl").write_text("\n".join(map(json.dumps, texts)), "utf-8")
    return segment_collection(
        Path(pages),
        folder / "store",
        Segmentation(collection="jsonl", given={"gold": folder / "gold.jsonl"}),
        workers=1,
    )


@pytest.fixture(scope="module")
def made(
    golden: BlockStore,
    topics: Sequence[Topic],
    qrels: Qrels,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[StudyResult, Path]:
    output = tmp_path_factory.mktemp("study") / "out"
    result = run_study(
        golden,
        CLEANERS,
        topics,
        qrels,
        output,
        **study_arguments(
            sweeps=["words=1:8"],
            measures=("P@10", "nDCG@10", "AP", "RR"),
            title="A study",
        ),
    )
    return result, output


def test_figures_are_those_of_ir_measures_and_scipy_on_the_run_files(
    made: tuple[StudyResult, Path], qrels: Qrels
) -> None:
    _, output = made
    study = written_study(output)
    measures = {"P@10": P @ 10, "nDCG@10": nDCG @ 10, "AP": AP, "RR": RR}
    found = scores_of_runs(study, output, qrels, measures)
    assert any(sum(scores["AP"]) == 0 for scores in found.values())  # words>=500
    base = found["words-001"]
    tests = []
    for variant in study["variants"]:
        for name in measures:
            values_here, kept = (
                np.array(found[variant["name"]][name]),
                np.array(base[name]),
            )
            result = variant["results"][name]
            assert variant["scores"][name] == pytest.approx(values_here, abs=1e-6)
            assert result["mean"] == pytest.approx(values_here.mean(), abs=1e-6)
            if variant["role"] == "baseline":
                assert "difference" not in result
                continue
            assert result["difference"] == pytest.approx(
                (values_here - kept).mean(), abs=1e-6
            )
            given = result.get("tests", {})
            if variant["role"] == "gold":
                assert given == {}
                continue
            tests.append((given, values_here, kept))
    assert study["statistics"]["comparisons"] == len(tests) == 4 * 10
    for given, values_here, kept in tests:
        if np.abs(values_here - kept).max() < 1e-9:
            assert (given["t"], given["randomisation"]) == (1, 1)
            continue
        expected = stats.permutation_test(
            (values_here, kept),
            lambda x, y: np.mean(x - y),
            permutation_type="samples",
            n_resamples=np.inf,
        )
        assert given["randomisation"] == pytest.approx(expected.pvalue, abs=1e-6)
        if np.std(values_here - kept) > 1e-9:
            t = stats.ttest_rel(values_here, kept).pvalue
            assert given["t"] == pytest.approx(t, rel=1e-3, abs=1e-6)
    smallest = min(given["t"] for given, _, _ in tests)
    for given, _, _ in tests:
        assert given["t_holm"] >= given["t"]
        if given["t"] == smallest:
            assert given["t_holm"] == pytest.approx(
                min(1, smallest * len(tests)), rel=1e-3
            )


def test_every_two_are_compared_and_one_of_each_sweep(
    made: tuple[StudyResult, Path],
) -> None:
    result, output = made
    study = written_study(output)
    pairs = study["pairs"]
    names = [study["variants"][place]["name"] for place in pairs["rows"]]
    roles = [study["variants"][place]["role"] for place in pairs["rows"]]
    assert roles[:6] == ["baseline"] + ["cleaner"] * 5
    assert roles[6:] == ["swept"]
    assert pairs["comparisons"] == 4 * 7 * 6 // 2
    # words>=5 keeps what words>=4 keeps.
    alike = {pairs["rows"][names.index(name)] for name in ("words-004", "words-005")}
    (pair,) = (
        p
        for p in pairs["compared"]
        if p["measure"] == "AP" and {p["first"], p["second"]} == alike
    )
    assert pair["effect"] == 0
    assert not {"detectable", "detectable_corrected"} & pair.keys()
    assert pair["tests"]["randomisation_holm"] == 1
    rows = rows_of(output / "pairs.csv")
    assert len(rows) == len(result.pairs()) == 84
    assert {row["told_apart"] for row in rows} <= {"0", "1"}
    assert "group" in result.table
    assert "row less column" not in result.table
    assert "AP: row less column" in (output / "table.md").read_text()
    assert "AP: row less column" in (output / "table.tex").read_text()


def test_the_order_roles_and_costs(made: tuple[StudyResult, Path]) -> None:
    result, output = made
    study = written_study(output)
    assert [v["role"] for v in study["variants"]] == (
        ["baseline"] + ["cleaner"] * 5 + ["swept"] * 5 + ["gold"]
    )
    by_name = {variant["name"]: variant for variant in study["variants"]}
    base, nothing, gold = by_name["words-001"], by_name["words-500"], by_name["gold"]
    # 35 judged documents, a fifth of them relevant to each topic; the menus never name it.
    assert [topic["relevant_here"] for topic in study["topics"]] == [7] * 5
    assert [topic["pairs"] for topic in study["topics"]] == [7] * 5
    assert study["topics"][0]["terms"] == ["poni"]
    assert base["terms_lost"] == base["relevant_empty"] == 0
    assert (nothing["documents"], nothing["tokens"], nothing["tokens_kept"]) == (
        0,
        0,
        0,
    )
    assert nothing["relevant_empty"] == 35
    assert nothing["terms_lost"] == 1
    assert gold["terms_lost"] == 0
    assert gold["results"]["AP"]["gap_closed"] == 1
    assert gold["results"]["AP"]["mean"] == 1
    assert base["index_measured"]
    assert not nothing["index_measured"]
    assert by_name["words-004"]["results"] == by_name["words-005"]["results"]
    chosen = study["variants"][known(result.study.choice).chosen]["name"]
    assert known(result.verified).variants == ("words-001", chosen)


def test_the_files(made: tuple[StudyResult, Path]) -> None:
    result, output = made
    assert all(
        path.stat().st_size for path in result.files if path.name != "words-500.trec"
    )
    assert (output / "table.txt").read_text() == result.table + "\n"
    compared = rows_of(output / "compare.csv")
    assert [row["cleaner"] for row in compared] == [
        v["cleaner"] for v in written_study(output)["variants"]
    ]
    assert compared[0]["P@10_diff"] == ""
    assert float(compared[1]["P@10_diff"]) == pytest.approx(
        float(compared[1]["P@10"]) - float(compared[0]["P@10"]), abs=2e-4
    )
    by_topic = rows_of(output / "topics.csv")
    assert len(by_topic) == 12 * 5
    assert by_topic[0]["cleaner"] == "words>=1"
    assert {float(row["AP_diff"]) for row in by_topic[:5]} == {0}
    pictures = {
        "forest.svg",
        "forest.png",
        "curve.svg",
        "curve.png",
        "mixture.svg",
        "mixture.png",
    }
    assert pictures <= {path.name for path in result.files}
    manifest = json.loads((output / "manifest.json").read_text())["facts"]
    run = written_study(output)["run"]
    assert run == {key: manifest[key] for key in run}
    assert manifest.keys() - run.keys() == {"nested"}
    assert manifest["verified"]["variants"][0] == "words-001"
    assert set(result.study.answer.splitlines()) >= set(
        written_study(output)["advice"]["sentences"]
    )


@pytest.mark.usefixtures("drawn_figures")
def test_a_sweep_over_any_number_has_its_curve(
    store: BlockStore, topics: Sequence[Topic], qrels: Qrels, tmp_path: Path
) -> None:
    sweeps = ["density<=1:3", "ancestor(words>={2,4}, 1)", "words=3"]
    result = run_study(
        store, [], topics, qrels, tmp_path, study=StudyOptions(sweeps=sweeps)
    )
    again = read_study(tmp_path / "study.json")
    for study in (result.study, again):
        assert study.swept == ["words", "density<=", "ancestor(words>=k, 1)"]
        assert [(value, row.label) for value, row in study.curve("density<=")] == [
            *((1, "density<=1"), (2, "density<=2"), (3, "density<=3"))
        ]
        assert [value for value, _ in study.curve("words")] == [1, 3]
    assert study_json(again) == study_json(result.study)
    points = [
        (one["feature"], one["threshold"])
        for one in written_study(tmp_path)["variants"]
    ]
    assert points[:2] == [("words", 1), ("density<=", 1)]
    assert points[-2:] == [("ancestor(words>=k, 1)", 4), ("words", 3)]
    picture = (tmp_path / "curve.svg").read_text("utf-8")
    assert "k of density&lt;=k" in picture
    assert "k of ancestor(words&gt;=k, 1)" in picture
    page = render(again, [])
    assert "P@10 against ancestor(words&gt;=k, 1)" in page
    assert (
        "1 threshold of words and 3 thresholds of density&lt;= and 2 thresholds of"
        in page
    )


def test_where_texts_are_not_analysed_block_by_block_losses_are_not_known(
    store: BlockStore, topics: Sequence[Topic], qrels: Qrels, tmp_path: Path
) -> None:
    japanese = SearchOptions(analyzer=AnalyzerOptions(language="ja"))
    run_study(
        store,
        CLEANERS[:1],
        topics,
        qrels,
        tmp_path,
        options=ExperimentOptions(search=japanese, engine="indexes"),
    )
    study = written_study(tmp_path)
    lost = {"relevant_empty", "terms_lost", "relevant_empty_by_topic"}
    assert not any(lost & variant.keys() for variant in study["variants"])
    assert study["topics"][0]["terms"] is study["topics"][0]["pairs"] is None
    assert "--language ja" in study["advice"]["command"]


@pytest.mark.application("learned")
def test_one_topic_topics_without_relevant_documents_and_unknown_words(
    store: BlockStore, tmp_path: Path
) -> None:
    one = run_study(
        store,
        CLEANERS[:1],
        [Topic("1", "pony")],
        Qrels({"1": {"d00": 1, "d01": 0}}),
        tmp_path / "one",
    )
    assert one.study.choice is None
    assert one.study.answer.startswith("Nothing can be chosen by a single topic.")
    assert (
        "low" not in written_study(tmp_path / "one")["variants"][1]["results"]["P@10"]
    )
    none = run_study(
        store,
        CLEANERS[-1:],
        [Topic("1", "pony"), Topic("2", "zebra"), Topic("3", "nowhereatall")],
        Qrels({"1": {"d00": 1}, "2": {"d01": 0}, "3": {"gone": 1, "d02": 1}}),
        tmp_path / "none",
    )
    study = written_study(tmp_path / "none")
    assert [topic["relevant_here"] for topic in study["topics"]] == [1, 0, 1]
    assert study["notes"] == [
        "1 topic has no relevant document in the qrels: 2.",
        "1 of 4 judged documents, among them 1 of 3 relevant ones, are not in the collection, and "
        "no ranking can find them: gone; the collection has docids such as 'd03', the qrels such "
        "as 'gone'.",
    ]
    assert known(none.study.choice).chosen == 0
    assert "No other cleaner has a better P@10" in none.study.answer


def test_a_collection_without_a_token(make_store: MakeStore, tmp_path: Path) -> None:
    blank = make_store({"d0": "<p></p>", "d1": "<p>-</p>"})
    run_study(
        blank,
        CLEANERS[:1],
        [Topic("1", "pony"), Topic("2", "zebra")],
        Qrels({"1": {"d0": 1}, "2": {"d1": 1}}),
        tmp_path,
    )
    study = written_study(tmp_path)
    assert study["suggestion"] is None
    assert not any("tokens_kept" in variant for variant in study["variants"])
    assert not (tmp_path / "mixture.svg").exists()


@pytest.mark.parametrize(
    ("other", "error", "says"),
    [
        ({"cleaners": []}, UsageError, "got none"),
        ({"gold": "gold"}, UsageError, "gold"),
        ({"measures": ("P@ten",)}, UsageError, "measures"),
        ({"qrels": Qrels({"9": {"d00": 1}})}, QrelsError, "for at least one topic"),
        (
            {"qrels": Qrels({"1": {"elsewhere": 1}})},
            QrelsError,
            "documents of the collection",
        ),
    ],
)
def test_what_cannot_be_studied(
    store: BlockStore,
    topics: Sequence[Topic],
    qrels: Qrels,
    folder: Path,
    other: dict[str, Any],
    error: type[Exception],
    says: str,
) -> None:
    usual = {
        "cleaners": CLEANERS[:1],
        "topics": topics,
        "qrels": qrels,
        "output": folder,
    }
    with pytest.raises(error, match=says):
        run_study(store, **study_arguments(**usual | other))
    assert not folder.exists()


ANIMALS = {"de": ("Pferd", "Otter", "Luchs"), "fr": ("cheval", "loutre", "héron")}
FILLERS = {
    "de": "Am frühen Morgen stand hier ein {} am Ufer und dachte lange an nichts als den Winter.",
    "fr": "Ce matin-là il y avait près de la rivière un {} qui ne pensait à rien du tout.",
}
TOPICS = [
    Topic(f"{language}{number}", animal)
    for language, animals in ANIMALS.items()
    for number, animal in enumerate(animals)
]
QRELS = Qrels(
    {topic.id: {f"{topic.id}-{n}": 1 for n in range(3)} for topic in TOPICS}
    | {"both": {"de0-0": 1, "fr0-0": 1}}
)
ALL = [*TOPICS, Topic("both", "Pferd cheval")]


@pytest.fixture(scope="module")
def mixed(make_store: MakeStore) -> BlockStore:
    """18 pages in German and French, all of which name all animals of their language in menus."""
    pages = {}
    for language, animals in ANIMALS.items():
        menu = "".join(f"<p>{animal}</p>" for animal in animals)
        for number, animal in enumerate(animals):
            text = FILLERS[language].format(animal)
            for copy in range(3):
                pages[f"{language}{number}-{copy}"] = (
                    f"<html lang={language}>{menu}<p>{text} {copy}</p>"
                )
    return make_store(pages)


def test_a_study_says_its_scores_by_language(mixed: BlockStore, tmp_path: Path) -> None:
    output = tmp_path / "out"
    result = run_study(mixed, ["words>=3"], ALL, QRELS, output)
    study = read_study(output / "study.json")
    languages = {topic.id: topic.language for topic in study.topics}
    assert languages == {**{topic.id: topic.id[:2] for topic in TOPICS}, "both": None}
    assert study.run["languages"] == mixed.languages == {"de": 9, "fr": 9}
    assert "P@10 by language of the topics" in result.table
    assert "de (3)" in result.table
    rows = rows_of(output / "languages.csv")
    here = {(r["language"], r["cleaner"]): r for r in rows if r["measure"] == "nDCG@10"}
    assert len(here) == 6
    scores = study.rows[1].scores["nDCG@10"]
    german = [
        scores[n] for n, topic in enumerate(study.topics) if topic.language == "de"
    ]
    assert float(here["de", "words>=3"]["mean"]) == pytest.approx(
        sum(german) / 3, abs=1e-4
    )
    assert here["de", "words>=3"]["topics"] == "3"
    assert {path.name for path in result.files} >= {
        *("languages.csv", "languages.svg", "languages.png")
    }


def test_a_sweep_says_its_scores_by_language(mixed: BlockStore, tmp_path: Path) -> None:
    output = tmp_path / "out"
    result = run_sweep(
        mixed,
        ["words=1:4"],
        ALL,
        QRELS,
        output,
        options=ExperimentOptions(engine="exact"),
    )
    rows = rows_of(output / "languages.csv")
    assert len(rows) == 3 * 4 * len(result.rows[0].results)
    means = {row.variant.name: row.results["P@10"].mean for row in result.rows}
    by = {(r["language"], r["cleaner"]): r for r in rows if r["measure"] == "P@10"}
    for name, cleaner in (("words-001", "words>=1"), ("words-003", "words>=3")):
        weighted = sum(
            float(by[language, cleaner]["mean"]) * int(by[language, cleaner]["topics"])
            for language in ("de", "fr", "undecided")
        )
        assert weighted / 7 == pytest.approx(means[name], abs=1e-4)
    assert {path.name for path in result.files} >= {
        *("languages.csv", "languages.svg", "languages.png")
    }


def test_a_study_of_one_language_has_no_such_files(
    mixed: BlockStore, tmp_path: Path
) -> None:
    german = [topic for topic in TOPICS if topic.id.startswith("de")]
    output = tmp_path / "out"
    result = run_study(mixed, ["words>=3"], german, QRELS, output)
    assert not list(output.glob("languages*"))
    assert "by language" not in result.table


def test_a_suggestion_among_the_cleaners_has_its_place(
    store: BlockStore,
    topics: Sequence[Topic],
    qrels: Qrels,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = replace(known(suggest(store)), cleaner="words>=5")
    monkeypatch.setattr("boilersweep.eval.study.study.suggest", lambda _: found)
    result = run_study(store, CLEANERS[:3], topics, qrels, tmp_path)
    assert known(result.study.suggestion).place == 3
