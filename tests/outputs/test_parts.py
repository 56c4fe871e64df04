"""Folders of parts: reuse, refusals, what is ours, and kills at each step."""

import contextlib
import json
import os
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import pytest

from boilersweep import BusyError, OutputError, UsageError
from boilersweep.outputs.identity import file_digest
from boilersweep.outputs.manifest_file import state_of
from boilersweep.outputs.parts import Manifest, NotChecked, Output, Part
from boilersweep.outputs.plan import PLAN, unfinished_kind
from boilersweep.outputs.typed_files import json_text
from boilersweep.outputs.writer import Writer, writing
from tests.manifests import write_manifest
from tests.stores import contents


class Sum(msgspec.Struct):
    """The facts of the outputs here."""

    parts: int


def _verify(_: Path, manifest: Manifest[Sum], store: Any) -> Iterator[str]:
    if manifest.facts.parts != len(manifest.parts):
        yield "the parts are others"
    if store is None:
        yield NotChecked("the store")


TOY = Output(name="toy", command="toy", facts=Sum, follows=("store",), verify=_verify)
GROWING = Output(name="toy", command="toy", facts=Sum, grows=("asked",))

# Steps of a run, at each of which it may be killed.
STEPS = (
    "plan.write_text",
    "plan.Plan.append",
    "writer.sync_files",
    "writer.write_text",
    "writer.Writer._remove",
    "plan.Plan.close",
)


def parts_of(request: dict[str, int]) -> list[Part]:
    """Return files in the output and in a folder, and a folder, as `name -> value` asks for."""
    return [Part(name, value) for name, value in request.items()]


def make(writer: Writer[Sum], part: Part) -> None:
    path = writer.folder / part.name
    path.parent.mkdir(exist_ok=True)
    if path.suffix:
        path.write_text(f"{part.name} {part.recipe}\n")
    else:
        path.mkdir(exist_ok=True)
        for inner in path.iterdir():
            inner.unlink()
        (path / f"{part.recipe}.txt").write_text(f"{part.recipe}\n")
    writer.add(part.name, {"value": part.recipe})


def update(
    folder: Path,
    request: dict[str, int],
    output: Output[Sum] = TOY,
    recipe: dict[str, Any] | None = None,
    **how: Any,
) -> list[str]:
    """Bring a folder to a request; return the parts that were made."""
    recipe = {"asked": request, **(recipe or {})}
    with writing(output, folder, recipe, parts_of(request), **how) as writer:
        for part in writer.missing:
            make(writer, part)
        writer.finish(Sum(len(request)))
        return [part.name for part in writer.missing]


ONE = {"a.txt": 1, "runs/b.txt": 1, "index": 1}
OTHER = {"a.txt": 2, "runs/b.txt": 1, "runs/c.txt": 1, "index": 2}


@pytest.fixture
def other(tmp_path: Path) -> dict[str, bytes]:
    update(tmp_path / "other", OTHER)
    return contents(tmp_path / "other")


def test_only_what_differs_is_made(tmp_path: Path, other: dict[str, bytes]) -> None:
    out = tmp_path / "out"
    assert update(out, ONE) == [*ONE]
    manifest = state_of(out / "manifest.json")
    assert update(out, ONE) == []
    assert state_of(out / "manifest.json") == manifest
    with pytest.raises(OutputError, match=r"another toy .*: asked a\.txt was 1, is 2"):
        update(out, OTHER)
    assert update(out, OTHER, overwrite=True) == ["a.txt", "runs/c.txt", "index"]
    assert contents(out) == other
    assert list(TOY.check(out)) == ["the store"]
    assert list(TOY.check(out, "store")) == []


def test_what_an_output_follows_is_no_other_request(tmp_path: Path) -> None:
    update(tmp_path, ONE, recipe={"store": 1})
    assert TOY.finished(tmp_path, {"asked": ONE, "store": 1}) is not None
    assert TOY.finished(tmp_path, {"asked": ONE, "store": 2}) is None
    assert update(tmp_path, ONE, recipe={"store": 2}) == []
    with pytest.raises(OutputError, match="model was not set, is 3"):
        update(tmp_path, ONE, recipe={"store": 2, "model": 3})


