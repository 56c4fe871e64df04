"""Run the commands of the manuals, each exactly as it is written there.

    python scripts/run_manuals.py [--programs FOLDER] [--only TEXT]
    python scripts/run_manuals.py --recipes [--html FOLDER] [--programs FOLDER] [--only TEXT]

FOLDER has the `boilersweep` of the environment to try, by default that of this Python. Every
command runs in a folder of its own, which has what the manuals name (PAGES, TOPICS, STORE, INDEX,
...), made from the demo's collection. Prints a table, and exits
with 1 if a command fails; one that names the extra or text that it lacks has not failed. One that
serves pages is interrupted when it has printed their address.

With --recipes it runs the recipes of RECIPES.md over Arrow batches instead, on 2,000 pages of the
demo, or the first of FOLDER. Each must give the texts of `clean_many`. The pages per second are
those of the whole process, with the start of the engine.
"""

import argparse
import contextlib
import gzip
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from tabulate import tabulate

from boilersweep.collection.format import Record
from boilersweep.collection.trec_web import BLOGS06
from boilersweep.demo.collection import write_demo
from boilersweep.demo.pages import World, write_page

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.collection.crawl import Crawl, crawl_of, docid, serving  # noqa: E402

# What a command has in it -> what it needs that the demo cannot give.
ELSEWHERE = {
    "irds:": "collections of ir_datasets",
    "s3://": "an object store",
    "CLEF2018": "CLEF eHealth 2018",
    "clef2018": "CLEF eHealth 2018",
    "hc4": "HC4",
    "www4": "NTCIR WWW-4",
    "crag": "CRAG",
    "--cdx-base WARCS": "a list of judged pages",
    "SNIPPETS": "research data",
    "L3S": "research data",
    "CLEANEVAL": "research data",
    "WCXB": "research data",
    "wcxb": "research data",
    "WEBMAINBENCH": "research data",
    "L3S-GN1": "research data",
    "l3s-gn1|": "one of several data sets",
    "--languages de": "pages in German",
    "clean PAGES": "a folder of HTML",
    "my_extractors": "a plug-in of CONTRIBUTING.md",
    "above-average": "a plug-in of CONTRIBUTING.md",
    "boolean": "a formula of CONTRIBUTING.md",
    "$keep": "a loop of the shell",
    "$FIRECRAWL": "a variable of the shell",
    "--cluster": "a cluster",
    "...": "other options",
    "COMMAND": "a command",
    "assess.llm": "a language model",
    "marked=GOLD": "pages that people marked",
    "my.npz": "a trained model",
    "doc.id": "JSON lines with such keys",
}

# Of the scripts for Slurm; SWEEP is another folder than SWEEP.
_NAMES = ("PAGES", "STORE", "INDEXES", "TOPICS", "QRELS")
VARIABLES = dict(zip(_NAMES, _NAMES, strict=True))

