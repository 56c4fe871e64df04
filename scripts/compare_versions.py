"""Run the same commands in two checkouts and compare what they leave, file by file.

    python scripts/compare_versions.py BEFORE AFTER [--data DIR] [--keep DIR]

BEFORE, AFTER: checkouts. data: a folder with newsmix/ and l3s/ (the annotated pages of L3S-GN1);
without it the demo alone is compared. Block stores are compared column by column, Lucene indexes
by what they hold and by the runs on them, reports not at all; every other file byte for byte, less
what names the code and the digests that follow from it. Exits with 1 if anything differs.
With --keep, a folder that already holds the outputs of BEFORE is not filled again.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

# What follows from the code that made a result, or from when and where it was made.
IDENTITY = frozenset(
    "boilersweep bytes code digest files fingerprint identity input recipe sha256 state store "
    "store_fingerprint task versions".split()
)
NOT_COMPARED = (".html", ".npz")


def commands(data: Path | None) -> Iterator[tuple[str, list[str]]]:
    """Name of each command's output, and the command less its --output."""
    yield "demo", ["demo"]
    if data is None:
        return
    paths = {
        "NEWSMIX": f"{data}/newsmix/trec",
        "GOLD": f"gold={data}/newsmix/gold.jsonl.gz",
        "L3S": f"{data}/l3s",
        "TOPICS": f"--topics {data}/newsmix/topics.open.txt --qrels {data}/newsmix/qrels.open.txt",
        "SOME": "--sweep words=1,11,20 --cleaners bte,learned,density-rules",
    }
    for line in COMMANDS.strip().splitlines():
        for name, value in paths.items():
            line = line.replace(name, value)
        output, _, command = line.partition(" ")
        yield output, command.split()


# Output, and command. {out} is where all outputs are.
COMMANDS = """
store segment --input NEWSMIX --texts GOLD
exact sweep --store {out}/store TOPICS --engine exact
indexes sweep --store {out}/store TOPICS --engine indexes SOME
study compare --store {out}/store TOPICS --choose SOME
formulas compare --store {out}/store TOPICS --cleaners bte,learned --formula bm25,qld,rm3 \
--runs outside={out}/exact/runs/words-011.trec
export export --store {out}/store --keep learned,words>=11
index index --store {out}/store --keep words>=11 --storeContents
updated segment --input {out}/pages
updated segment --input {out}/pages
judged judge --dataset l3s-gn1 --input L3S --cleaners bte,learned
"""


def run_all(checkout: Path, out: Path, data: Path | None) -> None:
    """Run the commands of a checkout into a folder."""
    for name, command in commands(data):
        if name == "updated" and data is not None:
            _more_pages(data / "newsmix" / "trec", out / "pages")
        words = [word.replace("{out}", str(out)) for word in command]
        print(f"{checkout.name}: {' '.join(words)}", file=sys.stderr)
        run = ["sh", str(checkout / "scripts" / "run.sh"), "boilersweep", *words]
        subprocess.run(
            [*run, "--output", str(out / name)], check=True, capture_output=True
        )


def _more_pages(collection: Path, pages: Path) -> None:
    """Copy half of a collection's folders, at the next call the other half."""
    folders = sorted(path for path in collection.iterdir() if path.is_dir())
    half = (
        folders[len(folders) // 2 :] if pages.exists() else folders[: len(folders) // 2]
    )
    for folder in half:
        shutil.copytree(folder, pages / folder.name)


def differing(before: Path, after: Path) -> Iterator[str]:
    """Yield what differs between two folders, a line each."""
    names = {path.relative_to(before) for path in _files(before)}
    others = {path.relative_to(after) for path in _files(after)}
    yield from (f"{name} is gone" for name in sorted(names - others))
    yield from (f"{name} is new" for name in sorted(others - names))
    for name in sorted(names & others):
        if not _same(before / name, after / name):
            yield f"{name} differs"


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not path.name.startswith(".") and not _of_lucene(path):
            yield path


def _of_lucene(path: Path) -> bool:
    return (
        path.name != "boilersweep.json" and (path.parent / "boilersweep.json").exists()
    )


def _same(one: Path, other: Path) -> bool:
    if one.suffix in NOT_COMPARED:
        return True
    if one.suffix == ".parquet":
        # Without the footer's metadata, which says how the shard was made.
        return bool(pq.read_table(one).equals(pq.read_table(other)))
    if one.suffix == ".json":
        return bool(_masked(one) == _masked(other))
    return one.read_bytes() == other.read_bytes()


def _masked(path: Path) -> Any:
    def less(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: less(one) for key, one in value.items() if key not in IDENTITY}
        return [less(one) for one in value] if isinstance(value, list) else value

    return less(json.loads(path.read_text(encoding="utf-8")))


def main() -> int:
    """Compare two checkouts; 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--keep", type=Path, help="keep the outputs here")
    args = parser.parse_args()
    folder = args.keep or Path(tempfile.mkdtemp())
    for name in ("before", "after"):
        if (folder / name).exists():
            continue
        # One name for both, as outputs name their folder.
        out = folder / "out"
        run_all(getattr(args, name).resolve(), out, args.data and args.data.resolve())
        out.rename(folder / name)
    found = list(differing(folder / "before", folder / "after"))
    count = sum(1 for _ in _files(folder / "before"))
    print("\n".join(found) or f"{count:,} files: no difference")
    if not args.keep:
        shutil.rmtree(folder)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
