"""`boilersweep check`: right folders pass, and whatever is bent in them is found."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boilersweep.cli.main import main
from boilersweep.demo.collection import DemoCollection, write_demo
from boilersweep.outputs.manifest_file import listing, read_manifest
from tests.cli.conftest import Call, Inputs
from tests.manifests import write_manifest

pytestmark = pytest.mark.java

Check = Callable[..., str]


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
def studied(
    swept: Path, demo: DemoCollection, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("studied")
    shutil.copytree(swept / "store", folder / "elsewhere")
    arguments = [
        "--store",
        str(folder / "elsewhere"),
        *judged(demo),
        "--cleaners",
        "words>=11",
    ]
    assert main(["compare", *arguments, "--output", str(folder / "o")]) == 0
    return folder / "o"


@pytest.fixture
def copy(swept: Path, tmp_path: Path) -> Path:
    shutil.copytree(swept, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.fixture
def study(studied: Path, tmp_path: Path) -> Path:
    shutil.copytree(studied.parent, tmp_path / "study")
    store = tmp_path / "study" / "elsewhere"
    change(tmp_path / "study" / "o" / "manifest.json", store=str(store))
    return tmp_path / "study" / "o"


@pytest.fixture
def right(call: Call) -> Callable[..., str]:
    """Return a function that asserts that an output is right, and returns what `check` prints."""
    return lambda folder, *arguments: (
        call("check", folder, "--verbose", *arguments).ok().out
    )


@pytest.fixture
def wrong(call: Call) -> Callable[..., str]:
    """Return a function that asserts that `check` finds faults with these messages."""
    return lambda folder, *messages: (
        call("check", folder, "--verbose").failed(*messages).out
    )


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0xFF
    path.write_bytes(data)


def change(manifest: Path, **values: Any) -> None:
    """Forge a manifest: with a digest that is right."""
    said = read_manifest(manifest)
    inner = said["facts"] if "parts" in said else said
    inner |= values
    write_manifest(manifest, said)


def list_again(output: Path) -> None:
    """Forge the listing of an experiment: all its files are as they are now."""
    said = read_manifest(output / "manifest.json")
    for part in said["parts"].values():
        part["files"] = listing(output, part["files"])
    write_manifest(output / "manifest.json", said)


def kinds(out: str) -> list[list[str]]:
    return [
        line.split()[:2]
        for line in out.splitlines()
        if line.startswith(("   ok", "wrong"))
    ]


def test_a_sweep_is_right_as_a_whole_and_in_its_parts(
    swept: Path, right: Check
) -> None:
    expected = ["sweep", "store"]
    assert kinds(right(swept)) == [["ok", kind] for kind in expected]
    for part in ("store", "indexes", "indexes/words-011"):
        assert "block store it was built from" not in right(swept / part)


def test_nothing_to_check_is_an_error(tmp_path: Path, call: Call) -> None:
    call("check", tmp_path).refused(
        1, "holds no block store, index, export, sweep or study"
    )


def last_score(score: str) -> Callable[[str], str]:
    return lambda text: re.sub(r"[^,]*\n\Z", f"{score}\n", text)


def first_row_gone(text: str) -> str:
    head, _, *rest = text.splitlines(keepends=True)
    return "".join([head, *rest])


def last_row_twice(text: str) -> str:
    return text + text.splitlines(keepends=True)[-1]


@pytest.mark.parametrize(
    ("output", "name", "edit", "message"),
    [
        ("copy", "runs/words-001.trec", lambda _: "zeros\n", "expected six columns"),
        (
            "copy",
            "scores.csv",
            last_score("0.9999"),
            "scores.csv, runs/words-011.trec: AP is 0.9999, its run gives",
        ),
        ("copy", "topics.csv", last_score("0.9999"), "topics.csv, runs/words-011.trec"),
        ("copy", "scores.csv", first_row_gone, "scores.csv has 1 rows, expected 2"),
        ("copy", "scores.csv", last_row_twice, "scores.csv has 3 rows, expected 2"),
        ("copy", "topics.csv", first_row_gone, "topics.csv has 81 rows, expected 82"),
        ("copy", "topics.csv", last_row_twice, "topics.csv has 83 rows, expected 82"),
        (
            "copy",
            "scores.csv",
            lambda text: text.replace("words,11,", "words,11,1", 1),
            "documents, its index has another number",
        ),
        (
            "study",
            "compare.csv",
            lambda text: re.sub(
                r"(words>=1,(?:[^,]*,)*?)0\.(?!0000)\d{4}",
                r"\g<1>0.9999",
                text,
                count=1,
            ),
            "compare.csv, runs/words-001.trec: P@10 is 0.9999, its run gives 0.",
        ),
        (  # where the store lies elsewhere
            "study",
            "runs/words-001.trec",
            lambda text: re.sub(r"\A(\S+ Q0) \S+", r"\1 INVENTED", text),
            "1 ranked documents are not in the store: INVENTED",
        ),
    ],
)
def test_a_file_whose_digest_is_right_and_whose_content_is_not(
    wrong: Check,
    output: str,
    name: str,
    edit: Callable[[str], str],
    message: str,
    request: pytest.FixtureRequest,
) -> None:
    folder: Path = request.getfixturevalue(output)
    path = folder / name
    path.write_text(edit(path.read_text()))
    list_again(folder)
    wrong(folder, message)


def test_counts_that_do_not_add_up(copy: Path, wrong: Check) -> None:
    path = copy / "store" / "manifest.json"
    facts = read_manifest(path)["facts"]
    documents = facts["documents"]
    change(path, **facts | {"skipped": {"empty page": 9}})
    wrong(copy / "store", "the manifest says {'empty page': 9}")
    change(path, **facts | {"documents": documents - 1})
    wrong(copy / "store", f"have {documents} documents, for the {documents - 1}")
    change(path, **facts | {"words": 5})
    wrong(copy / "store", "words, the manifest says 5")


@pytest.mark.parametrize("change_input", [False, True])
def test_the_input_is_compared_where_it_is_named(
    demo: DemoCollection, swept: Path, call: Call, tmp_path: Path, change_input: bool
) -> None:
    pages = shutil.copytree(demo.trec, tmp_path / "pages")
    files = sorted(pages.rglob("permalinks-*"))
    if change_input:
        flip(files[0], 30)
        files[1].rename(files[1].with_name("permalinks-999.gz"))
    outcome = call("check", swept, "--verbose", "--input", pages)
    assert outcome.status == int(change_input), outcome.out
    assert f"{'wrong' if change_input else 'ok'}  input {pages}" in outcome.out
    for fault in (
        "was changed after it was read",
        "is missing",
        "permalinks-999.gz is new",
    ):
        assert (fault in outcome.out) == change_input
    assert "--input" not in outcome.out


def test_a_store_at_a_url_is_read_there(copy: Path, call: Call) -> None:
    url = f"file://{copy / 'store'}"
    assert f"ok  store {url}" in call("check", url, "--verbose").ok().out
    [shard, *_] = (copy / "store").glob("*.parquet")
    flip(shard, 300)
    call("check", url).failed(f"{shard.name} was changed or damaged")
    call("check", f"{url}-none").refused(1, "does not exist or holds no block store")


def test_a_damaged_index_and_one_of_another_store(copy: Path, wrong: Check) -> None:
    [segment] = (copy / "indexes" / "words-001").glob("*.cfs")
    flip(segment, 100)
    path = copy / "indexes" / "words-011" / "boilersweep.json"
    manifest = read_manifest(path)
    manifest["recipe"]["store"] = "another"
    write_manifest(path, manifest)
    wrong(
        copy,
        f"indexes/words-001/{segment.name} was changed or damaged after it was written",
        "indexes/words-011: it was built from another block store",
        "indexes/words-011/boilersweep.json has",
    )


def test_a_store_elsewhere_that_is_another_or_gone(
    study: Path, inputs: Inputs, call: Call, right: Check, wrong: Check
) -> None:
    store = study.parent / "elsewhere"
    shutil.rmtree(store)
    assert f"not looked at: the block store {store}: it is not there" in right(study)
    call(
        "segment", "--input", inputs.pages, "--collection", "trecweb", "--output", store
    ).ok()
    wrong(study, f"{store} is another block store than the one that")


MISSING = {
    "manifest.json": "is missing or not finished: it has no manifest.json",
    "scores.csv": "scores.csv is missing",
    "topics.csv": "topics.csv is missing",
    "table.txt": "table.txt is missing",
    "curve.svg": "curve.svg is missing",
    "runs/words-011.trec": "runs/words-011.trec is missing",
    "indexes/words-011": "indexes/words-011/boilersweep.json is missing",
    "indexes/words-011/boilersweep.json": "indexes/words-011/boilersweep.json is missing",
    "store/manifest.json": "store is no block store (it has no manifest.json)",
    "store": "/store: it is not there",
    "store/shard-*.parquet": ".parquet is missing",
    "indexes": "indexes/words-001/boilersweep.json is missing",
    "runs": "runs/words-001.trec is missing",
}


@pytest.mark.parametrize("name", MISSING)
def test_what_is_missing_is_named(copy: Path, wrong: Check, name: str) -> None:
    path = next(copy.glob(name))
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    wrong(copy, MISSING[name])


def test_what_may_lie_in_the_folder_of_a_sweep(
    copy: Path, studied: Path, right: Check
) -> None:
    """Notes, logs, a print of the report, hidden files, and outputs of their own."""
    notes = ("notes.txt", "README.md", "sweep.log", "report.pdf")
    for name in (*notes, ".DS_Store"):
        (copy / name).write_text("mine")
    shutil.copytree(studied, copy / "study")
    shutil.copytree(copy / "indexes" / "words-011", copy / "index-words-011")
    (copy / "empty").mkdir()
    out = right(copy)
    assert not any(name in out for name in notes)
    assert f"ok  index {copy / 'index-words-011'}" in out
    assert f"ok  study {copy / 'study'}" in out
    assert "empty" not in out
    assert ".DS_Store" not in out


def test_qrels_that_are_no_longer_there(
    demo: DemoCollection, copy: Path, right: Check, tmp_path: Path
) -> None:
    qrels = tmp_path / "qrels"
    shutil.copy(demo.qrels, qrels)
    manifest = copy / "manifest.json"
    sources = read_manifest(manifest)["facts"]["sources"]
    change(
        manifest, sources=sources | {"qrels": sources["qrels"] | {"path": str(qrels)}}
    )
    assert "not looked at: scores" not in right(copy)
    qrels.write_text(qrels.read_text() + "\n")
    assert f"not looked at: scores: the qrels {qrels}: the file has" in right(copy)
    qrels.unlink()
    assert f"not looked at: scores: the qrels {qrels}: the file is missing" in right(
        copy
    )


def test_faults_come_first_then_a_line_for_each_kind(copy: Path, call: Call) -> None:
    assert call("check", copy).ok().out == (
        "1 sweep ok\n1 store ok\n"
        "       not looked at: its input; name that with --input\n"
    )
    (copy / "runs" / "words-001.trec").unlink()
    lines = call("check", copy).out.splitlines()
    assert lines[:2] == [
        f"wrong  sweep {copy}",
        "       runs/words-001.trec is missing",
    ]
    assert lines[-2] == "1 store ok"


MADE = {
    "export": ("export", "--keep", "words>=1"),
    "index": ("index", "--keep", "words>=1"),
    "indexes": ("index", "--sweep", "words=1:2"),
}


@pytest.mark.parametrize("kind", MADE)
def test_a_store_of_others_beside_an_output_accuses_nothing(
    call: Call, store: Path, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "pages.jsonl").write_text(
        '{"id": "1", "contents": "<p>another page"}\n'
    )
    (tmp_path / "work").mkdir()
    made, other = tmp_path / "work" / "made", tmp_path / "work" / "store"
    call(*MADE[kind], "--store", store, "--output", made).ok()
    call("segment", "--input", tmp_path / "pages.jsonl", "--output", other).ok()
    for folder in (made, tmp_path / "work"):
        call("check", folder).ok("the block store it was", "which is not here")
    shutil.rmtree(other)
    shutil.copytree(store, other)
    for folder in (made, tmp_path / "work"):
        outcome = call("check", folder).ok()
        assert "not here" not in outcome.out


def test_another_store_within_an_export_is_a_fault(
    call: Call, inputs: Inputs, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    call("export", "--keep", "words>=1", "--input", inputs.pages, "--output", made).ok()
    call("check", made).ok()
    (tmp_path / "pages.jsonl").write_text(
        '{"id": "1", "contents": "<p>another page"}\n'
    )
    shutil.rmtree(made / "store")
    call(
        "segment", "--input", tmp_path / "pages.jsonl", "--output", made / "store"
    ).ok()
    call("check", made).failed("it was made from another block store")
