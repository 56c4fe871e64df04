"""An assessor that asks a language model.

    boilersweep assess --assessor 'python -m boilersweep.eval.assess.llm --model M' --name M ...

It reads a document as JSON on standard input, asks a server with OpenAI's interface, whose address
is in OPENAI_BASE_URL and whose key, if it needs one, in OPENAI_API_KEY, and writes the grade. The
prompt and a line about every document are beside the judgements, in OUT/programs/NAME.

The prompt has the scale and the steps of UMBRELA (Upadhyay et al., 2024) in our own words.
"""

import argparse
import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from boilersweep.errors import BoilersweepError, UsageError
from boilersweep.eval.assess.chat import ChatServer, Completion
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.write_errors import make_folder, output_errors

# The environment variable in which `assess` names the folder for a program's own files.
FOLDER_VARIABLE = "BOILERSWEEP_ASSESSOR_FOLDER"

_ANSWERS = "answers.jsonl"
_PROMPT = Path(__file__).with_name("llm-prompt.txt")
_REMINDER = "Reply with one line and no other text, with a number from 0 to 3:\ngrade: NUMBER"
_LONGEST_TEXT = 20_000  # characters of a document
_HIGHEST_GRADE = 3
# "grade: 2", "**Final score:** 2", or an answer that is a number alone; no "grade: 2.5".
_GRADE = re.compile(
    r"\b(?:grade|score)\b\W{0,9}([0-3])(?![\d/]|\.\d)|\A\W*([0-3])\W*\Z", re.IGNORECASE
)


class GradedDocument(msgspec.Struct, frozen=True):
    """A line of answers.jsonl.

    Attributes:
        topic: The topic.
        docid: The document.
        grade: The grade; None for an answer without one.
        answers: What the model wrote; the second one after a reminder to write a grade.
        tokens_read: How many tokens the model read.
        tokens_written: How many it wrote.
        cost: By the prices of --price; 0 without them.
    """

    topic: str
    docid: str
    grade: int | None
    answers: list[str]
    tokens_read: int
    tokens_written: int
    cost: float


class Document(msgspec.Struct, frozen=True):
    """What `assess` writes to the program, without what the model does not see."""

    topic: str
    docid: str
    query: str
    description: str
    title: str
    text: str
    highest_grade: int


def grade_of(answer: str) -> int | None:
    """Return the grade in a model's answer, the last one it names; None without any."""
    found = _GRADE.findall(answer)
    return int("".join(found[-1])) if found else None


def ask(server: ChatServer, model: str, document: Document) -> list[Completion]:
    """Ask for a document's grade, and again after an answer without one.

    Raises:
        BoilersweepError: The server gives no answer.
    """
    prompt = _PROMPT.read_text("utf-8").format(
        query=document.query,
        description=document.description or "(not described)",
        title=document.title,
        text=document.text[:_LONGEST_TEXT],
    )
    messages = [{"role": "user", "content": prompt}]
    first = server.complete(model, messages)
    if grade_of(first.text) is not None:
        return [first]
    messages.append({"role": "assistant", "content": first.text})
    messages.append({"role": "user", "content": _REMINDER})
    return [first, server.complete(model, messages)]


def spending(folder: Path) -> str:
    """Describe what a model's answers cost, behind a comma; "" if the folder has none."""
    path = folder / _ANSWERS
    if not path.is_file():
        return ""
    graded = msgspec.json.Decoder(GradedDocument).decode_lines(path.read_bytes())
    read = sum(one.tokens_read for one in graded)
    written = sum(one.tokens_written for one in graded)
    cost = sum(one.cost for one in graded)
    return f", {read:,} tokens read and {written:,} written" + (
        f", cost {cost:.4g}" if cost else ""
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade the document on standard input; return the exit status."""
    args = _arguments(arguments)
    folder = os.environ.get(FOLDER_VARIABLE)
    try:
        server = _server(args)
        document = msgspec.json.decode(sys.stdin.buffer.read(), type=Document)
        if document.highest_grade != _HIGHEST_GRADE:
            raise UsageError(f"the prompt has grades to 3, not to {document.highest_grade}")
        if folder:
            _keep_prompt(Path(folder), args.model)
        graded = _graded(document, ask(server, args.model, document), args)
        if folder:
            _keep_answer(Path(folder), graded)
    except BoilersweepError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_status
    sys.stdout.write(f"{'?' if graded.grade is None else graded.grade} {graded.answers[-1]}\n")
    return 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m boilersweep.eval.assess.llm", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--model", required=True, help="its name on the server")
    for name, default, text in (
        ("--price-read", 0.0, "price of a million tokens that the model reads, in any currency"),
        ("--price-written", 0.0, "price of a million tokens that it writes"),
        ("--timeout", 60.0, "seconds that one request may take"),
        ("--patience", 200.0, "seconds after which no further attempt starts"),
    ):
        help_text = f"{text} (default: {default:g})"
        parser.add_argument(name, type=float, default=default, metavar="N", help=help_text)
    return parser.parse_args(arguments)


def _server(args: argparse.Namespace) -> ChatServer:
    """Return the server that the environment names; raise UsageError."""
    address = os.environ.get("OPENAI_BASE_URL", "").rstrip("/")
    if not address.startswith(("http://", "https://")):
        raise UsageError(
            "OPENAI_BASE_URL: expected the address of a server with OpenAI's interface, such as "
            f"http://localhost:8000/v1, got {address!r}"
        )
    key = os.environ.get("OPENAI_API_KEY", "")
    return ChatServer(address, key, args.timeout, time.monotonic() + args.patience)


def _graded(
    document: Document, completions: Sequence[Completion], args: argparse.Namespace
) -> GradedDocument:
    read = sum(completion.tokens[0] for completion in completions)
    written = sum(completion.tokens[1] for completion in completions)
    return GradedDocument(
        topic=document.topic,
        docid=document.docid,
        grade=grade_of(completions[-1].text),
        answers=[completion.text for completion in completions],
        tokens_read=read,
        tokens_written=written,
        cost=(read * args.price_read + written * args.price_written) / 1e6,
    )


def _keep_prompt(folder: Path, model: str) -> None:
    """Record model and prompt; raise UsageError if the assessor's earlier grades have others."""
    used = (
        f"model {model}, temperature 0, the first {_LONGEST_TEXT:,} characters of a document\n\n"
        f"{_PROMPT.read_text('utf-8')}\nAfter an answer without a grade:\n{_REMINDER}\n"
    )
    path = folder / "prompt.txt"
    if not path.exists():
        make_folder(folder)
        write_text(path, used)
    elif path.read_text("utf-8") != used:
        raise UsageError(f"{path}: earlier grades have another model or prompt; change --name")


def _keep_answer(folder: Path, graded: GradedDocument) -> None:
    path = folder / _ANSWERS
    with output_errors(path), path.open("ab") as file:
        file.write(msgspec.json.encode(graded) + b"\n")


if __name__ == "__main__":
    raise SystemExit(main())
