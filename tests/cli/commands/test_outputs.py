"""One table over every kind of output: what `check` and the commands promise of each."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from boilersweep.cli.main import main
from boilersweep.demo.collection import DEMO, write_demo
from boilersweep.outputs.folder import OutputFolder
from boilersweep.outputs.manifest_file import read_manifest, write_manifest
from tests.cli.conftest import Call, Inputs

pytestmark = pytest.mark.java

MANIFESTS = {"index": "boilersweep.json"}
# Files that each kind does not list, and `check` names.
STRAYS = {
    "store": "duplicates.csv old/x shard-0.parquet texts-0.parquet",
    "index": "notes.txt segments_z deeper/x",
    "sweep": "scores-old.csv runs/words-002.trec runs/qld/words-001.trec report.html old/x "
    "indexes/words-002/x runs/readme curve-old.svg runs.csv.gz paper.txt evidence/1.txt",
    "study": "scores.csv runs/readme indexes/x evidence/1.txt",
    "judgement": "types.csv sources/stray.csv other.png",
    "demo collection": "trec/more.gz qrels-2.txt",
}

KINDS = (*STRAYS, "export")

JUDGED = "--store store --topics topics --qrels qrels"
COMMANDS = {
    "index": "index --store store --keep words>=5",
    "export": "export --store store --keep words>=5,words>=1",
    "sweep": f"sweep {JUDGED} --sweep words=1,5 --cleaners bte",
    "study": f"compare {JUDGED} --cleaners words>=5",
    "judgement": "judge --dataset folder --input gold --cleaners words>=2,bte",
}


@pytest.fixture(scope="module")
def made(inputs: Inputs, store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write an output of every kind, each in a folder with its name."""
    folder = tmp_path_factory.mktemp("outputs")
    shutil.copytree(store, folder / "store")
    gold = folder / "gold"
    for name in ("html", "text"):
        (gold / name).mkdir(parents=True)
        for number in range(4):
            text = f"the page {number} says a thing or two about ponies"
            body = f"<p>menu</p><p>{text}</p>" if name == "html" else text
            (
                gold / name / f"{number}.{'html' if name == 'html' else 'txt'}"
            ).write_text(body)
    (folder / "topics").symlink_to(inputs.topics)
    (folder / "qrels").symlink_to(inputs.qrels)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        for kind, command in COMMANDS.items():
            assert main([*command.split(), "--output", kind]) == 0
    demo = OutputFolder(folder / "demo collection", DEMO)
    write_demo(demo.path, pages=20)
    files = [path for path in demo.path.rglob("*") if path.is_file()]
    demo.seal({}, {"pages": 20}, demo.names(files))
    return folder


@pytest.fixture(params=KINDS)
def output(made: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    kind = str(request.param)
    return Path(shutil.copytree(made / kind, tmp_path / kind))


def manifest_of(output: Path) -> Path:
    return output / MANIFESTS.get(output.name, "manifest.json")


def test_files_that_are_not_listed_are_named(output: Path, call: Call) -> None:
    if output.name not in STRAYS:
        return  # they are somebody else's
    for name in STRAYS[output.name].split():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_text("stray")
    checked = call("check", output).failed()
    listed = manifest_of(output).name
    for name in STRAYS[output.name].split():
        at = [
            name,
            f"{name.partition('/')[0]}/",
            name.rpartition("/")[0],
            name.partition("/")[0],
        ]
        assert any(f"{one} is not listed in {listed}" in checked.out for one in at), (
            name
        )


def test_notes_may_be_beside_and_hidden_files_anywhere(
    output: Path, call: Call
) -> None:
    (output / ".DS_Store").write_text("system")
    if output.name not in ("index", "demo collection", "export"):
        (output / "notes.txt").write_text("mine")
    checked = call("check", output).ok()
    assert ".DS_Store" not in checked.out
    assert ("not looked at: notes.txt" in checked.out) == (
        output / "notes.txt"
    ).exists()


def test_an_output_without_its_manifest_is_not_finished(
    output: Path, call: Call
) -> None:
    if output.name == "demo collection":
        return  # which is then a folder of pages
    manifest_of(output).unlink()
    checked = call("check", output).failed()
    # Files of an export alone could be anybody's.
    assert (
        "again" in checked.out or "holds no block store, index, export" in checked.err
    )


def test_a_listed_name_outside_of_the_folder_is_refused(
    output: Path, call: Call
) -> None:
    said = read_manifest(manifest_of(output))
    entry = {"bytes": 0, "sha256": ""}
    for name in ("../x", "/etc/passwd"):
        other: dict[str, Any]
        if output.name == "store":
            other = {**said, "shards": [{**said["shards"][0], "file": name}]}
        else:
            where = "parts" if "parts" in said else "files"
            more = {"key": "", "files": {}} if where == "parts" else entry
            other = {**said, where: {**said[where], name: more}}
        write_manifest(manifest_of(output), other)
        call("check", output).failed(f"expected files below the folder, got {name}")
