"""A language model as assessor: a server that answers, slowly, wrongly, or in prose."""

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from boilersweep import BoilersweepError, UsageError
from boilersweep.eval.assess import llm
from boilersweep.eval.assess.checked_judgements import CHECKED
from boilersweep.eval.assess.llm import grade_of, spending
from boilersweep.eval.assess.program import judge_by_program
from tests.eval.assess.conftest import Make

MODEL = f"{sys.executable} -m boilersweep.eval.assess.llm --model small"

LINE = (
    b'{"topic":"1","docid":"d","answers":[],"tokens_read":1000,"tokens_written":0,'
    b'"cost":0}\n'
)


@dataclass
class Reply:
    """What the server sends: a text of the model, or a status and a body."""

    text: str = ""
    status: int = 200
    body: bytes = b""
    delay: float = 0.0
    usage: str = '{"prompt_tokens": 1000, "completion_tokens": 5}'
    headers: dict[str, str] = field(default_factory=dict)

    def content(self) -> bytes:
        if self.status != 200 or self.body:
            return self.body
        text = json.dumps(self.text)
        message = f'{{"role": "assistant", "content": {text}}}'
        choices = f'[{{"index": 0, "message": {message}}}]'
        return f'{{"choices": {choices}, "usage": {self.usage}}}'.encode()


