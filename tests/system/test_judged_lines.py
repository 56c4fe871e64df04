"""The script that lists the index lines of judged pages, on a made-up crawl."""

import json
from pathlib import Path

from boilersweep.collection.common_crawl import fetch_pages
from boilersweep.collection.fetch_options import FetchOptions
from tests.collection.crawl import crawl_of, docid, serving
from tests.running import python

SCRIPT = Path(__file__).parents[2] / "scripts" / "judged_lines.py"


def test_the_lines_of_judged_pages(tmp_path: Path) -> None:
    crawl = crawl_of(12)
    crawl.lines[4]["digest"] = "A" * 32  # cannot be fetched
    crawl.lines.append(crawl.lines[2])
    (tmp_path / "list").mkdir()
    for number in range(3):
        lines = [json.dumps(line) + "\n" for line in crawl.lines[number::3]]
        name = f"prefix-site{number}.example-CC-MAIN-2021-040"
        (tmp_path / "list" / name).write_text("".join(lines) + "no line\n")
    judged = [*(docid(number) for number in (2, 4, 7)), "of-a-social-medium"]
    (tmp_path / "qrels").write_text("".join(f"1\t0\t{one}\t1\n" for one in judged))
    warc = tmp_path / "all.warc.gz"
    with serving(crawl.files) as served:
        fetch_pages(
            tmp_path / "list", warc, FetchOptions(base=served.base, per_second=1000)
        )
    found = tmp_path / "judged.jsonl"
    words = ("--index", tmp_path / "list", "--warc", warc)
    done = python(SCRIPT, *words, "--qrels", tmp_path / "qrels", "--output", found)
    assert "2 of 4 judged documents have a line" in done.stdout
    urls = {json.loads(line)["url"] for line in found.read_text().splitlines()}
    assert urls == {crawl.lines[2]["url"], crawl.lines[7]["url"]}
