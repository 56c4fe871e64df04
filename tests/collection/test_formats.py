import gzip
from dataclasses import fields
from pathlib import Path

import pytest

from boilersweep import CollectionError, UsageError
from boilersweep.collection.format import Format, Reading, any_name
from boilersweep.collection.formats import FORMATS, named_format, open_collection

CRAWLS = pytest.mark.application("crawls")


def fill(folder: Path, **files: bytes) -> None:
    for name, data in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".").replace("_", "-")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


DOC = b"\n<doc>\n<DOCNO>a</DOCNO>"


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"GX000__00_dot_gz": gzip.compress(DOC)}, "trecweb"),
        ({"README": b"hello", "a__B01": b"\xef\xbb\xbf" + DOC}, "trecweb"),
        (
            {"20051206__permalinks_000_dot_gz": b"", "20051206__feeds_000_dot_gz": b""},
            "blogs06",
        ),
        ({"a_dot_warc_dot_gz": b"", "b_dot_txt": b""}, "warc"),
        pytest.param(
            {"a_dot_dat_dot_gz": gzip.compress(b"#uid:a\n"), "b_dot_txt": b""},
            "clef-ehealth",
            marks=CRAWLS,
        ),
        ({"a_dot_html": b"", "b_dot_zip": b"PK\3\4", "c_dot_dat": b"#UID:"}, "html"),
        ({"a_dot_json": b""}, "jsonl"),
        ({"a_dot_parquet": b"", "b_dot_arrow": b""}, "parquet"),
        ({"a_dot_HTML": b"<DOC>"}, "html"),
    ],
)
def test_recognises_folders(tmp_path: Path, files: dict[str, bytes], name: str) -> None:
    fill(tmp_path, **files)
    opened = open_collection(tmp_path, None)
    assert opened.format is FORMATS[name]
    wanted = [path for path in tmp_path.rglob("*") if opened.format.wants(path.name)]
    assert opened.format.name == name
    assert opened.files == sorted(path for path in wanted if path.is_file())


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"<DOC>", "trecweb"),
        pytest.param(b"\n#UID:a", "clef-ehealth", marks=CRAWLS),
        (b"WARC/1.0\r\n", "warc"),
        (b"filedesc://a.arc 0.0.0.0 20060101000000 text/plain 9\n", "arc"),
        (b' {"id"', "jsonl"),
        (b'[ {"id"', "jsonl"),
        (b"PAR1", "parquet"),
        (b"<?xml version='1.0'?><!DOCTYPE html>", "html"),
    ],
)
def test_recognises_files_by_their_first_bytes(
    tmp_path: Path, data: bytes, name: str
) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    opened = open_collection(path, None)
    assert (opened.format.name, opened.files) == (name, [path])


@pytest.mark.parametrize(
    ("name", "wanted", "others"),
    [
        (
            "blogs06",
            "permalinks-001.gz permalinks-000",
            "feeds-001.gz homepages-001.gz README",
        ),
        ("trecweb", "permalinks-000 feeds-001.gz README", ""),
        ("html", "b.html z.HTM y.xhtml.gz", "html .html a.html.bak a.html5 a.html.7z"),
        (
            "jsonl",
            "b.jsonl a.json.gz c.JSONL.gz d.json",
            "e.txt jsonl .json a.jsonl.7z a.jsonlx",
        ),
        pytest.param(
            "clef-ehealth",
            "a.dat B.DAT.gz c.zip",
            "dat .zip.x a.dat.bz2 a.data",
            marks=CRAWLS,
        ),
        (
            "warc",
            "a.warc a.WARC.gz a.warc.wet.gz a.warc.zst a.wacz",
            "warc .warc a.warc.wat.gz c.warc.gz.md5 d.gz",
        ),
        ("arc", "a.arc A.ARC.gz a.arc.zst", "arc .arc a.warc a.arc.idx"),
    ],
)
def test_names_of_files(name: str, wanted: str, others: str) -> None:
    assert all(map(FORMATS[name].wants, wanted.split()))
    assert not any(map(FORMATS[name].wants, others.split()))


def test_reading_as_users_say(tmp_path: Path) -> None:
    fill(tmp_path, a_dot_jsonl=b"")
    reading = Reading(plain=True)
    for name in ("jsonl", None):
        assert (
            open_collection(tmp_path, name, reading=reading).format.reading == reading
        )


@pytest.mark.parametrize("form", FORMATS.values(), ids=list(FORMATS))
def test_every_format_declares_itself(form: Format) -> None:
    assert named_format(form.name) is form
    assert form.summary
    assert form.files
    assert set(form.options) <= {field.name for field in fields(Reading)}
    assert (form.wants is not any_name) or form.first_bytes


