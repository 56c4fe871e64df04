"""Change one thing, run again: the result is that of an empty folder, or a refusal that names it.

The table is in scripts/robustness/, columns.py and changes.py; scripts/change_one_thing.py prints
it. A run of the suite has a part of the table; `--exhaustive` has all.
"""

from collections.abc import Iterator

import pytest
from _pytest.mark.structures import ParameterSet
from robustness.cells import Bench, Verdict, columns_of, options_of, parsers
from robustness.changes import EXEMPT, EXEMPT_OF, ROWS, Row
from robustness.columns import ALONE, COLUMNS, Column
from robustness.quick import quick

pytestmark = [pytest.mark.java, pytest.mark.slow]

CELLS = [(column, row) for row in ROWS for column in columns_of(row)]


def is_in_every_run(column: Column, row: Row) -> bool:
    """Whether every run has the cell: each row at one column, core rows at every third.

    The rows take turns at the columns, so that each column has some of them.
    """
    columns = columns_of(row)
    turn = columns.index(column) - ROWS.index(row)
    return turn % (3 if row.core else len(columns)) == 0


def parameters(*, elsewhere: bool) -> list[ParameterSet]:
    """The cells of rows with, or without, a process of their own."""
    return [
        pytest.param(
            column,
            row,
            id=f"{column.name} | {row.name}",
            marks=() if is_in_every_run(column, row) else pytest.mark.exhaustive,
        )
        for column, row in CELLS
        if row.in_process_of_its_own == elsewhere
    ]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="module", autouse=True)
def in_little_time() -> Iterator[None]:
    with quick():
        yield


def told(verdict: Verdict) -> str:
    return f"{verdict.what}: {verdict.detail}"


@pytest.mark.parametrize(("column", "row"), parameters(elsewhere=False))
def test_the_result_is_that_of_an_empty_folder_or_refused(
    bench: Bench, column: Column, row: Row
) -> None:
    verdict = bench.cell(column, row)
    assert verdict.is_right, told(verdict)


@pytest.mark.parametrize(("column", "row"), parameters(elsewhere=True))
def test_so_it_is_with_other_code_or_in_another_environment(
    bench: Bench, column: Column, row: Row
) -> None:
    ((_, verdict),) = bench.cells([column], row)
    assert verdict.is_right, told(verdict)


def options() -> Iterator[tuple[str, str]]:
    """Every long option of every command that reuses work."""
    for command in sorted({column.command for column in COLUMNS}):
        for option in sorted(options_of(command)):
            yield command, option


@pytest.mark.parametrize(("command", "option"), list(options()))
def test_every_option_has_a_row_or_a_reason_to_have_none(command: str, option: str) -> None:
    rows = [
        row.name
        for column, row in CELLS
        if column.command == command and option in (*row.options[:1], *row.before_options[:1])
    ]
    exempt = not EXEMPT.keys().isdisjoint((option, f"{command} {option}"))
    assert bool(rows) != exempt or command in EXEMPT_OF, rows


def test_every_command_is_a_column_or_has_a_reason_to_be_none() -> None:
    columns = {argv[0] for column in COLUMNS for argv in column.again}
    assert columns.isdisjoint(ALONE)
    assert columns | ALONE.keys() == parsers().keys()


def test_nothing_in_the_table_is_without_a_meaning() -> None:
    """No reason for an option that no command has, no row without a cell, no name twice."""
    known = {option for command in parsers() for option in options_of(command)}
    known |= {f"{command} {option}" for command in parsers() for option in options_of(command)}
    assert EXEMPT.keys() <= known
    assert all(map(columns_of, ROWS))
    assert len({(row.name, row.of) for row in ROWS}) == len(ROWS)
