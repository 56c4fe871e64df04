"""Feed mutated files to every reader; each must read, skip with a report, or reject properly."""

import argparse
import faulthandler
import gzip
import io
import json
import signal
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType

import brotli
import numpy as np
from tabulate import tabulate

from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.cleaners.syntax.variants import parse_sweep
from boilersweep.collection.clef_ehealth import CLEF_EHEALTH
from boilersweep.collection.format import Format, Item, Reading, Record, Skipped
from boilersweep.collection.formats import named_format
from boilersweep.collection.jsonl import JSONL
from boilersweep.collection.trec_web import TREC_WEB
from boilersweep.collection.warc import WARC
from boilersweep.demo.collection import write_demo
from boilersweep.errors import BoilersweepError
from boilersweep.eval.ranking.runs import read_run
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.limits import Limits, over_limit
from boilersweep.pages.segmenter import Segmenter
from boilersweep.topics import read_qrels, read_topics

HELP = "feed mutated files to every reader"

_LONGEST_SEED = 8000
_MUTATIONS = 6
_SEGMENTER = Segmenter()

_CHARSETS = (
    None,
    "utf-8",
    "utf-16le",
    "euc-kr",
    "gb18030",
    "shift_jis",
    "koi8-r",
    "no-such",
)
_BYTES = (
    b"\0",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\x1f\x8b\x08",
    b"\xed\xa0\x80",
    b"\xc0",
    b"\n",
    b"\r",
    b"\r\n",
    b"\t",
    b" ",
    b"\x0b",
    b"\x1a",
    b"\xc2\xa0",
    b"\xe2\x80\xa8",
    b"0",
    b"-1",
    b"9" * 30,
    b"1e999",
    b"NaN",
    b"x" * 5000,
    b"\xf0\x9f\x98\x80",
    b"\xef\xb7\x90",
)
_MARKUP = (
    b"<",
    b">",
    b"</",
    b"/>",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"<?xml ",
    b"<!DOCTYPE x [",
    b"&",
    b"&#x110000;",
    b"&#" + b"9" * 5000 + b";",
    b"&amp",
    b"<a ",
    b"<a>",
    b"</a>",
    b"<p>",
    b"<script>",
    b"<style>",
    b"<title>",
    b"<textarea>",
    b"<plaintext>",
    b"<svg>",
    b"<frameset>",
    b"<meta charset=",
    b"<table>",
    b"<tr>",
    b"<body>",
    b"</html>",
    b"<b>" * 300,
    b"<x y=1 " * 99,
)
_TREC = (
    b"<DOC>",
    b"\n<DOC>\n",
    b"</DOC>",
    b"\n</DOC>\n",
    b"<DOCNO>",
    b"</DOCNO>",
    b"<DOCHDR>",
    b"</DOCHDR>",
    b"<DATE_XML>",
    b"HTTP/1.1 404 x\n",
    b"Content-Type: text/plain\n",
)
_CLEF = (
    b"#UID:",
    b"\n#UID:x\n#DATE:1\n",
    b"#EOR",
    b"\n#EOR\n",
    b"#URL:",
    b"\n#CONTENT:\n",
)
_WARC = (
    b"WARC/1.0\r\n",
    b"WARC/1.0\nA: b\n",
    b"\r\n\r\n",
    b"Content-Length: ",
    b"HTTP/1.1 200\r\n",
    b"WARC-Type: response\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Content-Encoding: gzip\r\n",
    b"ffffffff\r\n",
    b"Content-Encoding: br, deflate, gzip\r\n",
    b"0\r\n\r\n",
)
_JSON = (
    b"{",
    b"}",
    b"[" * 500,
    b'"',
    b'"id":',
    b'"contents":',
    b"\\ud800",
    b"null",
    b"1e400",
)
_TOPICS = (
    b"<top>",
    b"</top>",
    b"<num>",
    b"<title>",
    b"<desc>",
    b"<narr>",
    b"Number: 1",
    b"<!--",
)
_RULES = (
    b"words",
    b"density",
    b">=",
    b"&",
    b"|",
    b"!",
    b"(",
    b")",
    b"==",
    b"1.5",
    b":",
    b",",
)


class UnaccountedError(Exception):
    """A record that neither came out nor was reported."""


@dataclass(frozen=True, slots=True)
class Reader:
    """What is fuzzed.

    Attributes:
        seeds: inputs to mutate.
        words: to put in.
        read: raises for a failure.
    """

    name: str
    seeds: Sequence[bytes]
    words: Sequence[bytes]
    read: Callable[[bytes, np.random.Generator], str]


