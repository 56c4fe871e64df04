"""`boilersweep check`: right folders pass, and whatever is bent in them is found."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from boilersweep.cleaners.learned.cleaner import SHIPPED
from boilersweep.cli.main import main
from boilersweep.demo.collection import DemoCollection, write_demo
from boilersweep.outputs.manifest_file import listing, read_manifest, write_manifest
from tests.cli.conftest import Inputs

pytestmark = pytest.mark.java

Check = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoCollection:
    return write_demo(tmp_path_factory.mktemp("demo"), pages=60)


def judged(demo: DemoCollection) -> list[str]:
    return ["--topics", str(demo.topics), "--qrels", str(demo.qrels)]


@pytest.fixture(scope="module")
def swept(demo: DemoCollection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("swept") / "o"
    arguments = ["--input", str(demo.trec), *judged(demo), "--sweep", "words=1,11"]
    assert main(["sweep", *arguments, "--output", str(output)]) == 0
    return output


@pytest.fixture(scope="module")
def studied(swept: Path, demo: DemoCollection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a study whose store is elsewhere."""
    folder = tmp_path_factory.mktemp("studied")
    shutil.copytree(swept / "store", folder / "elsewhere")
    arguments = ["--store", str(folder / "elsewhere"), *judged(demo), "--cleaners", "words>=11"]
    assert main(["compare", *arguments, "--output", str(folder / "o")]) == 0
    return folder / "o"


@pytest.fixture
def copy(swept: Path, tmp_path: Path) -> Path:
    shutil.copytree(swept, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.fixture
def study(studied: Path, tmp_path: Path) -> Path:
    """Copy the study, with its store elsewhere."""
    shutil.copytree(studied.parent, tmp_path / "study")
    store = tmp_path / "study" / "elsewhere"
    change(tmp_path / "study" / "o" / "manifest.json", store=str(store))
    return tmp_path / "study" / "o"


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Check:
    def run(folder: Path, *arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        status = main(["check", str(folder), "--verbose", *arguments])
        return status, capsys.readouterr().out

    return run


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0xFF
    path.write_bytes(data)


def change(manifest: Path, **values: Any) -> None:
    """Forge a manifest: with a digest that is right."""
    write_manifest(manifest, read_manifest(manifest) | values)


def list_again(output: Path) -> None:
    """Forge the listing of an experiment: all its files are as they are now."""
    manifest = output / "manifest.json"
    change(manifest, files=listing(output, read_manifest(manifest)["files"]))


def kinds(out: str) -> list[list[str]]:
    return [line.split()[:2] for line in out.splitlines() if line.startswith(("   ok", "wrong"))]


def test_a_sweep_is_right_as_a_whole_and_in_its_parts(swept: Path, check: Check) -> None:
    status, out = check(swept)
    assert status == 0
    expected = ["run", "run", "sweep", "index", "index", "store"]
    assert kinds(out) == [["ok", kind] for kind in expected]
    for part in ("store", "indexes", "indexes/words-011"):
        status, out = check(swept / part)
        assert status == 0, out
        assert "block store it was built from" not in out


def test_a_study_is_right(studied: Path, check: Check) -> None:
    status, out = check(studied)
    assert status == 0, out
    assert ["ok", "study"] in kinds(out)
    assert "not looked at" not in out


def test_nothing_to_check_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path)]) == 1
    assert "holds no block store, index, export, sweep or study" in capsys.readouterr().err


def test_a_flipped_byte_in_any_column_of_a_shard(copy: Path, check: Check) -> None:
    shard = sorted((copy / "store").glob("shard-*.parquet"))[0]
    group = pq.read_metadata(shard).row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    places = [
        (c.dictionary_page_offset or c.data_page_offset) + c.total_compressed_size - 3
        for c in columns
    ]
    whole = shard.read_bytes()
    for place in places:
        flip(shard, place)
        status, out = check(copy / "store")
        assert status == 1, place
        assert f"wrong  store {copy / 'store'}" in out
        shard.write_bytes(whole)
    assert check(copy / "store")[0] == 0


def test_counts_that_do_not_add_up(copy: Path, check: Check) -> None:
    path = copy / "store" / "manifest.json"
    documents = read_manifest(path)["documents"]
    change(path, skipped={"empty page": 9})
    status, out = check(copy / "store")
    assert (status, "the manifest says {'empty page': 9}" in out) == (1, True)
    change(path, documents=documents - 1)
    status, out = check(copy / "store")
    assert (status, f"have {documents} documents, for the {documents - 1}" in out) == (1, True)


