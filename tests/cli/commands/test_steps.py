"""segment, index, search and evaluate: each works alone on what the one before left."""

import json
from pathlib import Path

import pytest

from boilersweep import open_store
from tests.cli.conftest import Call, Inputs


@pytest.mark.slow
def test_segment_names_what_it_does_not_read(
    call: Call, inputs: Inputs, tmp_path: Path
) -> None:
    (inputs.pages / ".git").mkdir()
    (tmp_path / "more").write_bytes(b"<DOC>\n<DOCNO>more</DOCNO>\n<p>one\n</DOC>\n")
    (inputs.pages / "more").symlink_to(tmp_path / "more")
    arguments = [
        "segment",
        "--input",
        inputs.pages,
        "--collection",
        "trecweb",
        "--threads",
        1,
    ]
    outcome = call(*arguments, "--output", tmp_path / "s")
    assert outcome.err.splitlines()[-3:] == [
        "  not read, hidden: 1, such as .git",
        f"  not read, link out of the input: 1, such as more to {tmp_path / 'more'}",
        "  (`boilersweep segment --follow-links` reads the targets of links)",
    ]
    outcome = (
        call(*arguments, "--output", tmp_path / "s", "--follow-links")
        .ok()
        .noted("31 documents")
    )
    assert outcome.err.splitlines()[-1] == "  not read, hidden: 1, such as .git"