def test_what_a_request_leaves_out_goes_unless_the_output_grows(tmp_path: Path) -> None:
    fewer, more = {"a.txt": 1}, {"b.txt": 1}
    for output, left in ((TOY, {*fewer}), (GROWING, {*ONE})):
        out = tmp_path / str(output.grows)
        update(out, ONE, output)
        update(out, fewer, output, overwrite=output is TOY)
        assert {*output.require(out).parts} == left
        assert (out / "index").exists() == (out / "runs").exists() == (left == {*ONE})
    assert update(out, more, GROWING) == ["b.txt"]
    assert GROWING.require(out).recipe == {"asked": {**ONE, **more}}
    assert GROWING.finished(out, {"asked": fewer}) is not None
    with pytest.raises(OutputError, match=r"asked a\.txt was 1, is 2"):
        update(out, {"a.txt": 2}, GROWING)
    update(out, more, GROWING, recipe={"store": 2}, overwrite=True)
    assert {*GROWING.require(out).parts} == {"b.txt"}


def test_a_part_of_a_recipe_may_not_serve(tmp_path: Path) -> None:
    for made, serves in ((True, True), (False, True), (True, False)):
        part = Part("a.txt", 1, serves=lambda facts: facts["value"] == int(serves))  # noqa: B023
        with writing(TOY, tmp_path, {"x": 1}, [part]) as writer:
            assert bool(writer.missing) == made
            for one in writer.missing:
                make(writer, one)
            writer.finish(Sum(1))


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("name", ["a.txt", "runs/b.txt", "index", "index/1.txt"])
def test_a_file_in_the_way_is_named_and_stays(
    tmp_path: Path, name: str, overwrite: bool
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("theirs")
    before = contents(tmp_path)
    with pytest.raises(OutputError, match=rf"in the way .*: {name.split('/1')[0]}"):
        update(tmp_path, ONE, overwrite=overwrite)
    assert contents(tmp_path) == before


def test_a_strangers_file_in_a_folder_of_ours_stays(tmp_path: Path) -> None:
    update(tmp_path, ONE)
    (tmp_path / "index" / "notes.txt").write_text("theirs")
    with pytest.raises(OutputError, match=r"in the way .*: index/notes\.txt"):
        update(tmp_path, OTHER, overwrite=True)
    update(tmp_path, {"a.txt": 1}, overwrite=True)
    assert [one.name for one in (tmp_path / "index").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"name": "an npm package", "kind": "toy"}', "belongs to another program"),
        ('{"kind": "export", "parts": {}}', "belongs to export, not to a toy"),
        ('{"kind": "toy"', "is damaged"),
        ('{"kind": "toy", "digest": "0"}', "is damaged"),
    ],
)
def test_another_manifest_stays(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    for overwrite in (False, True):
        with pytest.raises(OutputError, match=message):
            update(tmp_path, ONE, overwrite=overwrite)
    assert (tmp_path / "manifest.json").read_text() == content


def test_an_edited_manifest_still_tells_what_is_ours(
    tmp_path: Path, other: dict[str, bytes]
) -> None:
    out = tmp_path / "out"
    update(out, OTHER)
    path = out / "manifest.json"
    path.write_text(path.read_text().replace('"parts": 4', '"parts": 5'))
    with pytest.raises(OutputError, match="is damaged"):
        update(out, OTHER)
    update(out, OTHER, overwrite=True)
    assert contents(out) == other


def test_a_manifest_names_no_file_outside(tmp_path: Path) -> None:
    out, theirs = tmp_path / "out", tmp_path / "theirs.txt"
    theirs.write_text("theirs")
    update(out, ONE)
    text = (out / "manifest.json").read_text()
    (out / "manifest.json").write_text(text.replace('"a.txt": {', '"../theirs.txt": {'))
    with pytest.raises(OutputError, match="files below the folder"):
        update(out, {"b.txt": 1}, overwrite=True)
    assert theirs.read_text() == "theirs"


def test_outputs_of_an_earlier_version_are_named(tmp_path: Path) -> None:
    write_manifest(
        tmp_path / "manifest.json", {"kind": "toy", "identity": {}, "files": {}}
    )
    with pytest.raises(OutputError, match="an earlier boilersweep"):
        update(tmp_path, ONE)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: path.write_text("short"),
        lambda path: path.write_bytes(bytes(path.stat().st_size)),
    ],
)
@pytest.mark.parametrize("name", ["a.txt", "runs/b.txt", "index/1.txt"])
def test_damage_is_named_and_repaired_by_overwrite(
    tmp_path: Path, name: str, damage: Callable[[Path], object]
) -> None:
    update(tmp_path / "whole", ONE)
    out = tmp_path / "out"
    update(out, ONE)
    damage(out / name)
    (fault,) = (one for one in TOY.check(out) if one != "the store")
    assert fault.startswith(name)
    with pytest.raises(OutputError, match=f"not as it was written: {name}"):
        update(out, ONE)
    with pytest.raises(OutputError, match=f"not as it was written: {name}"):
        TOY.finished(out, {"asked": ONE})
    assert update(out, ONE, overwrite=True) == [name.split("/1")[0]]
    assert contents(out) == contents(tmp_path / "whole")