def test_an_unfinished_store(copy: Path, check: Check) -> None:
    (copy / "store" / "manifest.json").unlink()
    status, out = check(copy / "store")
    assert (status, kinds(out)) == (1, [["wrong", "store"]])
    assert "an unfinished block store" in out


@pytest.mark.parametrize("change_input", [False, True])
def test_the_input_is_compared_where_it_is_named(
    demo: DemoCollection, swept: Path, check: Check, tmp_path: Path, change_input: bool
) -> None:
    pages = shutil.copytree(demo.trec, tmp_path / "pages")
    files = sorted(pages.rglob("permalinks-*"))
    if change_input:
        flip(files[0], 30)
        files[1].rename(files[1].with_name("permalinks-999.gz"))
    status, out = check(swept, "--input", str(pages))
    assert status == int(change_input), out
    assert f"{'wrong' if change_input else 'ok'}  input {pages}".strip() in out
    assert ("was changed after it was read" in out) == change_input
    assert ("is missing" in out) == change_input
    assert ("permalinks-999.gz is new" in out) == change_input
    assert "--input" not in out


def test_a_damaged_index_and_one_of_another_store(copy: Path, check: Check) -> None:
    for number, name in enumerate(["words-001", "words-011"]):
        path = copy / "indexes" / name / "boilersweep.json"
        manifest = read_manifest(path)
        if number:
            recipe = manifest["identity"] | {"store": "another"}
            change(path, tokens=manifest["tokens"] + 1, identity=recipe)
        else:
            [segment] = (copy / "indexes" / name).glob("*.cfs")
            flip(segment, 100)
    status, out = check(copy)
    assert status == 1
    assert "checksum failed" in out
    assert f"wrong  index {copy / 'indexes' / 'words-001'}" in out
    assert "was changed or damaged after it was written" in out
    assert "it was built from another block store" in out
    assert "tokens, its manifest says" in out
    assert "indexes/words-011/boilersweep.json has" in out


def test_a_copy_of_a_parallel_index(copy: Path, check: Check) -> None:
    indexes = copy / "indexes"
    shutil.copytree(indexes / "words-001", indexes / "words-0019")
    for folder in (indexes, copy):
        status, out = check(folder)
        assert status == 1
        assert "words-0019 is a copy of words-001; move it elsewhere" in out


def test_a_model(tmp_path: Path, check: Check) -> None:
    path = tmp_path / "model.npz"
    shutil.copy(SHIPPED, path)
    assert check(path) == (0, f"   ok  model {path}\n1 model ok\n")
    path.write_bytes(path.read_bytes().replace(b"\x00\x00\x21\x00", b"\x00\x00\x22\x00", 1))
    status, out = check(path)
    assert status == 1
    assert "do not match the digest" in out
    path.unlink()
    assert check(path)[0] == 1


def test_a_run_with_documents_from_elsewhere(copy: Path, check: Check) -> None:
    run = copy / "runs" / "words-001.trec"
    run.write_text("1 Q0 ELSEWHERE 1 2.5 x\n")
    status, out = check(copy)
    assert status == 1
    assert "1 ranked documents are not in the store: ELSEWHERE" in out
    assert "scores.csv, runs/words-001.trec: P@10 is " in out


def test_an_invented_document_where_the_store_lies_elsewhere(study: Path, check: Check) -> None:
    run = study / "runs" / "words-001.trec"
    topic, q0, _, *rest = run.read_text().split(" ", 3)
    run.write_text(" ".join([topic, q0, "INVENTED", *rest]))
    list_again(study)
    status, out = check(study)
    assert status == 1
    assert "1 ranked documents are not in the store: INVENTED" in out


def test_a_store_elsewhere_that_is_another_or_gone(
    study: Path, inputs: Inputs, check: Check
) -> None:
    store = study.parent / "elsewhere"
    shutil.rmtree(store)
    status, out = check(study)
    assert status == 0, out
    assert f"not looked at: the block store {store}: it is not there" in out
    arguments = ["--input", str(inputs.pages), "--collection", "trecweb", "--output", str(store)]
    assert main(["segment", *arguments]) == 0
    status, out = check(study)
    assert status == 1
    assert f"{store} is another block store than the one that" in out


