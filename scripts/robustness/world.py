"""A small world of inputs for every command: pages, topics, judgements, texts, a model, plug-ins.

pages/a.jsonl, b.jsonl.gz, c.jsonl   nine pages d0 to d8 in JSON lines
html/h0.html, ...                    six of them as a folder of HTML
judged/h0.html, h0.txt, ...          four of them with the text that people marked
strings/html, strings/snippets.jsonl  two others with strings that must stay or go
gold.jsonl                           a gold text of every page
topics.txt, qrels.txt                four TREC topics with all fields, and their judgements
dense.trec                           a run from elsewhere, where a row wants one
model.npz                            a model for learned('model.npz') that wants five words
code/plug.py, aid.py                 an extractor, plug:text, and a module that it imports
code/shouting.py                     an extractor of a distribution of its own, shouting
blogs/, blogs-topics.txt, blogs-qrels.txt    a made-up BLOGS06
"""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from boilersweep.cleaners.learned import features
from boilersweep.cleaners.learned.model import Model, Network, save_model

ANIMALS = ("pony", "zebra", "otter", "heron")
PAGES = 9
MODEL = "learned('model.npz')"
PLUG = "plug:text"

_PLUG = '''"""Takes the text of the paragraphs."""
from aid import paragraphs


def text(html):
    return " ".join(paragraphs(html)){more}
'''
_AID = '''"""Finds paragraphs."""
import re


def paragraphs(html):
    return re.findall(r"<p>(.*?)</p>", html){more}
'''
_SHOUTING = '''"""Takes the title, loudly."""
import re


def take(html):
    return " ".join(re.findall(r"<title>(.*?)</title>", html)).upper(){more}
'''


def page(number: int) -> str:
    """A page on one of the animals, with a menu, inline tags, and blocks of several lengths."""
    about = ANIMALS[number % len(ANIMALS)]
    menu = "".join(
        f"<li><a href='{animal}.html'>{animal} {animal}</a></li>"
        for animal in ANIMALS
        if animal != about
    )
    long = f"the {about} stood there, and thought of nothing but {number} apples " * (
        1 + number % 3
    )
    return (
        f"<html><head><title>Of the {about} {number}</title></head><body><ul>{menu}</ul>"
        f"<p>The {about} {'runs' if number % 2 else 'running'}</p>"
        f"<p>generously, <b>ponies</b> and the {about} were fed</p>"
        f"<p>{long}for a long time</p><div>the heron is in general late</div></body></html>"
    )


def gold_of(number: int) -> str:
    """What people would take from the page."""
    about = ANIMALS[number % len(ANIMALS)]
    return f"generously, ponies and the {about} were fed; the {about} thought of {number} apples"


def json_lines(texts: Mapping[str, str]) -> str:
    """docid -> contents as lines of JSON."""
    return "".join(json.dumps({"id": i, "contents": text}) + "\n" for i, text in texts.items())


def write_world(folder: Path) -> None:
    """Write all inputs into a folder that does not exist yet."""
    pages = {f"d{number}": page(number) for number in range(PAGES)}
    names = list(pages)
    (folder / "pages").mkdir(parents=True)
    parts = {"a.jsonl": names[:4], "b.jsonl.gz": names[4:7], "c.jsonl": names[7:]}
    for file, docids in parts.items():
        text = json_lines({docid: pages[docid] for docid in docids}).encode()
        body = gzip.compress(text, mtime=0) if file.endswith(".gz") else text
        (folder / "pages" / file).write_bytes(body)
    for name in ("html", "judged"):
        (folder / name).mkdir()
    for number in range(6):
        (folder / "html" / f"h{number}.html").write_text(page(number))
    for number in range(4):
        (folder / "judged" / f"h{number}.html").write_text(page(number))
        (folder / "judged" / f"h{number}.txt").write_text(gold_of(number))
    write_strings(folder)
    write_gold(folder)
    write_topics(folder, dict(enumerate(ANIMALS, start=1)))
    write_qrels(folder, {number: number - 1 for number in range(1, 5)})
    write_model(folder, words=5)
    (folder / "code").mkdir()
    write_plug(folder, more="")
    write_aid(folder, more="")
    write_shouting(folder, more="", version="1.0")
    _write_blogs(folder)


