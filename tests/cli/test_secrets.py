"""Commands that are given a URL with a password write and print it nowhere."""

import base64
import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs

SECRET = "geheim"  # noqa: S105
LOGIN = f"Basic {base64.b64encode(f'user:{SECRET}'.encode()).decode()}"
EXACT = ("--engine", "exact", "--threads", "1")


class Handler(SimpleHTTPRequestHandler):
    """Gives files to whoever has the password or a signature."""

    def send_head(self) -> object:  # type: ignore[override]
        is_signed = f"X-Amz-Signature={SECRET}" in self.path
        if self.headers.get("Authorization") == LOGIN or is_signed:
            return super().send_head()
        self.send_error(401)
        return None

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[str]:
    """Serve a folder to those who have the password."""
    pytest.importorskip("upath", reason="the extra `remote` is not installed")
    (tmp_path / "served").mkdir()
    handler = partial(Handler, directory=str(tmp_path / "served"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def require_no_secret(folder: Path) -> None:
    for path in folder.rglob("*"):
        assert SECRET not in path.name
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


@pytest.mark.parametrize(
    ("before", "query"),
    [(f"user:{SECRET}@", "?x=1"), ("", f"?X-Amz-Signature={SECRET}&x=1")],
)
def test_a_store_of_an_address_has_no_secret(
    call: Call, tmp_path: Path, host: str, before: str, query: str
) -> None:
    page = json.dumps({"id": "d1", "html": "<p>one two three</p>"})
    (tmp_path / "served" / "pages.jsonl").write_text(page)
    store = tmp_path / "out" / "store"
    given = ("--input", f"http://{before}{host}/pages.jsonl{query}")
    read = call("segment", *given, "--collection", "jsonl", "--output", store).ok()
    again = call("segment", *given, "--collection", "jsonl", "--output", store).ok()
    wrong = call("segment", *given, "--collection", "warc", "--output", tmp_path / "w")
    assert SECRET not in read.out + read.err + again.err + wrong.out + wrong.err
    require_no_secret(tmp_path / "out")
    facts = json.loads((store / "manifest.json").read_text())["facts"]
    assert facts["input"] == f"http://{host}/pages.jsonl?x=1"


@pytest.mark.java
def test_experiments_on_a_store_at_an_address_have_no_secret(
    call: Call, tmp_path: Path, host: str, inputs: Inputs
) -> None:
    call("segment", "--input", inputs.pages, "--output", tmp_path / "served/s").ok()
    given = ("--store", f"http://user:{SECRET}@{host}/s")
    out, judged = tmp_path / "out", ("--topics", inputs.topics)
    cleaners = ("--cleaners", "words>=1,words>=3")
    calls = [
        ("export", *given, "--keep", "words>=2", "--output", out / "export"),
        ("compare", *given, *inputs.judged, *cleaners, *EXACT, "--output", out / "c"),
        ("report", out / "c"),
        ("check", out / "c"),
        ("assess", *given, *judged, *cleaners, "--output", out / "j", "--status"),
        (
            "compare",
            "--store",
            f"{given[1]}/none",
            *inputs.judged,
            "--output",
            out / "n",
        ),
    ]
    for words in calls:
        ended = call(*words)
        assert SECRET not in ended.out + ended.err, words
    require_no_secret(out)
    study = json.loads((out / "c" / "manifest.json").read_text())["facts"]
    assert study["store"].rstrip("/") == f"http://{host}/s"