def mutated(
    data: bytes,
    words: Sequence[bytes],
    others: Sequence[bytes],
    chance: np.random.Generator,
) -> bytes:
    """Return the input with some random changes."""
    found = bytearray(data)
    for _ in range(min(_MUTATIONS, int(chance.geometric(0.4)))):
        start, stop = sorted(int(n) for n in chance.integers(0, len(found) + 1, 2))
        stop = min(stop, start + int(chance.integers(1, 400)))
        kind = int(chance.integers(8))
        if kind == 0 and found:
            found[min(start, len(found) - 1)] ^= 1 << int(chance.integers(8))
        elif kind == 1:
            del found[start:stop]
        elif kind == 2:
            found[start:start] = found[start:stop] * int(chance.integers(1, 5))
        elif kind == 3:
            found[start:stop] = chance.bytes(stop - start)
        elif kind == 4:
            other = others[int(chance.integers(len(others)))]
            begin = int(chance.integers(len(other) + 1))
            found[start:start] = other[begin : begin + 2000]
        elif kind == 5 and chance.random() < 0.2:
            del found[start:]
        else:
            word = words[int(chance.integers(len(words)))]
            found[start : start if kind == 6 else stop] = word
    return bytes(found)


def cut(body: bytes, charset: str | None, *, plain: bool = False) -> None:
    """Decode and cut a page as segmenting does, and see that its columns are as long as another."""
    if over_limit(body, Limits()):
        return
    try:
        utf8 = to_utf8(body, charset).utf8
        page = (_SEGMENTER.plain if plain else _SEGMENTER.html)(utf8)
    except ValueError:  # counted as unparsable
        return
    lengths = {
        len(c)
        for c in (page.texts, page.words, page.density, page.link_words, page.tags)
    }
    if len(lengths) != 1 or not all(page.words) or not all(page.texts):
        raise UnaccountedError(f"columns of lengths {lengths}")
    "\n".join((page.title, *page.texts)).encode()


def read_page(data: bytes, chance: np.random.Generator) -> str:
    """Return an HTML page with some label."""
    cut(data, _CHARSETS[int(chance.integers(len(_CHARSETS)))])
    return "read"


def read_collection(
    form: Format,
    good: Callable[[str], bytes],
    strict: bool,
    data: bytes,
    chance: np.random.Generator,
) -> str:
    """Return a file of a collection.

    Args:
        form: the reader.
        good: makes a good record of a docid.
        strict: the last good record may not be lost whatever precedes it.
        data: the mutated bytes.
        chance: random numbers.
    """
    whole = good("record-first") + data + good("record-last")
    packed = chance.random() < 0.2
    if packed:
        whole = gzip.compress(good("record-first"), 1) + _damaged(
            gzip.compress(data, 1), chance
        )
        whole += gzip.compress(good("record-last"), 1)
    items = list(form.read(io.BytesIO(whole), "file"))
    records = [item for item in items if isinstance(item, Record)]
    for item in records:
        if not item.docid or not item.body:
            raise UnaccountedError(f"a record without docid or body at {item.place}")
        cut(item.body, item.charset, plain=item.plain)
    _account(items, good("record-last"), strict=strict and not packed)
    return "something skipped" if len(records) < len(items) else "all read"


def _damaged(packed: bytes, chance: np.random.Generator) -> bytes:
    return (
        mutated(packed, _BYTES, [packed], chance) if chance.random() < 0.8 else packed
    )


def _account(items: Sequence[Item], last: bytes, *, strict: bool) -> None:
    if (
        not items
        or not isinstance(items[0], Record)
        or b"page record-first" not in items[0].body
    ):
        raise UnaccountedError("the first record, which is good, did not come out")
    there = [
        item
        for item in items
        if isinstance(item, Record) and b"record-last" in item.body
    ]
    if any(len(item.body) <= len(last) for item in there):
        return
    if strict or not (there or any(isinstance(item, Skipped) for item in items)):
        raise UnaccountedError("the last record, which is good, did not come out")


def read_file(
    read: Callable[[Path], object], path: Path, data: bytes, chance: np.random.Generator
) -> str:
    """Topics, qrels or a run, plain or gzip."""
    path.write_bytes(
        _damaged(gzip.compress(data, 1), chance) if chance.random() < 0.1 else data
    )
    try:
        read(path)
    except BoilersweepError:
        return "refused"
    return "read"


