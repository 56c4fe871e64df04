"""Pictures of charts as files."""

import json
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from boilersweep.outputs.pictures import Picture, picture_files

CHART = {"mark": "bar", "data": {"values": []}}


def test_a_chart_is_laid_out_once_for_both_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out: list[Any] = []

    def svg(chart: Any) -> str:
        laid_out.append(chart)
        return json.dumps(chart)

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", svg)
    picture = Picture(CHART)
    assert picture.write(tmp_path / "chart") == picture_files(tmp_path / "chart")
    assert laid_out == [picture.whole]
    assert picture.png() == (tmp_path / "chart.png").read_bytes()
