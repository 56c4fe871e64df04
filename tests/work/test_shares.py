"""Shares of work."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.errors import UsageError
from boilersweep.work.shares import (
    Share,
    all_shares,
    parse_share,
    parts_folder,
    shares_in,
)


@given(count=st.integers(0, 60), of=st.integers(1, 40))
def test_shares_are_all_in_order_and_alike(count: int, of: int) -> None:
    items = list(range(count))
    taken = [share.take(items) for share in all_shares(of)]
    assert [item for share in taken for item in share] == items
    assert max(map(len, taken)) - min(map(len, taken)) <= 1


def test_a_share_as_text_and_as_name(tmp_path: Path) -> None:
    share = parse_share("3/7")
    assert (share, str(share), share.name) == (Share(3, 7), "3/7", "3-of-7")
    for name in (share.name, "words-011", "1-of-2.npz"):
        (tmp_path / name).touch()
    assert sorted(shares_in(tmp_path)) == [Share(1, 2), share]
    assert shares_in(tmp_path / "none") == []


@pytest.mark.parametrize(
    "text", ["", "3", "0/7", "8/7", "-1/7", "1/0", "a/b", "1/7/2", "1 / 7"]
)
def test_what_is_no_share(text: str) -> None:
    with pytest.raises(UsageError, match="expected NUMBER/COUNT"):
        parse_share(text)


def test_parts_stand_beside_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert parts_folder(tmp_path / "out") == tmp_path / "out.parts"
    monkeypatch.chdir(tmp_path)
    assert parts_folder(Path()) == tmp_path.with_name(tmp_path.name + ".parts")
    with pytest.raises(UsageError, match="choose one below it"):
        parts_folder(Path("/"))