MISSING = {
    "manifest.json": "is not finished: it has no manifest.json",
    "scores.csv": "scores.csv is missing",
    "topics.csv": "topics.csv is missing",
    "table.txt": "table.txt is missing",
    "curve.svg": "curve.svg is missing",
    "runs/words-011.trec": "it is missing",
    "indexes/words-011": "indexes/words-011/boilersweep.json is missing",
    "indexes/words-011/boilersweep.json": "words-011 is not finished: it has no boilersweep.json",
    "store/manifest.json": "an unfinished block store",
    "store": "store/manifest.json is missing",
    "indexes": "indexes/words-001/boilersweep.json is missing",
    "runs": "it is missing",
}


@pytest.mark.parametrize("name", MISSING)
def test_what_is_missing_is_named(copy: Path, check: Check, name: str) -> None:
    path = copy / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    status, out = check(copy)
    assert status == 1
    assert MISSING[name] in out


def test_what_no_manifest_lists_is_named(copy: Path, check: Check) -> None:
    shutil.copy(copy / "runs" / "words-001.trec", copy / "runs" / "words-002.trec")
    shutil.copytree(copy / "indexes" / "words-001", copy / "indexes" / "words-002")
    (copy / "runs" / "readme").write_text("of another run")
    (copy / "runs" / "qld").mkdir()
    shutil.copy(copy / "runs" / "words-001.trec", copy / "runs" / "qld" / "words-001.trec")
    for name in ("report.html", "curve-old.svg", "runs.csv.gz", "paper.txt"):
        (copy / name).write_text("old")
    (copy / "evidence").mkdir()
    (copy / "evidence" / "1.txt").write_text("old")
    status, out = check(copy)
    assert status == 1
    strays = "runs/words-002.trec runs/readme runs/qld indexes/words-002 report.html curve-old.svg "
    strays += "runs.csv.gz paper.txt evidence/"
    for name in strays.split():
        assert f"{name} is not listed in manifest.json" in out


def test_what_may_lie_in_the_folder_of_a_sweep(copy: Path, studied: Path, check: Check) -> None:
    """Notes, logs, a print of the report, hidden files, and outputs of their own."""
    for name in ("notes.txt", "README.md", "sweep.log", "report.pdf", ".DS_Store"):
        (copy / name).write_text("mine")
    shutil.copytree(studied, copy / "study")
    shutil.copytree(copy / "indexes" / "words-011", copy / "index-words-011")
    (copy / "empty").mkdir()
    status, out = check(copy)
    assert status == 0, out
    for name in ("notes.txt", "README.md", "sweep.log", "report.pdf"):
        assert f"not looked at: {name}, which is not of this output" in out
    assert f"ok  index {copy / 'index-words-011'}" in out
    assert f"ok  study {copy / 'study'}" in out
    assert "empty" not in out
    assert ".DS_Store" not in out


@pytest.mark.parametrize("table", ["scores.csv", "topics.csv"])
def test_scores_that_the_runs_do_not_give(copy: Path, check: Check, table: str) -> None:
    path = copy / table
    lines = path.read_text().splitlines()
    cells = lines[-1].split(",")
    cells[-1] = "0.9999"
    path.write_text("\n".join([*lines[:-1], ",".join(cells)]) + "\n")
    list_again(copy)
    status, out = check(copy)
    assert status == 1
    assert f"{table}, runs/words-011.trec" in out
    assert "AP is 0.9999, its run gives" in out


@pytest.mark.parametrize("rows", [-1, 1])
@pytest.mark.parametrize("table", ["scores.csv", "topics.csv"])
def test_tables_of_other_length(copy: Path, check: Check, table: str, rows: int) -> None:
    lines = (copy / table).read_text().splitlines()
    lines = lines[:-1] if rows < 0 else [*lines, lines[-1]]
    (copy / table).write_text("\n".join(lines) + "\n")
    list_again(copy)
    assert check(copy)[0] == 1


def test_scores_of_a_study_are_computed_again(study: Path, check: Check) -> None:
    path = study / "compare.csv"
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    rows[1][rows[0].index("nDCG@10")] = "0.9999"
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    list_again(study)
    status, out = check(study)
    assert status == 1
    assert "compare.csv, runs/words-001.trec: nDCG@10 is 0.9999, its run gives 0." in out


def test_counts_that_are_not_those_of_the_index(copy: Path, check: Check) -> None:
    path = copy / "scores.csv"
    path.write_text(path.read_text().replace("words,11,", "words,11,1", 1))
    list_again(copy)
    assert "documents, its index has another number" in check(copy)[1]