@pytest.mark.parametrize(
    ("reading", "parameter", "name"),
    [
        (Reading(plain=False), "plain", "jsonl"),
        (Reading(id_field="x"), "id_field", "jsonl"),
        (Reading(text_field="x"), "text_field", "jsonl"),
        (Reading(url_field="x"), "url_field", "jsonl"),
        (Reading(docid="uri"), "docid", "warc"),
        (Reading(docid="trec"), "docid", "warc"),
    ],
)
def test_what_goes_with_one_format_is_refused_with_others(
    tmp_path: Path, reading: Reading, parameter: str, name: str
) -> None:
    fill(tmp_path, **{f"{name}__a_dot_{name}": b"", "html__a_dot_html": b""})
    assert open_collection(tmp_path / name, None, reading=reading).format.name == name
    for given in ("html", None):
        message = f"{parameter}: expected none, as it is for {name}.* only.*is html"
        with pytest.raises(UsageError, match=message):
            open_collection(tmp_path / "html", given, reading=reading)


@pytest.mark.parametrize(
    ("files", "name", "message"),
    [
        ("a.html", "zim", ", ".join(FORMATS)),
        (
            "a.pdf b.pdf c.doc d",
            "warc",
            r"\*\.warc.*2 x \.pdf, 1 x \.doc, 1 x no suffix",
        ),
        ("a.pdf b.pdf c.doc d", None, "with `collection`"),
        ("", "trecweb", "found no files"),
        ("a.html b.jsonl", None, "html or jsonl; say which with `collection`"),
    ],
)
def test_what_cannot_be_opened(
    tmp_path: Path, files: str, name: str | None, message: str
) -> None:
    fill(tmp_path, **dict.fromkeys(files.split(), b""))
    with pytest.raises((CollectionError, UsageError), match=message):
        open_collection(tmp_path, name)
    with pytest.raises(
        (CollectionError, UsageError), match=f"does not exist|{message}"
    ):
        open_collection(tmp_path / "no", name)


def test_a_folder_of_links_out_says_how_they_are_read(tmp_path: Path) -> None:
    fill(tmp_path / "out", a_dot_warc=b"", b__c_dot_warc=b"")
    fill(tmp_path / "in", _dot_git__x=b"")
    (tmp_path / "in" / "a.warc").symlink_to(tmp_path / "out" / "a.warc")
    (tmp_path / "in" / "b").symlink_to(tmp_path / "out" / "b")
    found = (
        "found 1 x hidden, 1 x link out of the input, 1 x link to a folder "
        r"\(`boilersweep segment --follow-links`"
    )
    for name in ("warc", None):
        with pytest.raises(CollectionError, match=found):
            open_collection(tmp_path / "in", name)
    opened = open_collection(tmp_path / "in", None, follow_links=True)
    assert [path.name for path in opened.files] == ["a.warc", "c.warc"]
    assert opened.left_out.counts == {"hidden": 1}


HTML_PAGE = b"<!DOCTYPE html><p>one"
MIRROR = {
    "a.html": HTML_PAGE,
    "a_files/frame.html": HTML_PAGE,
    "a_files/i.png": b"\x89PNG\r\n\x1a\n" + bytes(9),
    "b.mhtml": b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x--\n",
    "c/index.php": b"\n<!-- saved --><html><p>x",
    "c/view.asp": b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'><p>x",
    "c/index.html?id=3": gzip.compress(b"\xef\xbb\xbf<p>x"),
    "c/no suffix": "<!DOCTYPE html><p>x".encode("utf-16"),
    "c/d_files/e.html": HTML_PAGE,
    "c/logo.gif": b"GIF89a" + bytes(99),
    "c/style.css": b"p > b {}",
    "c/script.js": b"<!-- hide\nvar x = '<p>'; //-->",
    "c/feed.xml": b"<?xml version='1.0'?><rss><title>x",
    "c/empty": b"",
}


def test_the_files_of_a_mirror_are_known_by_their_content(tmp_path: Path) -> None:
    for name, content in MIRROR.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_bytes(content)
    opened = open_collection(tmp_path, None)
    assert opened.format.name == "html"
    assert [path.relative_to(tmp_path).as_posix() for path in opened.files] == [
        "a.html",
        "b.mhtml",
        "c/d_files/e.html",
        "c/index.html?id=3",
        "c/index.php",
        "c/no suffix",
        "c/view.asp",
    ]
    assert opened.left_out.counts == {
        "part of a saved page": 1,
        "a PNG image": 1,
        "a GIF image": 1,
        "file of another kind": 4,
    }
    named = open_collection(tmp_path / "c", None)
    assert (named.format.name, len(named.files)) == ("html", 5)