def read_text(
    parse: Callable[[str], object], data: bytes, _chance: np.random.Generator
) -> str:
    """Return a rule or a sweep; what is read must be read again from what it says it is."""
    try:
        parsed = parse(data.decode("utf-8", "surrogateescape"))
    except BoilersweepError:
        return "refused"
    if parse(str(parsed)) != parsed:
        raise UnaccountedError(f"{parsed} is not read as itself")
    return "read"


def trec_record(docid: str, page: bytes = b"") -> bytes:
    page = page or f"<p>page {docid}".encode()
    return (
        f"\n<DOC>\n<DOCNO>{docid}</DOCNO>\n<DOCHDR>\nhttp://x.example/\nHTTP/1.1 200 OK\n"
        "Content-Type: text/html\n</DOCHDR>\n"
    ).encode() + b"%s\n</DOC>\n" % page


def clef_record(docid: str, page: bytes = b"") -> bytes:
    page = page or f"<p>page {docid}".encode()
    head = f"\n#UID:{docid}\n#DATE:2012-04-06\n#URL:http://x.example/\n#CONTENT:\n"
    return head.encode() + page + b"\n#EOR\n"


def warc_record(docid: str, page: bytes = b"", head: str = "") -> bytes:
    page = page or f"<p>page {docid}".encode()
    content = (
        f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{head}\r\n".encode() + page
    )
    return (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-TREC-ID: {docid}\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    ).encode() + b"%s\r\n\r\n" % content


def json_record(docid: str, page: bytes = b"") -> bytes:
    text = page.decode("latin-1") or f"<p>page {docid}"
    return b"\n" + json.dumps({"id": docid, "contents": text}).encode() + b"\n"


def _warc_seeds(pages: Sequence[bytes]) -> list[bytes]:
    """Return WARC files with plain, chunked and compressed pages."""
    coded = [
        warc_record(
            "c",
            b"%x\r\n%s\r\n0\r\n\r\n" % (500, pages[1][:500]),
            "Transfer-Encoding: chunked\r\n",
        ),
        warc_record("d", gzip.compress(pages[2]), "Content-Encoding: gzip\r\n"),
        warc_record("e", zlib.compress(pages[3]), "Content-Encoding: deflate\r\n"),
        warc_record("f", brotli.compress(pages[4]), "Content-Encoding: br\r\n"),
    ]
    return [
        warc_record("a", pages[0]) + warc_record("b", pages[1]),
        *coded,
        b"".join(coded),
    ]


_OTHER_TOPICS = [
    b"851\tmarch of the penguins\n852\tlarry summers\n",
    b'qid,query\n851,"march, of the penguins"\n852,larry summers\n',
    b'{"id": "851", "title": "a"}\n{"qid": 852, "query": "b", "desc": "c"}\n',
    b'<topics>\n<topic number="1">\n<query>a &amp; b</query>\n</topic>\n</topics>\n',
]
_OTHER_QRELS = [
    b"1 0 a 1\n1 0 b -1\r\n2\t0\tc\t2\n",
    b"query-id\tcorpus-id\tscore\n1\ta\t1\n",
    b"qid,docid,grade\n1,a,1\n2,b,0\n",
]
_SOME_RULES = [
    b"words>=11",
    b"density>=10.5 & link_density<=0.33",
    b"!(words<3 | link_words==0)",
]
_SOME_SWEEPS = [b"words=1:100", b"words=1:100:5", b"density=1,5,10.5"]


def _page_seeds(files: Sequence[bytes]) -> list[bytes]:
    return [
        item.body[:_LONGEST_SEED]
        for data in files
        for item in TREC_WEB.read(io.BytesIO(data), "file")
        if isinstance(item, Record)
    ]


def _trec_seeds(files: Sequence[bytes]) -> list[bytes]:
    return [
        b"<DOC>" + part[:_LONGEST_SEED]
        for data in files
        for part in data.split(b"<DOC>")[1:]
    ]


