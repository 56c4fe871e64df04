"""Files of CLEF eHealth: no broken page hides a good one, and each is reported."""

import gzip
import io
import sys
import tracemalloc
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.collection.clef_ehealth import CLEF_EHEALTH
from boilersweep.collection.format import MAX_PAGE_BYTES, Item, Reason, Record, Skipped
from tests.collection.conftest import Reader

HEAD = b"#UID:%s\n#DATE:2012-04-06\n#URL:http://x.example/\n#CONTENT:\n"


def page(docid: bytes, body: bytes = b"<p>x") -> bytes:
    return HEAD % docid + body + b"\n#EOR\n"


A, B, GOOD = page(b"a"), page(b"b"), page(b"good", b"<p>good")


def docids(found: list[Item]) -> list[str | None]:
    return [item.docid for item in found if isinstance(item, Record)]


def losses(found: list[Item]) -> list[tuple[Reason, str | None]]:
    return [(one.reason, one.docid) for one in found if isinstance(one, Skipped)]


def test_fields_and_offsets(items: Reader) -> None:
    data = page(b" alb.12_12_000001 ", b"<p>\xff\r\n<b>") + b"\n" + GOOD
    first, second = items(CLEF_EHEALTH, data, "x.dat", one_way=True)
    assert (first.docid, first.body) == ("alb.12_12_000001", b"<p>\xff\r\n<b>")
    assert (first.url, first.date, first.charset, first.plain) == (
        "http://x.example/",
        "2012-04-06",
        None,
        False,
    )
    assert str(second.place) == f"x.dat at byte {data.index(b'#UID:good'):,}"
    assert items(CLEF_EHEALTH, gzip.compress(data), "x.dat") == [first, second]


@pytest.mark.parametrize(
    "data",
    [
        A.replace(b"\n", b"\r\n"),
        A.lower(),
        A.replace(b":", b" : "),
        A.replace(b"#", b" \t#"),
        A.replace(b"#", b"# "),
        b"\xef\xbb\xbf\n \n" + A,
        A.replace(b"CONTENT:\n", b"CONTENT:"),
        A.replace(b"CONTENT:", b"CONTENT"),
        A.replace(b"CONTENT:", b"CONTENTS:"),
        A.replace(b"#EOR\n", b"#EOR"),
        A.replace(b"#EOR\n", b"#EOR: \t\r\n\n \n"),
        A.replace(b"#URL", b"#URI"),
        A.replace(b"#DATE:", b"#TIME:").replace(b"#URL:", b"#LINK:"),
        A.replace(b"#DATE:", b"").replace(b"#URL:", b""),
        b"#UID:a\n#URL:http://x.example/\n#DATE:2012-04-06\n\n#CONTENT:\n<p>x\n#EOR\n",
        A.replace(b"\n#EOR", b"#EOR"),
    ],
)
def test_spellings(items: Reader, data: bytes) -> None:
    [record, good] = items(CLEF_EHEALTH, data + GOOD)
    assert (record.docid, record.body, good.docid) == ("a", b"<p>x", "good")
    if b"time:" not in data.lower():
        assert record.date == "2012-04-06"
    assert record.url.replace(" ", "") == "http://x.example/"