def test_qrels_that_are_no_longer_there(
    demo: DemoCollection, copy: Path, check: Check, tmp_path: Path
) -> None:
    qrels = tmp_path / "qrels"
    shutil.copy(demo.qrels, qrels)
    manifest = copy / "manifest.json"
    sources = read_manifest(manifest)["sources"]
    change(manifest, sources=sources | {"qrels": sources["qrels"] | {"path": str(qrels)}})
    assert "not looked at: scores" not in check(copy)[1]
    qrels.write_text(qrels.read_text() + "\n")
    status, out = check(copy)
    assert status == 0
    assert f"not looked at: scores: the qrels {qrels}: the file has" in out
    qrels.unlink()
    status, out = check(copy)
    assert status == 0
    assert f"not looked at: scores: the qrels {qrels}: the file is missing" in out


def test_a_manifest_that_was_changed_by_hand(copy: Path, check: Check) -> None:
    path = copy / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"hits": 10}))
    status, out = check(copy)
    assert status == 1
    assert "it was changed or damaged after it was written" in out


def test_what_shares_left(swept: Path, demo: DemoCollection, tmp_path: Path, check: Check) -> None:
    output = tmp_path / "o"
    exact = ["--store", str(swept / "store"), *judged(demo), "--sweep", "words=1,11"]
    exact += ["--engine", "exact", "--output", str(output)]
    assert main(["sweep", *exact, "--share", "1/2"]) == 0
    index = ["--store", str(swept / "store"), "--sweep", "words=1", "--output", str(output)]
    assert main(["index", *index, "--share", "1/2"]) == 0
    status, out = check(output)
    assert status == 0, out
    assert kinds(out) == [["ok", "index"], ["ok", "shares"]]
    assert "not looked at: shares that are not there; it has 1-of-2" in out
    assert check(tmp_path / "o.parts") == (status, out)
    assert main(["sweep", *exact, "--share", "2/2"]) == 0
    [rows] = (tmp_path / "o.parts").glob("rows-*")
    assert "shares that are not there" not in check(output)[1]
    flip(rows / "1-of-2.npz", 2000)
    status, out = check(output)
    assert status == 1
    assert "1-of-2.npz is damaged or no part of a sweep" in out
    shutil.copy(rows / "2-of-2.npz", rows / "1-of-2.npz")
    rows.rename(rows.with_name("rows-0123456789ab"))
    assert "1-of-2.npz is of another sweep" in check(output)[1]


def test_faults_come_first_then_a_line_for_each_kind(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(copy)]) == 0
    expected = "2 runs ok\n1 sweep ok\n2 indexes ok\n1 store ok\n"
    assert capsys.readouterr().out == (
        f"{expected}       not looked at: its input; name that with --input\n"
    )
    (copy / "runs" / "words-001.trec").unlink()
    assert main(["check", str(copy)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [f"wrong  run {copy / 'runs' / 'words-001.trec'}", "       it is missing"]
    assert lines[-4:-1] == ["1 run ok", "2 indexes ok", "1 store ok"]


def test_links_to_folders_are_not_followed(copy: Path, check: Check) -> None:
    status, out = check(copy)
    for name in ("one", "other"):
        (copy / name).symlink_to(".")
    (copy / "runs" / "one").symlink_to("..")
    assert check(copy)[0] == 1
    (copy / "runs" / "one").unlink()
    assert check(copy) == (status, out)


@pytest.mark.parametrize("of", ["indexes/words-001/boilersweep.json", "store/manifest.json"])
def test_another_manifest_in_the_place_of_a_sweeps(copy: Path, check: Check, of: str) -> None:
    shutil.copy(copy / of, copy / "manifest.json")
    status, out = check(copy)
    assert (status, "wrong" in out) == (1, True)


@pytest.mark.parametrize("damage", ["a missing folder", "a renamed manifest", "none"])
def test_parallel_indexes(swept: Path, tmp_path: Path, check: Check, damage: str) -> None:
    output = tmp_path / "indexes"
    index = ["--store", str(swept / "store"), "--sweep", "words=1,11", "--output", str(output)]
    assert main(["index", *index]) == 0
    manifest = output / "words-011" / "boilersweep.json"
    if damage == "a missing folder":
        shutil.rmtree(manifest.parent)
    elif damage == "a renamed manifest":
        manifest.rename(manifest.with_name("BOILERSWEEP.JSON"))
    status, out = check(output)
    assert status == int(damage != "none")
    assert ("words-011/boilersweep.json is missing" in out) == (damage != "none")
