"""Tasks: which files make which shard, and what its name depends on."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from boilersweep import Segmentation
from boilersweep.collection.format import Reading
from boilersweep.pages.limits import Limits
from boilersweep.segmenting.tasks import (
    Chosen,
    Task,
    TextSource,
    TextTask,
    group_size,
    grouped,
    named_files,
    recipe_of,
)
from tests.segmenting.conftest import OPTIONS, numbered


def named(count: int) -> list[tuple[Path, str]]:
    return [(Path(f"{number:05d}"), f"{number:05d}") for number in range(count)]


def test_groups_are_neighbours_and_have_a_maximum() -> None:
    files = named(5_000)
    assert [*grouped(files, 1)] == [(file,) for file in files]
    groups = [*grouped(files, 50)]
    assert [file for group in groups for file in group] == files
    assert 50 < len(groups) < 200
    assert 100 < max(map(len, groups)) <= 200
    most = [len(group) for group in grouped(named(100) * 9, 10**9)]
    assert most == [900]
    assert max(len(group) for group in grouped([named(2)[1]] * 99, 10)) <= 40
    assert [*grouped([], 50)] == []


@pytest.mark.parametrize(
    ("files", "most", "size"),
    [
        (100_000, 1, 1),
        *((files, 500, 500) for files in (0, 3, 500, 100_000)),
        (501, 500, 64),
        (1_500, 500, 64),
        (20_000, 500, 256),
    ],
)
def test_many_small_files_become_many_groups(files: int, most: int, size: int) -> None:
    assert group_size(files, most) == size


@pytest.mark.parametrize("number", [0, 1, 2_500, 4_999])
def test_a_file_more_or_less_changes_few_groups(number: int) -> None:
    files = named(5_000)
    before = {*grouped(files, 50)}
    after = {*grouped([*files[:number], *files[number + 1 :]], 50)}
    assert len(before - after) <= 3
    assert len(after - before) <= 3


def test_a_root_that_is_a_file_gives_its_name(tmp_path: Path) -> None:
    path = numbered(tmp_path / "x.jsonl", "one")
    assert named_files(path, [path]) == [(path, "x.jsonl")]


def shard(options: Segmentation = OPTIONS, *digests: str, name: str = "a") -> str:
    task = Task(Path("out"), ((Path("in/a"), name),), options, recipe_of(options))
    return task.part(digests or ("0",), {}).name


@pytest.mark.parametrize(
    "changed",
    [
        {"collection": "html"},
        {"reading": Reading(plain=True)},
        {"borders": "paper"},
        {"metadata": True},
        {"limits": Limits(page_bytes=9)},
        {"limits": Limits(page_blocks=9)},
        {"limits": Limits(attributes=9)},
        {"limits": Limits(nesting=9)},
        {"chosen": Chosen(frozenset("a"))},
    ],
)
def test_another_option_is_another_shard(changed: dict[str, Any]) -> None:
    assert shard(replace(OPTIONS, **changed)) != shard()


@pytest.mark.parametrize(
    "changed",
    [
        {"follow_links": True},
        {"limits": Limits(seconds=9)},
        {"limits": Limits(worker_bytes=2**33)},
        {"extractors": ["bte"]},
        {"given": {"gold": Path("gold")}},
        {"on_duplicate": "first"},
    ],
)
def test_what_shapes_no_block_is_the_same_shard(changed: dict[str, Any]) -> None:
    assert shard(replace(OPTIONS, **changed)) == shard()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("VERSION", 0),
        ("__version__", "0"),
        ("dictionary", lambda: "another"),
        ("detector", lambda: "another"),
    ],
)
def test_other_code_makes_another_shard(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    before = shard()
    monkeypatch.setattr(f"boilersweep.segmenting.tasks.{name}", value)
    assert shard() != before


def test_files_make_the_name_by_name_and_content() -> None:
    assert len({shard(), shard(OPTIONS, "1"), shard(name="b")}) == 3


def test_texts_are_named_by_shard_and_source() -> None:
    def file(shard: str, name: str, identity: str) -> str:
        source = TextSource(name, identity)
        return TextTask(Path("out", shard), (), OPTIONS, source).part({}).name

    made = [file("s", "a", "1"), file("t", "a", "1"), file("s", "b", "1")]
    assert len({*made, file("s", "a", "2")}) == 4
    assert file("s", "a", "1") == made[0]
