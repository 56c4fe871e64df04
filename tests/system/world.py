"""A small world of inputs for every command."""

import gzip
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from boilersweep.cleaners.learned.features import NAMES, PARAGRAPHS, VERSION
from boilersweep.cleaners.learned.model import Model, Network, save_model

ANIMALS = ("pony", "zebra", "otter", "heron")
PAGES = 9

PLUGIN = '''"""An extractor that takes the text of the paragraphs."""
from aid import paragraphs


def text(html):
    return " ".join(paragraphs(html))
'''
HELPER = '''"""Finds paragraphs."""
import re


def paragraphs(html):
    return re.findall(r"<p>(.*?)</p>", html)
'''
SHOUTING = '''"""An extractor that takes the title in capitals."""
import re


def take(html):
    return " ".join(re.findall(r"<title>(.*?)</title>", html)).upper()
'''
PLUGIN_MODULES = ("plug", "aid", "shouting", "zipped")


def page(number: int) -> str:
    """Return a page on one of the animals, with a menu, inline tags and blocks of many lengths."""
    animal = ANIMALS[number % len(ANIMALS)]
    menu = "".join(
        f"<li><a href='{other}.html'>{other} {other}</a></li>"
        for other in ANIMALS
        if other != animal
    )
    sentence = f"the {animal} stood there, and thought of nothing but {number} apples "
    return (
        f"<html><head><title>Of the {animal} {number}</title></head><body><ul>{menu}</ul>"
        f"<p>The {animal} {'runs' if number % 2 else 'running'}</p>"
        f"<p>generously, <b>ponies</b> and the {animal} were fed</p>"
        f"<p>{sentence * (1 + number % 3)}for a long time</p>"
        "<div>the heron is in general late</div></body></html>"
    )


def gold_text(number: int) -> str:
    animal = ANIMALS[number % len(ANIMALS)]
    return f"generously, ponies and the {animal} were fed; the {animal} thought of {number} apples"


def json_lines(texts: Mapping[str, str]) -> str:
    return "".join(
        json.dumps({"id": docid, "contents": text}) + "\n"
        for docid, text in texts.items()
    )


def write_world(folder: Path) -> None:
    """Write all inputs.

    - pages/: nine pages, d0 to d8, as JSON lines, one file of them gzipped
    - html/: six of them as HTML files
    - judged/: four of them with gold texts
    - strings/: two others with strings that a cleaner must keep or drop
    - gold.jsonl: a gold text of every page
    - topics.txt, qrels.txt: four TREC topics, and judgements of all pages
    - model.npz: a model for learned('model.npz')
    - code/: the extractor plug:text with a module that it imports, the distribution shouting, and
      plug-ins.zip with the extractor zipped:text
    - blogs/, blogs-topics.txt, blogs-qrels.txt: a made-up BLOGS06

    Args:
        folder: does not exist yet.
    """
    for name in (
        "pages",
        "html",
        "judged",
        "strings/html",
        "code/shouting-1.0.dist-info",
    ):
        (folder / name).mkdir(parents=True)
    pages = {f"d{number}": page(number) for number in range(PAGES)}
    docids = list(pages)
    for name, names in (
        ("a.jsonl", docids[:4]),
        ("b.jsonl", docids[4:7]),
        ("c.jsonl", docids[7:]),
    ):
        text = json_lines({docid: pages[docid] for docid in names})
        (folder / "pages" / name).write_text(text)
    plain = folder / "pages" / "b.jsonl"
    plain.with_suffix(".jsonl.gz").write_bytes(
        gzip.compress(plain.read_bytes(), mtime=0)
    )
    plain.unlink()
    for number in range(6):
        (folder / "html" / f"h{number}.html").write_text(page(number))
    for number in range(4):
        (folder / "judged" / f"h{number}.html").write_text(page(number))
        (folder / "judged" / f"h{number}.txt").write_text(gold_text(number))
    strings = {"with": ["stood there"], "without": ["heron heron"]}
    with (folder / "strings" / "snippets.jsonl").open("w") as file:
        for number in (4, 5):
            (folder / "strings" / "html" / f"h{number}.html").write_text(page(number))
            file.write(json.dumps({"name": f"h{number}", **strings}) + "\n")
    gold = {f"d{number}": gold_text(number) for number in range(PAGES)}
    (folder / "gold.jsonl").write_text(json_lines(gold))
    write_topics(folder, ANIMALS)
    write_qrels(folder, ANIMALS)
    write_model(folder / "model.npz", words=5)
    _write_plugins(folder / "code")
    write_blogs(folder)


