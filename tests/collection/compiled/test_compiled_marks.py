"""The compiled search for marks of TREC web files beside the one in Python."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.collection import compiled

HASHES = st.sampled_from(
    [b"#", b"EOR", b"eOr", b"uid", b"UI", b"D", b" ", b"\t", b"x" * 40, b"\0", b"\n"]
)
PARTS = st.sampled_from(
    [b"doc>", b"DOC>", b"dOc>", b"oc>", b"do", b"c", b">", b"<", b"x" * 250, b"\0"]
)


@pytest.mark.skipif(not compiled.built, reason="the extension module is not built")
@given(st.lists(PARTS, max_size=12).map(b"".join), st.integers(0, 600))
def test_both_find_the_same(data: bytes, start: int) -> None:
    from boilersweep.collection.compiled.marks import find_mark

    assert find_mark(data, start) == data.lower().find(b"doc>", start)


@pytest.mark.skipif(not compiled.built, reason="the extension module is not built")
@given(st.lists(HASHES, max_size=12).map(b"".join), st.integers(0, 60))
def test_both_find_the_same_hash_marks(data: bytes, start: int) -> None:
    from boilersweep.collection.compiled.marks import find_hash_mark

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOILERSWEEP_PURE", "1")
        assert find_hash_mark(data, start) == compiled.hash_mark_finder(data)(start)


def test_the_environment_forces_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOILERSWEEP_PURE", "1")
    find = compiled.mark_finder(b"</DOC> doc>")
    assert (find(0), find(3), find(8)) == (2, 7, -1)
    find = compiled.hash_mark_finder(b"##eor # UID")
    assert (find(0), find(2), find(7)) == (1, 6, -1)