@pytest.mark.parametrize(
    ("inside", "is_refused"),
    [
        ("a.txt", True),
        ("index/1.txt", True),
        ("manifest.json", True),
        ("mine.txt", False),
    ],
)
def test_no_output_replaces_its_input(
    tmp_path: Path, inside: str, is_refused: bool
) -> None:
    update(tmp_path / "out", ONE)
    (tmp_path / "link").symlink_to(tmp_path / "out")
    (tmp_path / "out" / "mine.txt").touch()
    before = contents(tmp_path / "out")
    for path in (tmp_path / "out" / inside, tmp_path / "link" / inside):
        refusal = pytest.raises(UsageError, match="replace the input")
        with refusal if is_refused else contextlib.nullcontext():
            update(tmp_path / "out", ONE, inputs=[path], overwrite=True)
    assert contents(tmp_path / "out") == before


@pytest.mark.parametrize("again", [ONE, OTHER])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("calls", [0, 1])
def test_after_a_kill_at_any_step_the_run_gives_what_it_would_have(
    tmp_path: Path,
    other: dict[str, bytes],
    step: str,
    calls: int,
    again: dict[str, int],
) -> None:
    out = tmp_path / "out"
    update(out, ONE)
    expected = contents(out) if again == ONE else other
    module, _, name = step.partition(".")
    real = pkgutil.resolve_name(f"boilersweep.outputs.{module}:{name}")
    count = iter(range(100))

    def dies(*args: Any, **named: Any) -> Any:
        if next(count) >= calls:
            raise KeyboardInterrupt
        return real(*args, **named)

    with (
        mock.patch(f"boilersweep.outputs.{step}", dies),
        contextlib.suppress(KeyboardInterrupt),
    ):
        update(out, OTHER, overwrite=True)
    update(out, again, overwrite=True)
    assert contents(out) == expected
    assert unfinished_kind(out) is None


def test_a_killed_run_leaves_no_manifest_beside_what_it_replaced(
    tmp_path: Path,
) -> None:
    update(tmp_path, ONE)
    with (
        contextlib.suppress(KeyboardInterrupt),
        writing(
            TOY, tmp_path, {"asked": OTHER}, parts_of(OTHER), overwrite=True
        ) as writer,
    ):
        make(writer, writer.missing[0])
        raise KeyboardInterrupt
    assert TOY.read(tmp_path) is None
    assert unfinished_kind(tmp_path) == "toy"
    (fault,) = TOY.check(tmp_path)
    assert "run `boilersweep toy` again" in fault


