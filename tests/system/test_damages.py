"""Damage one file of finished work: `check` reports it, and a rerun repairs or rejects it."""

import json
import os
import shutil
import stat
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from boilersweep.outputs.manifest_file import DIGEST, manifest_text
from boilersweep.outputs.parts import MANIFESTS
from tests.comparing import NOTES, comparable, differences
from tests.system.bench import Bench, inside, make_work, run_here
from tests.system.works import OUT, TOPICS, WORKS, Argv, commands

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.application("learned")]

FOUND_IN = "segment, extract, index, index --keep, export, judge, sweep, sweep exact, sweep --grid"
ASSESS = f'assess --store store {TOPICS.partition(" --qrels")[0]} --cleaners "words>=1,bte" {OUT}'

# Finished work, and the commands that make it; the last of them runs again.
SUBJECTS: dict[str, tuple[Argv, ...]] = {
    **{
        work.name: (*work.first, *work.again)
        for work in WORKS
        if work.name in (*FOUND_IN.split(", "), "compare")
    },
    "train": commands(
        "train --dataset folder=judged --dataset snippets=strings --leave-out source --model 1r "
        "--features kohlschuetter --output out/model.npz"
    ),
    "assess": commands(f"{ASSESS} --assessor 'echo 1' --documents 4"),
    "answers": commands(
        f"{ASSESS} --assessor 'echo 0' --documents 2",
        f"{ASSESS} --read answers.csv --name Ada",
    ),
}

# Files without a digest: Lucene's lock, and the queries of an assessment.
UNCHECKED = ("write.lock", "topics.tsv")

# Works that only grow: a rerun makes no difference to what they have.
ADDING = ("assess", "answers")


