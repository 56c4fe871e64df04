"""Tables and pictures of measurements say which code made them; those of older code are named."""

import pytest
from stale_tables import faults, manuals, measured

NUMBERS = {"clean": 3, "judge": 1}
TABLE = "| cleaner | F1 |\n|---|---|\n| `bte` | .918 |\n| `mss` | **.920** |\n"


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("<!-- made by: clean 3, judge 1 -->\n\n", []),
        ("<!-- made by: clean 2, judge 1 -->\n\n", ["3: clean 2, now 3"]),
        ("<!-- made by: clean 3, ranks 1 -->\n\n", ["3: ranks 1, now gone"]),
        ("<!-- made by: no stage -->\n\n", []),
        (
            "Text.\n\n",
            ["3: no numbers of stages: <!-- made by: NAME NUMBER, ... -->"],
        ),
    ],
)
def test_a_table_or_picture_of_other_code_is_named(
    before: str, found: list[str]
) -> None:
    assert list(faults(before + TABLE, NUMBERS)) == found
    assert list(faults(f"{before}![F1](f1.png)\n", NUMBERS)) == found


@pytest.mark.parametrize(
    "text",
    [
        "| file | what it has |\n|---|---|\n| `a.py` | a rule |\n",
        f"```text\n{TABLE}```\n",
        "![F1, with its numbers in the manual beside it](eval/judge/f1.png)\n",
    ],
)
def test_other_tables_and_pictures_need_no_numbers(text: str) -> None:
    assert list(measured(text)) == []


def test_every_table_and_picture_of_the_manuals_says_what_made_it() -> None:
    found = [f for page in manuals() for f in faults(page.read_text("utf-8"), {})]
    assert found
    assert [fault for fault in found if "no numbers" in fault] == []