@pytest.mark.parametrize("made", [0, 1])
def test_a_failed_run_leaves_a_plan_only_of_what_it_made(
    tmp_path: Path, made: int
) -> None:
    update(tmp_path, ONE)
    before = contents(tmp_path)
    more = {**ONE, "d.txt": 1, "e.txt": 1}
    with (
        contextlib.suppress(ZeroDivisionError),
        writing(TOY, tmp_path, {"asked": ONE}, parts_of(more)) as writer,
    ):
        for part in writer.missing[:made]:
            make(writer, part)
        raise ZeroDivisionError
    assert (unfinished_kind(tmp_path) is None) == (made == 0)
    assert made or contents(tmp_path) == before
    update(tmp_path, ONE)
    assert contents(tmp_path) == before


def test_new_names_leave_an_output_whole_until_the_end(tmp_path: Path) -> None:
    update(tmp_path, ONE)
    more = {**ONE, "d.txt": 1}
    with (
        contextlib.suppress(KeyboardInterrupt),
        writing(
            TOY, tmp_path, {"asked": more}, parts_of(more), overwrite=True
        ) as writer,
    ):
        make(writer, writer.missing[0])
        raise KeyboardInterrupt
    assert list(TOY.check(tmp_path)) == ["the store"]
    assert update(tmp_path, more, overwrite=True) == []


def test_one_writer(tmp_path: Path) -> None:
    with writing(TOY, tmp_path, {}, []), pytest.raises(BusyError):
        update(tmp_path, ONE)


def test_an_unfinished_output_of_another_kind_stays(tmp_path: Path) -> None:
    (tmp_path / PLAN).write_text('{"kind":"export"}\n')
    with pytest.raises(OutputError, match="unfinished output of export"):
        update(tmp_path, ONE)


def test_optional_parts_are_not_missed(tmp_path: Path) -> None:
    parts = [Part("a.txt", 1), Part("curve.svg", 1, optional=True)]
    for made in (2, 0):
        with writing(TOY, tmp_path, {"x": 1}, parts) as writer:
            assert len(writer.missing) == made
            for part in writer.missing[:1]:
                make(writer, part)
            writer.finish(Sum(1))
    with (
        writing(TOY, tmp_path / "new", {}, [Part("a.txt", 1)]) as writer,
        pytest.raises(OutputError, match=r"lacks a\.txt"),
    ):
        writer.finish(Sum(1))


def test_parts_may_be_named_as_they_are_made(tmp_path: Path) -> None:
    recipe = {"asked": "late"}
    for made in (["a.txt"], []):
        with writing(TOY, tmp_path, recipe, []) as writer:
            missing = writer.want([Part("a.txt", 1)])
            assert [part.name for part in missing] == made
            for part in missing:
                make(writer, part)
            writer.finish(Sum(1))
    (tmp_path / "b.txt").touch()
    with (
        writing(TOY, tmp_path, recipe, []) as writer,
        pytest.raises(OutputError, match="in the way"),
    ):
        writer.want([Part("b.txt", 1)])


def test_files_of_a_known_state_are_not_read_again(tmp_path: Path) -> None:
    update(tmp_path, ONE)
    read = mock.Mock(side_effect=file_digest)
    with mock.patch("boilersweep.outputs.manifest_file.file_digest", read):
        update(tmp_path, ONE)
        read.assert_not_called()
        path = tmp_path / "a.txt"
        os.utime(path)
        update(tmp_path, ONE)
        assert [call.args for call in read.mock_calls] == [(path,)]
        update(tmp_path, ONE)  # the manifest has the new state
        assert len(read.mock_calls) == 1
        list(TOY.check(tmp_path))
        assert len(read.mock_calls) == 4


def test_a_manifest_is_read_by_people_and_programs(tmp_path: Path) -> None:
    update(tmp_path, {"a.txt": 1})
    value = json.loads((tmp_path / "manifest.json").read_text())
    assert list(value) == ["kind", "facts", "recipe", "parts", "digest"]
    assert value["recipe"] == {"asked": {"a.txt": 1}}
    (entry,) = value["parts"].values()
    assert entry["facts"] == {"value": 1}
    assert (tmp_path / "manifest.json").read_text() == json_text(value)