@pytest.fixture
def losing(
    inputs: Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[object]:
    """Arguments with which one page of 30 crashes its worker each time."""
    (tmp_path / "crashing_extractor.py").write_text(
        "import os\ndef text(html):\n    return '' if ' 7 apples' not in html else os._exit(3)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return [
        "--input",
        inputs.pages,
        "--extractors",
        "crashing_extractor:text",
        "--threads",
        1,
    ]


LOST = "lost: 1 record: 1 crashed its worker; places in {}"


@pytest.mark.slow
def test_segment_says_last_what_it_lost_and_strictly_that_is_a_failure(
    call: Call, losing: list[object], tmp_path: Path
) -> None:
    manifest = tmp_path / "s" / "manifest.json"
    # The second call has nothing to do
    for strict, status in (([], 0), (["--strict"], 1)):
        outcome = call("segment", *losing, "--output", tmp_path / "s", *strict)
        assert outcome.status == status
        assert outcome.out == f"{manifest}\n"
        assert outcome.err.splitlines()[-1] == LOST.format(manifest)
    [lost] = open_store(manifest.parent).manifest.lost
    assert (lost.docid, lost.detail, lost.records) == ("GX000-07", "exit status 3", 1)
    assert lost.place.startswith("00.trec at byte ")


@pytest.mark.java
@pytest.mark.parametrize("engine", ["indexes", "exact"])
def test_a_sweep_says_last_what_it_lost(
    call: Call, inputs: Inputs, losing: list[object], tmp_path: Path, engine: str
) -> None:
    arguments = [*losing, *inputs.judged, "--engine", engine]
    arguments += ["--sweep", "words=1", "--output", tmp_path / "o"]
    outcome = call("sweep", *arguments).ok("P@10")
    expected = LOST.format(tmp_path / "o" / "store" / "manifest.json")
    assert outcome.err.splitlines()[-1] == expected


@pytest.mark.java
def test_index_a_sweep(call: Call, store: Path, tmp_path: Path) -> None:
    arguments = (
        "index",
        "--store",
        store,
        "--output",
        tmp_path,
        "--sweep",
        "words=1,3,99",
    )
    outcome = call(*arguments, "--sweep", "density=2.5").ok()
    assert [line.partition(": ")[0] for line in outcome.out.splitlines()] == [
        str(tmp_path / name)
        for name in ("words-001", "words-003", "words-099", "density-02.5")
    ]
    assert "words-003: 30 documents, 270 tokens, 0 left empty" in outcome.out
    assert "words-099: 0 documents, 0 tokens, 30 left empty" in outcome.out
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/*")}
    assert call(*arguments, "--sweep", "density=2.5").out == outcome.out
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/*")} == before


@pytest.mark.java
def test_a_folder_of_indexes_grows_and_holds_what_was_asked_for(
    call: Call, store: Path, tmp_path: Path
) -> None:
    arguments = ("index", "--store", store, "--output", tmp_path, "--sweep")
    call(*arguments, "words=1,3").ok()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("words-00*/*")}
    call(*arguments, "words=1,3,5").ok()
    assert (
        before.items()
        <= {p: p.stat().st_mtime_ns for p in tmp_path.glob("*/*")}.items()
    )
    call(*arguments, "words=5,7").ok()
    names = {"words-001", "words-003", "words-005", "words-007", "manifest.json"}
    assert {path.name for path in tmp_path.iterdir()} == names
    call(*arguments, "words=5", "--stemmer", "none").refused(1, "analyzer stemmer was")
    call(*arguments, "words=5", "--stemmer", "none", "--overwrite").ok()
    assert {path.name for path in tmp_path.iterdir()} == {"words-005", "manifest.json"}


@pytest.mark.java
def test_index_and_search_all_that_an_index_can_hold(
    call: Call, store: Path, inputs: Inputs, tmp_path: Path
) -> None:
    everything = ("--storeContents", "--storeRaw", "--storeDocvectors", "--optimize")
    arguments = (
        "index",
        "--store",
        store,
        "--output",
        tmp_path / "index",
        "--keep",
        "words>=3",
    )
    call(*arguments, *everything, "--fields", "title").ok()
    layout = json.loads((tmp_path / "index" / "boilersweep.json").read_text())[
        "recipe"
    ]["layout"]
    assert layout.pop("fields") == ["title"]
    assert not layout.pop("blocks", False)
    assert all(layout.values())
    search = (
        "search",
        "--index",
        tmp_path / "index",
        "--topics",
        inputs.topics,
        "--output",
    )

    def scores(*options: object) -> list[str]:
        call(*search, tmp_path / "run", *options).ok()
        return (tmp_path / "run").read_text().splitlines()

    plain = scores()
    assert scores("--fields", "contents=1.0") == plain
    assert scores("--fields", "contents=2", "title=1.5") != plain
    assert scores("--fields", "title=1") == []  # titles are numbers
    assert scores("--rm3") != plain
    assert scores("--rocchio", "beta=0") != scores("--rocchio")
    assert "rm3(fbTerms=3," in call(*search, tmp_path / "run", "--rm3", "fbTerms=3").err


@pytest.fixture(scope="module")
def index(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from boilersweep.cli.main import main

    output = tmp_path_factory.mktemp("index") / "index"
    arguments = [
        "index",
        "--store",
        str(store),
        "--output",
        str(output),
        "--keep",
        "words>=3",
    ]
    assert main(arguments) == 0
    return output


@pytest.mark.java
def test_search_and_evaluate(
    call: Call, index: Path, inputs: Inputs, tmp_path: Path
) -> None:
    run = tmp_path / "runs" / "run.trec"
    found = call("search", "--index", index, "--output", run, "--topics", inputs.topics)
    assert (found.status, found.out) == (0, f"{run}\n")
    assert "30 hits for 5 topics with bm25(k1=0.9,b=0.4)" in found.err
    lines = run.read_text().splitlines()
    assert len(lines) == 30
    assert lines[0].split()[:2] == ["1", "Q0"]
    scored = call("evaluate", "--qrels", inputs.qrels, "--run", run, "P@5", "RR")
    assert (scored.status, scored.err) == (0, "")
    assert scored.out == "P@5\t1.0000\nRR\t1.0000\n"
    named = call("evaluate", "--qrels", inputs.qrels, "--run", run, "P_5", "recip_rank")
    assert named.out == scored.out


@pytest.mark.java
def test_search_a_query_shows_its_hits(call: Call, store: Path, tmp_path: Path) -> None:
    kept = ("--keep", "words>=9", "--output", tmp_path / "index")
    call("index", "--store", store, "--storeContents", *kept).ok()
    search = ("search", "--index", tmp_path / "index")
    found = call(*search, "--query", "Ponies", "--hits", 2)
    assert (found.status, found.err) == (0, "")
    first, title, url, snippet, *_ = found.out.splitlines()
    assert first.startswith("1  ")
    assert first.split()[2] in {f"GX000-{number:02d}" for number in range(0, 30, 5)}
    number = int(first.split()[2].removeprefix("GX000-"))
    assert (title, url) == (f"   {number}", f"   http://site.example/{number}")
    assert snippet.startswith("   the *pony* stood there")
    assert found.out.count("*pony*") == 2
    assert call(*search, "--query", "apples").out.count("*apples*") == 10
    nothing = call(*search, "--query", "nowhereatall")
    assert (nothing.status, nothing.out) == (0, "")
    assert "no document contains a word of the query" in nothing.err


@pytest.mark.java
def test_search_a_query_in_an_index_without_texts(call: Call, index: Path) -> None:
    found = call("search", "--index", index, "--query", "pony", "--hits", 3)
    assert (found.status, len(found.out.splitlines())) == (0, 9)
    assert "no snippets" in found.err
    assert "--storeContents" in found.err


@pytest.mark.java
def test_search_a_query_in_two_indexes(call: Call, index: Path) -> None:
    both = call(
        "search", "--index", index, "--index", index, "--query", "pony", "--hits", 3
    )
    assert (both.status, len(both.out.splitlines())) == (0, 3)
    assert not {"entered", "left", "was"} & set(both.out.split())


@pytest.mark.java
def test_search_with_options(call: Call, index: Path, tmp_path: Path) -> None:
    topics = tmp_path / "topics.txt"
    topics.write_text(
        "<top>\n<num> Number: 7\n<title> nowhereatall\n<desc> Description:\npony\n</top>\n"
    )
    arguments = (
        "search",
        "--index",
        index,
        "--topics",
        topics,
        "--output",
        tmp_path / "run",
    )
    call(*arguments, "--formula", "qld").ok().noted("1 topics without a result: 7")
    assert (tmp_path / "run").read_text() == ""
    call(*arguments, "--formula", "qld", "--fields", "desc", "--hits", 2).ok().noted(
        "2 hits for 1 topics with qld(mu=1000)"
    )


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Qrels, a run of one of their topics, and another with a topic they lack."""
    qrels, one, two = tmp_path / "qrels", tmp_path / "one", tmp_path / "two"
    qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    one.write_text("1 Q0 b 1 2.0 t\n1 Q0 a 2 1.0 t\n")
    two.write_text("1 Q0 a 1 2.0 t\n2 Q0 c 1 1.0 t\n3 Q0 a 1 1.0 t\n")
    return qrels, one, two


def test_evaluate_two_runs_with_the_usual_measures(
    call: Call, files: tuple[Path, Path, Path]
) -> None:
    qrels, one, two = files
    outcome = call("evaluate", "--qrels", qrels, "--run", one, "--run", two).ok()
    lines = [line.split("\t") for line in outcome.out.splitlines()]
    assert f"{one}: 1 topics count as zero: 2\n" in outcome.err
    measures = ["P@10", "nDCG@10", "Judged@10", "AP"]
    assert [line[:2] for line in lines] == [
        [str(p), m] for p in (one, two) for m in measures
    ]
    assert lines[-1][2] == "1.0000"
    assert f"{two}: 1 topics have no qrels: 3" in outcome.err
    call("evaluate", "-q", "--qrels", qrels, "--run", one, "P@2").ok(
        "1\tP@2\t0.5", "all\tP@2\t0.25"
    )


def test_evaluate_notes_scores_that_trec_eval_merges(
    call: Call, files: tuple[Path, Path, Path]
) -> None:
    qrels, one, two = files
    one.write_text("1 Q0 a 1 0.99999999 t\n1 Q0 b 2 0.99999998 t\n")
    outcome = call("evaluate", "--qrels", qrels, "--run", one, "--run", two, "RR").ok()
    assert f"{one}: different scores become equal" in outcome.err
    assert f"{two}: different scores" not in outcome.err
    assert outcome.out.splitlines()[0] == f"{one}\tRR\t0.2500"