def flip(path: Path, chance: Generator) -> None:
    body = bytearray(path.read_bytes())
    place = int(chance.integers(len(body) * 8))
    body[place // 8] ^= 1 << place % 8
    path.write_bytes(body)


def cut(path: Path, chance: Generator) -> None:
    body = path.read_bytes()
    path.write_bytes(body[: int(chance.integers(len(body)))])


def zero(path: Path, _chance: Generator) -> None:
    """Write zeros over the last page of the disk that is not empty."""
    body = path.read_bytes()
    start = max(
        start for start in range(0, len(body), 4096) if any(body[start : start + 4096])
    )
    end = min(start + 4096, len(body))
    path.write_bytes(body[:start] + bytes(end - start) + body[end:])


def replaced_by(put: Callable[[Path], object]) -> Callable[[Path, Generator], None]:
    """Remove the file and put something else in its place."""

    def damage(path: Path, _chance: Generator) -> None:
        path.unlink()
        put(path)

    return damage


def make_device(path: Path) -> None:
    """Make a device of our own that never ends; needs root."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))
        path.open("rb").close()
    except OSError as error:
        pytest.skip(f"cannot make a device: {error}")


def add_links_to_folders(path: Path, _chance: Generator) -> None:
    """Delete the file, and add two links to its folder, which multiply every walk."""
    path.unlink()
    for name in ("l1", "l2"):
        (path.parent / name).symlink_to(".")


DAMAGES: dict[str, Callable[[Path, Generator], None]] = {
    "flip": flip,
    "cut": cut,
    "zero": zero,
    "delete": replaced_by(lambda _path: None),
    "fifo": replaced_by(os.mkfifo),
    "device": replaced_by(make_device),
    "link": replaced_by(lambda path: path.symlink_to("nowhere")),
    "link to a folder": replaced_by(lambda path: path.symlink_to(".")),
    "links to folders": add_links_to_folders,
    "folder": replaced_by(Path.mkdir),
}


def kind_of(path: Path) -> str:
    """Return what a file is: many shards, runs and indexes are each one kind."""
    if path.parent.parent.name == "indexes":
        return f"indexes/*/*{path.suffix}"
    if path.parent.name == "runs" or path.suffix == ".parquet":
        return str(path.with_name(f"*{path.suffix}"))
    return str(path)


def files() -> list[list[Path]]:
    """Return the files of the work by kind."""
    kinds: dict[str, list[Path]] = {}
    for path in sorted(Path("out").rglob("*")):
        if not path.is_file() or path.name in UNCHECKED or NOTES in path.parts:
            continue
        if not path.stat().st_size:
            continue
        kinds.setdefault(kind_of(path), []).append(path)
    return list(kinds.values())


def drawn_file(chance: Generator) -> Path:
    """Return a random file, each kind with the same chance; skip the test if none fits."""
    kinds = files()
    if not kinds:
        pytest.skip("no file fits")
    of_kind = kinds[int(chance.integers(len(kinds)))]
    return of_kind[int(chance.integers(len(of_kind)))]


def forge(path: Path, chance: Generator) -> None:
    """Remove a value of a manifest, or give it another type; its digest is right."""
    manifest = json.loads(path.read_bytes())
    del manifest[DIGEST]
    places: list[tuple[Any, Any]] = []
    containers = [manifest]
    for container in containers:
        keys = list(container) if isinstance(container, dict) else range(len(container))
        places += [(container, key) for key in keys]
        containers += [
            container[key] for key in keys if isinstance(container[key], dict | list)
        ]
    container, key = places[int(chance.integers(len(places)))]
    if chance.random() < 0.5:
        del container[key]
    else:
        container[key] = {"x": 7} if isinstance(container[key], list) else [7]
    path.write_text(manifest_text(manifest))


@pytest.fixture
def work(bench: Bench, subject: str) -> Iterator[str]:

    def make() -> None:
        Path("answers.csv").write_text("topic,docid,grade\n1,d0,1\n1,d1,0\n")
        make_work(SUBJECTS[subject])

    bench.restore(subject, make)
    with inside(bench.world):
        yield subject


def check(subject: str) -> tuple[bool, str]:
    succeeded, output = run_here(
        (("check", "out/model.npz" if subject == "train" else "out"),)
    )
    assert "Traceback" not in output, output
    return succeeded, output


def chance_of(*names: str) -> Generator:
    """Return a generator of random numbers that is the same in every run."""
    return np.random.default_rng(zlib.crc32(" ".join(names).encode()))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_check_is_content_with_finished_work(work: str) -> None:
    succeeded, output = check(work)
    assert succeeded, output


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_check_sees_damage(work: str, damage: str) -> None:
    chance = chance_of(work, damage)
    path = drawn_file(chance)
    DAMAGES[damage](path, chance)
    succeeded, output = check(work)
    assert not succeeded, f"{path}: {output}"


RERUNS = [
    pytest.param(subject, damage, marks=() if turn % 4 == 0 else pytest.mark.exhaustive)
    for turn, (subject, damage) in enumerate(
        (subject, damage)
        for subject in SUBJECTS
        if subject not in ADDING
        for damage in DAMAGES
    )
]


@pytest.mark.parametrize(("subject", "damage"), RERUNS)
def test_a_rerun_repairs_damage_or_rejects_it(work: str, damage: str) -> None:
    chance = chance_of(work, damage)
    expected = comparable(Path("out"))
    path = drawn_file(chance)
    DAMAGES[damage](path, chance)
    succeeded, output = run_here(SUBJECTS[work][-1:])
    assert "Traceback" not in output, output
    if not succeeded:
        return
    shutil.rmtree(path.parent.with_name(f"{path.parent.name}-9"), ignore_errors=True)
    for name in (f"{path.stem}9{path.suffix}", "l1", "l2"):
        path.with_name(name).unlink(missing_ok=True)
    assert differences(comparable(Path("out")), expected) == []
    assert check(work)[0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "subject", [name for name in SUBJECTS if name not in (*ADDING, "train")]
)
def test_a_forged_manifest_is_rejected_or_makes_no_difference(
    work: str, seed: int
) -> None:
    chance = chance_of(work, str(seed))
    manifests = [
        path for path in sorted(Path("out").rglob("*.json")) if path.name in MANIFESTS
    ]
    expected = comparable(Path("out"))
    path = manifests[int(chance.integers(len(manifests)))]
    forge(path, chance)
    check(work)
    succeeded, output = run_here(SUBJECTS[work][-1:])
    assert "Traceback" not in output, output
    if succeeded:
        found = differences(comparable(Path("out")), expected)
        assert [
            line for line in found if str(path.relative_to("out")) not in line
        ] == []