def write_topics(folder: Path, titles: tuple[str, ...]) -> None:
    (folder / "topics.txt").write_text(
        "".join(
            f"<top>\n<num> Number: {number}\n<title> {title} apples\n<desc> Description:\n"
            f"Where is the {title} in general?\n<narr> Narrative:\nponies are relevant\n</top>\n"
            for number, title in enumerate(titles, start=1)
        )
    )


def write_qrels(folder: Path, titles: tuple[str, ...]) -> None:
    """Write judgements of all pages: those on a topic's animal are relevant."""
    (folder / "qrels.txt").write_text(
        "".join(
            f"{topic} 0 d{number} {int(ANIMALS[number % len(ANIMALS)] == title)}\n"
            for topic, title in enumerate(titles, start=1)
            for number in range(PAGES)
        )
    )


def write_run(folder: Path, first: int) -> None:
    """Write a run from elsewhere, dense.trec, with page number `first` at rank 1 of each topic."""
    (folder / "dense.trec").write_text(
        "".join(
            f"{topic} Q0 d{(number + first) % PAGES} {number + 1} {-number} dense\n"
            for topic in range(1, 5)
            for number in range(PAGES)
        )
    )


def write_model(path: Path, words: int) -> None:
    """Write a model that keeps paragraphs of at least so many words."""
    network = Network(
        mean=np.array([np.log(words + 0.5) / 4], dtype=np.float32),
        scale=np.array([1], dtype=np.float32),
        weights=(np.array([[100]], dtype=np.float32),),
        biases=(np.array([0], dtype=np.float32),),
    )
    columns = np.array([NAMES.index("words")], dtype=np.int32)
    save_model(Model(PARAGRAPHS, VERSION, columns, network, "fixed"), path)


def _write_plugins(code: Path) -> None:
    for name, source in (("plug", PLUGIN), ("aid", HELPER), ("shouting", SHOUTING)):
        (code / f"{name}.py").write_text(source)
    write_zipped(code / "plug-ins.zip", HELPER.replace("paragraphs", "text"))
    info = code / "shouting-1.0.dist-info"
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n"
    )
    (info / "RECORD").write_text(
        f"shouting.py,,\n{info.name}/METADATA,,\n{info.name}/RECORD,,\n"
    )
    (info / "entry_points.txt").write_text(
        "[boilersweep.extractors]\nshouting = shouting:take\n"
    )


def write_zipped(path: Path, source: str) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("zipped.py", source)


def write_blogs(folder: Path) -> None:
    """Write a made-up BLOGS06: 20 permalinks, topics 851 to 900 and judgements of all."""
    day = folder / "blogs" / "20051206"
    day.mkdir(parents=True)
    docids = [f"BLOG06-20051206-000-{number:010d}" for number in range(20)]
    pages = "".join(
        f"<DOC>\n<DOCNO>{docid}</DOCNO>\n<DATE_XML></DATE_XML>\n"
        f"<FEEDNO>BLOG06-feed-0</FEEDNO>\n<PERMALINK>http://b.example/{number}</PERMALINK>\n"
        f"<DOCHDR>\nhttp://b.example/{number} 0.0.0.0 2005 100\nHTTP/1.1 200 OK\n</DOCHDR>\n"
        f"<html><body><li>subject{number + 1}</li><p>{f'subject{number} of this post ' * 8}</p>"
        "</body></html>\n</DOC>\n"
        for number, docid in enumerate(docids)
    )
    (day / "permalinks-000.gz").write_bytes(gzip.compress(pages.encode(), mtime=0))
    topics = [
        f"<top>\n<num> Number: {851 + number}\n<title> subject{number % 20}\n<desc> Description:\n"
        "x\n<narr> Narrative:\ny\n</top>\n"
        for number in range(50)
    ]
    (folder / "blogs-topics.txt").write_text("".join(topics))
    qrels = [f"{851 + number} 0 {docids[number % 20]} 4\n" for number in range(50)]
    (folder / "blogs-qrels.txt").write_text("".join(qrels))
