"""Edits of the world: the tables bind their arguments with `partial`."""

import gzip
import importlib.util
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.system.bench import make_work
from tests.system.works import STORE
from tests.system.world import (
    HELPER,
    json_lines,
    page,
    write_qrels,
    write_topics,
    write_zipped,
)

# Changes the world in the working directory.
Edit = Callable[[], object]


def all_of(*edits: Edit) -> Edit:
    return lambda: [edit() for edit in edits]


def replace(name: str, old: str, new: str) -> None:
    text = Path(name).read_text()
    assert old in text, f"{name} lacks {old!r}"
    Path(name).write_text(text.replace(old, new))


def with_old_time(name: str, edit: Edit) -> None:
    """Edit a file, and give it back its time of modification."""
    before = Path(name).stat()
    edit()
    os.utime(name, ns=(before.st_atime_ns, before.st_mtime_ns))


def swap(name: str, other: str) -> None:
    Path(name).rename("third")
    Path(other).rename(name)
    Path("third").rename(other)


def link(name: str, target: str) -> None:
    Path(name).unlink(missing_ok=True)
    Path(name).symlink_to(target)


def copy(name: str, target: str, edited: str = "") -> None:
    """Copy a file or a folder, and replace an animal in the copy or in one file of it."""
    (shutil.copytree if Path(name).is_dir() else shutil.copy)(name, target)
    replace(f"{target}/{edited}" if edited else target, "pony", "mule")


def write_other_pages(name: str, target: str) -> None:
    """Write a file of the same size and time with other pages."""
    text = Path(name).read_text()
    text = text.replace('"id": "d', '"id": "e').replace("apples", "plums ")
    Path(target).parent.mkdir(exist_ok=True)
    Path(target).write_text(text)
    shutil.copystat(name, target)


def link_to_one_of_two(folder: str, name: str) -> None:
    """Make a file a link to 1NAME; it and 2NAME have the same size and time."""
    for number in (1, 2):
        write_other_pages(f"{folder}/{name}", f"{folder}/.kept/{number}{name}")
    replace(f"{folder}/.kept/2{name}", "plums ", "pears ")
    shutil.copystat(f"{folder}/.kept/1{name}", f"{folder}/.kept/2{name}")
    link(f"{folder}/{name}", f".kept/1{name}")


def add_page(name: str) -> None:
    text = json_lines({"d30": page(30)}) if name.endswith(".jsonl") else page(30)
    Path(name).write_text(text)


def pack_again() -> None:
    path = Path("pages/b.jsonl.gz")
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()), 1, mtime=0))


def repeat_docid() -> None:
    """Add a second page with the docid of the first."""
    with Path("pages/c.jsonl").open("a") as file:
        file.write(json_lines({"d0": page(3)}))


def add_fields() -> None:
    """Give documents a second docid, text and address."""
    path = Path("pages/a.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for number, line in enumerate(lines):
        line |= {
            "number": number,
            "body": f"{number} {line['contents']}",
            "link": f"http://x/{number}",
        }
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_choices() -> None:
    """Name two documents, in a list and in judgements."""
    Path("chosen.txt").write_text("d1\nd3\n")
    Path("chosen-qrels.txt").write_text("1 0 d1 1\n2 0 d3 0\n")


def link_outside() -> None:
    """Put a link to a file elsewhere among the pages."""
    Path("elsewhere").mkdir()
    add_page("elsewhere/z.jsonl")
    Path("pages/z.jsonl").symlink_to("../elsewhere/z.jsonl")


def write_judged_topics(*titles: str) -> None:
    write_topics(Path(), titles)
    write_qrels(Path(), titles)


def change_zipped_plugin() -> None:
    source = HELPER.replace("paragraphs", "text").replace("html)\n", "html)[1:]\n")
    write_zipped(Path("code/plug-ins.zip"), source)


def change_version() -> None:
    """Give the distribution of an extractor another version."""
    old, new = (
        Path(f"code/shouting-{version}.dist-info") for version in ("1.0", "2.0")
    )
    old.rename(new)
    replace(f"{new}/METADATA", "Version: 1.0", "Version: 2.0")
    replace(f"{new}/RECORD", old.name, new.name)


def rebuild_store(*options: str) -> None:
    shutil.rmtree("store")
    make_work(((*STORE, *options),))


def put_anserini(*, renamed: bool) -> None:
    """Put a jar into the folder jars: Anserini under the name of another version, or altered."""
    spec = importlib.util.find_spec("pyserini")
    (jar,) = Path(str(spec and spec.origin)).parent.glob(
        "resources/jars/anserini-*-fatjar.jar"
    )
    Path("jars").mkdir()
    if renamed:
        Path("jars/anserini-9.9.9-fatjar.jar").symlink_to(jar)
    else:
        with zipfile.ZipFile(shutil.copy(jar, "jars"), "a") as file:
            file.writestr("another.txt", "other")
