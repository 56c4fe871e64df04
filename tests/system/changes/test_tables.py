"""The tables are complete, and every row of them means something."""

from collections.abc import Iterator

import pytest

from boilersweep.cli.app import COMMANDS
from tests.system.changes.matching import CHANGES, options_of, works_of
from tests.system.changes.options import NO_CHANGE
from tests.system.works import NO_WORK, WORKS


def options_of_works() -> Iterator[tuple[str, str]]:
    """Yield every option of every command that leaves work."""
    for command in sorted({argv[0] for work in WORKS for argv in work.again}):
        for name in sorted(options_of(command)):
            yield command, name


@pytest.mark.parametrize(("command", "name"), list(options_of_works()))
def test_every_option_has_a_change_or_a_reason_to_have_none(
    command: str, name: str
) -> None:
    changes = [
        change.name
        for change in CHANGES
        if name in (*change.options[:1], *change.before_options[:1])
        for work in works_of(change)
        if any(argv[0] == command for argv in work.again)
    ]
    exempt = not NO_CHANGE.keys().isdisjoint((name, f"{command} {name}"))
    assert bool(changes) != exempt, changes


def test_every_command_leaves_work_or_has_a_reason_not_to() -> None:
    leaving = {argv[0] for work in WORKS for argv in work.again}
    assert leaving.isdisjoint(NO_WORK)
    writing = {name for name in COMMANDS if "--output" in options_of(name)}
    assert writing <= leaving | NO_WORK.keys() <= set(COMMANDS)


def test_every_row_means_something() -> None:
    known = {name for command in COMMANDS for name in options_of(command)}
    known |= {
        f"{command} {name}" for command in COMMANDS for name in options_of(command)
    }
    assert NO_CHANGE.keys() <= known
    assert all(map(works_of, CHANGES))
    names = {work.name for work in WORKS}
    assert all(names.issuperset(change.only) for change in CHANGES)
    assert len({change.name for change in CHANGES}) == len(CHANGES)
