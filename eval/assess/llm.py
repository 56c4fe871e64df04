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
from pathlib import Path

import msgspec

from boilersweep.errors import BoilersweepError, UsageError
from boilersweep.eval.assess.chat import ChatServer
from boilersweep.eval.assess.pool_document import FOLDER_VARIABLE, PoolDocument
from boilersweep.outputs.atomic import make_folder, output_errors, write_text

_ANSWERS = "answers.jsonl"
_PROMPT = Path(__file__).with_name("llm-prompt.txt").read_text("utf-8")
_REMINDER = "Reply with one line and no other text, with a number from 0 to 3:\ngrade: NUMBER"
_LONGEST_TEXT = 20_000  # characters of a document
# "grade: 2", "**Final score:** 2", or an answer that is a number alone; no "grade: 2.5".
_GRADE = re.compile(
    r"\b(?:grade|score)\b\W{0,9}([0-3])(?![\d/]|\.\d)|\A\W*([0-3])\W*\Z", re.IGNORECASE
)


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
    tokens_read: int
    tokens_written: int
    cost: float


def main() -> None:
    """Grade the document on standard input."""
    parser = argparse.ArgumentParser(
        "python -m boilersweep.eval.assess.llm",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--model", required=True, help="its name on the server")
    for name, default, text in (
        ("--price-read", 0.0, "price of a million tokens that the model reads, in any currency"),
        ("--price-written", 0.0, "price of a million tokens that it writes"),
        ("--patience", 200.0, "seconds after which no further attempt starts"),
    ):
        help_text = f"{text} (default: {default:g})"
        parser.add_argument(name, type=float, default=default, metavar="N", help=help_text)
    try:
        grade, answer = _judge(parser.parse_args())
    except BoilersweepError as error:
        raise SystemExit(str(error)) from None
    sys.stdout.write(f"{'?' if grade is None else grade} {answer}\n")


def grade_of(answer: str) -> int | None:
    """Return the grade in a model's answer, the last one it names; None without any."""
    found = _GRADE.findall(answer)
    return int("".join(found[-1])) if found else None


def spending(folder: Path) -> str:
    """Describe what a model's answers cost, behind a comma; "" if the folder has none."""
    path = folder / _ANSWERS
    if not path.is_file():
        return ""
    graded = msgspec.json.Decoder(GradedDocument).decode_lines(path.read_bytes())
    read = sum(one.tokens_read for one in graded)
    written = sum(one.tokens_written for one in graded)
    cost = sum(one.cost for one in graded)
    return f", {read:,} tokens read and {written:,} written, cost {cost:.4g}"


def _judge(args: argparse.Namespace) -> tuple[int | None, str]:
    """Return the grade and the answer that has it; raise BoilersweepError."""
    address, key = (os.environ.get(f"OPENAI_{name}", "") for name in ("BASE_URL", "API_KEY"))
    if not address.startswith(("http://", "https://")):
        raise UsageError(
            "OPENAI_BASE_URL: expected the address of a server with OpenAI's interface, such as "
            f"http://localhost:8000/v1, got {address!r}"
        )
    document = msgspec.json.decode(sys.stdin.buffer.read(), type=PoolDocument)
    folder = Path(os.environ.get(FOLDER_VARIABLE, "."))
    _keep_prompt(folder, args.model)
    server = ChatServer(address.rstrip("/"), key, args.model, time.monotonic() + args.patience)
    answers = _ask(server, document)
    read, written = server.tokens_read, server.tokens_written
    cost = (read * args.price_read + written * args.price_written) / 1e6
    graded = GradedDocument(document.topic, document.docid, answers, read, written, cost)
    with output_errors(folder), (folder / _ANSWERS).open("ab") as file:
        file.write(msgspec.json.encode(graded) + b"\n")
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
    elif path.read_text("utf-8") != used:
        raise UsageError(f"{path}: earlier grades have another model or prompt; change --name")


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
