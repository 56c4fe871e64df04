"""JSON files with types."""

from pathlib import Path

import msgspec
import pytest

from boilersweep.outputs.manifest_file import FileEntry
from boilersweep.outputs.regular_files import read_regular
from boilersweep.outputs.typed_files import as_type, json_text, read_json


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
        (b"[" * 100_000, "nested too deeply|Expected `object`"),
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
