"""Grades from logs of clicks."""

import json
from pathlib import Path

import pytest

from boilersweep import InputError
from boilersweep.eval.assess.clicks import click_grades
from boilersweep.eval.assess.program import judge_by_program
from tests.eval.assess.conftest import Make

# Rates by position: (40 + 5) / 200 and (10 + 20) / 200.
CSV = """query,docid,position,clicks,impressions
bread,a,1,40,100
bread,b,2,10,100
Bread  ,c,2,20,100
ovens,a,1,5,100
ovens,rare,2,1,9
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "clicks.log"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("query", "docid", "grade"),
    [
        ("bread", "a", 2),  # 40 clicks, 22.5 expected
        ("BREAD", "b", 1),  # 10 clicks, 14.8 expected
        ("bread", "c", 2),
        ("ovens", "a", 0),
        ("ovens", "rare", None),  # nine impressions
        ("ovens", "b", None),
        ("other", "a", None),
    ],
)
def test_clicks_over_expected_clicks_by_hand(
    tmp_path: Path, query: str, docid: str, grade: int | None
) -> None:
    assert click_grades(written(tmp_path, CSV))(query, docid) == grade


def test_user_behavior_insights(tmp_path: Path) -> None:
    lines: list[dict[str, object]] = []
    for number in range(20):
        shown = {"query_id": f"i{number}", "user_query": "bread", "extra": 1}
        lines.append({**shown, "query_response_object_ids": ["a", "b"]})
        clicked = {"object": {"object_id": "b"}, "position": {"ordinal": 2}}
        event = {"action_name": "click", "query_id": f"i{number}"}
        lines += [{**event, "event_attributes": clicked}] * 2  # a double click
        lines.append({**event, "action_name": "view"})
    for number in range(20):
        shown = {"query_id": f"j{number}", "user_query": "ovens"}
        lines.append({**shown, "query_response_object_ids": ["a", "c"]})
    text = "\n".join(map(json.dumps, lines))
    grade = click_grades(written(tmp_path, text))
    # At position 2, half of 40 are clicked; nothing is at position 1.
    assert (grade("bread", "b"), grade("ovens", "c")) == (3, 0)
    assert grade("bread", "a") is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "found none"),
        ("query,docid\nbread,a\n", ":2: expected query, docid, position and clicks"),
        (CSV + "bread,a,0,1,1\n", ":7: expected"),
        (CSV + "bread,a,1,-1,1\n", ":7: expected"),
        (CSV + "bread,a,1,many,1\n", ":7: expected"),
        ("{\n", ":1: expected"),
        ("{" * 100_000, ":1: expected"),
        ('{"query_id": 3}', ":1: expected"),
        (CSV.replace("40", "0").split("bread,b")[0], "found none"),
    ],
)
def test_damaged_logs_are_named(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(InputError) as found:
        click_grades(written(tmp_path, text))
    assert reason in str(found.value)
    with pytest.raises(InputError, match="cannot read the clicks"):
        click_grades(tmp_path / "none")


def test_clicks_are_a_program_like_any_other(make: Make, tmp_path: Path) -> None:
    assessment = make()
    query = assessment.topics["t01"].title
    rows = f'query,docid,position,clicks,impressions\n"{query}",r2,1,9,10\n'
    path = written(tmp_path, rows + "other,x,1,1,10\n")
    found = dict(
        judge_by_program(assessment, f"clicks:{path}", "clicks", None, every=True)
    )
    assert len(found) == 160
    assert {one for one, grade in found.items() if grade is not None} == {("t01", "r2")}
    assert found["t01", "r2"] == 2
    assert make().judgements.records["programs"]["clicks"]
