"""JSON files with types."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boilersweep.outputs.locations import read_regular
from boilersweep.outputs.manifest_file import FileEntry
from boilersweep.outputs.typed_files import (
    DEEPEST_JSON,
    _require_shallow,
    as_type,
    decode_json,
    json_text,
    parse_json,
    read_json,
)


class Sample(msgspec.Struct):
    """A type with a nested one."""

    count: int
    files: dict[str, FileEntry] = msgspec.field(default_factory=dict)


def test_json_as_people_read_it(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json_text({"name": "é", "sample": Sample(1)}), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == (
        '{\n  "name": "é",\n  "sample": {\n    "count": 1,\n    "files": {}\n  }\n}\n'
    )
    assert as_type(read_json(path, dict)["sample"], Sample) == Sample(1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"count": "1"}', r"Expected `int`, got `str` - at `\$.count`"),
        (b'{"count": true}', r"Expected `int`, got `bool` - at `\$.count`"),
        (b"{}", "missing required field `count`"),
        (b"[]", "Expected `object`, got `array`"),
        (
            b'{"count": 1, "files": {"x": {"bytes": 1}}}',
            r"`sha256` - at `\$.files\[...\]`",
        ),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"count": 1', "truncated"),
        (b"\xff", "malformed|decode"),
    ],
)
def test_errors_name_the_place(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_json(path, Sample)


def test_deep_nesting_and_a_file_over_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'{"x":' + b"[" * 100_000)
    with pytest.raises(ValueError, match="nested too deeply"):
        read_json(path, dict)
    with pytest.raises(ValueError, match="at most 3 bytes"):
        read_regular(path, 3)


# Texts of pages and programs, which have more brackets than any limit.
SPACES = st.sampled_from(["", " ", "\n", "\t  "])
TEXTS = st.lists(
    st.sampled_from(
        ['"', "\\", "[", "{", ": [", '{"a": [', "\\\\", "]", "}", "é", "\ud800"]
    )
).map(lambda parts: json.dumps("".join(parts) * 40, ensure_ascii=False))
LEVELS = st.sampled_from(
    ["[", '{"a":', "[1,", '["[",', '{"b":0,"c":', "[ ", '{ "d" : ']
)


@st.composite
def nested(draw: st.DrawFn) -> tuple[str, int]:
    """Draw JSON around the limit of depth, and how deep it is."""
    levels = draw(st.lists(LEVELS, min_size=1, max_size=5))
    depth = draw(st.integers(DEEPEST_JSON - 2, DEEPEST_JSON + 2))
    space, text = draw(SPACES), draw(TEXTS)
    opened, ends = space + f'{{{space}"text"{space}:{text},"x":', "}"
    for number in range(depth - 1):
        level = levels[number % len(levels)]
        opened += space + level
        ends += space + ("}" if level.startswith("{") else "]")
    return f"{opened}{text}{ends[::-1]}", depth


@settings(max_examples=50)  # as each is long
@given(nested())
def test_depth_is_limited_exactly(drawn: tuple[str, int]) -> None:
    text, depth = drawn
    for content in (text, text.encode("utf-8", "surrogatepass")):
        if depth > DEEPEST_JSON:
            with pytest.raises(ValueError, match="nested too deeply"):
                _require_shallow(content)
        else:
            _require_shallow(content)
    assert text.count("[") + text.count("{") >= depth


@pytest.mark.parametrize(
    "flat",
    ["[" + "[]," * 9_999 + "1]", json.dumps("[" * 9_999), json.dumps("{ " * 9_999)],
)
def test_many_brackets_are_no_depth(flat: str) -> None:
    assert parse_json(flat) == decode_json(flat.encode(), object) == json.loads(flat)


@pytest.mark.parametrize("cut", [2_000, 4_000])
def test_depth_is_limited_before_a_mistake(cut: int) -> None:
    """A parser would reach the depth before it meets the mistake, or the end."""
    for content in (
        b"[" * cut,
        b'["\\\\", "\\"",' + b" [" * cut,
        b'{"a":' * cut + b"\xff",
    ):
        with pytest.raises(ValueError, match="nested too deeply"):
            parse_json(content)


@pytest.mark.parametrize("digits", [4_300, 4_301, 10_001])
def test_an_integer_of_any_length_is_a_number(digits: int) -> None:
    found = parse_json(f'{{"a": {"1" * digits}, "b": -{"1" * digits}, "c": 7}}')
    assert (found["a"] > 10**300, found["b"] < 0, found["c"]) == (True, True, 7)
    with pytest.raises(ValueError, match="Expecting value"):
        parse_json(f'{{"a": {"1" * digits}, "b": }}')
