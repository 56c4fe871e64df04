"""Documents as ir_datasets gives them; tests/system/test_irds.py asks the package itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import pytest

from boilersweep import CollectionError, UsageError
from boilersweep.collection import irds
from boilersweep.collection.format import Reason, Record
from boilersweep.collection.formats import named_format, open_collection
from boilersweep.collection.irds import Documents, documents_of


class Gov(NamedTuple):
    doc_id: str
    url: str
    http_headers: str
    body: bytes
    body_content_type: str


class Warc(NamedTuple):
    doc_id: str
    url: str
    date: str
    http_headers: bytes
    body: bytes
    body_content_type: str


class Text(NamedTuple):
    doc_id: str
    text: str
    title: str


class Strange(NamedTuple):
    doc_id: str
    paragraphs: list[str]

    def default_text(self) -> str:
        return "\n".join(self.paragraphs)


class Dataset:
    """What ir_datasets gives for an id; its documents can be sliced if `divisible`."""

    def __init__(self, documents: Any, *, divisible: bool = True) -> None:
        self._documents, self._divisible = documents, divisible

    def has_docs(self) -> bool:
        return self._documents is not None

    def docs_handler(self) -> "Dataset":
        return self

    def docs_cls(self) -> type:
        return type(self._documents[0])

    def docs_count(self) -> int | None:
        return len(self._documents) if self._divisible else None

    def docs_iter(self) -> Any:
        return self._documents if self._divisible else iter(self._documents)


Give = Callable[..., None]


@pytest.fixture
def given_dataset(monkeypatch: pytest.MonkeyPatch) -> Give:
    """Has an id stand for some documents."""

    def give(documents: Any, **more: bool) -> None:
        monkeypatch.setattr(irds, "load_dataset", lambda _: Dataset(documents, **more))
        monkeypatch.setattr(irds, "version", lambda _: "0.5.11")

    return give


def read(dataset: str = "made") -> list[Any]:
    form, files = documents_of(dataset)
    return [
        item
        for file in files
        for item in named_format(form).read(cast(BinaryIO, file.open("rb")), str(file))
    ]


HEADERS = "HTTP/1.1 200 OK\nContent-Type: text/html; charset=koi8-r\n"


def test_a_page_of_gov(given_dataset: Give) -> None:
    modified = "Last-Modified: Tue, 06 Dec 2005 12:00:00 GMT"
    given_dataset(
        [Gov("G00-1", "http://x/", HEADERS + modified, b"<p>\xff\r\n\r\n", "text/html")]
    )
    [record] = read()
    assert isinstance(record, Record)
    assert (record.docid, record.url, record.body) == (
        "G00-1",
        "http://x/",
        b"<p>\xff\r\n\r\n",
    )
    assert (record.charset, record.date) == ("koi8-r", "2005-12-06T12:00:00Z")
    assert record.place.source == "irds:made/0000000-0000001"


def test_a_page_of_clueweb(given_dataset: Give) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html"
    given_dataset(
        [Warc("c-1", "http://x/", "2012-02-10T22:50:41Z", head, b"<p>x", "text/html")]
    )
    [record] = read()
    assert (record.docid, record.body, record.date) == (
        "c-1",
        b"<p>x",
        "2012-02-10T22:50:41Z",
    )


@pytest.mark.parametrize(
    ("headers", "content_type", "reason"),
    [
        ("HTTP/1.0 404 Not Found\n", "text/html", Reason.NOT_A_PAGE),
        ("HTTP/1.0 302 Found\n\nHTTP/1.0 200 OK\n\n", "text/html", None),
        (
            "HTTP/1.0 200 OK\nContent-Type: application/pdf",
            "application/pdf",
            Reason.NOT_HTML,
        ),
        ("Content-Type: application/pdf", "text/html", Reason.NOT_HTML),
        ("Server: x", "application/pdf", Reason.NOT_HTML),
        ("", "text/html", None),
        ("", "", None),
    ],
)
def test_headers(
    given_dataset: Give, headers: str, content_type: str, reason: Reason | None
) -> None:
    given_dataset([Gov("a", "", headers, b"<p>x", content_type)])
    [item] = read()
    assert getattr(item, "reason", None) == reason
    assert reason or item.body == b"<p>x"


def test_texts_are_plain_text(given_dataset: Give) -> None:
    given_dataset([Text("1", "a < b\n\u2028c", "T"), Text("2", "", "")])
    record, skipped = read()
    assert (record.docid, record.body.decode(), record.plain) == (
        "1",
        "a < b\n\u2028c",
        True,
    )
    assert (record.title, skipped.reason) == ("T", Reason.EMPTY_PAGE)
    given_dataset([Strange("1", ["one", "two"])])
    assert read()[0].body == b"one\ntwo"


def test_documents_are_dealt_to_tasks(
    given_dataset: Give, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(irds, "_AT_A_TIME", 2)
    given_dataset([Text(str(number), "x", "") for number in range(5)])
    form, files = documents_of("made")
    assert form == "jsonl"
    assert files == [
        Documents("made", 0, 2),
        Documents("made", 2, 4),
        Documents("made", 4, 5),
    ]
    assert [item.docid for item in read()] == list("01234")
    assert [file.stat().st_size for file in files] == [2, 2, 1]
    given_dataset([Text(str(number), "x", "") for number in range(5)], divisible=False)
    assert documents_of("made")[1] == [Documents("made", 0, None)]
    assert [item.docid for item in read()] == list("01234")


def test_another_version_of_the_package_is_another_time_of_change(
    given_dataset: Give, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_dataset([Text("1", "x", "")])
    before = Documents("made", 0, 1).stat()
    assert Documents("made", 0, 1).stat() == before
    monkeypatch.setattr(irds, "version", lambda _: "0.5.12")
    assert Documents("made", 0, 1).stat().st_mtime_ns != before.st_mtime_ns


def test_what_cannot_be_had(given_dataset: Give, tmp_path: Path) -> None:
    given_dataset(None)
    with pytest.raises(CollectionError, match="irds:made has no documents"):
        documents_of("made")

    class Licensed(Dataset):
        def docs_iter(self) -> Any:
            raise FileNotFoundError(tmp_path)

    given_dataset([Text("1", "x", "")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(irds, "load_dataset", lambda _: Licensed([Text("1", "x", "")]))
        with pytest.raises(
            CollectionError, match=r"cannot read .* of irds:made: .*licensed"
        ):
            documents_of("made")
        with pytest.raises(CollectionError, match=r"cannot read .* of irds:made"):
            Documents("made", 0, 1).open().read()
    with pytest.raises(UsageError, match="irds:made is read as jsonl, not as trecweb"):
        open_collection(Path("irds:made"), "trecweb")