INSIDE = b"""<p>the mark #EOR, and a line of it:
#EOR
#uid of a style {}
#content:hover { }
<p>
#UID:not a head
<p>
<p>
<p>
#content:hover { }
<p>end"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (INSIDE, INSIDE),
        (b"a\n#EOR\n\n\nb", b"a\n#EOR\n\n\nb"),
        (b"a\n#UID:x\n1\n2\n3\n4\n#DATE:", b"a\n#UID:x\n1\n2\n3\n4\n#DATE:"),
        (b"\n\n<p>x \t", b"\n\n<p>x \t"),
        ("<p>é".encode(), "<p>é".encode()),
        ("<p>é".encode("latin-1"), b"<p>\xe9"),
    ],
)
def test_what_is_of_the_page(items: Reader, body: bytes, expected: bytes) -> None:
    first, good = items(CLEF_EHEALTH, page(b"a", body) + GOOD, one_way=True)
    assert (first.body, good.docid) == (expected, "good")


LARGE = b"x" * MAX_PAGE_BYTES


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (A.removesuffix(b"#EOR\n"), (Reason.TRUNCATED, "a")),
        (A.replace(b"#CONTENT:\n", b""), (Reason.MALFORMED, "a")),
        (A.replace(b"#CONTENT:", b"#CONTENT"[:5]), (Reason.MALFORMED, "a")),
        (page(b""), (Reason.NO_DOCID, None)),
        (page(b" \t\r"), (Reason.NO_DOCID, None)),
        (page(b"a", b""), (Reason.EMPTY_PAGE, "a")),
        (page(b"a", b" \n\t"), (Reason.EMPTY_PAGE, "a")),
        (page(b"a", b"<" + LARGE), (Reason.TOO_LARGE, "a")),
        (A.removeprefix(b"#UID:a\n"), (Reason.MALFORMED, None)),
        (b"junk\n", (Reason.MALFORMED, None)),
        (b"#EOR\n", (Reason.MALFORMED, None)),
        (b"#UID:a\n#EOR\n", (Reason.MALFORMED, "a")),
        (b"#UID:", (Reason.NO_DOCID, None)),
        (
            b"#UID:a\n" + b"#URL:x\n" * 99 + b"#CONTENT:\nx\n#EOR\n",
            (Reason.MALFORMED, "a"),
        ),
    ],
)
def test_a_broken_page_is_counted_and_hides_no_other(
    items: Reader, broken: bytes, expected: tuple[Reason, str | None]
) -> None:
    begin = GOOD
    found = items(CLEF_EHEALTH, begin + broken + b"\n" + B, one_way=True)
    assert docids(found) == ["good", "b"]
    assert losses(found) == [expected]
    [lost] = [item for item in found if isinstance(item, Skipped)]
    assert lost.place.offset == len(begin)
    assert lost.detail or lost.reason is Reason.EMPTY_PAGE


def test_what_follows_an_end_is_not_of_the_page(items: Reader) -> None:
    data = GOOD + b"junk\n" + A.removesuffix(b"#EOR\n") + GOOD + b"more junk\n"
    found = items(CLEF_EHEALTH, data, one_way=True)
    assert [one.body for one in found if isinstance(one, Record)] == [b"<p>good"] * 2
    assert [
        (one.reason, one.docid, one.place.offset)
        for one in found
        if isinstance(one, Skipped)
    ] == [
        (Reason.MALFORMED, None, data.index(b"junk")),
        (Reason.TRUNCATED, "a", data.index(b"#UID:a")),
        (Reason.MALFORMED, None, data.index(b"more")),
    ]


def test_a_good_page_before_more_than_a_page_of_junk(items: Reader) -> None:
    found = items(CLEF_EHEALTH, GOOD + b"<" + LARGE + b"\n" * 9 + LARGE + b"\n" + A)
    assert docids(found) == ["good", "a"]
    assert losses(found) == [(Reason.MALFORMED, None)]


def test_each_of_several_without_a_docid_is_counted(items: Reader) -> None:
    nameless = A.removeprefix(b"#UID:a\n")
    found = items(CLEF_EHEALTH, nameless * 3 + GOOD + nameless + B)
    assert docids(found) == ["good", "b"]
    assert losses(found) == [(Reason.MALFORMED, None)] * 4


def test_the_end_of_a_file_that_is_cut(items: Reader) -> None:
    for end in range(len(A) + 1, len(A + B) - 2):
        found = items(CLEF_EHEALTH, (A + B)[:end])
        assert docids(found) == ["a"]
        assert len(losses(found)) == 1
    packed = gzip.compress(A) + gzip.compress(B * 999)[:-30]
    found = items(CLEF_EHEALTH, packed, one_way=True)
    assert docids(found)[:2] == ["a", "b"]
    assert losses(found)[-1][0] is Reason.TRUNCATED


def test_a_docid_and_a_url_that_are_long(items: Reader) -> None:
    name, url = b"n" * 5000, b"http://x/" + b"u" * 30_000
    data = A + HEAD.replace(b"http://x.example/", url) % name + b"x\n#EOR\n"
    assert [item.docid for item in items(CLEF_EHEALTH, data)] == ["a", name.decode()]


def zipped(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return file.getvalue()


def test_zips_are_read_without_unpacking(items: Reader) -> None:
    data = zipped(
        b_dot_dat=B,
        health__a_dot_dat=A + GOOD,
        c_dot_dat_dot_gz=gzip.compress(page(b"c")),
        README=b"no page",
        __MACOSX__=b"",
        **{"__MACOSX/._b.dat": b"\0\5\x16\7"},
    )
    found = items(CLEF_EHEALTH, data, "health.zip", one_way=True)
    assert losses(found) == []
    assert [(one.docid, one.place.source, one.place.offset) for one in found] == [
        ("b", "health.zip/b.dat", 0),
        ("c", "health.zip/c.dat.gz", 0),
        ("a", "health.zip/health/a.dat", 0),
        ("good", "health.zip/health/a.dat", len(A)),
    ]


PARTS = st.sampled_from(
    [
        *(b"#UID:", b"#uid:", b"#EOR", b"#EOR\n", b"#CONTENT:", b"#DATE:1", b"#URL:u"),
        *(b"\n", b"\r\n", b"\n\n", b" ", b"\t", b"x", b"<p>", b"#", b"\xff", b"\0", A),
        b"y" * 1500,
    ]
)


@given(st.lists(PARTS, max_size=30).map(b"".join))
def test_a_good_page_behind_anything_is_read(items: Reader, data: bytes) -> None:
    found = items(CLEF_EHEALTH, data + b"\n#EOR\n" + GOOD)
    assert docids(found)[-1] == "good"
    assert found == items(CLEF_EHEALTH, data + b"\n#EOR\n" + GOOD, one_way=True)


def steps(items: Reader, data: bytes) -> int:
    """Return how many calls it takes to read some data."""
    calls = 0

    def count(_frame: object, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        items(CLEF_EHEALTH, data)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize(
    "part",
    [
        A,
        b"#UID:\n",
        b"#EOR\n",
        b"#EOR\nx\n",
        b"#UID:#UID:",
        b"#  ",
        b"#UID:a\n#DATE:\n",
    ],
)
def test_reading_is_linear(items: Reader, part: bytes) -> None:
    one = steps(items, part * (60_000 // len(part)))
    assert steps(items, part * (120_000 // len(part))) < 2.2 * one + 1000


def test_one_page_is_in_memory_at_a_time(items: Reader) -> None:
    data = gzip.compress(page(b"a", b"z" * 2**20) * 60)
    del items
    tracemalloc.start()
    count = sum(1 for _ in CLEF_EHEALTH.read(io.BytesIO(data), "file"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 60
    assert peak < 20 * 2**20
