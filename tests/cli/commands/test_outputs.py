"""One table over every kind of output: what `check` and the commands promise of each."""

import shutil
from pathlib import Path

import pytest

from boilersweep.cli.main import main
from boilersweep.demo.collection import make_demo
from boilersweep.outputs.manifest_file import read_manifest
from tests.cli.conftest import Call, Inputs, deleted_application
from tests.manifests import write_manifest

pytestmark = pytest.mark.java

MANIFESTS = {"index": "boilersweep.json"}
KINDS = ("store", "index", "export", "sweep", "study", "judgement", "demo collection")

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
            arguments = [*command.split(), "--output", kind]
            assert deleted_application(arguments) or main(arguments) == 0
    make_demo(folder / "demo collection", pages=20)
    return folder


@pytest.fixture(params=KINDS)
def output(made: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    kind = str(request.param)
    if not (made / kind).exists():
        pytest.skip(f"the application that writes a {kind} was deleted")
    return Path(shutil.copytree(made / kind, tmp_path / kind))


def manifest_of(output: Path) -> Path:
    return output / MANIFESTS.get(output.name, "manifest.json")


def test_notes_may_be_beside_and_hidden_files_anywhere(
    output: Path, call: Call
) -> None:
    (output / ".DS_Store").write_text("system")
    (output / "notes.txt").write_text("mine")
    checked = call("check", output).ok()
    assert ".DS_Store" not in checked.out


def test_an_output_without_its_manifest_is_not_finished(
    output: Path, call: Call
) -> None:
    if output.name == "demo collection":
        return  # which is then a folder of pages
    manifest_of(output).unlink()
    checked = call("check", output).failed()
    if output.name == "index":  # which another program may have built
        assert "has no boilersweep.json" in checked.out
        assert "or the file was removed" in checked.out
        return
    # Files of an export alone could be anybody's.
    assert (
        "again" in checked.out or "holds no block store, index, export" in checked.err
    )


def test_a_listed_name_outside_of_the_folder_is_refused(
    output: Path, call: Call
) -> None:
    said = read_manifest(manifest_of(output))
    for name in ("../x", "/etc/passwd"):
        parts = {**said["parts"], name: {"key": "", "files": {}}}
        write_manifest(manifest_of(output), {**said, "parts": parts})
        call("check", output).failed(f"expected files below the folder, got {name}")


# What a command of each kind writes, and the file of others that is in its way.
WRITES = {
    "index": ("index --store store --keep words>=5", "notes.txt"),
    "parallel indexes": ("index --store store --sweep words=1,5", "words-001"),
    "export": ("export --store store --keep words>=5 --dedup exact", "duplicates.csv"),
    "sweep": (f"sweep {JUDGED} --sweep words=1 --engine exact", "runs/words-001.trec"),
    "sweep of indexes": (f"sweep {JUDGED} --sweep words=1", "indexes/words-001"),
    "grid": (f"sweep {JUDGED} --grid words=1:2 density=1:2", "scores.csv"),
    "study": (f"compare {JUDGED} --cleaners words>=5", "report.html"),
    "overlap": ("compare --store store --topics topics --cleaners bte", "overlap.csv"),
    "judgement": (COMMANDS["judgement"], "table.txt"),
    "assessment": (
        "assess --store store --topics topics --cleaners words>=1,bte --write pool.csv",
        "topics.tsv",
    ),
}


@pytest.mark.parametrize("kind", WRITES)
def test_files_and_manifests_of_others_stay(
    made: Path, tmp_path: Path, call: Call, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, name = WRITES[kind]
    monkeypatch.chdir(made)
    manifest = "boilersweep.json" if kind == "index" else "manifest.json"
    for theirs in (name, manifest):
        out = tmp_path / theirs.replace("/", "-")
        path = out / theirs
        path.parent.mkdir(parents=True)
        path.write_text("theirs")
        overwrites = ("", "--overwrite") if kind != "assessment" else ("",)
        for overwrite in overwrites:
            outcome = call(*command.split(), "--output", out, *overwrite.split())
            assert outcome.status == 1, outcome.err
            assert theirs in outcome.err
            assert "Traceback" not in outcome.err
        assert path.read_text() == "theirs"
        left = [one for one in out.rglob("*") if one.is_file()]
        assert left == [path]


def test_no_command_replaces_its_input(
    made: Path, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    shutil.copytree(made / "sweep", tmp_path / "sweep")
    topics = tmp_path / "sweep" / "topics.csv"
    before = topics.read_bytes()
    for command in (
        f"sweep --store store --topics {topics} --qrels qrels --sweep words=1",
        f"sweep --store store --topics topics --qrels {topics} --sweep words=1",
        f"compare --store store --topics topics --qrels {topics} --cleaners bte",
    ):
        options = ("--output", tmp_path / "sweep", "--overwrite")
        assert call(*command.split(), *options).status in (1, 2)
    for command in (
        "index --store store --keep bte",
        "index --store store --sweep words=1",
    ):
        assert call(*command.split(), "--output", "store", "--overwrite").status in (
            1,
            2,
        )
    assert topics.read_bytes() == before
    call("check", "store").ok()
