"""Archives as tarfile writes them, of every format, packed or not, and damaged."""

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep.collection.format import Format, Reason, Record, Skipped
from boilersweep.collection.formats import FORMATS, named_format, open_collection
from boilersweep.collection.tar import is_tar
from tests.collection.conftest import Reader

zstd = pytest.importorskip("backports.zstd")
Packing = Callable[[bytes], bytes]
PACKED = {
    "a.tar": bytes,
    "a.tar.gz": gzip.compress,
    "a.tgz": gzip.compress,
    "a.tar.zst": zstd.compress,
    "a.tar.xz": lzma.compress,
    "a.TAR.bz2": bz2.compress,
}
PAGE = b"<!DOCTYPE html><p>one two"
SITE = {
    "./site/a.html": PAGE,
    "./site/a_files/frame.html": PAGE,
    "./site/a_files/i.png": b"\x89PNG\r\n\x1a\n" + bytes(9),
    "./site/view.php?id=1": PAGE * 5000,
    "./site/.hidden.html": PAGE,
    "./site/caf\udce9.html": PAGE,
    "./site/empty.html": b"",
}


def tar(files: dict[str, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=form) as writer:
        for name, content in files.items():
            facts = tarfile.TarInfo(name)
            facts.size = len(content)
            writer.addfile(facts, io.BytesIO(content))
        link = tarfile.TarInfo("site/link.html")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        writer.addfile(link)
    return archive.getvalue()


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_folder_in_an_archive(items: Reader, name: str, form: int) -> None:
    data = PACKED[name](tar(SITE, form))
    found = items(named_format("html"), data, name, one_way=len(data) < 10_000)
    pages = [one for one in found if isinstance(one, Record)]
    assert [one.docid for one in pages] == [
        "site/a",
        "site/view.php?id=1",
        "site/caf\xe9",
    ]
    assert str(pages[1].place) == f"{name}/site/view.php?id=1 at byte 0"
    assert len(pages[1].body) == 5000 * len(PAGE)
    assert [(one.reason, one.detail) for one in found if isinstance(one, Skipped)] == [
        (Reason.OTHER_RECORD, "part of a saved page"),
        (Reason.OTHER_RECORD, "a PNG image"),
        (Reason.EMPTY_PAGE, ""),
    ]
    found[2].place.source.encode()


MEMBERS = {
    "trecweb": ("docs", b"<DOC>\n<DOCNO>a</DOCNO>\n<p>x\n</DOC>\n"),
    "clef-ehealth": ("a.dat", b"#UID:a\n#CONTENT:\n<p>x\n#EOR\n"),
    "html": ("a", b"<html><p>x"),
    "jsonl": ("a.jsonl.gz", gzip.compress(b'{"id": "a", "contents": "<p>x"}\n')),
    "warc": (
        "a.warc",
        b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <a>\r\nContent-Type: text/html\r\n"
        b"Content-Length: 4\r\n\r\n<p>x\r\n\r\n",
    ),
}


@pytest.mark.parametrize("form", [form for form in MEMBERS if form in FORMATS])
def test_every_format_is_recognised_and_read(
    tmp_path: Path, items: Reader, form: str
) -> None:
    name, content = MEMBERS[form]
    data = gzip.compress(tar({f"x/{name}": content}))
    (tmp_path / "pages.tar.gz").write_bytes(data)
    opened = open_collection(tmp_path, None)
    assert opened.format is FORMATS[form]
    [one] = [
        item
        for item in items(opened.format, data, "pages.tar.gz")
        if isinstance(item, Record)
    ]
    assert (one.docid.removeprefix("x/"), one.body) in (
        ("a", b"<p>x"),
        ("a", b"<html><p>x"),
    )


@pytest.mark.parametrize(
    ("damage", "detail"),
    [
        (lambda data: data[:2000], "unexpected end of data|empty header"),
        (
            lambda data: data[:1024] + b"\xff" * 512 + data[1536:],
            "a damaged tar archive",
        ),
        (lambda data: data[:-1024] + b"behind it" * 200, "a damaged tar archive"),
        (lambda data: gzip.compress(data)[:-20], "the gzip member ends too early"),
        (lambda data: b"no archive" + data[:0], "a damaged tar archive"),
    ],
)
def test_damage_is_counted(items: Reader, damage: Packing, detail: str) -> None:
    files = {"a.html": PAGE, "b.html": PAGE * 100, "c.html": PAGE}
    form: Format = named_format("html")
    found = items(form, damage(tar(files)), "a.tar")
    lost = found[-1]
    assert lost.reason == Reason.TRUNCATED
    assert any(part in lost.detail for part in detail.split("|"))
    assert all(isinstance(one, Record) for one in found[:-1])


def test_names() -> None:
    assert all(map(is_tar, PACKED))
    assert not any(map(is_tar, ["tar", ".tar", "a.tar.7z", "a.gz", "a.html"]))
