"""Pages of a crawl fetched by its index, from a server on this machine that may fail."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest

from boilersweep import CollectionError, OutputError, UsageError
from boilersweep.collection.common_crawl import FetchReport, fetch_pages, report_path
from boilersweep.collection.fetch_options import FetchOptions
from boilersweep.collection.format import Record
from boilersweep.collection.range_source import FetchError, RangeSource, retry_pause
from boilersweep.collection.warc import WARC
from boilersweep.work.progress import log_every
from tests.collection.crawl import Crawl, Served, crawl_of, docid, serving

FAST = {"per_second": 10_000.0, "first_pause": 0.01}


def options(served: Served, **more: float) -> FetchOptions:
    return FetchOptions(base=served.base, **{**FAST, **more})  # type: ignore[arg-type]


def index_of(folder: Path, crawl: Crawl) -> Path:
    path = folder / "index.jsonl"
    path.write_text(crawl.index(), "utf-8")
    return path


def fetch(folder: Path, crawl: Crawl, served: Served, **more: float) -> FetchReport:
    return fetch_pages(
        index_of(folder, crawl), folder / "p.warc.gz", options(served, **more)
    )


def docids_in(warc: Path) -> list[str]:
    items = list(WARC.read(BytesIO(warc.read_bytes()), warc.name))
    assert all(isinstance(item, Record) for item in items)
    return [
        item.docid.removeprefix("urn:uuid:")
        for item in items
        if isinstance(item, Record)
    ]


def test_records_are_kept_in_the_order_of_the_index(tmp_path: Path) -> None:
    crawl = crawl_of(50, files=3)
    crawl.lines.reverse()
    with serving(crawl.files) as served:
        report = fetch(tmp_path, crawl, served)
    assert docids_in(tmp_path / "p.warc.gz") == [
        docid(number) for number in reversed(range(50))
    ]
    assert (report.lines, report.pages, report.failed) == (50, 50, {})
    assert sum(served.requests.values()) == 3  # neighbouring members are joined
    assert all(agent.startswith("boilersweep/") for agent in served.agents)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_password_of_the_base_is_not_recorded(tmp_path: Path) -> None:
    crawl = crawl_of(3)
    with serving(crawl.files) as served:
        base = served.base.replace("://", "://user:geheim@")
        given = FetchOptions(base=base, **FAST)  # type: ignore[arg-type]
        report = fetch_pages(index_of(tmp_path, crawl), tmp_path / "p.warc.gz", given)
    assert (report.base, report.pages) == (served.base, 3)
    assert b"geheim" not in (tmp_path / "p.warc.gz.json").read_bytes()


def test_a_finished_file_is_not_fetched_again_and_a_changed_one_is_rejected(
    tmp_path: Path,
) -> None:
    crawl, warc = crawl_of(5), tmp_path / "p.warc.gz"
    with serving(crawl.files) as served:
        first = fetch(tmp_path, crawl, served)
        asked = sum(served.requests.values())
        assert fetch(tmp_path, crawl, served) == first
        assert sum(served.requests.values()) == asked
        last = crawl.lines.pop()
        with pytest.raises(OutputError, match="pages of another request"):
            fetch(tmp_path, crawl, served)
        crawl.lines.append(last)
        warc.write_bytes(warc.read_bytes() + b"x")
        with pytest.raises(OutputError, match="was changed after it was fetched"):
            fetch(tmp_path, crawl, served)
        report_path(warc).unlink()
        with pytest.raises(OutputError, match="was not fetched by an index"):
            fetch(tmp_path, crawl, served)


@pytest.mark.parametrize("form", ["cdxj", "gzip", "folder", "client"])
def test_forms_of_an_index(tmp_path: Path, form: str) -> None:
    crawl = crawl_of(4)
    index = tmp_path / "index"
    if form == "cdxj":
        lines = [
            f"example,site)/p{n} 20210118 {json.dumps(x)}\n"
            for n, x in enumerate(crawl.lines)
        ]
        index.write_text("".join(lines), "utf-8")
    elif form == "gzip":
        index.write_bytes(gzip.compress(crawl.index().encode()))
    elif form == "client":  # files as the crawler of CLEF eHealth 2021 names them
        index.mkdir()
        for number, line in enumerate(crawl.lines):
            name = f"prefix-www.site{number}.example-CC-MAIN-2021-04{number}"
            (index / name).write_text(json.dumps(line) + "\n", "utf-8")
        (index / "prefix-none-CC-MAIN-2021-040").write_text(
            '{"message": "No Captures"}\n'
        )
        (index / ".hidden").write_text("x", "utf-8")
    else:
        index.mkdir()
        (index / "a.jsonl").write_text(json.dumps(crawl.lines[0]) + "\n", "utf-8")
        rest = "".join(json.dumps(line) + "\n" for line in crawl.lines[1:])
        (index / "b.cdxj.gz").write_bytes(gzip.compress(rest.encode()))
        (index / "notes.txt").write_text("not an index", "utf-8")
    with serving(crawl.files) as served:
        report = fetch_pages(index, tmp_path / "pages.warc.gz", options(served))
    assert sum(report.failed.values()) == (form in ("folder", "client"))
    assert docids_in(tmp_path / "pages.warc.gz") == [
        docid(number) for number in range(4)
    ]


COLUMNAR = (
    "url",
    "warc_filename",
    "warc_record_offset",
    "warc_record_length",
    "content_digest",
)


def listed(crawl: Crawl, form: str) -> str:
    """Return the lines of an index in another form than JSON."""
    rows = [
        [str(line[name]) for name in ("url", "filename", "offset", "length", "digest")]
        for line in crawl.lines
    ]
    if form == "columnar":
        quoted = [",".join(f'"{cell}"' for cell in row) for row in (COLUMNAR, *rows)]
        return "\n".join(quoted)
    if form == "columnar JSON":
        return "\n".join(
            json.dumps(dict(zip(COLUMNAR, row, strict=True))) for row in rows
        )
    if form == "cdx":
        return "\n".join(
            f"example)/ 2021 {url} text/html 200 {digest} - - {length} {offset} {filename}"
            for url, filename, offset, length, digest in rows
        )
    between = " " if form == "blanks" else "\t"
    docids = [
        "clueweb-0 0" if between == "\t" else "clueweb-00",
        *map(docid, range(1, 9)),
    ]
    lines = [
        between.join((*row[1:4], one)) for row, one in zip(rows, docids, strict=False)
    ]
    head = "\ufeffFile\tOffset\tLength\tDocID\n" if form == "names" else ""
    return head + "\n".join(lines)


@pytest.mark.parametrize(
    "form", ["columnar", "columnar JSON", "cdx", "blanks", "tabs", "names"]
)
def test_lists_of_records_in_files_of_this_machine(tmp_path: Path, form: str) -> None:
    crawl = crawl_of(9)
    for name, content in crawl.files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    index = tmp_path / "list"
    index.write_text(listed(crawl, form), "utf-8")
    slow = FetchOptions(base=str(tmp_path), per_second=0.01)  # of servers alone
    report = fetch_pages(index, tmp_path / "p.warc.gz", slow)
    assert (report.lines, report.pages) == (9, 9)
    first = {"blanks": "clueweb-00", "tabs": "clueweb-0%200", "names": "clueweb-0%200"}
    assert docids_in(tmp_path / "p.warc.gz") == [
        first.get(form, docid(0)),
        *map(docid, range(1, 9)),
    ]


def test_records_of_a_plain_file_are_packed(tmp_path: Path) -> None:
    crawl = crawl_of(3, files=1)
    [content] = crawl.files.values()
    plain = gzip.decompress(content)
    starts = [at.start() for at in re.finditer(b"WARC/1", plain)] + [len(plain)]
    (tmp_path / "a.warc").write_bytes(plain)
    lines = [f"a.warc\t{a}\t{b - a}\n" for a, b in pairwise(starts)]
    index = tmp_path / "list"
    index.write_text("".join(lines[::-1]) + f"a.warc\t{starts[0] + 5}\t99\n", "utf-8")
    report = fetch_pages(
        index, tmp_path / "p.warc.gz", FetchOptions(base=str(tmp_path))
    )
    assert (report.pages, report.failed) == (3, {"not one whole WARC record": 1})
    assert docids_in(tmp_path / "p.warc.gz") == [docid(2), docid(1), docid(0)]


def test_every_failure_has_a_counted_reason(tmp_path: Path) -> None:
    crawl = crawl_of(6, files=1)
    refused = crawl.add("crawl-data/refused.warc.gz", 10, b"<p>refused")
    cut = crawl.add("crawl-data/cut.warc.gz", 11, b"<p>cut")
    crawl.add("crawl-data/moved.warc.gz", 12, b"<p>moved")
    missing = crawl.add("crawl-data/missing.warc.gz", 13, b"<p>missing")
    del crawl.files[str(missing["filename"])]
    crawl.lines[1]["digest"] = "A" * 32
    crawl.lines[2]["offset"] = "3"  # within the first member
    crawl.lines.append(crawl.lines[3])
    crawl.lines.append({"url": "https://site.example/"})
    crawl.lines.append({**crawl.lines[4], "offset": str(10**12)})
    with serving(crawl.files) as served:
        served.refused.add(str(refused["filename"]))
        served.cut.add(str(cut["filename"]))
        served.moved.add("crawl-data/moved.warc.gz")
        report = fetch(tmp_path, crawl, served, tries=2)
    assert docids_in(tmp_path / "p.warc.gz") == [
        docid(number) for number in (0, 3, 4, 5, 12)
    ]
    assert report.failed == {
        "payload with another digest than in the index": 1,
        "not one whole WARC record": 1,
        "HTTP status 403": 1,
        "another number of bytes than in the index": 1,
        "no such file in the crawl": 1,
        "repeated index line": 1,
        "index line without filename, offset and length": 1,
        "HTTP status 416": 1,
    }
    assert report.lines == report.pages + sum(report.failed.values())


def test_a_busy_server_is_asked_again_when_it_says(tmp_path: Path) -> None:
    crawl = crawl_of(3, files=3)
    with serving(crawl.files) as served:
        served.busy, served.retry_after = 2, "1"
        begin = time.monotonic()
        report = fetch(tmp_path, crawl, served)
    assert report.pages == 3
    assert time.monotonic() - begin > 0.9


def test_a_read_that_fails_is_an_error_and_tried_again_by_the_next_run(
    tmp_path: Path,
) -> None:
    crawl = crawl_of(6, files=3)
    name = str(crawl.lines[0]["filename"])
    with serving(crawl.files) as served:
        served.failing.add(name)
        said = rf"2 of 6 pages could not be read, such as offset 0 of {name} \(HTTP status 503\)"
        with pytest.raises(CollectionError, match=rf"{said}; .* run the same command"):
            fetch(tmp_path, crawl, served, tries=2)
        assert not (tmp_path / "p.warc.gz").exists()
        served.failing.clear()
        served.requests.clear()
        report = fetch(tmp_path, crawl, served)
    assert (report.pages, report.failed) == (6, {})
    assert sum(served.requests.values()) == 1


def test_a_server_that_ignores_ranges_is_named_and_sends_next_to_nothing(
    tmp_path: Path,
) -> None:
    crawl = crawl_of(4, files=1)
    name = str(crawl.lines[0]["filename"])
    crawl.files[name] += b"\0" * 30_000_000
    with serving(crawl.files) as served:
        served.ignoring.add(name)
        with pytest.raises(
            CollectionError, match="ignores ranges: it answers with whole"
        ):
            fetch(tmp_path, crawl, served, at_once=1)
        assert sum(served.requests.values()) <= 4
    # What a socket buffers, not the file
    assert served.sent < 4 * 15_000_000


def test_a_file_without_ranges_among_others_is_a_counted_failure(
    tmp_path: Path,
) -> None:
    crawl = crawl_of(5, files=1)
    whole = crawl.add("crawl-data/whole.warc.gz", 5, b"<p>whole")
    with serving(crawl.files) as served:
        served.ignoring.add(str(whole["filename"]))
        report = fetch(tmp_path, crawl, served)
    assert (report.pages, report.failed) == (5, {"the server ignores ranges": 1})


def test_no_more_is_read_than_was_asked_for(tmp_path: Path) -> None:
    crawl = crawl_of(3, files=1)
    endless = crawl.add("crawl-data/endless.warc.gz", 3, b"<p>endless")
    with serving(crawl.files) as served:
        served.endless.add(str(endless["filename"]))
        report = fetch(tmp_path, crawl, served, tries=2)
    assert report.failed == {"another number of bytes than in the index": 1}
    assert served.sent < 100_000_000  # of 400,000,000


def test_a_server_that_is_not_there_ends_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl = crawl_of(50, files=50)
    with serving(crawl.files) as served:
        pass
    log_every(30)
    try:
        with pytest.raises(
            CollectionError, match=r"does not answer .*run the command again"
        ):
            fetch(tmp_path, crawl, served)
    finally:
        log_every(None)
    said = capsys.readouterr().err
    assert said.count("no answer from the server; asking again") == 1
    with serving(crawl.files) as served:
        assert fetch(tmp_path, crawl, served).pages == 50


def test_a_stopped_source_waits_for_nothing() -> None:
    source = RangeSource(FetchOptions(base="http://127.0.0.1:9/", per_second=0.0001))
    source.stop()
    for _ in range(2):
        with pytest.raises(FetchError, match="stopped"):
            source.read("file", 0, 1)


def test_redirections_stay_on_the_server(tmp_path: Path) -> None:
    crawl = crawl_of(2, files=1)
    names = ["host", "port", "loop", "scheme", "nowhere"]
    for number, name in enumerate(names, start=2):
        crawl.add(f"crawl-data/{name}.warc.gz", number, b"<p>elsewhere")
    with serving(crawl.files) as other, serving(crawl.files) as served:
        port = served.base.rpartition(":")[2]
        served.elsewhere = {
            "crawl-data/host.warc.gz": f"http://localhost:{port}crawl-data/host.warc.gz",
            "crawl-data/port.warc.gz": f"{other.base}crawl-data/port.warc.gz",
            "crawl-data/loop.warc.gz": "/crawl-data/loop.warc.gz",
            "crawl-data/scheme.warc.gz": "file:///etc/hostname",
            "crawl-data/nowhere.warc.gz": "http://[",
        }
        report = fetch(tmp_path, crawl, served)
    assert docids_in(tmp_path / "p.warc.gz") == [docid(0), docid(1)]
    assert report.failed == {
        "redirected to another server": 2,
        "too many redirections": 1,
        "an impossible address": 2,
    }
    assert not other.requests


def test_the_pace_is_kept(tmp_path: Path) -> None:
    crawl = crawl_of(6, files=6)
    with serving(crawl.files) as served:
        fetch(tmp_path, crawl, served, per_second=20)
    # A loaded server sees its first request late.
    assert max(served.times) - min(served.times) > 5 / 20 * 0.5


def test_a_crawl_in_a_folder(tmp_path: Path) -> None:
    crawl = crawl_of(4)
    for name, content in crawl.files.items():
        path = tmp_path / "crawl" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    warc = tmp_path / "p.warc.gz"
    base = FetchOptions(base=str(tmp_path / "crawl"), **FAST)  # type: ignore[arg-type]
    fetch_pages(index_of(tmp_path, crawl), warc, base)
    assert docids_in(warc) == [docid(number) for number in range(4)]


def test_an_index_of_nothing_and_an_unknown_base(tmp_path: Path) -> None:
    empty = tmp_path / "index.jsonl"
    empty.write_text("\n", "utf-8")
    with pytest.raises(CollectionError, match="no line of an index"):
        fetch_pages(empty, tmp_path / "p.warc.gz")
    with pytest.raises(CollectionError, match="does not exist"):
        fetch_pages(tmp_path / "nothing", tmp_path / "p.warc.gz")
    (tmp_path / "folder").mkdir()
    with pytest.raises(CollectionError, match="expected files of index lines"):
        fetch_pages(tmp_path / "folder", tmp_path / "p.warc.gz")
    with pytest.raises(UsageError, match="--cdx-base nowhere://"):
        fetch_pages(
            index_of(tmp_path, crawl_of(1)),
            tmp_path / "p.warc.gz",
            FetchOptions(base="nowhere://"),
        )


_FETCHING = """
import sys
from pathlib import Path
from boilersweep.collection.common_crawl import fetch_pages
from boilersweep.collection.range_source import FetchOptions
fetch_pages(Path(sys.argv[1]), Path(sys.argv[2]),
            FetchOptions(base=sys.argv[3], at_once=2, per_second=10_000.0))
