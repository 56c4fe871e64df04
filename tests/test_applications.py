"""What applications provide, found by place."""

from pathlib import Path

import pytest

from boilersweep import UsageError
from boilersweep.applications import all_provided, provided, required

HERE = "boilersweep.applications:provided"
GONE = "boilersweep.no_such.module:name"


def test_a_place_is_what_it_names() -> None:
    assert provided(HERE) is provided
    assert required(HERE, "this") is provided


def test_a_deleted_module_provides_nothing() -> None:
    assert provided(GONE) is None
    assert all_provided([GONE, HERE]) == [provided]
    with pytest.raises(UsageError, match=r"--some requires `no_such\.module`"):
        required(GONE, "--some")
    with pytest.raises(UsageError, match=r"lacks; install a complete boilersweep$"):
        required(GONE, "--some")


def test_a_missing_library_of_an_application_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needs_a_library.py").write_text("import no_such_library\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        provided("needs_a_library:name")