def write_strings(folder: Path, *, wanted: str = "stood there") -> None:
    """Write pages with strings. wanted: what must stay of each."""
    home = folder / "strings"
    (home / "html").mkdir(parents=True, exist_ok=True)
    lines = []
    for number in (4, 5):
        (home / "html" / f"h{number}.html").write_text(page(number))
        lines.append({"name": f"h{number}", "with": [wanted], "without": ["heron heron"]})
    (home / "snippets.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def write_gold(folder: Path, *, first: str = "") -> None:
    """Write the gold texts. first: in front of that of d0."""
    texts = {f"d{number}": gold_of(number) for number in range(PAGES)}
    texts["d0"] = first + texts["d0"]
    (folder / "gold.jsonl").write_text(json_lines(texts))


def write_topics(folder: Path, titles: Mapping[int, str]) -> None:
    """Write topics: number -> title."""
    (folder / "topics.txt").write_text(
        "".join(
            f"<top>\n<num> Number: {number}\n<title> {title} apples\n<desc> Description:\n"
            f"Where is the {title} in general?\n<narr> Narrative:\nponies are relevant\n</top>\n"
            for number, title in titles.items()
        )
    )


def write_qrels(folder: Path, relevant: Mapping[int, int], name: str = "qrels.txt") -> None:
    """Write judgements of all pages: topic -> the remainder by four of relevant pages' numbers."""
    (folder / name).write_text(
        "".join(
            f"{topic} 0 d{number} {int(number % len(ANIMALS) == remainder)}\n"
            for topic, remainder in relevant.items()
            for number in range(PAGES)
        )
    )


def write_run(folder: Path, *, first: int = 0) -> None:
    """Write a run from elsewhere, which has every page for every topic. first: the best page."""
    (folder / "dense.trec").write_text(
        "".join(
            f"{topic} Q0 d{(number + first) % PAGES} {number + 1} {-number} dense\n"
            for topic in range(1, 5)
            for number in range(PAGES)
        )
    )


def write_model(folder: Path, *, words: int) -> None:
    """Write a model that keeps paragraphs of at least so many words."""
    network = Network(
        mean=np.array([np.log(words + 0.5) / 4], dtype=np.float32),
        scale=np.array([1], dtype=np.float32),
        weights=(np.array([[100]], dtype=np.float32),),
        biases=(np.array([0], dtype=np.float32),),
    )
    place = np.array([features.names().index("words")], dtype=np.int32)
    model = Model("paragraphs", features.VERSION, place, network, "fixed", {})
    save_model(model, folder / "model.npz")


def write_plug(folder: Path, *, more: str) -> None:
    """Write the plug-in. more: Python that is added to what it returns."""
    (folder / "code" / "plug.py").write_text(_PLUG.format(more=more))


def write_aid(folder: Path, *, more: str) -> None:
    """Write the module that the plug-in imports. more: Python that is added to what it returns."""
    (folder / "code" / "aid.py").write_text(_AID.format(more=more))


def write_shouting(folder: Path, *, more: str, version: str) -> None:
    """Write a distribution with an extractor as an entry point."""
    code = folder / "code"
    (code / "shouting.py").write_text(_SHOUTING.format(more=more))
    for old in code.glob("shouting-*.dist-info/*"):
        old.unlink()
    for old in code.glob("shouting-*.dist-info"):
        old.rmdir()
    info = code / f"shouting-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: shouting\nVersion: {version}\n")
    (info / "RECORD").write_text(f"shouting.py,,\n{info.name}/METADATA,,\n{info.name}/RECORD,,\n")
    (info / "entry_points.txt").write_text("[boilersweep.extractors]\nshouting = shouting:take\n")


def write_blogs(folder: Path, *, subject: str = "subject") -> None:
    """Write twenty permalinks of BLOGS06. subject: the word they are about."""
    day = folder / "blogs" / "20051206"
    day.mkdir(parents=True, exist_ok=True)
    pages = "".join(
        f"<DOC>\n<DOCNO>BLOG06-20051206-000-{number:010d}</DOCNO>\n<DATE_XML></DATE_XML>\n"
        f"<FEEDNO>BLOG06-feed-0</FEEDNO>\n<PERMALINK>http://b.example/{number}</PERMALINK>\n"
        f"<DOCHDR>\nhttp://b.example/{number} 0.0.0.0 2005 100\nHTTP/1.1 200 OK\n</DOCHDR>\n"
        f"<html><body><li>subject{number + 1}</li><p>{f'{subject}{number} of this post ' * 8}</p>"
        "</body></html>\n</DOC>\n"
        for number in range(20)
    )
    (day / "permalinks-000.gz").write_bytes(gzip.compress(pages.encode(), mtime=0))


def write_blogs_topics(folder: Path, *, title: str = "subject") -> None:
    """Write topics 851 to 900. title: the word they ask for."""
    (folder / "blogs-topics.txt").write_text(
        "".join(
            f"<top>\n<num> Number: {851 + n}\n<title> {title}{n % 20}\n<desc> Description:\nx\n"
            "<narr> Narrative:\ny\n</top>\n"
            for n in range(50)
        )
    )


def write_blogs_qrels(folder: Path, *, grade: int = 4) -> None:
    """Write a judgement for each of the topics 851 to 900."""
    (folder / "blogs-qrels.txt").write_text(
        "".join(f"{851 + n} 0 BLOG06-20051206-000-{n % 20:010d} {grade}\n" for n in range(50))
    )


def _write_blogs(folder: Path) -> None:
    write_blogs(folder)
    write_blogs_topics(folder)
    write_blogs_qrels(folder)
