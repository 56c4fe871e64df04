"""An assessor that asks a language model.

    boilersweep assess --assessor 'python -m boilersweep.eval.assess.llm --model M' --name M ...

It reads a document as JSON on standard input, asks a server with OpenAI's interface, whose address
is in OPENAI_BASE_URL and whose key, if it needs one, in OPENAI_API_KEY, and writes the grade. The
prompt and a line about every document are beside the judgements, in OUT/programs/NAME.

The prompt has the scale and the steps of UMBRELA (Upadhyay et al., 2024) in our own words. As the
program is started for every document, this module imports little.
"""

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Annotated, Any
from urllib.request import HTTPErrorProcessor, Request, build_opener

import msgspec

from boilersweep.errors import BoilersweepError, UsageError
from boilersweep.eval.people.log import append_line
from boilersweep.outputs.atomic import make_folder, write_text
from boilersweep.outputs.typed_files import decode_json

# The environment variable in which `assess` names the folder for a program's own files.
FOLDER_VARIABLE = "BOILERSWEEP_ASSESSOR_FOLDER"

# What a lost connection, no JSON, and JSON of another shape raise.
_UNUSABLE = (
    OSError,
    HTTPException,
    ValueError,
    LookupError,
    AttributeError,
    TypeError,
)
# Statuses that a later attempt may not meet again: too early, too much, out of order.
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
# Seconds.
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0
_LONGEST_REQUEST = 60.0
_LONGEST_BODY = 1_000_000  # bytes
ANSWERS = "answers.jsonl"
_PROMPT = Path(__file__).with_name("llm-prompt.txt").read_text("utf-8")
_REMINDER = (
    "Reply with one line and no other text, with a number from 0 to 3:\ngrade: NUMBER"
)
_LONGEST_TEXT = 20_000  # characters of a document
# "grade: 2", "**Final score:** 2", or an answer that is a number alone; no "grade: 2.5".
_GRADE = re.compile(
    r"\b(?:grade|score)\b\W{0,9}([0-3])(?![\d/]|\.\d)|\A\W*([0-3])\W*\Z", re.IGNORECASE
)


# The tokens of one document, or of thousands.
_Tokens = Annotated[int, msgspec.Meta(ge=0, le=10**12)]


class PoolDocument(msgspec.Struct, frozen=True):
    """A document to judge, as a line of a pool and as a program reads it."""

    topic: str
    query: str
    description: str
    docid: str
    title: str
    url: str
    date: str
    text: str
    highest_grade: int


class GradedDocument(msgspec.Struct, frozen=True):
    """A line of answers.jsonl.

    Attributes:
        topic: The topic.
        docid: The document.
        answers: What the model wrote; the second one after a reminder to write a grade.
        tokens_read: How many tokens the model read.
        tokens_written: How many it wrote.
        cost: By the prices given; 0 without them.
    """

    topic: str
    docid: str
    answers: list[str]
    tokens_read: _Tokens
    tokens_written: _Tokens
    cost: float


class _EveryStatus(HTTPErrorProcessor):
    """Follows no redirection, which might send the key elsewhere, and raises nothing."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:  # noqa: ARG002
        return response

    https_response = http_response


@dataclass(slots=True)
class ChatServer:
    """A model of a server with OpenAI's interface.

    Attributes:
        address: The server's address, with http or https; it often ends in /v1.
        key: The key; "" to send none.
        model: The model.
        give_up: The reading of the monotonic clock after which no attempt starts.
        tokens_read: How many tokens the model has read for us, if the server says so.
        tokens_written: How many it has written.
    """

    address: str
    key: str
    model: str
    give_up: float
    tokens_read: int = 0
    tokens_written: int = 0

    def complete(self, messages: Sequence[Mapping[str, str]]) -> str:
        """Ask at temperature 0 until the server answers, and return what the model wrote.

        Args:
            messages: The conversation so far.

        Raises:
            BoilersweepError: The server rejects the request, or the last attempt failed.
        """
        question = msgspec.json.encode(
            {"model": self.model, "messages": messages, "temperature": 0}
        )
        wait = _FIRST_WAIT
        while True:
            pause = wait
            try:
                status, body, retry_after = self._answer(question)
                if status == 200:
                    return self._text(decode_json(body, dict[str, Any]))
                reason = f"{status} {body[:150].decode('utf-8', 'replace')}"
                if status not in _PASSING:
                    raise BoilersweepError(
                        f"{self.address} rejects the request: {reason}"
                    )
                if retry_after.isdecimal():
                    pause = float(retry_after)
            except _UNUSABLE as error:
                reason = f"{type(error).__name__} {error}"
            if monotonic() + pause > self.give_up:
                raise BoilersweepError(
                    f"{self.address} gives no usable answer; run the command again to continue. "
                    f"The last one: {reason}"
                )
            sleep(pause)
            wait = min(2 * wait, _LONGEST_WAIT)

    def _answer(self, question: bytes) -> tuple[int, bytes, str]:
        """Ask in a thread, which is left behind where a server never ends its answer."""
        answer: Future[tuple[int, bytes, str]] = Future()

        def ask() -> None:
            try:
                answer.set_result(self._post(question))
            except Exception as error:  # raised below
                answer.set_exception(error)

        Thread(target=ask, daemon=True).start()
        return answer.result(_LONGEST_REQUEST)

    def _post(self, question: bytes) -> tuple[int, bytes, str]:
        """Return status, body and Retry-After; raise OSError or HTTPException."""
        key = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        headers = {"Content-Type": "application/json", **key}
        request = Request(f"{self.address}/chat/completions", question, headers)  # noqa: S310
        body = b""
        with build_opener(_EveryStatus).open(
            request, timeout=_LONGEST_REQUEST
        ) as response:
            while part := response.read1():
                body += part
                if len(body) > _LONGEST_BODY:
                    raise OSError(f"more than {_LONGEST_BODY:,} bytes")
            return response.status, body, response.headers.get("Retry-After", "")

    def _text(self, completion: Any) -> str:
        usage = completion.get("usage") or {}
        text = completion["choices"][0]["message"].get("content") or ""
        self.tokens_read += _tokens(usage.get("prompt_tokens"))
        self.tokens_written += _tokens(usage.get("completion_tokens"))
        return str(text)


def _tokens(count: Any) -> int:
    """Return a count of tokens as a server gives it; 0 for something else."""
    try:
        return msgspec.convert(count, _Tokens)
    except ValueError:
        return 0


def main() -> None:
    """Grade the document on standard input."""
    parser = argparse.ArgumentParser(
        "python -m boilersweep.eval.assess.llm",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--model", required=True, help="its name on the server")
    for name, default, text in (
        (
            "--price-read",
            0.0,
            "price of a million tokens that the model reads, in any currency",
        ),
        ("--price-written", 0.0, "price of a million tokens that it writes"),
        ("--patience", 200.0, "seconds after which no further attempt starts"),
    ):
        help_text = f"{text} (default: {default:g})"
        parser.add_argument(
            name, type=float, default=default, metavar="N", help=help_text
        )
    try:
        grade, answer = _judge(parser.parse_args())
    except BoilersweepError as error:
        raise SystemExit(str(error)) from None
    line = f"{'?' if grade is None else grade} {answer}\n"
    sys.stdout.buffer.write(line.encode("utf-8", "replace"))


def grade_of(answer: str) -> int | None:
    """Return the grade in a model's answer, the last one it names; None without any."""
    grades = _GRADE.findall(answer)
    return int("".join(grades[-1])) if grades else None