_BLOCK = re.compile(r"^```sh\n(.*?)^```$|((?:^    .*\n)+)", re.MULTILINE | re.DOTALL)
_WORDS = "The night train leaves the station at ten, and it has beds, a bar and two kinds of soup."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=Path, default=Path(sys.executable).parent)
    parser.add_argument("--only", default="")
    parser.add_argument("--recipes", action="store_true")
    parser.add_argument("--html", type=Path)
    wanted = parser.parse_args()
    if wanted.recipes:
        return run_recipes(wanted.programs, wanted.html, wanted.only)
    rows: list[tuple[str, str, str, str]] = []
    failed = 0
    with contextlib.ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory())
        world = Path(name, "world")
        environment = {
            **os.environ,
            "PATH": f"{wanted.programs.absolute()}:{os.environ['PATH']}",
        }
        make_world(world, environment)
        crawl = make_crawl(world)
        make_clef(world)
        served = stack.enter_context(serving(crawl.files))
        served.busy, served.moved = 2, {"crawl-data/segment-1.warc.gz"}
        scripts = {**environment, "PYTHONPATH": str(ROOT)}
        for line in (
            "boilersweep segment --collection cdx --input list --save chs-all.warc.gz --docid uuid "
            f"--cdx-base {served.base} --cdx-rate 1000 --output chs-all-store",
            f"{sys.executable} {ROOT}/scripts/judged_lines.py --index list --warc chs-all.warc.gz "
            "--qrels qrels.txt --output judged.jsonl",
            "boilersweep segment --collection cdx --input judged.jsonl --save chs.warc.gz --docid "
            f"uuid --cdx-base {served.base} --cdx-rate 1000 --output chs-store",
            "boilersweep compare --store chs-store --topics topics.txt --qrels qrels.txt "
            "--cleaners bte --engine exact --output chs-study",
            "boilersweep segment --collection clef-ehealth --input CLEF --extractors "
            "trafilatura,resiliparse,readability --output clef-store",
            "boilersweep compare --store clef-store --topics clef2015.test.queries-EN.txt --qrels "
            "qrels.eng.clef2015.test.graded.txt --topic-prefix clef2015.test. --cleaners bte "
            "--output clef-study",
        ):
            subprocess.run(line.split(), cwd=world, env=scripts, check=True)
        for made in ("chs-all.warc.gz", "chs.warc.gz"):
            (world / made).unlink()
        for number, (command, page) in enumerate(commands().items()):
            if wanted.only not in command:
                continue
            need = next(
                (need for mark, need in ELSEWHERE.items() if mark in command), None
            )
            if need:
                rows.append(("not run", f"needs {need}", page, command))
                continue
            if "--collection cdx" in command:
                command += f" --cdx-base {served.base} --cdx-rate 1000"
            begun = time.monotonic()
            verdict, message = run(command, world, Path(name, str(number)), environment)
            failed += verdict == "failed"
            rows.append(
                (verdict, message or f"{time.monotonic() - begun:.1f} s", page, command)
            )
            print(verdict, command, file=sys.stderr, flush=True)
    print(
        tabulate(rows, ["", "", "manual", "command"], maxcolwidths=[None, 60, 40, 100])
    )
    counts = {verdict: sum(row[0] == verdict for row in rows) for verdict, *_ in rows}
    print("\n" + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return int(failed > 0)


# The pages that are cleaned without an engine, for comparison; `learned` takes them by the hundred.
PLAIN = """
import pyarrow as pa
import pyarrow.parquet as pq
from boilersweep import clean_many

pages = pq.read_table("pages.parquet")
texts = [text if isinstance(text, str) else None for text in clean_many(pages["html"], workers={})]
pq.write_table(pa.table({{"url": pages["url"], "text": texts}}), "cleaned.parquet")
"""


def run_recipes(programs: Path, html: Path | None, only: str) -> int:
    """Run the recipes over Arrow batches, and print their pages per second; 1 if one fails."""
    text = (ROOT / "src/boilersweep/cleaning/RECIPES.md").read_text("utf-8")
    recipes = re.findall(r"(?ms)^## ([^\n]+)\n[^#]*?^```python\n(.*?)^```$", text)
    named = {name: code for name, code in recipes if "pages.parquet" in code}
    plain = {f"clean_many, workers={n}": PLAIN.format(n) for n in (1, 2)}
    rows: list[Sequence[object]] = []
    with tempfile.TemporaryDirectory() as name:
        pages = pages_of(html)
        pq.write_table(pages, Path(name, "pages.parquet"), row_group_size=200)
        expected = None
        for recipe, code in {**plain, **named}.items():
            if expected is None or only in recipe:
                seconds, texts, message = run_recipe(code, Path(name), programs)
                expected = texts if expected is None else expected
                verdict = "equal" if texts == expected else message or "other texts"
                rows.append((recipe, f"{len(pages) / seconds:.0f}", verdict))
                print(*rows[-1], file=sys.stderr, flush=True)
    print(tabulate(rows, ["recipe", "pages per second", "texts"]))
    return int(any(row[2] not in ("equal", "not installed") for row in rows))


def pages_of(folder: Path | None) -> pa.Table:
    """Return 2,000 pages of a folder, or of the demo, with names."""
    count = 2000
    if folder is None:
        world = World(count, 2006)
        bodies = {str(n): write_page(world, n).body for n in range(count)}
    else:
        paths = sorted(folder.rglob("*.html"))[:count]
        bodies = {str(path): path.read_bytes() for path in paths}
    return pa.table({"url": [*bodies], "html": [*bodies.values()]})


def run_recipe(
    code: str, work: Path, programs: Path
) -> tuple[float, dict[str, str], str]:
    """Run Python in a folder with pages; return seconds, the texts by name, and why it failed."""
    for old in work.glob("cleaned*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    (work / "recipe.py").write_text(code, "utf-8")
    path = f"{programs.absolute()}:{os.environ['PATH']}"
    begun = time.monotonic()
    done = subprocess.run(
        [programs / "python", "recipe.py"],
        cwd=work,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
    )
    seconds = time.monotonic() - begun
    if "ModuleNotFoundError" in done.stderr:
        return seconds, {}, "not installed"
    found = [*work.glob("cleaned*")]
    if done.returncode or not found:
        return seconds, {}, (done.stderr.strip() or "no output").splitlines()[-1]
    rows = ds.dataset(found[0], exclude_invalid_files=True).to_table(["url", "text"])
    return seconds, {row["url"]: row["text"] for row in rows.to_pylist()}, ""


def commands() -> dict[str, str]:
    """Command -> the manual that has it; of those in the text only complete ones."""
    found: dict[str, str] = {}
    for page in sorted(ROOT.rglob("README.md")) + sorted(ROOT.rglob("[A-Z]*.md")):
        where = page.relative_to(ROOT)
        if where.parts[0].startswith(("build", ".venv", "out")):
            continue
        text = page.read_text("utf-8")
        lines = [
            re.sub(r"\s+# .*", "", line).strip().removeprefix("$ ")
            for block in _BLOCK.findall(text)
            for line in "".join(block).replace("\\\n", " ").splitlines()
        ]
        codes = re.findall(r"`(boilersweep [^`]+)`", text)
        lines += [code for code in codes if re.search("--(output|page|query) ", code)]
        for line in lines:
            if line.startswith("boilersweep ") and not line.endswith("--help`"):
                found.setdefault(" ".join(line.split()), str(where))
    return found


# Commands whose outputs the manuals name.
MADE = (
    "segment --input PAGES --output STORE --extractors cetr,trafilatura,readability",
    "index --store STORE --blocks --cleaners learned,bte --output INDEX",
    "index --store STORE --sweep words=1:3 --output INDEXES",
    "search --index INDEX --topics TOPICS --output dense.trec",
    "sweep --store STORE --topics TOPICS --qrels QRELS --sweep words=1:3 --output SWEEP",
    "compare --store STORE --topics TOPICS --qrels QRELS --cleaners bte --output STUDY",
)

# Files and folders, and further names that the manuals have for them.
COPIES = (
    ("QRELS", "JUDGED/qrels.txt Q NEWSMIX/qrels.open.txt qrels.blog06.txt"),
    ("TOPICS", "T NEWSMIX/topics.open.txt 06.topics.851-900.txt"),
    ("dense.trec", "RUN other.trec all.trec cleaned.trec"),
    ("gold.jsonl.gz", "NEWSMIX/gold.jsonl.gz"),
    ("DIR", "DANIEL/chinese"),
    ("PAGES", "NEWSMIX/trec BLOGS06"),
    ("INDEX", "INDEX1 INDEX2"),
    ("STUDY", "OPEN TRAPS QLD"),
    ("STORE", "OUT/store"),
)


def make_crawl(world: Path) -> Crawl:
    """Write the index, topics and judgements of a made-up crawl; return it."""
    crawl = crawl_of(300, files=3)
    crawl.lines[5]["digest"] = "A" * 32
    crawl.add(
        "crawl-data/pdf.warc.gz", 300, b"%PDF-1.4", content_type="application/pdf"
    )
    del crawl.files[str(crawl.add("crawl-data/gone.warc.gz", 301, b"<p>x")["filename"])]
    (world / "index.jsonl").write_text(crawl.index(), "utf-8")
    (world / "list").mkdir()
    for n in range(7):  # as the track's client names its files
        lines = [json.dumps(line) + "\n" for line in crawl.lines[n::7]]
        name = f"prefix-site{n}.example-CC-MAIN-2021-040"
        (world / "list" / name).write_text("".join(lines), "utf-8")
    topics = "".join(
        f"\t<topic>\n\t\t<id>{n}</id>\n\t\t<query> word{n} word{7 * n}\n\t\t</query>\n\t</topic>\n"
        for n in range(1, 12)
    )
    (world / "topics.txt").write_text(f"<topics>\n{topics}</topics>\n", "utf-8")
    judged = [(docid(n), n) for n in range(0, 300, 2)]
    judged += [(str(uuid.uuid5(uuid.NAMESPACE_URL, str(n))), n) for n in range(9)]
    qrels = "".join(f"{1 + n // 2 % 10}\t0\t{name}\t{n % 3}\n" for name, n in judged)
    (world / "qrels.txt").write_text(qrels, "utf-8")
    return crawl


def make_clef(world: Path) -> None:
    """Write a made-up collection in the forms of CLEF eHealth 2015: pages, topics, qrels, runs."""
    pages = [
        record
        for path in sorted((world / "PAGES").rglob("permalinks-*"))
        for record in BLOGS06.read(io.BytesIO(path.read_bytes()), path.name)
        if isinstance(record, Record)
    ]
    (world / "CLEF").mkdir()
    head = "#UID:{}\n#DATE:2012-04-06\n#URL:{}\n#CONTENT:\n"
    for n in range(2):
        dat = b"".join(
            head.format(page.docid, page.url).encode() + page.body + b"\n#EOR\n"
            for page in pages[n::2]
        )
        broken = b"#UID:broken\n#DATE:2012-04-06\n" * n
        with zipfile.ZipFile(
            world / "CLEF" / f"health-{n}.zip", "w", zipfile.ZIP_DEFLATED
        ) as archive:
            archive.writestr(f"part{n}/health_{n}.dat", broken + dat)
    text = (world / "TOPICS").read_text("utf-8")
    titles = re.findall(r"Number: (\d+)\s+<title>\s*([^\n<]+)", text)
    tops = "".join(
        f"\t<top>\n\t\t<num>clef2015.test.{n}</num>\n\t\t<query>{title.strip()}</query>\n\t</top>\n"
        for n, title in titles
    )
    (world / "clef2015.test.queries-EN.txt").write_text(f"<topics>\n{tops}</topics>\n")
    judged = [line.split() for line in (world / "QRELS").read_text().splitlines()]
    qrels = "".join("\t".join(columns) + "\n" for columns in judged)
    (world / "qrels.eng.clef2015.test.graded.txt").write_text(qrels)
    run = "".join(
        f"qtest.{topic} Q0 {name} {n} {1000 - n}.5 Xapian_BM25_bs4\r\n"
        for n, (topic, _, name, _) in enumerate(judged)
    )
    for name in ("baseline_run.1.dat", "baseline_run.2.dat", "ECNU_EN_Run.3.dat"):
        (world / name).write_text(run)


def make_world(world: Path, environment: dict[str, str]) -> None:
    """Write a folder with everything that the manuals name."""
    world.mkdir()
    _write_demo(world)
    _write_pages(world)
    for line in MADE:
        subprocess.run(
            ["boilersweep", *line.split()],  # noqa: S607
            cwd=world,
            env=environment,
            check=True,
            capture_output=True,
        )
    docids = [line.split()[2] for line in (world / "QRELS").read_text().splitlines()]
    lines = (
        json.dumps({"id": docid, "contents": _WORDS}) for docid in dict.fromkeys(docids)
    )
    (world / "gold.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    for source, names in COPIES:
        for name in names.split():
            (world / name).parent.mkdir(exist_ok=True)
            copy = shutil.copytree if (world / source).is_dir() else shutil.copy
            copy(world / source, world / name)


def _write_demo(world: Path) -> None:
    """Write the demo's pages, and its topics and qrels under the numbers 851 to 900."""
    demo = write_demo(world / "demo", pages=600)
    shutil.copytree(demo.trec, world / "PAGES")
    for name, path, number in (
        ("TOPICS", demo.topics, r"(?<=Number: )\d+"),
        ("QRELS", demo.qrels, r"(?m)^\d+"),
    ):
        text = path.read_text("utf-8")
        (world / name).write_text(
            re.sub(number, lambda found: str(850 + int(found[0])), text)
        )
    shutil.rmtree(world / "demo")


def _write_pages(world: Path) -> None:
    """Write queries, judged topics, HTML pages with gold texts, and a WARC file."""
    (world / "queries.txt").write_text("bread ovens\nnight train\nchess openings\n")
    (world / "JUDGED").mkdir()
    (world / "JUDGED" / "topics.tsv").write_text(
        "851\tbread ovens\n852\tchess openings\n"
    )
    html = f"<title>Trains</title><nav>Home</nav><h1>Trains</h1><p>{_WORDS}</p><p>{_WORDS}</p>"
    (world / "DIR").mkdir()
    for file in ("page.html", "more.html"):
        (world / file).write_text(html, "utf-8")
    for nth in range(40):  # no two pages are near-duplicates
        text = " ".join(f"{word}{nth}" for word in _WORDS.split())
        page = f"<title>Trains</title><nav>Home</nav><h1>Trains</h1><p>{text}</p><p>{text}</p>"
        (world / "DIR" / f"{nth}.html").write_text(page, "utf-8")
        (world / "DIR" / f"{nth}.txt").write_text(f"Trains {text} {text}", "utf-8")
    record = (
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: "
        "http://example.org/\r\nContent-Type: text/html\r\nWARC-Date: 2012-02-10T22:50:41Z\r\n"
        f"Content-Length: {len(html)}\r\n\r\n{html}\r\n\r\n"
    )
    (world / "crawl.warc.gz").write_bytes(gzip.compress(record.encode()))


def run(
    command: str, world: Path, folder: Path, environment: dict[str, str]
) -> tuple[str, str]:
    """Run a command in a copy of the world without its output; the verdict and a message."""
    environment = {**environment, **VARIABLES, "SWEEP": "OTHER-SWEEP"}
    words = command.split()
    serves = "--annotate" in words or (
        words[1] in ("serve", "assess")
        and not {"--status", "--write", "--read"} & {*words}
    )
    output = words[words.index("--output") + 1] if "--output" in words else ""
    output = (
        environment.get(output.removeprefix("$"), output) if "$" in output else output
    )
    keeps = "--update" in words or "check" in words or output == "OUT/store"
    folder.mkdir()
    for path in world.iterdir():
        if keeps or path.name != output:
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, folder / path.name)
    if "/" in output and not keeps:
        shutil.rmtree(folder / output, ignore_errors=True)
    if command.startswith(("boilersweep check OUT", "boilersweep report OUT")):
        shutil.rmtree(folder / "OUT")
        shutil.copytree(world / "STUDY", folder / "OUT")
    if "--update" in words and output == "INDEX":
        shutil.rmtree(folder / "INDEX")
    if serves:
        verdict = serve(command, folder, environment)
        shutil.rmtree(folder)
        return verdict
    done = subprocess.run(
        ["sh", "-c", command],  # noqa: S607
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=600,
        check=False,
    )
    shutil.rmtree(folder)
    if done.returncode == 0:
        return "passed", ""
    message = (
        done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message"
    )
    lacks = re.search(r"pip install|doctor --install|--extractors", done.stderr)
    return ("lacks" if lacks else "failed"), f"{done.returncode}: {message}"


def serve(command: str, folder: Path, environment: dict[str, str]) -> tuple[str, str]:
    """Start a server, and interrupt it when it has printed its address."""
    with subprocess.Popen(
        ["sh", "-c", f"exec {command}"],  # noqa: S607
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
    ) as process:
        timer = threading.Timer(120, process.kill)
        timer.start()
        said = ""
        for line in process.stdout or ():
            said += line
            if "http://" in line:
                process.send_signal(signal.SIGINT)
        timer.cancel()
    message = said.strip().splitlines()[-1] if said.strip() else "no message"
    if "http://" in said and process.returncode in (0, 130):
        return "passed", ""
    return "failed", f"{process.returncode}: {message}"


if __name__ == "__main__":
    sys.exit(main())
