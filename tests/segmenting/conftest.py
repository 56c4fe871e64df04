"""Collections and tasks."""

import json
from pathlib import Path

import pytest

from boilersweep.segmenting.tasks import SegmentOptions, Task, segment_identity

OPTIONS = SegmentOptions("jsonl")


def numbered(path: Path, *contents: str) -> Path:
    """Write JSON lines with docids that end with their numbers."""
    lines = [json.dumps({"id": f"{path.stem}-{i}", "contents": c}) for i, c in enumerate(contents)]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def task(tmp_path: Path) -> Task:
    path = numbered(tmp_path / "in.jsonl", "<p>one two", " ", "<p>three")
    shard = tmp_path / "shard-00000.parquet"
    return Task(shard, ((path, "in.jsonl"),), OPTIONS, segment_identity(OPTIONS))
