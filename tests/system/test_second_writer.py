"""One process writes a folder; a second one is told so at once, in one line."""

from pathlib import Path

import pytest

from boilersweep.cli.main import main
from boilersweep.outputs.locks import only_writer
from tests.running import boilersweep

pytestmark = pytest.mark.java

JUDGED = "--topics topics.tsv --qrels qrels.txt --verify 1"
COMMANDS = {
    "store": "segment --input pages",
    "texts": "export --store store --keep bte",
    "indexes": "index --store store --sweep words=1,3",
    "index": "index --store store --keep bte",
    "swept": f"sweep --engine exact --store store --sweep words=1,3 {JUDGED}",
    "study": f"compare --engine exact --store store --cleaners bte,words>=3 {JUDGED}",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with pages, topics, judgements and a store."""
    monkeypatch.chdir(tmp_path)
    Path("pages").mkdir()
    for number in range(3):
        line = f'{{"id": "d{number}", "contents": "<p>a pony and a zebra number {number}"}}'
        Path("pages", f"{number}.jsonl").write_text(line)
    Path("topics.tsv").write_text("1\tpony\n2\tzebra\n")
    Path("qrels.txt").write_text("1 0 d0 1\n2 0 d1 1\n")
    boilersweep("segment", "--input", "pages", "--output", "store", cwd=Path.cwd())


@pytest.mark.parametrize("output", COMMANDS)
def test_a_second_writer_is_told_at_once(
    place: None, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(output)
    # One index has its lock beside it.
    held = (Path(), f".{output}.lock", folder) if output == "index" else (folder,)
    Path("pages", "3.jsonl").write_text('{"id": "d3", "contents": "<p>new"}')
    with only_writer(held[0], *held[1:2], output=folder):
        assert main([*COMMANDS[output].split(), "--output", output]) == 1
    *_, line = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("boilersweep: "), line
    assert f"{folder} is being written by process" in line
    assert main([*COMMANDS[output].split(), "--output", output]) == 0