def readers(folder: Path) -> list[Reader]:
    """Return the readers, with seeds from a small made-up collection."""
    demo = write_demo(folder / "demo", pages=30)
    files = sorted(demo.trec.rglob("permalinks-*"))
    opened = [gzip.decompress(path.read_bytes()) for path in files]
    pages = _page_seeds(opened)
    trec = _trec_seeds(opened)
    trec += [trec_record("a", b"<DOC>\n" + pages[0]) + trec_record("b")]
    warc = _warc_seeds(pages)
    lines = [json_record(str(number), page) for number, page in enumerate(pages)]
    topics = [demo.topics.read_bytes()[:3000], *_OTHER_TOPICS]
    qrels = [demo.qrels.read_bytes()[:2000], *_OTHER_QRELS]
    run = b"".join(b"851 Q0 d%d %d %f tag\n" % (n, n, 9.0 - n) for n in range(1, 9))
    file = folder / "file"
    html_words = (*_BYTES, *_MARKUP)
    plain = named_format("jsonl", Reading(plain=True))
    return [
        Reader(
            "trec web",
            trec,
            (*html_words, *_TREC),
            partial(read_collection, TREC_WEB, trec_record, True),
        ),
        Reader(
            "clef ehealth",
            [clef_record("a", page) + clef_record("b") for page in pages],
            (*html_words, *_CLEF),
            partial(read_collection, CLEF_EHEALTH, clef_record, True),
        ),
        Reader(
            "warc",
            warc,
            (*html_words, *_WARC),
            partial(read_collection, WARC, warc_record, False),
        ),
        Reader(
            "jsonl",
            lines,
            (*_BYTES, *_JSON),
            partial(read_collection, JSONL, json_record, True),
        ),
        Reader(
            "jsonl, text",
            lines,
            (*_BYTES, *_JSON),
            partial(read_collection, plain, json_record, True),
        ),
        Reader("html", pages, html_words, read_page),
        Reader(
            "topics",
            topics,
            (*html_words, *_TOPICS, *_JSON),
            partial(read_file, read_topics, file),
        ),
        Reader("qrels", qrels, _BYTES, partial(read_file, read_qrels, file)),
        Reader("run", [run], _BYTES, partial(read_file, read_run, file)),
        Reader(
            "keep rule", _SOME_RULES, (*_BYTES, *_RULES), partial(read_text, parse_rule)
        ),
        Reader(
            "sweep", _SOME_SWEEPS, (*_BYTES, *_RULES), partial(read_text, parse_sweep)
        ),
    ]


SECONDS = 5.0
_HOPELESS = 60
_SHOWN = 10


class TooSlowError(Exception):
    """An input took more than SECONDS."""


def attempt(
    reader: Reader, data: bytes, chance: np.random.Generator
) -> tuple[str, str]:
    """Read an input with a time limit; return the outcome and the fault, if any."""
    started = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    faulthandler.dump_traceback_later(_HOPELESS, exit=True)
    try:
        outcome = reader.read(data, chance)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return "failed", f"{type(error).__name__}: {error}"[:300]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
    seconds = time.monotonic() - started
    return (outcome, "") if seconds <= SECONDS else ("failed", f"took {seconds:.0f} s")


def _too_slow(_number: int, _frame: FrameType | None) -> None:
    raise TooSlowError(f"more than {SECONDS:.0f} s")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this part."""
    parser.add_argument("--inputs", type=int, required=True, metavar="N", help="in all")
    parser.add_argument(
        "--seed", type=int, default=2010, metavar="S", help="(default: 2010)"
    )
    parser.add_argument(
        "--only", metavar="READER", help="one of the names in the table"
    )


def run(options: argparse.Namespace) -> int:
    """Feed the inputs to the readers; return the exit status."""
    signal.signal(signal.SIGALRM, _too_slow)
    saved = Path(tempfile.mkdtemp(prefix="fuzz-"))
    outcomes: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        chosen = [r for r in readers(Path(folder)) if options.only in (None, r.name)]
        for number in range(options.inputs):
            reader = chosen[number % len(chosen)]
            chance = np.random.default_rng([options.seed, number])
            seed = reader.seeds[int(chance.integers(len(reader.seeds)))]
            data = mutated(seed, reader.words, reader.seeds, chance)
            outcome, fault = attempt(reader, data, chance)
            outcomes[reader.name, outcome] += 1
            if fault:
                path = saved / f"{reader.name.replace(' ', '-')}-{number}"
                path.write_bytes(data)
                if outcomes[reader.name, outcome] <= _SHOWN:
                    print(
                        f"{reader.name}: {fault}\n    seed {options.seed}, {path}",
                        flush=True,
                    )
    failed = sum(
        count for (_, outcome), count in outcomes.items() if outcome == "failed"
    )
    rows = [
        (
            reader.name,
            sum(count for (name, _), count in outcomes.items() if name == reader.name),
            outcomes[reader.name, "failed"],
            ", ".join(
                f"{count:,} {outcome}"
                for (name, outcome), count in sorted(outcomes.items())
                if name == reader.name and outcome != "failed"
            ),
        )
        for reader in chosen
    ]
    print(tabulate(rows, ("reader", "inputs", "failed", "the others"), intfmt=","))
    print(f"{outcomes.total():,} inputs, {failed:,} failures")
    if not failed:
        saved.rmdir()
    return 1 if failed else 0
