"""Every option that names an output, given an address or `-`: refused before anything is done."""

from pathlib import Path

import pytest

from tests.cli.commands.test_wrong_paths import HERE, WRITTEN
from tests.cli.conftest import Call
from tests.outputs.test_output_paths import ADDRESSES

# Beside WRITTEN, whose paths are tried in an experiment's folder.
MORE = (
    f"segment --input pages --output store --collection cdx --save {HERE}",
    f"sweep --preset blogs06 --input pages --topics t --qrels q --output {HERE}",
)


@pytest.mark.parametrize("words", [*WRITTEN, *MORE])
def test_no_option_takes_an_address_as_output(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    anywhere = words.startswith(("segment --input inputs", "export"))
    for address in ADDRESSES:
        if anywhere and "://" in address:  # objects: see tests/system/test_remote.py
            continue
        named = words.replace(f"{HERE}.csv", HERE)
        given = [word.replace(HERE, address) for word in named.split()]
        call(*given).refused(2, "expected a path of this machine", address)
    assert not list(tmp_path.iterdir())