@dataclass
class Served:
    """A server: its replies in order, the last one for ever, and the requests that it got."""

    replies: list[Reply]
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    state = Served([])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            state.requests.append(
                json.loads(self.rfile.read(length)) | {"path": self.path}
            )
            state.keys.append(self.headers["Authorization"])
            reply = state.replies[min(len(state.requests), len(state.replies)) - 1]
            content = reply.content()
            self.send_response(reply.status)
            for name, value in {
                "Content-Length": str(len(content)),
                **reply.headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            time.sleep(reply.delay)
            self.wfile.write(content)

        def log_request(self, code: object = "-", size: object = "-") -> None:
            """Stay silent."""

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                """The client did not wait."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1/")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    yield state
    server.shutdown()
    server.server_close()


def judged(make: Make, command: str, most: int | None = 1) -> list[int | None]:
    return [grade for _, grade in judge_by_program(make(), command, "small", most)]


def test_grades_prompt_tokens_and_cost_are_kept_apart_from_people(
    make: Make, served: Served, folder: Path
) -> None:
    served.replies = [Reply("grade: 2"), Reply("**Final score:** 0")]
    assert judged(make, f"{MODEL} --price-read 2 --price-written 10", 2) == [2, 0]
    [first, _] = served.requests
    assert (first["path"], first["temperature"]) == ("/v1/chat/completions", 0)
    assert "bread ovens" in first["messages"][0]["content"]
    assert "Second block\nmenu\nEND OF PAGE" in first["messages"][0]["content"]
    assert served.keys == ["Bearer secret"] * 2
    own = folder / "programs" / "small"
    assert (
        (own / "prompt.txt")
        .read_text()
        .startswith("model small, temperature 0, the first 20,0")
    )
    assert "{query}" in (own / "prompt.txt").read_text()
    assert spending(own) == ", 2,000 tokens read and 10 written, cost 0.0041"
    lines = (own / "answers.jsonl").read_text().splitlines()
    assert [json.loads(line)["answers"] for line in lines] == [
        ["grade: 2"],
        ["**Final score:** 0"],
    ]
    assessment = make()
    assert assessment.judgements.write_merged().read_text() == ""
    assert list((folder / "people").iterdir()) == []
    with pytest.raises(
        UsageError, match=r"prompt.txt: earlier grades have another model or"
    ):
        judged(make, MODEL.replace("small", "large"), 3)


def test_a_slow_a_busy_and_a_broken_server_are_asked_again(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(llm, "sleep", waits.append)
    monkeypatch.setattr(llm, "_LONGEST_REQUEST", 1)
    served.replies = [
        Reply("grade: 3", delay=2),
        Reply(status=429, headers={"Retry-After": "7"}),
        Reply(status=503, body=b"<html>busy</html>"),
        Reply(body=b"<html>a proxy's page</html>"),
        Reply(body=b'{"choices": []}'),
        Reply(body=b'{"choices": null}'),
        Reply(body=b'{"choi', headers={"Content-Length": "900"}),
        Reply("grade: 1"),
    ]
    address = os.environ["OPENAI_BASE_URL"].rstrip("/")
    server = llm.ChatServer(address, "", "small", give_up=time.monotonic() + 60)
    assert server.complete([{"role": "user", "content": "?"}]) == "grade: 1"
    assert waits == [0.5, 7, 2, 4, 8, 16, 30]
    assert served.keys == [None] * 8


@pytest.mark.parametrize(
    "usage",
    [
        '{"prompt_tokens": 1.5, "completion_tokens": 2.5}',
        '{"prompt_tokens": 123456789012345678901234567}',
        '{"prompt_tokens": -3, "completion_tokens": 1e300}',
        '{"prompt_tokens": "9", "completion_tokens": [1]}',
        '{"prompt_tokens": true, "completion_tokens": null}',
        "{}",
        "null",
    ],
)
def test_impossible_counts_of_tokens_count_as_none(
    make: Make, served: Served, folder: Path, usage: str
) -> None:
    served.replies = [Reply("grade: 2", usage=usage), Reply("grade: 1")]
    assert judged(make, MODEL, 2) == [2, 1]
    spent = ", 1,000 tokens read and 5 written, cost 0"
    assert spending(folder / "programs" / "small") == spent


@pytest.mark.parametrize(
    ("damage", "unread"),
    [
        (b'{"topic": "1", "docid": "d", "answ', 1),
        (LINE.replace(b"1000", b"1.5"), 1),
        (LINE.replace(b"1000", b"1" * 27), 1),
        (b"null\n[]\n", 2),
        (b"[" * 100_000 + b"\n", 1),
        (b"\xff\xfe\n", 1),
        (b"\0\0\0", 1),
    ],
)
def test_damaged_answers_are_counted_and_stop_nothing(
    make: Make, served: Served, folder: Path, damage: bytes, unread: int
) -> None:
    served.replies = [Reply("grade: 2")]
    judged(make, MODEL)
    path = folder / "programs" / "small" / "answers.jsonl"
    path.write_bytes(path.read_bytes() + damage)
    spent = spending(path.parent)
    assert spent.startswith(", 1,000 tokens read and 5 written, cost 0")
    assert f"({unread} lines of {path} cannot be read)" in spent
    [fault] = [fault for fault in CHECKED.check(folder) if "answers.jsonl" in fault]
    assert f"{unread} lines cannot be read" in fault
    assert judged(make, MODEL, 2) == [2]
    # A torn end is removed, whole lines stay
    graded, left = llm.read_graded(path)
    assert len(graded) == 2
    assert left == damage.count(b"\n")


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"choices":' * 100_000,
        b'{"choices": [{"message": {"content": "\\ud800"}}]}',
        b'{"choices": [{"message": {"content": "\xed\xa0\x80"}}]}',
        b"\xff",
    ],
)
def test_bodies_that_are_no_json_end_with_a_message(
    make: Make, served: Served, body: bytes
) -> None:
    served.replies = [Reply(body=body)]
    with pytest.raises(UsageError, match="gives no usable answer") as failure:
        judged(make, f"{MODEL} --patience 0")
    assert "Traceback" not in str(failure.value)


@pytest.mark.parametrize(
    "endless", [b"HTTP/1.1 100 Continue\r\n\r\n", b"H", b"HTTP/1.1 200 OK\r\nX: 1\r\n"]
)
def test_an_answer_that_never_begins_is_given_up(
    monkeypatch: pytest.MonkeyPatch, endless: bytes
) -> None:
    monkeypatch.setattr(llm, "_LONGEST_REQUEST", 0.3)
    monkeypatch.setattr(llm, "sleep", lambda _: None)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    Thread(target=send, args=[connection], daemon=True).start()

        def send(connection: socket.socket) -> None:
            with suppress(OSError), connection:
                while True:
                    connection.sendall(endless)
                    time.sleep(0.01)

        Thread(target=serve, daemon=True).start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        server = llm.ChatServer(address, "", "m", give_up=time.monotonic() + 0.4)
        with pytest.raises(BoilersweepError, match=r"The last one: (Timeout|\w+)Error"):
            server.complete([])


def test_prose_is_asked_again_for_a_grade(make: Make, served: Served) -> None:
    prose = Reply("The page is about bread, which I would call relevant.")
    served.replies = [prose, Reply("3"), prose]
    assessment = make()
    assert [grade for _, grade in judge_by_program(assessment, MODEL, "small", 2)] == [
        3,
        None,
    ]
    roles = [message["role"] for message in served.requests[1]["messages"]]
    assert roles == ["user", "assistant", "user"]
    notes = [
        record.note for record in assessment.judgements.records["programs"]["small"]
    ]
    assert notes == ["3", prose.text]


@pytest.mark.parametrize(
    ("reply", "options", "message"),
    [
        (
            Reply(status=401, body=b"wrong key"),
            "",
            "rejects the request: 401 wrong key",
        ),
        (
            Reply(status=500),
            "--patience .9",
            "no usable answer; run the command again",
        ),
        (Reply(status=429, headers={"Retry-After": "900"}), "", "The last one: 429"),
        (Reply(status=302, headers={"Location": "/"}), "", "rejects the request: 302"),
        (Reply(body=b"x" * 2_000_000), "--patience 0", "more than 1,000,000 bytes"),
        (Reply(body=b"[1]"), "--patience 0", "The last one: ValidationError"),
    ],
)
def test_a_server_that_never_answers_ends_the_judging(
    make: Make, served: Served, reply: Reply, options: str, message: str
) -> None:
    served.replies = [Reply("grade: 1"), reply]
    with pytest.raises(UsageError, match=message):
        judged(make, f"{MODEL} {options}", 2)
    [record] = make().judgements.records["programs"]["small"]
    assert record.grade == 1
    served.replies = [Reply("grade: 2")]
    assert judged(make, MODEL, 2) == [2]


def test_an_address_is_needed(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("", "file:///etc"):
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        with pytest.raises(
            UsageError, match="OPENAI_BASE_URL: expected the address of a server"
        ):
            judged(make, MODEL)


@pytest.mark.parametrize(
    ("answer", "grade"),
    [
        ("grade: 2", 2),
        ("2", 2),
        ("**Grade:** 0.", 0),
        ("##final score: 3", 3),
        ("<think>A grade of 1? No: grade: 1 is low.</think>\ngrade: 2\n", 2),
        ("grade: 2.5", None),
        ("grade: 23", None),
        ("grade: 7", None),
        ("There are 2 ovens.", None),
        ("", None),
    ],
)
def test_the_last_grade_of_an_answer_counts(answer: str, grade: int | None) -> None:
    assert grade_of(answer) == grade
