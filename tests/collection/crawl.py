"""A made-up crawl of Common Crawl's shape, and a server on this machine that has its files."""

import base64
import hashlib
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from gzip import compress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import UUID


@dataclass
class Crawl:
    """Files by name, and the lines of their index."""

    files: dict[str, bytes] = field(default_factory=dict)
    lines: list[dict[str, object]] = field(default_factory=list)

    def add(
        self,
        filename: str,
        number: int,
        body: bytes,
        *,
        status: str = "200 OK",
        content_type: str = "text/html",
    ) -> dict[str, object]:
        """Append a response to a file; its index line."""
        url = f"https://site{number % 7}.example/page/{number}"
        head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n\r\n".encode()
        content = head + body
        record = (
            "WARC/1.0\r\n"
            "WARC-Type: response\r\n"
            f"WARC-Record-ID: <urn:uuid:{docid(number)}>\r\n"
            f"WARC-Target-URI: {url}\r\n"
            "WARC-Date: 2021-01-18T00:00:00Z\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        ).encode()
        member = compress(record + content + b"\r\n\r\n", mtime=0)
        before = self.files.get(filename, b"")
        self.files[filename] = before + member
        line: dict[str, object] = {
            "url": url,
            "mime": content_type,
            "status": status[:3],
            "digest": base64.b32encode(hashlib.sha1(body).digest()).decode(),  # noqa: S324
            "length": str(len(member)),
            "offset": str(len(before)),
            "filename": filename,
            "languages": "eng",
        }
        self.lines.append(line)
        return line

    def index(self) -> str:
        return "".join(json.dumps(line) + "\n" for line in self.lines)


def docid(number: int) -> str:
    return str(UUID(int=number))


def crawl_of(pages: int, files: int = 2) -> Crawl:
    crawl = Crawl()
    for number in range(pages):
        words = " ".join(f"word{(number * k) % 97}" for k in range(1, 40))
        body = f"<title>Page {number}</title><p>{words}</p>".encode()
        crawl.add(f"crawl-data/segment-{number % files}.warc.gz", number, body)
    return crawl


@dataclass
class Served:
    """What a server was asked.

    Attributes:
        base: Its address.
        requests: How often each file and range was asked for.
        agents: The user agents.
        busy: Answers 503 to so many requests first.
        retry_after: The header of these answers.
        failing: Files that are answered with 503.
        refused: Files that are answered with 403.
        cut: Files whose ranges are sent by half.
        moved: Files that are redirected.
        elsewhere: Where other files are redirected to, by name.
        ignoring: Files whose ranges are ignored.
        endless: Files whose ranges never end.
        sent: Bytes of bodies.
        latency: Seconds before each answer.
        together: Requests wait for each other until so many came at a time, or for some seconds.
        at_once: The most requests at a time.
    """

    base: str = ""
    requests: Counter[tuple[str, str]] = field(default_factory=Counter)
    agents: set[str] = field(default_factory=set)
    times: list[float] = field(default_factory=list)
    busy: int = 0
    retry_after: str = "0"
    failing: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    cut: set[str] = field(default_factory=set)
    moved: set[str] = field(default_factory=set)
    elsewhere: dict[str, str] = field(default_factory=dict)
    ignoring: set[str] = field(default_factory=set)
    endless: set[str] = field(default_factory=set)
    sent: int = 0
    latency: float = 0.0
    together: int = 0
    at_once: int = 0


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[Served]:  # noqa: C901 - a handler in a function
    """Serve files with ranges on the loopback address."""
    served = Served()
    lock = threading.Lock()
    met = threading.Condition()
    now = [0]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            try:
                super().handle_one_request()
            except ConnectionResetError:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

        def do_GET(self) -> None:
            with met:
                now[0] += 1
                served.at_once = max(served.at_once, now[0])
                met.notify_all()
                met.wait_for(lambda: served.at_once >= served.together, timeout=9)
            try:
                self.get()
            finally:
                with met:
                    now[0] -= 1

        def get(self) -> None:
            name = self.path.lstrip("/")
            time.sleep(served.latency)
            with lock:
                served.requests[name, self.headers.get("Range", "")] += 1
                served.agents.add(self.headers.get("User-Agent", ""))
                served.times.append(time.monotonic())
                busy = served.busy > 0
                served.busy -= busy
            if busy or name in served.failing:
                self.answer(503, b"", {"Retry-After": served.retry_after})
            elif name in served.refused:
                self.answer(403, b"no")
            elif name in served.moved:
                self.answer(302, b"", {"Location": f"/moved/{name}"})
            elif name in served.elsewhere:
                self.answer(302, b"", {"Location": served.elsewhere[name]})
            elif (content := files.get(name.removeprefix("moved/"))) is None:
                self.answer(404, b"not here")
            else:
                self.send_range(name, content, self.headers)

        def send_range(self, name: str, content: bytes, headers: Message) -> None:
            wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", headers.get("Range", ""))
            if wanted is None or name in served.ignoring:
                self.answer(200, content)
                return
            if name in served.endless:
                self.answer(206, b"\0" * 2 * 10**8)
                return
            part = content[int(wanted[1]) : int(wanted[2]) + 1]
            if not part:
                self.answer(416, b"")
                return
            if name in served.cut:
                part = part[: len(part) // 2]
            self.answer(206, part)

        def answer(
            self, status: int, body: bytes, headers: dict[str, str] | None = None
        ) -> None:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                for start in range(0, len(body), 2**16):
                    part = body[start : start + 2**16]
                    self.wfile.write(part)
                    served.sent += len(part)
            except OSError:  # the client has enough
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.05}
    )
    thread.start()
    served.base = f"http://127.0.0.1:{server.server_address[1]}/"
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
