"""What can be done to the files of the world between two runs."""

import gzip
import importlib.util
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

from robustness import world

Change = Callable[[Path], object]


def edit(name: str, old: str, new: str) -> Change:
    """Replace in a file; it was changed now, then."""

    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text()
        if old not in text:
            raise LookupError(f"{name} lacks {old!r}")
        path.write_text(text.replace(old, new))

    return change


def keeping_time(name: str, edit: Change) -> Change:
    """An edit that leaves size and time of a file as they were."""

    def change(folder: Path) -> None:
        before = (folder / name).stat()
        edit(folder)
        os.utime(folder / name, ns=(before.st_atime_ns, before.st_mtime_ns))

    return change


def twin(name: str, other: str) -> Change:
    """Beside a file another of its size and time, with other pages."""

    def change(folder: Path) -> None:
        text = (folder / name).read_text()
        path = folder / other
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace('"id": "d', '"id": "e').replace("apples", "plums "))
        shutil.copystat(folder / name, path)

    return change


def swap(name: str, other: str) -> Change:
    """Two files swap names."""

    def change(folder: Path) -> None:
        (folder / name).rename(folder / "third")
        (folder / other).rename(folder / name)
        (folder / "third").rename(folder / other)

    return change


def link(name: str, target: str) -> Change:
    """A link in the place of a file, or of another link."""

    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)

    return change


def several(*changes: Change) -> Change:
    return lambda folder: [change(folder) for change in changes]


def half(name: str) -> Change:
    """A download that has its whole size from the start, and zeros for what has not come yet."""

    def change(folder: Path) -> None:
        body = (folder / name).read_bytes()
        (folder / "whole").write_bytes(body)
        end = body.find(b"\n", 0, len(body) // 2) + 1 or len(body) // 2
        (folder / name).write_bytes(body[:end].ljust(len(body), b"\0"))

    return change


def whole(name: str) -> Change:
    return lambda folder: (folder / name).write_bytes((folder / "whole").read_bytes())


def remove(name: str) -> Change:
    return lambda folder: (folder / name).unlink()


def rename(name: str, new: str) -> Change:
    return lambda folder: (folder / name).rename(folder / new)


def touch(name: str) -> Change:
    return lambda folder: os.utime(folder / name)


def add_page(name: str) -> Change:
    """One more page, as a file of its own."""

    def change(folder: Path) -> None:
        text = world.page(30)
        (folder / name).write_text(
            world.json_lines({"d30": text}) if name.endswith(".jsonl") else text
        )

    return change


def pack_again(name: str) -> Change:
    def change(folder: Path) -> None:
        body = gzip.decompress((folder / name).read_bytes())
        (folder / name).write_bytes(gzip.compress(body, 1, mtime=0))

    return change


def other(name: str, edited: str) -> Change:
    """Beside a file or folder another, its name with a 2, in which one thing is edited."""

    def change(folder: Path) -> None:
        path = folder / name
        other = path.with_name(f"{path.stem}2{path.suffix}")
        if path.is_dir():
            shutil.copytree(path, other)
        else:
            shutil.copy(path, other)
        edit(str((other / edited if path.is_dir() else other).relative_to(folder)), "pony", "mule")(
            folder
        )

    return change


def double_docid(folder: Path) -> None:
    """A docid that stands twice."""
    with (folder / "pages" / "c.jsonl").open("a") as file:
        file.write(world.json_lines({"d0": world.page(3)}))


def more_fields(folder: Path) -> None:
    """Documents with a second docid, text and address."""
    path = folder / "pages" / "a.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    more = [
        {**line, "number": n, "body": f"{n} {line['contents']}", "link": f"http://x/{n}"}
        for n, line in enumerate(lines)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in more))


def link_outside(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    add_page("elsewhere/z.jsonl")(folder)
    (folder / "pages" / "z.jsonl").symlink_to("../elsewhere/z.jsonl")


def other_anserini(folder: Path) -> None:
    """The same Anserini under the name of another version."""
    (folder / "jars").mkdir()
    (folder / "jars" / "anserini-9.9.9-fatjar.jar").symlink_to(_jar())


def other_jar(folder: Path) -> None:
    """Another Anserini under the name and version of the installed one."""
    (folder / "jars").mkdir()
    jar = shutil.copy(_jar(), folder / "jars")
    with zipfile.ZipFile(jar, "a") as file:
        file.writestr("another.txt", "other")


def _jar() -> Path:
    """The installed one, wherever the environment leads."""
    pyserini = importlib.util.find_spec("pyserini")
    if pyserini is None or pyserini.origin is None:
        raise LookupError("pyserini is not installed")
    (jar,) = Path(pyserini.origin).parent.glob("resources/jars/anserini-*-fatjar.jar")
    return jar
