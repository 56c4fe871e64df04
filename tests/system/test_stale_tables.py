"""Tables of measurements say which code made them; those of older code are named."""

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
        (
            "Text.\n\n",
            ["3: no numbers of stages: <!-- made by: NAME NUMBER, ... -->"],
        ),
    ],
)
def test_a_table_of_other_code_is_named(before: str, found: list[str]) -> None:
    assert list(faults(before + TABLE, NUMBERS)) == found


@pytest.mark.parametrize(
    "text",
    [
        "| file | what it has |\n|---|---|\n| `a.py` | a rule |\n",
        f"```text\n{TABLE}```\n",
    ],
)
def test_other_tables_need_no_numbers(text: str) -> None:
    assert list(measured(text)) == []


def test_every_table_of_the_manuals_says_what_made_it() -> None:
    found = [f for page in manuals() for f in faults(page.read_text("utf-8"), {})]
    assert found
    assert [fault for fault in found if "no numbers" in fault] == []