"""


def test_a_killed_run_goes_on_and_fetches_nothing_twice(tmp_path: Path) -> None:
    crawl = crawl_of(60, files=60)
    index = index_of(tmp_path, crawl)
    whole, resumed = tmp_path / "whole.warc.gz", tmp_path / "resumed.warc.gz"
    with serving(crawl.files) as served:
        fetch_pages(index, whole, options(served))
        served.requests.clear()
        served.latency = 0.2
        killed = subprocess.Popen(
            [sys.executable, "-c", _FETCHING, str(index), str(resumed), served.base]
        )
        deadline = time.monotonic() + 300
        while sum(served.requests.values()) <= 12 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        assert 12 < sum(served.requests.values()) < 60
        served.latency = 0
        fetch_pages(index, resumed, options(served))
    assert resumed.read_bytes() == whole.read_bytes()
    # Only answers that were under way when the process was killed are asked for again.
    assert sum(served.requests.values()) <= 60 + 4


def unfinished(folder: Path, crawl: Crawl, served: Served) -> tuple[Path, bytes]:
    """Fail to fetch any page; the journal, and its first line."""
    served.refused = set(crawl.files)
    with pytest.raises(CollectionError, match="x HTTP status 403"):
        fetch(folder, crawl, served)
    served.refused = set()
    journal = folder / ".p.warc.gz.journal"
    return journal, journal.read_bytes().partition(b"\n")[0] + b"\n"


@pytest.mark.parametrize(
    "damage",
    [
        b'[0, 99999, ""]\nmember',
        b'[1, 0, "a rea',
        b"\0\0\0\0",
        b'[0, 6, ""]\nmember',
        b'[0, 0, ""]\n',
        b'{"number": 0}\n',
        b"5\n",
        b"null\n",
        b"[0]\n",
        b'[0, 0, "", 1]\n',
        b'["0", 0, ""]\n',
        b'[0, 1.5, ""]\n',
        b'[0, -7, ""]\n',
        b"[0, 0, null]\n",
        b'[99, 0, "no line of this number"]\n',
        b"[1" + b"0" * 40 + b', 0, ""]\n',
        b"[" * 100_000 + b"\n",
        b"\xff\xfe\n",
    ],
)
def test_a_damaged_journal_loses_no_page(tmp_path: Path, damage: bytes) -> None:
    crawl = crawl_of(8, files=8)
    with serving(crawl.files) as served:
        journal, head = unfinished(tmp_path, crawl, served)
        journal.write_bytes(head + damage)
        report = fetch(tmp_path, crawl, served)
    assert (report.pages, report.failed) == (8, {})
    assert docids_in(tmp_path / "p.warc.gz") == [docid(number) for number in range(8)]


def test_members_of_a_journal_are_compared_again(tmp_path: Path) -> None:
    crawl = crawl_of(4, files=4)
    own = [crawl.files[str(line["filename"])] for line in crawl.lines]
    del crawl.lines[3]["digest"]
    members = [own[0], b"\0" * len(own[1]), own[0], own[3][:-9] + b"\0" * 9]
    entries = [
        json.dumps([number, len(member), ""]).encode() + b"\n" + member
        for number, member in enumerate(members)
    ]
    with serving(crawl.files) as served:
        journal, head = unfinished(tmp_path, crawl, served)
        journal.write_bytes(head + b"".join(entries))
        served.requests.clear()
        report = fetch(tmp_path, crawl, served)
        assert sum(served.requests.values()) == 3
    assert report.pages == 4
    assert (tmp_path / "p.warc.gz").read_bytes() == b"".join(own)


@pytest.mark.parametrize(
    ("asked", "low", "high"),
    [
        ("7", 7, 7),
        ("", 2, 2.5),
        ("soon", 0, 2.5),
        ("²", 2, 2.5),
        ("٣", 2, 2.5),
        ("-3", 2, 2.5),
        ("9" * 5000, 300, 300),
        ("Mon, 18 Jan 2021 00:00:00 +9999999999999", 2, 2.5),
        ("Mon, 18 Jan 99999999 00:00:00 GMT", 2, 2.5),
        ("Mon, 18 Jan 2021 00:00:00 GMT", 0, 0),
    ],
)
def test_pauses(asked: str, low: float, high: float) -> None:
    assert low <= retry_pause(asked, 2, 1.0) <= high
