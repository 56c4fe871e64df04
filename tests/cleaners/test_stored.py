"""Block stores as cleaners read them."""

from pathlib import Path

import pytest

from boilersweep import UsageError, open_store
from boilersweep.cleaners.selection import PageText
from boilersweep.cleaners.stored import columns_for, require_for
from tests.store.conftest import write_store


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gold", r"has no text of gold, .* --texts gold=FILE"),
        pytest.param(
            "resiliparse",
            "has no text of resiliparse: extractors",
            marks=pytest.mark.application("extractors"),
        ),
        pytest.param(
            "resiliparze",
            r"no text of resiliparze, .* \(did you mean resiliparse",
            marks=pytest.mark.application("extractors"),
        ),
    ],
)
def test_a_text_that_the_store_lacks(tmp_path: Path, name: str, message: str) -> None:
    store = open_store(write_store(tmp_path, [{}]))
    for read in (require_for, columns_for):
        with pytest.raises(UsageError, match=message):
            read(store, [PageText(name)])