def spending(folder: Path) -> str:
    """Describe what a model's answers cost, behind a comma; "" if the folder has none."""
    path = folder / ANSWERS
    if not path.is_file():
        return ""
    graded, unread = read_graded(path)
    read = sum(answer.tokens_read for answer in graded)
    written = sum(answer.tokens_written for answer in graded)
    cost = sum(answer.cost for answer in graded)
    lost = f" ({unread:,} lines of {path} cannot be read)" if unread else ""
    return f", {read:,} tokens read and {written:,} written, cost {cost:.4g}{lost}"


def read_graded(path: Path) -> tuple[list[GradedDocument], int]:
    """Read answers.jsonl, and count the lines that cannot be read, as a torn end after a kill."""
    graded: list[GradedDocument] = []
    lines = path.read_bytes().splitlines()
    for line in lines:
        with contextlib.suppress(ValueError):
            graded.append(decode_json(line, GradedDocument))
    return graded, len(lines) - len(graded)


def _judge(args: argparse.Namespace) -> tuple[int | None, str]:
    """Return the grade and the answer that has it; raise BoilersweepError."""
    address, key = (
        os.environ.get(f"OPENAI_{name}", "") for name in ("BASE_URL", "API_KEY")
    )
    if not address.startswith(("http://", "https://")):
        raise UsageError(
            "OPENAI_BASE_URL: expected the address of a server with OpenAI's interface, such as "
            f"http://localhost:8000/v1, got {address!r}"
        )
    document = decode_json(sys.stdin.buffer.read(), PoolDocument)
    folder = Path(os.environ.get(FOLDER_VARIABLE, "."))
    _keep_prompt(folder, args.model)
    server = ChatServer(
        address.rstrip("/"), key, args.model, monotonic() + args.patience
    )
    answers = _ask(server, document)
    read, written = server.tokens_read, server.tokens_written
    cost = (read * args.price_read + written * args.price_written) / 1e6
    graded = GradedDocument(
        document.topic, document.docid, answers, read, written, cost
    )
    path = folder / ANSWERS
    whole = path.read_bytes().rfind(b"\n") + 1 if path.exists() else 0
    append_line(path, msgspec.json.encode(graded), whole)
    return grade_of(answers[-1]), answers[-1]


def _keep_prompt(folder: Path, model: str) -> None:
    """Record model and prompt; raise UsageError if the assessor's earlier grades have others."""
    used = (
        f"model {model}, temperature 0, the first {_LONGEST_TEXT:,} characters of a document\n\n"
        f"{_PROMPT}\nAfter an answer without a grade:\n{_REMINDER}\n"
    )
    path = folder / "prompt.txt"
    if not path.exists():
        make_folder(folder)
        write_text(path, used)
    elif path.read_bytes() != used.encode():
        raise UsageError(
            f"{path}: earlier grades have another model or prompt; change `name`"
        )


def _ask(server: ChatServer, document: PoolDocument) -> list[str]:
    """Ask for a document's grade, and once more after an answer without one."""
    prompt = _PROMPT.format(
        query=document.query,
        description=document.description or "(not described)",
        title=document.title,
        text=document.text[:_LONGEST_TEXT],
    )
    messages = [{"role": "user", "content": prompt}]
    answers = [server.complete(messages)]
    if grade_of(answers[0]) is None:
        messages.append({"role": "assistant", "content": answers[0]})
        messages.append({"role": "user", "content": _REMINDER})
        answers.append(server.complete(messages))
    return answers


if __name__ == "__main__":
    main()
