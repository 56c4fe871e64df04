"""Manifests as tests forge them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.manifest_file import manifest_text


def write_manifest(path: Path, value: Mapping[str, Any]) -> None:
    """Write a manifest with a digest that is right."""
    write_text(path, manifest_text(value))
