"""Reads everything that anybody can nest deeply, below a running Java, and prints what came of it.

python deep.py HOST FOLDER: HOST is `ours`, or `host` for a Java that another program started.
"""

import json
import os
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import boilersweep
from boilersweep import BoilersweepError
from boilersweep.collection import index_lines
from boilersweep.collection.format import Skipped, SourceLocation
from boilersweep.collection.jsonl import parse_line
from boilersweep.eval.assess.llm import ChatServer, grade_of
from boilersweep.eval.assess.output import LOG
from boilersweep.eval.people.log import AssessorLog
from boilersweep.eval.stats.scoring import parse_measures
from boilersweep.eval.study.study_json import read_study
from boilersweep.indexer import start_jvm
from boilersweep.indexer.jvm import find_java
from boilersweep.segmenting.texts import read_texts
from boilersweep.topics import read_qrels, read_query_log, read_topics

DEEP = "[" * 100_000
# Objects that a parser skips, as their key is unknown; closed, and with spaces within.
SKIPPED = '{"u": ' * 100_000 + "1" + "}" * 100_000


def page(nested: str) -> object:
    """Return the title and text of a page with JSON-LD."""
    script = f'<script type="application/ld+json">{nested}</script>'
    read = boilersweep.page(f"<title>t</title>{script}<p>one two three four")
    return read.title, read.text


def elements() -> object:
    """Clean a page of 40,000 elements, each within the one before."""
    html = "<div><ul><li><b>" * 10_000 + "one two three"
    return [
        boilersweep.clean(html, keep, format=form)
        for keep in ("words>=1", "learned", "bte")
        for form in ("text", "markdown")
    ]


def others() -> object:
    """Do what recurses in C beside parsers of ours: only our Java leaves it the whole stack."""
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    del nested  # frees one list within another
    linked = f'<script type="application/ld+json">{DEEP}</script>'
    return boilersweep.clean(f"{linked}<p>one two three four", "trafilatura")


def line(nested: str) -> object:
    """Return why a line of a collection is skipped."""
    [read] = parse_line(nested.encode(), SourceLocation("pages.jsonl", 0))
    return str(read.reason) if isinstance(read, Skipped) else read


def answer(nested: str) -> object:
    """Ask a model that answers with JSON."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(nested.encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        return ChatServer(address, "", "model", give_up=0).complete([])


def in_file(
    name: str, read: Callable[[Path], object], before: str = ""
) -> Callable[[str], object]:
    """Return a function that reads a file with something nested in it."""

    def reading(nested: str) -> object:
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(before + nested + "\n", encoding="utf-8")
        return read(path)

    return reading


NESTED: dict[str, Callable[[str], object]] = {
    "page": page,
    "line": line,
    "manifest": in_file(
        "store/manifest.json", lambda path: boilersweep.open_store(path.parent)
    ),
    "qrels": in_file("qrels.txt", read_qrels, "1 0 a 1\n"),
    "topics": in_file("topics.jsonl", read_topics),
    "query log": in_file("log.jsonl", read_query_log, '{"query": "bread"}\n'),
    "texts": in_file("texts.jsonl", read_texts),
    "index line": in_file(
        "lines.cdxj",
        lambda path: [*index_lines.read_index([path]).failures.values()],
        "org,a) 1 ",
    ),
    "study": in_file("study.json", read_study),
    "judgements": in_file("log/me.jsonl", lambda path: AssessorLog(path, LOG)),
    "model's answer": answer,
    "model's text": grade_of,
    "measure": lambda nested: parse_measures([nested]),
}


def outcome(read: Callable[[], object]) -> str:
    """Return what reading gives, or the kind and message of the project's error."""
    try:
        return repr(read())[:300]
    except BoilersweepError as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    """Start Java, read everything in this thread and in one of Java's, and print the outcomes."""
    os.chdir(sys.argv[2])
    if sys.argv[1] == "ours":
        start_jvm()
    else:
        os.environ["JAVA_HOME"] = str(find_java().home)
    from jnius import autoclass, detach

    def read_all() -> dict[str, str]:
        autoclass("java.lang.System").currentTimeMillis()
        found = {
            f"{name} {form}": outcome(lambda read=read, nested=nested: read(nested))  # type: ignore[misc]
            for name, read in NESTED.items()
            for form, nested in (("deep", DEEP), ("skipped", SKIPPED))
        }
        found["elements"] = outcome(elements)
        return found | {"others": outcome(others) if sys.argv[1] == "ours" else ""}

    found = read_all()
    elsewhere: dict[str, str] = {}

    def in_thread() -> None:
        elsewhere.update(read_all())
        detach()

    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    sys.stdout.write(json.dumps([found, elsewhere]))


if __name__ == "__main__":
    main()
