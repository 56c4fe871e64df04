import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.collection.fields import iso_date


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2012-02-10T22:50:41Z", "2012-02-10T22:50:41Z"),
        (" 2005-12-06T23:34:40-0800\n", "2005-12-07T07:34:40Z"),
        ("2016-01-11T23:24:25.412030Z", "2016-01-11T23:24:25.412030Z"),
        ("2005-12-06 10:00", "2005-12-06T10:00:00"),
        ("2005-12-06", "2005-12-06"),
        ("20051206", "2005-12-06"),
        ("19970115093446", "1997-01-15T09:34:46Z"),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"),
        ("6 Nov 1994 08:49:37 EST", "1994-11-06T13:49:37Z"),
    ],
)
def test_ways_to_write_a_date(written: str, date: str) -> None:
    assert iso_date(written) == date


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "-1",
        "yesterday",
        "2009-03-65T08:43:19-0800",  # so ClueWeb09 has them
        "2009-02-30",
        "20051399093446",
        "9999-12-31T23:59:59-0800",
        "2005-12-06" + " " * 90 + "x",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert iso_date(text) is None


@given(st.text(max_size=70))
def test_any_text_ends_without_an_error(text: str) -> None:
    found = iso_date(text)
    assert found is None or iso_date(found) == found
